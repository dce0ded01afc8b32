package main

import (
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/detmath"
)

// Local says where an entity is, seen from its parent.
type Local struct{ X, Y, Angle, Scale float64 }

// Global says where an entity is, seen from the world. It follows from the Local
// of the entity and of all above it.
type Global struct{ X, Y, Angle, Scale float64 }

// Moved is on entities whose Local has changed since the last tick.
type Moved struct{}

// transforms keeps Globals true, for what has moved and all below it.
type transforms struct {
	world  *ecs.World
	local  ecs.Component[Local]
	global ecs.Component[Global]
	moved  ecs.Component[Moved]
	query  *ecs.Query
	placed int // in the last tick
}

func newTransforms(w *ecs.World) *transforms {
	t := &transforms{
		world: w, local: ecs.Register[Local](w), global: ecs.Register[Global](w), moved: ecs.Register[Moved](w, ecs.Sparse),
	}
	t.query = w.Query(ecs.Read(t.moved), ecs.Read(t.local), ecs.Write(t.global))
	return t
}

// spawn places a new entity below a parent, or nowhere below for parent 0.
func (t *transforms) spawn(parent ecs.Entity, at Local) (ecs.Entity, error) {
	e, err := t.world.TrySpawn(t.local.With(at), t.global.With(Global{}), t.moved.With(Moved{}))
	if err != nil || parent == 0 {
		return e, err
	}
	return e, t.world.SetParent(e, parent)
}

// move changes where an entity is, seen from its parent.
func (t *transforms) move(e ecs.Entity, at Local) error {
	return t.world.Add(e, t.local.With(at), t.moved.With(Moved{}))
}

// run is the system. Writing values in place changes no structure, so the walk may
// run inside the loop.
func (t *transforms) run(*ecs.Tick) error {
	t.placed = 0
	for c := range t.query.Chunks() {
		for _, e := range c.Entities() {
			if !t.above(e) {
				t.place(e)
			}
		}
	}
	_, err := t.world.ExchangeAll(t.query, []ecs.ComponentRef{t.moved})
	return err
}

// above reports whether something above e has moved: then e is placed with it.
func (t *transforms) above(e ecs.Entity) bool {
	for up := t.world.Parent(e); up != 0; up = t.world.Parent(up) {
		if t.moved.Has(up) {
			return true
		}
	}
	return false
}

// place works out the Globals of e and all below it. Depth-first, a parent comes
// before its children.
func (t *transforms) place(e ecs.Entity) {
	for node := range t.world.ChildOf().DepthFirst(e) {
		global, local := t.global.Edit(node), t.local.Edit(node)
		if global == nil || local == nil {
			continue // not everything in a family has a place
		}
		parent, ok := t.global.Get(t.world.Parent(node))
		if !ok {
			parent = Global{Scale: 1}
		}
		*global = parent.then(*local)
		t.placed++
	}
}

// then returns where something is that l places within g.
func (g Global) then(l Local) Global {
	// The conversions keep the compiler from rounding a product and a sum at once, which it
	// does on some machines only.
	sin, cos := detmath.Sincos(g.Angle)
	x := float64(cos*l.X) - float64(sin*l.Y)
	y := float64(sin*l.X) + float64(cos*l.Y)
	return Global{
		X:     g.X + float64(g.Scale*x),
		Y:     g.Y + float64(g.Scale*y),
		Angle: g.Angle + l.Angle,
		Scale: g.Scale * l.Scale,
	}
}
