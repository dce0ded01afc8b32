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

// Guard is for a host that recovers from panics of its own code around loops over
// the world, outside of systems and World.Run, which need it not. A loop over
// [Rows] or [Rows2] that a panic leaves goes on holding the iteration lock, as
// nothing in it can catch the panic without making all loops slower. The function
// that Guard returns ends all loops that were begun after Guard was called:
//
//	func (h *host) inspect() (err error) {
//		defer h.recovered(&err)
//		defer h.world.Guard()()
//		for e, p := range ecs.Rows(h.positions, h.position) { … }
//
// Loops that were running before go on. Call what it returns once, from the
// goroutine that owns the world and from the function that called Guard. O(1).
func (w *World) Guard() (end func()) {
	locks := w.locks
	return func() {
		if !w.frozen.on { // then a loop takes no lock
			w.locks = locks
		}
	}
}

// Hold is the iteration lock in the hands of code that is no loop: see World.Hold.
type Hold struct {
	world *World // nil: there is nothing to give back
	locks int    // before
}

// Hold takes the iteration lock, as a loop over a query does, until Release: direct
// structural changes return ErrIterating in between. It is for code that keeps
// addresses of columns while it calls functions that it does not know, as the script
// host does. Release also ends loops that a panic has left in between. O(1).
func (w *World) Hold() Hold {
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
