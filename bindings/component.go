package bindings

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Component is a component as scripts hold it. Until its declaration is
// committed it has a layout and no number.
type Component struct {
	name   string
	schema *ecs.Schema
	sparse bool
	broken bool // its declaration was refused: used to go on and find more faults
	ready  bool // id is valid
	id     ecs.ComponentID
	goType bool // defined by the host
	heap   bool // its Go type holds pointers: fields change through reflection only

	evolution
	form int        // counts changes of the fields since it was declared
	was  string     // the name that it had before, as its text says; or none
	from *Component // of that name, when values move over to this one; else nil

	rows []*updated // that no update uses just now
}

func (c *Component) Describe() string {
	if len(c.schema.Fields) == 0 {
		return "the tag " + c.name
	}
	return "the component " + c.name
}

// tag reports whether the component has no data.
func (c *Component) tag() bool { return c.schema.Size == 0 }

// newData returns memory for one value, filled with the default.
func (m *Module) newData(c *Component) unsafe.Pointer {
	if c.broken {
		return nil // nothing is stored: see fill
	}
	if c.ready {
		if t := m.goTypeOf(c); t != nil {
			return value.NewGo(t, c.schema)
		}
	}
	p := unsafe.Pointer(unsafe.SliceData(make([]uint64, c.schema.Size/8+1)))
	copy(unsafe.Slice((*byte)(p), c.schema.Size), c.schema.Default)
	return p
}

// declareFunctions are those of a script's top level.
func (m *Module) declareFunctions() map[string]func(*args) int {
	return map[string]func(*args) int{
		"component": declareComponent, "tag": declareTag, "native": declareNative, "drop": declareDrop,
		"event": declareEvent, "native_event": declareNativeEvent,
		"prefab": declarePrefab, "system": declareSystem, "kernel": declareKernel,
		"on_add": observe(ecs.OnAdd), "on_set": observe(ecs.OnSet), "on_remove": observe(ecs.OnRemove),
		"on_spawn": observe(ecs.OnSpawn), "on_despawn": observe(ecs.OnDespawn),
		"on_start": declareStart, "on_error": declareOnError, "on_unload": declareUnload, "on_reload": declareReload, "handler": declareHandler, "state": declareState,
		"enum": declareEnum, "array": declareArray,
	}
}

// declareComponent is ecs.component(name, fields, options).
func declareComponent(a *args) int {
	s := a.declares()
	name := a.named(1)
	fields, defaults := a.fields(2, name)
	a.keepFields(fields)
	c := &Component{name: name, schema: &ecs.Schema{Name: name, Fields: fields, Version: 1}}
	c.script, c.line, _ = value.SplitPlace(a.L.Where(1))
	if a.L.GetTop() >= 3 {
		a.componentOptions(c, a.table(3))
	}
	if err := c.schema.Layout(); err != nil {
		a.problem("%v", err)
		c.broken = true
	} else {
		a.m.setDefaults(c.schema, defaults)
	}
	a.admit(s, c)
	return a.push(c)
}

// componentOptions are the keys of a component's options.
var componentOptions = []string{"sparse", "version", "migrate", "drop", "was"}

func (a *args) componentOptions(c *Component, options *lua.LTable) {
	value.Pairs(options, func(k, v lua.LValue) {
		switch k.String() {
		case "sparse":
			if v.Type() != lua.LTBool {
				a.problem("component %q, option \"sparse\": expected true or false, got %s", c.name, value.Describe(v))
			}
			c.sparse = lua.LVAsBool(v)
		case "version":
			n, ok := v.(lua.LNumber)
			if c.schema.Version = int(n); !ok || n < 1 || n != lua.LNumber(int32(n)) {
				a.problem("component %q, option \"version\": expected a whole number from 1 up, got %s", c.name, value.Describe(v))
			}
		case "was":
			a.wasOption(c, v)
		default:
			if !a.evolve(&c.evolution, c.name, k.String(), v) {
				a.problem("component %q: unknown option %q%s", c.name, k.String(), diag.OneOf(k.String(), componentOptions))
			}
		}
	})
	for _, key := range absentKeys(options) {
		a.problem("component %q, option %s", c.name, nilValue(a.L, key))
	}
}

// tagOptions reads the options of a tag, which are those of a component that make sense
// without data.
func (a *args) tagOptions(c *Component, options *lua.LTable) {
	known := []string{"sparse", "was"}
	value.Pairs(options, func(k, v lua.LValue) {
		if !slices.Contains(known, k.String()) {
			a.problem("tag %q: unknown option %q%s", c.name, k.String(), diag.OneOf(k.String(), known))
			options.RawSet(k, lua.LNil)
		}
	})
	a.componentOptions(c, options)
}

// declareTag is ecs.tag(name, options): a component without data.
func declareTag(a *args) int {
	s := a.declares()
	c := &Component{name: a.named(1), schema: &ecs.Schema{Name: a.text(1), Version: 1}}
	c.script, c.line, _ = value.SplitPlace(a.L.Where(1))
	if a.L.GetTop() >= 2 {
		a.tagOptions(c, a.table(2))
	}
	if err := c.schema.Layout(); err != nil {
		a.problem("%v", err)
	}
	a.admit(s, c)
	return a.push(c)
}

// admit checks a declaration against what exists and what this load has
// declared before; the same declaration twice is one component.
func (a *args) admit(s *Script, c *Component) {
	known := a.m.staged.components[c.name]
	if known == nil {
		known = a.m.inForce(c.name)
	}
	a.comesFrom(c, known)
	switch {
	case c.name == "":
		c.broken = true
	case a.goneName(c.name):
		c.broken = true
	case known != nil && known.goType && !known.schema.Same(c.schema):
		a.problem("component %q is declared by the Go host with other fields: use ecs.native(%q)", c.name, c.name)
		c.broken = true
	case known == nil || known.broken || c.broken:
	case a.m.staged.components[c.name] != nil && !known.schema.Same(c.schema):
		a.problem("component %q is declared with other fields in %s:%d", c.name, known.script, known.line)
		c.broken = true
	case known.ready && !known.goType && c.differs(known.schema, c.schema) && a.sameStorage(c, known):
		c.changes, c.id = known.schema, known.id
	case known.ready:
		c.id, c.ready, c.goType, c.heap = known.id, true, known.goType, known.heap
	default:
		c.changes, c.id = known.changes, known.id // declared in this load before
	}
	if other := a.m.staged.components[c.name]; other != nil && c.was == "" {
		c.was, c.from = other.was, other.from
	}
	a.m.staged.components[c.name] = c
	s.Components = append(s.Components, c)
	s.uses = append(s.uses, "component "+c.name)
}

// sameStorage complains about a component that would have to move into a pool, or
// out of one, with its values.
func (a *args) sameStorage(c, known *Component) bool {
	if pooled := a.m.pooled(known); pooled != c.sparse {
		a.problem("component %q, option \"sparse\": it cannot change together with the fields while the game runs", c.name)
		c.broken = true
	}
	return !c.broken
}

// declareNative is ecs.native(name): a component that the Go host registered.
func declareNative(a *args) int {
	a.declaring()
	name := a.text(1)
	known := a.m.inForce(name)
	if known == nil {
		known = a.m.staged.components[name]
	}
	if known == nil {
		a.m.unsure(a.L) // the host may have registered it in the meantime
		a.problem("unknown native component %q%s", name, value.Meant(a.L, name, a.m.nativeNames()))
		return a.push(&Component{name: name, schema: &ecs.Schema{Name: name}, broken: true})
	}
	a.m.script.uses = append(a.m.script.uses, "component "+name)
	if c := a.m.staged.components[name]; c != nil {
		return a.push(c)
	}
	if a.goneName(name) {
		return a.push(&Component{name: name, schema: known.schema, broken: true})
	}
	a.m.script.fetched = append(a.m.script.fetched, "component "+name)
	return a.push(known)
}

// native returns the script side of a component that the world knows.
func (m *Module) native(id ecs.ComponentID) *Component {
	schema := m.world.Raw().Schema(id)
	if c := m.components[schema.Name]; c != nil {
		return c
	}
	t := m.world.Raw().GoType(id)
	c := &Component{name: schema.Name, schema: schema, ready: true, id: id, goType: t != nil, heap: m.world.Raw().OnHeap(id)}
	m.components[schema.Name] = c
	issue(m.issued, c.name, c)
	return c
}

func (m *Module) nativeNames() []string {
	if m.catalog != nil {
		return m.catalog.componentNames()
	}
	var names []string
	for id := range m.world.Raw().ComponentCount() {
		name := m.world.Raw().Schema(ecs.ComponentID(id)).Name
		if _, ok := m.world.Raw().ComponentNamed(name); ok {
			names = append(names, name)
		}
	}
	return names
}

// componentNames returns what a script could mean by a component's name.
func (m *Module) componentNames() []string {
	names := slices.Collect(maps.Keys(m.components))
	if m.staged != nil {
		names = append(names, slices.Collect(maps.Keys(m.staged.components))...)
	}
	return append(names, m.nativeNames()...)
}

// push returns a component to Lua.
func (a *args) push(c *Component) int {
	a.L.Push(wrap(c, a.m.types.component))
	return 1
}
