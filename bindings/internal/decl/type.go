package decl

import (
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
)

// Type is what components and events have in common: a name and fields. Until its
// declaration is committed it has a layout and no number.
type Type struct {
	Name   string
	Schema *ecs.Schema
	Broken bool // its declaration was refused: used to go on and find more faults
	Ready  bool // its number is valid
	GoType bool // defined by the host
	Form   int  // counts changes of the fields since it was declared
	Copier value.Copier
	Named  value.Named // by the last table that its values were made of

	Evolution
}

// Common returns the type itself: [Declared] asks components and events for it.
func (t *Type) Common() *Type { return t }

// Detach forgets what an interpreter has remembered in the type.
func (t *Type) Detach() { t.Copier, t.Named = value.Copier{}, value.Named{} }

// Tag reports whether the type has no data.
func (t *Type) Tag() bool { return t.Schema.Size == 0 }

// Hosts reports whether a type is the host's: no script has declared it.
func (t *Type) Hosts() bool { return t.GoType || t.Script == "" }

// Renamed reports whether the load gives the type another name.
func (t *Type) Renamed() bool { return t.Changes != nil && t.Changes.Name != t.Name }

// Reshaped reports whether the load converts the type's values.
func (t *Type) Reshaped() bool { return t.Differs(t.Changes, t.Schema) }
