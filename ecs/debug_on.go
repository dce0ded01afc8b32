//go:build ecsdebug

package ecs

import (
	"fmt"
	"unsafe"
)

// debugging builds, made with -tags ecsdebug, watch what the host's program does
// with what it borrowed, and panic with a message that says what to do:
//
//   - A row that a structural change has vacated is filled with a pattern. A
//     write through a slice or pointer that was kept too long spoils it; it is
//     found at the next change or loop, before the row is used again. What is
//     read through such a slice is the pattern, 0xdb in every byte.
//   - A chunk used after its loop body, or a query altered by its own loop or
//     after one, is refused where it happens.
//   - World.Check runs after every change of a world of up to 64 entities, and
//     after every n/64-th of one of n: a constant cost for each change. Changes
//     are those of structure, links and order: batches, commands and their
//     rewinds, relations, groups, sorts, migrations, Compact and Reset. The panic
//     says after which change an invariant was broken.
//
// A debugging world is some ten times slower and the same in everything else.
const debugging = true

const (
	pattern = 0xdb
	// remembered is how many vacated rows are watched, the newest.
	remembered = 64
	// inFull is up to how many entities every change is followed by Check.
	inFull = 64
)

// debugState is what a debugging world remembers.
type debugState struct {
	freed  []freedRow
	change int // structural changes since the last Check
}

// freedRow is a row without an entity, and the change that freed it.
type freedRow struct {
	chunk  *Chunk
	layout *layout
	row    int
	by     string // "" while the change goes on
}

// lease says whether the body that a chunk was lent to has ended.
type lease struct{ over *bool }

// changeEnded notes what a structural change was called: it has freed the rows that were
// freed since the change before. It reports whether Check is due, in a world of so many
// entities.
func (d *debugState) changeEnded(change string, entities int) (due bool) {
	for i := range d.freed {
		if v := &d.freed[i]; v.by == "" {
			v.by = change
		}
	}
	d.change++
	if d.change*inFull < entities {
		return false
	}
	d.change = 0
	return true
}

// rowFreed fills a row after the last one of its chunk with the pattern.
func (s *store) rowFreed(c *Chunk, row int) {
	s.forgetFreed(func(v *freedRow) bool { return v.chunk == c && v.row == row }) // it had an owner since
	s.checkFreed()
	for i, col := range c.layout.arch.columns {
		cell := unsafe.Slice((*byte)(c.cell(i, row)), col.size)
		for b := range cell {
			cell[b] = pattern
		}
	}
	s.debug.freed = append(s.debug.freed, freedRow{c, c.layout, row, ""})
	if n := len(s.debug.freed) - remembered; n > 0 {
		s.debug.freed = append(s.debug.freed[:0], s.debug.freed[n:]...)
	}
}

// chunkFreed looks a last time at the rows of a chunk that is given back.
func (s *store) chunkFreed(c *Chunk) {
	s.checkFreed()
	s.forgetFreed(func(v *freedRow) bool { return v.chunk == c })
}

// forgetFreed ends the watch over some rows.
func (s *store) forgetFreed(which func(*freedRow) bool) {
	kept := s.debug.freed[:0]
	for i := range s.debug.freed {
		if !which(&s.debug.freed[i]) {
			kept = append(kept, s.debug.freed[i])
		}
	}
	s.debug.freed = kept
}

// checkFreed panics if a vacated row was written to.
func (s *store) checkFreed() {
	if err := s.findFreedWrite(); err != nil {
		panic(err)
	}
}

// findFreedWrite looks at every row that is still free.
func (s *store) findFreedWrite() error {
	kept := s.debug.freed[:0]
	defer func() { s.debug.freed = kept }()
	for _, v := range s.debug.freed {
		if v.chunk.layout != v.layout || v.row < v.chunk.n {
			continue // it has an owner again
		}
		if id, spoilt := v.overwrittenIn(); spoilt {
			return fmt.Errorf("ecs: component %q: row %d of the chunk in unit %d was written after the %s had ended it: "+
				"a column slice or pointer was kept too long; take it anew, with Mut or Edit, after every structural change",
				s.components[id].schema.Name, v.row, v.chunk.unit, v.by)
		}
		kept = append(kept, v)
	}
	return nil
}

// overwrittenIn returns the column in which the pattern is not whole.
func (v *freedRow) overwrittenIn() (ComponentID, bool) {
	for i, col := range v.layout.arch.columns {
		for _, b := range unsafe.Slice((*byte)(v.chunk.cell(i, v.row)), col.size) {
			if b != pattern {
				return col.id, true
			}
		}
	}
	return 0, false
}

// lend makes the chunk one that is over when the flag is set.
func (c *Chunk) lend(over *bool) { c.lease = lease{over} }

// inUse refuses a chunk whose loop body has ended.
func (c *Chunk) inUse() {
	if c.over != nil && *c.over {
		panic(fmt.Errorf("ecs: a chunk of %d rows was used after the body of its loop: "+
			"a chunk dies with the body that it was given to; keep entities, and ask for their values with Get", c.n))
	}
}
