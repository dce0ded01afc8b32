//go:build !machine

package exec

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/ecs"
)

// array is one field of the view as Lua tables, which are loans: list is what b:write gives,
// and has the elements; front is what b:read gives, a proxy of it. What is written into a
// front is an error until b:write has been asked for the same field, since nothing would
// store it.
//
// Why not compare the elements with the column when the function has returned? The error
// would not have the line of the assignment, and the column may have changed by other means.
//
// Invariant: while no table was handed out, the elements may be in numbers alone; from then
// on they are in list.
type array struct {
	m    *Executor
	key  ColumnKey
	term *decl.Component

	list   *lua.LTable
	front  *lua.LTable    // nil until it is asked for
	bounds *lua.LTable    // the metatable of list, which refuses keys that are no row
	seal   *lua.LTable    // the metatable of front; nil until it is asked for
	inside *lua.LFunction // what assigns to the tables that are elements of front

	Fresh  bool // holds the rows at hand
	Write  bool // it is stored when the function has returned
	given  bool // a script has got one of the tables for these rows
	length int  // elements that list has got, some of earlier rows

	lazy         vm.LazyTable // what stands for the tables where only elements are used
	numbers      []float64    // memory for it
	materialised bool         // the elements of these rows are in list
	wanted       bool         // a function has needed a table where it had a lazy one: it does so again
}

// newArray makes an array for about n rows. O(1).
func (m *Executor) newArray(key ColumnKey, term *decl.Component, n int) *array {
	a := &array{m: m, key: key, term: term, list: m.Main.CreateTable(n, 0), bounds: m.Main.CreateTable(0, 4)}
	a.bounds.RawSetString("__newindex", m.Main.NewFunction(a.assign))
	a.bounds.RawSetString("__metatable", lua.LFalse)
	a.bounds.RawSetString(proxy.CopyKey, lua.LTrue)
	a.bounds.RawSetString(proxy.GuardKey, lua.LTrue)
	a.bounds.RawSetString(fault.UseKey, a.use())
	lua.SetMetatable(a.list, a.bounds)
	a.inside = m.Main.NewFunction(a.assignInside)
	return a
}

// shown returns the table that a script gets.
func (a *array) shown() *lua.LTable {
	if a.given = true; a.Write {
		return a.list
	}
	if a.seal == nil {
		a.seal = proxy.Meta(a.m.Main, a.list, a.list, a.m.Main.NewFunction(a.assign), a.m.Length)
		a.seal.RawSetString(proxy.CopyKey, lua.LTrue)
		a.seal.RawSetString(fault.UseKey, a.use())
	}
	if a.front == nil {
		a.front = lua.Empty(a.seal)
	}
	return a.front
}

// assign is __newindex of both tables: of list for keys that it lacks, of front for all.
func (a *array) assign(L *lua.LState) int {
	a.mayWrite(L)
	n := len(a.m.Batch.View.Entities)
	i, ok := L.Get(2).(lua.LNumber)
	if !ok || i != lua.LNumber(int(i)) || i < 1 || int(i) > n {
		fault.Raisef(L, "field %q of %q: the list has the elements 1 to %d, and none at %s", a.key.Field.Name, a.term.Name, n, value.Shown(L.Get(2)))
	}
	if L.Get(1) == lua.LValue(a.list) {
		a.list.RawSetInt(int(i), L.Get(3)) // it was nil
	} else {
		L.SetTable(a.list, i, L.Get(3))
	}
	return 0
}

// recall ends the tables that a script has got and may have kept. One that has become part of
// ecs.state is the script's own from now on.
func (a *array) recall() {
	if !a.given {
		return
	}
	over := a.m.overTable(overArray)
	switch {
	case lua.Metatable(a.list) != a.bounds:
		a.list, a.length = a.m.Main.CreateTable(a.length, 0), 0
		lua.SetMetatable(a.list, a.bounds)
	case a.Write:
		a.list = a.m.recall(a.list, over)
	}
	switch {
	case a.front == nil:
	case lua.Metatable(a.front) != a.seal:
		a.front = nil
	default:
		a.front = a.m.recall(a.front, over)
	}
	if a.seal != nil {
		a.seal.RawSetString("__index", a.list)
		a.seal.RawSetString(proxy.ContentKey, a.list)
	}
	a.given = false
}

// begin forgets the rows of the last view.
func (a *array) begin() {
	a.Fresh, a.Write, a.materialised, a.lazy = false, false, a.wanted, vm.LazyTable{}
}

// end takes off the table what is left of a batch with more rows.
func (a *array) end(n int) {
	for i := a.length; i > n; i-- {
		a.list.RawSetInt(i, lua.LNil)
	}
	a.length = n
}

// Materialise implements [vm.ColumnMaker].
func (a *array) Materialise(numbers []float64) *lua.LTable {
	a.materialised, a.wanted = true, true
	a.put(numbers)
	return a.shown()
}

// put fills the table with numbers.
func (a *array) put(numbers []float64) {
	boxer, kept := vm.NewBoxer(), slices.Clone(numbers)
	for i := range kept {
		a.list.RawSetInt(i+1, boxer.Box(&kept[i]))
	}
	a.end(len(kept))
}

// at returns the element of the i-th row.
func (a *array) at(i int) lua.LValue {
	if !a.materialised {
		return lua.LNumber(a.lazy.Numbers()[i])
	}
	return proxy.Unwrap(a.list).RawGetInt(i + 1)
}

// caller is how a batch function is called.
type caller struct {
	asked     bool         // whether there is an evaluator
	evaluator vm.Evaluator // runs the function beside the VM; nil: none does
}

// callerOf prepares the calls of a batch function.
func callerOf(*Batch) caller { return caller{} }

// Set sets what a script finds under a name in the batch.
func (b *Batch) Set(name string, v lua.LValue) { b.Content.RawSetString(name, v) }

// count says how many rows there are.
func (b *Batch) count(n int) { b.Set("n", b.m.Number(float64(n))) }

// call calls the function for the rows at hand: beside the VM if that is possible, which is
// found out once.
func (b *Batch) call(L *lua.LState, ctx lua.LValue) {
	if !b.how.asked && b.m.Prepare != nil {
		b.how.asked, b.how.evaluator = true, b.m.Prepare(b.S.Batch, 0)
	}
	if b.how.evaluator != nil {
		b.evaluate(L, ctx)
		return
	}
	L.Push(b.S.Batch)
	L.Push(b.Table)
	L.Push(ctx)
	L.Call(2, 0)
}

// evaluate calls the function beside the VM.
func (b *Batch) evaluate(L *lua.LState, ctx lua.LValue) {
	b.how.evaluator.Begin(L)
	defer b.how.evaluator.End()
	given := [...]lua.LValue{b.Table, ctx}
	for i := range b.how.evaluator.Args() {
		if r := &b.how.evaluator.Args()[i]; i < len(given) {
			r.Put(given[i])
		} else {
			r.Value = lua.LNil
		}
	}
	b.how.evaluator.Call(L)
}

// Handles returns the entities of the view as a fresh list, which the script may keep but
// not change: a change would reach no entity.
func (b *Batch) Handles(L *lua.LState) *lua.LTable {
	n := len(b.View.Entities)
	value.Charge(L, n*value.StepsPerItem)
	t := L.CreateTable(n, 0)
	buf := make([]float64, n)
	for i, e := range b.View.Entities {
		buf[i] = float64(e)
		t.RawSetInt(i+1, b.m.Boxer.Box(&buf[i]))
	}
	return b.m.sealed(L, t, b.fixed)
}

// Array returns the array of a field as a Lua table, filled for the rows at hand: one to
// write to, which is stored at the end of the batch, or one to read.
func (b *Batch) Array(L *lua.LState, key ColumnKey, write bool) *lua.LTable {
	a := b.ArrayOf(key)
	if a.lazy.Stands() {
		a.lazy.Table(L)
	}
	if a.materialised = true; !a.Fresh {
		a.Fresh = true
		b.fillArray(L, a, write)
	}
	if write {
		b.willWrite(L, a)
	}
	return a.shown()
}

// LazyArray is [Batch.Array] for a function that may need no table. It returns the table where
// the script has that already, or has needed it before.
func (b *Batch) LazyArray(L *lua.LState, key ColumnKey, write bool) lua.LValue {
	a := b.ArrayOf(key)
	if a.materialised || !a.Numeric() {
		return b.Array(L, key, write)
	}
	if !a.Fresh {
		a.Fresh = true
		value.Take(L, len(b.View.Entities))
		a.numbers = slices.Grow(a.numbers[:0], len(b.View.Entities))[:len(b.View.Entities)]
		readNumbers(a.numbers, &b.View.Columns[key.Term], key.Field)
		a.lazy.StandFor(a, a.numbers)
	}
	if write {
		b.willWrite(L, a)
		a.lazy.Open()
	}
	return &a.lazy
}

// fillArray reads the values of a field into the table of its array. Numbers are read into
// one piece of memory first, and their Lua values point into it: one allocation for all
// rows. The script may keep the values, so that memory is not used again.
func (b *Batch) fillArray(L *lua.LState, a *array, write bool) {
	n, c, f := len(b.View.Entities), &b.View.Columns[a.key.Term], a.key.Field
	if value.Take(L, n); a.Numeric() {
		buf := make([]float64, n)
		readNumbers(buf, c, f)
		for i := range buf {
			a.list.RawSetInt(i+1, b.m.Boxer.Box(&buf[i]))
		}
	} else {
		for i := range n {
			v := lua.LValue(lua.LNil)
			if p := c.At(i); p != nil {
				v = value.Load(L, f, p)
			}
			if !write {
				v = b.m.seal(L, f, v, a.inside)
			}
			a.list.RawSetInt(i+1, v)
		}
	}
	a.end(n)
}

// storeArray writes an array back into its column. An element that its field
// cannot hold raises an error that names the entity.
func (b *Batch) storeArray(L *lua.LState, a *array) {
	if n := len(b.View.Entities); a.materialised && proxy.Unwrap(a.list).Len() > n {
		b.refuse(L, a, n-1, "the list has more elements than the batch has rows")
	}
	c, f := &b.View.Columns[a.key.Term], a.key.Field
	if isFloat(f) {
		writeFloats(c, f, b.floats(L, a))
		return
	}
	for i := range b.View.Entities {
		v := a.at(i)
		differs, why := value.Differs(L, f, c.At(i), v)
		if why != "" {
			b.refuse(L, a, i, why)
		}
		if differs {
			value.Store(f, c.At(i), v)
		}
	}
}

// floats returns the elements of an array of numbers.
func (b *Batch) floats(L *lua.LState, a *array) []float64 {
	if !a.materialised {
		return a.lazy.Numbers()
	}
	list, n := proxy.Unwrap(a.list), len(b.View.Entities)
	a.numbers = slices.Grow(a.numbers[:0], n)[:n]
	for i := range a.numbers {
		v := list.RawGetInt(i + 1)
		number, ok := v.(lua.LNumber)
		if !ok {
			b.refuse(L, a, i, "expected a number, got "+value.Describe(v))
		}
		a.numbers[i] = float64(number)
	}
	return a.numbers
}

// writeFloats stores numbers in a field of floats, one in every row.
func writeFloats(c *rows.Column, f *ecs.Field, numbers []float64) {
	if c.Base == nil {
		for i, n := range numbers {
			p := unsafe.Add(c.At(i), f.Offset)
			if f.Kind == ecs.F32 {
				*(*float32)(p) = float32(n)
			} else {
				*(*float64)(p) = n
			}
		}
		return
	}
	p := unsafe.Add(c.Base, f.Offset)
	if f.Kind == ecs.F32 {
		for i, n := range numbers {
			*(*float32)(unsafe.Add(p, uintptr(i)*c.Stride)) = float32(n)
		}
		return
	}
	for i, n := range numbers {
		*(*float64)(unsafe.Add(p, uintptr(i)*c.Stride)) = n
	}
}
