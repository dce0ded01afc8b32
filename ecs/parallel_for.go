package ecs

import (
	"fmt"
	"time"
)

// parallelFor is what Tick.ParallelFor works with, kept for the next time.
type parallelFor struct {
	round
	body  func(i int)
	fault []jobFailure // of jobs that failed
	busy  bool
}

// jobFailure is how a job has failed.
type jobFailure struct {
	err   error
	stack []byte
}

// ParallelFor calls job for every number from 0 up to, not including, n, on the world's
// workers ([Options].Workers), and returns when all is done. Which job runs where
// and when is not defined, except that nobody takes a job before those with lower
// numbers are taken. It is for code that has found out what to work on and knows
// that no two jobs touch the same bytes; [Tick.Parallel] does that for a query.
//
// A job must not change the world's structure, record commands or iterate
// queries. What it writes into columns it stamps nowhere: that is the caller's,
// before or after. Every job runs even when one panics; the answer is a
// *SystemError with the stack of the first, by number. ParallelFor inside a job answers
// ErrIterating.
//
// The caller's own goroutine does the first job, and all of them if by that time
// the rest is not worth waking another: some microseconds. O(n) beside the jobs,
// and a lock for each; it allocates nothing once warm, given a job made only once.
func (t *Tick) ParallelFor(n int, job func(i int)) error {
	if t.parallelFor == nil {
		t.parallelFor = &parallelFor{}
		t.parallelFor.job = t.parallelFor.do
	}
	s, w := t.parallelFor, t.World
	if s.busy {
		return fmt.Errorf("%w: ParallelFor inside ParallelFor", ErrIterating)
	}
	if n <= 0 {
		return nil
	}
	s.busy, s.body = true, job
	defer s.end()
	s.fault = append(s.fault[:0], make([]jobFailure, n)...)
	if !w.frozen.on {
		w.freeze()
		defer w.thaw()
	}
	s.up = t.Commands.turn
	began := time.Now()
	s.do(0)
	if w.options.Workers == 1 || n == 1 || time.Since(began)*time.Duration(n-1) < w.worth {
		s.alone(1, n)
	} else {
		w.crew().run(&s.round, 1, n)
	}
	for i := range s.fault {
		if f := &s.fault[i]; f.err != nil {
			return &SystemError{System: t.System, Tick: t.N, Err: f.err, Stack: f.stack}
		}
	}
	return nil
}

// do is the i-th job.
func (s *parallelFor) do(i int) {
	f := &s.fault[i]
	f.err = errEnded // unless it returns
	f.stack, f.err = protect(func() error { s.body(i); return nil })
}

// end leaves what the next call needs.
func (s *parallelFor) end() {
	clear(s.fault)
	s.busy, s.body = false, nil
}

// Workers returns how many goroutines work at the same time, at most: what
// [Options].Workers said.
func (w *World) Workers() int { return w.options.Workers }
