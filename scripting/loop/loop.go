// Package loop paces a simulation: steps of a fixed length, at the speed of a clock.
// It is the loop of the perigee command, for any host.
//
// There is one noun, the [Loop]. A server gives it a function and waits:
//
//	l, err := loop.New(loop.Options{Hz: 60})
//	err = l.Run(ctx, host.Step)
//
// A client that draws calls [Loop.Frame] for each frame. Frame makes the steps that
// are due, and returns how far the time is between the last step and the next one, from 0
// to below 1: what is drawn lies so far between the two last positions.
//
// The length of a step is 1/Hz, whatever the clock says, so a run can be repeated. Steps
// do not drift: a step that comes late does not make the next ones late. A simulation
// that has fallen behind makes at most Options.MaxSteps steps in one frame, and what is
// then still due is dropped and counted: after a laptop's sleep nobody wants to see an
// hour of game in fast motion.
//
// Run and Frame belong to one goroutine. Pause, Halt, Resume, Once, SetScale, Do and the methods
// that read may be called from any, from the step itself and from the Clock.
package loop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrDone ends Run without an error when a step returns it.
var ErrDone = errors.New("loop: done")

// ErrInvalid is what errors about arguments wrap: of options, of a factor, of a nil context or
// step, and of a Loop that New has not made.
var ErrInvalid = errors.New("loop: invalid")

// ErrBusy is what Run and Frame return while one of them is at work, as when a step calls them.
var ErrBusy = errors.New("loop: busy: Run or Frame is at work already")

// Clock is the time that a loop follows.
type Clock interface {
	Now() time.Time
	After(time.Duration) <-chan time.Time
}

// Options of a loop. Only Hz has to be set.
type Options struct {
	Hz float64 // steps per second of simulation; above zero and finite
	// MaxSteps is the most steps that one frame makes to catch up; 0: as many as are
	// due in a quarter of a second, and at least one.
	MaxSteps int
	Free     bool  // one step in each frame, without waiting for the clock
	Clock    Clock // nil: the system's
}

// Counts are what a loop has done so far.
type Counts struct {
	Steps   uint64
	Dropped uint64 // steps that were due and above MaxSteps, or not made yet at a Halt
}

// Loop paces a simulation. Use New: methods of another one do nothing, and return ErrInvalid where
// they return an error.
//
// Invariant: between two frames, 0 <= due < every.
type Loop struct {
	options Options
	every   float64       // nanoseconds of simulation in a step
	wake    chan struct{} // has an element when a waiting Run is to look again

	running atomic.Bool // Run or Frame is at work

	mu     sync.Mutex // not held while the clock is asked: it may call the loop
	last   time.Time  // when due was right; zero before the first frame
	due    float64    // nanoseconds of simulation that no step has used; 0 with Options.Free
	owed   float64    // whole steps that an error, or the end of a context, has kept from being made
	scale  float64
	paused bool
	once   int      // steps asked for by Once
	halts  uint64   // calls of Halt
	posted []func() // by Do
	counts Counts
}

// mostCatchUp bounds the default of MaxSteps.
const mostCatchUp = 1 << 20

// New makes a loop that runs at scale 1. It fails for a rate that is not above zero and
// finite, and for MaxSteps below zero; the error wraps ErrInvalid.
func New(o Options) (*Loop, error) {
	every := 1e9 / o.Hz
	if !(o.Hz > 0) || math.IsInf(o.Hz, 1) || math.IsInf(every, 1) {
		return nil, fmt.Errorf("%w: Hz is %g, it must be above zero and finite", ErrInvalid, o.Hz)
	}
	if o.MaxSteps < 0 {
		return nil, fmt.Errorf("%w: MaxSteps is %d, it must not be below zero", ErrInvalid, o.MaxSteps)
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = int(min(max(o.Hz/4, 1), mostCatchUp))
	}
	if o.Clock == nil {
		o.Clock = system{}
	}
	return &Loop{options: o, every: every, wake: make(chan struct{}, 1), scale: 1}, nil
}

// Run makes steps as they are due, the first one at once, until the context ends or a
// step returns an error. It returns nil for the end of the context and for ErrDone. A step that
// the same context has cut short returns an error which says only that: Run returns nil for it,
// too.
// It makes no step, and returns ErrBusy, while Run or Frame is at work, and wraps ErrInvalid for a nil
// context or step.
func (l *Loop) Run(ctx context.Context, step func(dt float64) error) error {
	if ctx == nil {
		return fmt.Errorf("%w: the context is nil", ErrInvalid)
	}
	if err := l.enter(step); err != nil {
		return err
	}
	defer l.running.Store(false)
	for ctx.Err() == nil {
		if _, err := l.frame(ctx, step); errors.Is(err, ErrDone) {
			return nil
		} else if err != nil && !onlyEnd(ctx, err) {
			return err
		}
		l.wait(ctx)
	}
	return nil
}

// made reports whether New has made the loop.
func (l *Loop) made() bool { return l != nil && l.wake != nil }

// enter begins a Run or a Frame.
func (l *Loop) enter(step func(dt float64) error) error {
	switch {
	case !l.made():
		return fmt.Errorf("%w: the loop was not made by New", ErrInvalid)
	case step == nil:
		return fmt.Errorf("%w: the step is nil", ErrInvalid)
	case !l.running.CompareAndSwap(false, true):
		return ErrBusy
	}
	return nil
}

// onlyEnd reports whether an error says nothing but that the context has ended. Of joined errors,
// each has to.
func onlyEnd(ctx context.Context, err error) bool {
	ended := ctx.Err()
	if ended == nil {
		return false
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return onlyEnd(ctx, e.Unwrap())
	case interface{ Unwrap() []error }:
		all := e.Unwrap()
		return len(all) == 2 && same(all[0], ended) && same(all[1], context.Cause(ctx)) ||
			!slices.ContainsFunc(all, func(one error) bool { return !onlyEnd(ctx, one) })
	}
	return same(err, ended) || same(err, context.Cause(ctx))
}

// same reports whether two errors are one; those of types that cannot be compared are not.
func same(a, b error) bool {
	return a != nil && reflect.ValueOf(a).Comparable() && a == b
}

// Frame makes the steps that are due, the first one at once, and returns the part of a
// step that has passed since. The error is that of a step, after which no other is made: those
// that are still due, or asked for by Once, are made in the next frame, within MaxSteps. Or it is
// ErrBusy or ErrInvalid, as of Run. With Options.Free, nothing is ever due beside Once, and alpha is 0.
func (l *Loop) Frame(step func(dt float64) error) (alpha float64, err error) {
	if err := l.enter(step); err != nil {
		return l.Alpha(), err
	}
	defer l.running.Store(false)
	return l.frame(context.Background(), step)
}

// frame is Frame; it makes no step after the context's end.
func (l *Loop) frame(ctx context.Context, step func(dt float64) error) (alpha float64, err error) {
	l.doPosted()
	asked, due, halts := l.begin()
	for asked+due > 0 && err == nil && ctx.Err() == nil && l.count(halts) {
		if asked > 0 {
			asked--
		} else {
			due--
		}
		err = step(1 / l.options.Hz)
	}
	l.giveBack(asked, due, halts)
	return l.Alpha(), err
}

// count counts a step of a frame that is about to be made; false when Halt was called since the frame began.
func (l *Loop) count(halts uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.halts != halts {
		return false
	}
	l.counts.Steps++
	return true
}

// giveBack has the next frame make steps that this one has not, unless Halt was called since it began.
func (l *Loop) giveBack(asked, due int, halts uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.halts != halts {
		l.counts.Dropped += uint64(due)
		return
	}
	l.once = min(l.once+asked, mostAsked)
	if !l.options.Free {
		l.owed += float64(due)
	}
}

// begin takes the steps of a frame out of what Once has asked for and out of what is due, and drops
// what is too much.
func (l *Loop) begin() (asked, due int, halts uint64) {
	now := l.options.Clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	asked = min(l.once, l.options.MaxSteps)
	l.once -= asked
	l.advance(now)
	if l.options.Free {
		if l.stands() || asked > 0 {
			return asked, 0, l.halts
		}
		return 0, 1, l.halts
	}
	whole := math.Floor(l.due / l.every)
	l.due = math.Mod(l.due, l.every)
	if !l.stands() {
		whole, l.owed = whole+l.owed, 0
	}
	made := min(whole, float64(l.options.MaxSteps-asked))
	l.counts.Dropped += uint64(min(whole-made, 1<<62))
	return asked, int(made), l.halts
}

// advance adds the time since it was called last. The caller holds mu.
func (l *Loop) advance(now time.Time) {
	switch passed := now.Sub(l.last); {
	case l.options.Free: // its steps follow no clock
	case l.last.IsZero() && !l.stands():
		l.due = l.every // the first step, at once
	case l.last.IsZero():
	case passed > 0 && !l.stands():
		l.due = min(l.due+float64(float64(passed)*l.scale), 1e300) // converted, so that no machine fuses the two
	}
	l.last = now
}

// stands reports whether time does not pass. The caller holds mu.
func (l *Loop) stands() bool { return l.paused || l.scale == 0 }

// longest bounds one sleep: a time beyond it does not fit into a Duration.
const longest = float64(time.Hour)

// wait sleeps until a step is due, somebody changes the pace, or the context ends.
func (l *Loop) wait(ctx context.Context) {
	now := l.options.Clock.Now()
	l.mu.Lock()
	stands := l.stands()
	asked := l.once > 0 || len(l.posted) > 0 || l.owed > 0 && !stands
	rest := (l.every - l.due) / l.scale
	passed := now.Sub(l.last)
	l.mu.Unlock()
	if asked || !stands && l.options.Free {
		return
	}
	var due <-chan time.Time
	if !stands {
		sleep := time.Duration(math.Ceil(min(rest, longest))) - max(passed, 0)
		if sleep <= 0 {
			return
		}
		due = l.options.Clock.After(sleep)
	}
	select {
	case <-ctx.Done():
	case <-l.wake:
	case <-due:
	}
}

// Pause stops time. Steps that were due before are made in the next frame; from then on, Frame makes only
// those of Once.
func (l *Loop) Pause() { l.change(func() { l.paused = true }) }

// Halt is Pause that takes back the steps that are not made yet, those that are due, in Counts.Dropped, and
// those of Once: no further one is made, but a step that runs at this moment ends. A Once or a Resume after
// it counts. Called in a function of [Loop.Do], it leaves nothing between that function and what is asked
// for next.
func (l *Loop) Halt() {
	l.change(func() {
		whole := math.Floor(l.due/l.every) + l.owed
		l.counts.Dropped += uint64(min(whole, 1<<62))
		l.due, l.owed, l.once, l.paused = math.Mod(l.due, l.every), 0, 0, true
		l.halts++
	})
}

// Resume lets time pass again. The time of the pause is not made up for.
func (l *Loop) Resume() { l.change(func() { l.paused = false }) }

// mostAsked is how many steps of Once wait at most.
const mostAsked = 1000

// Once asks for one step, made in the next frame that has room for it, whether time passes or not. At most
// 1,000 wait at a time; more are not kept.
func (l *Loop) Once() { l.change(func() { l.once = min(l.once+1, mostAsked) }) }

// SetScale makes simulated time pass so many times as fast as the clock; 0 stops it. It
// fails, and changes nothing, for a factor that is below zero or not finite; the error wraps
// ErrInvalid.
func (l *Loop) SetScale(factor float64) error {
	if !l.made() {
		return fmt.Errorf("%w: the loop was not made by New", ErrInvalid)
	}
	if !(factor >= 0) || math.IsInf(factor, 1) {
		return fmt.Errorf("%w: scale is %g, it must be finite and not below zero", ErrInvalid, factor)
	}
	l.change(func() { l.scale = factor })
	return nil
}

// mostPosted is how many functions of Do wait at a time.
const mostPosted = 256

// Do has a function called by the goroutine of Run or Frame, between two steps: before the
// next one, and in Run at once while time stands. It is for what may be done by that goroutine
// only, such as a look at a world that is paused. It reports whether the function will be
// called, if Run or Frame goes on: at most 256 wait at a time, and more are refused; so is a
// nil function. A function that is called may post the next one, which waits for the next frame.
func (l *Loop) Do(do func()) (posted bool) {
	if do == nil {
		return false
	}
	l.change(func() {
		if posted = len(l.posted) < mostPosted; posted {
			l.posted = append(l.posted, do)
		}
	})
	return posted
}

// doPosted calls what Do has been given.
func (l *Loop) doPosted() {
	l.mu.Lock()
	posted := l.posted
	l.posted = nil
	l.mu.Unlock()
	for _, do := range posted {
		do()
	}
}

// change changes the pace from now on: the time up to now passed at the old one.
func (l *Loop) change(set func()) {
	if !l.made() {
		return
	}
	now := l.options.Clock.Now()
	l.mu.Lock()
	if !l.last.IsZero() {
		l.advance(now)
	}
	set()
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// read reads under the lock; the zero value for a loop that New has not made.
func read[T any](l *Loop, get func() T) (v T) {
	if !l.made() {
		return v
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return get()
}

// Paused reports whether the loop is paused.
func (l *Loop) Paused() bool { return read(l, func() bool { return l.paused }) }

// Scale returns how many times as fast as the clock simulated time passes.
func (l *Loop) Scale() float64 { return read(l, func() float64 { return l.scale }) }

// Alpha returns the part of a step, from 0 to below 1, that had passed at the last frame.
func (l *Loop) Alpha() float64 {
	return read(l, func() float64 { return min(l.due/l.every, math.Nextafter(1, 0)) })
}

// Counts returns what the loop has done so far.
func (l *Loop) Counts() Counts { return read(l, func() Counts { return l.counts }) }

// system is the clock of the operating system.
type system struct{}

func (system) Now() time.Time                         { return time.Now() }
func (system) After(d time.Duration) <-chan time.Time { return time.After(d) }
