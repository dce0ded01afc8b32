package analysis

import (
	"fmt"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Options are the places of the keys in a table constructor, and of their values.
type Options map[string]Option

// Option is where a key stands, and where its value begins.
type Option struct{ Key, Value syntax.Pos }

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

// optionsOf finds the options beside functions that are written out in a table as each,
// batch or run.
func optionsOf(tree *syntax.Tree) map[syntax.FuncID]Options {
	options := map[syntax.FuncID]Options{}
	syntax.WalkBlock(tree.Body, func(node syntax.Node) bool {
		if table, ok := node.(*syntax.Table); ok {
			for _, key := range systemKeys {
				if fn, ok := valueOf(table, key).(*syntax.Function); ok {
					options[fn.ID] = placesOf(table)
				}
			}
		}
		return true
	})
	return options
}

// placesOf returns the places of a table's keys; items of the list have theirs as "[1]".
func placesOf(t *syntax.Table) Options {
	places, items := Options{}, 0
	for _, f := range t.Fields {
		if f.Key == nil {
			items++
			places[fmt.Sprintf("[%d]", items)] = Option{Start(f.Value), Start(f.Value)}
		}
		if key, ok := f.Key.(*syntax.String); ok {
			places[key.Value] = Option{key.Pos, Start(f.Value)}
		}
	}
	return places
}
