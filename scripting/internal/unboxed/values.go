//go:build !machine

package unboxed

import (
	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
	lua "github.com/yuin/gopher-lua"
	"slices"
)

// equal is the operator == where at least one side is no number. What a metatable
// may have to say is not known.
func (f *Evaluator) equal(x, y *vm.Register) (same, known bool) {
	if x.Value == nil || y.Value == nil {
		return false, true
	}
	switch v := x.Value.(type) {
	case lua.LString:
		w, ok := y.Value.(lua.LString)
		if ok && len(v) == len(w) && len(v) > stdlib.Short {
			return false, false
		}
		return ok && v == w, true
	case lua.LBool, *lua.LNilType, *lua.LFunction:
		return x.Value == y.Value, true
	}
	if v, w := f.box(x), f.box(y); v != w {
		return false, v.Type() != w.Type()
	}
	return true, true
}

// global is OP_GETGLOBAL of what the script's environment has.
func (f *Evaluator) global(in *instruction) bool {
	v := f.fn.Env.RawGetString(string(f.regs[in.b].Value.(lua.LString)))
	if isNil(v) {
		return false
	}
	f.regs[in.a].Put(v)
	return true
}

// table returns the table in a register, nil for none.
func (f *Evaluator) table(at uint16) *lua.LTable {
	switch v := f.regs[at].Value.(type) {
	case *lua.LTable:
		return v
	case *vm.LazyTable:
		return v.Table(f.thread)
	}
	return nil
}

// index returns the place in a list that a register names.
func index(key *vm.Register) (i int, ok bool) {
	i = int(key.Number)
	return i, key.Value == nil && float64(i) == key.Number && i >= 1 && i < lua.MaxArrayIndex
}

// place returns where the element of a column is, nil if the object is no column or the key
// no index of it.
func place(object, key *vm.Register) *float64 {
	if l, ok := object.Value.(*vm.LazyTable); ok && key.Value == nil {
		return l.Place(key.Number)
	}
	return nil
}

// openPlace is place for an element that may be assigned.
func openPlace(object, key *vm.Register) *float64 {
	if l, ok := object.Value.(*vm.LazyTable); ok && key.Value == nil {
		return l.OpenPlace(key.Number)
	}
	return nil
}

// element is OP_GETTABLE of a table, but for the elements of columns.
func (f *Evaluator) element(in *instruction) bool {
	key := &f.regs[in.c]
	i, listed := index(key)
	if l, ok := f.regs[in.b].Value.(*vm.LazyTable); ok && listed && l.Element(i, &f.regs[in.a]) {
		return true
	}
	t := f.table(in.b)
	if t == nil {
		return false
	}
	if name, ok := key.Value.(lua.LString); ok {
		return len(name) <= stdlib.Short && f.named(in, t, string(name))
	}
	if !listed {
		return false
	}
	v := t.RawGetInt(i)
	if isNil(v) && !isNil(t.Metatable) {
		return f.through(in, t, i)
	}
	f.regs[in.a].Put(v)
	return true
}

// through is an element of a proxy, which is one of the table that its metatable names.
func (f *Evaluator) through(in *instruction, t *lua.LTable, i int) bool {
	meta, ok := t.Metatable.(*lua.LTable)
	if !ok {
		return false
	}
	from, ok := meta.RawGetString("__index").(*lua.LTable)
	if !ok {
		return false
	}
	v := from.RawGetInt(i)
	if isNil(v) {
		return false
	}
	f.regs[in.a].Put(v)
	return true
}

// named reads a field of a table by its name, which is the operand.
func (f *Evaluator) named(in *instruction, t *lua.LTable, name string) bool {
	v := t.RawGetString(name)
	if isNil(v) && !isNil(t.Metatable) {
		return f.inherited(in, t, name)
	}
	f.regs[in.a].Put(v)
	return true
}

// inherited reads a field that a table lacks: from the table that its metatable names, if
// that has the field, or by a function that is known here. All else the VM does. This is
// more than a shortcut: to execute the instruction, the VM would need all registers as they
// are outside of this package, and the lazy tables in them would have to be made.
func (f *Evaluator) inherited(in *instruction, t *lua.LTable, name string) bool {
	meta, ok := t.Metatable.(*lua.LTable)
	if !ok {
		return false
	}
	switch from := meta.RawGetString("__index").(type) {
	case *lua.LTable:
		v := from.RawGetString(name)
		if isNil(v) {
			return f.method(in, from)
		}
		f.regs[in.a].Put(v)
		return true
	case *lua.LFunction:
		return f.method(in, t)
	}
	return false
}

// method reads a field that a table lacks by the function of its metatable, if that is known
// here.
func (f *Evaluator) method(in *instruction, t *lua.LTable) bool {
	meta, ok := t.Metatable.(*lua.LTable)
	if !ok {
		return false
	}
	if from, ok := meta.RawGetString("__index").(*lua.LFunction); ok {
		goFunc := f.goFuncs[from]
		if goFunc == nil {
			return false
		}
		f.alone = false
		f.index = [3]vm.Register{{Value: from}, {Value: t}, f.regs[in.c]}
		known := goFunc(f, f.index[:])
		if known {
			f.regs[in.a] = f.index[0]
		}
		f.index = [3]vm.Register{}
		return known
	}
	return false
}

// isNil reports whether a value is nil. There is one nil, but to compare with it would be a
// call of the runtime.
func isNil(v lua.LValue) bool {
	_, none := v.(*lua.LNilType)
	return none
}

// field is the look-up of OP_GETTABLEKS and OP_SELF in a table.
func (f *Evaluator) field(pc int, in *instruction) bool {
	key, ok := f.regs[in.c].Value.(lua.LString)
	if !ok {
		return false
	}
	if l, ok := f.regs[in.b].Value.(*vm.LazyTable); ok && l.Get(&f.caches[pc].fields, string(key), &f.regs[in.a]) {
		return true
	}
	t := f.table(in.b)
	return t != nil && f.named(in, t, string(key))
}

// setElement is OP_SETTABLE of a table whose metatable is not asked.
func (f *Evaluator) setElement(in *instruction) bool {
	key := &f.regs[in.b]
	i, listed := index(key)
	t := f.table(in.a)
	if t == nil {
		return false
	}
	if !isNil(t.Metatable) && (!listed || isNil(t.RawGetInt(i))) {
		return false // a metatable is asked for what is not there
	}
	if name, ok := key.Value.(lua.LString); ok {
		return len(name) <= stdlib.Short && f.setString(t, string(name), &f.regs[in.c])
	}
	if !listed {
		return false
	}
	switch gap := stdlib.Gap(t, float64(i)); {
	case gap > 1 || gap == 1 && !f.afford(stdlib.MostGrown, 0):
		return false
	case gap == 1:
		size := stdlib.SizeOf(t)
		t.RawSetInt(i, f.box(&f.regs[in.c]))
		f.spend(size.Grown(t), 0)
	default:
		t.RawSetInt(i, f.box(&f.regs[in.c]))
	}
	return true
}

// setString sets a field of a table, unless the VM is to do it because little is
// left for the call.
func (f *Evaluator) setString(t *lua.LTable, key string, value *vm.Register) bool {
	if !f.afford(stdlib.MostGrown, 0) {
		return false
	}
	size := stdlib.SizeOf(t)
	t.RawSetString(key, f.box(value))
	if grown := size.Grown(t); grown > 0 {
		f.spend(grown, 0)
	}
	return true
}

// setField is OP_SETTABLEKS of a row, or of a table without a metatable.
func (f *Evaluator) setField(pc int, in *instruction) bool {
	key, ok := f.regs[in.b].Value.(lua.LString)
	if !ok {
		return false
	}
	value := &f.regs[in.c]
	if l, ok := f.regs[in.a].Value.(*vm.LazyTable); ok && l.SetField(&f.caches[pc].fields, string(key), value) {
		return true
	}
	t := f.table(in.a)
	if t == nil || !isNil(t.Metatable) {
		return false
	}
	return f.setString(t, string(key), value)
}

// length is OP_LEN of a text, or of a table without a metatable.
func (f *Evaluator) length(in *instruction) bool {
	if text, ok := f.regs[in.b].Value.(lua.LString); ok {
		f.regs[in.a].Set(float64(len(text)))
		return true
	}
	if l, ok := f.regs[in.b].Value.(*vm.LazyTable); ok && l.Length(&f.regs[in.a]) {
		return true
	}
	t := f.table(in.b)
	if t == nil || !isNil(t.Metatable) {
		return false
	}
	if stdlib.HoleSteps(t) > 0 {
		return false // the VM counts it
	}
	f.regs[in.a].Set(float64(t.Len()))
	return true
}

// goFunc calls a function of the host that is known here.
func (f *Evaluator) goFunc(pc int, in *instruction) bool {
	fn, ok := f.regs[in.a].Value.(*lua.LFunction)
	if !ok {
		return false
	}
	s := &f.caches[pc]
	if s.callee != fn {
		s.callee, s.goFunc = fn, f.goFuncs[fn]
	}
	f.alone = false
	if s.goFunc == nil || !s.goFunc(f, f.regs[in.a:int(in.a)+1+int(in.b)]) {
		return false
	}
	for i := 1; i < int(in.x); i++ {
		f.regs[int(in.a)+i].Value = lua.LNil
	}
	return true
}

// lazyAtOnce is how many values are made when there are no more left.
const lazyAtOnce = 16

// Spare implements vm.Caller. When there is none left those are found that
// nothing holds any more: registers are the only place where they are.
func (f *Evaluator) Spare() *vm.LazyTable {
	if len(f.spare) == 0 {
		f.collect()
	}
	last := len(f.spare) - 1
	l := f.spare[last]
	f.spare = f.spare[:last]
	return l
}

func (f *Evaluator) collect() {
	f.held = f.held[:0]
	for i := range f.frame {
		if l, ok := f.regs[i].Value.(*vm.LazyTable); ok {
			f.held = append(f.held, l.Root())
		}
	}
	for _, l := range f.lazy {
		if !slices.Contains(f.held, l) {
			f.spare = append(f.spare, l)
		}
	}
	if len(f.spare) == 0 {
		for range lazyAtOnce {
			f.spare = append(f.spare, &vm.LazyTable{})
		}
		f.lazy = append(f.lazy, f.spare...)
	}
}

// box returns what a register holds in the form in which the VM has it.
func (f *Evaluator) box(r *vm.Register) lua.LValue {
	if l, ok := r.Value.(*vm.LazyTable); ok {
		return l.Table(f.thread)
	}
	if r.Value != nil {
		return r.Value
	}
	return f.numbers.Number(r.Number)
}
