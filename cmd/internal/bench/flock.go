package bench

import "github.com/perigee-ecs/perigee/ecs"

// How a flock flies; the Lua files say the same.
const (
	cohesion = 0.8  // acceleration per unit of distance from the others' middle
	drag     = 0.25 // part of the speed that is lost in a second
)

// Flock holds the neighbours that an entity keeps close to.
type Flock struct{ Mates [4]ecs.Entity }

// neighbours returns the numbers of an entity's neighbours, all near it in
// memory: flocks come into the world together.
func neighbours(r *random, i, n int) (mates [4]int32) {
	for m := range mates {
		mates[m] = int32((i + 1 + int(r.next()*64)) % n)
	}
	return mates
}

// steer is a flock that steers by the handles of its neighbours, and then moves.
func steer() workload {
	return workload{name: "steer", plain: steerPlain, stock: steerStock}
}

// steerPlain has positions in a slice as handles.
func steerPlain(n int) *model {
	f := pairs[Position, Velocity]{start: body}
	p, v := f.begin(n)
	mates, r := make([][4]int32, n), newRandom()
	for i := range mates {
		mates[i] = neighbours(r, i, n)
	}
	return &model{
		loop: func() {
			for i := range p {
				x, y := 0.0, 0.0
				for _, m := range mates[i] {
					x += p[m].X
					y += p[m].Y
				}
				v[i].turn(p[i], x, y, dt)
			}
			integrateLoop(p, v, dt)
		},
		state: func() []float64 { return append(numbers(p), numbers(v)...) },
	}
}

// turn accelerates towards the middle of four whose coordinates add up to x and y.
func (v *Velocity) turn(p Position, x, y, dt float64) {
	v.X += float64((float64((x/4-p.X)*cohesion) - float64(v.X*drag)) * dt)
	v.Y += float64((float64((y/4-p.Y)*cohesion) - float64(v.Y*drag)) * dt)
}

// steerStock is steer over the entities of a world: mates are found by their handles.
func steerStock(w *ecs.World, n int) *model {
	m := pairs[Position, Velocity]{start: body}
	position, velocity, flock := ecs.Register[Position](w), ecs.Register[Velocity](w), ecs.Register[Flock](w)
	p, v := m.begin(n)
	all := make([]ecs.Entity, n)
	for i := range all {
		all[i] = w.Spawn(position.With(p[i]), velocity.With(v[i]), flock.With(Flock{}))
	}
	r := newRandom()
	for i, e := range all {
		mates := flock.Edit(e)
		for k, other := range neighbours(r, i, n) {
			mates.Mates[k] = all[other]
		}
	}
	look := w.Query(ecs.Read(position), ecs.Write(velocity), ecs.Read(flock))
	move := w.Query(ecs.Write(position), ecs.Read(velocity))
	return &model{
		systems: []ecs.System{
			{Name: "steer", Queries: []*ecs.Query{look}, Run: func(t *ecs.Tick) error {
				for k := range look.Chunks() {
					steerLoop(position, position.Of(k), velocity.Mut(k), flock.Of(k), t.DT)
				}
				return nil
			}},
			{Name: "steer.move", Queries: []*ecs.Query{move}, Run: func(t *ecs.Tick) error {
				for k := range move.Chunks() {
					integrateLoop(position.Mut(k), velocity.Of(k), t.DT)
				}
				return nil
			}},
		},
		state: func() []float64 { return append(numbers(column(move, position)), numbers(column(move, velocity))...) },
	}
}

// steerLoop follows the handles, any of which may be of an entity that is gone.
func steerLoop(position ecs.Component[Position], p []Position, v []Velocity, f []Flock, dt float64) {
	v, f = v[:len(p)], f[:len(p)]
	for i := range p {
		x, y := 0.0, 0.0
		for _, e := range f[i].Mates {
			if mate := position.Peek(e); mate != nil {
				x += mate.X
				y += mate.Y
			}
		}
		v[i].turn(p[i], x, y, dt)
	}
}
