package analysis

import (
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// readers are the functions of ecs that read the tables which they are called with by
// their keys.
var readers = []string{"system", "kernel", "component", "event", "prefab", "count", "find", "entities", "despawn_all"}

// queryKeys are those that make any table look like a query.
var queryKeys = []string{"with", "without", "optional", "any", "changed"}

// absentKeys finds the table constructors that look like queries or options, and returns
// for each the keys that are written in it and whose values may come to nil. A value that
// says itself that it may be nil, as in "x or nil", is meant so.
func absentKeys(known *settled) map[*syntax.Table][]string {
	found := map[*syntax.Table][]string{}
	note := func(e syntax.Expr, only []string) {
		t, ok := e.(*syntax.Table)
		if !ok || found[t] != nil {
			return
		}
		if names := mayBeNil(t, only); len(names) > 0 {
			found[t] = names
		}
	}
	for _, node := range known.nodes {
		switch n := node.(type) {
		case *syntax.Call:
			if reads(known.names, n.Func) {
				for _, arg := range n.Args {
					note(arg, nil)
				}
			}
		case *syntax.Table:
			if declaresSystem(n) {
				note(n, nil)
			}
			note(valueOf(n, "query"), nil)
			note(n, queryKeys)
		}
	}
	return found
}

// reads reports whether a callee is one of readers, or what ecs.system "name" returns.
func reads(names *syntax.Names, callee syntax.Expr) bool {
	if call, ok := callee.(*syntax.Call); ok {
		return reads(names, call.Func)
	}
	return slices.Contains(readers, called(names, callee))
}

// mayBeNil lists the keys of a constructor whose values may be nil without saying so;
// only, if there are any, says which keys count.
func mayBeNil(t *syntax.Table, only []string) []string {
	var names []string
	for _, f := range t.Fields {
		key, ok := f.Key.(*syntax.String)
		if !ok || key.Value == "" || only != nil && !slices.Contains(only, key.Value) {
			continue
		}
		switch f.Value.(type) {
		case *syntax.Name, *syntax.Index, *syntax.Call, *syntax.Logical, *syntax.Vararg:
			if !SaysNil(f.Value) {
				names = append(names, key.Value)
			}
		}
	}
	return names
}

// SaysNil recognises nil, "… or nil" and "… and nil": whoever writes it expects that there
// may be no value.
func SaysNil(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Nil:
		return true
	case *syntax.Logical:
		return SaysNil(e.Rhs)
	}
	return false
}
