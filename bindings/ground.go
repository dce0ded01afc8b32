package bindings

import (
	"math/rand/v2"
	"reflect"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Catalog is what a top level can learn of a world: which components, events and
// resources there are. It is a copy that nothing changes any more, so that any
// goroutine may rehearse with it while the world runs.
type Catalog struct {
	components []decl.Component
	types      map[string]reflect.Type // of components and resources of Go's
	pooled     map[string]bool
	ruled      map[string]bool
	events     []decl.Event
	resources  map[string]reflect.Type
}

// Catalog makes one of the world as it is now. O(components + events + resources).
func (m *Module) Catalog() *Catalog {
	c := &Catalog{types: map[string]reflect.Type{}, pooled: map[string]bool{}, ruled: map[string]bool{}, resources: map[string]reflect.Type{}}
	for _, name := range m.nativeNames() {
		id, _ := m.world.Raw().ComponentNamed(name)
		known := *m.native(id)
		known.Schema = copyOf(known.Schema)
		known.Evolution = decl.Evolution{Script: known.Script, Line: known.Line}
		c.components = append(c.components, known)
		c.types[name], c.pooled[name], c.ruled[name] = m.world.Raw().GoType(id), m.world.Raw().Pooled(id), m.world.Raw().Ruled(id)
	}
	for _, name := range m.world.Raw().EventNames() {
		id, _ := m.world.Raw().EventNamed(name)
		known := *m.nativeEvent(id)
		known.Schema = copyOf(known.Schema)
		known.Evolution = decl.Evolution{Script: known.Script, Line: known.Line}
		c.events = append(c.events, known)
	}
	for _, name := range m.world.Raw().ResourceNames() {
		c.resources[name] = structBehind(m.world.Raw().ResourceNamed(name))
	}
	return c
}

// copyOf keeps a schema as it is: the world gives it the default of the newest
// text later. Fields are never changed.
func copyOf(s *ecs.Schema) *ecs.Schema {
	other := *s
	return &other
}

// structBehind returns the type of the struct that a resource points to, nil for
// resources that scripts cannot use.
func structBehind(resource any) reflect.Type {
	if t := reflect.TypeOf(resource); t != nil && t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		return t.Elem()
	}
	return nil
}

func (c *Catalog) componentNames() []string {
	names := make([]string, len(c.components))
	for i := range c.components {
		names[i] = c.components[i].Name
	}
	return names
}

// rehearsed is what stands in a rehearsal for the world.
type rehearsed struct {
	*Catalog
	random *rand.PCG // what is drawn must not be missing in the game
}

// NewRehearsal makes a module without a world, in which top levels can be tried:
// Begin, Declare, Rehearse and Abandon work, nothing else does. Functions of the
// ecs table answer as they would in the game, but for what only the running game
// knows: what is in a state table or in a resource. A top level that asks for that,
// or for a component, an event or a resource that is not in the catalogue, gets an
// error, and Options.Unsure is told that it says nothing about the file.
func NewRehearsal(c *Catalog, L *lua.LState, opts Options) *Module {
	m := newModule(L, opts)
	m.catalog = &rehearsed{c, rand.NewPCG(1, 1)}
	for i := range c.components {
		known := c.components[i]
		m.components[known.Name] = &known
	}
	for i := range c.events {
		known := c.events[i]
		m.events[known.Name] = &known
	}
	return m
}

// Rehearse has the kernels of scripts made, and returns the problems of systems
// that must have one. The kernels are closed by Abandon.
func (m *Module) Rehearse(fresh []*Script) []*diag.Error { return m.compile(fresh) }

// unsure ends a rehearsed call that asks for what only the running game knows.
func (m *Module) unsure(L *lua.LState) {
	if m.catalog != nil {
		m.opts.Unsure()
		fault.Raisef(L, "only the running game knows this")
	}
}

// inForce returns the component of that name that exists, nil if there is none.
func (m *Module) inForce(name string) *decl.Component {
	if m.catalog != nil {
		return m.components[name]
	}
	if id, ok := m.world.Raw().ComponentNamed(name); ok {
		return m.native(id)
	}
	return nil
}

// eventInForce returns the event of that name that exists, nil if there is none.
func (m *Module) eventInForce(name string) *decl.Event {
	if m.catalog != nil {
		return m.events[name]
	}
	if id, ok := m.world.Raw().EventNamed(name); ok {
		return m.nativeEvent(id)
	}
	return nil
}

func (m *Module) eventNamesInForce() []string {
	if m.catalog == nil {
		return m.world.Raw().EventNames()
	}
	var names []string
	for i := range m.catalog.events {
		names = append(names, m.catalog.events[i].Name)
	}
	return names
}

// goTypeOf returns the Go type of a component that exists, nil when it has none.
func (m *Module) goTypeOf(c *decl.Component) reflect.Type {
	if m.catalog != nil {
		return m.catalog.types[c.Name]
	}
	return m.world.Raw().GoType(c.ID)
}

func (m *Module) ruled(c *decl.Component) bool {
	if m.catalog != nil {
		return m.catalog.ruled[c.Name]
	}
	return m.world.Raw().Ruled(c.ID)
}

func (m *Module) pooled(c *decl.Component) bool {
	if m.catalog != nil {
		return m.catalog.pooled[c.Name]
	}
	return m.world.Raw().Pooled(c.ID)
}

// resourceType returns the type of the resource of that name, nil for none.
func (m *Module) resourceType(name string) reflect.Type {
	if m.catalog != nil {
		return m.catalog.resources[name]
	}
	return structBehind(m.world.Raw().ResourceNamed(name))
}

// stateIndex is what reads go to that find nothing in a front of state, which is
// all of them: the content, or in a rehearsal nothing.
func (m *Module) stateIndex(content *lua.LTable) lua.LValue {
	if m.catalog == nil {
		return content
	}
	return m.main.NewFunction(func(L *lua.LState) int {
		m.unsure(L)
		return 0
	})
}
