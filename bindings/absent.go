package bindings

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	lua "github.com/yuin/gopher-lua"
)

// Of { Enemy, without = C.Bos } nothing is left to see when C.Bos is nil: the table
// has no key "without", and all enemies are meant. So the script host's front end puts
// a call of NoteAbsent around each constructor of a query or of options, and the keys
// that were written and came to nil are noted in the table, where no script sees them.
//
// Why in k2i? It says where in the list of keys a key stands, and whoever goes through
// a table goes through the list: a key that is in k2i alone is found by nobody.

// absentKey is the name of a key that was written and came to nil.
type absentKey string

// String implements lua.LValue.
func (k absentKey) String() string { return string(k) }

// Type implements lua.LValue.
func (absentKey) Type() lua.LValueType { return lua.LTString }

// anyAbsent stands in tables that have an absentKey.
const anyAbsent = absentKey("")

// places and keyList are where gopher-lua's table keeps them.
var places, keyList = offsetInTable("k2i"), offsetInTable("keys")

func placesOf(t *lua.LTable) *map[lua.LValue]int {
	return (*map[lua.LValue]int)(unsafe.Add(unsafe.Pointer(t), places))
}

// NoteAbsent is a function of the machine: it takes a table, just made, and the names
// of keys, separated by zero bytes, and returns the table. It notes which of the keys
// the table does not have.
func NoteAbsent(L *lua.LState) int {
	t, names := L.Get(1).(*lua.LTable), L.Get(2).String()
	for name := range strings.SplitSeq(names, "\x00") {
		if t.RawGetString(name) == lua.LNil {
			noteAbsent(t, name)
		}
	}
	L.SetTop(1)
	return 1
}

func noteAbsent(t *lua.LTable, name string) {
	if list := (*[]lua.LValue)(unsafe.Add(unsafe.Pointer(t), keyList)); *list == nil {
		*list = []lua.LValue{} // nil means to the machine that there is no k2i
	}
	at := placesOf(t)
	if *at == nil {
		*at = map[lua.LValue]int{}
	}
	(*at)[anyAbsent], (*at)[absentKey(name)] = 0, 0
}

// absentKeys returns the keys of a table that were written and came to nil, and that
// nobody has set since.
func absentKeys(t *lua.LTable) []string {
	at := *placesOf(value.Unwrap(t))
	if _, some := at[anyAbsent]; !some {
		return nil
	}
	var names []string
	for k := range at {
		if name, ok := k.(absentKey); ok && name != anyAbsent && t.RawGetString(string(name)) == lua.LNil {
			names = append(names, string(name))
		}
	}
	slices.Sort(names)
	return names
}

// nilValue says of a key that it was written and came to nil, and what the script may
// have meant.
func nilValue(L *lua.LState, key string) string {
	why := absent(L)
	if why == "" {
		why = fmt.Sprintf(" (if that is meant, say so: %s = … or nil)", key)
	}
	return fmt.Sprintf("%s: the value is nil%s", key, why)
}
