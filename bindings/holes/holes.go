// Package holes finds what is nil in a table although a script has written it.
//
// A name that is misspelt is nil in Lua, and nil in a table is nothing: for # and pairs a
// list has just one item less, and of { Enemy, without = C.Bos } nothing is left to see when
// C.Bos is nil. Where scripts list components, that turns "all enemies but bosses" into "all
// enemies". So tables are read with their holes.
//
// A hole in a list is seen in the array of the table: what a constructor has put there is
// still in it, nil or not ([First]). A hole under a name leaves no trace. The script host
// puts a call of [Note] around each constructor of a query or of options, and the keys that
// were written and came to nil are noted in the table, where no script sees them ([Keys]).
//
// Why in the table's K2i? It says where in the list of keys a key stands, and whoever goes
// through a table goes through the list: a key that is in K2i alone is found by nobody.
package holes

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	lua "github.com/yuin/gopher-lua"
)

// absentKey is the name of a key that was written and came to nil.
type absentKey string

// String implements lua.LValue.
func (k absentKey) String() string { return string(k) }

// Type implements lua.LValue.
func (absentKey) Type() lua.LValueType { return lua.LTString }

// anyAbsent stands in tables that have an absentKey.
const anyAbsent = absentKey("")

// Note is a function of the VM: it takes a table, just made, and the names of keys, each
// an argument, and returns the table. It notes which of the keys the table does not have.
func Note(L *lua.LState) int {
	t := L.Get(1).(*lua.LTable)
	for i := 2; i <= L.GetTop(); i++ {
		if name := L.Get(i).String(); t.RawGetString(name) == lua.LNil {
			note(t, name)
		}
	}
	L.SetTop(1)
	return 1
}

func note(t *lua.LTable, name string) {
	in := vmstate.TableOf(t)
	if in.Keys == nil {
		in.Keys = []lua.LValue{} // nil means to the VM that there is no K2i
	}
	if in.K2i == nil {
		in.K2i = map[lua.LValue]int{}
	}
	in.K2i[anyAbsent], in.K2i[absentKey(name)] = 0, 0
}

// Keys returns the keys of a table that were written and came to nil, and that nobody has
// set since.
func Keys(t *lua.LTable) []string {
	at := vmstate.TableOf(proxy.Unwrap(t)).K2i
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

// First returns the first item of a list that is nil, 0 when there is none.
func First(t *lua.LTable) int {
	t = proxy.Unwrap(t)
	for i := 1; i <= max(len(vmstate.TableOf(t).Array), t.MaxN()); i++ {
		if t.RawGetInt(i) == lua.LNil {
			return i
		}
	}
	return 0
}

// Key says of a key that it was written and came to nil, and what the script may have
// meant.
func Key(L *lua.LState, key string) string {
	why := Cause(L, key)
	if why == "" {
		why = fmt.Sprintf(" (if that is meant, say so: %s = … or nil)", key)
	}
	return fmt.Sprintf("%s: the value is nil%s", key, why)
}

// Item says of an item of a list that it is nil, and what the script may have meant.
func Item(L *lua.LState, where string, item int) string {
	return fmt.Sprintf("%s: item %d is nil%s", where, item, Cause(L, ""))
}

// near is how many lines of a text are searched for what is nil, from the line of the
// call on.
const near = 60

// Cause says which field of which table the calling function has read and not found,
// as in ": C.Bos is nil (did you mean "Boss"?)". It is empty when that is not known. What
// is written under another key than the one asked about is not the cause.
func Cause(L *lua.LState, under string) (why string) {
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
		stored := storedUnder(fn.Proto, pc)
		if why != "" && stored != under || stored != "" && stored != under {
			continue
		}
		if table, t := tableAt(L, dbg, fn, pc, from); t != nil && t.RawGetString(name) == lua.LNil && t.Metatable == lua.LNil {
			var names []string
			proxy.Pairs(t, func(k, _ lua.LValue) { names = append(names, k.String()) })
			why = fmt.Sprintf(": %s.%s is nil%s", table, name, diag.DidYouMean(name, names))
			if stored == under {
				return why
			}
		}
	}
	return why
}

// storedUnder returns the key under which a table gets what the instruction at pc reads, ""
// where the next instruction does not store it under a name.
func storedUnder(p *lua.FunctionProto, pc int) string {
	op, _, key, value := bytecode.Parts(p.Code[pc+1])
	if i, isName := bytecode.Constant(key); isName && op == lua.OP_SETTABLEKS && value == bytecode.A(p.Code[pc]) {
		return p.Constants[i].String()
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
	t, ok := proxy.TableOf(v)
	if !ok || name == "" {
		return "", nil
	}
	return name, t
}
