package game

import (
	"context"
	"errors"
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
	// Patience is how long a tick may go on when the context has ended within it. A tick that
	// takes longer is cut short.
	Patience time.Duration
}

// Run ticks the game until its ticks are used up or the context ends, and calls
// after following each tick. A failing system does not end it. A pace without a rate is
// logged, and nothing runs.
func (g *Game) Run(ctx context.Context, p Pace, after func()) {
	l, err := g.Loop(p)
	if err != nil {
		g.options.Log.Error(err.Error())
		return
	}
	g.hz = p.Hz
	within, release := patient(ctx, p.Patience)
	defer release()
	n := uint64(0)
	_ = l.Run(ctx, func(dt float64) error { // its only error is ErrDone, which Run leaves out
		if g.tick(within, dt); g.cut {
			return loop.ErrDone
		}
		g.kept()
		g.followAssets()
		after()
		if n++; n == p.Ticks {
			return loop.ErrDone
		}
		return nil
	})
	if err := g.session.Present(); err != nil { // somebody looks at an earlier tick on the page
		g.options.Log.Error(err.Error())
	}
}

// Loop returns the loop that Run will follow, to pause it, for one. The first call makes it.
func (g *Game) Loop(p Pace) (l *loop.Loop, err error) {
	if g.loop == nil {
		g.loop, err = loop.New(loop.Options{Hz: p.Hz, Free: p.Free})
	}
	return g.loop, err
}

// patient returns a context that ends so long after another one.
//
// Why not end a tick at once? Most take a few milliseconds, and after whole ticks the world has
// a checksum that another run comes to as well.
func patient(ctx context.Context, patience time.Duration) (late context.Context, release func()) {
	if patience <= 0 {
		return ctx, func() {}
	}
	late, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(patience, func() { cancel(context.Cause(ctx)) })
	})
	return late, func() { stop(); cancel(nil) }
}

// tick advances the game by one step and measures its time. A tick that the context has cut short
// is noted, and does not count. Why is the error left out otherwise? The errors of Go systems are
// among the faults, which the host counts and reports; what else a step returns says that it was
// refused, as one with a wrong length.
func (g *Game) tick(ctx context.Context, dt float64) {
	began, before := time.Now(), meter.Processor()
	err := g.session.StepContext(ctx, dt)
	if g.cut = ctx.Err() != nil && errors.Is(err, ctx.Err()); !g.cut {
		g.meter.Tick(time.Since(began), meter.Processor()-before)
	}
}
