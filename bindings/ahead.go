package bindings

import (
	"iter"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
)

// What a call has done already: its changes wait in the commands of its tick, and
// nobody else sees them before these are applied. The call itself does. Whoever asks
// the world for a script asks here.

// matches reports whether an entity will meet the query, by what it will have.
func (q *querySpec) matches(p *ecs.Preview, w *ecs.World, e ecs.Entity) bool {
	has := func(c *Component) bool { return p.Has(e, c.id) }
	lacks := func(c *Component) bool { return !has(c) }
	return p.Alive(e) && !w.IsPrefab(e) &&
		!slices.ContainsFunc(q.list, lacks) && !slices.ContainsFunc(q.with, lacks) && !slices.ContainsFunc(q.without, has) &&
		(len(q.either) == 0 || slices.ContainsFunc(q.either, has))
}

// differs reports whether an entity will be dead, or something else of what the query
// asks for than it is.
func (q *querySpec) differs(p *ecs.Preview, e ecs.Entity) bool {
	own := func(c *Component) bool {
		_, own := p.Own(e, c.id)
		return own
	}
	return !p.Alive(e) || slices.ContainsFunc(q.list, own) || slices.ContainsFunc(q.optional, own) ||
		slices.ContainsFunc(q.with, own) || slices.ContainsFunc(q.without, own) || slices.ContainsFunc(q.either, own)
}

// related reports whether anybody is in a relation, or will be by what Lua has done.
// What kernels have done they know themselves: it would take time to look at it here.
func (m *Module) related() bool {
	for r := range m.world.Relations() {
		if r.Len() > 0 {
			return true
		}
	}
	return m.marks.careful && m.tx.Ahead() != nil
}

// request is a query of a builtin such as ecs.count, and what it asks for.
type request struct {
	*ecs.Query
	spec *querySpec
}

// count returns how many entities match, changed aside.
func (m *Module) count(r request) int {
	n, p := r.Count(), m.tx.Ahead()
	if p == nil {
		return n
	}
	for e := range p.Concerned() {
		if c, _ := r.Find(e); c != nil {
			n--
		}
		if r.spec.matches(p, m.world, e) {
			n++
		}
	}
	return n
}

// matching iterates the entities that match: those of the world in its order, then
// those that match by what the call has done, in the order in which it came to them.
// The second are not among what changed since somebody looked last. What is looked at
// is charged, for those that the call has taken away lead to nothing else that is.
func (a *args) matching(r request) iter.Seq[ecs.Entity] {
	const rowsPerStep = 4
	m := a.m
	return func(yield func(ecs.Entity) bool) {
		before := r.Tested()
		defer func() { a.tested(r, before) }()
		p := m.tx.Ahead()
		m.tx.Call.Dates.Look(r.Query)
		for c := range r.Chunks() {
			value.Charge(a.L, c.Len()/rowsPerStep)
			for _, e := range c.Entities() {
				gone := p != nil && p.Concerns(e) && !r.spec.matches(p, m.world, e)
				if !gone && !yield(e) {
					return
				}
			}
		}
		if p == nil || len(r.spec.change) > 0 {
			return
		}
		value.Charge(a.L, p.Len()/rowsPerStep)
		for e := range p.Concerned() {
			if c, _ := r.Find(e); c == nil && r.spec.matches(p, m.world, e) && !yield(e) {
				return
			}
		}
	}
}
