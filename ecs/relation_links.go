package ecs

import (
	"fmt"
	"unsafe"
)

// MaxDepth bounds the targets that follow each other in an acyclic relation, the
// ancestors of an entity for example, so that the walk that refuses cycles stays short.
const MaxDepth = 1024

// links chains an entity into the ordered list of its target's sources, and
// holds the ends of the list of its own. There are one or none per entity and
// relation.
//
// Invariants: a source's target lists it; First and Last are the ends of the
// list that Next and Prev chain, Count its length; an entity without target and
// sources has no links; the targets counted over all entities are the
// relation's count.
type links struct {
	Target, First, Last, Prev, Next Entity
	Count                           uint64
}

// spot is a place in a list of sources; the zero spot is its end.
type spot struct {
	where   spotKind
	sibling Entity
	index   int
}

type spotKind uint8

const (
	spotEnd spotKind = iota
	spotIndex
	spotBefore
	spotAfter
)

// of returns the links of an entity that may be dead, or nil.
func (r *Relation) of(e Entity) *links { return (*links)(r.info.find(e)) }

// edit is of for writing, for an entity that has links.
func (r *Relation) edit(e Entity) *links {
	p := r.links
	p.stamp(e)
	return (*links)(p.find(e))
}

// makeRoom gives both entities links; on an error, neither.
func (r *Relation) makeRoom(source, target Entity) error {
	for _, e := range [...]Entity{source, target} {
		p := r.links
		if err := p.reserve(e); err != nil {
			r.forget(source)
			return err
		}
		if p.find(e) == nil {
			p.put(e, unsafe.Pointer(&links{}))
		}
	}
	return nil
}

// resolve turns a spot into the source of target that will follow, 0 for none.
// The one that is about to be placed is not in the list.
func (r *Relation) resolve(target Entity, at spot) Entity {
	switch at.where {
	case spotBefore:
		return at.sibling
	case spotAfter:
		return r.of(at.sibling).Next
	case spotIndex:
		next := r.of(target).First
		for range at.index {
			next = r.of(next).Next
		}
		return next
	}
	return 0
}

// chain puts source into target's list before next, or at its end. Both have
// links; source is in no list.
func (r *Relation) chain(source, target, next Entity) {
	s, t := r.edit(source), r.edit(target)
	prev := t.Last
	if next != 0 {
		prev = r.of(next).Prev
	}
	s.Target, s.Prev, s.Next = target, prev, next
	r.follow(t, prev, source)
	r.precede(t, next, source)
	t.Count++
	r.count++
}

// follow makes e the one behind prev in the list of t, or its first.
func (r *Relation) follow(t *links, prev, e Entity) {
	if prev != 0 {
		r.edit(prev).Next = e
	} else {
		t.First = e
	}
}

// precede makes e the one before next in the list of t, or its last.
func (r *Relation) precede(t *links, next, e Entity) {
	if next != 0 {
		r.edit(next).Prev = e
	} else {
		t.Last = e
	}
}

// unchain takes an entity out of its target's list and returns the target, or 0.
// The links of both remain, empty or not.
func (r *Relation) unchain(e Entity) Entity {
	target := r.Target(e)
	if target == 0 {
		return 0
	}
	l, t := r.edit(e), r.edit(target)
	prev, next := l.Prev, l.Next
	l.Target, l.Prev, l.Next = 0, 0, 0
	r.follow(t, prev, next)
	r.precede(t, next, prev)
	t.Count--
	r.count--
	return target
}

// unlink takes an entity's target away; its own sources stay.
func (r *Relation) unlink(e Entity) {
	target := r.unchain(e)
	r.forget(e)
	r.forget(target)
}

// sever takes an entity out of the relation: its target, and its sources' one.
func (r *Relation) sever(e Entity) {
	for l := r.of(e); l != nil && l.Last != 0; l = r.of(e) {
		r.unlink(l.Last) // the last one, as the end of a list costs least
	}
	r.unlink(e)
}

// forget drops the links of an entity that has neither target nor sources.
func (r *Relation) forget(e Entity) {
	if l := r.of(e); l != nil && *l == (links{}) {
		r.links.remove(e)
	}
}

// check returns the first broken invariant of the relation.
func (r *Relation) check() error {
	listed, linked := 0, 0
	for e := range r.world.Entities() {
		l := r.of(e)
		if l == nil {
			continue
		}
		if l.Target != 0 {
			linked++
		}
		n, err := r.checkList(e, l)
		if err != nil {
			return err
		}
		listed += n
	}
	if listed != linked || linked != r.count {
		return fmt.Errorf("relation %q: %d entities have a target, %d are listed as sources, %d counted", r.name, linked, listed, r.count)
	}
	return nil
}

// checkList walks the sources of e and returns how many there are.
func (r *Relation) checkList(e Entity, l *links) (int, error) {
	if *l == (links{}) {
		return 0, fmt.Errorf("relation %q: %v has links to nobody", r.name, e)
	}
	prev, n := Entity(0), 0
	for source := l.First; source != 0; n++ {
		s := r.of(source)
		if s == nil || s.Target != e || s.Prev != prev {
			return 0, fmt.Errorf("relation %q: %v lists the source %v, which does not agree", r.name, e, source)
		}
		prev, source = source, s.Next
	}
	if prev != l.Last || n != int(l.Count) {
		return 0, fmt.Errorf("relation %q: the list of %v has %d sources and ends at %v, not %d and %v", r.name, e, n, prev, l.Count, l.Last)
	}
	return n, nil
}
