package decl

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
)

// Component is a component as scripts hold it.
type Component struct {
	Type
	Sparse  bool
	Tracked bool // the host may ask which rows have changed
	ID      ecs.ComponentID
	Heap    bool // its Go type holds pointers: fields change through reflection only

	// Invariants are what values must meet at the end of each tick.
	Invariants []Invariant

	Was  string     // the name that it had before, as its text says; or none
	From *Component // of that name, when values move over to this one; else nil
}

// Invariant is a rule that a component's text declares, and where.
type Invariant struct {
	Rule ecs.Invariant
	At   diag.Place
}

// Continue takes over the number of a component, which this one declares again.
func (c *Component) Continue(known *Component) { c.ID, c.Heap = known.ID, known.Heap }

// Options are what the world is to know about the component beside its fields.
func (c *Component) Options() (list []ecs.ComponentOption) {
	if c.Tracked {
		list = append(list, ecs.Tracked)
	}
	return list
}

// Is reports whether two declarations are of one component of the world.
func (c *Component) Is(other *Component) bool { return c.ID == other.ID }

// Describe says for messages what the component is.
func (c *Component) Describe() string {
	if len(c.Schema.Fields) == 0 {
		return "the tag " + c.Name
	}
	return "the component " + c.Name
}

// Use says where a script gets what entities have of the component.
func (c *Component) Use() string {
	if len(c.Schema.Fields) == 0 {
		return "it has no fields; ecs.has tells whether an entity has it"
	}
	return "ecs.get and each give the fields of an entity"
}
