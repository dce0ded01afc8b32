package bindings

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

type columnKey struct {
	term  int
	field *ecs.Field
}

// array is one field of the view as a Lua table, which is a loan.
type array struct {
	key   columnKey
	table *lua.LTable
	fresh bool // holds the rows at hand

	lazy         LazyTable // what stands for the table where only its elements are used
	numbers      []float64 // memory for it
	materialised bool      // the script has had the table in its hands
	write        bool
	length       int
}

// array returns the array of a field as a Lua table, filled for the rows at hand.
func (b *batch) array(L *lua.LState, key columnKey) *array {
	a := b.arrayOf(key)
	if a.lazy.column != nil {
		a.lazy.Table(L)
	}
	if a.materialised = true; !a.fresh {
		a.fresh = true
		b.fillArray(L, a)
	}
	return a
}

func (b *batch) arrayOf(key columnKey) *array {
	a := b.arrays[key]
	if a == nil {
		a = &array{key: key, table: b.m.main.CreateTable(len(b.view.Entities), 0)}
		b.arrays[key] = a
	}
	return a
}

// lazyArray returns the array of a field for a function that may need no table. It is
// the table where the script has had that before.
func (b *batch) lazyArray(L *lua.LState, key columnKey) (a *array, v lua.LValue) {
	a = b.arrayOf(key)
	if a.materialised || !a.numeric() {
		return a, b.array(L, key).table
	}
	if !a.fresh {
		a.fresh = true
		value.Take(L, len(b.view.Entities))
		a.numbers = slices.Grow(a.numbers[:0], len(b.view.Entities))[:len(b.view.Entities)]
		readNumbers(a.numbers, &b.view.Columns[key.term], key.field)
		a.lazy = LazyTable{column: a, numbers: a.numbers}
	}
	return a, &a.lazy
}

func (b *batch) fillArray(L *lua.LState, a *array) {
	n, c := len(b.view.Entities), &b.view.Columns[a.key.term]
	if value.Take(L, n); a.numeric() {
		buf := make([]float64, n)
		readNumbers(buf, c, a.key.field)
		for i := range buf {
			a.table.RawSetInt(i+1, b.m.boxer.Box(&buf[i]))
		}
	} else {
		for i := range n {
			v := lua.LValue(lua.LNil)
			if p := c.At(i); p != nil {
				v = value.Load(L, a.key.field, p)
			}
			a.table.RawSetInt(i+1, v)
		}
	}
	a.end(n)
}

// overArray is said to whoever uses a list of a batch later.
const overArray = "this list is over: a list of a batch lasts as long as the batch; ask the batch at hand for it"

// recallArray ends the list that the script may have kept. One that the script has made
// something else of, a part of ecs.state or an object, is its own from now on.
func (m *executor) recallArray(a *array) {
	if !a.materialised || !a.fresh {
		return
	}
	if a.table.Metatable != lua.LNil {
		a.table, a.length = m.main.CreateTable(a.length, 0), 0
	} else {
		a.table = m.recall(a.table, m.overTable(overArray))
	}
	a.fresh, a.lazy = false, LazyTable{}
}

// numeric reports whether the elements are numbers.
func (a *array) numeric() bool {
	arg := eachArg{kind: argScalar, field: a.key.field}
	return arg.numeric() && a.key.field.Len == 0 && a.key.field.Kind != ecs.Struct
}

// end takes off the table what is left of a batch with more rows.
func (a *array) end(n int) {
	for i := a.length; i > n; i-- {
		a.table.RawSetInt(i, lua.LNil)
	}
	a.length = n
}

// put fills the table with numbers.
func (a *array) put(numbers []float64) {
	boxer, kept := value.NewBoxer(), slices.Clone(numbers)
	for i := range kept {
		a.table.RawSetInt(i+1, boxer.Box(&kept[i]))
	}
	a.end(len(kept))
}
