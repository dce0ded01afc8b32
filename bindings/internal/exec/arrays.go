package exec

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

type ColumnKey struct {
	Term  int
	Field *ecs.Field
}

// array is one field of the view as a Lua table, which is a loan.
type array struct {
	key   ColumnKey
	Table *lua.LTable
	Fresh bool // holds the rows at hand

	lazy         vm.LazyTable // what stands for the table where only its elements are used
	numbers      []float64    // memory for it
	materialised bool         // the script has had the table in its hands
	Write        bool
	length       int
}

// Array returns the array of a field as a Lua table, filled for the rows at hand.
func (b *Batch) Array(L *lua.LState, key ColumnKey) *array {
	a := b.ArrayOf(key)
	if a.lazy.Stands() {
		a.lazy.Table(L)
	}
	if a.materialised = true; !a.Fresh {
		a.Fresh = true
		b.fillArray(L, a)
	}
	return a
}

func (b *Batch) ArrayOf(key ColumnKey) *array {
	a := b.Arrays[key]
	if a == nil {
		a = &array{key: key, Table: b.m.Main.CreateTable(len(b.View.Entities), 0)}
		b.Arrays[key] = a
	}
	return a
}

// LazyArray returns the array of a field for a function that may need no table. It is
// the table where the script has had that before.
func (b *Batch) LazyArray(L *lua.LState, key ColumnKey) (a *array, v lua.LValue) {
	a = b.ArrayOf(key)
	if a.materialised || !a.Numeric() {
		return a, b.Array(L, key).Table
	}
	if !a.Fresh {
		a.Fresh = true
		value.Take(L, len(b.View.Entities))
		a.numbers = slices.Grow(a.numbers[:0], len(b.View.Entities))[:len(b.View.Entities)]
		readNumbers(a.numbers, &b.View.Columns[key.Term], key.Field)
		a.lazy.StandFor(a, a.numbers)
	}
	return a, &a.lazy
}

func (b *Batch) fillArray(L *lua.LState, a *array) {
	n, c := len(b.View.Entities), &b.View.Columns[a.key.Term]
	if value.Take(L, n); a.Numeric() {
		buf := make([]float64, n)
		readNumbers(buf, c, a.key.Field)
		for i := range buf {
			a.Table.RawSetInt(i+1, b.m.Boxer.Box(&buf[i]))
		}
	} else {
		for i := range n {
			v := lua.LValue(lua.LNil)
			if p := c.At(i); p != nil {
				v = value.Load(L, a.key.Field, p)
			}
			a.Table.RawSetInt(i+1, v)
		}
	}
	a.end(n)
}

// overArray is said to whoever uses a list of a batch later.
const overArray = "this list is over: a list of a batch lasts as long as the batch; ask the batch at hand for it"

// recallArray ends the list that the script may have kept. One that the script has made
// something else of, a part of ecs.state or an object, is its own from now on.
func (m *Executor) recallArray(a *array) {
	if !a.materialised || !a.Fresh {
		return
	}
	if a.Table.Metatable != lua.LNil {
		a.Table, a.length = m.Main.CreateTable(a.length, 0), 0
	} else {
		a.Table = m.recall(a.Table, m.overTable(overArray))
	}
	a.Fresh, a.lazy = false, vm.LazyTable{}
}

// Numeric reports whether the elements are numbers.
func (a *array) Numeric() bool {
	arg := EachArg{Kind: ArgScalar, Field: a.key.Field}
	return arg.numeric() && a.key.Field.Len == 0 && a.key.Field.Kind != ecs.Struct
}

// end takes off the table what is left of a batch with more rows.
func (a *array) end(n int) {
	for i := a.length; i > n; i-- {
		a.Table.RawSetInt(i, lua.LNil)
	}
	a.length = n
}

// Materialise implements [vm.Column].
func (a *array) Materialise(numbers []float64) *lua.LTable {
	a.materialised = true
	a.put(numbers)
	return a.Table
}

// put fills the table with numbers.
func (a *array) put(numbers []float64) {
	boxer, kept := vm.NewBoxer(), slices.Clone(numbers)
	for i := range kept {
		a.Table.RawSetInt(i+1, boxer.Box(&kept[i]))
	}
	a.end(len(kept))
}
