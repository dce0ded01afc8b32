package bench

import (
	"math/rand/v2"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
)

// The workload. The names in the Lua files are the same.
const (
	size  = 1000.0 // edge of the box, in world units
	speed = 100.0  // largest velocity on an axis, in world units per second
	dt    = 1.0 / 60
)

// Position and Velocity are exported for reflection: their names are what Lua
// knows them by.
type Position struct{ X, Y float64 }

// Velocity is in world units per second.
type Velocity struct{ X, Y float64 }

// start returns where entity number i begins, the same for all contenders.
func start(r *rand.Rand) (Position, Velocity) {
	p := Position{r.Float64() * size, r.Float64() * size}
	return p, Velocity{(r.Float64()*2 - 1) * speed, (r.Float64()*2 - 1) * speed}
}

func newRandom() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// bounce is the system as a Go programmer writes it; the query's chunks and the
// plain slices run this same loop. The slice expression is the hint that ends
// bounds checks.
//
// Why the conversions? They forbid fusing multiplication and addition, which
// the Lua VM cannot do: the positions have to agree to the bit.
func bounce(p []Position, v []Velocity, dt float64) {
	v = v[:len(p)]
	for i := range p {
		a, b := &p[i], &v[i]
		a.X += float64(b.X * dt)
		a.Y += float64(b.Y * dt)
		if a.X < 0 || a.X > size {
			b.X = -b.X
		}
		if a.Y < 0 || a.Y > size {
			b.Y = -b.Y
		}
	}
}

// slicesOnly is "go slices": what the system costs without any ECS.
func slicesOnly(n int) (*entry, error) {
	p, v := make([]Position, n), make([]Velocity, n)
	r := newRandom()
	for i := range p {
		p[i], v[i] = start(r)
	}
	var spent time.Duration
	tick := func() error {
		began := time.Now()
		bounce(p, v, dt)
		spent += time.Since(began)
		return nil
	}
	return &entry{
		tick: tick, spent: func() time.Duration { return spent },
		positions: func() []Position { return p }, close: func() error { return nil },
	}, nil
}

// query is "go query": a system in a world.
func query(n int) (*entry, error) {
	g := populate(n)
	q := g.world.Query(ecs.Write(g.position), ecs.Write(g.velocity))
	err := g.world.Schedule().Add(ecs.System{
		Name: systemName, Queries: []*ecs.Query{q},
		Phase: ecs.Logic, Run: func(t *ecs.Tick) error {
			for c := range q.Chunks() {
				bounce(g.position.Mut(c), g.velocity.Mut(c), t.DT)
			}
			return nil
		},
	})
	return g.entry(g.world.Step, g.world.Close), err
}
