package ecs

import "github.com/perigee-ecs/perigee/ecs/internal/mask"

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
// loops only, for it is told relative to the loop before.
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
	target             target
	added              *additions

	matched []*archetype
	fit     []bool // by archetype: whether it is among the matched
	seen    int    // archetypes already examined
	since   uint64 // version at the end of the last iteration, for Changed
	noted   int    // where Dates noted it last

	loop     loopKind  // how to iterate; the fields below are up to date if it is known
	byRow    bool      // rows of one chunk differ: each is tested
	joins    []join    // pools that rows are looked up in
	excluded []pool    // with Exact, those that no match is in
	pools    int       // of the world, when others was made
	pure     bool      // pools alone decide what matches and is shown
	running  int       // loops that run over this query, one in another
	tested   uint64    // see Tested
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

func (f *filter) add(c *component) {
	f.ids = append(f.ids, c.id)
	if c.pool != nil {
		f.pooled = append(f.pooled, c.pool)
		return
	}
	f.chunked.Set(uint32(c.id))
}

// reach is a pool in which the rows of a query are looked up.
type join struct {
	pool      pool
	comp      *component // asked for its size each time: a migration may change that
	id        ComponentID
	needed    bool // an entity without a value does not match
	scattered bool // in a Storage: no value lies behind another, even if it seems so
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
func (q *Query) With(hs ...ComponentRef) *Query {
	q.alter("With")
	for _, h := range hs {
		q.with.add(q.named("With", h))
	}
	q.loop = unprepared
	return q
}

// Without leaves out entities that have any of the components.
func (q *Query) Without(hs ...ComponentRef) *Query {
	q.alter("Without")
	for _, h := range hs {
		q.without.add(q.named("Without", h))
	}
	q.loop = unprepared
	return q
}

// Optional declares components that the loop uses where they are present. It
// changes the access set, not the match.
func (q *Query) Optional(terms ...Term) *Query {
	q.alter("Optional")
	for _, t := range terms {
		q.named("Optional", t.by)
	}
	q.terms = append(q.terms, terms...)
	q.loop = unprepared
	return q
}

// Any asks for entities that have at least one of the components.
func (q *Query) Any(hs ...ComponentRef) *Query {
	q.alter("Any")
	for _, h := range hs {
		q.any.add(q.named("Any", h))
	}
	q.loop = unprepared
	return q
}

// Exact leaves out entities that have other components than the query names
// with its terms, With, Optional, Any and Where. Parents and children are no
// components in this sense.
func (q *Query) Exact() *Query {
	q.alter("Exact")
	q.exact, q.loop = true, unprepared
	return q
}

// Changed yields only chunks in which one of the components was written, or
// rows came or went, since this query was last iterated. The unit is the chunk,
// or the page of a pool: a loop sees every matching row of it, whichever row
// was written. A loop that ends early counts as a look like any other; who undoes what
// a loop has led to takes back the look with Dates.
func (q *Query) Changed(hs ...ComponentRef) *Query {
	q.alter("Changed")
	for _, h := range hs {
		q.changed = append(q.changed, q.named("Changed", h).id)
	}
	q.loop = unprepared
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
