package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// Options are the places of the keys in a table constructor.
type Options map[string]syntax.Pos

// options is what is known of the tables that declare systems.
type options struct {
	// calls are those of the tables that are written out as the last argument of a
	// call, or stand in a local that gets nothing else, by the place of the call.
	calls map[syntax.Pos]Options
	// functions are those of the tables in which a function is written out as each,
	// batch or run.
	functions map[syntax.FuncID]Options
}

// systemKeys are the keys under which a system has its function.
var systemKeys = []string{"each", "batch", "run"}

// declaresSystem reports whether a table looks like that of a system.
func declaresSystem(t *syntax.Table) bool {
	for _, key := range systemKeys {
		if valueOf(t, key) != nil {
			return true
		}
	}
	return false
}

func optionsOf(tree *syntax.Tree) options {
	o := options{calls: map[syntax.Pos]Options{}, functions: map[syntax.FuncID]Options{}}
	syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Table:
			for _, key := range systemKeys {
				if fn, ok := valueOf(n, key).(*syntax.Function); ok {
					o.functions[fn.ID] = placesOf(n)
				}
			}
		case *syntax.Call:
			if len(n.Args) == 0 {
				break
			}
			if table := tableOf(tree.Names, n.Args[len(n.Args)-1]); table != nil && declaresSystem(table) {
				o.calls[n.Pos] = placesOf(table)
			}
		}
		return true
	})
	return o
}

// tableOf returns the constructor that an expression is, or that the local that it names
// was declared with for good; nil for any other.
func tableOf(names *syntax.Names, e syntax.Expr) *syntax.Table {
	if v := variable(names, e); v != nil && len(v.Assigned) == 0 {
		e = v.Value
	}
	table, _ := e.(*syntax.Table)
	return table
}

// placesOf returns the places of a table's keys.
func placesOf(t *syntax.Table) Options {
	places := Options{}
	for _, f := range t.Fields {
		if key, ok := f.Key.(*syntax.String); ok {
			places[key.Value] = key.Pos
		}
	}
	return places
}
