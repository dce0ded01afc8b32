package value

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
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

	// loggedEntries is how many entries a table has in a line of the log, with those of the tables
	// in it, which are shown to a depth of loggedDepth.
	loggedEntries = 50
	loggedDepth   = 4
)

// Listing shows a table as a script writes it, as far as it goes in a line. It asks no
// metamethods.
func Listing(t *lua.LTable) string {
	l := listing{left: shownEntries}
	l.table(t, 1)
	return l.text.String()
}

// Logged shows a table for the log: more of it than Listing, and the tables in it, too. entries is how
// many it has looked at.
func Logged(t *lua.LTable) (text string, entries int) {
	l := listing{left: loggedEntries}
	l.table(t, loggedDepth)
	return l.text.String(), loggedEntries - l.left
}

// listing is the text of a table that is being written.
type listing struct {
	text strings.Builder
	left int // entries that may still be shown
}

// table adds a table, with the tables in it as deep as that.
func (l *listing) table(t *lua.LTable, depth int) {
	t = proxy.Unwrap(t)
	n, items := 0, 0
	for k, v := range lua.All(t) {
		if n++; n > 1 {
			l.text.WriteString(", ")
		} else {
			l.text.WriteString("{ ")
		}
		if l.left == 0 {
			l.text.WriteString("…")
			break
		}
		l.left--
		if name, ok := k.(lua.LString); ok && len(name) <= ShownText && diag.IsName(string(name)) {
			l.text.WriteString(string(name) + " = ")
		} else if k == lua.LNumber(items+1) {
			items++
		} else {
			l.text.WriteString("[" + Shown(k) + "] = ")
		}
		if inner, ok := v.(*lua.LTable); ok && depth > 1 && proxy.Over(inner) == "" {
			l.table(inner, depth-1)
		} else {
			l.text.WriteString(Shown(v))
		}
	}
	if n == 0 {
		l.text.WriteString("{}")
		return
	}
	l.text.WriteString(" }")
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
