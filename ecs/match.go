package ecs

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// prepare works out how the query can be iterated, after it was put together
// and whenever pools have come that Exact leaves out.
func (q *Query) prepare() {
	q.pools = len(q.world.pools)
	q.joins, q.excluded = q.joins[:0], q.excluded[:0]
	for _, id := range q.with.ids {
		q.addJoin(id, true)
	}
	for _, t := range q.terms {
		q.addJoin(t.id, false)
	}
	for _, id := range slices.Concat(q.any.ids, q.changed) {
		q.addJoin(id, false)
	}
	if q.exact {
		q.excludeOthers()
	}
	for i := range q.where {
		id := q.where[i].id
		q.where[i].join = slices.IndexFunc(q.joins, func(r join) bool { return r.id == id })
	}
	q.byRow = len(q.joins)+len(q.without.pooled)+len(q.excluded)+len(q.where) > 0 || q.target != nil || q.added != nil
	q.pure = len(q.joins) > 0 && q.poolsAlone()
	q.loop = withCursor
	if !q.byRow && !q.exact && len(q.changed) == 0 {
		q.loop = wholeArchetypes
	}
	q.seen, q.matched, q.fit = 0, q.matched[:0], q.fit[:0]
}

// addJoin notes a component whose values are beside the chunks.
func (q *Query) addJoin(id ComponentID, needed bool) {
	c := q.world.components[id]
	if c.pool == nil || slices.ContainsFunc(q.joins, func(r join) bool { return r.id == id }) {
		return
	}
	_, ordered := c.pool.(ranked)
	q.joins = append(q.joins, join{c.pool, c, id, needed, !ordered})
}

// excludeOthers notes the pools that Exact leaves out.
func (q *Query) excludeOthers() {
	for _, p := range q.world.pools {
		id := p.of().id
		if named, _ := q.term(id); named || p.of().reserved != "" || slices.Contains(q.with.ids, id) || slices.Contains(q.any.ids, id) {
			continue
		}
		q.excluded = append(q.excluded, p)
	}
}

// archetypes returns those that match, extended by any that are new.
func (q *Query) archetypes() []*archetype {
	if all := q.world.archetypes; q.seen < len(all) {
		q.examine(all)
	}
	return q.matched
}

func (q *Query) examine(all []*archetype) {
	q.tested += uint64(len(all)-q.seen) / passedPerRow
	for ; q.seen < len(all); q.seen++ {
		fits := q.seen > limbo && q.fits(all[q.seen])
		if fits {
			q.matched = append(q.matched, all[q.seen])
		}
		q.fit = append(q.fit, fits)
	}
}

// fits matches what can be said by the archetype alone.
func (q *Query) fits(a *archetype) bool {
	if a.prefab && !q.prefabs {
		return false
	}
	if !a.mask.Contains(&q.with.chunked) || a.mask.Meets(&q.without.chunked) || q.exact && !q.names(&a.mask) {
		return false
	}
	return len(q.any.ids) == 0 || len(q.any.pooled) > 0 || a.mask.Meets(&q.any.chunked)
}

// names reports whether the query names every component of a mask.
func (q *Query) names(m *mask.Mask) bool {
	named := q.with.chunked
	for _, id := range q.any.ids {
		named.Set(uint32(id))
	}
	for _, t := range q.terms {
		named.Set(uint32(t.id))
	}
	if q.world.mark != nil {
		named.Set(uint32(q.world.mark.id)) // whether it matches is not for Exact to say
	}
	return named.Contains(m)
}

// Matches reports whether a living entity has and is what the query asks for,
// Changed and Added aside. O(terms).
func (q *Query) Matches(e Entity) bool {
	_, row := q.locate(e)
	return row >= 0
}

// locate returns the place of an entity that matches; otherwise the row is -1.
func (q *Query) locate(e Entity) (*Chunk, int) {
	q.refresh()
	a, r := q.world.find(e)
	if r == nil || r.Table == limbo || !q.fit[a.id] {
		return nil, -1
	}
	c, row := q.world.chunks[r.Chunk], int(r.Row)
	if q.byRow && !q.passes(e, c, row, nil, -1) {
		return nil, -1
	}
	return c, row
}

// whole reports whether the archetypes that match do so with all their rows, so
// that a batch may take them whole. Whatever tells rows apart makes it false.
func (q *Query) whole() bool {
	q.refresh()
	return !q.byRow && len(q.changed) == 0
}

// refresh takes account of what was registered and of archetypes that appeared.
func (q *Query) refresh() {
	if q.loop == unprepared || q.exact && q.pools != len(q.world.pools) {
		q.prepare()
	}
	q.archetypes()
}

// passes tests the row of an archetype that fits against the rest of the
// conditions. What it finds in the pools goes to at, by the order of q.beside,
// except for known, whose address is there already.
func (q *Query) passes(e Entity, c *Chunk, row int, at []unsafe.Pointer, known int) bool {
	for i := range q.joins {
		if i == known {
			continue
		}
		r := &q.joins[i]
		p := r.pool.find(e)
		if p == nil && r.needed {
			return false
		}
		if at != nil {
			at[i] = p
		}
	}
	switch {
	case anyPool(q.without.pooled, e), anyPool(q.excluded, e):
		return false
	case len(q.any.pooled) > 0 && !c.layout.arch.mask.Meets(&q.any.chunked) && !anyPool(q.any.pooled, e):
		return false
	case q.target != nil && !q.target.holds(e):
		return false
	}
	return len(q.where) == 0 || q.keeps(e, c, row)
}

func anyPool(ps []pool, e Entity) bool {
	for _, p := range ps {
		if p.find(e) != nil {
			return true
		}
	}
	return false
}

// driver returns the smallest pool that every match is in, and how many of its
// rows may match; nil when there is none. Of a group that the query asks for as
// a whole, only the rows that have it all count.
func (q *Query) driver() (lead pool, rows int) {
	for i := range q.joins {
		r := &q.joins[i]
		if !r.needed {
			continue
		}
		n := r.pool.len()
		if g := r.pool.of().group; g != nil && q.asksFor(g) {
			n = g.n
		}
		if lead == nil || n < rows {
			lead, rows = r.pool, n
		}
	}
	return lead, rows
}

// asksFor reports whether every match is in all of a group's pools.
func (q *Query) asksFor(g *group) bool {
	for _, p := range g.pools {
		if !slices.Contains(q.with.ids, p.of().id) {
			return false
		}
	}
	return true
}

// poolsAlone reports whether only pools decide what matches and is shown.
func (q *Query) poolsAlone() bool {
	if !q.with.chunked.Empty() || len(q.without.ids)+len(q.any.ids)+len(q.excluded)+len(q.where) > 0 || q.exact || q.target != nil {
		return false
	}
	for _, t := range q.terms {
		if q.world.components[t.id].pool == nil {
			return false
		}
	}
	for _, id := range q.changed {
		if q.world.components[id].pool == nil {
			return false
		}
	}
	for i := range q.joins {
		if !q.joins[i].needed {
			return false
		}
	}
	return true
}

// joined returns the value of e in one of the query's pools, or nil.
func (q *Query) joined(id ComponentID, e Entity) unsafe.Pointer {
	for i := range q.joins {
		if q.joins[i].id == id {
			return q.joins[i].pool.find(e)
		}
	}
	return nil
}
