package ecs

import (
	"fmt"
	"iter"
)

// maxDepth bounds the ancestors of an entity, so that the walk that refuses
// cycles stays short.
const maxDepth = 1024

// links chains an entity into its parent's ordered list of children.
//
// Invariants: a child's parent lists it; First and Last are the ends of the
// list that Next and Prev chain; a root that has no children has no links.
type links struct {
	Parent, First, Last, Prev, Next Entity
}

// SetParent makes child the last child of parent; parent 0 makes it a root. The
// error wraps ErrDead, ErrCycle, ErrRange (more than 1,024 ancestors),
// ErrIterating or ErrArenaFull.
func (w *World) SetParent(child, parent Entity) error {
	if err := w.checkParent(child, parent); err != nil {
		return err
	}
	if parent != 0 {
		for _, e := range [...]Entity{child, parent} {
			if err := w.components[w.links.id].pool.reserve(e); err != nil {
				return err
			}
			if !w.links.Has(e) {
				w.components[w.links.id].pool.put(e, w.components[w.links.id].defaultData())
			}
		}
	}
	w.unlink(child)
	if parent != 0 {
		w.link(child, parent)
	}
	return nil
}

func (w *World) checkParent(child, parent Entity) error {
	switch {
	case !w.Alive(child):
		return dead(child)
	case w.locks > 0:
		return ErrIterating
	case parent != 0 && !w.Alive(parent):
		return dead(parent)
	}
	depth := 0
	for e := parent; e != 0; e = w.Parent(e) {
		if e == child {
			return fmt.Errorf("%w: %v is an ancestor of %v or the same", ErrCycle, child, parent)
		}
		if depth++; depth > maxDepth {
			return fmt.Errorf("%w: %v has more than %d ancestors", ErrRange, parent, maxDepth)
		}
	}
	return nil
}

func (w *World) linksOf(e Entity) *links { return (*links)(w.Pointer(e, w.links.id)) }

func (w *World) link(child, parent Entity) {
	c, p := w.linksOf(child), w.linksOf(parent)
	c.Parent, c.Prev = parent, p.Last
	if p.Last != 0 {
		w.linksOf(p.Last).Next = child
	} else {
		p.First = child
	}
	p.Last = child
	w.stamp(child, w.links.id)
	w.stamp(parent, w.links.id)
}

// unlink takes an entity out of its parent's list; its own children stay.
func (w *World) unlink(e Entity) {
	l := w.linksOf(e)
	if l == nil || l.Parent == 0 {
		w.forget(e)
		return
	}
	parent, prev, next := l.Parent, l.Prev, l.Next
	l.Parent, l.Prev, l.Next = 0, 0, 0
	p := w.linksOf(parent)
	if prev != 0 {
		w.linksOf(prev).Next = next
	} else {
		p.First = next
	}
	if next != 0 {
		w.linksOf(next).Prev = prev
	} else {
		p.Last = prev
	}
	w.stamp(parent, w.links.id)
	w.forget(e)
	w.forget(parent)
}

// forget drops the links of an entity that has neither parent nor children.
func (w *World) forget(e Entity) {
	if l := w.linksOf(e); l != nil && *l == (links{}) {
		w.components[w.links.id].pool.remove(e)
	}
}

func (w *World) lastChild(e Entity) Entity {
	if l := w.linksOf(e); l != nil {
		return l.Last
	}
	return 0
}

// Parent returns e's parent, or 0.
func (w *World) Parent(e Entity) Entity {
	if l := w.linksOf(e); l != nil {
		return l.Parent
	}
	return 0
}

// Children iterates e's children in the order in which they were added. The
// loop body may despawn or move the child that it was given, no other.
func (w *World) Children(e Entity) iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		l := w.linksOf(e)
		if l == nil {
			return
		}
		for child := l.First; child != 0; {
			next := w.linksOf(child).Next
			if !yield(child) {
				return
			}
			child = next
		}
	}
}
