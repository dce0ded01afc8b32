package ecs

import (
	"fmt"
	"iter"
	"unsafe"
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

// SetParent makes child the last child of parent; parent 0 makes it a root.
// Nothing else writes the hierarchy. The error wraps ErrDead, ErrCycle, ErrRange (more than 1,024 ancestors),
// ErrIterating or ErrArenaFull.
func (w *World) SetParent(child, parent Entity) error {
	if err := w.checkParent(child, parent); err != nil {
		return err
	}
	if parent == 0 {
		w.unlink(child)
		return nil
	}
	if err := w.makeLinks(child, parent); err != nil {
		return err
	}
	old := w.unchain(child)
	w.link(child, parent)
	w.forget(old)
	return nil
}

// makeLinks gives both entities links; on an error, neither.
func (w *World) makeLinks(child, parent Entity) error {
	for _, e := range [...]Entity{child, parent} {
		p := w.linkPool()
		if err := p.reserve(e); err != nil {
			w.forget(child)
			return err
		}
		if p.find(e) == nil {
			p.put(e, unsafe.Pointer(&links{}))
		}
	}
	return nil
}

func (w *World) checkParent(child, parent Entity) error {
	switch {
	case !w.placed(child):
		return dead(child)
	case w.locks > 0:
		return ErrIterating
	case parent != 0 && !w.placed(parent):
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

func (w *World) linkPool() *arenaPool { return w.components[w.links.id].pool.(*arenaPool) }

func (w *World) linksOf(e Entity) *links { return (*links)(w.Pointer(e, w.links.id)) }

// editLinks is linksOf for writing.
func (w *World) editLinks(e Entity) *links {
	w.stamp(e, w.links.id)
	return w.linksOf(e)
}

func (w *World) link(child, parent Entity) {
	c, p := w.editLinks(child), w.editLinks(parent)
	c.Parent, c.Prev = parent, p.Last
	if p.Last != 0 {
		w.editLinks(p.Last).Next = child
	} else {
		p.First = child
	}
	p.Last = child
}

// unlink makes an entity a root; its own children stay.
func (w *World) unlink(e Entity) {
	parent := w.unchain(e)
	w.forget(e)
	w.forget(parent)
}

// unchain takes an entity out of its parent's list and returns the parent, or 0.
// The links of both remain, empty or not.
func (w *World) unchain(e Entity) Entity {
	parent := w.Parent(e)
	if parent == 0 {
		return 0
	}
	l, p := w.editLinks(e), w.editLinks(parent)
	prev, next := l.Prev, l.Next
	l.Parent, l.Prev, l.Next = 0, 0, 0
	if prev != 0 {
		w.editLinks(prev).Next = next
	} else {
		p.First = next
	}
	if next != 0 {
		w.editLinks(next).Prev = prev
	} else {
		p.Last = prev
	}
	return parent
}

// forget drops the links of an entity that has neither parent nor children.
func (w *World) forget(e Entity) {
	if l := w.linksOf(e); l != nil && *l == (links{}) {
		w.linkPool().remove(e)
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
			l := w.linksOf(child)
			if l == nil {
				return // the body ended a child that it was not given
			}
			next := l.Next
			if !yield(child) {
				return
			}
			child = next
		}
	}
}
