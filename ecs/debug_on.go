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

// vigil is what a debugging world remembers.
type vigil struct {
	rows   []vacancy
	change int // structural changes since the last Check
}

// vacancy is a row that nobody owns, and what took it from whom.
type vacancy struct {
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
	for i := range w.vigil.rows {
		if v := &w.vigil.rows[i]; v.by == "" {
			v.by = change
		}
	}
	w.vigil.change++
	if w.vigil.change*inFull < w.slots.Live() {
		return
	}
	w.vigil.change = 0
	if err := w.Check(); err != nil {
		panic(fmt.Errorf("ecs: after %s an invariant is broken: %w: either a bug in package ecs, or memory of the world was "+
			"written through something borrowed too long; it was whole after the change before this one", change, err))
	}
}

// vacated fills a row behind the last one of its chunk with the pattern.
func (w *World) vacated(c *Chunk, row int) {
	w.forgive(func(v *vacancy) bool { return v.chunk == c && v.row == row }) // it had an owner since
	w.patrol()
	for i, col := range c.layout.arch.columns {
		cell := unsafe.Slice((*byte)(c.cell(i, row)), col.size)
		for b := range cell {
			cell[b] = pattern
		}
	}
	w.vigil.rows = append(w.vigil.rows, vacancy{c, c.layout, row, ""})
	if n := len(w.vigil.rows) - remembered; n > 0 {
		w.vigil.rows = append(w.vigil.rows[:0], w.vigil.rows[n:]...)
	}
}

// abandoned looks a last time at the rows of a chunk that is given back.
func (w *World) abandoned(c *Chunk) {
	w.patrol()
	w.forgive(func(v *vacancy) bool { return v.chunk == c })
}

// forgive ends the watch over some rows.
func (w *World) forgive(which func(*vacancy) bool) {
	kept := w.vigil.rows[:0]
	for i := range w.vigil.rows {
		if !which(&w.vigil.rows[i]) {
			kept = append(kept, w.vigil.rows[i])
		}
	}
	w.vigil.rows = kept
}

// patrol panics if a vacated row was written to.
func (w *World) patrol() {
	if err := w.checkVacated(); err != nil {
		panic(err)
	}
}

// checkVacated looks at every row that is still nobody's.
func (w *World) checkVacated() error {
	kept := w.vigil.rows[:0]
	defer func() { w.vigil.rows = kept }()
	for _, v := range w.vigil.rows {
		if v.chunk.layout != v.layout || v.row < v.chunk.n {
			continue // it has an owner again
		}
		if id, spoilt := v.spoilt(); spoilt {
			return fmt.Errorf("ecs: component %q: row %d of the chunk in unit %d was written after the %s had ended it: "+
				"a column slice or pointer was kept too long; take it anew, with Mut or Edit, after every structural change",
				w.components[id].schema.Name, v.row, v.chunk.unit, v.by)
		}
		kept = append(kept, v)
	}
	return nil
}

// spoilt returns the column in which the pattern is not whole.
func (v *vacancy) spoilt() (ComponentID, bool) {
	for i, col := range v.layout.arch.columns {
		for _, b := range unsafe.Slice((*byte)(v.chunk.cell(i, v.row)), col.size) {
			if b != pattern {
				return col.id, true
			}
		}
	}
	return 0, false
}

// lend is the loop of Query.Chunks: the body gets chunks of its own, which are
// over when it ends.
func (q *Query) lend(yield func(*Chunk) bool) {
	q.world.patrol()
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
