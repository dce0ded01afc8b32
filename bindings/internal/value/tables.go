package value

import (
	"fmt"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Describe names a Lua value for an error message.
func Describe(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		if len(v) > 40 {
			return fmt.Sprintf("the string %q…", string(v[:40]))
		}
		return fmt.Sprintf("the string %q", string(v))
	case lua.LNumber:
		return "the number " + v.String()
	case *lua.LNilType:
		return "nil"
	case lua.LBool:
		return v.String()
	case *lua.LTable:
		if Over(v) != "" {
			return "a table that is over"
		}
	case *lua.LUserData:
		if d, ok := v.Value.(interface{ Describe() string }); ok {
			return d.Describe()
		}
	}
	return "a " + v.Type().String()
}

// ElementKey marks the metatable of tables that stand for arrays of a row. Their
// elements are written one by one, so a nil among them is no gap in a list.
const ElementKey = "\x00element"

// rawField returns what the metatable of a table has under a name.
func rawField(t *lua.LTable, name string) lua.LValue {
	if meta, ok := t.Metatable.(*lua.LTable); ok {
		return meta.RawGetString(name)
	}
	return lua.LNil
}

const (
	// shownEntries is how many entries of a table messages show, and shownText how
	// much of a text in it.
	shownEntries = 4
	ShownText    = 40
)

// Listing shows a table as a script writes it, as far as it goes in a line. It asks no
// metamethods.
func Listing(t *lua.LTable) string {
	var b strings.Builder
	t, n := Unwrap(t), 0
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if n++; n > 1 {
			b.WriteString(", ")
		}
		if n > shownEntries {
			b.WriteString("…")
			break
		}
		if name, ok := k.(lua.LString); ok {
			b.WriteString(string(name[:min(len(name), ShownText)]) + " = ")
		} else if k != lua.LNumber(n) {
			b.WriteString("[" + Shown(k) + "] = ")
		}
		b.WriteString(Shown(v))
	}
	if n == 0 {
		return "{}"
	}
	return "{ " + b.String() + " }"
}

// Shown shows one key or value.
func Shown(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LNumber, lua.LBool:
		return v.String()
	case lua.LString:
		if len(v) > ShownText {
			return strconv.Quote(string(v[:ShownText])) + "…"
		}
		return strconv.Quote(string(v))
	case *lua.LTable:
		return "{…}"
	}
	return Describe(v)
}

// CopyKey is where the metatable of a copy that is the script's own says so: in a state
// table it becomes a plain one.
const CopyKey = "\x00copy"

// OverKey is where the metatable of a loan that is over says what is wrong.
const OverKey = "\x00over"

// Over says what is wrong with a table that a script must not use any more; what
// bypasses metatables must ask. It is empty for all other tables.
func Over(t *lua.LTable) string {
	meta, ok := t.Metatable.(*lua.LTable)
	if !ok {
		return ""
	}
	why, _ := meta.RawGetString(OverKey).(lua.LString)
	return string(why)
}

// ContentKey is where the metatable of a front has the content. Scripts cannot
// write the name by accident, and what they reach by it is what they see anyway.
const ContentKey = "\x00content"

// Unwrap returns the table that has the content of t: t itself, unless t is a
// front.
func Unwrap(t *lua.LTable) *lua.LTable {
	meta, ok := t.Metatable.(*lua.LTable)
	if !ok {
		return t
	}
	if content, ok := meta.RawGetString(ContentKey).(*lua.LTable); ok {
		return content
	}
	return t
}

// TableOf returns a value's content if it is a table, and none that is over.
func TableOf(v lua.LValue) (*lua.LTable, bool) {
	t, ok := v.(*lua.LTable)
	switch {
	case !ok || t.Metatable == lua.LNil:
		return t, ok
	case Over(t) != "":
		return nil, false
	}
	return Unwrap(t), true
}

// Pairs goes through a table in the order in which its keys came, the order of
// the pairs of scripts. LTable.ForEach has an order that differs between runs.
func Pairs(t *lua.LTable, visit func(k, v lua.LValue)) {
	t = Unwrap(t)
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		visit(k, v)
	}
}
