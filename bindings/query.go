package bindings

import (
	"maps"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// querySpec is a query as a script writes it:
//
//	{ Health, Position, with = {Tag}, without = {Frozen}, optional = {Shield},
//	  any = {A, B}, changed = {Health} }
type querySpec struct {
	list                                    []*Component
	with, without, optional, either, change []*Component
}

// queryOptions are the keys of a query's table.
var queryOptions = []string{"with", "without", "optional", "any", "changed"}

// parts names the lists of a query.
func (q *querySpec) parts() map[string]*[]*Component {
	return map[string]*[]*Component{
		"with": &q.with, "without": &q.without, "optional": &q.optional, "any": &q.either, "changed": &q.change,
	}
}

// terms are the components that a system gets as parameters, in order.
func (q *querySpec) terms() []*Component {
	return append(append([]*Component{}, q.list...), q.optional...)
}

// parseQuery reads a query table; complain is told of each fault.
func parseQuery(L *lua.LState, t *lua.LTable, complain func(format string, v ...any)) *querySpec {
	q := &querySpec{}
	if i := hole(t); i > 0 {
		complain("%s", nilItem(L, "query", i))
	}
	for _, key := range absentKeys(t) {
		complain("%s", nilValue(L, key))
	}
	lists := q.parts()
	value.Pairs(t, func(k, v lua.LValue) {
		if k.Type() == lua.LTNumber {
			q.list = appendComponent(q.list, v, "query", complain)
			return
		}
		list, ok := lists[k.String()]
		if !ok {
			complain("unknown query option %q%s", k.String(), diag.OneOf(k.String(), queryOptions))
			return
		}
		if items, isTable := value.TableOf(v); isTable {
			switch i := hole(items); {
			case i > 0:
				complain("%s", nilItem(L, k.String(), i))
			case items.Len() == 0:
				complain("%s: the list is empty: name a component, or leave %s out", k.String(), k.String())
			}
			value.Pairs(items, func(_, item lua.LValue) { *list = appendComponent(*list, item, k.String(), complain) })
			return
		}
		*list = appendComponent(*list, v, k.String(), complain)
	})
	seen := map[string]bool{}
	for _, c := range q.terms() {
		if seen[c.name] {
			complain("component %q is listed twice in one query", c.name)
		}
		seen[c.name] = true
	}
	if why := q.overlap(); why != "" {
		complain("%s", why)
	}
	return q
}

// overlap says of a query what it asks for and rules out at once: no entity can match.
func (q *querySpec) overlap() string {
	out := map[string]bool{}
	for _, c := range q.without {
		out[c.name] = true
	}
	var all []string
	for _, c := range q.either {
		if out[c.name] {
			all = append(all, c.name)
		}
	}
	for _, list := range [][]*Component{q.list, q.with} {
		for _, c := range list {
			if out[c.name] {
				return diag.Format("no entity can match: %q is in without, and it is asked for", c.name)
			}
		}
	}
	if len(all) > 0 && len(all) == len(q.either) {
		return "no entity can match: all that is in any is in without: " + strings.Join(all, ", ")
	}
	for _, c := range q.optional {
		if out[c.name] {
			return diag.Format("%q is optional and in without: it would be nil for all", c.name)
		}
	}
	return ""
}

func appendComponent(list []*Component, v lua.LValue, where string, complain func(string, ...any)) []*Component {
	if len(list) >= ecs.MaxComponents {
		complain("%s: more than %d components are listed", where, ecs.MaxComponents)
		return list
	}
	if ud, ok := v.(*lua.LUserData); ok {
		if c, ok := ud.Value.(*Component); ok {
			return append(list, c)
		}
	}
	complain("%s: expected a component, got %s", where, value.Describe(v))
	return list
}

// broken reports whether a component of the query was refused before, so that
// nothing more should be said about the query.
func (q *querySpec) broken() bool {
	for _, list := range q.parts() {
		for _, c := range *list {
			if c.broken {
				return true
			}
		}
	}
	for _, c := range q.list {
		if c.broken {
			return true
		}
	}
	return false
}

// build makes the world's query. writes says which terms are written, by index
// of terms.
func (q *querySpec) build(w *ecs.World, writes func(i int) bool) *ecs.Query {
	term := func(i int, c *Component) ecs.Term {
		if writes(i) && !c.tag() {
			return ecs.Write(c.id)
		}
		return ecs.Read(c.id)
	}
	var terms []ecs.Term
	for i, c := range q.list {
		terms = append(terms, term(i, c))
	}
	query := w.Query(terms...)
	for i, c := range q.optional {
		query.Optional(term(len(q.list)+i, c))
	}
	for _, part := range []struct {
		list []*Component
		add  func(...ecs.ComponentRef) *ecs.Query
	}{{q.with, query.With}, {q.without, query.Without}, {q.either, query.Any}, {q.change, query.Changed}} {
		for _, c := range part.list {
			part.add(c.id)
		}
	}
	return query
}

// queryArg reads the query of a builtin such as ecs.count: a table, or one
// component. What asks for the same components is one query, so that the
// matching archetypes are found once.
func (a *args) queryArg(i int) request {
	var spec *querySpec
	switch v := a.L.Get(i).(type) {
	case *lua.LTable:
		a.notOver(v)
		spec = parseQuery(a.L, v, func(format string, v ...any) { a.fail("argument %d: %s", i, diag.Format(format, v...)) })
	default:
		spec = &querySpec{list: []*Component{a.component(i)}}
	}
	named := len(spec.list)
	for _, list := range spec.parts() {
		a.ready(i, *list)
		named += len(*list)
	}
	a.ready(i, spec.list)
	value.Charge(a.L, named*value.StepsPerTerm)
	return a.request(spec)
}

// request finds the query that asks for the same, or makes it.
func (a *args) request(spec *querySpec) request {
	key := spec.key()
	if len(spec.change) > 0 {
		key = lastLook + key + a.m.tx.Call.Name // each system has its own last look
	}
	q := a.m.queries[key]
	if q == nil {
		a.roomForQuery()
		q = spec.build(a.m.world, func(int) bool { return false })
		a.m.queries[key] = q
	}
	return request{q, spec}
}

const (
	// maxQueries is how many queries of builtins are kept.
	maxQueries = 1000
	// lastLook begins the keys of those that know what has changed since.
	lastLook = "changed "
)

// roomForQuery forgets queries when there are many, but for those that know what has
// changed since somebody's last look: the others are found anew when they are asked
// for.
func (a *args) roomForQuery() {
	if len(a.m.queries) < maxQueries {
		return
	}
	maps.DeleteFunc(a.m.queries, func(key string, _ *ecs.Query) bool { return !strings.HasPrefix(key, lastLook) })
	if len(a.m.queries) >= maxQueries {
		a.fail("more than %s different queries with changed are in use", diag.Grouped(maxQueries))
	}
}

// key names what a query asks for.
func (q *querySpec) key() string {
	var b []byte
	for _, list := range [][]*Component{q.list, q.with, q.without, q.either, q.change} {
		for _, c := range list {
			b = strconv.AppendUint(b, uint64(c.id), 10)
			b = append(b, ' ')
		}
		b = append(b, '|')
	}
	return string(b)
}

func (a *args) ready(i int, list []*Component) {
	for _, c := range list {
		if !c.ready {
			a.fail("argument %d: component %q does not exist: its script was not accepted", i, c.name)
		}
	}
}
