package ecs

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// Term is one component of a query and how the query uses it.
type Term struct {
	by    ComponentRef // nil for the zero Term, which names nothing
	id    ComponentID
	write bool
}

// Read asks for a component that the loop reads.
func Read(h ComponentRef) Term { return term(h, false) }

// Write asks for a component that the loop may write.
func Write(h ComponentRef) Term { return term(h, true) }

// term leaves it to the query to refuse a handle of nothing.
func term(h ComponentRef, write bool) Term {
	if o, ok := h.(owned); h == nil || ok && o.owner() == nil {
		return Term{}
	}
	return Term{h, h.ID(), write}
}

// ID returns the component of the term.
func (t Term) ID() ComponentID { return t.id }

// Writes reports whether the term writes.
func (t Term) Writes() bool { return t.write }

// Query names components and finds the entities that have them. Make it once
// and keep it: it remembers the matching archetypes and looks only at those
// that appeared since. A query belongs to its world's goroutine and must not be
// changed once it was iterated, but for the target of ChildrenOf
// or SourcesOf.
//
// What a query names must be of its world. The methods that put it together panic,
// with an error that wraps ErrConflict or ErrUnknown, for a component or relation
// of another world, for a zero or nil one, and for a number that nothing is
// registered under: all are mistakes in the program.
//
// There are two kinds of conditions. What an entity has and is (With, Without,
// Any, Exact, Where, SourcesOf) holds everywhere: in loops, Count, First,
// Single, Empty, Matches and Find. What has happened (Changed, Added) concerns
// loops only, because it is relative to the loop before.
//
// # Order
//
// The order of a loop follows from the world's history alone:
//
//   - with Added, that in which the entities got the components;
//   - else with ChildrenOf or SourcesOf, that of the children or sources;
//   - else with pooled components, if the smallest of their pools has no more
//     rows than the archetypes that match: the rows of that pool;
//   - else that in which archetypes and then their rows came to be.
type Query struct {
	world *World
	terms []Term

	with, without, any filter
	changed            []ComponentID
	where              []condition
	exact              bool
	prefabs            bool // prefab entities match too
	target             targetFilter
	added              *additions

	matched []*archetype
	fit     []bool // by archetype: whether it is among the matched
	seen    int    // archetypes already examined
	era     uint64 // the store's shapeEra of these
	since   uint64 // version at the end of the last iteration, for Changed
	noted   int    // where Dates noted it last

	number   uint64    // among the queries with Changed or Added; 0 for none of them
	loop     loopKind  // how to iterate; the fields below are up to date if it is known
	byRow    bool      // rows of one chunk differ: each is tested
	joins    poolJoins // pools that rows are looked up in
	excluded []pool    // with Exact, those that no match is in
	pools    int       // of the world, when others was made
	pure     bool      // pools alone decide what matches and is shown
	running  int       // loops that run over this query, one in another
	tested   uint64    // see Tested
	yielded  uint64    // rows that loops got
	cursors  []*cursor // for each of them, kept for the next time
	found    Chunk     // what Find returns
	declared bool      // by a system of the stage that is running
}

// loopKind is how loops go over a query.
type loopKind uint8

const (
	unprepared      loopKind = iota // not known yet
	wholeArchetypes                 // all rows of the archetypes that fit: chunk after chunk
	withCursor                      // with a cursor, which tests chunks, pages or rows
)

// filter is a set of components, split by where they live.
type filter struct {
	chunked mask.Mask
	pooled  []pool
	ids     []ComponentID
}

// add adds a component where it lives: in chunks or in a pool.
func (f *filter) add(c *component) {
	f.ids = append(f.ids, c.id)
	if c.pool != nil {
		f.pooled = append(f.pooled, c.pool)
		return
	}
	f.chunked.Set(uint32(c.id))
}

// Query makes a query for entities that have every term's component. Without
// terms it finds every entity.
func (w *World) Query(terms ...Term) *Query {
	q := &Query{world: w, terms: terms}
	for _, t := range terms {
		q.with.add(q.named("Terms", t.by))
	}
	return q
}

// With asks for components whose values the loop does not touch: tags.
func (q *Query) With(hs ...ComponentRef) *Query { return q.filtered("With", &q.with, hs) }

// Without leaves out entities that have any of the components.
func (q *Query) Without(hs ...ComponentRef) *Query { return q.filtered("Without", &q.without, hs) }

// Optional declares components that the loop uses where they are present. It
// changes the access set, not the match.
func (q *Query) Optional(terms ...Term) *Query {
	q.alter("Optional")
	for _, t := range terms {
		q.named("Optional", t.by)
	}
	q.terms = append(q.terms, terms...)
	return q
}

// Any asks for entities that have at least one of the components.
func (q *Query) Any(hs ...ComponentRef) *Query { return q.filtered("Any", &q.any, hs) }

// filtered adds components to a filter for one of the methods.
func (q *Query) filtered(method string, f *filter, hs []ComponentRef) *Query {
	q.alter(method)
	for _, h := range hs {
		f.add(q.named(method, h))
	}
	return q
}

// Exact leaves out entities that have other components than the query names
// with its terms, With, Optional, Any and Where. Parents and children are no
// components in this sense.
func (q *Query) Exact() *Query {
	q.alter("Exact")
	q.exact = true
	return q
}

// Terms returns the components that the query reads and writes, in order.
func (q *Query) Terms() []Term { return q.terms }

// term reports whether a term names the component, and whether one writes it.
func (q *Query) term(id ComponentID) (named, written bool) {
	for _, t := range q.terms {
		if t.id == id {
			named, written = true, written || t.write
		}
	}
	return named, written
}

// condition is a test of one component's value.
type condition struct {
	id   ComponentID
	join int // which of the query's pools, or -1: a column of the chunk
	keep func(unsafe.Pointer) bool
}

// Where asks for entities whose value of the component passes a test, and so for
// the component. The test must not change anything; it is called once or twice
// for each candidate that meets the conditions before, and what it says counts
// for the whole span that the entity is part of. Several tests must all pass. A nil
// test is a mistake in the program, and Where panics.
func Where[T any](q *Query, c Component[T], keep func(*T) bool) *Query {
	if q.named("Where", c); keep == nil {
		panic(fmt.Errorf("ecs: Where: %w: no test is given", ErrConflict))
	}
	if named, _ := q.term(c.info.id); !named {
		q.terms = append(q.terms, Read(c))
	}
	q.where = append(q.where, condition{id: c.info.id, keep: func(p unsafe.Pointer) bool { return keep((*T)(p)) }})
	return q.With(c)
}

// keeps applies the tests to a row.
func (q *Query) keeps(e Entity, c *Chunk, row int) bool {
	for i := range q.where {
		t := &q.where[i]
		var p unsafe.Pointer
		if t.join >= 0 {
			p = q.joins[t.join].pool.find(e)
		} else {
			size := q.world.components[t.id].size
			p = unsafe.Add(c.base, uintptr(c.layout.offsets[t.id])+uintptr(row)*size)
		}
		if !t.keep(p) {
			return false
		}
	}
	return true
}

// targetFilter restricts a query to entities that stand in a relation to one entity.
type targetFilter interface {
	// gather appends the candidates to dst, in the order in which a loop has them.
	gather(dst []Entity) []Entity
	// holds reports whether e is one of them. O(1).
	holds(e Entity) bool
}

// sourcesOf is the target of a query for the sources of an entity in a relation.
type sourcesOf struct {
	relation *Relation
	target   Entity
}

// gather: the sources in their order.
func (t *sourcesOf) gather(dst []Entity) []Entity {
	for e := range t.relation.Sources(t.target) {
		dst = append(dst, e)
	}
	return dst
}

// holds: e has the target.
func (t *sourcesOf) holds(e Entity) bool {
	return t.target != 0 && t.relation.Target(e) == t.target
}

// ChildrenOf asks for the children of an entity; see SourcesOf.
func (q *Query) ChildrenOf(parent Entity) *Query {
	return q.SourcesOf(q.world.ChildOf(), parent)
}

// SourcesOf asks for entities whose target in a relation is the given one; loops
// have them in the order of the target's sources. The dead and the zero Entity
// have none. Other than the rest of a query, the target may be replaced between
// two loops, by asking again. O(sources) to iterate.
func (q *Query) SourcesOf(r *Relation, target Entity) *Query {
	q.named("SourcesOf", r)
	if t, ok := q.target.(*sourcesOf); ok {
		t.relation, t.target = r, target
		return q
	}
	q.target, q.loop = &sourcesOf{r, target}, unprepared
	return q
}

// Sources asks for entities that have any target in a relation: with
// ChildOf, for those that have a parent. O(entities in the relation) to iterate,
// in the order in which they came into it as sources or targets, or O(matching
// rows) where these are fewer.
func (q *Query) Sources(r *Relation) *Query {
	return q.linked(r, func(l *links) bool { return l.Target != 0 })
}

// Targets asks for entities that are a target in a relation: with ChildOf, for
// those that have children. The cost and the order are those of Sources.
func (q *Query) Targets(r *Relation) *Query {
	return q.linked(r, func(l *links) bool { return l.Count > 0 })
}

// linked asks for entities with links of which something holds.
func (q *Query) linked(r *Relation, keep func(*links) bool) *Query {
	q.named("Sources", r)
	q.where = append(q.where, condition{id: r.id, keep: func(p unsafe.Pointer) bool { return keep((*links)(p)) }})
	return q.With(r)
}

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
		q.where[i].join = slices.IndexFunc(q.joins, func(r poolJoin) bool { return r.id == id })
	}
	q.byRow = len(q.joins)+len(q.without.pooled)+len(q.excluded)+len(q.where) > 0 || q.target != nil || q.added != nil
	q.pure = len(q.joins) > 0 && q.poolsAlone()
	q.loop = withCursor
	if !q.byRow && !q.exact && len(q.changed) == 0 {
		q.loop = wholeArchetypes
	}
	q.seen, q.matched, q.fit = 0, q.matched[:0], q.fit[:0]
}

// addJoin notes a component whose values lie in a pool: rows are joined with it.
func (q *Query) addJoin(id ComponentID, needed bool) {
	c := q.world.components[id]
	if c.pool == nil || slices.ContainsFunc(q.joins, func(r poolJoin) bool { return r.id == id }) {
		return
	}
	_, ordered := c.pool.(ranked)
	q.joins = append(q.joins, poolJoin{c.pool, c, id, needed, !ordered})
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
	if q.era != q.world.shapeEra {
		q.forgetMatched()
	}
	if all := q.world.archetypes; q.seen < len(all) {
		q.examine(all)
	}
	return q.matched
}

// examine tests the archetypes that are new since the last call.
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
// that a batch may take them whole. Any condition on single rows makes it false.
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
// conditions. What it finds in the pools goes to at, by the order of q.joins,
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

// anyPool reports whether e is in one of the pools.
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

// named returns the component that a part of a query names, and panics when there
// is no such component: queries are put together without errors to look at.
func (q *Query) named(method string, h ComponentRef) *component {
	c, err := q.world.resolve(h)
	if err != nil {
		panic(fmt.Errorf("ecs: Query.%s: %w", method, err))
	}
	return c
}

// forgetMatched has the query examine all archetypes again: some of those that it has seen are
// gone.
func (q *Query) forgetMatched() {
	q.seen, q.matched, q.fit, q.era = 0, q.matched[:0], q.fit[:0], q.world.shapeEra
}

// alter begins a change of the query, and refuses it where the query is being iterated, or
// was: debugging builds report it.
func (q *Query) alter(method string) {
	q.loop = unprepared
	if debugging && (q.running > 0 || q.seen > 0) {
		panic(fmt.Errorf("ecs: Query.%s on a query that was iterated before: "+
			"a query remembers what matched; make another one with World.Query", method))
	}
}
