package unboxed

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// equal is the operator == where at least one side is no number. What a metatable
// may have to say is not known.
func equal(x, y *Register) (same, known bool) {
	if x.Value == nil || y.Value == nil {
		return false, true
	}
	switch v := x.Value.(type) {
	case lua.LString:
		w, ok := y.Value.(lua.LString)
		return ok && v == w, true
	case lua.LBool, *lua.LNilType, *lua.LFunction:
		return x.Value == y.Value, true
	}
	if x.Value == y.Value {
		return true, true
	}
	return false, x.Value.Type() != y.Value.Type()
}

// global is OP_GETGLOBAL of what the script's environment has.
func (f *Function) global(in *instruction) bool {
	v := f.fn.Env.RawGetString(string(f.regs[in.b].Value.(lua.LString)))
	if v == lua.LNil {
		return false
	}
	f.regs[in.a].Put(v)
	return true
}

// element is OP_GETTABLE of a table.
func (f *Function) element(in *instruction) bool {
	t, ok := f.regs[in.b].Value.(*lua.LTable)
	if !ok {
		return false
	}
	var v lua.LValue
	switch key := &f.regs[in.c]; k := key.Value.(type) {
	case nil:
		i := int(key.Number)
		if float64(i) != key.Number || i < 1 || i >= lua.MaxArrayIndex {
			return false
		}
		v = t.RawGetInt(i)
	case lua.LString:
		v = t.RawGetString(string(k))
	default:
		return false
	}
	if v == lua.LNil && t.Metatable != lua.LNil {
		return false
	}
	f.regs[in.a].Put(v)
	return true
}

// field is the look-up of OP_GETTABLEKS and OP_SELF in a table.
func (f *Function) field(in *instruction) bool {
	t, ok := f.regs[in.b].Value.(*lua.LTable)
	if !ok {
		return false
	}
	key, ok := f.regs[in.c].Value.(lua.LString)
	if !ok {
		return false
	}
	v := t.RawGetString(string(key))
	if v == lua.LNil && t.Metatable != lua.LNil {
		return false
	}
	f.regs[in.a].Put(v)
	return true
}

// setElement is OP_SETTABLE of a table without a metatable.
func (f *Function) setElement(in *instruction) bool {
	t, ok := f.regs[in.a].Value.(*lua.LTable)
	if !ok || t.Metatable != lua.LNil {
		return false
	}
	switch key := &f.regs[in.b]; k := key.Value.(type) {
	case nil:
		i := int(key.Number)
		if float64(i) != key.Number || i < 1 || i >= lua.MaxArrayIndex {
			return false
		}
		t.RawSetInt(i, f.box(&f.regs[in.c]))
	case lua.LString:
		t.RawSetString(string(k), f.box(&f.regs[in.c]))
	default:
		return false
	}
	return true
}

// setField is OP_SETTABLEKS of a table without a metatable.
func (f *Function) setField(in *instruction) bool {
	t, ok := f.regs[in.a].Value.(*lua.LTable)
	if !ok || t.Metatable != lua.LNil {
		return false
	}
	key, ok := f.regs[in.b].Value.(lua.LString)
	if !ok {
		return false
	}
	t.RawSetString(string(key), f.box(&f.regs[in.c]))
	return true
}

// length is OP_LEN of a text, or of a table without a metatable.
func (f *Function) length(in *instruction) bool {
	switch v := f.regs[in.b].Value.(type) {
	case lua.LString:
		f.regs[in.a].Set(float64(len(v)))
	case *lua.LTable:
		if v.Metatable != lua.LNil {
			return false
		}
		f.regs[in.a].Set(float64(v.Len()))
	default:
		return false
	}
	return true
}

// native calls a function of the host that is known here.
func (f *Function) native(pc int, in *instruction) bool {
	fn, ok := f.regs[in.a].Value.(*lua.LFunction)
	if !ok {
		return false
	}
	s := &f.sites[pc]
	if s.callee != fn {
		s.callee, s.native = fn, f.natives(fn)
	}
	if s.native == nil || !s.native(f.regs[in.a:int(in.a)+1+int(in.b)]) {
		return false
	}
	for i := 1; i < int(in.x); i++ {
		f.regs[int(in.a)+i].Value = lua.LNil
	}
	return true
}

// boxesAtOnce is how many numbers share one allocation.
const boxesAtOnce = 64

// box returns what a register holds in the form in which the machine has it.
func (f *Function) box(r *Register) lua.LValue {
	if r.Value != nil {
		return r.Value
	}
	if len(f.boxes) == 0 {
		f.boxes = make([]float64, boxesAtOnce)
	}
	p := &f.boxes[0]
	f.boxes = f.boxes[1:]
	*p = r.Number
	// An interface with a number is a type and the address of a float64 that is
	// never written again.
	v := f.number
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] = unsafe.Pointer(p)
	return v
}
