package work

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestJobsWaitForThoseBefore: whoever takes them, each job's turn comes when all
// before it are done, in queues within queues too.
func TestJobsWaitForThoseBefore(t *testing.T) {
	p := NewPool(3)
	defer p.Close()
	for range 50 {
		var next atomic.Int64
		outer := &Queue{}
		outer.Job = func(i int) {
			inner := &Queue{Up: outer.Ticket(i)}
			inner.Job = func(j int) {
				if (i+j)%3 > 0 {
					runtime.Gosched()
				}
				inner.Ticket(j).Wait()
				if got := int(next.Add(1)) - 1; got != i*8+j {
					t.Errorf("job %d.%d had its turn as number %d", i, j, got)
				}
			}
			p.Run(inner, 0, 8)
		}
		p.Run(outer, 0, 6)
		if next.Load() != 48 || !p.Idle() {
			t.Fatalf("%d jobs were done, or queues are left", next.Load())
		}
	}
}

// TestAJobThatEndsItsGoroutine: when it is that of Run, no other job of the queue begins any
// more, those that have begun are waited for, and the pool works on.
func TestAJobThatEndsItsGoroutine(t *testing.T) {
	p := NewPool(4)
	defer p.Close()
	for round := range 50 {
		var running, begun atomic.Int32
		owner := make(chan bool)
		var own atomic.Bool
		q := &Queue{Job: func(i int) {
			begun.Add(1)
			running.Add(1)
			defer running.Add(-1)
			time.Sleep(100 * time.Microsecond)
			if i%3 == 1 && own.CompareAndSwap(false, true) {
				runtime.Goexit()
			}
			time.Sleep(200 * time.Microsecond)
		}}
		go func() {
			defer close(owner)
			p.Run(q, 0, 40)
		}()
		<-owner
		if n := running.Load(); n != 0 {
			t.Fatalf("round %d: %d jobs run when Run is over", round, n)
		}
		before := begun.Load()
		time.Sleep(300 * time.Microsecond)
		if begun.Load() != before || !p.Idle() {
			t.Fatalf("round %d: jobs begin when Run is over", round)
		}
		done := 0
		p.Run(&Queue{Job: func(int) { done++ }}, 0, 1)
		if done != 1 {
			t.Fatalf("round %d: the pool does no more jobs", round)
		}
	}
}

// TestWhoHasDoneAJob: workers have numbers, from 0 for the goroutine of Run, and as many as there are; those of helpers
// whose goroutine was ended are given again.
func TestWhoHasDoneAJob(t *testing.T) {
	p := NewPool(3)
	defer p.Close()
	for round := range 20 {
		var here atomic.Int32
		q := &Queue{Job: func(i int) {
			here.Add(1)
			for here.Load() < 3 && i < 3 {
				runtime.Gosched() // until three are at work
			}
		}}
		p.Run(q, 0, 9)
		seen := map[int]bool{}
		for i := range 9 {
			seen[q.Worker(i)] = true
		}
		if len(seen) != 3 || !seen[0] || !seen[1] || !seen[2] {
			t.Fatalf("round %d: workers %v", round, seen)
		}
		caller := make(chan bool)
		go func() { // a job that ends the goroutine of a helper, or that of Run
			defer close(caller)
			p.Run(&Queue{Job: func(int) { runtime.Goexit() }}, 0, 3)
		}()
		<-caller
	}
}
