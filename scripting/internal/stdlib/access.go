//go:build !machine

package stdlib

import (
	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	"github.com/perigee-ecs/perigee/ecs/detmath"
	lua "github.com/yuin/gopher-lua"
)

// Fields: how scripts read and set them, by operators and by functions of the library.

// Why are fields looked up here and not by the VM?
//
// If a table lacks a field, its metatable may name another table to look in (__index,
// __newindex), and so on over a hundred tables. To the VM all of that is one instruction.
// Here each table after the second counts as a step, and a list that an assignment fills is
// weighed in whichever table it is. The VM would find the same field, and not sooner.

// fetch executes an instruction that reads a field of a table: a global, an item, a field
// or a method. It reports whether it did. If the value is no table, the VM executes the
// instruction.
// It must leave the registers as the VM does: for a method the object goes
// into the register after the function.
func (b *Budget) fetch(L *lua.LState, s *state, f *vmstate.Frame, code uint32) bool {
	first := f.LocalBase + bytecode.A(code)
	if first+1 >= len(s.Reg.Array) {
		return false // the VM makes room for registers
	}
	var t *lua.LTable
	var key lua.LValue
	op := bytecode.Op(code)
	if op == lua.OP_GETGLOBAL {
		t, key = f.Fn.Env, f.Fn.Proto.Constants[bytecode.Bx(code)]
	} else {
		object, ok := s.Reg.Array[f.LocalBase+bytecode.B(code)].(*lua.LTable)
		if !ok {
			return false
		}
		t, key = object, s.operand(f, bytecode.C(code))
	}
	var v lua.LValue
	if name, ok := key.(lua.LString); ok {
		v = t.RawGetString(string(name))
	} else {
		v = t.RawGet(key)
	}
	if v == lua.LNil && t.Metatable != lua.LNil {
		v = b.inherited(L, t, key)
	}
	if op == lua.OP_SELF {
		s.Reg.Set(first+1, t)
	}
	s.Reg.Set(first, v)
	return true
}

// compute executes % and ^ on numbers, and reports whether it did. The VM would take up to
// 20 microseconds for one %.
func (s *state) compute(f *vmstate.Frame, code uint32) bool {
	first := f.LocalBase + bytecode.A(code)
	x, ok := s.operand(f, bytecode.B(code)).(lua.LNumber)
	y, ok2 := s.operand(f, bytecode.C(code)).(lua.LNumber)
	if !ok || !ok2 || first >= len(s.Reg.Array) {
		return false
	}
	var v float64
	if bytecode.Op(code) == lua.OP_MOD {
		v = detmath.Modulo(float64(x), float64(y))
	} else {
		v = detmath.Pow(float64(x), float64(y))
	}
	s.Reg.Set(first, lua.LNumber(v+0)) // -0 becomes 0, as in the VM
	return true
}

// inherited returns the value that a table without a key gets by its metatable. The first
// two tables are part of the instruction; each further one counts as a step, because a
// script can make the chain as long as it likes.
// After lua.MaxTableGetLoop tables it raises an error, as the VM does: the chain may
// be a ring.
func (b *Budget) inherited(L *lua.LState, t *lua.LTable, key lua.LValue) lua.LValue {
	for hops := 1; hops < lua.MaxTableGetLoop; hops++ {
		meta, ok := t.Metatable.(*lua.LTable)
		if !ok {
			return lua.LNil
		}
		switch next := meta.RawGetString("__index").(type) {
		case *lua.LNilType:
			return lua.LNil
		case *lua.LTable:
			t = next
			if hops > 1 {
				b.ahead--
				b.halt(L)
			}
			if v := t.RawGet(key); v != lua.LNil {
				return v
			}
		case *lua.LFunction:
			L.Push(next)
			L.Push(t)
			L.Push(key)
			L.Call(2, 1)
			v := L.Get(-1)
			L.Pop(1)
			return v
		default:
			return L.GetTable(next, key)
		}
	}
	L.RaiseError("too many recursions in gettable")
	return nil
}

// assign sets a field of a table that has a metatable. A field that is there already is
// set without asking the metatable, as Lua says.
func (b *Budget) assign(L *lua.LState, t *lua.LTable, key, value lua.LValue) {
	if name, ok := key.(lua.LString); ok && t.RawGetString(string(name)) != lua.LNil {
		t.RawSetString(string(name), value)
		return
	}
	for hops := 0; hops < lua.MaxTableGetLoop; hops++ {
		meta, ok := t.Metatable.(*lua.LTable)
		if !ok || t.RawGet(key) != lua.LNil {
			b.put(L, t, key, value)
			return
		}
		if hops > 1 {
			b.ahead--
			b.halt(L)
		}
		switch next := meta.RawGetString("__newindex").(type) {
		case *lua.LNilType:
			b.put(L, t, key, value)
			return
		case *lua.LTable:
			t = next
		case *lua.LFunction:
			if content := proxy.Unwrap(t); content != t { // a proxy: the host fills the content
				b.weighGap(L, content, key)
			}
			L.Push(next)
			L.Push(t)
			L.Push(key)
			L.Push(value)
			L.Call(3, 0)
			return
		default:
			L.SetTable(next, key, value)
			return
		}
	}
	L.RaiseError("too many recursions in settable")
}

// put sets a field of a table itself, and counts the bytes by which the table grows.
// The list that a far index fills is counted before it is made, the rest after: one
// entry more is little.
func (b *Budget) put(L *lua.LState, t *lua.LTable, key, value lua.LValue) {
	b.weighGap(L, t, key)
	size := SizeOf(t)
	L.RawSet(t, key, value)
	if now := SizeOf(t); now != size {
		b.grow(size.Grown(t))
	}
}

// indexed is t[key] for functions of the library. It counts as the operator does.
func indexed(L *lua.LState, t *lua.LTable, key lua.LValue) lua.LValue {
	v := t.RawGet(key)
	if b, _ := budgetOf(L.Context()); b != nil && v == lua.LNil && t.Metatable != lua.LNil {
		return b.inherited(L, t, key)
	} else if v != lua.LNil {
		return v
	}
	return L.GetTable(t, key)
}

// assignTo is t[key] = value for functions of the library. It counts as the operator does.
func assignTo(L *lua.LState, object, key, value lua.LValue) {
	t, ok := object.(*lua.LTable)
	if b, _ := budgetOf(L.Context()); ok && b != nil {
		b.assign(L, t, key, value)
		return
	}
	L.SetTable(object, key, value)
}
