package ecs

import (
	"fmt"
	"time"
)

const (
	// grain is how many rows make a job: enough that taking one costs little
	// beside the work, so few that two workers finish at nearly the same time.
	// It is the same whatever the number of workers, for a function may tell
	// where one view ends and the next begins.
	grain = 512
	// gathered bounds the views that wait to be worked on, for queries that yield
	// one entity at a time.
	gathered = 4096
)

// parallelLoop is what Tick.Parallel works with, kept for the next time.
type parallelLoop struct {
	round
	tick  *Tick
	query *Query
	run   func(*Chunk, *Commands)
	views []Chunk
	jobs  []job
	rows  int // of the last job, so far
	busy  bool
	err   error // of the first job that failed
}

// job is some views in a row, and what was recorded for them.
type job struct {
	from, to int // of views
	commands *Commands
	stack    []byte
	err      error
}

// Parallel calls run for everything that the query yields, on the world's
// workers: chunks in order, long ones as views of 512 rows. It returns when all
// is done; the result is the same whatever the number of workers. Columns that
// the query declares to write are stamped in all that it yields, touched or not.
//
// run gets a chunk, which is its own for the time of the call, and commands,
// which follow those of the tick, in order of the chunks. It must not write
// anything else that another call could touch, and iterate no query. Spawn waits
// for the calls before it; the handle is alive once the world has moved on:
// after Parallel, or, in a parallel system, after its stage. If somebody watches
// for OnSet on what the query writes, one goroutine does it all.
//
// Every call is made even when one panics. Then none of what was recorded counts,
// and the answer is a *SystemError with the stack of the first, by order of the
// chunks. Parallel inside run answers ErrIterating.
//
// O(what the query yields), and for fewer than two times 512 rows nothing more
// than a loop. It allocates nothing once warm, given a run made only once.
func (t *Tick) Parallel(q *Query, run func(c *Chunk, commands *Commands)) error {
	if t.parallelLoop == nil {
		t.parallelLoop = &parallelLoop{tick: t}
		t.parallelLoop.job = t.parallelLoop.do
	}
	f := t.parallelLoop
	if f.busy {
		return fmt.Errorf("%w: Parallel inside Parallel", ErrIterating)
	}
	f.busy, f.query, f.run = true, q, run
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
	if t.Commands.turn.round == nil {
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
	if j.commands == nil {
		j.commands = f.tick.World.NewCommands()
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
	f.up = t.Commands.turn
	for i := range f.jobs {
		f.jobs[i].commands.turn = turn{&f.round, i}
	}
	f.runJobs(len(f.jobs), watched)
	for i := range f.jobs {
		f.collect(&f.jobs[i])
	}
	f.views, f.jobs = f.views[:0], f.jobs[:0]
}

// runJobs does n jobs, on several goroutines if the first one took long enough
// to make the rest worth it.
func (f *parallelLoop) runJobs(n int, watched bool) {
	began := time.Now()
	f.do(0)
	w := f.tick.World
	if w.options.Workers == 1 || watched || n == 1 || time.Since(began)*time.Duration(n-1) < w.worth {
		f.alone(1, n)
		return
	}
	w.crew().run(&f.round, 1, n)
}

// stamp marks the columns that the query declares to write, so that goroutines
// which work on rows of one chunk find them marked; it reports whether somebody
// watches one of them.
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
		stack, err := protect(func() error { f.run(&f.views[k], j.commands); return nil })
		if err != nil && first == nil {
			first, j.stack = err, stack
		}
	}
	j.err = first
}

// collect takes over what a job has recorded, and its failure if it is the first.
func (f *parallelLoop) collect(j *job) {
	t := f.tick
	j.commands.turn = turn{}
	t.Commands.take(j.commands)
	if j.err != nil && f.err == nil {
		f.err = &SystemError{System: t.System, Tick: t.N, Err: j.err, Stack: j.stack}
	}
	j.err, j.stack = nil, nil
}

// end leaves what the next call needs.
func (f *parallelLoop) end() {
	f.views, f.jobs = f.views[:0], f.jobs[:0]
	f.busy, f.query, f.run, f.err = false, nil, nil, nil
}
