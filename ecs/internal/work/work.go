// Package work is a world's worker pool: goroutines that do jobs side by side, in
// such a way that a job can wait for all that come before it.
//
// There are four nouns. A [Pool] has the goroutines. A [Queue] is a number of jobs,
// taken in order. A [Ticket] is the place of a job in its queue, and in the queue that
// this one is a part of: what a job does in the order of the jobs, such as issuing a
// handle, it does after [Ticket.Wait]. A [Scope] is what profiles and traces call a job.
//
// Invariant: job i of a queue never waits for a later job of it. So there is always
// somebody who can go on, however few goroutines there are.
package work

import (
	"slices"
	"sync"
)

// Pool has the goroutines that help the one that owns it. They are started when
// there is first something to do at the same time, wait in between, and end when the
// pool is closed. Between queues a pool holds nothing that leads to a job.
//
// Why a lock and not a few atomic words? A job is hundreds of rows or a whole
// system; taking one costs some tens of nanoseconds, and what one job has written is
// seen by the jobs that come after it, without further thought.
type Pool struct {
	size int // goroutines that work at the same time, the owner's included

	mu      sync.Mutex
	work    sync.Cond // helpers wait for a queue here
	moved   sync.Cond // jobs wait here for a queue's frontier to move
	queues  []*Queue  // those in which jobs are left, oldest first
	helpers int       // goroutines alive
	numbers []bool    // which numbers helpers have; that of the first is 1
	waiting int       // jobs and owners that wait on moved
	closed  bool
}

// NewPool returns a pool of so many goroutines, the owner's included. It starts none.
func NewPool(size int) *Pool {
	p := &Pool{size: size}
	p.work.L, p.moved.L = &p.mu, &p.mu
	return p
}

// Close ends the helpers; one that is at work ends after its job.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.work.Broadcast()
	p.mu.Unlock()
}

// Helpers returns how many goroutines the pool has started and not ended.
func (p *Pool) Helpers() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.helpers
}

// Idle reports whether no queue has jobs left.
func (p *Pool) Idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queues) == 0
}

// Queue is a number of jobs, taken in order by the workers that are free. A queue may be run
// again when it is done; it allocates nothing then.
//
// Invariant: jobs below frontier are done; jobs from next on are not taken. done says of each job by
// which worker: its number and one more, 0 while it is not done.
type Queue struct {
	Job func(i int)
	Up  Ticket // of the job that this queue is a part of
	// Scope is what the jobs are named in profiles, nil for nothing. The goroutine that calls
	// Run is in it.
	Scope *Scope

	n        int
	next     int
	frontier int
	done     []uint32
	pool     *Pool // nil while one goroutine does all jobs
}

// Ticket is the place of a job in a queue, and in the queues above. The zero Ticket is
// that of the owner's goroutine, which waits for no other.
type Ticket struct {
	queue *Queue
	index int
}

// Ticket returns the place of the i-th job.
func (q *Queue) Ticket(i int) Ticket { return Ticket{q, i} }

// Zero reports whether the ticket is that of the owner's goroutine.
func (t Ticket) Zero() bool { return t.queue == nil }

// Wait returns when all jobs that come before this one are done.
func (t Ticket) Wait() {
	for ; t.queue != nil; t = t.queue.Up {
		if p := t.queue.pool; p != nil {
			p.mu.Lock()
			for t.queue.frontier < t.index {
				p.pause()
			}
			p.mu.Unlock()
		}
	}
}

// Worker returns the number of the goroutine that has done the i-th job of the last Run: 0 is the one that called
// Run, 1 and more are helpers. For a Run inside of a job of a helper, that helper is 0, too.
func (q *Queue) Worker(i int) int { return int(q.done[i]) - 1 }

// Inline does the jobs from first up to, not including, n in this goroutine, in order.
func (q *Queue) Inline(first, n int) {
	for i := first; i < n; i++ {
		q.Job(i)
	}
}

// Run does the jobs from first up to, not including, n, with as many helpers as there
// are, and returns when all are done. There must be one job at least.
func (p *Pool) Run(q *Queue, first, n int) {
	q.n, q.next, q.frontier, q.pool = n, first, first, p
	q.done = append(q.done[:0], make([]uint32, n)...)
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.abandon(q)
	p.queues = append(p.queues, q)
	p.wake(n - first - 1)
	for q.next < q.n {
		p.take(q, 0)
	}
	for q.frontier < q.n {
		p.rest(q)
	}
	q.Scope.Relabel() // the jobs have left it
}

// abandon ends a queue. If a job has ended the goroutine of Run, jobs are left: nobody takes
// those that have not begun, and those that have are waited for, because what they work on goes
// once Run is over.
func (p *Pool) abandon(q *Queue) {
	if q.next < q.n {
		q.n = q.next
		p.drop(q)
	}
	for q.frontier < q.n {
		p.pause()
	}
	q.pool = nil
}

// wake sees to it that n helpers come, if there may be so many.
func (p *Pool) wake(n int) {
	for n = min(n, p.size-1); p.helpers < n && !p.closed; p.helpers++ {
		go p.help(p.number())
	}
	for range n {
		p.work.Signal()
	}
}

// rest waits until something has moved. Meanwhile the owner's goroutine helps in the
// queues inside its own. Helpers must not: they hold unfinished jobs on their stacks,
// and a later job may wait for these.
func (p *Pool) rest(q *Queue) {
	if q.Up.Zero() && len(p.queues) > 0 {
		p.take(p.queues[0], 0)
		return
	}
	p.pause()
}

// pause waits for a frontier to move.
func (p *Pool) pause() {
	p.waiting++
	p.moved.Wait()
	p.waiting--
}

// number returns the least number that no helper has, and takes it.
func (p *Pool) number() (n uint32) {
	at := slices.Index(p.numbers, false)
	if at < 0 {
		at, p.numbers = len(p.numbers), append(p.numbers, false)
	}
	p.numbers[at] = true
	return uint32(at) + 1
}

// help is the life of a helper.
func (p *Pool) help(number uint32) {
	unlabel()
	p.mu.Lock()
	defer func() { // a job may end the goroutine that does it
		p.helpers--
		p.numbers[number-1] = false
		p.mu.Unlock()
	}()
	for !p.closed {
		if len(p.queues) > 0 {
			p.take(p.queues[0], number)
		} else {
			p.work.Wait()
		}
	}
}

// take does the next job of a queue, as a worker of a number. The lock is held before and after.
func (p *Pool) take(q *Queue, worker uint32) {
	i := q.next
	if q.next++; q.next == q.n {
		p.drop(q)
	}
	defer p.finish(q, i, worker)
	p.mu.Unlock()
	stay := q.Scope.Enter()
	q.Job(i)
	stay.Leave()
}

// drop takes a queue from the list; nothing may be left that leads to a job.
func (p *Pool) drop(q *Queue) {
	for i, other := range p.queues {
		if other == q {
			copy(p.queues[i:], p.queues[i+1:])
			p.queues[len(p.queues)-1] = nil
			p.queues = p.queues[:len(p.queues)-1]
			return
		}
	}
}

// finish notes that a job is done.
func (p *Pool) finish(q *Queue, i int, worker uint32) {
	p.mu.Lock()
	q.done[i] = worker + 1
	for q.frontier < q.n && q.done[q.frontier] > 0 {
		q.frontier++
	}
	if p.waiting > 0 {
		p.moved.Broadcast()
	}
}
