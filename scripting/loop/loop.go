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
// Run and Frame belong to one goroutine. Pause, Resume, Once, SetScale and the methods
// that read may be called from any, and from the step itself.
package loop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// ErrDone ends Run without an error when a step returns it.
var ErrDone = errors.New("loop: done")

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
	Dropped uint64 // steps that were due and above MaxSteps
}

// Loop paces a simulation. Use New.
//
// Invariant: between two frames, 0 <= due < every.
type Loop struct {
	options Options
	every   float64       // nanoseconds of simulation in a step
	wake    chan struct{} // has an element when a waiting Run is to look again

	mu     sync.Mutex
	last   time.Time // when due was right; zero before the first frame
	due    float64   // nanoseconds of simulation that no step has used
	scale  float64
	paused bool
	once   int // steps asked for by Once
	counts Counts
}

// mostCatchUp bounds the default of MaxSteps.
const mostCatchUp = 1 << 20

// New makes a loop that runs at scale 1. It fails for a rate that is not above zero and
// finite, and for MaxSteps below zero.
func New(o Options) (*Loop, error) {
	every := 1e9 / o.Hz
	if !(o.Hz > 0) || math.IsInf(o.Hz, 1) || math.IsInf(every, 1) {
		return nil, fmt.Errorf("loop: Hz is %g, it must be above zero and finite", o.Hz)
	}
	if o.MaxSteps < 0 {
		return nil, fmt.Errorf("loop: MaxSteps is %d, it must not be below zero", o.MaxSteps)
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
// step returns an error. It returns nil for the end of the context and for ErrDone.
func (l *Loop) Run(ctx context.Context, step func(dt float64) error) error {
	for ctx.Err() == nil {
		if _, err := l.frame(ctx, step); errors.Is(err, ErrDone) {
			return nil
		} else if err != nil {
			return err
		}
		l.wait(ctx)
	}
	return nil
}

// Frame makes the steps that are due, the first one at once, and returns the part of a
// step that has passed since. The error is that of a step, after which no other is made.
func (l *Loop) Frame(step func(dt float64) error) (alpha float64, err error) {
	return l.frame(context.Background(), step)
}

// frame is Frame; it makes no step after the context's end.
func (l *Loop) frame(ctx context.Context, step func(dt float64) error) (float64, error) {
	for range l.begin() {
		if ctx.Err() != nil {
			break
		}
		l.mu.Lock()
		l.counts.Steps++
		l.mu.Unlock()
		if err := step(1 / l.options.Hz); err != nil {
			return l.Alpha(), err
		}
	}
	return l.Alpha(), nil
}

// begin takes the steps of a frame out of what is due, and drops what is too much.
func (l *Loop) begin() int {
	now := l.options.Clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	steps := l.once // at most MaxSteps, see Once
	l.once = 0
	l.advance(now)
	if l.options.Free {
		if l.stands() {
			return steps
		}
		return max(steps, 1)
	}
	whole := math.Floor(l.due / l.every)
	l.due = math.Mod(l.due, l.every)
	made := min(whole, float64(l.options.MaxSteps-steps))
	l.counts.Dropped += uint64(min(whole-made, 1<<62))
	return steps + int(made)
}

// advance adds the time since it was called last. The caller holds mu.
func (l *Loop) advance(now time.Time) {
	switch passed := now.Sub(l.last); {
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
	l.mu.Lock()
	stands, asked := l.stands(), l.once > 0
	rest := (l.every - l.due) / l.scale
	passed := l.options.Clock.Now().Sub(l.last)
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

// Pause stops time; Frame makes only the steps of Once from then on.
func (l *Loop) Pause() { l.change(func() { l.paused = true }) }

// Resume lets time pass again. The time of the pause is not made up for.
func (l *Loop) Resume() { l.change(func() { l.paused = false }) }

// Once asks for one step, made in the next frame, whether time passes or not. At most
// MaxSteps wait at a time; more are not kept.
func (l *Loop) Once() { l.change(func() { l.once = min(l.once+1, l.options.MaxSteps) }) }

// SetScale makes simulated time pass so many times as fast as the clock; 0 stops it. It
// fails, and changes nothing, for a factor that is below zero or not finite.
func (l *Loop) SetScale(factor float64) error {
	if !(factor >= 0) || math.IsInf(factor, 1) {
		return fmt.Errorf("loop: scale is %g, it must be finite and not below zero", factor)
	}
	l.change(func() { l.scale = factor })
	return nil
}

// change changes the pace from now on: the time up to now passed at the old one.
func (l *Loop) change(set func()) {
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

// Paused reports whether the loop is paused.
func (l *Loop) Paused() bool { l.mu.Lock(); defer l.mu.Unlock(); return l.paused }

// Scale returns how many times as fast as the clock simulated time passes.
func (l *Loop) Scale() float64 { l.mu.Lock(); defer l.mu.Unlock(); return l.scale }

// Alpha returns the part of a step, from 0 to below 1, that had passed at the last frame.
func (l *Loop) Alpha() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return min(l.due/l.every, math.Nextafter(1, 0))
}

// Counts returns what the loop has done so far.
func (l *Loop) Counts() Counts { l.mu.Lock(); defer l.mu.Unlock(); return l.counts }

// system is the clock of the operating system.
type system struct{}

func (system) Now() time.Time                         { return time.Now() }
func (system) After(d time.Duration) <-chan time.Time { return time.After(d) }
