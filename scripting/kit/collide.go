package kit

import (
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// collide is the system that finds touching colliders.
type collide struct {
	world    *ecs.World
	counts   *Collisions
	position ecs.Component[Position]
	collider ecs.Component[Collider]
	event    ecs.Event[Collision]
	bodies   *ecs.Query

	all  []body
	grid grid
	runs []stretch // scratch of one search
	sent int       // events of this tick

	work, sought comparisons // of this tick: for collisions, and for Nearest
	warn         func(text string)
	calm         int // ticks without a search that was cut; the first counts as calm
}

// calmAfter is how many ticks without a crowd end an episode; the next crowd is
// warned about again.
const calmAfter = 600

// newCollide registers what kit.collide works on.
func newCollide(w *ecs.World) *collide {
	c := &collide{
		world: w, counts: ecs.Provide(w, &Collisions{Limit: 10_000, Work: defaultWork}), calm: calmAfter,
		position: ecs.Register[Position](w), collider: ecs.Register[Collider](w),
		event: ecs.RegisterEvent[Collision](w),
	}
	c.bodies = w.Query(ecs.Read(c.position), ecs.Read(c.collider))
	c.grid.fill(nil)
	return c
}

// run finds all pairs that touch: it fills the grid, and then lets each collider with
// a mask look around itself.
func (c *collide) run(t *ecs.Tick) error {
	c.gather()
	c.grid.fill(c.all)
	c.sent = 0
	searches := c.sought.cut // since the last run
	c.work, c.sought = newComparisons(c.counts.Work, len(c.all)), newComparisons(c.counts.Work, len(c.all))
	for i := range c.all {
		if a := &c.all[i]; a.mask != 0 {
			c.seek(t, a)
		}
	}
	c.counts.Cut += searches + c.work.cut
	c.tellOfCrowds(searches + c.work.cut)
	return nil
}

// gather copies the colliders that can take part in a collision.
func (c *collide) gather() {
	c.all = c.all[:0]
	for k := range c.bodies.Chunks() {
		c.all = appendBodies(c.all, k.Entities(), c.position.Of(k), c.collider.Of(k))
	}
}

// appendBodies is a function of its own so that its loop keeps the slices in
// registers, which the body of a range over a function does not.
func appendBodies(all []body, es []ecs.Entity, ps []Position, cs []Collider) []body {
	ps, cs = ps[:len(es)], cs[:len(es)]
	n := len(all)
	all = slices.Grow(all, len(es))[:n+len(es)]
	for i, e := range es {
		b := &all[n]
		// Field by field: a literal is made on the stack first, and copied in words of
		// another size than it was written in, which processors wait for.
		b.x, b.y, b.radius = ps[i].X, ps[i].Y, float64(cs[i].Radius)
		b.layer, b.mask, b.entity = cs[i].Layer, cs[i].Mask, e
		if b.layer|b.mask != 0 && b.sane() {
			n++
		}
	}
	return all[:n]
}

// seek tells what a looks for and touches.
func (c *collide) seek(t *ecs.Tick, a *body) {
	c.runs = c.grid.near(a.x, a.y, a.radius, c.runs[:0])
	left := c.work.allow(c.runs, len(c.grid.large))
	for _, r := range c.runs {
		n := min(int(r.to-r.from), left)
		c.test(t, a, c.grid.bodies[r.from:int(r.from)+n])
		left -= n
	}
	c.test(t, a, c.grid.large[:min(len(c.grid.large), left)])
}

// test compares a collider with its candidates, and sends an event for each that it
// looks for and touches.
func (c *collide) test(t *ecs.Tick, a *body, others []body) {
	for i := range others {
		b := &others[i]
		if a.mask&b.layer == 0 || !a.touches(b) || a.entity == b.entity {
			continue
		}
		if b.mask&a.layer == 0 || a.entity < b.entity { // else b tells it
			c.tell(t, Collision{a.entity, b.entity})
		}
	}
}

// tell sends an event, as long as the limit allows it: the Lua systems that
// read them run for microseconds per event, not nanoseconds.
func (c *collide) tell(t *ecs.Tick, hit Collision) {
	c.counts.Pairs++
	if c.sent >= c.counts.Limit {
		c.counts.Dropped++
		return
	}
	c.sent++
	c.event.Send(t.Commands, hit)
}

// nearest returns the closest living entity of the layers in mask. Of two that
// are equally far, it is the one with the smaller handle.
func (c *collide) nearest(x, y, reach float64, mask uint32) ecs.Entity {
	if at := (&body{x: x, y: y, radius: reach}); !at.sane() {
		return 0
	}
	s := search{x: x, y: y, mask: mask, world: c.world, square: reach * reach}
	c.runs = c.grid.near(x, y, reach, c.runs[:0])
	left := c.sought.allow(c.runs, len(c.grid.large))
	for _, r := range c.runs {
		n := min(int(r.to-r.from), left)
		s.look(c.grid.bodies[r.from : int(r.from)+n])
		left -= n
	}
	s.look(c.grid.large[:min(len(c.grid.large), left)])
	return s.best
}

// search is one search for the nearest.
type search struct {
	x, y   float64
	mask   uint32
	world  *ecs.World
	square float64 // of the distance to best, or of the reach
	best   ecs.Entity
}

// look compares some bodies with the nearest one so far.
func (s *search) look(bodies []body) {
	for i := range bodies {
		b := &bodies[i]
		if b.layer&s.mask == 0 {
			continue
		}
		dx, dy := b.x-s.x, b.y-s.y
		d := float64(dx*dx) + float64(dy*dy)
		closer := d < s.square || d == s.square && (s.best == 0 || b.entity < s.best)
		if closer && s.world.Alive(b.entity) {
			s.square, s.best = d, b.entity
		}
	}
}
