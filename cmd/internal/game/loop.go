package game

import (
	"context"
	"time"

	"github.com/perigee-ecs/perigee/cmd/internal/meter"
	"github.com/perigee-ecs/perigee/scripting/loop"
)

// The loop of a game: how fast it ticks, and when it ends. Package loop keeps the pace.

// Pace says how long and how fast a game runs.
type Pace struct {
	Hz    float64 // ticks per second of simulation; above zero
	Ticks uint64  // 0: until the context ends
	Free  bool    // as fast as possible, not at Hz per second of real time
}

// Run ticks the game until its ticks are used up or the context ends, and calls
// after following each tick. A failing system does not end it. A pace without a rate is
// logged, and nothing runs.
func (g *Game) Run(ctx context.Context, p Pace, after func()) {
	l, err := loop.New(loop.Options{Hz: p.Hz, Free: p.Free})
	if err != nil {
		g.options.Log.Error(err.Error())
		return
	}
	n := uint64(0)
	_ = l.Run(ctx, func(dt float64) error { // its only error is ErrDone, which Run leaves out
		g.tick(dt)
		after()
		if n++; n == p.Ticks {
			return loop.ErrDone
		}
		return nil
	})
}

// tick advances the game by one step and measures its time. Why is its error left out? The
// errors of Go systems are among the faults, which the host counts and reports; what else
// Step returns says that the step was refused, as one with a wrong length.
func (g *Game) tick(dt float64) {
	began, before := time.Now(), meter.Processor()
	_ = g.host.Step(dt)
	g.meter.Tick(time.Since(began), meter.Processor()-before)
}
