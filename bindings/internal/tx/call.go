package tx

import (
	gocontext "context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/bindings/running"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/sketch"
)

// Runner runs calls of scripts, one after the other, each a transaction: what a call
// has written is put back when it fails, what it has recorded is counted when it
// succeeds.
//
// Invariant: Call is nil, or the one call that is running; metered says that the host has
// set its limits for it, and Epoch is another number before, in and after each call.
type Runner struct {
	World  *ecs.World // nil in a rehearsal
	Main   *lua.LState
	Budget Budget // nil: nothing is bounded
	Limits *Limits

	Thread    *lua.LState // runs script functions; replaced when a panic escapes it
	Call      *Call       // running, nil otherwise
	free      *Call       // reused
	Usage     usage       // of this tick
	Foreign   rows.Effort // functions of the host that scripts have called
	Timers    timers
	Epoch     uint64 // counts the beginnings and ends of calls into scripts
	metered   bool   // the host has set its limits for the call
	Migrating bool   // a migrate function is called
	Unhurried bool   // no frame waits for the calls: new sets do not count for the queries that look at them
	broken    bool   // the thread is beyond repair, and is replaced after the call
	late      lateUses
	alone     alone // the call in no tick that is running
	texts     fieldTexts

	together bool    // calls stand or fall together, see AllOrNone
	waiting  []*Call // of these, those that have succeeded so far
}

// Budget bounds what calls of scripts may use; the script host has one.
type Budget interface {
	// Begin and End are called before and after each call into a script, Begin with the
	// script's name, which is empty for a top level, and that of the call: of the system.
	// migrate says that the function converts values of an older form; around is what the
	// call has cost besides its own instructions, as many of them.
	Begin(L *lua.LState, script, call string, migrate bool)
	End(L *lua.LState, around int64)
	// Context is that of the step, for functions of the host; nil for none.
	Context() gocontext.Context
	// Attach has a context count what runs on a thread.
	Attach(L *lua.LState, ctx gocontext.Context)
	// Scripts returns how many scripts there are, for what each may still do when the
	// limits of a tick are used up. 0: few are.
	Scripts() int
	// Spent reports whether a script has used up what it may use in this tick, and
	// Barred whether a call of it would fail at its first instruction.
	Spent(script string) bool
	Barred(script string) bool
	// Refuse reports whether a call is not to be made, because it would be Barred, or has not so
	// many nanoseconds left for rows. The first one of a tick gets the error that says why,
	// without its place and its tick; those after it are counted in that error, and get nil.
	Refuse(script, call string, rows int64) (refused bool, why *diag.Error)

	KernelBudget
}

// KernelBudget bounds what kernels may use, whose instructions nothing else counts.
type KernelBudget interface {
	// Left returns how many instructions the running call may still use, and Spend counts
	// some that its loops have used in a kernel.
	Left() int64
	Spend(instructions int64)
	// Glance looks at the clock. It returns how long it is since the last look, in which a kernel may have lost so many
	// instructions that count as nothing else, and how long the running call may still take.
	Glance(lost int64) (took, left time.Duration)
	// LeftForRows returns for how many nanoseconds a script may still run compiled functions
	// in this tick, as the compiler counts them; SpendOnRows counts some. EndForRows ends the
	// call because there are none: the running one, or that which is about to begin for the
	// row at which a kernel has stopped.
	LeftForRows(script string) int64
	SpendOnRows(script string, nanoseconds int64)
	EndForRows()
	// SpendBeyond counts nanoseconds that rows have taken beyond that, and reports whether there are more. EndBeyond ends
	// the call, as EndForRows does, because there are none.
	SpendBeyond(script string, nanoseconds int64) (left bool)
	EndBeyond()
}

// Loan is what a script has for one call. Recall ends it.
type Loan interface{ Recall() }

// Call is one call into a script, from begin to end. It knows how to undo what
// the call writes.
type Call struct {
	Tick   *ecs.Tick
	Name   string // of the system, observer or timer
	Script string
	Entity ecs.Entity // that an each function is working on
	Rows   bool       // an each function is working on rows
	Once   bool       // nobody makes this call again, as of an on_start function
	Ran    *rows.Ran  // the record of the system whose call it is; nil: it is one of none

	Undo   undo
	Timers []PendingTimer
	Drawn  Drawn
	read   []readerPosition
	Wrote  StateWrites // into state tables
	Dates  ecs.Dates   // what it has looked at and stamped

	loans []Loan // that functions may have kept

	host *running.Call // what functions of the host learn of it; nil until one asks
	end  func()        // ends host

	before   recorded       // by the system, before this call
	setsRoom int            // sets of components that its commands may bring about; 0: not asked yet
	fewLooks bool           // no more than that because of the queries that have to look at each
	Waiting  map[string]int // of Timers, those that it makes, by the script of their handler
	ample    recorded       // up to which no limit can be reached, once judged says so
	judged   bool
}

// readerPosition is where an event reader stood before the call read on.
type readerPosition struct {
	reader *ecs.Reader
	at     uint64
}

// Reads notes where a reader stands: a call that fails has not read.
func (c *Call) Reads(r *ecs.Reader) *ecs.Reader {
	c.read = append(c.read, readerPosition{r, r.Position()})
	return r
}

// ForHost returns what functions of the host learn of the running call. It is the same for
// all functions of one call.
func (r *Runner) ForHost() *running.Call {
	c := r.Call
	if c.host == nil {
		var parent gocontext.Context
		if r.Budget != nil {
			parent = r.Budget.Context()
		}
		c.host, c.end = running.Begin(parent, c.Tick, c.Script, c.Name, &c.Entity, r.late.note, r.Charge)
	}
	return c.host
}

// Charge counts steps of a function of the host, and reports whether so many were left.
func (r *Runner) Charge(steps int) bool {
	if r.Budget == nil {
		return true
	}
	left := r.Budget.Left()
	r.Budget.Spend(min(int64(steps), max(left, 0)+1)) // one too many ends the script, and the sum has no room for all numbers
	return int64(steps) <= left
}

// endHost ends what functions of the host have learnt.
func (c *Call) endHost() {
	if c.host != nil {
		c.end()
		c.host, c.end = nil, nil
	}
}

// lateUses are the uses of calls by the host after they have ended, on any goroutine.
type lateUses struct {
	sync.Mutex
	list []error
}

// mostLate is how many uses are kept until they are reported: a loop may make more.
const mostLate = 16

// note keeps the error of a use.
func (l *lateUses) note(err error) {
	l.Lock()
	defer l.Unlock()
	if len(l.list) < mostLate {
		l.list = append(l.list, err)
	}
}

// LateUses returns the errors of the host's uses of calls after their end, since it was asked
// last: the first few.
func (r *Runner) LateUses() []error {
	r.late.Lock()
	defer r.late.Unlock()
	list := r.late.list
	r.late.list = nil
	return list
}

// Lend notes that something is over when the call ends.
func (c *Call) Lend(x Loan) { c.loans = append(c.loans, x) }

// rollback puts back what was saved, newest first.
func (c *Call) rollback() {
	c.Wrote.Undo()
	for i := len(c.read) - 1; i >= 0; i-- {
		c.read[i].reader.Rewind(c.read[i].at)
	}
	c.Dates.Rewind()
	c.Undo.restore(0, func(*saved) bool { return true })
}

// Drawn are the strokes that a call has drawn: they are shown when it succeeds.
type Drawn struct {
	List  []sketch.Stroke
	Texts int // of these
}

// Add adds a stroke.
func (d *Drawn) Add(s *sketch.Stroke) {
	d.List = append(d.List, *s)
	if s.Kind == sketch.Text {
		d.Texts++
	}
}

// cut forgets all but the first n.
func (d *Drawn) cut(n int) {
	for i := n; i < len(d.List); i++ {
		if d.List[i].Kind == sketch.Text {
			d.Texts--
		}
	}
	clear(d.List[n:])
	d.List = d.List[:n]
}

// draw shows what the call has drawn.
func (c *Call) draw() {
	if len(c.Drawn.List) > 0 {
		sketch.Of(c.Tick.World).Draw(c.Tick, c.Drawn.List...)
	}
}

// reset makes the call ready for its next use.
func (c *Call) reset() {
	c.Tick, c.Name, c.Script, c.Entity, c.Rows, c.Once, c.Ran = nil, "", "", 0, false, false, nil
	c.before, c.Waiting, c.setsRoom, c.fewLooks, c.ample, c.judged = recorded{}, nil, 0, false, recorded{}, false
	c.Undo.forget()
	c.Dates.Forget()
	c.Timers, c.read = Emptied(c.Timers), Emptied(c.read)
	c.Drawn.cut(0)
	c.Wrote.forget()
	c.loans = Emptied(c.loans) // each may be part of a system, with all that its function holds
}

// Emptied returns the room of a slice, which lets go of what was in it.
func Emptied[T any](list []T) []T {
	clear(list)
	return list[:0]
}

// Invoke runs body as a call of a script: protected, metered by the host, and
// undone when it fails. The error is an *diag.Error.
func (r *Runner) Invoke(t *ecs.Tick, script, name string, body func(L *lua.LState)) error {
	return r.Perform(t, script, name, r.Function(body))
}

// Perform is Invoke for a body that is a Lua value already, for those that run
// often: making one is garbage.
func (r *Runner) Perform(t *ecs.Tick, script, name string, body *lua.LFunction) error {
	if err := r.Enter(t, script, name); err != nil {
		return err
	}
	ended := false
	defer r.abandon(&ended)
	err := r.Protect(body)
	ended = true
	return r.Leave(err)
}

// abandon is deferred by those who enter a call. A function of the host may end the
// goroutine that runs it (runtime.Goexit, as testing.T.FailNow does): then the call has
// neither returned nor panicked. It is undone, with all that its system has recorded, so
// that another goroutine can go on with the world.
func (r *Runner) abandon(ended *bool) {
	if *ended {
		return
	}
	r.NewThread() // that of a kernel's run, which Protect does not replace
	r.Call.Tick.Commands.Drop()
	_ = r.Leave(errGoexit) // nobody gets an error of a goroutine that ends
}

var errGoexit = errors.New("a function of the host has ended its goroutine")

// Refuses reports whether a system or an observer is not called, since the host's limits have left
// nothing for its script in this tick: rows is how many nanoseconds a compiled function needs at
// least, 0 for others. For the world it is as if it had not run. Of all such calls of
// a tick the first one gets an error, in which the others are counted.
//
// Why not call it and have it fail? Ten thousand systems that do nothing but fail take as long as
// several frames.
func (r *Runner) Refuses(t *ecs.Tick, name string, at diag.Place, rows int64) (refused bool, err error) {
	if refused, err = r.Bars(t.N, name, at, rows); refused {
		t.Pass()
		t.Idle()
	}
	return refused, err
}

// Bars is Refuses for a call in the tick with the number n of which the world does not know.
func (r *Runner) Bars(n uint64, name string, at diag.Place, rows int64) (barred bool, err error) {
	if r.Budget == nil {
		return false, nil
	}
	barred, why := r.Budget.Refuse(at.Script, name, rows)
	if !barred || why == nil {
		return barred, nil
	}
	why.System, why.Tick = name, n
	return true, why.On(at)
}

// stepsOfCall is what it takes to begin and to end a call, in instructions: there may be a million
// of them, each for next to nothing.
const stepsOfCall = 200

// around is what a call takes besides its own instructions.
func around(failed error) int64 {
	if failed != nil {
		return stepsOfCall + StepsOfFailure
	}
	return stepsOfCall
}

// StepsOfFailure is what it takes to undo a call or the turn of a row that has failed, and to report
// that, in instructions.
const StepsOfFailure = 1000

// StepsOfRest is what it takes in each run to pass over an entity for which the system has failed, in instructions.
const StepsOfRest = 100

// Function makes a Go function one that the VM calls.
func (r *Runner) Function(body func(L *lua.LState)) *lua.LFunction {
	return r.Main.NewFunction(func(L *lua.LState) int {
		fault.Intercept(L)
		defer fault.Catch(L)
		body(L)
		return 0
	})
}

// Enter begins a call of a script; Leave ends it.
func (r *Runner) Enter(t *ecs.Tick, script, name string) error {
	if r.Call != nil {
		return fmt.Errorf("%w: a script call inside a script call", ecs.ErrIterating)
	}
	c := r.free
	if r.free = nil; c == nil {
		c = &Call{}
	}
	c.Tick, c.Name, c.Script = t, name, script
	if r.Budget != nil {
		r.Usage.of = r.Budget.Scripts()
	}
	r.Usage.begin(c)
	r.payForSets()
	r.Call = c
	return nil
}

// Leave ends a call, which is undone if it has failed.
func (r *Runner) Leave(err error) (failed error) {
	c := r.Call
	if err == nil {
		err = r.TooManySets(c) // what no function was asked for, or the script has caught
	}
	r.Call = nil
	c.endHost()
	if err != nil {
		c.rollback()
		failed = r.Blame(c, err)
	} else if r.Usage.commit(c); !r.together {
		r.Timers.commit(c)
		c.draw()
	}
	for _, x := range c.loans {
		x.Recall()
	}
	if r.together && err == nil {
		r.waiting = append(r.waiting, c)
		return nil
	}
	c.reset()
	r.free = c
	return failed
}

// AllOrNone has the calls that body makes stand or fall together: when it returns an error, those
// that have succeeded are undone, too, as are all when it ends the goroutine. They are calls of one
// run of the world, which drops what they have recorded and moves no row in between.
func (r *Runner) AllOrNone(body func() error) (err error) {
	r.together = true
	done := false
	defer func() {
		calls := r.waiting
		r.together, r.waiting = false, nil
		for i := len(calls) - 1; i >= 0 && (!done || err != nil); i-- {
			calls[i].rollback()
		}
		for _, c := range calls {
			if done && err == nil {
				r.Timers.commit(c)
				c.draw()
			}
			c.reset()
			r.free = c
		}
	}()
	err = body()
	done = true
	return err
}

// Blame completes an error with what the call knows.
func (r *Runner) Blame(c *Call, err error) *diag.Error {
	e := value.Caught(err)
	e.System, e.Tick = c.Name, c.Tick.N
	if e.Entity == 0 {
		e.Entity = c.Entity
	}
	if e.Script == "" {
		e.Script = c.Script
	}
	return e
}

// Protect runs body on the binding's thread, within the host's limits. A Lua
// error, a Go panic and a limit come back as errors; after a panic the thread is
// replaced.
func (r *Runner) Protect(body *lua.LFunction) (err error) {
	r.Meter()
	r.Epoch++
	held, returned := r.Hold(), false
	defer func() {
		cause := recover()
		r.broken = r.broken || !returned // also when the goroutine ends, see abandon
		if cause != nil {
			err = fmt.Errorf("the Lua interpreter has failed in this call, which is undone; please report it: %v", cause)
		}
		held.Release()
		r.Over(err)
	}()
	err = PCall(r.Thread, body)
	returned = true
	return err
}

// ended is the panic that ends a call outside of the VM, as a Lua error ends others.
type ended struct{ err error }

// Body is the work of a call.
type Body interface {
	Run(L *lua.LState, t *ecs.Tick)
}

// PerformOutside is Perform for a body that needs the VM now and then only: see [Runner.Inside].
// Until then there is no protected call, no table for ctx, and, unless metered says that
// the body counts against them, no limits. For a system with few entities those are most of
// what a call costs.
func (r *Runner) PerformOutside(t *ecs.Tick, script, name string, metered bool, body Body) error {
	if err := r.Enter(t, script, name); err != nil {
		return err
	}
	ended := false
	defer r.abandon(&ended)
	err := r.outside(t, metered, body)
	ended = true
	return r.Leave(err)
}

// outside is Protect for a body outside of the VM.
func (r *Runner) outside(t *ecs.Tick, metered bool, body Body) (err error) {
	r.Epoch++
	held := r.Hold()
	defer func() {
		held.Release()
		switch cause := recover().(type) {
		case nil:
		case ended:
			err = cause.err
		default:
			err = &lua.ApiError{Type: lua.ApiErrorPanic, Object: lua.LString(fmt.Sprint(cause))}
		}
		r.Over(err)
	}()
	if metered {
		r.Meter()
	}
	body.Run(r.Thread, t)
	return nil
}

// Inside has the VM call a function for a body that is performed outside of it. An error
// ends the call.
func (r *Runner) Inside(body *lua.LFunction) {
	r.Meter()
	if err := PCall(r.Thread, body); err != nil {
		panic(ended{err})
	}
}

// Hold takes the world's iteration lock for a call into scripts. Why for the whole
// call, and not for the loop over the query only? Rows that were gathered outlive the
// loop, and so do the places that the undo writes to. The host's own functions,
// which scripts call, must not move them.
func (r *Runner) Hold() ecs.Hold {
	if r.World == nil {
		return ecs.Hold{} // a rehearsal
	}
	return r.World.Raw().Hold()
}

// Meter sets the host's limits for the call that is running. They are set once
// for a call, and before the VM works for it.
func (r *Runner) Meter() {
	if r.metered {
		return
	}
	r.metered = true
	if r.Budget == nil {
		return
	}
	script, call := r.alone.script, r.alone.name
	if r.Call != nil {
		script, call = r.Call.Script, r.Call.Name
	}
	r.Budget.Begin(r.Thread, script, call, r.Migrating)
}

// Over ends what Protect or PerformOutside has begun.
func (r *Runner) Over(err error) {
	r.Epoch++
	lua.EndDeferred(r.Thread)
	if r.metered {
		r.metered = false
		if r.Budget != nil {
			r.Budget.End(r.Thread, around(err))
		}
	}
	if err == nil && !r.broken {
		return
	}
	if api, ok := err.(*lua.ApiError); r.broken || ok && api.Type == lua.ApiErrorPanic {
		r.broken = false
		r.NewThread()
	}
	r.Thread.SetTop(0)
}

// PCall calls a function with what it is given and catches what it raises. Of a table with
// __tostring, as of objects that some make for errors, the text counts: it is asked for
// here, within the limits of the call.
func PCall(L *lua.LState, body *lua.LFunction, given ...lua.LValue) error {
	L.Push(body)
	for _, v := range given {
		L.Push(v)
	}
	err := L.PCall(len(given), 0, nil)
	api, ok := err.(*lua.ApiError)
	if !ok || api.Type == lua.ApiErrorPanic {
		return err
	}
	if t, ok := fault.Value(api.Object).(*lua.LTable); ok && proxy.Over(t) == "" {
		if words, ok := spoken(L, t); ok {
			fault.Of(api.Object).Message = words
		}
	}
	return err
}

// spoken asks a table for its text.
func spoken(L *lua.LState, t *lua.LTable) (string, bool) {
	meta, _ := lua.Metatable(t).(*lua.LTable)
	if meta == nil || t.RawGetString("message") != lua.LNil {
		return "", false
	}
	fn, ok := meta.RawGetString("__tostring").(*lua.LFunction)
	if !ok {
		return "", false
	}
	top := L.GetTop()
	defer L.SetTop(top)
	L.Push(fn)
	L.Push(t)
	if L.PCall(1, 1, nil) != nil {
		return "", false
	}
	words, ok := L.Get(-1).(lua.LString)
	return string(words), ok
}

// NewThread replaces the thread: after a Go panic its stack is beyond repair.
func (r *Runner) NewThread() { r.Thread, _ = r.Main.NewThread() }

// Attach has a context count what runs on a thread, as the host does it.
func (r *Runner) Attach(L *lua.LState, ctx gocontext.Context) {
	if r.Budget == nil {
		L.SetContext(ctx)
		return
	}
	r.Budget.Attach(L, ctx)
}

// Cut reports whether a call has failed because the host has cut it short, or because a function
// of the host has returned the error of the step's context, which has ended. It is made again.
func (r *Runner) Cut(err error) bool {
	if errors.Is(err, diag.ErrCut) {
		return true
	}
	if r.Budget == nil {
		return false
	}
	ctx := r.Budget.Context()
	return ctx != nil && ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, gocontext.Cause(ctx)))
}

// Ends reports whether an error ends the call as a whole, not only its part:
// what limits the call is used up, or the VM itself is broken.
func (r *Runner) Ends(L *lua.LState, err error) bool {
	if api, ok := err.(*lua.ApiError); ok && api.Type == lua.ApiErrorPanic {
		r.broken = true
		return true
	}
	ctx := L.Context()
	return ctx != nil && ctx.Err() != nil
}
