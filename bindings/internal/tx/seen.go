package tx

import (
	"iter"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// Ahead returns the world as the running call has it by now, nil where that is the
// world as it is: nothing has been recorded, or for nobody.
func (r *Runner) Ahead() *ecs.Preview {
	if r.Call == nil || r.Call.Tick.Commands.Len() == 0 {
		return nil
	}
	if p := r.Call.Tick.Commands.Preview(); p.Len() > 0 {
		return p
	}
	return nil
}

// Pointer returns the place of e's value for reading, nil when e is dead or has none.
func (r *Runner) Pointer(e ecs.Entity, id ecs.ComponentID) unsafe.Pointer {
	if p := r.Ahead(); p != nil {
		return p.Pointer(e, id)
	}
	return r.World.Raw().Pointer(e, id)
}

// Alive reports whether an entity is alive, by what the call has done so far.
func (r *Runner) Alive(e ecs.Entity) bool {
	if p := r.Ahead(); p != nil {
		return p.Alive(e)
	}
	return r.World.Alive(e)
}

// Parent returns the parent of an entity, by what the call has done so far; 0 for none.
func (r *Runner) Parent(e ecs.Entity) ecs.Entity {
	if p := r.Ahead(); p != nil {
		return p.Parent(e)
	}
	return r.World.Parent(e)
}

// Children iterates the children of an entity, by what the call has done so far.
func (r *Runner) Children(e ecs.Entity) iter.Seq[ecs.Entity] {
	if p := r.Ahead(); p != nil {
		return p.Children(e)
	}
	return r.World.Children(e)
}

// CountChildren returns how many children an entity has, without a walk through them: what a
// list of them costs is charged before it is made.
func (r *Runner) CountChildren(e ecs.Entity) int {
	if p := r.Ahead(); p != nil {
		return p.Count(r.World.ChildOf(), e)
	}
	return r.World.ChildOf().Count(e)
}
