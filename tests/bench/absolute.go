package main

import (
	"runtime"

	"github.com/perigee-ecs/perigee/ecs"
)

// absoluteGoals are targets in entities a second and in microseconds. They do
// depend on the machine; they say that a game of this size fits into its frame.
func absoluteGoals() []goal {
	const many = 100_000
	return []goal{
		timed("one component in a pool", many, poolOfOne, func(s *slices) { turnAll(s.t) },
			faster("one component, in a pool, 100,000 entities", 50)),
		timed("two components in pools", many, poolsOfTwo, func(s *slices) { moveAll(s.t, s.v) },
			faster("two components, in pools, 100,000 entities", 25)),
		timed("three components in pools", many, updateIn(ecs.Sparse), updateSlices,
			faster("three components, in pools, 100,000 entities", 15)),
		timed("three components in columns", many, updateIn(), updateSlices,
			faster("three components, in columns, 100,000 entities", 40)),
		timed("physics", many, physics, func(s *slices) { bounceAll(s.t, s.v, frame) },
			faster("physics system, 100,000 entities", 10)),
		timed("update in pools", 10_000, updateIn(ecs.Sparse), updateSlices,
			within("Transform, Velocity, Health of 10,000 entities, in pools", 85)),
		timed("update in a group", 10_000, updateGroup, updateSlices,
			within("Transform, Velocity, Health of 10,000 entities, in a group of pools", 85)),
		timed("update in columns", 10_000, updateIn(), updateSlices,
			within("Transform, Velocity, Health of 10,000 entities, in columns", 75)),
		{
			operation: operation{name: "transitions", n: many, each: 2},
			who:       []contender{{name: "perigee", make: map[string]func(int) *trial{"transitions": perigeeAddRemove}}},
			figures: func(_ int, nanos []float64) []figure {
				return []figure{{"transition between archetypes, 100,000 entities", nanos[0] / 1000, "µs", "≤", 1}}
			},
		},
		{
			operation: operation{name: "175,000 operations", n: 175_000},
			who:       []contender{{name: "perigee", make: map[string]func(int) *trial{"175,000 operations": mixed}}},
			figures: func(n int, nanos []float64) []figure {
				return []figure{{"175,000 operations on entities, one by one", nanos[0] * float64(n) / 1e6, "ms", "≤", 100}}
			},
		},
		{
			operation: operation{name: "steady frame", n: 10_000},
			figures: func(n int, _ []float64) []figure {
				return []figure{{"allocations in a steady frame, 10,000 entities", allocations(n), "", "≤", 0}}
			},
		},
	}
}

// timed is the goal of a loop over bodies, beside the same loop over slices.
func timed(name string, n int, ours func(int) *trial, floor func(*slices), figures func(int, []float64) []figure) goal {
	return goal{
		operation: operation{name: name, n: n},
		who: []contender{
			{name: "perigee", make: map[string]func(int) *trial{name: ours}},
			{name: "plain slices", floor: true, make: map[string]func(int) *trial{name: func(n int) *trial {
				s := newSlices(n)
				return s.trial(func() { floor(s) })
			}}},
		},
		figures: figures,
	}
}

func poolOfOne(n int) *trial {
	b := newBodies(n, ecs.Sparse)
	q := b.world.Query(ecs.Write(b.transform))
	return b.trial(func() {
		for c := range q.Chunks() {
			turnAll(b.transform.Mut(c))
		}
	})
}

func poolsOfTwo(n int) *trial {
	b := newBodies(n, ecs.Sparse)
	q := b.world.Query(ecs.Write(b.transform), ecs.Read(b.velocity))
	return b.trial(func() {
		for c := range q.Chunks() {
			moveAll(b.transform.Mut(c), b.velocity.Of(c))
		}
	})
}

// updateIn updates bodies that live in columns, or where an option says.
func updateIn(where ...ecs.ComponentOption) func(n int) *trial {
	return func(n int) *trial {
		b := newBodies(n, where...)
		return b.trial(func() {
			for c := range b.all.Chunks() {
				updateAll(b.transform.Mut(c), b.velocity.Of(c), b.health.Mut(c))
			}
		})
	}
}

// updateGroup updates bodies whose pools are kept in step, as the manual advises
// for components that are asked for together.
func updateGroup(n int) *trial {
	b := newBodies(n, ecs.Sparse)
	must(b.world.Group(b.transform, b.velocity, b.health))
	return b.trial(func() {
		for c := range b.all.Chunks() {
			updateAll(b.transform.Mut(c), b.velocity.Of(c), b.health.Mut(c))
		}
	})
}

func updateSlices(s *slices) { updateAll(s.t, s.v, s.h) }

// physics is a step of a schedule with one system.
func physics(n int) *trial {
	b := newBodies(n)
	must(b.world.Schedule().Add(b.physics()))
	return b.trial(func() { must(b.world.Step(frame)) })
}

func (b *bodies) physics() ecs.System {
	q := b.world.Query(ecs.Write(b.transform), ecs.Write(b.velocity))
	return ecs.System{Name: "physics", Phase: ecs.Physics, Queries: []*ecs.Query{q}, Run: func(t *ecs.Tick) error {
		for c := range q.Chunks() {
			bounceAll(b.transform.Mut(c), b.velocity.Mut(c), t.DT)
		}
		return nil
	}}
}

// mixed is two parts in seven spawns, as many additions of a component, one part
// removals, and two parts despawns: whoever came is gone in the end.
func mixed(n int) *trial {
	b := newBodies(0)
	b.es = make([]ecs.Entity, 2*n/7)
	return b.trial(func() {
		for i := range b.es {
			b.es[i] = b.world.Spawn(b.transform.With(placed(i)), b.velocity.With(speed))
		}
		for _, e := range b.es {
			must(b.health.Set(e, hurt))
		}
		for _, e := range b.es[:len(b.es)/2] {
			must(b.velocity.Remove(e))
		}
		for _, e := range b.es {
			must(b.world.Despawn(e))
		}
	})
}

// allocations counts what a frame allocates once warm: physics, and a system
// that spawns, changes and despawns by commands.
func allocations(n int) float64 {
	b := newBodies(n)
	defer b.world.Close()
	must(b.world.Schedule().Add(b.physics(), ecs.System{Name: "sparks", Run: func(t *ecs.Tick) error {
		for range 100 {
			spark := t.Commands.Spawn(b.transform.With(placed(1)))
			t.Commands.Add(spark, b.velocity.With(speed))
			t.Commands.Remove(spark, b.velocity.ID())
			t.Commands.Despawn(spark)
		}
		return nil
	}}))
	const frames = 200
	before, after := runtime.MemStats{}, runtime.MemStats{}
	for range frames { // buffers grow to their size, freed slots come round
		must(b.world.Step(frame))
	}
	runtime.ReadMemStats(&before)
	for range frames {
		must(b.world.Step(frame))
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / frames
}
