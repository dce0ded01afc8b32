package exec

import (
	"fmt"
	"time"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/ecs"
)

// EachRunner calls an each function for every row of a query.
type EachRunner struct {
	m       *Executor
	s       *System
	shape   *EachShape
	views   *view.Viewer
	Terms   []*decl.Component
	tables  []*RowTable  // by term, for whole parameters
	fixed   []lua.LValue // by argument: values that are the same for all rows
	filled  bool         // they are those of this run
	column  [][]float64  // by argument: numbers of the view, for scalars
	handles []float64    // of the rows of the view
	Query   *ecs.Query
	ctx     lua.LValue

	whole   *lua.LFunction // the run, for the VM
	one     *lua.LFunction // the view at hand, likewise
	some    *lua.LFunction // its rows from next on, likewise
	outside bool           // the run is performed outside of it
	hand    *rows.View
	next    int
	few     rows.View // rows at which a kernel has stopped

	kernel    *kernelRunner   // nil: the function runs on the VM
	parallel  *parallelRunner // nil: its rows run one after the other
	ready     bool            // the kernel can run this time
	asked     bool            // whether there is one
	evaluator vm.Evaluator    // runs the function beside the VM; nil: none does
	tick      *ecs.Tick
	now       *tx.Call // that the run is part of

	aside    view.Aside    // the row at hand, where the call has done something to its entity
	asides   bool          // it is shown there
	commands *ecs.Commands // of the tick: each row asks whether there are any
	recorded int           // commands when the row began
	unmarked bool          // something may have been recorded since the mark was set

	changes []int // terms that rows of the chunk at hand have changed, when the VM works on them
	settled int   // how many of these are those of rows whose turn has succeeded

	faults   eachFaults
	mark     tx.Mark // before the row at hand
	reported int     // faults of the binding before this run
}

// EachRunner runs a system that has an each function.
func (m *Executor) EachRunner(s *System, q *ecs.Query) func(*ecs.Tick) error {
	x := m.NewEachRunner(s, q)
	x.outside = x.kernel != nil && s.When == nil
	return func(t *ecs.Tick) error { return x.Perform(t, s.Name) }
}

// NewEachRunner prepares the runs of an each function over a query.
func (m *Executor) NewEachRunner(s *System, q *ecs.Query) *EachRunner {
	terms := s.Query.Terms()
	x := &EachRunner{
		m: m, s: s, shape: s.Shape, views: view.NewViewer(m.Tx, terms), Terms: terms, Query: q, tables: make([]*RowTable, len(terms)),
		fixed: make([]lua.LValue, len(s.Shape.Args)), column: make([][]float64, len(s.Shape.Args)),
	}
	for k, arg := range s.Shape.Args {
		if arg.Kind == ArgContext {
			s.Context.Lend(s.Shape.Function, k+1)
		}
		if arg.Kind == ArgRow {
			x.tables[arg.Term] = x.newRow(terms[arg.Term], k+1)
		}
	}
	if s.Compiled.Made != nil {
		x.kernel = s.kernelRunner(m)
		x.views.Least = 1 // a call of a kernel costs less than collecting rows for it
		x.parallel = x.newParallelRunner()
	}
	s.Faults = &x.faults
	x.whole = m.Tx.Function(func(L *lua.LState) { x.Run(L, m.Tx.Call.Tick) })
	x.one = m.Tx.Function(func(L *lua.LState) { x.interpret(L, x.hand) })
	x.some = m.Tx.Function(func(L *lua.LState) {
		for ; x.next < len(x.hand.Entities); x.next++ {
			if x.row(L, x.hand, x.next); len(x.changes) > 0 {
				x.passed(x.hand, x.next, false)
			}
		}
	})
	return x
}

// newRow makes the row of a term that the function gets as its n-th parameter.
func (x *EachRunner) newRow(c *decl.Component, n int) *RowTable {
	r := x.m.newRow(c.Schema, fmt.Sprintf("this %s is over: each gets it for one entity and one call; keep the entity, and use ecs.get", c.Name))
	r.always, r.Keeps = !MayBeLazy(c), MayKeep(x.shape.Function, n, false)
	r.materialised = r.always
	return r
}

// recall ends the rows that the function has had.
func (x *EachRunner) recall() {
	for _, r := range x.tables {
		if r != nil {
			r.Recall(x.m)
		}
	}
}

// Run runs the function as part of the call that is running.
func (x *EachRunner) Run(L *lua.LState, t *ecs.Tick) {
	x.tick, x.now, x.filled = t, x.m.Tx.Call, false
	x.commands = x.now.Tick.Commands
	if x.s.When != nil {
		x.fillArguments()
		if !x.m.Due(L, x.s, x.ctx) {
			return
		}
	}
	x.reported, x.m.Tx.Call.Rows, x.views.Most = len(x.m.Reports), true, view.Longest
	x.faults.begin(x.m, len(x.s.Query.Change) > 0)
	if x.ready = x.kernel != nil && !x.barred() && x.heeds() && x.kernel.renew(); x.ready {
		x.kernel.sure = x.certain()
	} else {
		x.fillArguments()
	}
	switch {
	case !x.ready || x.parallel == nil || x.m.marks.careful:
		x.inOrder(L)
	case !x.parallel.begin() || !x.parallel.run(t):
		began := time.Now()
		x.parallel.end(began, x.inOrder(L))
	}
	if x.ready {
		x.kernel.end()
	}
}

// barred reports whether the script may not run any more. A kernel would, since nothing
// counts what it does: the VM gets the first row, and says why not.
func (x *EachRunner) barred() bool { return x.m.Tx.Budget != nil && x.m.Tx.Budget.Barred(x.s.Script) }

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

// inOrder works on one view after the other and returns how many rows there were.
func (x *EachRunner) inOrder(L *lua.LState) (n int) {
	if x.ready {
		x.views.Most = x.kernel.longest()
	}
	work := func(v *rows.View) {
		if n += len(v.Entities); x.ready {
			x.compiled(L, v)
		} else {
			x.byLua(L, v)
		}
	}
	x.views.Each(x.Query, work)
	if len(x.s.Query.Change) > 0 && len(x.faults.parked) > 0 {
		x.views.Some(x.Query, x.faults.left(x.tick.Time), work)
	}
	return n
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

// proto returns the function as it is written.
func (x *EachRunner) proto() *lua.FunctionProto { return lua.Proto(x.s.Each) }

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
		return
	}
	x.asides = false
	if p := x.ahead(); p != nil && p.Concerns(e) {
		if !x.s.Query.Matches(p, x.m.World, e) {
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

// at returns the view and the row in it in which a term of the i-th row of v is: aside,
// if the call has changed it.
func (x *EachRunner) at(v *rows.View, i, term int) (*rows.View, int) {
	if x.asides && x.aside.Cells[term].Own {
		return &x.aside.View, 0
	}
	return v, i
}

// called looks what a row's function has done to its own entity: what it has left for
// the row is then stored aside.
func (x *EachRunner) called(v *rows.View, i int) {
	if x.commands.Len() == x.recorded {
		return
	}
	p := x.ahead()
	switch {
	case p == nil || !p.Concerns(v.Entities[i]):
	case x.asides:
		x.aside.Extend(p, v, i)
	default:
		x.asides = true
		x.aside.Begin(x.m.Tx, v)
		x.aside.Land(p, v, i)
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
	x.called(v, i)
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

// numeric reports whether the argument is a field that is a number in Lua.
func (a *EachArg) numeric() bool {
	return a.Kind == ArgScalar && a.Field.Kind != ecs.Bool && a.Field.Kind != ecs.Enum && a.Field.Kind != ecs.String
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

// ahead is what the call has done so far, nil where that is nothing: each row asks.
func (x *EachRunner) ahead() *ecs.Preview {
	if x.commands.Len() == 0 {
		return nil
	}
	return x.m.Tx.Ahead()
}
