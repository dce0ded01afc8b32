package main

import (
	"errors"

	"github.com/perigee-ecs/perigee/ecs"
)

// What each fish has.
type (
	// Position is where it is: from 0 to side in both directions.
	Position struct{ X, Y float32 }
	// Velocity is how it swims, in lengths a second.
	Velocity struct{ X, Y float32 }
)

const (
	side = 100      // of the pond
	most = 500      // fish in it
	tick = 1.0 / 20 // seconds of a step
)

// open makes an empty pond. Each process that has a copy calls it: the components are registered in the
// same order, and the handles have the same tag. The systems are there for the copy that takes over.
func open() (*ecs.World, error) {
	w, err := ecs.Open(ecs.Options{Seed: 1, Tag: 1})
	if err != nil {
		return nil, err
	}
	position, velocity := ecs.Register[Position](w), ecs.Register[Velocity](w)
	fish := w.Query(ecs.Write(position), ecs.Write(velocity))
	swim := func(t *ecs.Tick) error {
		for c := range fish.Chunks() {
			p, v := position.Mut(c), velocity.Mut(c)
			for i := range p {
				along(&p[i].X, &v[i].X, float32(t.DT))
				along(&p[i].Y, &v[i].Y, float32(t.DT))
			}
		}
		return nil
	}
	hatch := func(t *ecs.Tick) error {
		random := t.Random()
		part := func(of float64) float32 { return float32(of * random.Float64()) }
		for range min(50, most-w.Len()) {
			t.Commands.Spawn(position.With(Position{part(side), part(side)}), velocity.With(Velocity{part(10) - 5, part(10) - 5}))
		}
		return nil
	}
	err = w.Schedule().Add(
		ecs.System{Name: "swim", Phase: ecs.Physics, Queries: []*ecs.Query{fish}, Run: swim},
		ecs.System{Name: "hatch", After: []string{"swim"}, Phase: ecs.Physics, Every: 10 * tick, Run: hatch},
	)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// along moves by a speed for some seconds, and turns round at the edges.
func along(at, speed *float32, seconds float32) {
	*at += *speed * seconds
	if *at < 0 && *speed < 0 || *at > side && *speed > 0 {
		*speed = -*speed
	}
}
