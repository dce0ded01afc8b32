package bindings

import (
	"math/rand/v2"
	"reflect"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// A ground is what the declarations of scripts stand on: the live world, or in a
// rehearsal a catalogue of it. Top levels get the same answers from both; what a
// catalogue cannot know, it is not asked for (see core.unsure).
type ground interface {
	live() bool
	components() decl.Ground[decl.Component]
	events() decl.Ground[decl.Event]
	// goType returns the Go type of a component that is in force, nil when it has none.
	goType(c *decl.Component) reflect.Type
	// traits are those of a component that is in force.
	traits(c *decl.Component) traits
	// resource returns the type of the resource of that name, nil for none.
	resource(name string) reflect.Type
	// field reads a number or truth of a resource, 1 for true; false when the resource
	// is of another type by now, or the field is neither.
	field(resource string, t reflect.Type, f *ecs.Field) (v float64, truth, ok bool)
	// state is what reads of a state table go to.
	state(content *lua.LTable, refuse *lua.LFunction) lua.LValue
	// draw returns a random number.
	draw() uint64
}

// traits are what a component is to the world, beside its schema.
type traits struct {
	pooled bool // it does not lie in the columns of its entities
	ruled  bool // others come with it, or keep it away
}

// structBehind returns the type of the struct that a resource points to, nil for
// resources that scripts cannot use.
func structBehind(resource any) reflect.Type {
	if t := reflect.TypeOf(resource); t != nil && t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		return t.Elem()
	}
	return nil
}

// scalar reports whether a field is a number or a truth.
func scalar(f *ecs.Field) bool { return f.Len == 0 && f.Kind >= ecs.Bool && f.Kind <= ecs.F64 }

// liveWorld is the ground of the running game.
type liveWorld struct{ *ecs.World }

func (w liveWorld) live() bool                              { return true }
func (w liveWorld) components() decl.Ground[decl.Component] { return liveComponents(w) }
func (w liveWorld) events() decl.Ground[decl.Event]         { return liveEvents(w) }
func (w liveWorld) draw() uint64                            { return w.Random().Uint64() }

func (w liveWorld) traits(c *decl.Component) traits {
	return traits{w.Raw().Pooled(c.ID), w.Raw().Ruled(c.ID)}
}

func (w liveWorld) goType(c *decl.Component) reflect.Type { return w.Raw().GoType(c.ID) }

func (w liveWorld) resource(name string) reflect.Type {
	return structBehind(w.Raw().ResourceNamed(name))
}

func (w liveWorld) field(resource string, t reflect.Type, f *ecs.Field) (v float64, truth, ok bool) {
	p := reflect.ValueOf(w.Raw().ResourceNamed(resource))
	if !p.IsValid() || p.Type() != reflect.PointerTo(t) || !scalar(f) {
		return 0, false, false
	}
	at := unsafe.Add(p.UnsafePointer(), f.Offset)
	if f.Kind != ecs.Bool {
		return f.Kind.Load(at), false, true
	}
	if *(*bool)(at) {
		return 1, true, true
	}
	return 0, true, true
}

func (w liveWorld) state(content *lua.LTable, _ *lua.LFunction) lua.LValue { return content }

// liveComponents are those of the world.
type liveComponents struct{ *ecs.World }

// Has implements [decl.Ground].
func (w liveComponents) Has(name string) bool {
	_, ok := w.Raw().ComponentNamed(name)
	return ok
}

// Names implements [decl.Ground]: in the order of their numbers.
func (w liveComponents) Names() []string {
	var names []string
	for id := range w.Raw().ComponentCount() {
		if name := w.Raw().Schema(ecs.ComponentID(id)).Name; w.Has(name) {
			names = append(names, name)
		}
	}
	return names
}

// Make implements [decl.Ground].
func (w liveComponents) Make(name string) *decl.Component {
	id, _ := w.Raw().ComponentNamed(name)
	c := &decl.Component{ID: id, Heap: w.Raw().OnHeap(id)}
	c.Name, c.Schema, c.Ready, c.GoType = name, w.Raw().Schema(id), true, w.Raw().GoType(id) != nil
	return c
}

// liveEvents are those of the world.
type liveEvents struct{ *ecs.World }

// Has implements [decl.Ground].
func (w liveEvents) Has(name string) bool {
	_, ok := w.Raw().EventNamed(name)
	return ok
}

// Names implements [decl.Ground].
func (w liveEvents) Names() []string { return w.Raw().EventNames() }

// Make implements [decl.Ground].
func (w liveEvents) Make(name string) *decl.Event {
	id, _ := w.Raw().EventNamed(name)
	e := &decl.Event{ID: id}
	e.Name, e.Schema, e.Ready, e.GoType = name, w.Raw().EventSchema(id), true, w.Raw().EventType(id) != nil
	return e
}

// Catalog is what a top level can learn of a world: which components, events and
// resources there are. It is a copy that nothing changes any more, so that any
// goroutine may rehearse with it while the world runs.
type Catalog struct {
	components catalogued[decl.Component]
	events     catalogued[decl.Event]
	known      map[string]traits // of components
	goTypes    map[string]reflect.Type
	resources  map[string]reflect.Type
}

// catalogued are the types of one sort, with their names in the order of the world.
type catalogued[T any] struct {
	names []string
	types map[string]T
}

// Has implements [decl.Ground].
func (l *catalogued[T]) Has(name string) bool {
	_, ok := l.types[name]
	return ok
}

// Names implements [decl.Ground].
func (l *catalogued[T]) Names() []string { return append([]string{}, l.names...) }

// Make implements [decl.Ground].
func (l *catalogued[T]) Make(name string) *T {
	made := l.types[name]
	return &made
}

// listAll copies what a registry has in force. A declaration of a script's keeps its
// place. What its text said of older values is forgotten, and so is what the interpreter of
// the game has remembered in it: a rehearsal that wrote there would write into the game.
func listAll[T any, P decl.Declared[T]](r *decl.Registry[T, P]) catalogued[T] {
	l := catalogued[T]{names: r.Existing(), types: map[string]T{}}
	for _, name := range l.names {
		copied := *r.InForce(name)
		P(&copied).Detach()
		t := P(&copied).Common()
		schema := *t.Schema // the world gives its own the default of the newest text later
		t.Schema, t.Evolution = &schema, decl.Evolution{Place: t.Place}
		l.types[name] = copied
	}
	return l
}

// newCatalog makes the catalogue of a world, with the declarations of scripts that are
// in force. O(components + events + resources).
func newCatalog(w *ecs.World, components *decl.Registry[decl.Component, *decl.Component], events *decl.Registry[decl.Event, *decl.Event]) *Catalog {
	c := &Catalog{
		components: listAll(components), events: listAll(events),
		known: map[string]traits{}, goTypes: map[string]reflect.Type{}, resources: map[string]reflect.Type{},
	}
	ground := liveWorld{w}
	for name, comp := range c.components.types {
		c.known[name], c.goTypes[name] = ground.traits(&comp), ground.goType(&comp)
	}
	for _, name := range w.Raw().ResourceNames() {
		c.resources[name] = ground.resource(name)
	}
	return c
}

// rehearsed is the ground of a rehearsal.
type rehearsed struct {
	*Catalog
	random *rand.PCG // what is drawn must not be missing in the game
}

func (r *rehearsed) live() bool                              { return false }
func (r *rehearsed) components() decl.Ground[decl.Component] { return &r.Catalog.components }
func (r *rehearsed) events() decl.Ground[decl.Event]         { return &r.Catalog.events }
func (r *rehearsed) traits(c *decl.Component) traits         { return r.known[c.Name] }
func (r *rehearsed) goType(c *decl.Component) reflect.Type   { return r.goTypes[c.Name] }
func (r *rehearsed) resource(name string) reflect.Type       { return r.resources[name] }
func (r *rehearsed) draw() uint64                            { return r.random.Uint64() }

// field tells of what kind the field is: that is all that a rehearsal needs.
func (r *rehearsed) field(_ string, _ reflect.Type, f *ecs.Field) (v float64, truth, ok bool) {
	return 0, f.Kind == ecs.Bool, scalar(f)
}

func (r *rehearsed) state(_ *lua.LTable, refuse *lua.LFunction) lua.LValue { return refuse }
