package ecs

import (
	"iter"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// Term is one component of a query and how the query uses it.
type Term struct {
	id    ComponentID
	write bool
}

// Read asks for a component that the loop reads.
func Read(h Handle) Term { return Term{id: h.ID()} }

// Write asks for a component that the loop may write.
func Write(h Handle) Term { return Term{h.ID(), true} }

// Query names components and finds the entities that have them. Make it once
// and keep it: it remembers the matching archetypes and looks only at those
// that appeared since. A query belongs to its world's goroutine and must not be
// changed once it was iterated.
type Query struct {
	world *World
	terms []Term

	with, without, any filter
	changed            []ComponentID
	matched            []*archetype
	seen               int    // archetypes already examined
	since              uint64 // version at the end of the last iteration, for Changed
	byRow              bool   // a pooled component is looked at: rows of one chunk differ
	view               Chunk  // what single-row iteration yields
	nested             int    // loops over this query that are running
	declared           bool   // by a system of the stage that is running
}

// filter is a set of components, split by where they live.
type filter struct {
	chunked mask.Mask
	pooled  []pool
	ids     []ComponentID
}

func (f *filter) add(w *World, id ComponentID) {
	f.ids = append(f.ids, id)
	if p := w.components[id].pool; p != nil {
		f.pooled = append(f.pooled, p)
		return
	}
	f.chunked.Set(uint32(id))
}

// Query makes a query for entities that have every term's component. Without
// terms it finds every entity.
func (w *World) Query(terms ...Term) *Query {
	q := &Query{world: w, terms: terms}
	for _, t := range terms {
		q.with.add(w, t.id)
	}
	return q
}

// With asks for components whose values the loop does not touch: tags.
func (q *Query) With(hs ...Handle) *Query {
	for _, h := range hs {
		q.with.add(q.world, h.ID())
	}
	return q
}

// Without leaves out entities that have any of the components.
func (q *Query) Without(hs ...Handle) *Query {
	for _, h := range hs {
		q.without.add(q.world, h.ID())
		q.lookAt(h.ID())
	}
	return q
}

// lookAt notes a component that is not asked for by With.
func (q *Query) lookAt(id ComponentID) {
	q.byRow = q.byRow || q.world.components[id].pool != nil
}

// Optional declares components that the loop uses where they are present. It
// changes the access set, not the match.
func (q *Query) Optional(terms ...Term) *Query {
	q.terms = append(q.terms, terms...)
	for _, t := range terms {
		q.lookAt(t.id)
	}
	return q
}

// Any asks for entities that have at least one of the components.
func (q *Query) Any(hs ...Handle) *Query {
	for _, h := range hs {
		q.any.add(q.world, h.ID())
		q.lookAt(h.ID())
	}
	return q
}

// Changed yields only chunks in which one of the components was written, or
// rows came or went, since this query was last iterated. The unit is the chunk:
// the loop sees every row of it.
func (q *Query) Changed(hs ...Handle) *Query {
	for _, h := range hs {
		q.changed = append(q.changed, h.ID())
		q.lookAt(h.ID())
	}
	return q
}

// Terms returns the components that the query reads and writes, in order.
func (q *Query) Terms() []Term { return q.terms }

// ID returns the component of the term.
func (t Term) ID() ComponentID { return t.id }

// Writes reports whether the term writes.
func (t Term) Writes() bool { return t.write }

// Chunks yields the matching entities chunk by chunk, in the order in which
// archetypes and rows came to be; with a pooled term, in the order of the
// smallest pool. While the loop runs, structural changes are refused. It
// allocates nothing.
func (q *Query) Chunks() iter.Seq[*Chunk] {
	return func(yield func(*Chunk) bool) {
		q.lock()
		defer q.unlock()
		since := q.since
		if len(q.changed) > 0 {
			q.since = q.world.look()
		}
		if lead := q.lead(); lead != nil {
			q.eachPooled(lead, since, yield)
		} else if q.byRow {
			q.eachRow(since, yield)
		} else {
			q.eachChunk(since, yield)
		}
	}
}

func (q *Query) eachChunk(since uint64, yield func(*Chunk) bool) {
	for _, a := range q.archetypes() {
		for _, c := range a.chunks {
			if c.n > 0 && (len(q.changed) == 0 || q.changedIn(c, since)) && !yield(c) {
				return
			}
		}
	}
}

// archetypes returns those that match, extended by any that are new.
func (q *Query) archetypes() []*archetype {
	all := q.world.archetypes
	for q.seen = max(q.seen, limbo+1); q.seen < len(all); q.seen++ {
		if a := all[q.seen]; q.fits(a) {
			q.matched = append(q.matched, a)
		}
	}
	return q.matched
}

// fits matches what can be said by the archetype alone.
func (q *Query) fits(a *archetype) bool {
	if !a.mask.Contains(&q.with.chunked) || a.mask.Meets(&q.without.chunked) {
		return false
	}
	return len(q.any.ids) == 0 || len(q.any.pooled) > 0 || a.mask.Meets(&q.any.chunked)
}

// whole reports whether the archetypes that match do so with all their rows, so
// that a batch may take them whole. Whatever tells rows apart makes it false.
func (q *Query) whole() bool { return q.lead() == nil && !q.byRow && len(q.changed) == 0 }

func (q *Query) changedIn(c *Chunk, since uint64) bool {
	for _, id := range q.changed {
		if c.Version(id) > since && c.column(id) != nil {
			return true
		}
	}
	return false
}

// lead returns the smallest pool that every match is in, or nil.
func (q *Query) lead() pool {
	var lead pool
	for _, p := range q.with.pooled {
		if lead == nil || p.len() < lead.len() {
			lead = p
		}
	}
	return lead
}

// eachPooled walks the leading pool. When nothing else is asked for, its pages
// are the chunks.
func (q *Query) eachPooled(lead pool, since uint64, yield func(*Chunk) bool) {
	alone := q.alone()
	for i := 0; ; i++ {
		c := lead.page(i)
		switch {
		case c == nil:
			return
		case !alone:
			if !q.eachOf(c, since, yield) {
				return
			}
		case (len(q.changed) == 0 || q.changedIn(c, since)) && !yield(c):
			return
		}
	}
}

// alone reports whether the query names a single component, whatever for.
func (q *Query) alone() bool {
	if len(q.with.ids) > 1 || len(q.without.ids) > 0 || len(q.any.ids) > 0 {
		return false
	}
	only := q.with.ids[0]
	for _, t := range q.terms {
		if t.id != only {
			return false
		}
	}
	for _, id := range q.changed {
		if id != only {
			return false
		}
	}
	return true
}

// eachRow tests every row of the archetypes that may match, for queries that
// look at pooled components but need none.
func (q *Query) eachRow(since uint64, yield func(*Chunk) bool) {
	for _, a := range q.archetypes() {
		for _, c := range a.chunks {
			if !q.eachOf(c, since, yield) {
				return
			}
		}
	}
}

// eachOf yields those of a chunk's entities that match, as views of one row.
func (q *Query) eachOf(c *Chunk, since uint64, yield func(*Chunk) bool) bool {
	v := &q.view
	if q.nested > 1 {
		v = &Chunk{} // the outer loop is still looking at the shared one
	}
	for row, e := range c.Entities() {
		if !q.Matches(e) {
			continue
		}
		*v = c.rows(row, 1)
		v.apart = true
		if (len(q.changed) == 0 || q.changedIn(v, since)) && !yield(v) {
			return false
		}
	}
	return true
}

// Matches reports whether a living entity has what the query asks for, change
// filters aside.
func (q *Query) Matches(e Entity) bool {
	a, r := q.world.find(e)
	if r == nil || r.Table == limbo {
		return false
	}
	if !a.mask.Contains(&q.with.chunked) || a.mask.Meets(&q.without.chunked) {
		return false
	}
	for _, p := range q.with.pooled {
		if p.find(e) == nil {
			return false
		}
	}
	if anyPool(q.without.pooled, e) {
		return false
	}
	return len(q.any.ids) == 0 || a.mask.Meets(&q.any.chunked) || anyPool(q.any.pooled, e)
}

func anyPool(ps []pool, e Entity) bool {
	for _, p := range ps {
		if p.find(e) != nil {
			return true
		}
	}
	return false
}

// Count returns the number of matching entities, change filters aside.
func (q *Query) Count() int {
	n := 0
	if q.lead() != nil || q.byRow {
		changed := q.changed
		q.changed = nil
		for c := range q.Chunks() {
			n += c.Len()
		}
		q.changed = changed
		return n
	}
	for _, a := range q.archetypes() {
		n += a.count
	}
	return n
}

// First returns the first matching entity, or 0. It does not count as a look
// for Changed.
func (q *Query) First() Entity {
	since := q.since
	defer func() { q.since = since }()
	for c := range q.Chunks() {
		return c.Entities()[0]
	}
	return 0
}
