package main

import (
	"math"

	"github.com/perigee-ecs/perigee/ecs"
)

// heavyGoal: two workers on a query whose rows are worth the trouble.
func heavyGoal() goal {
	return goal{
		operation: operation{name: "heavy query", n: 100_000},
		who: []contender{
			{name: "perigee, 1 worker", make: map[string]func(int) *trial{"heavy query": heavyWith(1)}},
			{name: "perigee, 2 workers", make: map[string]func(int) *trial{"heavy query": heavyWith(2)}},
			{name: "plain slices", floor: true, make: map[string]func(int) *trial{"heavy query": plainHeavy}},
		},
		figures: func(_ int, nanos []float64) []figure {
			return []figure{
				{"heavy query, speed-up of two workers", nanos[0] / nanos[1], "times", "≥", 1.8},
				{"heavy query, one worker against plain slices", nanos[0] / nanos[2], "times", "", 0},
			}
		},
	}
}

// heavy costs some tens of nanoseconds for each row, as a system does that steers
// or looks things up. The X of its result is a whole number again, so that sums
// over worlds can be compared.
func heavy(p []Position, v []Velocity) {
	v = v[:len(p)]
	for i := range p {
		angle := math.Atan2(p[i].X, p[i].Y+1) + math.Sin(v[i].X)
		p[i].X = math.Floor(1000 * math.Abs(math.Cos(angle)))
	}
}

// heavyWith is a step of the schedule whose one system works in parallel.
func heavyWith(workers int) func(int) *trial {
	return func(n int) *trial {
		w := newPerigee(n, 0, ecs.Options{Workers: workers})
		each := func(_ *ecs.Tick, c *ecs.Chunk) { heavy(w.position.Mut(c), w.velocity.Of(c)) }
		must(w.world.Schedule().Add(ecs.System{Name: "heavy", Queries: []*ecs.Query{w.movers}, Run: func(t *ecs.Tick) error {
			return t.Parallel(w.movers, each)
		}}))
		return w.trial(func() { must(w.world.Step(0)) })
	}
}

func plainHeavy(n int) *trial {
	w := newPlain(n)
	return &trial{steps: []func(){func() { heavy(w.p, w.v) }}, sum: w.sum}
}
