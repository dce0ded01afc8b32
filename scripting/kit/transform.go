package kit

import (
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/detmath"
)

// Transform says where an entity is, seen from its parent. An entity that gets one gets a
// GlobalTransform, too. Where there is no parent with a place, X and Y of an entity with a
// Position are those of the Position, and those of the Transform do not count.
type Transform struct {
	X, Y  float64 // units of the parent, along its axes
	Angle float64 // radians, against the parent
	Scale float64 // units of the parent that one unit has; 1 where nothing is said
}

// GlobalTransform says where an entity is, seen from the world. kit.transform works it out from
// the Transforms of the entity and of all above it, and puts it into the entity's Position, if it
// has one.
type GlobalTransform struct {
	X, Y  float64 // world units
	Angle float64 // radians
	Scale float64 // world units that one unit has
}

// Then returns where something is that t places within g.
func (g GlobalTransform) Then(t Transform) GlobalTransform {
	// The conversions keep the compiler from rounding a product and a sum at once, which it
	// does on some machines only.
	sin, cos := detmath.Sincos(g.Angle)
	x := float64(cos*t.X) - float64(sin*t.Y)
	y := float64(sin*t.X) + float64(cos*t.Y)
	return GlobalTransform{
		X:     g.X + float64(g.Scale*x),
		Y:     g.Y + float64(g.Scale*y),
		Angle: g.Angle + t.Angle,
		Scale: g.Scale * t.Scale,
	}
}

// equal reports whether two places are the same, of which not-a-number is one: else what is no number
// would come to another place in each tick.
func (g GlobalTransform) equal(o GlobalTransform) bool {
	return same(g.X, o.X) && same(g.Y, o.Y) && same(g.Angle, o.Angle) && same(g.Scale, o.Scale)
}

func same(a, b float64) bool { return a == b || a != a && b != b }

// unmoved is the place of the world itself.
var unmoved = GlobalTransform{Scale: 1}

// transform is the system that works out GlobalTransforms, each after that of its parent.
//
// A tree is placed from its top, an entity whose parent has no Transform. A tick looks at the
// tops only, and places those trees whose top has come to another place; once a Transform or
// the Position of a child has been written, or a parent has changed, it places all of them. An entity is placed once in
// a tick, so deep chains cost what flat ones do, and parents cannot go in circles: the world
// refuses that.
type transform struct {
	world    *ecs.World
	position ecs.Component[Position]
	local    ecs.Component[Transform]
	global   ecs.Component[GlobalTransform]
	all      *ecs.Query
	written  *ecs.Query // Transforms that were written, came or went
	parents  *ecs.Query // entities whose parent or children have changed
	pushed   *ecs.Query // whose Position somebody else has written, although they have a parent
	counts   [2]int     // of Transforms, and of entities with a parent: a query with Changed does not see the last one go
	tops     []ecs.Entity
	restores uint64    // of the world, when these were found: after another one, they are those of another world
	stack    []placing // scratch: what is still to be placed
	placed   int       // in the last tick
}

// placing is an entity that is to be placed in the place of its parent.
type placing struct {
	entity ecs.Entity
	parent GlobalTransform
}

// newTransform registers what kit.transform works on.
func newTransform(w *ecs.World) *transform {
	t := &transform{world: w, position: ecs.Register[Position](w)}
	t.global = ecs.Register[GlobalTransform](w, ecs.Default(unmoved))
	t.local = ecs.Register[Transform](w, ecs.Default(Transform{Scale: 1}), ecs.Requires(t.global))
	t.all = w.Query(ecs.Read(t.local), ecs.Write(t.global)).Optional(ecs.Write(t.position))
	t.written = w.Query(ecs.Read(t.local)).Changed(t.local)
	t.pushed = w.Query(ecs.Read(t.local), ecs.Read(t.position)).Sources(w.ChildOf()).Changed(t.position)
	t.parents = w.Query().With(w.ChildOf()).Changed(w.ChildOf())
	return t
}

// run places what has moved.
func (t *transform) run(*ecs.Tick) error {
	t.placed = 0
	all := t.changed()
	if all {
		t.findTops()
	}
	for _, e := range t.tops {
		if p := (placing{e, t.above(e)}); all || t.moved(p) {
			t.place(p)
		}
	}
	if t.placed > 0 {
		some(t.pushed) // what was written here was not somebody else
	}
	return nil
}

// changed reports whether more may have moved than the tops, since it was last asked.
func (t *transform) changed() bool {
	before, restores := t.counts, t.restores
	t.restores = t.world.Raw().Restores()
	t.counts = [2]int{t.all.Count(), t.world.ChildOf().Len()}
	// All are asked, so that all have looked.
	written, parents, pushed := some(t.written), some(t.parents), some(t.pushed)
	return t.counts != before || t.restores != restores || written || parents || pushed
}

// some reports whether a query yields anything.
func some(q *ecs.Query) bool {
	for range q.Chunks() {
		return true
	}
	return false
}

// findTops lists the tops of all trees.
func (t *transform) findTops() {
	t.tops = t.tops[:0]
	for c := range t.all.Chunks() {
		for _, e := range c.Entities() {
			if parent := t.world.Parent(e); parent == 0 || !t.local.Has(parent) {
				t.tops = append(t.tops, e)
			}
		}
	}
}

// above returns the place that a top is seen from: its parent's Position, its own where there is
// no parent, or that of the world.
func (t *transform) above(top ecs.Entity) GlobalTransform {
	from := unmoved
	at := t.world.Parent(top)
	if at == 0 {
		at = top
	}
	if p, ok := t.position.Get(at); ok {
		from.X, from.Y = p.X, p.Y
	}
	return from
}

// seen returns where an entity is, and its Transform; false if it has none.
func (t *transform) seen(p placing) (at GlobalTransform, ok bool) {
	local, ok := t.local.Get(p.entity)
	if !ok {
		return at, false
	}
	if t.position.Has(p.entity) && t.world.Parent(p.entity) == 0 {
		local.X, local.Y = 0, 0 // it is seen from its own Position
	}
	return p.parent.Then(local), true
}

// moved reports whether a top has come to another place since it was placed.
func (t *transform) moved(p placing) bool {
	at, _ := t.seen(p)
	was, ok := t.global.Get(p.entity)
	return !ok || !at.equal(was)
}

// place places an entity and all below it that have a Transform, down to those without.
func (t *transform) place(top placing) {
	t.stack = append(t.stack[:0], top)
	for len(t.stack) > 0 {
		p := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		at, ok := t.seen(p)
		if !ok {
			continue
		}
		t.placed++
		t.put(p.entity, at)
		for child := range t.world.ChildOf().Sources(p.entity) {
			t.stack = append(t.stack, placing{child, at})
		}
	}
}

// put stores where an entity is. What is there already is not written, so that only those who
// have moved count as changed.
func (t *transform) put(e ecs.Entity, at GlobalTransform) {
	if was, ok := t.global.Get(e); ok && !was.equal(at) {
		*t.global.Edit(e) = at
	}
	if was, ok := t.position.Get(e); ok && !(same(was.X, at.X) && same(was.Y, at.Y)) {
		*t.position.Edit(e) = Position{at.X, at.Y}
	}
}
