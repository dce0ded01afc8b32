package decl

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// Evolution is what a script's text says about values that its component or event
// has from an older text.
type Evolution struct {
	diag.Place                // of the declaration
	Changes    *ecs.Schema    // the schema in force, where the text has another; else nil
	Migrate    *lua.LFunction // function(old, from) … return new end, or nil
	Drop       []string       // fields that may be lost
}

// Differs reports whether values of one schema must be converted to be values of
// another.
func (x *Evolution) Differs(old, now *ecs.Schema) bool {
	named := *now
	named.Name = old.Name // what it is called is another matter
	return !old.Same(&named) || x.Migrate != nil && old.Version != now.Version
}
