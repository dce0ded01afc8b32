package bindings

import (
	"iter"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
)

// What a call has done already: its changes wait in the commands of its tick, and
// nobody else sees them before these are applied. The call itself does. Whoever asks
// the world for a script asks here.

// request is a query of a builtin such as ecs.count, and what it asks for.
type request struct {
	*ecs.Query
	spec *decl.Query
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
		if r.spec.Matches(p, m.world, e) {
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
				gone := p != nil && p.Concerns(e) && !r.spec.Matches(p, m.world, e)
				if !gone && !yield(e) {
					return
				}
			}
		}
		if p == nil || len(r.spec.Change) > 0 {
			return
		}
		value.Charge(a.L, p.Len()/rowsPerStep)
		for e := range p.Concerned() {
			if c, _ := r.Find(e); c == nil && r.spec.Matches(p, m.world, e) && !yield(e) {
				return
			}
		}
	}
}
