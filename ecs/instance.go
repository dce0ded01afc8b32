package ecs

import "fmt"

// A prefab entity is an entity that is marked as one, with all below it in the
// hierarchy: a template that lives in the world, can be edited there like any
// other entity, and is found by no query that does not ask for prefabs. Instances
// are copies of the whole tree.
//
// Invariant: the children of a prefab entity are prefab entities.

// prefabMark is the name of the tag that prefab entities have.
const prefabMark = "Prefab"

// MarkPrefab makes a prefab of a living entity and all below it. Those that are
// prefabs already stay so; there is no way back, but instances are ordinary
// entities. The error wraps ErrDead, ErrIterating, ErrArenaFull, or ErrConflict
// when the world has no component number left for the mark, and nothing has
// changed then. O(entities × their components).
func (w *World) MarkPrefab(e Entity) error {
	switch {
	case !w.placed(e):
		return w.deadError(e)
	case w.locks > 0:
		return ErrIterating
	}
	var tree []Entity
	for node := range w.ChildOf().DepthFirst(e) {
		tree = append(tree, node)
	}
	return w.markAll(tree)
}

// isPrefab is Raw.IsPrefab.
func (w *World) isPrefab(e Entity) bool {
	a, r := w.find(e)
	return r != nil && a.prefab
}

// Prefabs asks for prefab entities too, which queries pass over otherwise.
func (q *Query) Prefabs() *Query {
	q.prefabs, q.loop = true, unprepared
	return q
}

// hasPrefabs reports whether any prefab entity lives. O(archetypes of such).
func (w *World) hasPrefabs() bool {
	for _, a := range w.templates {
		if a.count > 0 {
			return true
		}
	}
	return false
}

// checkPrefabs: the archetypes of prefab entities are all known, and the children
// of a prefab entity are prefab entities.
func (w *World) checkPrefabs() error {
	known := 0
	for _, a := range w.archetypes {
		if a.prefab {
			known++
		}
	}
	if known != len(w.templates) {
		return fmt.Errorf("%d archetypes are of prefabs, %d are known", known, len(w.templates))
	}
	for _, a := range w.templates {
		for _, c := range a.chunks {
			for _, e := range c.Entities() {
				for child := range w.Children(e) {
					if !w.isPrefab(child) {
						return fmt.Errorf("%v is a prefab, its child %v is not", e, child)
					}
				}
			}
		}
	}
	return nil
}

// markAll marks entities; room is made for all of them before the first moves.
func (w *World) markAll(es []Entity) error {
	if err := w.makeMark(); err != nil {
		return err
	}
	r, need := reservation{world: w}, map[*archetype]int{}
	var order []*archetype
	for _, e := range es {
		from, _ := w.find(e)
		if from.prefab {
			continue
		}
		to, err := w.archetypeWith(from, w.mark.id)
		if err != nil {
			return err
		}
		if need[to]++; need[to] == 1 {
			order = append(order, to)
		}
	}
	for _, to := range order {
		r.rows(to, need[to])
	}
	for _, e := range es {
		from, record := w.find(e)
		if from.prefab || r.err != nil {
			continue
		}
		to, err := w.archetypeWith(from, w.mark.id)
		var c *Chunk
		if err == nil {
			c, err = to.reserve(w)
		}
		if r.err = err; err == nil {
			w.move(e, record, from, to, c)
		}
	}
	if r.err == nil {
		w.committed("marking as a prefab", es[0]) // a family is one when all are marked
	}
	return r.undo(r.err)
}

// makeMark registers the mark when it is first needed, under no name that others
// could find.
func (w *World) makeMark() error {
	if w.mark != nil {
		return nil
	}
	c := &component{schema: &Schema{Name: prefabMark, Align: 1}}
	if err := w.enlist(c); err != nil {
		return err
	}
	c.reserve("MarkPrefab")
	w.mark = c
	return nil
}
