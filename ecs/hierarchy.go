package ecs

import "iter"

// childOf is the name of the hierarchy among relations.
const childOf = "ChildOf"

// ChildOf returns the hierarchy: the acyclic relation from children to their
// parent. Children die with their parent unless SetPolicy says otherwise.
func (w *World) ChildOf() *Relation { return w.relations[0] }

// SetParent makes child the last child of parent; parent 0 makes it a root. The
// error wraps ErrDead, ErrCycle, ErrRange (more than 1,024 ancestors),
// ErrIterating or ErrArenaFull. [World.ChildOf] has the same for any place among
// the children.
func (w *World) SetParent(child, parent Entity) error { return w.ChildOf().Set(child, parent) }

// Parent returns e's parent, or 0.
func (w *World) Parent(e Entity) Entity { return w.ChildOf().Target(e) }

// Children iterates e's children in order: that in which they were added, unless
// they were placed by choice. The loop body may despawn or move the child that it
// was given, no other.
func (w *World) Children(e Entity) iter.Seq[Entity] { return w.ChildOf().Sources(e) }
