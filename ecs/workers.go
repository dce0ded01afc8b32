package ecs

import (
	"runtime"
	"sync"
	"time"
)

// worthwhile is how much work other goroutines must be spared for: to wake one
// takes some microseconds.
const worthwhile = 10 * time.Microsecond

// workers are the goroutines that help a world's own one. They are started when
// there is first something to do at the same time, wait in between, and end when
// the world is closed or becomes unreachable: between rounds they hold nothing
// that leads to it.
//
// Why a lock and not a few atomic words? A job is hundreds of rows or a whole
// system; taking one costs some tens of nanoseconds, and what is written in one
// job is seen in the jobs that come after it, without further thought.
type workers struct {
	size int // goroutines that work at the same time, the world's own included

	mu      sync.Mutex
	work    sync.Cond // helpers wait for a round here
	moved   sync.Cond // and others for a round's frontier to move
	rounds  []*round  // those in which jobs are left, oldest first
	helpers int       // goroutines alive
	waiting int       // on moved
	closed  bool
}

func newWorkers(size int) *workers {
	ws := &workers{size: size}
	ws.work.L, ws.moved.L = &ws.mu, &ws.mu
	return ws
}

// crew returns the world's workers.
func (w *World) crew() *workers {
	if w.workers == nil {
		w.workers = newWorkers(w.options.Workers)
		runtime.AddCleanup(w, (*workers).close, w.workers)
	}
	return w.workers
}

// close ends the helpers; one that is at work ends after its job.
func (ws *workers) close() {
	ws.mu.Lock()
	ws.closed = true
	ws.work.Broadcast()
	ws.mu.Unlock()
}

// round is a number of jobs, taken in order by whoever is free. Job i may wait
// for those before it, never for a later one: so somebody can always go on.
//
// Invariant: jobs below frontier are done; jobs from next on are not taken.
type round struct {
	job      func(i int)
	up       turn // of the job that this round is a part of
	n        int
	next     int
	frontier int
	done     []bool
	workers  *workers // nil while one goroutine does it all
}

// turn is a place in a round, and in the round above. The zero turn is that of
// the world's own goroutine, which waits for nobody.
type turn struct {
	round *round
	index int
}

// wait returns when all that comes before has been done.
func (t turn) wait() {
	for ; t.round != nil; t = t.round.up {
		if ws := t.round.workers; ws != nil {
			ws.mu.Lock()
			for t.round.frontier < t.index {
				ws.pause()
			}
			ws.mu.Unlock()
		}
	}
}

// alone does the jobs from first to n in this goroutine, in order.
func (r *round) alone(first, n int) {
	for i := first; i < n; i++ {
		r.job(i)
	}
}

// run does the jobs from first to n, with as many helpers as there are, and
// returns when all are done.
func (ws *workers) run(r *round, first, n int) {
	r.n, r.next, r.frontier, r.workers = n, first, first, ws
	r.done = append(r.done[:0], make([]bool, n)...)
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.rounds = append(ws.rounds, r)
	ws.summon(n - first - 1)
	for r.next < r.n {
		ws.take(r)
	}
	for r.frontier < r.n {
		ws.rest(r)
	}
	r.workers = nil
}

// summon sees to it that n helpers come, if there are so many.
func (ws *workers) summon(n int) {
	for n = min(n, ws.size-1); ws.helpers < n && !ws.closed; ws.helpers++ {
		go ws.help()
	}
	for range n {
		ws.work.Signal()
	}
}

// rest waits until something has moved. Meanwhile the world's own goroutine
// helps in the rounds within its own. Others must not: they hold unfinished jobs
// on their stacks, and a later job may wait for these.
func (ws *workers) rest(r *round) {
	if r.up.round == nil && len(ws.rounds) > 0 {
		ws.take(ws.rounds[0])
		return
	}
	ws.pause()
}

// pause waits for a frontier to move.
func (ws *workers) pause() {
	ws.waiting++
	ws.moved.Wait()
	ws.waiting--
}

// help is the life of a helper.
func (ws *workers) help() {
	ws.mu.Lock()
	defer func() { // a job may end the goroutine that does it
		ws.helpers--
		ws.mu.Unlock()
	}()
	for !ws.closed {
		if len(ws.rounds) > 0 {
			ws.take(ws.rounds[0])
		} else {
			ws.work.Wait()
		}
	}
}

// take does the next job of a round. The lock is held before and after.
func (ws *workers) take(r *round) {
	i := r.next
	if r.next++; r.next == r.n {
		ws.drop(r)
	}
	defer ws.finish(r, i)
	ws.mu.Unlock()
	r.job(i)
}

// drop takes a round from the list; nothing may be left that leads to a world.
func (ws *workers) drop(r *round) {
	for i, other := range ws.rounds {
		if other == r {
			copy(ws.rounds[i:], ws.rounds[i+1:])
			ws.rounds[len(ws.rounds)-1] = nil
			ws.rounds = ws.rounds[:len(ws.rounds)-1]
			return
		}
	}
}

// finish notes that a job is done.
func (ws *workers) finish(r *round, i int) {
	ws.mu.Lock()
	r.done[i] = true
	for r.frontier < r.n && r.done[r.frontier] {
		r.frontier++
	}
	if ws.waiting > 0 {
		ws.moved.Broadcast()
	}
}
