package exec

import (
	"time"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// EachRunner calls an each function for every row of a query.
type EachRunner struct {
	m      *Executor
	s      *System
	shape  *EachShape
	views  *view.Viewer
	Terms  []*decl.Component
	tables []*RowTable // by term, for whole parameters
	made   bool        // they are there
	filled bool        // the arguments that are the same for all rows are those of this run
	Query  *ecs.Query
	ctx    lua.LValue
	rowCalls

	whole   *lua.LFunction // the run, for the VM; like those below nil until it is needed: by a kernel seldom
	one     *lua.LFunction // the view at hand, likewise
	some    *lua.LFunction // its rows from next on, likewise
	outside bool           // the run is performed outside of it
	hand    *rows.View
	next    int
	few     rows.View // rows at which a kernel has stopped

	kernel   *kernelRunner   // nil: the function runs on the VM
	parallel *parallelRunner // nil: its rows run one after the other
	entrance entrance        // to the rows of the run
	ready    bool            // the kernel can run this time
	renewal  renewal         // of the kernel
	record   Recorder
	tick     *ecs.Tick
	now      *tx.Call // that the run is part of

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
	return m.unlessRefused(s, func(t *ecs.Tick) error { return x.Perform(t, s.Name) })
}

// NewEachRunner prepares the runs of an each function over a query.
func (m *Executor) NewEachRunner(s *System, q *ecs.Query) *EachRunner {
	terms := s.Query.Terms()
	x := &EachRunner{
		m: m, s: s, shape: s.Shape, views: view.NewViewer(m.Tx, terms), Terms: terms, Query: q, record: m.NewRecorder(s), tables: make([]*RowTable, len(terms)),
		rowCalls: newRowCalls(s.Shape),
	}
	for k, arg := range s.Shape.Args {
		if arg.Kind == ArgContext {
			s.Context.Lend(s.Shape.Function, k+1)
		}
	}
	if s.Compiled.Made != nil {
		x.runsKernel()
	} else {
		x.makeTables()
	}
	x.entrance = entrance{tx: m.Tx, kernel: x.kernel, views: x.views, query: q}
	s.Faults = &x.faults
	return x
}

// makeTables makes the tables of the function's parameters. A function with a kernel gets them
// when the VM runs its first row: for most there is none. What they take is the host's, and counts
// for no call.
func (x *EachRunner) makeTables() {
	x.made = true
	h := lua.VM(x.m.Main).Heap
	taken := h.Taken
	for k, arg := range x.shape.Args {
		if arg.Kind == ArgRow {
			x.tables[arg.Term] = x.newRow(x.Terms[arg.Term], k+1)
		}
	}
	h.Taken = taken
}

// runsKernel prepares the runs of the system's kernel.
func (x *EachRunner) runsKernel() {
	x.kernel = x.s.kernelRunner(x.m, &x.record)
	x.entrance.kernel = x.kernel
	x.views.Least = 1 // a call of a kernel costs less than collecting rows for it
	x.parallel = x.newParallelRunner()
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
	if x.record.due() { // what a kernel copies before its rows belongs to the run
		x.record.began = time.Now()
	}
	if x.s.When != nil && !x.wanted(L) {
		x.record.took()
		return
	}
	x.reported, x.m.Tx.Call.Rows, x.views.Most = len(x.m.Reports), true, view.Longest
	x.faults.begin(x.m, len(x.s.Query.Change) > 0)
	x.entrance.begin()
	if x.ready = x.kernel != nil && !x.barred() && x.heeds() && x.beginKernel(); x.ready {
		x.kernel.tempo.begin()
		x.kernel.sure = !x.kernel.tempo.spent && x.certain()
	} else {
		x.fillArguments()
	}
	x.record.compiled = x.ready
	vm := x.record.VM.Rows
	switch {
	case !x.ready || x.parallel == nil || x.m.marks.careful || x.kernel.tempo.spent || x.kernel.sure && x.kernel.watching > 0: // how many rows are watched depends on their order
		x.inOrder(L)
	case !x.parallel.begin() || !x.parallel.run(t):
		began := time.Now()
		x.parallel.end(began, x.inOrder(L))
	}
	if x.ready {
		x.kernel.end()
		if x.kernel.facts.Passing && x.record.VM.Rows > vm {
			x.renewal.note(false)
		}
	}
	x.record.took()
}

// wanted asks the condition of the system, which may call kernels and functions of the host.
func (x *EachRunner) wanted(L *lua.LState) (ok bool) {
	r := &x.record
	x.now.Ran = x.s.Ran
	x.fillArguments()
	r.before = *r.foreign
	defer r.abroad()
	r.part(func() { ok = x.m.Due(L, x.s, r, x.ctx) })
	return ok
}

// barred reports whether the script may not run any more. A kernel would, since nothing
// counts what it does: the VM gets the first row, and says why not.
func (x *EachRunner) barred() bool { return x.m.Tx.Budget != nil && x.m.Tx.Budget.Barred(x.s.Script) }

// inOrder works on one view after the other and returns how many rows there were.
func (x *EachRunner) inOrder(L *lua.LState) (n int) {
	if x.ready {
		x.views.Most = x.longest()
	}
	work := func(v *rows.View) {
		n += len(v.Entities)
		if x.entrance.enter(); x.ready {
			x.compiled(L, v)
		} else {
			x.byLua(L, v)
		}
	}
	x.views.Each(x.Query, work)
	if len(x.s.Query.Change) > 0 && len(x.faults.parked) > 0 {
		x.views.Some(x.Query, x.faults.left(x.tick.Time), work)
	}
	x.entrance.end()
	return n
}

// proto returns the function as it is written.
func (x *EachRunner) proto() *lua.FunctionProto { return lua.Proto(x.s.Each) }

// at returns the view and the row in it in which a term of the i-th row of v is: aside,
// if the call has changed it.
func (x *EachRunner) at(v *rows.View, i, term int) (*rows.View, int) {
	if x.asides && x.aside.Cells[term].Own {
		return &x.aside.View, 0
	}
	return v, i
}

// noteOwn looks what a row's function has done to its own entity: what it has left for
// the row is then stored aside.
func (x *EachRunner) noteOwn(v *rows.View, i int) {
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

// ahead is what the call has done so far, nil where that is nothing: each row asks.
func (x *EachRunner) ahead() *ecs.Preview {
	if x.commands.Len() == 0 {
		return nil
	}
	return x.m.Tx.Ahead()
}
