package bindings

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	lua "github.com/yuin/gopher-lua"
)

// A name that is misspelt is nil in Lua, and nil in a list is nothing: for # and pairs
// the list has just one item less. Where scripts list components, that turns "all
// enemies but bosses" into "all enemies". So lists are read with their holes. What a
// constructor has put into a table is still in its array, nil or not.

// arrayPart is where gopher-lua's table keeps its array.
var arrayPart = offsetInTable("array")

func offsetInTable(name string) uintptr {
	field, ok := reflect.TypeFor[lua.LTable]().FieldByName(name)
	if !ok {
		panic("gopher-lua's table has no " + name) // another version than the one in go.mod
	}
	return field.Offset
}

// listed returns how many items a list was written with, those that are nil included.
func listed(t *lua.LTable) int {
	items := *(*[]lua.LValue)(unsafe.Add(unsafe.Pointer(value.Unwrap(t)), arrayPart))
	return max(len(items), t.MaxN())
}

// hole returns the first item of a list that is nil, 0 when there is none.
func hole(t *lua.LTable) int {
	t = value.Unwrap(t)
	for i := 1; i <= listed(t); i++ {
		if t.RawGetInt(i) == lua.LNil {
			return i
		}
	}
	return 0
}

// nilItem says of an item of a list that it is nil, and what the script may have meant.
func nilItem(L *lua.LState, where string, item int) string {
	return fmt.Sprintf("%s: item %d is nil%s", where, item, absent(L))
}

// near is how many lines of a text are searched for what is nil, from the line of the
// call on.
const near = 60

// absent says which field of which table the calling function has read and not found,
// as in ": C.Bos is nil (did you mean "Boss"?)". It is empty when that is not known.
func absent(L *lua.LState) string {
	dbg, ok := L.GetStack(1)
	if !ok {
		return ""
	}
	v, err := L.GetInfo("fl", dbg, lua.LNil)
	fn, isFunction := v.(*lua.LFunction)
	if err != nil || !isFunction || fn.IsG {
		return ""
	}
	for pc, word := range fn.Proto.Code {
		at := fn.Proto.DbgSourcePositions[pc]
		op, _, from, operand := bytecode.Parts(word)
		key, isName := bytecode.Constant(operand)
		if op != lua.OP_GETTABLEKS || !isName || at < dbg.CurrentLine || at > dbg.CurrentLine+near {
			continue
		}
		name := fn.Proto.Constants[key].String()
		if table, t := tableAt(L, dbg, fn, pc, from); t != nil && t.RawGetString(name) == lua.LNil && t.Metatable == lua.LNil {
			var names []string
			value.Pairs(t, func(k, _ lua.LValue) { names = append(names, k.String()) })
			return fmt.Sprintf(": %s.%s is nil%s", table, name, diag.DidYouMean(name, names))
		}
	}
	return ""
}

// tableAt returns the name and the content of the table that an instruction reads from
// a register: a local, an outer local or a global; nil for any other.
func tableAt(L *lua.LState, dbg *lua.Debug, fn *lua.LFunction, pc, register int) (string, *lua.LTable) {
	name, v := "", lua.LValue(lua.LNil)
	if pc > 0 && bytecode.A(fn.Proto.Code[pc-1]) == register {
		word := fn.Proto.Code[pc-1]
		switch bytecode.Op(word) {
		case lua.OP_GETUPVAL:
			if i := bytecode.B(word); i < len(fn.Upvalues) && i < len(fn.Proto.DbgUpvalues) {
				name, v = fn.Proto.DbgUpvalues[i], fn.Upvalues[i].Value()
			}
		case lua.OP_GETGLOBAL:
			name = fn.Proto.Constants[bytecode.Bx(word)].String()
			v = fn.Env.RawGetString(name)
		}
	}
	if name == "" {
		name, v = L.GetLocal(dbg, register+1)
	}
	t, ok := value.TableOf(v)
	if !ok || name == "" {
		return "", nil
	}
	return name, t
}

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

// NoteAbsent is a function of the host's: it takes a table, just made, and the names of
// keys, and returns the table. It notes which of the keys the table does not have.
func NoteAbsent(L *lua.LState) int {
	t := L.Get(1).(*lua.LTable)
	for i := 2; i <= L.GetTop(); i++ {
		if name := L.Get(i).String(); t.RawGetString(name) == lua.LNil {
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
