package loop_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/internal/misuse"
	"github.com/perigee-ecs/perigee/scripting/loop"
)

// misusedClock is a clock whose time passes by being looked at, and that calls back.
type misusedClock struct {
	now    time.Time
	looked func()
}

func (c *misusedClock) Now() time.Time {
	if call := c.looked; call != nil {
		c.looked = nil
		call()
	}
	c.now = c.now.Add(time.Second)
	return c.now
}

func (c *misusedClock) After(time.Duration) <-chan time.Time {
	due := make(chan time.Time, 1)
	due <- c.now
	return due
}

// TestWrongUsesHaveDocumentedOutcomes: each call returns nothing but errors with a name, and no
// loop hangs.
func TestWrongUsesHaveDocumentedOutcomes(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	api := &misuse.API{
		Situations: []string{"outside", "elsewhere", "step", "step elsewhere", "frame", "free frame", "clock", "clock of a wait", "after", "zero"},
		Named:      misuse.Among(loop.ErrInvalid, loop.ErrBusy, loop.ErrDone),
		Prefix:     "loop",
	}
	api.Exported(t, ".")
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			c := misuse.NewCalls(t, api, seed)
			c.Functions["New"] = loop.New
			misuse.Offer(c, nil, ended)
			misuse.Offer(c, nil, func(float64) error { return loop.ErrDone })
			misuse.Offer(c, nil, func() {})
			misuse.Offer(c, 0, 1, -1, 0.5, 1e300, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64)
			misuse.Offer(c, loop.Options{}, loop.Options{Hz: -1}, loop.Options{Hz: math.NaN()}, loop.Options{Hz: math.SmallestNonzeroFloat64}, loop.Options{Hz: 60, MaxSteps: -1}, loop.Options{Hz: 60, Free: true})
			for _, where := range api.Situations {
				for name := c.Next(where); name != "" && !t.Failed(); name = c.Next(where) {
					inSituation(c, where, name)
				}
			}
		})
	}
	api.Print(t)
}

// inSituation makes a call where a loop may be.
func inSituation(c *misuse.Calls, where, name string) {
	clock := &misusedClock{now: time.Unix(1, 0)}
	l, err := loop.New(loop.Options{Hz: 60, MaxSteps: 2, Clock: clock, Free: where == "free frame"})
	if err != nil {
		c.Fatal(err)
	}
	c.Receivers["Loop"] = []any{l}
	made := false
	ctx, end := context.WithCancel(context.Background()) // a loop that was paused ends so
	defer end()
	call := func() { defer end(); made = true; c.Call(name, where, false) }
	inStep := func(float64) error {
		if made {
			return loop.ErrDone
		}
		made = true
		c.Call(name, where, where == "step elsewhere")
		return loop.ErrDone
	}
	switch where {
	case "outside":
		call()
	case "elsewhere":
		c.Call(name, where, true)
	case "step", "step elsewhere":
		c.Expect("Run", l.Run(ctx, inStep))
	case "frame", "free frame":
		_, err := l.Frame(inStep)
		c.Expect("Frame", err)
	case "clock":
		clock.looked = call
		c.Expect("Run", l.Run(ctx, inStep))
	case "clock of a wait":
		steps := 0
		c.Expect("Run", l.Run(ctx, func(float64) error {
			if steps++; steps > 1 || made {
				return loop.ErrDone
			}
			clock.looked = call
			return nil
		}))
	case "after":
		c.Expect("Run", l.Run(ctx, func(float64) error { return loop.ErrDone }))
		call()
	case "zero":
		c.Receivers["Loop"] = []any{&loop.Loop{}, (*loop.Loop)(nil)}
		call()
	}
}
