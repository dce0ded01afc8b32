package bench

import (
	"math"

	"github.com/perigee-ecs/perigee/ecs"
)

// softening keeps bodies that come close from flying apart, in square units.
const softening = 25.0

// Star pulls all others. They form a ring, each with the handle of the next:
// that is how each of them finds the others.
type Star struct {
	X, Y, Mass float64
	Next       ecs.Entity
}

// nbody is a step of up to a thousand bodies, each of which pulls each other: a
// million pairs, a square root and a division for each. Then all move.
func nbody() workload {
	return workload{name: "nbody", most: 1000, plain: nbodyPlain, stock: nbodyStock}
}

// stars draws n stars at rest.
func stars(n int) ([]Star, []Velocity) {
	p := pairs[Star, Velocity]{start: func(r *random) (Star, Velocity) {
		x, y := r.within(0, size), r.within(0, size)
		return Star{X: x, Y: y, Mass: r.within(1, 100)}, Velocity{}
	}}
	return p.begin(n)
}

// pullOf adds what some stars pull at a place to what others did. It is a loop of
// its own so that nothing in it is read twice.
func pullOf(some []Star, x, y, ax, ay float64) (float64, float64) {
	for i := range some {
		o := &some[i]
		dx, dy := o.X-x, o.Y-y
		square := float64(dx*dx) + float64(dy*dy) + softening
		force := o.Mass / float64(square*math.Sqrt(square))
		ax += float64(dx * force)
		ay += float64(dy * force)
	}
	return ax, ay
}

// driftLoop moves stars by their velocities.
func driftLoop(s []Star, v []Velocity, dt float64) {
	v = v[:len(s)]
	for i := range s {
		s[i].X += float64(v[i].X * dt)
		s[i].Y += float64(v[i].Y * dt)
	}
}

// nbodyPlain goes around the same ring: from the next one to the body itself.
func nbodyPlain(n int) *model {
	s, v := stars(n)
	return &model{
		loop: func() {
			for i := range s {
				ax, ay := pullOf(s[i+1:], s[i].X, s[i].Y, 0, 0)
				ax, ay = pullOf(s[:i+1], s[i].X, s[i].Y, ax, ay)
				v[i].X += float64(ax * dt)
				v[i].Y += float64(ay * dt)
			}
			driftLoop(s, v, dt)
		},
		state: func() []float64 { return append(numbers(s), numbers(v)...) },
	}
}

// nbodyStock is nbody over the entities of a world. Each star knows the next one, so
// that every system goes around in the same order, and sums up in it.
func nbodyStock(w *ecs.World, n int) *model {
	star, velocity := ecs.Register[Star](w), ecs.Register[Velocity](w)
	s, v := stars(n)
	all := make([]ecs.Entity, n)
	for i := range all {
		all[i] = w.Spawn(star.With(s[i]), velocity.With(v[i]))
	}
	for i, e := range all {
		star.Edit(e).Next = all[(i+1)%n]
	}
	look, move := w.Query(ecs.Read(star), ecs.Write(velocity)), w.Query(ecs.Write(star), ecs.Read(velocity))
	return &model{
		systems: []ecs.System{
			{Name: "nbody", Queries: []*ecs.Query{look}, Run: func(t *ecs.Tick) error {
				for k := range look.Chunks() {
					pullLoop(star, k.Entities(), star.Of(k), velocity.Mut(k), t.DT)
				}
				return nil
			}},
			{Name: "nbody.move", Queries: []*ecs.Query{move}, Run: func(t *ecs.Tick) error {
				for k := range move.Chunks() {
					driftLoop(star.Mut(k), velocity.Of(k), t.DT)
				}
				return nil
			}},
		},
		state: func() []float64 { return append(numbers(column(look, star)), numbers(column(look, velocity))...) },
	}
}

// pullLoop goes around the ring for each star, until it comes back to it.
func pullLoop(star ecs.Component[Star], all []ecs.Entity, s []Star, v []Velocity, dt float64) {
	for i := range s {
		ax, ay, x, y := 0.0, 0.0, s[i].X, s[i].Y
		for other, last := s[i].Next, ecs.Entity(0); last != all[i]; {
			o := star.Peek(other)
			if o == nil {
				break
			}
			dx, dy := o.X-x, o.Y-y
			square := float64(dx*dx) + float64(dy*dy) + softening
			force := o.Mass / float64(square*math.Sqrt(square))
			ax += float64(dx * force)
			ay += float64(dy * force)
			last, other = other, o.Next
		}
		v[i].X += float64(ax * dt)
		v[i].Y += float64(ay * dt)
	}
}
