package kit

import (
	"cmp"
	"log/slog"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// collide is the system that finds touching colliders.
type collide struct {
	world    *ecs.World
	counts   *Collisions
	position ecs.Component[Position]
	collider ecs.Component[Collider]
	box      ecs.Component[Box]
	event    ecs.Event[Collision]
	bodies   *ecs.Query

	all   []body
	grid  grid
	index *Index    // of all, for searches
	at    uint64    // version of the world at the last look
	runs  []stretch // scratch of one search
	sent  int       // events of this tick
	limit int       // of these
	price int       // of a comparison: boxPrice where there are boxes, else 1

	// The host's bounds of what the resource says, which scripts write.
	mostSent, mostWork int

	work comparisons // of this tick
	cut  uint64      // searches of the index that were cut up to the last run
	warn func(text string)
	calm int // ticks without a search that was cut; the first counts as calm
}

// calmAfter is how many ticks without a crowd end an episode; the next crowd is
// warned about again.
const calmAfter = 600

// newCollide registers what kit.collide works on.
func newCollide(w *ecs.World, options Options) *collide {
	limit, work := max(cmp.Or(options.Limit, defaultLimit), 0), max(cmp.Or(options.Work, defaultWork), 0)
	c := &collide{
		world: w, counts: ecs.Provide(w, &Collisions{Limit: limit, Work: work}), calm: calmAfter,
		mostSent: limit, mostWork: work, warn: options.Warn,
		position: ecs.Register[Position](w), collider: ecs.Register[Collider](w),
		box: ecs.Register[Box](w), event: ecs.RegisterEvent[Collision](w),
	}
	c.bodies = w.Query(ecs.Read(c.position), ecs.Read(c.collider)).Optional(ecs.Read(c.box))
	c.grid.fill(nil)
	if c.warn == nil {
		c.warn = func(text string) { slog.Warn(text) }
	}
	c.index = &Index{world: w, lent: true, of: c}
	return c
}

// look fills the index with what the world has now: when a tick begins, for the searches up to the
// run, and for those between two ticks.
//
// Why not what the last run has found? Searches would follow from what is not in the world: a game that
// was loaded, or has gone back, would find something else than one that never stopped.
func (c *collide) look() {
	c.gather()
	c.fill()
	c.at = c.world.Raw().Version()
}

// catchUp is look for a search between two ticks, if the world may have changed since. Inside of one the index
// stays what it is, for there columns may be half written.
func (c *collide) catchUp() {
	if raw := c.world.Raw(); raw.Ready() == nil && c.at != raw.Version() {
		c.look()
	}
}

// fill hands the bodies to the index.
func (c *collide) fill() {
	c.index.fill(c.all)
	c.index.Work = atMost(min(c.counts.Work, c.mostWork))
}

// run finds all pairs that touch: it fills the grid, and then lets each collider with
// a mask look around itself.
func (c *collide) run(t *ecs.Tick) error {
	c.gather()
	c.grid.fill(c.all)
	c.sent, c.limit = 0, min(c.counts.Limit, c.mostSent)
	work := min(c.counts.Work, c.mostWork)
	searches := c.index.cut - c.cut // since the last run
	c.cut = c.index.cut
	c.fill()
	c.work = putAside(work, c.lookers())
	for i := range c.all {
		if a := &c.all[i]; a.mask != 0 {
			c.seek(t, a)
		}
	}
	c.counts.Cut += c.work.cut
	c.tellOfCrowds(searches + c.work.cut)
	return nil
}

// boxPrice is what a comparison counts where there are boxes. It takes about twice as long as that of
// two circles.
const boxPrice = 2

// lookers counts the colliders that look for others.
func (c *collide) lookers() (n int) {
	for i := range c.all {
		if c.all[i].mask != 0 {
			n++
		}
	}
	return n
}

// atMost returns a work of the resource as one of an index, where 0 has another meaning.
func atMost(work int) int {
	if work <= 0 {
		return -1
	}
	return work
}

// gather copies the colliders that can take part in a collision.
func (c *collide) gather() {
	c.all, c.price = c.all[:0], 1
	for k := range c.bodies.Chunks() {
		es, ps, cs := k.Entities(), c.position.Of(k), c.collider.Of(k)
		if boxes := c.box.Of(k); boxes != nil {
			c.all, c.price = appendBoxes(c.all, es, ps, cs, boxes), boxPrice
			continue
		}
		c.all = appendBodies(c.all, es, ps, cs)
	}
}

// appendBoxes is appendBodies for colliders that are boxes.
func appendBoxes(all []body, es []ecs.Entity, ps []Position, cs []Collider, boxes []Box) []body {
	for i, e := range es {
		shape := Body{Entity: e, X: ps[i].X, Y: ps[i].Y, Layer: cs[i].Layer | cs[i].Mask}
		shape.Width, shape.Height = boxes[i].Width, boxes[i].Height
		if b, ok := shape.body(); ok {
			b.layer, b.mask = cs[i].Layer, cs[i].Mask
			all = append(all, b)
		}
	}
	return all
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
	c.runs = c.grid.near(a.x, a.y, a.extent(), c.runs[:0])
	left := c.work.allow(c.price*(bodiesIn(c.runs)+len(c.grid.large))) / c.price
	for _, r := range c.runs {
		n := min(int(r.to-r.from), left)
		c.test(t, a, c.grid.bodies[r.from:int(r.from)+n])
		left -= n
	}
	c.test(t, a, c.grid.large[:min(len(c.grid.large), left)])
}

// test compares a collider with its candidates, and sends an event for each that it
// looks for and touches. In a crowd there are millions, most of them above the limit: these are
// counted only.
func (c *collide) test(t *ecs.Tick, a *body, others []body) {
	touching := touchingCircles
	if c.price == boxPrice {
		touching = touchingShapes
	}
	for c.sent < c.limit {
		_, next := touching(a, others, 1)
		if next == 0 {
			return
		}
		c.tell(t, Collision{a.entity, others[next-1].entity})
		others = others[next:]
	}
	above, _ := touching(a, others, len(others))
	c.counts.Pairs += uint64(above)
	c.counts.Dropped += uint64(above)
}

// touchingCircles counts what a looks for and touches, where all are circles, up to so many;
// next is where the others after the last of these begin, 0 if there are not so many.
//
// Why without calls, and without branches for what differs from body to body? A crowd is millions of turns
// of this loop: so its values stay in registers, and no turn waits for a guess of the processor that was wrong.
func touchingCircles(a *body, others []body, most int) (n, next int) {
	me, layer, mask := a.entity, a.layer, a.mask
	x, y, radius := a.x, a.y, a.radius
	for i := range others {
		b := &others[i]
		dx, dy, r := x-b.x, y-b.y, radius+b.radius
		touch := 0
		if float64(dx*dx)+float64(dy*dy) <= r*r {
			touch = 1
		}
		tells := b.mask & layer
		if b.entity > me {
			tells = 0
		}
		if mask&b.layer == 0 {
			touch = 0
		}
		if tells != 0 {
			touch = 0
		}
		if b.entity == me {
			touch = 0
		}
		if n += touch; n == most {
			return n, i + 1
		}
	}
	return n, 0
}

// touchingShapes is touchingCircles where there may be boxes.
func touchingShapes(a *body, others []body, most int) (n, next int) {
	me, layer, mask, circle := a.entity, a.layer, a.mask, a.isCircle()
	for i := range others {
		b := &others[i]
		if mask&b.layer == 0 || b.mask&layer != 0 && b.entity < me || b.entity == me {
			continue
		}
		if circle && b.isCircle() {
			if !circlesTouch(a, b) {
				continue
			}
		} else if !boxTouches(a, b) {
			continue
		}
		if n++; n == most {
			return n, i + 1
		}
	}
	return n, 0
}

// tell sends an event. Their number has a limit: the Lua systems that read them run for
// microseconds per event, not nanoseconds.
func (c *collide) tell(t *ecs.Tick, hit Collision) {
	c.counts.Pairs++
	c.sent++
	c.event.Send(t.Commands, hit)
}
