package ecs

import (
	"fmt"
	"runtime/debug"
)

// SystemError reports a system or observer that failed or panicked.
type SystemError struct {
	System string
	Tick   uint64
	Parked bool // this failure parked the system
	Err    error
	Stack  []byte // of a panic
}

// Error returns one line; Stack holds the rest.
func (e *SystemError) Error() string {
	return fmt.Sprintf("system %q: tick %d: %v", e.System, e.Tick, e.Err)
}

// Unwrap returns what the system answered.
func (e *SystemError) Unwrap() error { return e.Err }

// guard runs a function under the rules for systems: a panic is an error, an
// error drops the commands, success applies them, and health keeps count.
func (s *Schedule) guard(t *Tick, name string, h *health, run func() error) error {
	if !h.ready(t.Time) {
		return nil
	}
	s.world.version++
	t.System = name
	locks := s.world.locks
	stack, err := protect(run)
	s.world.locks = locks
	return s.conclude(t, name, h, stack, err)
}

// conclude applies what a run recorded, or drops it when the run failed.
func (s *Schedule) conclude(t *Tick, name string, h *health, stack []byte, err error) error {
	if err == nil && !t.Commands.idle() {
		locks := s.world.locks
		stack, err = protect(t.Commands.Apply) // functions of Do may panic too
		s.world.locks = locks
	}
	if err != nil {
		t.Commands.Drop()
		return s.failed(t, name, h, err, stack)
	}
	h.note(true, t.Time, &s.world.options.Breaker)
	return nil
}

// failed counts a failure and says what there is to say about it.
func (s *Schedule) failed(t *Tick, name string, h *health, err error, stack []byte) error {
	if inner, ok := err.(*SystemError); ok && inner.System == name {
		err, stack = inner.Err, inner.Stack // the answer of Tick.Parallel
	}
	parked := h.note(false, t.Time, &s.world.options.Breaker)
	return &SystemError{System: name, Tick: t.N, Parked: parked, Err: err, Stack: stack}
}

// guard is Raw.Guard.
func (w *World) guard() (end func()) {
	locks := w.locks
	return func() {
		if !w.frozen.on { // then a loop takes no lock
			w.locks = locks
		}
	}
}

// Hold is the iteration lock in the hands of code that is no loop: see Raw.Hold.
type Hold struct {
	world *World // nil: there is nothing to give back
	locks int    // before
}

// hold is Raw.Hold.
func (w *World) hold() Hold {
	if w.frozen.on {
		return Hold{} // nothing can change, and the locks are not one goroutine's
	}
	w.locks++
	return Hold{w, w.locks - 1}
}

// Release gives the lock back. Holds end in the opposite order of their beginnings,
// each once.
func (h Hold) Release() {
	if h.world != nil {
		h.world.locks = h.locks
	}
}

// protect turns a panic into an error.
func protect(run func() error) (stack []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			stack = debug.Stack()
			if e, ok := r.(error); ok {
				err = fmt.Errorf("panic: %w", e)
			} else {
				err = fmt.Errorf("panic: %v", r)
			}
		}
	}()
	return nil, run()
}
