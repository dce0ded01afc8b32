package ecs

import (
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// checkComponents: a component knows its column in every table, its traits say
// what is set, and exclusions are mutual.
func (w *World) checkComponents() error {
	for _, c := range w.components {
		if err := w.checkWhere(c); err != nil {
			return err
		}
		if pooled := c.pool != nil; pooled != (c.traits&pooledTrait != 0) || (c.watch != 0) != (c.traits&watchedTrait != 0) || (c.reserved != "") != (c.traits&reservedTrait != 0) {
			return fmt.Errorf("component %q: its traits %b do not say what it is", c.schema.Name, c.traits)
		}
		for _, x := range c.rules.excludes {
			if !slices.Contains(x.rules.excludes, c) {
				return fmt.Errorf("component %q excludes %q, which knows nothing of it", c.schema.Name, x.schema.Name)
			}
		}
	}
	return nil
}

// checkWhere: where agrees with the tables' own offsets.
func (w *World) checkWhere(c *component) error {
	for t, l := range w.tables {
		offset := uint32(0)
		if int(c.id) < len(l.offsets) {
			offset = l.offsets[c.id]
		}
		known := uint32(0)
		if t < len(c.where) {
			known = c.where[t]
		}
		if known != offset {
			return fmt.Errorf("component %q lies at %d in table %d, and thinks at %d", c.schema.Name, offset, t, known)
		}
	}
	return nil
}

// checkEdges: an edge leads to the archetype that differs by its component only,
// and no batch has left rows due.
func (w *World) checkEdges(a *archetype) error {
	if a.due != 0 {
		return fmt.Errorf("archetype %d: %d rows are due, but no batch is running", a.id, a.due)
	}
	for id, e := range a.edges {
		with, without := a.mask, a.mask
		with.Set(uint32(id))
		without.Clear(uint32(id))
		if !w.leadsTo(e.with, with) || !w.leadsTo(e.without, without) {
			return fmt.Errorf("archetype %d: the edge of component %q leads astray", a.id, w.components[id].schema.Name)
		}
	}
	return nil
}

// leadsTo reports whether an end of an edge is not known or the archetype of m.
func (w *World) leadsTo(id uint32, m mask.Mask) bool {
	return id == 0 || int(id) < len(w.archetypes) && w.archetypes[id].mask == m
}

// checkDeferred: those who die later are each known once.
func (w *World) checkDeferred() error {
	for _, e := range w.deferred.list {
		if !w.deferred.known[e] {
			return fmt.Errorf("entity %v is to die later and not known to be", e)
		}
	}
	if len(w.deferred.list) != len(w.deferred.known) {
		return fmt.Errorf("%d are to die later, %d are known to be", len(w.deferred.list), len(w.deferred.known))
	}
	return nil
}
