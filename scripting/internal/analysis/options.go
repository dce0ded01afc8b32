package analysis

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
	lua "github.com/yuin/gopher-lua"
)

// OptionPlaces are the places of the keys in a table constructor, and of their values.
type OptionPlaces map[string]OptionPlace

// OptionPlace is where a key stands, and where its value begins. Called says that the value is what
// a call returns.
type OptionPlace struct {
	Key, Value syntax.Pos
	Called     bool
}

// systemKeys are the keys under which a system has its function.
var systemKeys = []string{"each", "batch", "run"}

// declaresSystem reports whether a table looks like that of a system.
func declaresSystem(t *syntax.Table) bool {
	return slices.ContainsFunc(systemKeys, func(key string) bool { return valueOf(t, key) != nil })
}

// optionsOf finds the options beside functions that are written out in a table as each,
// batch or run.
func optionsOf(known *settled) map[syntax.FuncID]OptionPlaces {
	options := map[syntax.FuncID]OptionPlaces{}
	for _, node := range known.nodes {
		if table, ok := node.(*syntax.Table); ok {
			for _, key := range systemKeys {
				if fn, ok := valueOf(table, key).(*syntax.Function); ok {
					options[fn.ID] = placesOf(table)
				}
			}
		}
	}
	return options
}

// deepest is how many tables within a table have places: those of the query of a system,
// and its lists.
const deepest = 2

// placesOf returns the places of a table's keys, and of those of the tables in it, as package
// fault writes them: with, [1], with[2], query.with.
func placesOf(t *syntax.Table) OptionPlaces {
	places := OptionPlaces{}
	places.add("", t, deepest)
	return places
}

// add adds the keys of a table that stands under a key of another one.
func (places OptionPlaces) add(outer string, t *syntax.Table, deeper int) {
	items := 0
	for _, f := range t.Fields {
		key, at := "", Start(f.Value)
		if name, ok := f.Key.(*syntax.String); ok {
			key, at = fault.Within(outer, name.Value), name.Pos
		} else if f.Key == nil {
			items++
			key = fault.Within(outer, fault.Index(lua.LNumber(items)))
		} else {
			continue
		}
		_, called := f.Value.(*syntax.Call)
		places[key] = OptionPlace{at, Start(f.Value), called}
		if inner, ok := f.Value.(*syntax.Table); ok && deeper > 0 {
			places.add(key, inner, deeper-1)
		}
	}
}
