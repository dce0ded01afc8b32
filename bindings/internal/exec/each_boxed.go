//go:build !machine

package exec

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/ecs"
)

// rowCalls are what the VM, or an evaluator, needs to call the function for a row.
type rowCalls struct {
	fixed     []lua.LValue // by argument: values that are the same for all rows
	column    [][]float64  // by argument: numbers of the view, for scalars
	handles   []float64    // of the rows of the view
	asked     bool         // whether there is an evaluator
	evaluator vm.Evaluator // runs the function beside the VM; nil: none does
}

func newRowCalls(s *EachShape) rowCalls {
	return rowCalls{fixed: make([]lua.LValue, len(s.Args)), column: make([][]float64, len(s.Args))}
}

// rest calls the function for the rows of the view from next on.
func (x *EachRunner) rest(L *lua.LState) {
	for ; x.next < len(x.hand.Entities); x.next++ {
		if x.row(L, x.hand, x.next); len(x.changes) > 0 {
			x.passed(x.hand, x.next, false)
		}
	}
}

// newRow makes the row of a term that the function gets as its n-th parameter.
func (x *EachRunner) newRow(c *decl.Component, n int) *RowTable {
	r := x.m.newRow(c.Schema, fmt.Sprintf("this %s is over: each gets it for one entity and one call; keep the entity, and use ecs.get", c.Name))
	r.always, r.Keeps = !MayBeLazy(c), MayKeep(x.shape.Function, n, false)
	r.materialised = r.always
	return r
}

// fillArguments makes the arguments that are the same for all rows of a run. A
// script may keep the numbers.
func (x *EachRunner) fillArguments() {
	if x.filled {
		return
	}
	x.filled = true
	times := x.m.times(x.tick)
	x.ctx = x.m.fillWith(&x.s.Context, times)
	for i, arg := range x.shape.Args {
		switch arg.Kind {
		case ArgContext:
			x.fixed[i] = x.ctx
		case ArgDT, ArgTime, ArgTick:
			x.fixed[i] = times[arg.Kind-ArgDT]
		}
	}
}

// interpret calls the function for the rows of one view. A row that fails is
// undone alone, and those after it go on. Why not a protected call for each row?
// It would cost as much as the call itself; this way rows without a fault pay for
// a mark only.
func (x *EachRunner) interpret(L *lua.LState, v *rows.View) {
	for _, arg := range x.shape.Results {
		x.m.Tx.Open(L, v, &v.Columns[arg.Term], x.proto())
	}
	x.fillArguments()
	x.prepare(v)
	if x.evaluator != nil {
		x.evaluator.Begin(L)
		defer x.evaluator.End()
	}
	x.mark, x.unmarked, x.hand = x.m.Tx.Call.Mark(), true, v
	x.changes, x.settled = x.changes[:0], 0
	for x.next = 0; x.next < len(v.Entities); x.next++ {
		if err := tx.PCall(L, x.some); err != nil {
			x.recall()
			x.failed(L, v, x.next, err)
			x.unmarked = true
			x.passed(v, x.next, true)
		}
	}
	x.m.Tx.Call.Entity = 0
}

// prepare does for the rows of a view what need not be done for each.
func (x *EachRunner) prepare(v *rows.View) {
	if !x.asked && x.m.Prepare != nil {
		x.asked, x.evaluator = true, x.m.Prepare(x.shape.Function, len(x.shape.Results))
	}
	if x.evaluator == nil {
		x.fill(v, len(v.Entities))
		for _, r := range x.tables {
			if r != nil {
				r.always, r.materialised = true, true
			}
		}
	}
}

// row calls the function for one row, unless its entity is parked.
func (x *EachRunner) row(L *lua.LState, v *rows.View, i int) {
	e := v.Entities[i]
	faulty := len(x.faults.parked) > 0
	if faulty && x.faults.rests(e, x.tick.Time) {
		x.record.ByVM(-1, -1)
		return
	}
	x.asides = false
	if p := x.ahead(); p != nil && p.Concerns(e) {
		if !x.s.Query.Matches(p, x.m.World, e) {
			x.record.ByVM(-1, -1)
			return
		}
		x.asides, x.unmarked = true, true
		x.aside.Begin(x.m.Tx, v)
		x.aside.Add(p, v, i)
	}
	x.now.Entity = e
	if x.unmarked { // a row that only computes leaves the mark of the one before it good
		x.recorded, x.unmarked = x.commands.Len(), false
		x.now.MarkAt(&x.mark)
	}
	if x.evaluator != nil {
		x.evaluate(L, v, i)
	} else {
		x.call(L, v, i)
	}
	if x.asides {
		x.asides, x.unmarked = false, true
		x.aside.Record(L, x.proto())
	}
	if faulty {
		x.succeeded(e)
	}
}

// call has the VM call the function for one row.
func (x *EachRunner) call(L *lua.LState, v *rows.View, i int) {
	L.Push(x.shape.Function)
	L.Push(x.m.Boxer.Box(&x.handles[i]))
	for k := range x.shape.Args {
		x.push(L, v, k, i)
	}
	L.Call(len(x.shape.Args)+1, len(x.shape.Results))
	x.unmarked = true
	x.noteOwn(v, i)
	x.storeResults(L, v, i)
}

// fill reads the numbers of a view, column by column, into memory of its own:
// the numbers that scripts get point into it.
func (x *EachRunner) fill(v *rows.View, n int) {
	scalars := 1
	for _, arg := range x.shape.Args {
		if arg.numeric() {
			scalars++
		}
	}
	buf := make([]float64, n*scalars)
	x.handles = buf[:n:n]
	for i, e := range v.Entities {
		x.handles[i] = float64(e)
	}
	for k, arg := range x.shape.Args {
		if arg.numeric() {
			buf = buf[n:]
			x.column[k] = buf[:n:n]
			readNumbers(x.column[k], &v.Columns[arg.Term], arg.Field)
		}
	}
}

// push puts the k-th argument for the i-th row on the stack.
func (x *EachRunner) push(L *lua.LState, v *rows.View, k, i int) {
	arg := &x.shape.Args[k]
	switch arg.Kind {
	case ArgScalar:
		tv, ti := x.at(v, i, arg.Term)
		switch p := tv.Columns[arg.Term].At(ti); {
		case arg.numeric() && tv == v:
			L.Push(x.m.Boxer.Box(&x.column[k][i]))
		case arg.numeric() && p == nil:
			L.Push(x.m.Number(0))
		default:
			L.Push(value.Load(L, arg.Field, p))
		}
	case ArgRow, ArgTag:
		L.Push(x.present(L, v, k, i))
	default:
		L.Push(x.fixed[k])
	}
}

// present is a component of the i-th row as the k-th argument: a table, or whether
// there is a tag.
func (x *EachRunner) present(L *lua.LState, v *rows.View, k, i int) lua.LValue {
	arg := &x.shape.Args[k]
	v, i = x.at(v, i, arg.Term)
	p := v.Columns[arg.Term].At(i)
	switch {
	case arg.Kind == ArgTag:
		return lua.LBool(p != nil)
	case p == nil:
		return lua.LNil
	}
	return x.tables[arg.Term].Fill(L, p)
}

// storeResults stores what the function returned or left in its row tables.
func (x *EachRunner) storeResults(L *lua.LState, v *rows.View, i int) {
	if n := len(x.shape.Results); n > 0 {
		for k := range x.shape.Results {
			r := &x.shape.Results[k]
			tv, ti := x.at(v, i, r.Term)
			x.store(L, tv, r.Term, r.Field, ti, L.Get(k-n))
		}
		L.Pop(n)
	}
	for term, r := range x.tables {
		if tv, ti := x.at(v, i, term); r != nil && tv.Columns[term].At(ti) != nil {
			x.storeRow(L, tv, term, ti)
			r.Recall(x.m)
		}
	}
}

// storeRow copies what the script changed in the table of a term back into its
// struct. A field that the script left alone is not touched: the host may keep
// values there that are not exact in Lua.
func (x *EachRunner) storeRow(L *lua.LState, v *rows.View, term, i int) {
	r := x.tables[term]
	for k := range r.Schema.Fields {
		f := &r.Schema.Fields[k]
		x.store(L, v, term, f, i, r.Table.RawGetString(f.Name))
	}
}

// store copies a value into one field of the i-th row, if it says anything else
// than what is there.
func (x *EachRunner) store(L *lua.LState, v *rows.View, term int, f *ecs.Field, i int, given lua.LValue) {
	if n, ok := given.(lua.LNumber); ok && isFloat(f) {
		x.storeFloat(L, v, term, f, i, float64(n))
		return
	}
	p := v.Columns[term].At(i)
	differs, why := value.Differs(L, f, p, given)
	if why != "" {
		x.refuse(L, term, f, why)
	}
	if differs {
		x.change(L, v, term)
		value.Store(f, p, given)
	}
}
