package ecs

import (
	"errors"
	"fmt"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
)

// checkShape: what an archetype remembers of its components and chunks is what
// these say.
func (w *World) checkShape(a *archetype) error {
	watched, sized := Trigger(0), 0
	for _, id := range a.ids {
		watched |= w.components[id].watch
		if w.components[id].size > 0 {
			sized++
		}
	}
	switch {
	case a.watched != watched:
		return fmt.Errorf("archetype %d: %b is watched on its components, it knows of %b", a.id, watched, a.watched)
	case a.prefab != (w.mark != nil && a.has(w.mark.id)):
		return fmt.Errorf("archetype %d: whether its rows are prefabs is not what its components say", a.id)
	case sized != len(a.columns):
		return fmt.Errorf("archetype %d: %d components have bytes, %d columns exist", a.id, sized, len(a.columns))
	}
	return errors.Join(a.checkColumns(w), a.checkUnits())
}

// checkColumns: columns lie behind each other in every layout, and each has a
// version of its own.
func (a *archetype) checkColumns(w *World) error {
	for i, col := range a.columns {
		if col.size != w.components[col.id].size {
			return fmt.Errorf("archetype %d: column %d is of %d bytes", a.id, i, col.size)
		}
		for _, l := range a.layouts {
			end := uintptr(l.units) * arena.Unit
			if i+1 < len(a.columns) {
				end = l.columns[i+1]
			}
			if uintptr(l.offsets[col.id]) != l.columns[i] || l.columns[i]+col.size*uintptr(l.capacity) > end {
				return fmt.Errorf("archetype %d: column %d of layout %d does not lie where it should", a.id, i, l.class)
			}
			if s := l.columnSlots[col.id]; s.version != uint32(i+1) {
				return fmt.Errorf("archetype %d: column %d of layout %d has version %d", a.id, i, l.class, s.version)
			}
		}
	}
	return nil
}

// checkUnits: the arena units of all chunks are counted.
func (a *archetype) checkUnits() error {
	n := 0
	for _, list := range [...][]*Chunk{a.chunks, a.spare} {
		for _, c := range list {
			n += c.layout.units
		}
	}
	if n != a.units {
		return fmt.Errorf("archetype %d: its chunks have %d units, %d counted", a.id, n, a.units)
	}
	return nil
}

// check: what serves deliveries only is empty between them. While an observer
// runs, there is a cause.
func (n *notices) check() error {
	if n.cause != 0 {
		return nil
	}
	switch {
	case len(n.causes)+len(n.unseen) > 0:
		return fmt.Errorf("notices: %d causes and %d that were not seen are left of a delivery", len(n.causes), len(n.unseen))
	case len(n.queue) == 0 && len(n.data)+len(n.passed) > 0:
		return errors.New("notices: nothing waits to be told, but values that were removed do")
	}
	return nil
}
