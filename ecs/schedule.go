package ecs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/perigee-ecs/perigee/ecs/internal/rng"
	"github.com/perigee-ecs/perigee/ecs/internal/work"
)

// Schedule holds a world's systems in the order in which they run: by phase,
// then by Before and After, then by priority, then by name; those of fixed steps
// come before those of the tick.
type Schedule struct {
	world *World
	blueprint
	tick    Tick
	report  []error
	lap     lap
	lull    lull         // of the systems that are skipped one after the other
	running []*scheduled // of the stage at hand
	queue   work.Queue   // and its jobs
	inboxes []*Inbox
	ctx     context.Context // of the step; nil for none
	cut     bool            // it has ended before something of this tick could run
	broken  bool            // the last call under the rules for systems was interrupted by that
	making  bool            // a fixed step that was cut short goes on, with the systems that missed it
	only    string          // the system that alone runs in the next step; "" for all
	late    []error         // of systems that were removed since the last step
	spent   time.Duration   // by the system that has begun to run last, in the runs before

	telemetry *telemetry  // nil while nobody wants reports
	scopes    work.Scopes // names of systems in profiles and traces
	looks     []*systemLook
	begins    []func() // see Raw.OnBegin
}

// scheduled is a system and what is known about its runs.
type scheduled struct {
	System
	health  health
	blocked string // see requirements
	asked   bool   // Disabled as it was when the system was added
	seed    uint64
	elapsed float64 // since the last run
	phase   float64 // into the interval
	missed  bool    // it has not run in a fixed step that was cut short
	runs    uint64  // those that were skipped included: random numbers follow from it
	skipped uint64  // because nothing had changed
	last    time.Duration
	total   time.Duration

	access  access        // of a parallel system
	own     *Tick         // its own, so that others may run at the same time
	busy    time.Duration // what the last run took, without its commands
	err     error         // what the run returned, until that is settled
	stack   []byte
	began   time.Time // the last run
	figures figures
}

// lap measures how long systems take.
//
// Why not two looks at the clock for each? To look is as much as all the rest that
// a system costs which has nothing to do. Where one follows the other at once, the
// end of the first is the beginning of the second.
type lap struct {
	base  time.Time // since which last is counted: to read one clock is cheaper than both
	last  time.Duration
	valid bool // nothing but a system has run since last
}

// begin notes that a system begins.
func (l *lap) begin() {
	if l.base.IsZero() {
		l.base = time.Now()
	}
	if !l.valid {
		l.last = time.Since(l.base)
	}
}

// end returns how long the system took.
func (l *lap) end() time.Duration {
	began := l.last
	l.last, l.valid = time.Since(l.base), true
	return l.last - began
}

// clock is the world's simulation time.
type clock struct {
	tick    uint64
	time    float64
	owed    float64           // time that fixed steps have not covered yet
	running runState          // a step, or a Run; atomic so that one on another goroutine is refused
	runs    map[string]uint64 // of World.Run, by name: what a Tick.Random follows from
	before  uint64            // transitions up to the end of the last tick
	moves   uint64            // and those of that tick
}

// runState says what a world is doing: a step or a Run, and whether a host has claimed its steps.
// Both are in one word, so that of two who begin at the same time exactly one is refused.
type runState struct{ bits atomic.Uint32 }

// The bits of a runState.
const (
	runsNow uint32 = 1 << iota // a step or a Run is under way
	claimed                    // only the holder of the claim may begin one, see Raw.Claim
)

// Load reports whether a step or a Run is under way.
func (r *runState) Load() bool { return r.bits.Load()&runsNow != 0 }

// Store notes that one begins or ends within the world's own work.
func (r *runState) Store(on bool) {
	if on {
		r.bits.Or(runsNow)
	} else {
		r.bits.And(^runsNow)
	}
}

// begin notes that one begins, and reports false where none may: another one is under way, or
// somebody else holds the claim.
func (r *runState) begin(holder bool) bool {
	return r.bits.CompareAndSwap(0, runsNow) || holder && r.bits.CompareAndSwap(claimed, claimed|runsNow)
}

// countMoves ends a tick for the statistics.
func (c *clock) countMoves(all uint64) { c.moves, c.before = all-c.before, all }

// Schedule returns the world's systems.
func (w *World) Schedule() *Schedule {
	if w.schedule.world == nil { // of the zero World
		w.schedule.world = w
	}
	return &w.schedule
}

// MaxTime is where the simulation time of a world ends, in seconds: after more than three thousand years. Up to
// there, a thousandth of a second more is another time.
const MaxTime = 1e11

// Time returns the seconds of simulation time and the number of ticks so far.
func (w *World) Time() (seconds float64, ticks uint64) { return w.clock.time, w.clock.tick }

// Random returns the world's own generator, for use outside of systems.
func (w *World) Random() *Random { return &w.random }

// Add puts systems into the schedule: all of them or, on an error, none. The
// error wraps ErrConflict, ErrUnknown, ErrRange, ErrCycle or ErrClosed; where the Init of
// a system has failed it is a *SystemError with the name of that system.
func (s *Schedule) Add(systems ...System) error { return s.Change(nil, systems) }

// Change removes systems by name and adds others in one step: all of it or, on
// an error, nothing. A system that is removed and added under the same name
// goes on where it was: its interval and run count stay, its health starts anew,
// and it stays enabled or not unless the new one asks for something else than the
// old one did. Do not call it from a running system.
//
// The systems that come are prepared first (System.Init), in running order. If one of them
// fails, those before it are shut down again and the schedule stays as it was. The systems
// that go are shut down last (System.Shutdown), the last in running order first; they
// go even if that fails, and the next Step returns the error. The error
// wraps ErrIterating in a loop over a query if one of them has an Init or a Shutdown.
func (s *Schedule) Change(remove []string, add []System) error {
	if s.world.clock.running.Load() {
		return fmt.Errorf("%w: the schedule cannot change while it runs", ErrIterating)
	}
	next, err := s.plan(remove, add)
	if err != nil {
		return err
	}
	come, gone := without(next.order, s.order), without(s.order, next.order)
	if err := s.refuseLifecycle(come, gone); err != nil {
		return err
	}
	opened := s.openReaders(come)
	if err := s.init(come); err != nil {
		for _, r := range opened {
			r.Close()
		}
		return err
	}
	s.closeReaders(come, gone)
	s.blueprint = next
	s.requirements.block()
	s.postpone(s.shutdown(gone))
	return nil
}

// without returns the systems of a list that are not in another one.
// O(both).
func without(list, others []*scheduled) []*scheduled {
	known := make(map[*scheduled]bool, len(others))
	for _, o := range others {
		known[o] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(o *scheduled) bool { return known[o] })
}

// refuseLifecycle returns an error if systems with an Init or a Shutdown come or go inside a
// loop: these functions may change the world.
func (s *Schedule) refuseLifecycle(come, gone []*scheduled) error {
	for _, o := range come {
		if o.Init != nil && s.world.locks > 0 {
			return fmt.Errorf("system %q has an Init: %w", o.Name, ErrIterating)
		}
	}
	for _, o := range gone {
		if o.Shutdown != nil && s.world.locks > 0 {
			return fmt.Errorf("system %q has a Shutdown: %w", o.Name, ErrIterating)
		}
	}
	return nil
}

// openReaders lets the readers of Event.Each begin. One whose system replaces another reader
// of the same events goes on where that one is. It returns those that were closed before.
func (s *Schedule) openReaders(come []*scheduled) (opened []*Reader) {
	for _, o := range come {
		if o.reader == nil || !o.reader.closed {
			continue
		}
		o.reader.open()
		if old := s.find(o.Name); old != nil && old.reader != nil && old.reader.stream == o.reader.stream {
			o.reader.next = old.reader.next
		}
		opened = append(opened, o.reader)
	}
	return opened
}

// closeReaders closes the readers of systems that go, but for those that systems which come read.
func (s *Schedule) closeReaders(come, gone []*scheduled) {
	kept := make(map[*Reader]bool, len(come))
	for _, o := range come {
		kept[o.reader] = true
	}
	for _, o := range gone {
		if o.reader != nil && !kept[o.reader] {
			o.reader.Close()
		}
	}
}

// init calls the Init of systems that come. What they have recorded is applied once all have
// succeeded. If one fails, those that have begun are shut down.
func (s *Schedule) init(come []*scheduled) error {
	var begun []*scheduled
	var ticks []*Tick
	defer func() {
		for _, t := range ticks {
			t.end()
		}
	}()
	fail := func(err error) error {
		for _, t := range ticks {
			t.Commands.Drop()
		}
		return errors.Join(append([]error{err}, s.shutdown(begun)...)...)
	}
	for _, o := range come {
		t := s.lifecycleTick(o, "init")
		ticks = append(ticks, t)
		if err := s.callOutside(t, "init", o.Init); err != nil {
			return fail(err)
		}
		begun = append(begun, o)
	}
	for _, t := range ticks {
		if err := s.callOutside(t, "init", func(t *Tick) error { return t.Commands.Apply() }); err != nil {
			return fail(err)
		}
	}
	return nil
}

// shutdown calls the Shutdown of systems, the last one first, and applies what each has recorded.
func (s *Schedule) shutdown(gone []*scheduled) (errs []error) {
	for _, o := range slices.Backward(gone) {
		if o.Shutdown == nil {
			continue
		}
		tick := s.lifecycleTick(o, "shutdown")
		err := s.callOutside(tick, "shutdown", func(t *Tick) error {
			if err := realError(o.Shutdown(t)); err != nil {
				return err
			}
			return t.Commands.Apply()
		})
		tick.end()
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// lifecycleTick makes the tick of an Init or a Shutdown. It has commands of its own, and
// random numbers that no run of the system draws.
func (s *Schedule) lifecycleTick(o *scheduled, what string) *Tick {
	w := s.world
	t := &Tick{World: w, Commands: w.NewCommands(), Time: w.clock.time, N: w.clock.tick, System: o.Name}
	t.random.Seed(systemSeed(w.options.Seed, rng.Hash(what+" "+o.Name), o.runs))
	return t
}

// end ends the tick of an Init or a Shutdown: whoever has kept it records with commands of no
// world, which issue no handle.
func (t *Tick) end() {
	t.over = true
	t.Commands.end()
}

// callOutside calls a function of a system between two steps: an error or a panic drops its
// commands.
func (s *Schedule) callOutside(t *Tick, what string, do func(*Tick) error) error {
	if do == nil {
		return nil
	}
	w := s.world
	locks := w.locks
	w.clock.running.Store(true)
	defer func() {
		w.clock.running.Store(false)
		w.locks = locks
	}()
	w.version++
	stack, err := protect(func() error { return do(t) })
	if err == nil {
		return nil
	}
	t.Commands.Drop()
	return &SystemError{System: t.System, Tick: t.N, Err: fmt.Errorf("%s: %w", what, err), Stack: stack}
}

// mostLate bounds the errors that wait in a world that makes no step.
const mostLate = 64

// postpone keeps errors for the next step; of more than mostLate the first ones.
func (s *Schedule) postpone(errs []error) {
	s.late = append(s.late, errs[:min(len(errs), mostLate-len(s.late))]...)
}

// takeLate returns the errors that wait.
func (s *Schedule) takeLate() []error {
	errs := s.late
	s.late = nil
	return errs
}

// Check returns the error that Change would return, and changes nothing. The
// systems' queries are not looked at.
func (s *Schedule) Check(remove []string, add []System) error {
	next, err := s.successors(remove, add)
	if err == nil {
		_, err = s.world.order(next)
	}
	return err
}

// plan works out the schedule that Change would make.
func (s *Schedule) plan(remove []string, add []System) (blueprint, error) {
	next, err := s.successors(remove, add)
	if err != nil {
		return blueprint{}, err
	}
	return s.world.plan(next)
}

// successors returns the systems that there would be after a Change, in no order.
func (s *Schedule) successors(remove []string, add []System) ([]*scheduled, error) {
	if s.world.closed() {
		return nil, fmt.Errorf("the schedule cannot change: %w", s.world.closedError())
	}
	going := make(map[string]bool, len(remove))
	for _, name := range remove {
		going[name] = true
	}
	next := slices.DeleteFunc(slices.Clone(s.order), func(o *scheduled) bool { return going[o.Name] })
	for i := range add {
		if err := add[i].check(s.world); err != nil {
			return nil, &PlanError{System: add[i].Name, Err: err}
		}
		next = append(next, s.renew(&add[i]))
	}
	return next, refuseSharedReaders(next)
}

// refuseSharedReaders returns an error if two systems are copies of one of Event.Each: each
// would read what the other has not.
func refuseSharedReaders(systems []*scheduled) error {
	of := map[*Reader]string{}
	for _, o := range systems {
		if o.reader == nil {
			continue
		}
		if first, ok := of[o.reader]; ok {
			return &PlanError{System: o.Name, Err: fmt.Errorf("%w: systems %q and %q are from one call of Event.Each; make one for each", ErrConflict, first, o.Name)}
		}
		of[o.reader] = o.Name
	}
	return nil
}

// renew wraps a system, taking over the past of the one that it replaces.
func (s *Schedule) renew(sys *System) *scheduled {
	n := &scheduled{System: *sys, seed: rng.Hash(sys.Name), asked: sys.Disabled}
	if sys.Breaker != nil {
		own := *sys.Breaker
		own.fill()
		n.health.own = &own
	}
	if old := s.find(sys.Name); old != nil {
		n.elapsed, n.phase, n.runs, n.skipped, n.total = old.elapsed, old.phase, old.runs, old.skipped, old.total
		n.missed = old.missed && n.Fixed
		if n.asked == old.asked {
			n.Disabled = old.Disabled // the new one asks for nothing else
		}
	}
	return n
}

// find returns the system of a name, or nil. O(1): a reload asks for each of thousands of systems, and scripts for names of 16 MB, which
// would be read to their ends to be found.
func (s *Schedule) find(name string) *scheduled {
	if len(name) > s.longest {
		return nil
	}
	return s.byName[name]
}

// systemImage is the past of a system.
type systemImage struct {
	breakerImage
	elapsed, phase float64
	runs, skipped  uint64
	disabled       bool
}

// capture copies the past of a system.
func (k *systemImage) capture(o *scheduled) {
	k.breakerImage.capture(o.Name, &o.health)
	k.elapsed, k.phase, k.runs, k.skipped, k.disabled = o.elapsed, o.phase, o.runs, o.skipped, o.Disabled
}

// restoreSystems gives systems their past back, by name. One that was added since has none.
func (im *image) restoreSystems(w *World) {
	s := &w.schedule
	var places map[string]int // of the image's systems by name; made when the order is another one
	for i, o := range s.order {
		k := i // mostly nothing has changed in the schedule
		if k >= len(im.systems) || im.systems[k].name != o.Name {
			if places == nil {
				places = im.systemPlaces()
			}
			if known, ok := places[o.Name]; ok {
				k = known
			} else {
				k = -1
			}
		}
		if k < 0 {
			o.elapsed, o.phase, o.runs, o.skipped, o.Disabled = 0, 0, 0, 0, o.asked
			o.health = health{own: o.health.own, total: o.health.total, since: w.clock.time}
			continue
		}
		was := &im.systems[k]
		o.elapsed, o.phase, o.runs, o.skipped, o.Disabled = was.elapsed, was.phase, was.runs, was.skipped, was.disabled
		before := o.health.total
		was.restore(&o.health)
		o.figures.failures += o.health.total - before // those of the image are none of this tick
	}
	s.requirements.block()
}

// systemPlaces says where the image has the system of each name.
func (im *image) systemPlaces() map[string]int {
	places := make(map[string]int, len(im.systems))
	for i := range im.systems {
		places[im.systems[i].name] = i
	}
	return places
}

// Enable switches a system on or off; false means that there is no such system, or that
// the world is closed.
func (s *Schedule) Enable(name string, on bool) bool {
	if s.world.closed() {
		return false
	}
	o := s.find(name)
	if o != nil && o.Disabled == on {
		o.Disabled = !on
		s.requirements.block()
	}
	return o != nil
}

// Only has the next step run one system alone, for whoever looks at what it does. It runs also where its
// interval is not over, but not while it is switched off, blocked or parked, or where its condition says no. All
// others wait, and get the time at their next run; those of fixed steps miss theirs. What belongs to no
// system happens as in each step: messages of inboxes, observers, delayed deaths. The step after
// it runs all of them again. A second call replaces the first one, and "" takes it back. False means
// that there is no such system, or that the world is closed; nothing is done then.
func (s *Schedule) Only(name string) bool {
	if s.world.closed() || name != "" && s.find(name) == nil {
		return false
	}
	s.only = name
	return true
}

// Switched iterates the systems that are the other way than [System.Disabled] of them asked for when they were
// added, because of [Schedule.Enable] or of a restored world, in running order: the name, and whether it is
// on. It allocates nothing. O(systems).
func (s *Schedule) Switched() iter.Seq2[string, bool] {
	return func(yield func(name string, on bool) bool) {
		for _, o := range s.order {
			if o.Disabled != o.asked && !yield(o.Name, !o.Disabled) {
				return
			}
		}
	}
}

// Health returns the state of a system; ok is false when there is none of that
// name. A system that is parked itself is Parked, whatever it requires.
func (s *Schedule) Health(name string) (h Health, ok bool) {
	if o := s.find(name); o != nil {
		return o.state(), true
	}
	return Healthy, false
}

// Failures returns the last runs of a system that have failed, at most 8, the oldest first;
// those of a system that was replaced are forgotten. It allocates.
func (s *Schedule) Failures(name string) []Failure {
	if o := s.find(name); o != nil {
		return slices.Clone(o.health.recent)
	}
	return nil
}

// state is the health that the system shows.
func (o *scheduled) state() Health {
	if o.blocked != "" && !o.health.open() {
		return Blocked
	}
	return o.health.state
}

// Len returns how many systems there are.
func (s *Schedule) Len() int { return len(s.order) }

// Names returns the systems in running order.
func (s *Schedule) Names() []string { return nameSystems(s.order) }

// Step advances the world by dt seconds, one tick: fixed steps first, as many as
// the time allows, then the tick's systems. A system that fails or panics does
// not stop the others; what failed comes back joined, each a *SystemError, and so
// does what kept entities of DespawnLater alive. A dt
// that is negative or no number, or leads beyond MaxTime, wraps ErrRange and does nothing, and a closed
// world returns ErrClosed. A step of
// systems that change nothing allocates nothing.
//
// While a step or a Run is under way, on this goroutine or another, and inside of a loop, the
// error wraps ErrIterating, and nothing is done: of two at the same time one is made. A host of scripts has a step of its own, which
// makes this one: see scripting.Host.Step for what becomes of scripts in a step without it.
func (w *World) Step(dt float64) error { return w.step(noContext, dt, false) }

// noContext is that of a step without one.
var noContext context.Context

// step is Step under a context, nil for none.
func (w *World) step(ctx context.Context, dt float64, holder bool) error {
	if err := w.enter("a step", holder); err != nil {
		return err
	}
	defer w.clock.running.Store(false)
	if !(dt >= 0) {
		return fmt.Errorf("%w: a step of %v seconds", ErrRange, dt)
	}
	if w.clock.time+dt > MaxTime {
		return fmt.Errorf("%w: a step of %v seconds: the time of a world ends at %v seconds", ErrRange, dt, float64(MaxTime))
	}
	w.schedule.turn(holder)
	w.schedule.ctx = ctx
	defer func() { w.schedule.ctx = nil }()
	dt += 0 // -0 becomes 0: no system gets a time below it
	w.clock.tick++
	w.reports.ahead = false
	w.slots.Now = uint32(min(w.clock.tick, math.MaxUint32)) // of deaths
	w.clock.time += dt
	s := &w.schedule
	s.report, s.cut = append(s.report[:0], s.takeLate()...), false
	s.telemetry.begin()
	s.scopes.Begin(s.ctx, "tick")
	defer s.scopes.End()
	s.begin(w)
	s.drain()
	s.telemetry.drained()
	s.look("")
	s.fixed(dt)
	s.runStages(false, dt)
	s.only = ""
	s.flush()
	s.sweep()
	s.noteCut()
	w.events.endTick()
	w.checkInvariants()
	w.compareTracked() // what is written after the step is later than the step
	w.clock.countMoves(w.moves)
	if s.telemetry != nil {
		s.tell(dt)
	}
	return errors.Join(s.report...)
}

// StepContext is World.Step that a context ends early. It is asked before each system, and
// before each stage of parallel ones: what has not begun by then does not run in this tick, and
// gets the time at its next run. A fixed step that is cut short goes on in the next step, for the
// systems that have missed it, and those that have not begun are made up for there, up to
// Options.MaxFixedSteps. What has run stays, commands, events and changes are delivered, and the
// next step may follow.
//
// A system may ask the context, too. Where it returns the context's error, it was interrupted:
// its commands are dropped, its breaker does not count that, and its next run has the time of
// this one as well. Nothing that waited for it is lost: [Event.Each] reads its events again, an
// observer gets the change again in the next step, or Run, before any later change, and an inbox
// does the message again. When observers are interrupted in step after step, at most 65,536
// changes wait for them; the step says how many more were dropped.
//
// The error then wraps that of the context, and its cause ([ContextError]). A context that has ended before
// the step has the same error, and nothing is done. The error wraps ErrConflict for a nil context.
func (s *Schedule) StepContext(ctx context.Context, dt float64) error {
	switch {
	case s.world.closed():
		return s.world.closedError()
	case ctx == nil:
		return fmt.Errorf("%w: a step with a nil context", ErrConflict)
	case ctx.Err() != nil:
		return fmt.Errorf("the step did not begin: %w", ContextError(ctx))
	}
	return s.world.step(ctx, dt, false)
}

// enter begins a step, or a Run. The world belongs to one goroutine, so that whoever has begun
// is asked for first: nothing else may be read while it is at work.
func (w *World) enter(what string, holder bool) error {
	if w.closed() {
		return w.closedError()
	}
	if !w.clock.running.begin(holder) {
		if !w.clock.running.Load() {
			return fmt.Errorf("%w: %s of the world while its host makes a step, inside of it or beside it", ErrIterating, what)
		}
		return fmt.Errorf("%w: %s inside a step, or beside one", ErrIterating, what)
	}
	if w.locks > 0 {
		w.clock.running.Store(false)
		return fmt.Errorf("%w: %s inside a loop", ErrIterating, what)
	}
	return nil
}

// ContextError returns the error of a context that has ended: it wraps both that of the context
// and its cause, where the two differ. This is what StepContext wraps, and what functions that
// take a context around it should, so that errors.Is finds the cause in each of them. It
// returns nil for a context that has not ended, and for none.
func ContextError(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}

// ended reports whether the step's context has ended.
func (s *Schedule) ended() bool { return s.ctx != nil && s.ctx.Err() != nil }

// interrupted reports whether a system has failed because the step's context has ended.
func (s *Schedule) interrupted(err error) bool {
	return s.ended() && (errors.Is(err, s.ctx.Err()) || errors.Is(err, context.Cause(s.ctx)))
}

// noteCut says that something has not run because the step's context has ended.
func (s *Schedule) noteCut() {
	s.note(s.world.notices.dropped())
	if s.cut {
		s.note(fmt.Errorf("tick %d was cut short: %w", s.tick.N, ContextError(s.ctx)))
	}
}

// pass has the systems of a stage wait for the next tick: their clocks go on.
func (s *Schedule) pass(st *stage, dt float64) {
	for _, o := range st.systems {
		if o.Fixed { // it makes this very step later
			o.missed = o.missed || !s.making
			s.cut = s.cut || o.missed && !o.Disabled && o.blocked == ""
			continue
		}
		o.wait(dt)
		s.cut = s.cut || !o.Disabled && o.blocked == ""
	}
}

// Run runs a function once, between two ticks, under the rules for systems: an
// error or a panic drops its commands and comes back as a *SystemError, success
// applies them and delivers the changes to observers. Tick.DT is zero. The names are
// remembered, as those of systems are: there should be few of them.
func (w *World) Run(name string, run func(*Tick) error) error { return w.run(name, run, false) }

// run is Run; the holder of a claim may begin it.
func (w *World) run(name string, run func(*Tick) error, holder bool) error {
	if err := w.enter("a run", holder); err != nil {
		return err
	}
	defer w.clock.running.Store(false)
	if run == nil {
		return fmt.Errorf("%w: run %q has no function", ErrConflict, name)
	}
	s := &w.schedule
	s.turn(holder)
	s.report = s.report[:0]
	s.scopes.Begin(noContext, "run")
	defer s.scopes.End()
	ended := s.telemetry.run(name)
	s.begin(w)
	s.tick.DT = 0
	s.tick.random.Seed(systemSeed(w.options.Seed, rng.Hash(name), w.ran(name)))
	s.note(s.guard(&s.tick, name, &health{}, func() error { return run(&s.tick) }))
	s.note(w.deliver(&s.tick))
	w.invariants.ended(w)
	err := errors.Join(s.report...)
	ended(err)
	return err
}

// turn calls the functions of Raw.OnBegin, unless the holder of a claim says when.
func (s *Schedule) turn(holder bool) {
	if holder {
		return
	}
	for _, begin := range s.begins {
		begin()
	}
}

// ran counts a Run of a name, and returns how many there were before.
func (w *World) ran(name string) (before uint64) {
	if w.clock.runs == nil {
		w.clock.runs = map[string]uint64{}
	}
	before = w.clock.runs[name]
	w.clock.runs[name]++
	return before
}

// begin begins a turn, and reports to observers what the host changed since the last tick.
func (s *Schedule) begin(w *World) {
	s.lap.valid = false
	w.notices.turn, w.notices.since = w.notices.turn+1, w.version
	if s.tick.Commands == nil {
		s.tick = Tick{World: w, Commands: w.NewCommands(), over: true}
	}
	s.noteStrays(s.tick.Commands.strays())
	s.tick.N, s.tick.Time = w.clock.tick, w.clock.time
	s.note(w.deliver(&s.tick))
}

// fixed runs the fixed steps that the time allows. Time beyond MaxFixedSteps is dropped. When the
// step's context has ended, the time of those that have not begun is owed.
func (s *Schedule) fixed(dt float64) {
	c, step := &s.world.clock, s.world.options.FixedStep
	c.owed += dt
	s.tick.Alpha = 0
	s.makeUp(step)
	for n := 0; c.owed >= step-1e-9; n++ {
		if s.ended() {
			s.cut = s.cut || s.hasFixed()
			break
		}
		if n == s.world.options.MaxFixedSteps {
			c.owed = max(math.Mod(c.owed+1e-9, step)-1e-9, 0)
			break
		}
		c.owed = max(c.owed-step, 0)
		s.telemetry.fixedStep()
		s.runStages(true, step)
	}
	s.tick.Alpha = min(c.owed/step, 1)
}

// makeUp ends the fixed step that a context has cut short: it runs the systems that have missed it.
func (s *Schedule) makeUp(step float64) {
	if !slices.ContainsFunc(s.order, func(o *scheduled) bool { return o.missed }) {
		return
	}
	s.making = true
	s.telemetry.fixedStep()
	s.runStages(true, step)
	s.making = false
}

// hasFixed reports whether some system runs in fixed steps.
func (s *Schedule) hasFixed() bool {
	return slices.ContainsFunc(s.order, func(o *scheduled) bool { return o.Fixed && !o.Disabled && o.blocked == "" })
}

// flush ends what DespawnLater named, and reports that to observers. A hook that panics is
// reported as a system of that name would be.
func (s *Schedule) flush() {
	if len(s.world.deferred.list) == 0 {
		return
	}
	if s.telemetry != nil {
		defer s.telemetry.flushed(time.Now())
	}
	stack, err := protect(func() error { _, err := s.world.FlushDespawns(); return err })
	if stack != nil {
		err = &SystemError{System: "DespawnLater", Tick: s.tick.N, Err: err, Stack: stack}
	}
	s.note(err)
	s.note(s.world.deliver(&s.tick))
}

// note adds an error to the report of the step.
func (s *Schedule) note(err error) {
	if err != nil {
		s.report = append(s.report, err)
	}
}

// runStages runs the stages of fixed steps, or those of the tick.
func (s *Schedule) runStages(fixed bool, dt float64) {
	s.lull.end()
	for i := range s.stages {
		switch st := &s.stages[i]; {
		case st.systems[0].Fixed != fixed:
		case s.ended():
			s.pass(st, dt)
			s.lap.valid = false
		case st.parallel:
			s.lull.end()
			s.runParallel(st, dt)
			s.lull.end()
			s.lap.valid = false
		default:
			s.run(st.systems[0], dt)
		}
	}
}

// run runs one system if it is due, then delivers what it caused.
func (s *Schedule) run(o *scheduled, dt float64) {
	wanted := s.wants(o, dt)
	s.lap.valid = s.lap.valid && wanted && o.When == nil
	if !wanted {
		return
	}
	if s.skips(o) {
		s.tick.System, s.lap.valid = o.Name, false
		s.note(s.world.deliver(&s.tick)) // what a run condition may have done
		return
	}
	t, open := &s.tick, o.health.open()
	s.lull.end()
	s.begun(o, t)
	s.lap.begin()
	s.note(s.guard(t, o.Name, &o.health, func() error { return o.Run(t) }))
	s.again(o, t)
	if s.telemetry != nil {
		o.began = s.lap.base.Add(s.lap.last)
		o.busy = s.telemetry.ran.Sub(o.began)
		o.figures.applied(s.telemetry.ran)
	}
	s.note(s.world.deliver(t))
	o.last = s.lap.end()
	o.total += o.last
	if s.telemetry != nil {
		s.telemetry.ended(o)
	}
	s.noteHealth(o, open)
	s.look(o.Name)
}

// again gives a run that does not count its time back. One that was interrupted is due at once.
func (s *Schedule) again(o *scheduled, t *Tick) {
	o.figures.passed = t.passed
	switch {
	case o.Fixed:
		o.missed = s.broken
	case s.broken:
		o.elapsed, o.phase = t.DT, o.Every
	case t.passed && !o.Parallel:
		o.elapsed = t.DT
	}
}

// begun counts a run and gives it its time and its random numbers.
func (s *Schedule) begun(o *scheduled, t *Tick) {
	t.DT, t.passed, o.elapsed = o.elapsed, false, 0
	s.spent = o.total
	o.runs++
	if s.telemetry != nil {
		o.figures.rows, o.figures.worker = o.yielded(), 0
	}
	t.random.Seed(systemSeed(s.world.options.Seed, o.seed, o.runs))
}

// skips reports whether a system that is wanted would find nothing, because each of its
// queries asks for what has changed, and nothing has. All is then as if it had run.
//
// Why not when it is not healthy? A run that finds nothing is a success, which counts, unless it
// says that it was idle. One of Event.Each is called for the events that wait, whatever it iterates besides.
func (s *Schedule) skips(o *scheduled) bool {
	if len(o.Queries) == 0 || o.health.state != Healthy || o.reader != nil && o.reader.Len() > 0 {
		return false
	}
	for _, q := range o.Queries {
		if !q.unchanged(&s.lull) {
			return false
		}
	}
	if o.Unchanged != nil && o.Unchanged(s.world) {
		return false
	}
	s.begun(o, &s.tick)
	o.skipped++
	return true
}

// wants reports whether a system runs now: it is due, may run and is wanted.
func (s *Schedule) wants(o *scheduled, dt float64) bool {
	if s.making && !o.missed {
		return false
	}
	o.missed = false
	if s.only != "" && s.only != o.Name && !o.Fixed {
		o.wait(dt)
		return false
	}
	alone := s.only == o.Name
	if !o.due(dt) && !alone {
		return false
	}
	may := (s.only == "" || alone) && !o.Disabled && o.blocked == "" && o.health.ready(s.world.clock.time)
	if may && (o.When == nil || s.wanted(o)) {
		return true
	}
	if o.Fixed {
		o.elapsed = 0 // its steps are of one length: those that it missed are not one long one
	}
	return false
}

// noteHealth blocks the systems that require one which was parked, and lets them run
// again when it has recovered.
func (s *Schedule) noteHealth(o *scheduled, open bool) {
	if open != o.health.open() {
		s.requirements.block()
	}
}

// wanted asks the system's run condition. One that panics is a failed run.
func (s *Schedule) wanted(o *scheduled) bool {
	s.lull.end() // a condition may write
	ok, locks, open := false, s.world.locks, o.health.open()
	stack, err := protect(func() error { ok = o.When(s.world); return nil })
	s.world.locks = locks
	if err != nil {
		s.note(s.failed(&s.tick, o.Name, &o.health, err, stack))
		s.noteHealth(o, open)
	}
	return ok
}

// wait adds dt to the clocks of a system that does not run in this step: it is due in the next one if its interval is
// over.
func (o *scheduled) wait(dt float64) {
	o.elapsed += dt
	if o.Every > 0 {
		o.phase = min(o.phase+dt, o.Every)
	}
}

// due adds dt to the system's clocks and reports whether its interval is over.
// The hair's breadth forgives the rounding of many small steps.
func (o *scheduled) due(dt float64) bool {
	o.elapsed += dt
	if o.Every <= 0 {
		return true
	}
	if o.phase += dt; o.phase < o.Every-1e-9 {
		return false
	}
	o.phase = max(math.Mod(o.phase+1e-9, o.Every)-1e-9, 0)
	return true
}

// guard runs a function under the rules for systems: a panic is an error, an
// error drops the commands, success applies them, and health keeps count.
func (s *Schedule) guard(t *Tick, name string, h *health, run func() error) error {
	s.broken = false
	if !h.ready(t.Time) {
		return nil
	}
	if n := t.Commands.strays(); n > 0 {
		s.noteStrays(n)
	}
	s.world.version++
	s.world.invariants.ran(s.world.version, name)
	t.System, t.over = name, false
	s.world.reports.begins(name)
	t.scope = s.scopes.Of(name)
	stay := t.scope.Enter()
	locks := s.world.locks
	stack, err := protect(run)
	s.world.locks = locks
	if s.telemetry != nil {
		s.telemetry.ran = time.Now()
	}
	err = s.conclude(t, name, h, stack, err)
	s.world.reports.ends()
	stay.Leave()
	t.over = true
	return err
}

// noteStrays says that commands were recorded after the end of their tick.
func (s *Schedule) noteStrays(n int) {
	if n > 0 {
		s.note(fmt.Errorf("%w: %d commands were recorded with the Commands of a Tick that is over, and are dropped", ErrConflict, n))
	}
}

// sweep finds what was recorded after their end with the ticks of jobs, and with those of
// parallel systems, which may not run again. Those that share a tick are looked at when it begins.
func (s *Schedule) sweep() {
	s.noteStrays(s.tick.parallelLoop.strays())
	for _, o := range s.order {
		if o.own != nil {
			s.noteStrays(o.own.Commands.strays() + o.own.parallelLoop.strays())
		}
	}
}

// conclude applies what a run recorded, or drops it when the run failed.
func (s *Schedule) conclude(t *Tick, name string, h *health, stack []byte, err error) error {
	idle := t.idle
	t.idle, s.broken = false, false // what observers do comes next
	if err == nil && !t.Commands.idle() {
		locks := s.world.locks
		var told error
		stack, err = protect(func() (failed error) { // functions of Do may panic too
			failed, told = t.Commands.applyAll()
			return failed
		})
		s.world.locks = locks
		s.note(told)
	}
	if err != nil {
		t.Commands.Drop()
		return s.failed(t, name, h, err, stack)
	}
	if !idle {
		h.succeeded(t.Time)
	}
	return nil
}

// failed counts a failure and says what there is to say about it.
func (s *Schedule) failed(t *Tick, name string, h *health, err error, stack []byte) error {
	if inner, ok := err.(*SystemError); ok && inner.System == name {
		err, stack = inner.Err, inner.Stack // returned by Tick.Parallel
	}
	if s.interrupted(err) {
		s.cut, s.broken = true, true
		return nil
	}
	b := h.own
	if b == nil {
		b = &s.world.options.Breaker
	}
	parked := h.failed(Failure{t.N, t.Time, err}, b)
	return &SystemError{System: name, Tick: t.N, Parked: parked, Err: err, Stack: stack}
}

// OnTick has a function called at the end of each step, with a report on it. It is for
// metrics, traces and logs. Several are called in the order in which they came. The report is
// good during the call only, and the world may be read in it and not changed: that returns
// ErrIterating. A function that panics fails the step with a *[SystemError] of the name
// "OnTick"; the others are called all the same. remove takes the function away; it
// may be called at any time, by the goroutine of the world.
//
// While there is a function, a step looks at the clock three times more for each system that
// runs, and allocates nothing. The error wraps ErrConflict for a nil function, ErrClosed, or
// ErrIterating inside of a step.
func (s *Schedule) OnTick(report func(*TickReport)) (remove func(), err error) {
	switch {
	case s.world.closed():
		return nil, fmt.Errorf("a function for reports on ticks: %w", s.world.closedError())
	case report == nil:
		return nil, fmt.Errorf("%w: reports on ticks go to a nil function", ErrConflict)
	case s.world.clock.running.Load():
		return nil, fmt.Errorf("%w: OnTick inside a step", ErrIterating)
	}
	if s.telemetry == nil {
		s.telemetry, s.world.countsRows = s.newTelemetry(), true
	}
	h := &tickHook{report}
	s.telemetry.hooks = append(s.telemetry.hooks, h)
	return func() {
		if h.report = nil; !s.world.clock.running.Load() {
			s.dropHooks()
		}
	}, nil
}

// AfterSystem has a function called within each step: with "" before the first system, and with
// the name of each system that has run, when its commands are applied and observers have got its
// changes. Of systems that ran at the same time, each is named after all of them. It is for tools that look
// for the system which has written something. The world may be read in it and not changed: that
// returns ErrIterating. A function that panics fails the step, as one of OnTick does, with the name
// "AfterSystem". remove takes the function away; inside of a step, from the next step on.
//
// The error wraps ErrConflict for a nil function, ErrClosed, or ErrIterating inside of a step.
func (s *Schedule) AfterSystem(look func(system string)) (remove func(), err error) {
	switch {
	case s.world.closed():
		return nil, fmt.Errorf("a function for after each system: %w", s.world.closedError())
	case look == nil:
		return nil, fmt.Errorf("%w: a nil function is to be called after each system", ErrConflict)
	case s.world.clock.running.Load():
		return nil, fmt.Errorf("%w: AfterSystem inside a step", ErrIterating)
	}
	l := &systemLook{look}
	s.looks = append(s.looks, l)
	return func() {
		l.look = nil
		if !s.world.clock.running.Load() {
			s.looks = slices.DeleteFunc(s.looks, func(o *systemLook) bool { return o.look == nil })
		}
	}, nil
}

// systemLook is a function of AfterSystem; nil once it was removed.
type systemLook struct{ look func(system string) }

// look calls the functions of AfterSystem.
func (s *Schedule) look(system string) {
	for _, l := range s.looks {
		if l.look == nil {
			continue
		}
		s.world.locks++
		locks := s.world.locks
		stack, err := protect(func() error { l.look(system); return nil })
		if s.world.locks = locks - 1; err != nil {
			s.note(&SystemError{System: "AfterSystem", Tick: s.tick.N, Err: err, Stack: stack})
		}
	}
}

// tickHook is a function of OnTick; nil once it was removed.
type tickHook struct{ report func(*TickReport) }

// telemetry measures a tick for the functions of OnTick. A nil one measures nothing.
type telemetry struct {
	hooks   []*tickHook
	report  TickReport
	ran     time.Time      // when a function under the rules for systems has returned
	dropped uint64         // events, by the last report
	telling int            // the world's locks while the functions get the report, else 0
	runs    []RunReport    // since the last report
	runAt   map[string]int // in runs, by name

	spareRuns []RunReport // those of the last report
}

// figures are what a system has done in the tick so far.
type figures struct {
	SystemReport
	rows     uint64        // that its queries had yielded before the run at hand
	commands time.Duration // of the run at hand
	settled  time.Time     // when these began to be applied
	worker   int           // that has run its function
	failures uint64        // of the system, by the last report
	passed   bool          // the run at hand does not count, see Tick.Pass
}

// newTelemetry begins to count from here.
func (s *Schedule) newTelemetry() *telemetry {
	for _, o := range s.order {
		o.figures = figures{failures: o.health.total}
	}
	return &telemetry{dropped: s.world.dropped()}
}

// begin starts the report of a tick.
func (t *telemetry) begin() {
	if t != nil {
		t.report = TickReport{Began: time.Now(), Systems: t.report.Systems, Spans: t.report.Spans[:0]}
	}
}

// mostRunNames is how many names of runs a report tells apart: scripts choose them.
const mostRunNames = 1000

// notTold is how a run ends that nobody measures.
func notTold(error) {}

// run measures a run outside of ticks until the function that it returns is called.
func (t *telemetry) run(name string) (ended func(error)) {
	if t == nil {
		return notTold
	}
	began := time.Now()
	return func(err error) {
		at, known := t.runAt[name]
		if !known {
			if t.runAt == nil {
				t.runAt = map[string]int{}
			}
			if at = len(t.runs); at < mostRunNames {
				t.runs = append(t.runs, RunReport{Name: name})
			} else {
				at = mostRunNames - 1
			}
			t.runAt[name] = at
		}
		r := &t.runs[at]
		r.Runs++
		r.Took += time.Since(began)
		if err != nil {
			r.Failures++
		}
	}
}

// toldRuns returns the runs since the last report, and begins anew: what is in a report is good
// until the next one.
func (t *telemetry) toldRuns() (list []RunReport, took time.Duration) {
	for i := range t.runs {
		took += t.runs[i].Took
	}
	clear(t.runAt)
	list, t.runs = t.runs, t.spareRuns[:0]
	t.spareRuns = list
	return list, took
}

// drained notes that the systems come next.
func (t *telemetry) drained() {
	if t != nil {
		t.report.Inputs = time.Since(t.report.Began)
	}
}

// fixedStep counts a fixed step.
func (t *telemetry) fixedStep() {
	if t != nil {
		t.report.FixedSteps++
	}
}

// flushed notes how long the despawns at the end have taken.
func (t *telemetry) flushed(began time.Time) { t.report.Despawns = time.Since(began) }

// applied notes that the commands of a run were applied; they came after its function.
func (a *figures) applied(ran time.Time) { a.settled, a.commands = ran, time.Since(ran) }

// ended adds a run, or a pass, to what the system has done.
func (t *telemetry) ended(o *scheduled) {
	a := &o.figures
	if a.Runs+a.Passed == 0 {
		a.Began = o.began.Sub(t.report.Began)
	}
	if a.passed {
		a.Passed++
		a.PassedTook += o.busy
	} else {
		a.Runs++
		a.Took += o.busy
	}
	rows, observers := int(o.yielded()-a.rows), o.last-o.busy-a.commands
	a.Rows += rows
	a.Commands += a.commands
	a.Observers += observers
	if begin := t.report.Began; len(t.report.Spans) < mostSpans {
		t.report.Spans = append(t.report.Spans, Span{o.Name, a.worker, o.began.Sub(begin), o.busy, a.settled.Sub(begin), a.commands, observers, rows, a.passed})
	}
}

// yielded counts the rows that the system's queries have yielded so far.
func (o *scheduled) yielded() (rows uint64) {
	for i, q := range o.Queries {
		if !slices.Contains(o.Queries[:i], q) {
			rows += q.yielded
		}
	}
	return rows
}

// tell ends the report of a tick, and gives it to the functions.
func (s *Schedule) tell(dt float64) {
	t, w := s.telemetry, s.world
	r := &t.report
	r.Took = time.Since(r.Began)
	r.World, r.N, r.DT, r.Time, r.Entities, r.Moves = w, w.clock.tick, dt, w.clock.time, w.Len(), w.clock.moves
	r.Cut, r.Err, r.Unchecked = s.cut, errors.Join(s.report...), w.invariants.unchecked()
	dropped := w.dropped()
	r.Dropped, t.dropped = dropped-t.dropped, dropped
	r.Runs, r.RunsTook = t.toldRuns()
	r.Systems = r.Systems[:0]
	for _, o := range s.order {
		r.Systems = append(r.Systems, o.reported())
	}
	w.locks++
	t.telling = w.locks
	for _, h := range t.hooks {
		if h.report != nil {
			s.call(h)
		}
	}
	w.locks--
	t.telling = 0
	s.dropHooks()
}

// telling reports whether an error says only that a function of OnTick runs, which iterates
// nothing. The step has compared what is tracked by then, so that nothing is written for it.
func (s *Schedule) telling(err error) bool {
	t := s.telemetry
	return t != nil && t.telling > 0 && t.telling == s.world.locks && errors.Is(err, ErrIterating)
}

// call gives the report to one function.
func (s *Schedule) call(h *tickHook) {
	locks := s.world.locks
	stack, err := protect(func() error { h.report(&s.telemetry.report); return nil })
	s.world.locks = locks
	if err != nil {
		s.note(&SystemError{System: "OnTick", Tick: s.tick.N, Err: err, Stack: stack})
	}
}

// reported returns what the system has done in the tick, and begins anew.
func (o *scheduled) reported() SystemReport {
	r, total := o.figures.SystemReport, o.health.total
	r.Name, r.Phase, r.Fixed, r.Parallel, r.Health = o.Name, o.Phase, o.Fixed, o.Parallel, o.state()
	r.Failures = int(total - o.figures.failures)
	o.figures = figures{failures: total}
	return r
}

// dropHooks forgets the functions that were removed.
func (s *Schedule) dropHooks() {
	if s.telemetry == nil {
		return
	}
	s.telemetry.hooks = slices.DeleteFunc(s.telemetry.hooks, func(h *tickHook) bool { return h.report == nil })
	if len(s.telemetry.hooks) == 0 {
		s.telemetry, s.world.countsRows = nil, false
	}
}

// ErrInboxFull is what [Inbox.Post] wraps when as many messages wait as the inbox holds.
var ErrInboxFull = errors.New("inbox full")

// Inbox takes what other goroutines want done in a world: the inputs of players, the orders of a
// server. They are done at the beginning of the next step, before its first system.
//
// Any goroutine may post. For those who post under different numbers, the order does not
// depend on which goroutine was faster: messages are done by number, and those of one
// number in the order of their posts. So the same messages between the same two steps lead to the
// same world.
type Inbox struct {
	world *World

	mu       sync.Mutex // guards what follows
	capacity int
	waiting  []message
	spare    []message
	closed   bool
}

// message is what one post wants done.
type message struct {
	from uint64
	do   func(*Tick) error
}

// NewInbox opens an inbox of a world that holds so many messages between two steps. A world may
// have several: they are emptied in the order in which they were opened. It belongs to the
// goroutine of the world, and is closed with the world. The error wraps ErrClosed, ErrConflict
// for a nil world, or ErrRange for a capacity below 1 or above a million.
func NewInbox(w *World, capacity int) (*Inbox, error) {
	if err := w.refuseDeclaring("an inbox"); err != nil {
		return nil, err
	}
	if capacity < 1 || capacity > mostMessages {
		return nil, fmt.Errorf("%w: an inbox for %d messages; it can be 1 to %d", ErrRange, capacity, mostMessages)
	}
	b := &Inbox{world: w, capacity: capacity}
	w.schedule.inboxes = append(w.schedule.inboxes, b)
	return b, nil
}

// mostMessages is the largest capacity of an inbox.
const mostMessages = 1_000_000

// Post has a function called at the beginning of the next step, under the rules for systems: it
// may do what a system may, by the commands of its tick, which is that of a system named
// "inbox"; an error or a panic drops what it has recorded, and the step returns it as a
// *[SystemError]. The others are done all the same; where one ends the goroutine, as runtime.Goexit
// does, in the next step, which says so. From is the number of who posts: of a
// player, of a connection.
//
// Any goroutine may call it, also while a step runs: then the message waits for the next one.
// The error wraps ErrInboxFull, ErrClosed, or ErrConflict for a nil function. O(1).
func (b *Inbox) Post(from uint64, do func(*Tick) error) error {
	if b == nil || b.world == nil {
		return fmt.Errorf("inbox: %w", ErrClosed)
	}
	if do == nil {
		return fmt.Errorf("inbox: %w: a nil function was posted", ErrConflict)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return fmt.Errorf("inbox: %w", ErrClosed)
	case len(b.waiting) >= b.capacity:
		return fmt.Errorf("%w: %d messages wait for the next step", ErrInboxFull, len(b.waiting))
	}
	b.waiting = append(b.waiting, message{from, do})
	return nil
}

// Len returns how many messages wait. Any goroutine may call it.
func (b *Inbox) Len() int {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

// Close closes the inbox before its world: what waits is forgotten, also where a message of it calls Close, and Post returns ErrClosed. It
// belongs to the goroutine of the world. A second call does nothing.
func (b *Inbox) Close() {
	if b == nil || b.world == nil {
		return
	}
	s := &b.world.schedule
	s.inboxes = slices.DeleteFunc(slices.Clone(s.inboxes), func(o *Inbox) bool { return o == b }) // a message may close one
	b.shut()
}

// shut forgets what waits.
func (b *Inbox) shut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed, b.waiting, b.spare = true, nil, nil
}

// take returns what waits, in order. It is good until the next call.
func (b *Inbox) take() []message {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.waiting
	b.waiting, b.spare = b.spare[:0], list
	slices.SortStableFunc(list, func(x, y message) int { return cmp.Compare(x.from, y.from) })
	return list
}

// putBack has messages wait again, before those that were posted meanwhile. There may be more than
// the capacity then.
func (b *Inbox) putBack(list []message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.waiting = append(slices.Clone(list), b.waiting...)
	}
}

// drain does what waits in the inboxes. What is posted meanwhile waits for the next step, and so
// does what the step's context has interrupted, with all that comes after it.
func (s *Schedule) drain() {
	for i, b := range s.inboxes {
		list := b.take()
		if len(list) > 0 {
			s.tick.DT = 0
			s.tick.random.Seed(systemSeed(s.world.options.Seed, rng.Hash("inbox")+uint64(i), s.tick.N))
		}
		s.doMessages(b, list)
		clear(list) // functions may hold much
	}
}

// doMessages does what was taken out of an inbox, until a message closes that. What a message has
// not let the step come to, because it has ended the goroutine, waits for the next step.
func (s *Schedule) doMessages(b *Inbox, list []message) {
	at := 0
	defer func() {
		if at < len(list) {
			b.putBack(list[at+1:])
			s.postpone([]error{fmt.Errorf("%w: a message of an inbox has ended the goroutine of the step before this one, as runtime.Goexit does: nothing after it was done in that step; the messages behind it are done in this one", ErrConflict)})
		}
	}()
	for ; at < len(list) && !b.isClosed(); at++ {
		s.note(s.guard(&s.tick, "inbox", &health{}, func() error { return list[at].do(&s.tick) }))
		if s.broken {
			b.putBack(list[at:])
			break
		}
		s.note(s.world.deliver(&s.tick))
	}
	at = len(list)
}

// isClosed reports whether the inbox is closed.
func (b *Inbox) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}
