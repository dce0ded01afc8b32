package bindings

import (
	"maps"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// queryOptions are the keys of a query's table.
var queryOptions = []string{"with", "without", "optional", "any", "changed"}

// parseQuery reads a query table; complain gets each fault.
func parseQuery(L *lua.LState, t *lua.LTable, complain func(format string, v ...any)) *decl.Query {
	q := &decl.Query{}
	if i := hole(t); i > 0 {
		complain("%s", nilItem(L, "query", i))
	}
	for _, key := range absentKeys(t) {
		complain("%s", nilValue(L, key))
	}
	lists := q.Parts()
	value.Pairs(t, func(k, v lua.LValue) {
		if k.Type() == lua.LTNumber {
			q.List = appendComponent(q.List, v, "query", complain)
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
	for _, c := range q.Terms() {
		if seen[c.Name] {
			complain("component %q is listed twice in one query", c.Name)
		}
		seen[c.Name] = true
	}
	if why := q.Overlap(); why != "" {
		complain("%s", why)
	}
	return q
}

func appendComponent(list []*decl.Component, v lua.LValue, where string, complain func(string, ...any)) []*decl.Component {
	if len(list) >= ecs.MaxComponents {
		complain("%s: more than %d components are listed", where, ecs.MaxComponents)
		return list
	}
	if ud, ok := v.(*lua.LUserData); ok {
		if c, ok := ud.Value.(*decl.Component); ok {
			return append(list, c)
		}
	}
	complain("%s: expected a component, got %s", where, value.Describe(v))
	return list
}

// queryArg reads the query of a builtin such as ecs.count: a table, or one
// component. What asks for the same components is one query, so that the
// matching archetypes are found once.
func (a *args) queryArg(i int) request {
	var spec *decl.Query
	switch v := a.L.Get(i).(type) {
	case *lua.LTable:
		a.notOver(v)
		spec = parseQuery(a.L, v, func(format string, v ...any) { a.fail("argument %d: %s", i, diag.Format(format, v...)) })
	default:
		spec = &decl.Query{List: []*decl.Component{a.component(i)}}
	}
	named := len(spec.List)
	for _, list := range spec.Parts() {
		a.ready(i, *list)
		named += len(*list)
	}
	a.ready(i, spec.List)
	value.Charge(a.L, named*value.StepsPerTerm)
	return a.request(spec)
}

// request finds the query that asks for the same, or makes it.
func (a *args) request(spec *decl.Query) request {
	key := spec.Key()
	if len(spec.Change) > 0 {
		key = lastLook + key + a.m.tx.Call.Name // each system has its own last look
	}
	q := a.m.queries[key]
	if q == nil {
		a.roomForQuery()
		q = spec.Build(a.m.world, func(int) bool { return false })
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

func (a *args) ready(i int, list []*decl.Component) {
	for _, c := range list {
		if !c.Ready {
			a.fail("argument %d: component %q does not exist: its script was not accepted", i, c.Name)
		}
	}
}
