package ecs

import (
	"fmt"
	"slices"
	"weak"
)

// additions is what a query with Added has to yield: for each of its components,
// the entities that got it since the last loop, in order.
//
// Invariant: places[i][slot] is 1 + the position of the entry for component i
// and the entity that last got it in that slot, or 0; entries that no place
// leads to are of dead entities and will be passed over. So there are at most
// two entries for a component and a living entity, and some.
//
// Why are there additions and observers too? An observer is called and can act. Additions
// only note that a component came, in a few nanoseconds, and cost nothing for components
// that no such query asks for.
type additions struct {
	ids     []ComponentID
	entries []addition
	places  [][]uint32
	taken   []Entity // by slot, while take runs: it has that one already
}

// addition: an entity got the component of an index of ids.
type addition struct {
	entity Entity
	which  int
}

// Added yields only entities that got one of the components, and have it still,
// since this query was last iterated, or made: spawned with it, given it, or
// given it again after it was taken away. Other than Changed, it is exact. A
// loop has them in the order in which they got the first of the components; a
// loop that ends early has looked at all.
//
// The world notes additions for such a query until it is closed, or found
// unreachable by the collector: at most some entries for each living entity.
func (q *Query) Added(hs ...ComponentRef) *Query {
	if q.added == nil {
		q.added = &additions{}
	}
	for _, h := range hs {
		c := q.named("Added", h)
		id := c.id
		if slices.Contains(q.added.ids, id) {
			continue
		}
		q.added.ids = append(q.added.ids, id)
		q.added.places = append(q.added.places, nil)
		c.added = append(c.added, weak.Make(q.added))
	}
	q.world.rewatch()
	q.loop = unprepared
	return q
}

// Close ends the noting of additions for a query with Added at once; from then
// on it yields none. For other queries it does nothing.
func (q *Query) Close() {
	if q.added == nil {
		return
	}
	for _, id := range q.added.ids {
		q.world.components[id].forget(q.added)
	}
	*q.added = additions{}
	q.world.rewatch()
}

// noteAdded notes for the queries with Added that e gets the component.
func (c *component) noteAdded(w *World, e Entity) {
	for _, p := range c.added {
		if a := p.Value(); a != nil {
			a.note(w, c.id, e)
		} else {
			c.forget(nil) // of a query that is gone
		}
	}
}

// forget drops the additions of one query, and of all queries that are gone.
func (c *component) forget(gone *additions) {
	c.added = slices.DeleteFunc(slices.Clone(c.added), func(p weak.Pointer[additions]) bool {
		a := p.Value()
		return a == nil || a == gone
	})
}

// note appends an entry for an entity that got a component, unless its last entry is of
// the same entity. It compacts when there are more entries than living entities need.
func (a *additions) note(w *World, id ComponentID, e Entity) {
	which := slices.Index(a.ids, id)
	for int(e.Index()) >= len(a.places[which]) {
		a.places[which] = append(a.places[which], make([]uint32, max(64, len(a.places[which])))...)
	}
	at := &a.places[which][e.Index()]
	if *at != 0 && a.entries[*at-1].entity == e {
		return
	}
	if len(a.entries) > 2*len(a.ids)*w.Len()+64 {
		a.compact(w)
	}
	a.entries = append(a.entries, addition{e, which})
	*at = uint32(len(a.entries))
}

// compact drops the entries of the dead.
func (a *additions) compact(w *World) {
	kept := a.entries[:0]
	for i, n := range a.entries {
		at := &a.places[n.which][n.entity.Index()]
		switch {
		case *at != uint32(i+1):
		case w.Alive(n.entity):
			kept = append(kept, n)
			*at = uint32(len(kept))
		default:
			*at = 0
		}
	}
	a.entries = kept
}

// take appends the entities that were added to dst, each once, and forgets them.
func (a *additions) take(w *World, dst []Entity) []Entity {
	for _, n := range a.entries {
		slot := n.entity.Index()
		a.places[n.which][slot] = 0
		if !w.has(n.entity, a.ids[n.which]) {
			continue
		}
		for int(slot) >= len(a.taken) {
			a.taken = append(a.taken, make([]Entity, max(64, len(a.taken)))...)
		}
		if a.taken[slot] != n.entity {
			a.taken[slot] = n.entity
			dst = append(dst, n.entity)
		}
	}
	for _, e := range dst {
		a.taken[e.Index()] = 0
	}
	a.entries = a.entries[:0]
	return dst
}

// checkAdditions checks what queries wait for, each with its first component.
func (c *component) checkAdditions() error {
	for _, p := range c.added {
		if a := p.Value(); a != nil && a.ids[0] == c.id {
			if err := a.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// check: every entry that a place leads to is of that place, and no two places
// lead to one.
func (a *additions) check() error {
	led := 0
	for which, places := range a.places {
		for slot, at := range places {
			if at == 0 {
				continue
			}
			if led++; int(at) > len(a.entries) {
				return fmt.Errorf("additions: slot %d leads past the %d entries", slot, len(a.entries))
			}
			if n := a.entries[at-1]; n.which != which || int(n.entity.Index()) != slot {
				return fmt.Errorf("additions: slot %d leads to the entry of %v, component %d, and is of component %d", slot, n.entity, n.which, which)
			}
		}
	}
	if led > len(a.entries) || len(a.places) != len(a.ids) {
		return fmt.Errorf("additions: %d places lead to %d entries, of %d components", led, len(a.entries), len(a.ids))
	}
	return nil
}

// Dates takes back what a call has done to the dates that queries with Changed compare:
// when columns were written, and when queries had their last look. The script host uses
// it when it undoes a call that has failed, so that no trace of the call is left: what
// it has stamped counts as unchanged, and what it has seen as changed is there for the
// next look.
//
// The zero Dates has noted nothing. It is for one world and its goroutine, and good
// while nothing can change but columns (see Raw.Hold).
type Dates struct {
	stamps []date
	looks  []glance
	floor  int // looks up to the last mark
}

// date is when something was written last, before and since.
type date struct {
	at       *uint64
	was, now uint64
}

// glance is when a query had been looked at.
type glance struct {
	query *Query
	since uint64
}

// DatesMark is a state of Dates that RewindLooks goes back to.
type DatesMark int

// Look notes that a loop over a query is about to begin. O(1).
func (d *Dates) Look(q *Query) {
	if q == nil || len(q.changed) == 0 {
		return
	}
	if q.noted >= d.floor && q.noted < len(d.looks) && d.looks[q.noted].query == q {
		return // the first look is the one to go back to
	}
	q.noted = len(d.looks)
	d.looks = append(d.looks, glance{q, q.since})
}

// Column is [Chunk.Column] for writing, noted.
func (d *Dates) Column(c *Chunk, id ComponentID) {
	if c.column(id) != nil {
		d.stamp(c.dated(id), c.store.version)
	}
}

// Touch is [Raw.Touch], noted.
func (d *Dates) Touch(w *World, e Entity, id ComponentID) {
	if w == nil || !w.has(e, id) {
		return
	}
	switch p := w.components[id].pool; {
	case p != nil:
		d.stamp(p.dated(e), w.version)
	default:
		_, r := w.find(e)
		d.stamp(w.chunks[r.Chunk].dated(id), w.version)
	}
}

// stamp sets a version and remembers the one before. A version that is set already is not
// noted again.
func (d *Dates) stamp(at *uint64, now uint64) {
	if at != nil && *at != now {
		d.stamps = append(d.stamps, date{at, *at, now})
		*at = now
	}
}

// Seal separates what was stamped so far from what others stamp from now on, whose
// writes Rewind leaves alone. Call it before code that writes for good. O(1).
func (d *Dates) Seal(w *World) {
	if len(d.stamps) > 0 && w != nil && !w.frozen.on {
		w.version++
	}
}

// Mark returns the state by now.
func (d *Dates) Mark() DatesMark {
	d.floor = len(d.looks)
	return DatesMark(d.floor)
}

// RewindLooks takes back the looks since a mark; for one that is past them all, none.
func (d *Dates) RewindLooks(to DatesMark) {
	to = min(max(to, 0), DatesMark(len(d.looks)))
	for i := len(d.looks) - 1; i >= int(to); i-- {
		d.looks[i].query.since = d.looks[i].since
	}
	clear(d.looks[to:])
	d.looks = d.looks[:to]
	d.floor = int(to)
}

// Rewind takes back all that was noted, but for the dates of what others have stamped
// since, and forgets it.
func (d *Dates) Rewind() {
	d.RewindLooks(0)
	for i := len(d.stamps) - 1; i >= 0; i-- {
		if s := &d.stamps[i]; *s.at == s.now {
			*s.at = s.was
		}
	}
	d.Forget()
}

// Forget empties it: what was noted stays as it is.
func (d *Dates) Forget() {
	clear(d.stamps)
	clear(d.looks)
	d.stamps, d.looks, d.floor = d.stamps[:0], d.looks[:0], 0
}

// Changed yields only chunks in which one of the components was written, or
// rows came or went, since this query was last iterated. The unit is the chunk,
// or the page of a pool: a loop sees every matching row of it, whichever row
// was written. A loop that ends early counts as a look like any other; who undoes what
// a loop has led to takes back the look with Dates.
func (q *Query) Changed(hs ...ComponentRef) *Query {
	q.alter("Changed")
	for _, h := range hs {
		c := q.named("Changed", h)
		c.changesAsked = true
		q.changed = append(q.changed, c.id)
	}
	q.loop = unprepared
	return q
}

// takeLook makes this the last look and returns when the one before was.
func (q *Query) takeLook() uint64 {
	since := q.since
	if len(q.changed) > 0 {
		q.since = q.world.lookVersion()
	}
	return since
}

// fresh reports whether the change filter lets a chunk pass.
func (k *cursor) fresh(c *Chunk) bool {
	return len(k.query.changed) == 0 || !k.look || k.query.changedIn(c, k.since)
}

// changedIn reports whether one of the components of Changed was written in a chunk after
// a version.
func (q *Query) changedIn(c *Chunk, since uint64) bool {
	for _, id := range q.changed {
		if c.Version(id) > since && c.column(id) != nil {
			return true
		}
	}
	return false
}
