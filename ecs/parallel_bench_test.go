package ecs

import (
	"fmt"
	"math"
	"testing"
)

// TestAParallelStepAllocatesNothing: systems beside each other that loop, draw
// random numbers, spawn, despawn and go over their chunks in parallel.
func TestAParallelStepAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	for _, workers := range []int{1, 2} {
		g := newPlanWorld(t, Options{Workers: workers, ReuseAfter: -1})
		g.worth = 0
		g.many(5000)
		for i := range 6 {
			q := g.Query(Read(g.position), Write([]ComponentRef{g.velocity, g.burning}[i%2]))
			call := func(tick *Tick, c *Chunk) {
				if c.Entities()[0].Index()%2 == 0 {
					tick.Commands.Despawn(tick.Commands.Spawn(g.burning.With(Burning{1})))
				}
			}
			must(t, g.Schedule().Add(g.running(fmt.Sprint(i), q, func(tick *Tick) error {
				tick.Commands.Despawn(tick.Commands.Spawn(g.position.With(Position{X: tick.Random().Float64()})))
				for c := range q.Chunks() {
					_ = g.position.Of(c)
				}
				return tick.Parallel(q, call)
			})))
		}
		if n := len(g.schedule.stages); n != 3 {
			t.Errorf("%d stages", n)
		}
		allocates(t, fmt.Sprint("a step with ", workers, " workers"), func() {
			if err := g.Step(1); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// BenchmarkParallel is a heavy query on one goroutine and on two, and a light
// one of few rows against its loop.
func BenchmarkParallel(b *testing.B) {
	heavy := func(p []Position, v []Velocity) {
		v = v[:len(p)]
		for i := range p {
			p[i].X = math.Sqrt(math.Abs(math.Sin(p[i].X+v[i].X))) + math.Cos(p[i].Y)
		}
	}
	light := func(p []Position, v []Velocity) {
		v = v[:len(p)]
		for i := range p {
			p[i].X += v[i].X
		}
	}
	for _, c := range []struct {
		name    string
		n       int
		work    func([]Position, []Velocity)
		workers int
	}{
		{"heavy", 100_000, heavy, 0}, {"heavy", 100_000, heavy, 1}, {"heavy", 100_000, heavy, 2},
		{"light", 100_000, light, 0}, {"light", 100_000, light, 1}, {"light", 100_000, light, 2},
		{"few", 300, light, 0}, {"few", 300, light, 1}, {"few", 300, light, 2},
	} {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.workers), func(b *testing.B) {
			g := newPlanWorld(b, Options{Workers: c.workers})
			for range c.n {
				g.Spawn(g.position.With(Position{1, 2}), g.velocity.With(Velocity{1, 1}))
			}
			q := g.Query(Write(g.position), Read(g.velocity))
			call := func(_ *Tick, k *Chunk) { c.work(g.position.Mut(k), g.velocity.Of(k)) }
			err := g.Run("bench", func(tick *Tick) error {
				for b.Loop() {
					if c.workers > 0 {
						if err := tick.Parallel(q, call); err != nil {
							return err
						}
						continue
					}
					for k := range q.Chunks() {
						call(nil, k)
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.n), "ns/entity")
		})
	}
}
