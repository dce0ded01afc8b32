package decl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
)

// Matches reports whether an entity will meet the query, by what it will have.
func (q *Query) Matches(p *ecs.Preview, w *ecs.World, e ecs.Entity) bool {
	has := func(c *Component) bool { return p.Has(e, c.ID) }
	lacks := func(c *Component) bool { return !has(c) }
	return p.Alive(e) && !w.Raw().IsPrefab(e) &&
		!slices.ContainsFunc(q.List, lacks) && !slices.ContainsFunc(q.With, lacks) && !slices.ContainsFunc(q.Without, has) &&
		(len(q.Either) == 0 || slices.ContainsFunc(q.Either, has))
}

// Differs reports whether an entity will be dead, or something else of what the query
// asks for than it is.
func (q *Query) Differs(p *ecs.Preview, e ecs.Entity) bool {
	own := func(c *Component) bool {
		_, own := p.Own(e, c.ID)
		return own
	}
	return !p.Alive(e) || slices.ContainsFunc(q.List, own) || slices.ContainsFunc(q.Optional, own) ||
		slices.ContainsFunc(q.With, own) || slices.ContainsFunc(q.Without, own) || slices.ContainsFunc(q.Either, own)
}

// Query is a query as a script writes it:
//
//	{ Health, Position, with = {Tag}, without = {Frozen}, optional = {Shield},
//	  any = {A, B}, changed = {Health} }
type Query struct {
	List                                    []*Component
	With, Without, Optional, Either, Change []*Component
}

// Parts names the lists of a query.
func (q *Query) Parts() map[string]*[]*Component {
	return map[string]*[]*Component{
		"with": &q.With, "without": &q.Without, "optional": &q.Optional, "any": &q.Either, "changed": &q.Change,
	}
}

// Terms are the components that a system gets as parameters, in order.
func (q *Query) Terms() []*Component {
	return append(append([]*Component{}, q.List...), q.Optional...)
}

// Overlap says of a query what it asks for and rules out at once: no entity can match.
func (q *Query) Overlap() string {
	out := map[string]bool{}
	for _, c := range q.Without {
		out[c.Name] = true
	}
	var all []string
	for _, c := range q.Either {
		if out[c.Name] {
			all = append(all, c.Name)
		}
	}
	for _, list := range [][]*Component{q.List, q.With} {
		for _, c := range list {
			if out[c.Name] {
				return diag.Format("no entity can match: %q is in without, and it is asked for", c.Name)
			}
		}
	}
	if len(all) > 0 && len(all) == len(q.Either) {
		return "no entity can match: all that is in any is in without: " + strings.Join(all, ", ")
	}
	for _, c := range q.Optional {
		if out[c.Name] {
			return diag.Format("%q is optional and in without: it would be nil for all", c.Name)
		}
	}
	return ""
}

// Broken reports whether a component of the query was refused before, so that
// nothing more should be said about the query.
func (q *Query) Broken() bool {
	for _, list := range q.Parts() {
		for _, c := range *list {
			if c.Broken {
				return true
			}
		}
	}
	for _, c := range q.List {
		if c.Broken {
			return true
		}
	}
	return false
}

// Build makes the world's query. writes says which terms are written, by index
// of terms.
func (q *Query) Build(w *ecs.World, writes func(i int) bool) *ecs.Query {
	term := func(i int, c *Component) ecs.Term {
		if writes(i) && !c.Tag() {
			return ecs.Write(c.ID)
		}
		return ecs.Read(c.ID)
	}
	var terms []ecs.Term
	for i, c := range q.List {
		terms = append(terms, term(i, c))
	}
	query := w.Query(terms...)
	for i, c := range q.Optional {
		query.Optional(term(len(q.List)+i, c))
	}
	for _, part := range []struct {
		list []*Component
		add  func(...ecs.ComponentRef) *ecs.Query
	}{{q.With, query.With}, {q.Without, query.Without}, {q.Either, query.Any}, {q.Change, query.Changed}} {
		for _, c := range part.list {
			part.add(c.ID)
		}
	}
	return query
}

// Key names what a query asks for.
func (q *Query) Key() string {
	var b []byte
	for _, list := range [][]*Component{q.List, q.With, q.Without, q.Either, q.Change} {
		for _, c := range list {
			b = strconv.AppendUint(b, uint64(c.ID), 10)
			b = append(b, ' ')
		}
		b = append(b, '|')
	}
	return string(b)
}
