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

// freedRow is a row that nobody owns, and what took it from whom.
type freedRow struct {
	chunk  *Chunk
	layout *layout
	row    int
	by     string // "" while the change goes on
}

// lease says whether the body that a chunk was lent to has ended.
type lease struct{ over *bool }

// committed ends a change: of an entity, or with e 0 of many.
func (w *World) committed(change string, e Entity) {
	if e != 0 {
		change = fmt.Sprintf("%s of %v", change, e)
	}
	for i := range w.debug.freed {
		if v := &w.debug.freed[i]; v.by == "" {
			v.by = change
		}
	}
	w.debug.change++
	if w.debug.change*inFull < w.slots.Live() {
		return
	}
	w.debug.change = 0
	if err := w.Check(); err != nil {
		panic(fmt.Errorf("ecs: after %s an invariant is broken: %w: either a bug in package ecs, or memory of the world was "+
			"written through something borrowed too long; it was whole after the change before this one", change, err))
	}
}

// rowFreed fills a row behind the last one of its chunk with the pattern.
func (w *World) rowFreed(c *Chunk, row int) {
	w.forgetFreed(func(v *freedRow) bool { return v.chunk == c && v.row == row }) // it had an owner since
	w.checkFreed()
	for i, col := range c.layout.arch.columns {
		cell := unsafe.Slice((*byte)(c.cell(i, row)), col.size)
		for b := range cell {
			cell[b] = pattern
		}
	}
	w.debug.freed = append(w.debug.freed, freedRow{c, c.layout, row, ""})
	if n := len(w.debug.freed) - remembered; n > 0 {
		w.debug.freed = append(w.debug.freed[:0], w.debug.freed[n:]...)
	}
}

// chunkFreed looks a last time at the rows of a chunk that is given back.
func (w *World) chunkFreed(c *Chunk) {
	w.checkFreed()
	w.forgetFreed(func(v *freedRow) bool { return v.chunk == c })
}

// forgetFreed ends the watch over some rows.
func (w *World) forgetFreed(which func(*freedRow) bool) {
	kept := w.debug.freed[:0]
	for i := range w.debug.freed {
		if !which(&w.debug.freed[i]) {
			kept = append(kept, w.debug.freed[i])
		}
	}
	w.debug.freed = kept
}

// checkFreed panics if a vacated row was written to.
func (w *World) checkFreed() {
	if err := w.findFreedWrite(); err != nil {
		panic(err)
	}
}

// findFreedWrite looks at every row that is still nobody's.
func (w *World) findFreedWrite() error {
	kept := w.debug.freed[:0]
	defer func() { w.debug.freed = kept }()
	for _, v := range w.debug.freed {
		if v.chunk.layout != v.layout || v.row < v.chunk.n {
			continue // it has an owner again
		}
		if id, spoilt := v.overwrittenIn(); spoilt {
			return fmt.Errorf("ecs: component %q: row %d of the chunk in unit %d was written after the %s had ended it: "+
				"a column slice or pointer was kept too long; take it anew, with Mut or Edit, after every structural change",
				w.components[id].schema.Name, v.row, v.chunk.unit, v.by)
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

// eachWatched is the loop of Query.Chunks: the body gets chunks of its own, which are
// over when it ends.
func (q *Query) eachWatched(yield func(*Chunk) bool) {
	q.world.checkFreed()
	k := q.begin()
	defer k.end()
	for c := k.next(); c != nil; c = k.next() {
		over, lent := false, *c
		lent.lease = lease{&over}
		more := yield(&lent)
		over = true
		if !more {
			return
		}
	}
}

// inUse refuses a chunk whose loop body has ended.
func (c *Chunk) inUse() {
	if c.over != nil && *c.over {
		panic(fmt.Errorf("ecs: a chunk of %d rows was used after the body of its loop: "+
			"a chunk dies with the body that it was given to; keep entities, and ask for their values with Get", c.n))
	}
}

// alter refuses to change a query that is being iterated, or was.
func (q *Query) alter(method string) {
	if q.running > 0 || q.seen > 0 {
		panic(fmt.Errorf("ecs: Query.%s on a query that was iterated before: "+
			"a query remembers what matched; make another one with World.Query", method))
	}
}
