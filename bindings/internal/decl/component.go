package decl

import "github.com/perigee-ecs/perigee/ecs"

// Component is a component as scripts hold it. Until its declaration is
// committed it has a layout and no number.
type Component struct {
	Name   string
	Schema *ecs.Schema
	Sparse bool
	Broken bool // its declaration was refused: used to go on and find more faults
	Ready  bool // id is valid
	ID     ecs.ComponentID
	GoType bool // defined by the host
	Heap   bool // its Go type holds pointers: fields change through reflection only

	Evolution
	Form int        // counts changes of the fields since it was declared
	Was  string     // the name that it had before, as its text says; or none
	From *Component // of that name, when values move over to this one; else nil
}

func (c *Component) Describe() string {
	if len(c.Schema.Fields) == 0 {
		return "the tag " + c.Name
	}
	return "the component " + c.Name
}

// Tag reports whether the component has no data.
func (c *Component) Tag() bool { return c.Schema.Size == 0 }

// Hosts reports whether a component is the host's: no script has declared it.
func (c *Component) Hosts() bool { return c.GoType || c.Script == "" }

// Renamed reports whether the load gives the component another name.
func (c *Component) Renamed() bool { return c.Changes != nil && c.Changes.Name != c.Name }

// Reshaped reports whether the load converts the component's values.
func (c *Component) Reshaped() bool { return c.Differs(c.Changes, c.Schema) }
