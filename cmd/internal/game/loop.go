package game

import (
	"context"
	"time"

	"github.com/perigee-ecs/perigee/cmd/internal/meter"
)

// The loop of a game: how fast it ticks, and when it ends. The length of a tick in the
// simulation is 1/Hz, whatever the clock says, so a run can be repeated.

// Pace says how long and how fast a game runs.
type Pace struct {
	Hz    float64 // ticks per second of simulation; above zero
	Ticks uint64  // 0: until the context ends
	Free  bool    // as fast as possible, not at Hz per second of real time
}

// patience is how far a game may fall behind its pace and still catch up. What
// is beyond is forgotten: after a laptop's sleep nobody wants to see an hour of
// game in fast motion.
const patience = 250 * time.Millisecond

// Run ticks the game until its ticks are used up or the context ends, and calls
// after following each tick. A failing system does not end it.
func (g *Game) Run(ctx context.Context, p Pace, after func()) {
	t := newTicker(p)
	for n := uint64(0); (p.Ticks == 0 || n < p.Ticks) && t.wait(ctx); n++ {
		g.tick(1 / p.Hz)
		after()
	}
}

// tick advances the game by one step and measures its time. Why is its error left out? The
// errors of Go systems are among the faults, which the host counts and reports; what else
// Step returns says that the step was refused, as one with a wrong length.
func (g *Game) tick(dt float64) {
	began, before := time.Now(), meter.Processor()
	_ = g.host.Step(dt)
	g.meter.Tick(time.Since(began), meter.Processor()-before)
}

// ticker keeps the pace. next is when the tick after the current one is due. It moves by
// the same length each time, so a tick that is late by less than patience does not make all
// others late.
type ticker struct {
	every time.Duration // 0: as fast as possible
	next  time.Time
}

// newTicker begins to keep a pace; one that is free never waits.
func newTicker(p Pace) *ticker {
	t := &ticker{next: time.Now()}
	if !p.Free {
		t.every = time.Duration(float64(time.Second) / p.Hz)
	}
	return t
}

// wait sleeps until the next tick is due; false means that the context ended.
func (t *ticker) wait(ctx context.Context) bool {
	due := time.Until(t.next)
	if due < -patience {
		t.next = time.Now()
	}
	t.next = t.next.Add(t.every)
	if t.every == 0 || due <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(due):
		return true
	}
}
