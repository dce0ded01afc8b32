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
// were written and came to nil are noted beside the table, where no script sees them ([Keys]).
package holes

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	gopher "github.com/yuin/gopher-lua"
)

// Note is a function of the VM: it takes a table, just made, and the names of keys, each
// an argument, and returns the table. It notes which of the keys the table does not have.
func Note(L *lua.LState) int {
	t := L.Get(1).(*lua.LTable)
	for i := 2; i <= L.GetTop(); i++ {
		if name := L.Get(i).String(); t.RawGetString(name) == lua.LNil {
			lua.NoteAbsent(t, name)
		}
	}
	L.SetTop(1)
	return 1
}

// Keys returns the keys of a table that were written and came to nil, and that nobody has
// set since.
func Keys(t *lua.LTable) []string {
	var names []string
	for _, name := range lua.Absent(proxy.Unwrap(t)) {
		if t.RawGetString(name) == lua.LNil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// First returns the first item of a list that is nil, 0 when there is none. It charges what
// going through the list takes, for whoever goes through it next, too.
func First(L *lua.LState, t *lua.LTable) int {
	t = proxy.Unwrap(t)
	if n := lua.Entries(t); n > few {
		lua.Charge(L, n)
	}
	last := lua.Longest(t)
	for i := 1; i <= last; i++ {
		if t.RawGetInt(i) == lua.LNil {
			return i
		}
	}
	return 0
}

// few is how many items cost nothing extra.
const few = 64

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
	f := lua.Running(L).Outside(1)
	if f == nil || lua.IsGo(f.Fn) || f.At() < 0 {
		return ""
	}
	fn := f.Fn
	line := lua.Proto(fn).DbgSourcePositions[f.At()]
	for pc, word := range lua.Proto(fn).Code {
		at := lua.Proto(fn).DbgSourcePositions[pc]
		op, _, from, operand := bytecode.Parts(word)
		key, isName := bytecode.Constant(operand)
		if op != gopher.OP_GETTABLEKS || !isName || at < line || at > line+near {
			continue
		}
		name := lua.Proto(fn).Constants[key].String()
		stored := storedUnder(lua.Proto(fn), pc)
		if why != "" && stored != under || stored != "" && stored != under {
			continue
		}
		if table, t := tableAt(L, f, pc, from); t != nil && t.RawGetString(name) == lua.LNil && lua.Metatable(t) == lua.LNil {
			var names []string
			proxy.Pairs(t, func(k, _ lua.LValue) {
				if name, ok := k.(lua.LString); ok {
					names = append(names, string(name))
				}
			})
			why = fmt.Sprintf(": %s.%s is nil%s", table, name, diag.DidYouMean(name, names))
			if stored == under {
				return why
			}
		}
	}
	return why
}

// LastIsCall reports whether the nth argument of the running call of Go is its last, and is what another
// call in the text returns.
func LastIsCall(L *lua.LState, n int) bool {
	running := lua.Running(L)
	f := running.Outside(1)
	if f == nil || lua.IsGo(f.Fn) || f.At() < 1 {
		return false
	}
	code := lua.Proto(f.Fn).Code
	call, before := code[f.At()], code[f.At()-1]
	callee := bytecode.A(call)
	return bytecode.Op(call) == gopher.OP_CALL && bytecode.Op(before) == gopher.OP_CALL && bytecode.A(before) == callee+n && f.Local(L, callee) == running.Fn
}

// storedUnder returns the key under which a table gets what the instruction at pc reads, ""
// where the next instruction does not store it under a name.
func storedUnder(p *lua.FunctionProto, pc int) string {
	op, _, key, value := bytecode.Parts(p.Code[pc+1])
	if i, isName := bytecode.Constant(key); isName && op == gopher.OP_SETTABLEKS && value == bytecode.A(p.Code[pc]) {
		return p.Constants[i].String()
	}
	return ""
}

// tableAt returns the name and the content of the table that an instruction reads from
// a register: a local, an outer local or a global; nil for any other.
func tableAt(L *lua.LState, f *lua.Frame, pc, register int) (string, *lua.LTable) {
	fn, name, v := f.Fn, "", lua.LValue(lua.LNil)
	if pc > 0 && bytecode.A(lua.Proto(fn).Code[pc-1]) == register {
		word := lua.Proto(fn).Code[pc-1]
		switch bytecode.Op(word) {
		case gopher.OP_GETUPVAL:
			if i := bytecode.B(word); i < lua.Captures(fn) && i < len(lua.Proto(fn).DbgUpvalues) {
				name, v = lua.Proto(fn).DbgUpvalues[i], lua.Captured(fn, i).Value()
			}
		case gopher.OP_GETGLOBAL:
			name = lua.Proto(fn).Constants[bytecode.Bx(word)].String()
			v = lua.Env(fn).RawGetString(name)
		}
	}
	if name == "" {
		name, v = localAt(lua.Proto(fn), register, f.At()), f.Local(L, register)
	}
	t, ok := proxy.TableOf(v)
	if !ok || name == "" {
		return "", nil
	}
	return name, t
}

// localAt returns the name of the local that is in a register at an instruction, "" for none.
func localAt(p *lua.FunctionProto, register, pc int) string {
	for _, local := range p.DbgLocals {
		if local.StartPc >= pc {
			break
		}
		if pc < local.EndPc {
			if register == 0 {
				return local.Name
			}
			register--
		}
	}
	return ""
}
