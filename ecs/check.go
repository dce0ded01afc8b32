package ecs

import (
	"errors"
	"fmt"
	"unsafe"
)

// Check verifies the invariants of every structure and returns all that are
// broken, joined; nil means none. It is meant for tests and tools: it looks at
// everything.
func (w *World) Check() error {
	if w.arena.Base() == nil {
		return w.checkEvents() // no entity was ever here, or the world is closed
	}
	if err := w.checkPlaces(); err != nil {
		return err // all else follows the records
	}
	errs := []error{w.findFreedWrite(), w.arena.Check(w.units()), w.slots.Check(), w.checkCascade(), w.checkEvents()}
	errs = append(errs, w.checkComponents(), w.checkDeferred(), w.notices.check())
	for _, a := range w.archetypes[limbo+1:] {
		errs = append(errs, w.checkEdges(a), w.checkArchetype(a), w.checkShape(a))
	}
	for _, c := range w.components {
		errs = append(errs, c.checkAdditions())
	}
	for _, p := range w.pools {
		errs = append(errs, p.check())
		if g := p.of().group; g != nil { // from each of its pools, as one may have lost it
			errs = append(errs, g.check())
		}
	}
	for _, r := range w.relations {
		errs = append(errs, r.check())
	}
	if w.ChildOf().check() == nil {
		errs = append(errs, w.checkPrefabs())
	}
	return errors.Join(errs...)
}

// units returns the arena's runs in use, by their first units.
func (w *World) units() map[uint32]int {
	used := map[uint32]int{}
	for _, a := range w.archetypes {
		a.claim(used)
	}
	for _, p := range w.pools {
		if p, ok := p.(*arenaPool); ok {
			p.rows.claim(used)
			for _, unit := range p.sparse {
				used[unit] = 1
			}
		}
	}
	delete(used, 0) // stands for sparse pages that do not exist
	return used
}

func (a *archetype) claim(used map[uint32]int) {
	for _, list := range [...][]*Chunk{a.chunks, a.spare} {
		for _, c := range list {
			used[c.unit] += c.layout.units
		}
	}
}

// checkArchetype: all chunks but the last are full, every row's record points
// back at it, and the count is right.
func (w *World) checkArchetype(a *archetype) error {
	count := 0
	for i, c := range a.chunks {
		if full := c.layout.capacity; c.layout.arch != a || c.n > full || i+1 < len(a.chunks) && c.n < full {
			return fmt.Errorf("archetype %d: chunk %d holds %d of %d rows", a.id, i, c.n, full)
		}
		for row, e := range c.Entities() {
			r := w.slots.Record(uint64(e))
			if r == nil || r.Table != c.layout.table || r.Chunk != c.unit || r.Row != uint32(row) {
				return fmt.Errorf("archetype %d: row %d of chunk %d is entity %v, whose record says otherwise", a.id, row, i, e)
			}
		}
		count += c.n
	}
	for _, c := range a.spare {
		if c.layout.arch != a || c.n != 0 {
			return fmt.Errorf("archetype %d: a spare chunk holds %d rows", a.id, c.n)
		}
	}
	if count != a.count {
		return fmt.Errorf("archetype %d: %d rows, %d counted", a.id, count, a.count)
	}
	if w.byMask[a.mask] != a {
		return fmt.Errorf("archetype %d is not found by its components", a.id)
	}
	return w.checkTable(a)
}

// checkTable: the offset tables name exactly the archetype's components, and are
// found by their numbers, here and in the arena's directory, with their lengths
// before them.
func (w *World) checkTable(a *archetype) error {
	for class, l := range a.layouts {
		if int(l.table) >= len(w.tables) || w.tables[l.table] != l || l.class != class {
			return fmt.Errorf("archetype %d: layout %d is not found as table %d", a.id, class, l.table)
		}
		words := w.arena.At(w.arena.Directory()[l.table])
		if *(*uint32)(words) != uint32(len(l.offsets)) || unsafe.Add(words, 4) != unsafe.Pointer(unsafe.SliceData(l.offsets)) {
			return fmt.Errorf("archetype %d: the arena's directory does not lead to table %d", a.id, l.table)
		}
		for id := range l.offsets {
			if (l.offsets[id] != 0) != a.mask.Has(uint32(id)) {
				return fmt.Errorf("archetype %d: an offset table is wrong about component %q", a.id, w.components[id].schema.Name)
			}
			if l.columnSlots[id].offset != l.offsets[id] {
				return fmt.Errorf("archetype %d: layout %d thinks component %q elsewhere than its offset table", a.id, class, w.components[id].schema.Name)
			}
		}
	}
	return nil
}

// checkPlaces: every living entity is in limbo or in the row its record names.
func (w *World) checkPlaces() error {
	placed := 0
	for e := range w.Entities() {
		r := w.slots.Record(uint64(e))
		if r.Table == limbo {
			continue
		}
		placed++
		if int(r.Table) >= len(w.tables) || int(r.Chunk) >= len(w.chunks) || w.chunks[r.Chunk] == nil {
			return fmt.Errorf("entity %v lies in table %d, chunk %d, which do not exist", e, r.Table, r.Chunk)
		}
	}
	rows := 0
	for _, a := range w.archetypes[limbo+1:] {
		rows += a.count
	}
	if rows != placed {
		return fmt.Errorf("%d entities are placed, %d rows exist", placed, rows)
	}
	return nil
}

// checkEvents: no reader stands outside of what its stream keeps.
func (w *World) checkEvents() error {
	for _, t := range w.events.streams {
		for _, r := range t.readers {
			if r.next < t.first || r.next > t.next() {
				return fmt.Errorf("event %q: a reader at %d, events %d to %d are kept", t.schema.Name, r.next, t.first, t.next())
			}
		}
	}
	return nil
}
