package kit

import (
	"math"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/detmath"
)

// move is the system that moves what has a Velocity.
type move struct {
	arena    *Arena
	position ecs.Component[Position]
	velocity ecs.Component[Velocity]
	edge     ecs.Component[Edge]
	movers   *ecs.Query
}

// newMove registers what kit.move works on.
func newMove(w *ecs.World, arena *Arena) *move {
	m := &move{
		arena: arena, position: ecs.Register[Position](w),
		velocity: ecs.Register[Velocity](w), edge: ecs.Register[Edge](w),
	}
	m.movers = w.Query(ecs.Write(m.position), ecs.Write(m.velocity)).Optional(ecs.Read(m.edge))
	return m
}

// run moves all that has a velocity, and then applies the rule of the edge: an
// entity's own, or that of the arena.
func (m *move) run(t *ecs.Tick) error {
	for c := range m.movers.Chunks() {
		p, v := m.position.Mut(c), m.velocity.Mut(c)
		integrate(p, v, t.DT)
		if own := m.edge.Of(c); own != nil {
			for i, e := range own[:len(p)] {
				m.apply(e.Rule, t, c.Entities()[i:i+1], p[i:i+1], v[i:i+1])
			}
			continue
		}
		m.apply(m.arena.Edge, t, c.Entities(), p, v)
	}
	return nil
}

// integrate moves each entity by its velocity.
//
// Why the conversions? They forbid the compiler to fuse multiplication and
// addition, which some processors do and others cannot: the same world would
// differ between two machines.
func integrate(p []Position, v []Velocity, dt float64) {
	v = v[:len(p)]
	for i := range p {
		p[i].X += float64(v[i].X * dt)
		p[i].Y += float64(v[i].Y * dt)
	}
}

// apply brings back, or ends, the entities that have left the arena.
func (m *move) apply(rule Rule, t *ecs.Tick, es []ecs.Entity, p []Position, v []Velocity) {
	w, h := axisOf(m.arena.Width), axisOf(m.arena.Height)
	if rule == None || rule > Despawn {
		return
	}
	v, es = v[:len(p)], es[:len(p)]
	for i := range p {
		q := &p[i]
		if inX, inY := w.holds(q.X), h.holds(q.Y); inX && inY {
			continue
		}
		if rule == Despawn {
			t.Commands.Despawn(es[i])
			continue
		}
		q.X, v[i].X = w.bring(rule, q.X, v[i].X)
		q.Y, v[i].Y = h.bring(rule, q.Y, v[i].Y)
	}
}

// axis is the length of one axis of the arena, +Inf for one that never ends.
type axis float64

// axisOf returns the axis of a length; zero and below stand for one without an end.
func axisOf(length float64) axis {
	if length > 0 {
		return axis(length)
	}
	return axis(math.Inf(1))
}

// holds reports whether a coordinate needs nothing done. One that is not a
// number is left alone: there is no better place for it.
func (a axis) holds(x float64) bool {
	return !(x < 0 || x > float64(a)) || math.IsInf(float64(a), 1)
}

// bring returns the coordinate and velocity after the edge's rule.
func (a axis) bring(rule Rule, x, v float64) (float64, float64) {
	end := float64(a)
	if a.holds(x) {
		return x, v
	}
	switch {
	case rule == Stop:
		return min(max(x, 0), end), 0
	case rule == Wrap:
		return wrap(x, end), v
	case x < 0: // further out than the arena is wide, it lands on the edge
		return min(-x, end), math.Abs(v)
	default:
		return max(end-(x-end), 0), -math.Abs(v)
	}
}

// wrap returns x modulo end, in [0, end).
func wrap(x, end float64) float64 {
	x = detmath.Modulo(x, end)
	if x >= end { // -1e-20 + end rounds to end
		return 0
	}
	return x
}
