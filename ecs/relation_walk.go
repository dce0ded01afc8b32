package ecs

import "iter"

// The three traversals visit an entity, its sources, their sources and so on, of
// one relation; for the hierarchy that is an entity and all below it. Each visits
// an entity once, also where a relation comes round to the one it began with. A
// dead beginning yields nothing.
//
// The loop body may change components, spawn, and give sources to the entity that
// it was given. It may despawn that entity, or give it another target: then what
// is below it is left out. Doing so to other entities of the walk, or changing an
// order, may end it early or leave some out, no more. Bodies that keep adding
// sources ahead of the walk keep it going.

// DepthFirst yields an entity and all that lead to it, each before its sources,
// with its distance from the first, which is 0. It needs no memory and takes
// O(1) for each step.
func (r *Relation) DepthFirst(root Entity) iter.Seq2[Entity, int] {
	// Why not the loop itself? What is short enough to be inlined keeps the
	// caller's loop body off the heap.
	return func(yield func(Entity, int) bool) { r.depthFirst(root, yield) }
}

// depthFirst is the loop of DepthFirst.
func (r *Relation) depthFirst(root Entity, yield func(Entity, int) bool) {
	w := walk{relation: r, root: root}
	for e := root; w.enter(e); e = w.next() {
		if !yield(e, w.depth) {
			return
		}
	}
}

// walk is a place in a depth-first traversal: an entity, and where to go on if
// that entity is gone by the time of the next step.
type walk struct {
	relation   *Relation
	root       Entity
	at, target Entity
	sibling    Entity
	depth      int
}

// enter notes the surroundings of an entity; false means that there is none.
func (w *walk) enter(e Entity) bool {
	if !w.relation.world.placed(e) {
		return false
	}
	w.at, w.target, w.sibling = e, 0, 0
	if l := w.relation.of(e); l != nil && e != w.root {
		w.target, w.sibling = l.Target, l.Next
	}
	return true
}

// next returns the entity after the current one, or 0.
func (w *walk) next() Entity {
	l := w.relation.of(w.at)
	stays := w.at == w.root || l != nil && l.Target == w.target
	if stays && l != nil {
		if first := w.relation.otherThan(w.root, l.First); first != 0 {
			w.depth++
			return first
		}
	}
	if w.at == w.root {
		return 0
	}
	if stays {
		w.sibling = l.Next
	}
	return w.climb()
}

// climb returns the next sibling of the current entity, or of the nearest one
// above that has one.
func (w *walk) climb() Entity {
	for {
		if e := w.relation.otherThan(w.root, w.sibling); e != 0 {
			return e
		}
		l := w.relation.of(w.target)
		if w.target == w.root || l == nil {
			return 0
		}
		w.target, w.sibling = l.Target, l.Next
		w.depth--
	}
}

// PostOrder yields an entity and all that lead to it, each after its sources. It
// needs no memory; a step takes O(1) on average.
func (r *Relation) PostOrder(root Entity) iter.Seq[Entity] {
	return func(yield func(Entity) bool) { r.postOrder(root, yield) }
}

// postOrder is the loop of PostOrder.
func (r *Relation) postOrder(root Entity, yield func(Entity) bool) {
	if !r.world.placed(root) {
		return
	}
	for e := r.deepest(root, root); r.world.placed(e); {
		next := Entity(0)
		if l := r.of(e); e != root && l != nil {
			next = l.Target
			if sibling := r.otherThan(root, l.Next); sibling != 0 {
				next = r.deepest(sibling, root)
			}
		}
		if !yield(e) {
			return
		}
		e = next
	}
}

// deepest follows first sources down to one that has none.
func (r *Relation) deepest(e, root Entity) Entity {
	for {
		l := r.of(e)
		if l == nil {
			return e
		}
		first := r.otherThan(root, l.First)
		if first == 0 {
			return e
		}
		e = first
	}
}

// otherThan returns a source, or the one after it when it is the root of a walk,
// to which a relation may come round.
func (r *Relation) otherThan(root, e Entity) Entity {
	if e == root && e != 0 {
		return r.of(e).Next
	}
	return e
}

// BreadthFirst yields an entity and all that lead to it, those nearer to the
// first before those farther away, with the distance. It allocates nothing once
// the world's buffers are as large as the widest walk.
func (r *Relation) BreadthFirst(root Entity) iter.Seq2[Entity, int] {
	return func(yield func(Entity, int) bool) { r.breadthFirst(root, yield) }
}

// breadthFirst is the loop of BreadthFirst. Entities that the body ends or moves are
// skipped with all below them.
func (r *Relation) breadthFirst(root Entity, yield func(Entity, int) bool) {
	if !r.world.placed(root) {
		return
	}
	row := append(r.world.walks.take(), root)
	defer func() { r.world.walks.give(row) }()
	depth, end := 0, 1
	for i := 0; i < len(row); i++ {
		if i == end {
			depth, end = depth+1, len(row)
		}
		e := row[i]
		if !r.world.placed(e) {
			continue
		}
		target := r.Target(e)
		if !yield(e, depth) {
			return
		}
		if e == root || r.Target(e) == target { // it is still where it was
			row = r.appendSources(row, e, root)
		}
	}
}

// appendSources appends the sources of e but for the root.
func (r *Relation) appendSources(row []Entity, e, root Entity) []Entity {
	for source := range r.Sources(e) {
		if source != root {
			row = append(row, source)
		}
	}
	return row
}

// Ancestors yields the target of an entity, that one's target and so on, the nearest first;
// for the hierarchy, its parent, grandparent and so on. Where a relation comes round, each is
// yielded once. No more are yielded than there are before the first; a body that gives other
// targets changes who they are, and may end it early. O(1) for each step, and before the first O(ancestors) where
// the relation may come round.
func (r *Relation) Ancestors(e Entity) iter.Seq[Entity] {
	return func(yield func(Entity) bool) {
		left := r.Len() // no chain is longer
		if !r.options.Acyclic {
			left = r.Depth(e)
		}
		for e = r.Target(e); e != 0 && left > 0; e, left = r.Target(e), left-1 {
			if !yield(e) {
				return
			}
		}
	}
}

// Depth returns how many ancestors an entity has: 0 for one without a target, and for one
// that is dead. O(ancestors).
func (r *Relation) Depth(e Entity) int {
	start, n := e, 0
	// mark stays behind and leaps ahead at each power of two, so that a chain that comes
	// round meets it after some turns: then length is that of the circle.
	mark, length, leap := e, 0, 1
	for e = r.Target(e); e != 0; e = r.Target(e) {
		n++
		if length++; e == mark {
			return max(r.depthBefore(start, length)-1, 0) + length
		}
		if length == leap {
			mark, length, leap = e, 0, 2*leap
		}
	}
	return n
}

// depthBefore returns how many entities of a chain, the first included, come before its
// circle of a length.
func (r *Relation) depthBefore(slow Entity, length int) (n int) {
	fast := slow
	for range length {
		fast = r.Target(fast)
	}
	for ; slow != fast; n++ {
		slow, fast = r.Target(slow), r.Target(fast)
	}
	return n
}

// IsAncestor reports whether one entity is above another: its target, that one's target and
// so on. No entity is its own ancestor, unless the relation comes round to it. O(ancestors).
func (r *Relation) IsAncestor(ancestor, e Entity) bool {
	for a := range r.Ancestors(e) {
		if a == ancestor {
			return true
		}
	}
	return false
}
