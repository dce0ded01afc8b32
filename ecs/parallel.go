package ecs

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/perigee-ecs/perigee/ecs/internal/work"
)

const (
	// worthwhile is how much work the other goroutines must have for it to be worth
	// waking them: to wake one takes some microseconds.
	worthwhile = 10 * time.Microsecond
	// grain is how many rows make a job: enough that taking one costs little
	// compared with the work, so few that two workers finish at nearly the same time.
	// It is the same whatever the number of workers, for a function may tell
	// where one view ends and the next begins.
	grain = 512
	// gathered bounds the views that wait to be worked on, for queries that yield
	// one entity at a time.
	gathered = 4096
)

// parallelLoop is what Tick.Parallel works with, kept for the next time.
type parallelLoop struct {
	queue work.Queue
	tick  *Tick
	query *Query
	run   func(*Tick, *Chunk)
	views []Chunk
	jobs  []job
	rows  int    // of the last job, so far
	seed  uint64 // for the random numbers of the next job
	busy  bool
	// working says that jobs run, so that nothing else may be shared out. It is written while
	// none does.
	working bool
	err     error // of the first job that failed
	stray   int   // commands that jobs have recorded after their end
}

// job is some views in a row, and what was recorded for them.
type job struct {
	from, to int // of views
	tick     *Tick
	stack    []byte
	err      error
}

// Parallel calls run for everything that the query yields, on the world's
// workers: chunks in order, long ones as views of 512 rows. It returns when all
// is done; the result is the same whatever the number of workers. Columns that
// the query declares to write are stamped in all that it yields, touched or not.
//
// run gets a chunk, which is its own for the time of the call, and a Tick: that of the
// caller, with commands that follow those of the caller in order of the chunks, and with
// random numbers that follow from one of the caller and from the place of the rows among all.
// It must not write anything else that another call could touch, and iterate no query. Spawn
// waits for the calls before it; the handle is alive once the world has moved on: after
// Parallel, or, in a parallel system, after its stage. If an observer watches for OnSet on what
// the query writes, one goroutine does it all. The Tick is over when run returns.
//
// Every call is made even when one panics. Then none of what was recorded counts,
// and the error is a *SystemError with the stack of the first, by order of the
// chunks. Parallel and ParallelFor inside run return ErrIterating. For a nil run, a nil query
// or one of another world, the error wraps ErrConflict.
//
// O(what the query yields), and for fewer than two times 512 rows nothing more
// than a loop. It allocates nothing once warm, given a run made only once.
func (t *Tick) Parallel(q *Query, run func(t *Tick, c *Chunk)) error {
	if err := t.Err(); err != nil {
		return err
	}
	if t.parallelLoop == nil {
		t.parallelLoop = &parallelLoop{tick: t}
		t.parallelLoop.queue.Job = t.parallelLoop.do
	}
	f := t.parallelLoop
	switch {
	case f.busy || t.ofJob:
		return fmt.Errorf("%w: Parallel inside Parallel", ErrIterating)
	case run == nil:
		return fmt.Errorf("%w: Parallel got no function", ErrConflict)
	case q == nil || q.world != t.World:
		return fmt.Errorf("%w: Parallel over a query of another world, or of none", ErrConflict)
	}
	f.busy, f.query, f.run, f.seed = true, q, run, t.random.Uint64()
	defer f.end()
	before := t.Commands.Mark()
	for c := range q.Chunks() {
		f.gather(c)
		if len(f.views) >= gathered && len(q.changed) == 0 {
			f.flush()
		}
	}
	f.flush()
	if f.err != nil {
		t.Commands.Rewind(before)
	}
	if t.Commands.ticket.Zero() {
		t.Commands.settle()
	}
	return f.err
}

// gather cuts a chunk into views and these into jobs.
func (f *parallelLoop) gather(c *Chunk) {
	for first := 0; first < c.n; first += grain {
		n := min(grain, c.n-first)
		f.views = append(f.views, c.rows(first, n))
		if len(f.jobs) == 0 || f.rows+n > grain {
			f.addJob()
		}
		f.rows += n
		f.jobs[len(f.jobs)-1].to = len(f.views)
	}
}

// addJob begins a job with the last view; jobs of before lend their buffers.
func (f *parallelLoop) addJob() {
	if len(f.jobs) == cap(f.jobs) {
		f.jobs = append(f.jobs, job{})
	} else {
		f.jobs = f.jobs[:len(f.jobs)+1]
	}
	j := &f.jobs[len(f.jobs)-1]
	j.from, f.rows = len(f.views)-1, 0
	if j.tick == nil {
		j.tick = &Tick{World: f.tick.World, Commands: f.tick.World.NewCommands(), ofJob: true}
	}
}

// flush does the jobs that were gathered and takes over what they recorded.
func (f *parallelLoop) flush() {
	if len(f.jobs) == 0 {
		return
	}
	w, t := f.tick.World, f.tick
	watched := f.stamp()
	if !w.frozen.on {
		w.freeze()
		defer w.thaw()
	}
	f.queue.Up, f.queue.Scope = t.Commands.ticket, t.scope
	for i := range f.jobs {
		own := f.jobs[i].tick
		f.stray += own.Commands.lend(w)
		own.passed, own.over = false, false
		own.DT, own.Time, own.N, own.Alpha, own.System = t.DT, t.Time, t.N, t.Alpha, t.System
		own.random.Seed(NewRandom(f.seed).Uint64())
		f.seed++
		own.Commands.ticket = f.queue.Ticket(i)
	}
	f.working = true
	w.runQueue(&f.queue, len(f.jobs), watched)
	f.working = false
	for i := range f.jobs {
		f.collect(&f.jobs[i])
	}
	f.views, f.jobs = f.views[:0], f.jobs[:0]
}

// stamp marks the columns that the query declares to write, so that goroutines
// which work on rows of one chunk find them marked; it reports whether one of them
// is observed.
func (f *parallelLoop) stamp() (watched bool) {
	for _, t := range f.query.terms {
		if !t.write {
			continue
		}
		watched = watched || f.tick.World.components[t.id].setObserved()
		for i := range f.views {
			if v := &f.views[i]; v.column(t.id) != nil {
				v.stamp(t.id)
			}
		}
	}
	return watched
}

// do is the i-th job: it makes every call, and keeps the first failure.
func (f *parallelLoop) do(i int) {
	j := &f.jobs[i]
	j.err = errEnded // unless it returns
	var first error
	for k := j.from; k < j.to; k++ {
		stack, err := protect(func() error { f.run(j.tick, &f.views[k]); return nil })
		if err != nil && first == nil {
			first, j.stack = err, stack
		}
	}
	j.err = first
}

// collect takes over what a job has recorded, and its failure if it is the first.
func (f *parallelLoop) collect(j *job) {
	t := f.tick
	j.tick.Commands.ticket = work.Ticket{}
	t.Commands.take(j.tick.Commands)
	j.tick.over = true
	j.tick.Commands.end()
	t.passed = t.passed || j.tick.passed
	if j.err != nil && f.err == nil {
		f.err = &SystemError{System: t.System, Tick: t.N, Err: j.err, Stack: j.stack}
	}
	j.err, j.stack = nil, nil
}

// end leaves what the next call needs.
func (f *parallelLoop) end() {
	f.views, f.jobs = f.views[:0], f.jobs[:0]
	f.busy, f.working, f.query, f.run, f.err = false, false, nil, nil, nil
}

// strays returns how many commands jobs have recorded after their end, and drops them.
func (f *parallelLoop) strays() (n int) {
	if f == nil {
		return 0
	}
	n, f.stray = f.stray, 0
	for _, j := range f.jobs[:cap(f.jobs)] {
		if j.tick != nil {
			n += j.tick.Commands.strays()
		}
	}
	return n
}

// parallelFor is what Tick.ParallelFor works with, kept for the next time.
type parallelFor struct {
	queue work.Queue
	body  func(i int)
	busy  bool

	mu    sync.Mutex // guards what follows
	first int        // the job that failed with the lowest number, of which err and stack are
	err   error      // nil: none has failed
	stack []byte
}

// ParallelFor calls job for every number from 0 up to, not including, n, on the world's
// workers ([Options].Workers), and returns when all is done. Which job runs where
// and when is not defined, except that a job begins after all jobs with lower
// numbers have begun. It is for code that has found out what to work on and knows
// that no two jobs touch the same bytes; [Tick.Parallel] does that for a query.
//
// A job must not change the world's structure, record commands or iterate
// queries. What it writes into columns it stamps nowhere: that is the caller's,
// before or after. Every job runs even when one panics; the error is a
// *SystemError with the stack of the first, by number. ParallelFor inside a job returns
// ErrIterating.
//
// The caller's own goroutine does the first job, and all of them if by that time
// the rest is not worth waking another: some microseconds. It costs O(n), a lock and, where others are
// woken, four bytes for each job; it allocates nothing once warm, given a job made only once.
func (t *Tick) ParallelFor(n int, job func(i int)) error {
	if err := t.Err(); err != nil {
		return err
	}
	if t.parallelFor == nil {
		t.parallelFor = &parallelFor{}
		t.parallelFor.queue.Job = t.parallelFor.do
	}
	s, w := t.parallelFor, t.World
	switch {
	case s.busy:
		return fmt.Errorf("%w: ParallelFor inside ParallelFor", ErrIterating)
	case t.ofJob || t.parallelLoop != nil && t.parallelLoop.working:
		return fmt.Errorf("%w: ParallelFor inside Parallel", ErrIterating)
	}
	if n <= 0 {
		return nil
	}
	s.busy, s.body = true, job
	defer s.end()
	if !w.frozen.on {
		w.freeze()
		defer w.thaw()
	}
	s.queue.Up, s.queue.Scope = t.Commands.ticket, t.scope
	w.runQueue(&s.queue, n, false)
	if s.err != nil {
		return &SystemError{System: t.System, Tick: t.N, Err: s.err, Stack: s.stack}
	}
	return nil
}

// do is the i-th job.
func (s *parallelFor) do(i int) {
	stack, err := []byte(nil), errEnded // unless it returns
	defer func() {
		if err != nil {
			s.note(i, stack, err)
		}
	}()
	stack, err = protect(func() error { s.body(i); return nil })
}

// note notes a job that has failed.
func (s *parallelFor) note(i int, stack []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil || i < s.first {
		s.first, s.stack, s.err = i, stack, err
	}
}

// end leaves what the next call needs.
func (s *parallelFor) end() {
	s.busy, s.body, s.stack, s.err = false, nil, nil, nil
}

// runQueue does n jobs, on several goroutines if the first one took long enough to make
// the rest worth it; with alone, on this one only.
func (w *World) runQueue(b *work.Queue, n int, alone bool) {
	began := time.Now()
	b.Job(0)
	if alone || w.options.Workers == 1 || n == 1 || time.Since(began)*time.Duration(n-1) < w.worth {
		b.Inline(1, n)
		return
	}
	w.workerPool().Run(b, 1, n)
}

// workerPool returns the world's pool, which it makes when it is first needed. It ends
// when the world is closed or becomes unreachable.
func (w *World) workerPool() *work.Pool {
	if w.workers == nil {
		w.workers = work.NewPool(w.options.Workers)
		runtime.AddCleanup(w, (*work.Pool).Close, w.workers)
	}
	return w.workers
}

// stage is one entry of the running order: a system that runs by itself, or
// parallel systems that run at the same time.
//
// A stage of parallel systems means the same with one goroutine and with many:
//
//  1. Which systems are due, healthy and wanted is asked in order, before any runs.
//  2. They run against the world as it is then, under one version. The world
//     is frozen: see frozenState.
//  3. In order, each system's commands are applied, and observers get its changes.
//
// Invariant: for no two systems of a stage World.apart has a reason.
type stage struct {
	systems  []*scheduled
	parallel bool   // as System.Parallel: a parallel system is a stage even alone
	why      string // why its first system is not part of the stage before
	writes   []ComponentID
}

// stages cuts the running order. O(systems of a stage) for each system.
func (w *World) stages(order []*scheduled) []stage {
	var all []stage
	for _, o := range order {
		o.access = accessOf(&o.System)
		n, why := len(all)-1, ""
		if n >= 0 {
			why = w.outside(&all[n], o)
		}
		if n < 0 || why != "" {
			all = append(all, stage{parallel: o.Parallel, why: why})
			n++
		}
		st := &all[n]
		st.systems = append(st.systems, o)
		st.writes = append(st.writes, o.access.writes...)
	}
	return all
}

// outside says why a system cannot join a stage.
func (w *World) outside(st *stage, o *scheduled) string {
	for _, member := range st.systems {
		if why := w.apart(member, o); why != nil {
			return why.Text
		}
	}
	return ""
}

// anySetObserved reports whether one of the components has an observer or a hook for OnSet.
func (w *World) anySetObserved(writes []ComponentID) bool {
	for _, id := range writes {
		if w.components[id].setObserved() {
			return true
		}
	}
	return false
}

// setObserved reports whether an observer or a hook gets a value that is set: then the
// order of writes shows, and one goroutine makes them all.
func (c *component) setObserved() bool { return c.watch&OnSet != 0 || c.rules.hooks.set != nil }

// runParallel runs a stage of parallel systems.
func (s *Schedule) runParallel(st *stage, dt float64) {
	s.running = s.running[:0]
	for _, o := range st.systems {
		if s.wants(o, dt) && !s.skips(o) {
			s.prepare(o)
			s.running = append(s.running, o)
		}
	}
	if len(s.running) == 0 {
		return
	}
	s.world.version++
	s.world.invariants.ranTogether(s.world.version, s.running)
	s.runStage(st)
	s.world.version++ // what commands change is later than what the systems wrote
	s.world.invariants.ranTogether(s.world.version, s.running)
	for _, o := range s.running {
		s.finish(o)
	}
	for _, o := range s.running {
		s.look(o.Name)
	}
}

// prepare gives a system its tick.
func (s *Schedule) prepare(o *scheduled) {
	if o.own == nil {
		o.own = &Tick{World: s.world, Commands: s.world.NewCommands()}
	}
	t := o.own
	s.noteStrays(t.Commands.strays())
	t.over = false
	t.N, t.Time, t.Alpha, t.System = s.tick.N, s.tick.Time, s.tick.Alpha, o.Name
	t.scope = s.scopes.Of(o.Name)
	s.begun(o, t)
}

// runStage runs the systems while the world is frozen. Which worker has run each is known only while somebody
// wants reports.
func (s *Schedule) runStage(st *stage) {
	w, b := s.world, &s.queue
	if b.Job == nil {
		b.Job = func(i int) { s.running[i].perform() }
	}
	w.freeze()
	defer s.endStage()
	for i, o := range s.running {
		o.own.Commands.ticket = b.Ticket(i)
		o.declare(true)
	}
	if n := len(s.running); n == 1 || w.options.Workers == 1 || w.anySetObserved(st.writes) || !s.worth() {
		b.Inline(0, n)
	} else {
		w.workerPool().Run(b, 0, n)
		if s.telemetry != nil {
			for i, o := range s.running {
				o.figures.worker = b.Worker(i)
			}
		}
	}
}

// worth reports whether the systems, by what their last runs took, are worth a
// second goroutine. What they do is the same either way.
func (s *Schedule) worth() bool {
	var all, most time.Duration
	for _, o := range s.running {
		all, most = all+o.busy, max(most, o.busy)
	}
	return all-most >= s.world.worth
}

// endStage ends what runStage began.
func (s *Schedule) endStage() {
	s.world.thaw()
	for _, o := range s.running {
		o.own.Commands.settle()
		o.declare(false)
	}
}

// declare marks the system's queries as allowed, or not, while the world stands
// still. They are made ready, so that only what belongs to a loop is written.
func (o *scheduled) declare(on bool) {
	for _, q := range o.Queries {
		q.declared, q.running = on, 0 // what a panic has left is over
		q.refresh()
	}
}

// errEnded is the error of a system that ends its goroutine, as a test that
// fails does.
var errEnded = errors.New("the system ended its goroutine")

// perform runs the system, perhaps at the same time as others.
func (o *scheduled) perform() {
	o.began = time.Now()
	o.err = errEnded
	stay := o.own.scope.Enter()
	o.stack, o.err = protect(func() error { return o.Run(o.own) })
	stay.Leave()
	o.busy = time.Since(o.began)
}

// finish does in order what a system's run leads to.
func (s *Schedule) finish(o *scheduled) {
	began, t := time.Now(), o.own
	open := o.health.open()
	stay := t.scope.Enter()
	s.world.reports.begins(o.Name)
	s.note(s.conclude(t, o.Name, &o.health, o.stack, o.err))
	s.world.reports.ends()
	s.again(o, t)
	stay.Leave()
	if s.telemetry != nil {
		o.figures.applied(began)
	}
	t.over = true
	s.note(s.world.deliver(t))
	o.stack, o.err = nil, nil
	o.last = o.busy + time.Since(began)
	o.total += o.last
	if s.telemetry != nil {
		s.telemetry.ended(o)
	}
	s.noteHealth(o, open)
}
