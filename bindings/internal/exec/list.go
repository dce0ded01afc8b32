package exec

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/ecs"
)

// ColumnKey names an array of a batch: a field of a term.
type ColumnKey struct {
	Term  int
	Field *ecs.Field
}

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

// use says in messages what a list is for.
func (a *array) use() lua.LString {
	return lua.LString(diag.Format("it is a list, hp[1] of the first row; b:col(%s, %q) gives a column, which computes for all rows", a.term.Name, a.key.Field.Name))
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

// assignInside is __newindex of a table that is an element of front, or part of one.
func (a *array) assignInside(L *lua.LState) int {
	a.mayWrite(L)
	L.SetTable(proxy.Unwrap(L.CheckTable(1)), L.Get(2), L.Get(3))
	return 0
}

// mayWrite raises an error unless what is assigned will be stored.
func (a *array) mayWrite(L *lua.LState) {
	if !a.Write {
		fault.Raise(L, SealedList(a.term.Name, a.key.Field.Name))
	}
}

// SealedList is the error of an assignment to a list of b:read.
func SealedList(component, field string) *diag.Error {
	return diag.New("field %q of %q: a list of b:read cannot be changed, as nothing would store it: use b:write(%s, %q)", field, component, component, field)
}

// overArray is said to whoever uses a list of a batch later.
const overArray = "this list is over: a list of a batch lasts as long as the batch; ask the batch at hand for it"

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

// Numeric reports whether the elements are numbers.
func (a *array) Numeric() bool {
	arg := EachArg{Kind: ArgScalar, Field: a.key.Field}
	return arg.numeric() && a.key.Field.Len == 0 && a.key.Field.Kind != ecs.Struct
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
