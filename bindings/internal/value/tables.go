package value

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
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
		if proxy.Over(v) != "" {
			return "a table that is over"
		}
	}
	return fault.Kind(v)
}

// Of returns the value of the host's that a Lua value stands for, where it is one of a type.
func Of[T any](v lua.LValue) (of T, ok bool) {
	if ud, is := v.(*lua.LUserData); is {
		of, ok = ud.Value.(T)
	}
	return of, ok
}

// At is Of for a value of the running function.
func At[T any](L *lua.LState, i int) (of T, ok bool) {
	if ud := lua.UserDataAt(L, i); ud != nil {
		of, ok = ud.Value.(T)
	}
	return of, ok
}

// ElementKey marks the metatable of tables that stand for arrays of a row. Their
// elements are written one by one, so a nil among them is no gap in a list.
const ElementKey = "\x00element"

// rawField returns what the metatable of a table has under a name.
func rawField(t *lua.LTable, name string) lua.LValue {
	if meta, ok := lua.Metatable(t).(*lua.LTable); ok {
		return meta.RawGetString(name)
	}
	return lua.LNil
}

const (
	// shownEntries is how many entries of a table messages show, and ShownText how
	// much of a text in it.
	shownEntries = 4
	ShownText    = 40
)

// Listing shows a table as a script writes it, as far as it goes in a line. It asks no
// metamethods.
func Listing(t *lua.LTable) string {
	var b strings.Builder
	t, n, items := proxy.Unwrap(t), 0, 0
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
		} else if k == lua.LNumber(items+1) {
			items++
		} else {
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

const (
	// MaxNesting bounds how deep prefabs and plain data nest.
	MaxNesting = 32
	// MaxEntries bounds how many entries plain data has in all. A table that is in it
	// twice counts twice: the copy has it twice.
	MaxEntries = 10_000
	// StepsPerEntry is what it costs to copy one entry of a table: about half a microsecond,
	// with the memory that it takes.
	StepsPerEntry = 50
)
