package ecs

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"
	"weak"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// MaxComponents is how many component types one world can have.
const MaxComponents = mask.Max

// ComponentID is the number of a component type in its world, in order of
// registration.
type ComponentID uint32

// ID returns the number itself, so that a ComponentID is a [ComponentRef] too.
func (id ComponentID) ID() ComponentID { return id }

// component is what the world knows about one type.
//
// Invariants: where[t] is the offset of the component's column in the chunks of
// table t, 0 or past the end when it has none there; traits says which of
// pool, watch and reserved are set.
type component struct {
	world  *World
	id     ComponentID
	era    uint32 // migrations of the component so far
	traits traits
	heap   bool // values are copied by type: they hold Go pointers, or have a Storage
	schema *Schema
	typ    reflect.Type // nil when defined at run time only
	size   uintptr
	pool   pool // nil for archetype columns

	// Where values in chunks lie, for access by handle: the offset of the column
	// by table, 0 when absent; the entity records and the begin of the arena, none
	// before the world has taken its addresses and after it is closed.
	where   []uint32
	records []slots.Record
	base    unsafe.Pointer

	watch Trigger
	rules rules
	// fallback is the default value, nil until it is first needed.
	fallback unsafe.Pointer
	observed Trigger                   // the part of watch that observers asked for
	added    []weak.Pointer[additions] // of queries that ask what was added
	group    *group                    // that the pool is in
	// reserved says who writes the component, when that is not everybody.
	reserved string
}

// traits say why a component needs more than a copy of its bytes when it comes
// or goes. A change whose components have none takes the short way.
type traits uint8

const (
	pooledTrait   traits = 1 << iota // lives in a pool
	watchedTrait                     // somebody observes it
	reservedTrait                    // written by the world alone
	ruledTrait                       // has rules, or others have rules about it
)

// Component is the handle of component type T in one world: the term of
// queries and the accessor of values. It is a pointer; copy it freely. The zero
// Component belongs to no world and panics when used.
type Component[T any] struct{ info *component }

// ComponentOption changes how a type is registered.
type ComponentOption interface{ apply(*componentSpec) }

type componentSpec struct {
	name               string
	sparse             bool
	stored             storedOption
	requires, excludes []ComponentRef
	def                defaultOption
	hooks              hooks
}

// take applies options, of which none may be nil.
func (s *componentSpec) take(options []ComponentOption) error {
	for i, o := range options {
		if o == nil {
			return fmt.Errorf("%w: option %d of component %q is nil", ErrConflict, i+1, s.name)
		}
		o.apply(s)
	}
	return nil
}

type nameOption string

func (n nameOption) apply(s *componentSpec) { s.name = string(n) }

// Sparse keeps a type in a sparse-set pool: for components that are added and
// removed often, or rare. Adding one moves no other data of the entity.
const Sparse = sparseOption(true)

type sparseOption bool

func (o sparseOption) apply(s *componentSpec) { s.sparse = bool(o) }

// Named registers a type under another name than its own, the name that
// scripts, snapshots and messages use.
func Named(name string) ComponentOption { return nameOption(name) }

// Register makes T a component type of w and returns its handle; a second call
// returns the same one, whatever its options. It panics when the name is taken by
// a different type, the options contradict each other or the world has
// MaxComponents types: all are mistakes in the program.
//
// Scripts see the exported fields under their names in lower case, MaxSpeed as
// max_speed. The tag `ecs:"hp"` gives a field another name, `ecs:"-"` hides it, and
// `ecs:"state,enum=idle|walk"` makes an enum of a uint8.
//
// When scripts have declared a component of that name, Register binds T to it. T must
// have the same fields then, in the same places. Lua tables have no order, so the fields
// of a component of Lua lie in the order of their names, and those of T must stand in it:
//
//	ecs.component("Health", { max = ecs.f32(), hp = ecs.f32() }) -- Lua
//
//	type Health struct { // Go: hp comes before max
//		HP  float32 `ecs:"hp"`
//		Max float32
//	}
func Register[T any](w *World, options ...ComponentOption) Component[T] {
	t := reflect.TypeFor[T]()
	spec := componentSpec{name: t.Name()}
	err, id := spec.take(options), ComponentID(0)
	if err == nil {
		id, err = w.register(t, spec, newHeapPool[T])
	}
	if err != nil {
		panic(fmt.Errorf("ecs.Register: %w", err))
	}
	return Component[T]{w.components[id]}
}

func (w *World) register(t reflect.Type, spec componentSpec, heap func(*World, *component) pool) (ComponentID, error) {
	if id, ok := w.types[t]; ok {
		return id, nil
	}
	if spec.name == "" {
		return 0, fmt.Errorf("%w: %s has no name of its own: use ecs.Named", ErrConflict, t)
	}
	schema := schemaOf(spec.name, t)
	if id, ok := w.names[spec.name]; ok {
		return w.adopt(id, t, schema, &spec)
	}
	if err := w.checkRules(&spec, t, t.Size(), nil); err != nil {
		return 0, err
	}
	own := spec.stored
	if own.make != nil && own.typ != t {
		return 0, fmt.Errorf("%w: %q is given a storage of %s", ErrConflict, spec.name, own.typ)
	}
	c := &component{schema: schema, typ: t, size: t.Size(), heap: hasPointers(t) || own.make != nil}
	var stored func(*World, *component) pool
	if own.make != nil {
		if stored = own.make(); stored == nil {
			return 0, fmt.Errorf("%w: no storage was made for %q", ErrConflict, spec.name)
		}
	}
	if err := w.install(c); err != nil {
		return 0, err
	}
	switch {
	case stored != nil:
		w.setPool(c, stored(w, c))
	case c.heap:
		w.setPool(c, heap(w, c))
	case spec.sparse:
		w.setPool(c, newArenaPool(w, c))
	}
	w.types[t] = c.id
	w.setRules(c, &spec)
	return c.id, nil
}

// listFields shows the fields of a component in their order.
func listFields(s *Schema) string {
	const most = 16
	var parts []string
	for i := range s.Fields {
		if i == most {
			parts = append(parts, "…")
			break
		}
		f := &s.Fields[i]
		part := f.Name + " " + f.Kind.String()
		if f.Len > 0 {
			part = fmt.Sprintf("%s [%d]%s", f.Name, f.Len, f.Kind)
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "no fields"
	}
	return strings.Join(parts, ", ")
}

// adopt binds a Go type to a component that was defined at run time before; the
// rules of both hold.
func (w *World) adopt(id ComponentID, t reflect.Type, schema *Schema, spec *componentSpec) (ComponentID, error) {
	c := w.components[id]
	if c.typ != nil {
		return 0, fmt.Errorf("%w: component name %q is taken by another type", ErrConflict, schema.Name)
	}
	if !c.schema.Same(schema) {
		return 0, fmt.Errorf("%w: component %q exists with other fields, or in another order: %s; the type has %s",
			ErrConflict, schema.Name, listFields(c.schema), listFields(schema))
	}
	if err := w.checkRules(spec, t, c.size, c); err != nil {
		return 0, err
	}
	c.typ = t
	w.types[t] = id
	w.setRules(c, spec)
	return id, nil
}

// define is Raw.Define.
func (w *World) define(schema Schema, sparse bool, options ...ComponentOption) (ComponentID, error) {
	if schema.Name == "" {
		return 0, fmt.Errorf("%w: a component needs a name", ErrConflict)
	}
	if err := schema.Layout(); err != nil {
		return 0, err
	}
	if id, ok := w.names[schema.Name]; ok {
		return id, w.components[id].redefine(&schema)
	}
	var spec componentSpec
	if err := spec.take(options); err != nil {
		return 0, err
	}
	if spec.name != "" || spec.sparse || spec.def.typ != nil || spec.stored.make != nil {
		return 0, fmt.Errorf("%w: an option of %q says what its definition says", ErrConflict, schema.Name)
	}
	spec.name = schema.Name
	if err := w.checkRules(&spec, nil, schema.Size, nil); err != nil {
		return 0, err
	}
	c := &component{schema: &schema, size: schema.Size}
	if err := w.install(c); err != nil {
		return 0, err
	}
	if sparse {
		w.setPool(c, newArenaPool(w, c))
	}
	w.setRules(c, &spec)
	return c.id, nil
}

// redefine takes the default of a newer definition with the same fields.
func (c *component) redefine(schema *Schema) error {
	if !c.schema.Same(schema) {
		return fmt.Errorf("%w: component %q exists with other fields", ErrConflict, schema.Name)
	}
	c.schema.Default, c.fallback = schema.Default, nil
	return nil
}

// reserve leaves a component to the method that is named.
func (c *component) reserve(by string) {
	c.reserved = by
	c.traits |= reservedTrait
}

// setPool makes p the storage of c.
func (w *World) setPool(c *component, p pool) {
	c.pool = p
	c.traits |= pooledTrait
	w.pools = append(w.pools, p)
	if c.reserved == "" {
		w.stores = append(w.stores, p)
	}
}

func (w *World) install(c *component) error {
	if err := w.enlist(c); err != nil {
		return err
	}
	w.names[c.schema.Name] = c.id
	return nil
}

// enlist gives a component its number, and no name that others could find.
func (w *World) enlist(c *component) error {
	if len(w.components) >= MaxComponents {
		return fmt.Errorf("%w: a world has at most %d component types", ErrConflict, MaxComponents)
	}
	c.id, c.world = ComponentID(len(w.components)), w
	c.records, c.base = w.slots.Records(), w.arena.Base()
	w.components = append(w.components, c)
	return nil
}

// componentNamed is Raw.ComponentNamed.
func (w *World) componentNamed(name string) (ComponentID, bool) {
	id, ok := w.names[name]
	return id, ok
}

// componentCount is Raw.ComponentCount.
func (w *World) componentCount() int { return len(w.components) }

// schemaByID is Raw.Schema.
func (w *World) schemaByID(id ComponentID) *Schema {
	if int(id) >= len(w.components) {
		return nil
	}
	return w.components[id].schema
}

// goType is Raw.GoType.
func (w *World) goType(id ComponentID) reflect.Type {
	if int(id) >= len(w.components) {
		return nil
	}
	return w.components[id].typ
}

// onHeap is Raw.OnHeap.
func (w *World) onHeap(id ComponentID) bool {
	return int(id) < len(w.components) && w.components[id].heap
}

// ruled is Raw.Ruled.
func (w *World) ruled(id ComponentID) bool {
	return int(id) < len(w.components) && w.components[id].traits&ruledTrait != 0
}

// pooled is Raw.Pooled.
func (w *World) pooled(id ComponentID) bool {
	return int(id) < len(w.components) && w.components[id].pool != nil
}

// ID returns the component's number in its world.
func (c Component[T]) ID() ComponentID { return c.info.id }

// ComponentRef names a component type: a Component[T], a Relation or a ComponentID.
// The first two belong to a world; methods that take a ComponentRef refuse one of another
// world, where its number is that of another type. A bare ComponentID names the type of
// that number, whatever world it came from.
type ComponentRef interface{ ID() ComponentID }

// owned is a ComponentRef that knows its world: nil for a zero one.
type owned interface{ owner() *World }

func (c Component[T]) owner() *World {
	if c.info == nil {
		return nil
	}
	return c.info.world
}

// resolve returns the component that a handle names. The error wraps ErrConflict
// for a handle of another world or of none, ErrUnknown for a number that nothing
// is registered under.
func (w *World) resolve(h ComponentRef) (*component, error) {
	if o, ok := h.(owned); h == nil || ok && o.owner() == nil {
		return nil, fmt.Errorf("%w: a handle of no component: nil or never registered", ErrConflict)
	} else if ok && o.owner() != w {
		name := o.owner().components[h.ID()].schema.Name
		return nil, fmt.Errorf("%w: component %q is of another world: register it in this one", ErrConflict, name)
	}
	return w.componentByID(h.ID())
}

// componentByID returns the component of a number, or an error that wraps ErrUnknown.
func (w *World) componentByID(id ComponentID) (*component, error) {
	if int(id) >= len(w.components) {
		return nil, fmt.Errorf("%w: component %d", ErrUnknown, id)
	}
	return w.components[id], nil
}

// A component's schema says where its fields lie. The types are those of package
// schema, which tools can use without a world.
type (
	// Schema describes a component or an event; see [schema.Schema].
	Schema = schema.Schema
	// Field is one field of a component, an event or a nested struct; see [schema.Field].
	Field = schema.Field
	// Kind says what a field holds; see [schema.Kind].
	Kind = schema.Kind
	// MemoryMap says where values lie in [Raw.Memory]; see [schema.MemoryMap].
	MemoryMap = schema.MemoryMap
)

// The kinds of fields. Struct fields have Fields of their own; String and
// Opaque occur only in components with Go pointers.
const (
	Bool   = schema.Bool
	I8     = schema.I8
	I16    = schema.I16
	I32    = schema.I32
	I64    = schema.I64
	U8     = schema.U8
	U16    = schema.U16
	U32    = schema.U32
	U64    = schema.U64
	F32    = schema.F32
	F64    = schema.F64
	Ref    = schema.Ref    // an Entity
	Enum   = schema.Enum   // one byte: an index into Field.Names
	Struct = schema.Struct // a nested struct
	String = schema.String // a Go string
	Opaque = schema.Opaque // anything else: scripts and tools cannot read it
)

// SchemaOf reads the fields of a struct type, as Register does for components:
// what scripts may see of a resource. It reads each type anew: keep the result.
func SchemaOf(t reflect.Type) *Schema { return schemaOf(t.Name(), t) }

// schemaOf is SchemaOf under a name of the caller's choice.
func schemaOf(name string, t reflect.Type) *Schema {
	return schema.Of(name, t, reflect.TypeFor[Entity]())
}

// hasPointers reports whether values of t hold anything that the collector follows.
func hasPointers(t reflect.Type) bool { return schema.HasPointers(t) }

// place notes where the component's column lies in the chunks of a table.
func (c *component) place(l *layout) {
	for len(c.where) <= int(l.table) {
		c.where = append(c.where, 0)
	}
	c.where[l.table] = l.offsets[c.id]
}
