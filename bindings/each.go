package bindings

import (
	"fmt"
	"time"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// eachRun calls an each function for every row of a query.
type eachRun struct {
	m       *executor
	s       *System
	shape   *eachShape
	views   *view.Viewer
	terms   []*decl.Component
	rows    []*row       // by term, for whole parameters
	fixed   []lua.LValue // by argument: values that are the same for all rows
	filled  bool         // they are those of this run
	column  [][]float64  // by argument: numbers of the view, for scalars
	handles []float64    // of the rows of the view
	query   *ecs.Query
	ctx     lua.LValue

	whole   *lua.LFunction // the run, for the Lua machine
	one     *lua.LFunction // the view at hand, likewise
	some    *lua.LFunction // its rows from next on, likewise
	outside bool           // the run is outside of it
	hand    *view.View
	next    int
	few     view.View // rows at which a kernel has stopped

	kernel    *kernelRun   // nil: the function runs on the Lua machine
	parallel  *parallelRun // nil: its rows run one after the other
	ready     bool         // the kernel can run this time
	asked     bool         // whether there is one
	evaluator Evaluator    // runs the function beside the Lua machine; nil: none does
	tick      *ecs.Tick

	aside    view.Aside // the row at hand, where the call has done something to its entity
	asides   bool       // it is shown there
	recorded int        // commands when the row began

	changes []int // terms that rows of the chunk at hand have changed, when the Lua machine works on them
	settled int   // how many of these are those of rows whose turn has succeeded

	faults   eachFaults
	mark     tx.Mark // before the row at hand
	reported int     // faults of the module before this run
}

// eachRunner runs a system that has an each function.
func (m *executor) eachRunner(s *System, q *ecs.Query) func(*ecs.Tick) error {
	x := m.newEachRun(s, q)
	return func(t *ecs.Tick) error { return x.perform(t, s.Name) }
}

// newEachRun prepares the runs of an each function over a query.
func (m *executor) newEachRun(s *System, q *ecs.Query) *eachRun {
	terms := s.query.Terms()
	x := &eachRun{
		m: m, s: s, shape: s.shape, views: view.NewViewer(m.tx, terms), terms: terms, query: q, rows: make([]*row, len(terms)),
		fixed: make([]lua.LValue, len(s.shape.args)), column: make([][]float64, len(s.shape.args)),
	}
	for k, arg := range s.shape.args {
		if arg.kind == argContext {
			s.context.lend(s.shape.function, k+1)
		}
		if arg.kind == argRow {
			x.rows[arg.term] = x.newRow(terms[arg.term], k+1)
		}
	}
	if s.kernel.made != nil {
		x.kernel = s.kernelRun()
		x.views.Least = 1 // a call of a kernel costs less than collecting rows for it
		x.parallel = x.newParallelRun()
	}
	s.faults = &x.faults
	x.whole = m.tx.Function(func(L *lua.LState) { x.run(L, m.tx.Call.Tick) })
	x.one = m.tx.Function(func(L *lua.LState) { x.interpret(L, x.hand) })
	x.some = m.tx.Function(func(L *lua.LState) {
		for ; x.next < len(x.hand.Entities); x.next++ {
			if x.row(L, x.hand, x.next); len(x.changes) > 0 {
				x.passed(x.hand, x.next, false)
			}
		}
	})
	return x
}

// newRow makes the row of a term that the function gets as its n-th parameter.
func (x *eachRun) newRow(c *decl.Component, n int) *row {
	r := x.m.newRow(c.Schema, fmt.Sprintf("this %s is over: each gets it for one entity and one call; keep the entity, and use ecs.get", c.Name))
	r.always, r.keeps = !mayBeLazy(c), mayKeep(x.shape.function, n, false)
	r.materialised = r.always
	return r
}

// recall ends the rows that the function has had.
func (x *eachRun) recall() {
	for _, r := range x.rows {
		if r != nil {
			r.recall(x.m)
		}
	}
}

// run runs the function as part of the call that is running.
func (x *eachRun) run(L *lua.LState, t *ecs.Tick) {
	x.tick, x.filled = t, false
	if x.s.when != nil {
		x.fillArguments()
		if !x.m.due(L, x.s, x.ctx) {
			return
		}
	}
	x.reported, x.m.tx.Call.Rows, x.views.Most = len(x.m.faults), true, view.Longest
	x.faults.begin(x.m, len(x.s.query.Change) > 0)
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
// counts what it does: the Lua machine gets the first row, and says why not.
func (x *eachRun) barred() bool { return x.m.opts.Budget != nil && x.m.opts.Budget.Barred(x.s.Script) }

// fillArguments makes the arguments that are the same for all rows of a run. A
// script may keep the numbers.
func (x *eachRun) fillArguments() {
	if x.filled {
		return
	}
	x.filled = true
	times := x.m.times(x.tick)
	x.ctx = x.m.fillWith(&x.s.context, times)
	for i, arg := range x.shape.args {
		switch arg.kind {
		case argContext:
			x.fixed[i] = x.ctx
		case argDT, argTime, argTick:
			x.fixed[i] = times[arg.kind-argDT]
		}
	}
}

// inOrder works on one view after the other and returns how many rows there were.
func (x *eachRun) inOrder(L *lua.LState) (rows int) {
	if x.ready {
		x.views.Most = x.kernel.longest()
	}
	work := func(v *view.View) {
		rows += len(v.Entities)
		x.chunk(L, v)
	}
	x.views.Each(x.query, work)
	if len(x.s.query.Change) > 0 && len(x.faults.parked) > 0 {
		x.views.Some(x.query, x.faults.left(x.tick.Time), work)
	}
	return rows
}

// chunk works on the rows of one view.
func (x *eachRun) chunk(L *lua.LState, v *view.View) {
	if x.ready {
		x.compiled(L, v)
		return
	}
	x.byLua(L, v)
}

// interpret calls the function for the rows of one view. A row that fails is
// undone alone, and those after it go on. Why not a protected call for each row?
// It would cost as much as the call itself; this way rows without a fault pay for
// a mark only.
func (x *eachRun) interpret(L *lua.LState, v *view.View) {
	for _, arg := range x.shape.results {
		v.Open(x.m.tx, L, &v.Columns[arg.term], x.line())
	}
	x.fillArguments()
	x.prepare(v)
	if x.evaluator != nil {
		x.evaluator.Begin(L)
		defer x.evaluator.End()
	}
	x.mark, x.hand = x.m.tx.Call.Mark(), v
	x.changes, x.settled = x.changes[:0], 0
	for x.next = 0; x.next < len(v.Entities); x.next++ {
		if err := tx.PCall(L, x.some); err != nil {
			x.recall()
			x.failed(L, v, x.next, err)
			x.passed(v, x.next, true)
		}
	}
	x.m.tx.Call.Entity = 0
}

// line is that of the function.
func (x *eachRun) line() int { return x.s.each.Proto.LineDefined }

// prepare does for the rows of a view what need not be done for each.
func (x *eachRun) prepare(v *view.View) {
	if !x.asked && x.m.opts.Evaluator != nil {
		x.asked, x.evaluator = true, x.m.opts.Evaluator(x.shape.function, len(x.shape.results))
	}
	if x.evaluator == nil {
		x.fill(v, len(v.Entities))
		for _, r := range x.rows {
			if r != nil {
				r.always, r.materialised = true, true
			}
		}
	}
}

// row calls the function for one row, unless its entity is parked.
func (x *eachRun) row(L *lua.LState, v *view.View, i int) {
	e := v.Entities[i]
	faulty := len(x.faults.parked) > 0
	if faulty && x.faults.rests(e, x.tick.Time) {
		return
	}
	x.asides = false
	if p := x.m.tx.Ahead(); p != nil && p.Concerns(e) {
		if !x.s.query.Matches(p, x.m.world, e) {
			return
		}
		x.asides = true
		x.aside.Begin(x.m.tx, v)
		x.aside.Add(p, v, i)
	}
	x.m.tx.Call.Entity, x.recorded = e, x.m.tx.Call.Tick.Commands.Len()
	x.m.tx.Call.MarkAt(&x.mark)
	if x.evaluator != nil {
		x.evaluate(L, v, i)
	} else {
		x.call(L, v, i)
	}
	if x.asides {
		x.asides = false
		x.aside.Record(L, x.line())
	}
	if faulty {
		x.succeeded(e)
	}
}

// at returns the view and the row in it in which a term of the i-th row of v is: aside,
// if the call has changed it.
func (x *eachRun) at(v *view.View, i, term int) (*view.View, int) {
	if x.asides && x.aside.Cells[term].Own {
		return &x.aside.View, 0
	}
	return v, i
}

// called looks what a row's function has done to its own entity: what it has left for
// the row is then stored aside.
func (x *eachRun) called(v *view.View, i int) {
	if x.m.tx.Call.Tick.Commands.Len() == x.recorded {
		return
	}
	p := x.m.tx.Ahead()
	switch {
	case p == nil || !p.Concerns(v.Entities[i]):
	case x.asides:
		x.aside.Extend(p, v, i)
	default:
		x.asides = true
		x.aside.Begin(x.m.tx, v)
		x.aside.Land(p, v, i)
	}
}

// call has the Lua machine call the function for one row.
func (x *eachRun) call(L *lua.LState, v *view.View, i int) {
	L.Push(x.shape.function)
	L.Push(x.m.boxer.Box(&x.handles[i]))
	for k := range x.shape.args {
		x.push(L, v, k, i)
	}
	L.Call(len(x.shape.args)+1, len(x.shape.results))
	x.called(v, i)
	x.storeResults(L, v, i)
}

// fill reads the numbers of a view, column by column, into memory of its own:
// the numbers that scripts get point into it.
func (x *eachRun) fill(v *view.View, n int) {
	scalars := 1
	for _, arg := range x.shape.args {
		if arg.numeric() {
			scalars++
		}
	}
	buf := make([]float64, n*scalars)
	x.handles = buf[:n:n]
	for i, e := range v.Entities {
		x.handles[i] = float64(e)
	}
	for k, arg := range x.shape.args {
		if arg.numeric() {
			buf = buf[n:]
			x.column[k] = buf[:n:n]
			readNumbers(x.column[k], &v.Columns[arg.term], arg.field)
		}
	}
}

// numeric reports whether the argument is a field that is a number in Lua.
func (a *eachArg) numeric() bool {
	return a.kind == argScalar && a.field.Kind != ecs.Bool && a.field.Kind != ecs.Enum && a.field.Kind != ecs.String
}

// push puts the k-th argument for the i-th row on the stack.
func (x *eachRun) push(L *lua.LState, v *view.View, k, i int) {
	arg := &x.shape.args[k]
	switch arg.kind {
	case argScalar:
		tv, ti := x.at(v, i, arg.term)
		switch p := tv.Columns[arg.term].At(ti); {
		case !arg.numeric():
			L.Push(value.Load(L, arg.field, p))
		case tv == v:
			L.Push(x.m.boxer.Box(&x.column[k][i]))
		case p == nil:
			L.Push(x.m.Number(0))
		default:
			L.Push(value.Load(L, arg.field, p))
		}
	case argRow, argTag:
		L.Push(x.present(L, v, k, i))
	default:
		L.Push(x.fixed[k])
	}
}

// present is a component of the i-th row as the k-th argument: a table, or whether
// there is a tag.
func (x *eachRun) present(L *lua.LState, v *view.View, k, i int) lua.LValue {
	arg := &x.shape.args[k]
	v, i = x.at(v, i, arg.term)
	p := v.Columns[arg.term].At(i)
	switch {
	case arg.kind == argTag:
		return lua.LBool(p != nil)
	case p == nil:
		return lua.LNil
	}
	return x.rows[arg.term].fill(L, p)
}
