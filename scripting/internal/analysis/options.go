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
	mentions := mentionsOf(tree.Body)
	tables := map[string]*syntax.Table{} // by the local that has it
	syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Local:
			for i, name := range n.Names {
				if i < len(n.Exprs) && mentions[name.Value] == 1 {
					tables[name.Value], _ = n.Exprs[i].(*syntax.Table)
				}
			}
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
			table, _ := n.Args[len(n.Args)-1].(*syntax.Table)
			if name, ok := n.Args[len(n.Args)-1].(*syntax.Name); ok {
				table = tables[name.Value]
			}
			if table != nil && declaresSystem(table) {
				o.calls[n.Pos] = placesOf(table)
			}
		}
		return true
	})
	return o
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
