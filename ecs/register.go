package ecs

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/ecs/schema"
)

// ComponentOption changes how a type is registered.
type ComponentOption interface{ apply(*componentSpec) }

// componentSpec collects the options of a component type.
type componentSpec struct {
	name               string
	sparse, tracked    bool
	stored             storedOption
	requires, excludes []ComponentRef
	requirements       []Requirement
	invariants         []Invariant
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

// nameOption is the option of Named.
type nameOption string

func (n nameOption) apply(s *componentSpec) { s.name = string(n) }

// Sparse keeps a type in a sparse-set pool: for components that are added and
// removed often, or rare. Adding one moves no other data of the entity.
const Sparse = sparseOption(true)

// sparseOption is the option Sparse.
type sparseOption bool

func (o sparseOption) apply(s *componentSpec) { s.sparse = bool(o) }

// Tracked has the world know, row by row, when a value of the component has last become
// another one: see [Component.Since]. It is an option of [Register] and [Raw.Define], for
// components whose changes are sent to others. It can be asked for later than the component
// was registered, and then holds from there on. Types with Go pointers and those with a
// [Storage] cannot be tracked: the error wraps ErrConflict.
//
// # What counts as a change
//
// The world keeps a copy of each value. It compares at two points: at the end of each
// [World.Step], and when Since is called. A row has changed when its bytes are others than at
// the comparison before, padding aside, however they were written; a value that was written
// and is what it was has not changed, nor has one that another value stood in for meanwhile. Only
// columns that were stamped since are compared, as for [Query.Changed]: what is written
// through [Component.Of], [Component.Peek] or [Raw.Pointer] without [Raw.Touch] is unseen, and
// World.Check reports it.
//
// # Price
//
// Components without the option pay nothing, and writes of those with it cost what they
// did. Measured with values of 16 bytes: a comparison costs about 2 ns for each row of the
// chunks that were written, and 10 ns for a row that has changed; when entities have lost
// the component, however many, 8 ns more for each row of it. A row takes 12 bytes and those of the value, in pages of 1,024 slots: see [Stats].
const Tracked = trackedOption(true)

// trackedOption is the option Tracked.
type trackedOption bool

func (o trackedOption) apply(s *componentSpec) { s.tracked = bool(o) }

// untrackable is the error for values that cannot be tracked.
func untrackable(name string) error {
	return fmt.Errorf("%w: component %q cannot be tracked: its values are not plain bytes in the memory of the world", ErrConflict, name)
}

// Named registers a type under another name than its own, the name that
// scripts, snapshots and messages use.
func Named(name string) ComponentOption { return nameOption(name) }

// Register makes T a component type of w and returns its handle; a second call
// returns the same one, whatever its options but [Tracked]. It panics when the name is taken by
// a different type, the options contradict each other, the world has MaxComponents
// types or is closed: all are mistakes in the program. It panics, too, when scripts have
// declared a component of that name with other fields, which is no mistake of the
// program: where scripts may come first, use [TryRegister].
//
// Scripts see the exported fields under their names in lower case, MaxSpeed as
// max_speed. The tag `ecs:"hp"` gives a field another name, `ecs:"-"` hides it, and
// `ecs:"state,enum=idle|walk"` makes an enum of a uint8.
//
// # Sharing a component with scripts
//
// Both sides may declare it, and both names mean the same bytes. When Go comes first,
// scripts name it with ecs.native, or declare it once more with the same fields. When
// scripts come first, Register and TryRegister bind T to what they have declared. T must
// have the same fields then, in the same places. Lua tables have no order, so the fields
// of a component of Lua lie in the order of their names, and those of T must stand in it:
//
//	ecs.component("Health", { max = ecs.f32(), hp = ecs.f32() }) -- Lua
//
//	type Health struct { // Go: hp comes before max
//		HP  float32 `ecs:"hp"`
//		Max float32
//	}
//
// A reload that gives the component another field migrates its values as long as no Go
// type is bound to it. Once T is bound, such a reload is refused as a whole, with an error
// that wraps ErrConflict, and the scripts of before run on. When the program starts anew
// with those scripts, they come first, T has other fields, and TryRegister says which.
func Register[T any](w *World, options ...ComponentOption) Component[T] {
	c, err := TryRegister[T](w, options...)
	if err != nil {
		panic(fmt.Errorf("ecs.Register: %w", err))
	}
	return c
}

// TryRegister is Register with an error, for components that scripts may have declared.
// The error wraps ErrClosed or ErrConflict. It is a [*FieldsError] when a component of
// that name exists with other fields; nothing has changed then, and the program may go on
// without T and read the component by its schema.
func TryRegister[T any](w *World, options ...ComponentOption) (Component[T], error) {
	t := reflect.TypeFor[T]()
	spec := componentSpec{name: t.Name()}
	if err := spec.take(options); err != nil {
		return Component[T]{}, err
	}
	id, err := w.register(t, spec, newHeapPool[T])
	if err != nil {
		return Component[T]{}, err
	}
	return Component[T]{w.components[id]}, nil
}

// FieldsError says that a component exists with other fields than those that a Go type or
// another definition of the same name has.
type FieldsError struct {
	Component string
	// Type is the Go type, nil for a definition at run time.
	Type reflect.Type
	// Differences lists what the component (Of) and the other one (Other) say differently.
	Differences []schema.Difference
}

// Error names the fields, up to 16 of them, and which side has them.
func (e *FieldsError) Error() string {
	const most = 16
	other := "the new definition"
	if e.Type != nil {
		other = "type " + e.Type.String()
	}
	parts := make([]string, 0, most)
	for _, d := range e.Differences[:min(len(e.Differences), most)] {
		parts = append(parts, tellDifference(d, other))
	}
	if more := len(e.Differences) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%v: component %q exists with other fields: %s", ErrConflict, e.Component, strings.Join(parts, "; "))
}

// tellDifference says it of a field, or of the whole.
func tellDifference(d schema.Difference, other string) string {
	switch {
	case d.Field == "":
		return fmt.Sprintf("it has %s, %s has %s", d.Of, other, d.Other)
	case d.Other == "":
		return fmt.Sprintf("%q (%s) is missing in %s", d.Field, d.Of, other)
	case d.Of == "":
		return fmt.Sprintf("%q (%s) is in %s only", d.Field, d.Other, other)
	}
	return fmt.Sprintf("%q is %s, in %s %s", d.Field, d.Of, other, d.Other)
}

// Unwrap returns ErrConflict.
func (e *FieldsError) Unwrap() error { return ErrConflict }

// checkName refuses a name that is no text: saves and messages to replicas have names as texts of JSON.
func checkName(what, name string) error {
	if !utf8.ValidString(name) {
		return fmt.Errorf("%w: the name %q of a %s is no UTF-8", ErrConflict, name, what)
	}
	return nil
}

// register is Register without the type parameter; heap makes a pool of the type.
func (w *World) register(t reflect.Type, spec componentSpec, heap func(*store, *component) pool) (ComponentID, error) {
	if err := w.refuseDeclaring("component " + t.String()); err != nil {
		return 0, err
	}
	if id, ok := w.types[t]; ok {
		return id, w.retrack(w.components[id], &spec)
	}
	if spec.name == "" {
		return 0, fmt.Errorf("%w: %s has no name of its own: use ecs.Named", ErrConflict, t)
	}
	if err := checkName("component", spec.name); err != nil {
		return 0, err
	}
	if err := schema.CheckTags(t); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrConflict, err)
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
	if spec.tracked && c.heap {
		return 0, untrackable(spec.name)
	}
	if err := w.refuseInvariants(spec.invariants, c); err != nil {
		return 0, err
	}
	c.pointers = appendPointers(nil, t, 0)
	var stored func(*store, *component) pool
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
		w.setPool(c, stored(&w.store, c))
	case c.heap:
		w.setPool(c, heap(&w.store, c))
	case spec.sparse:
		w.setPool(c, newArenaPool(&w.store, c))
	}
	w.types[t] = c.id
	w.setRules(c, &spec)
	return c.id, w.retrack(c, &spec)
}

// retrack begins to track a component that is registered again, if that asks for it.
func (w *World) retrack(c *component, spec *componentSpec) error {
	switch {
	case !spec.tracked:
	case c.heap:
		return untrackable(c.schema.Name)
	default:
		w.track(c)
	}
	return nil
}

// adopt binds a Go type to a component that was defined at run time before; the
// rules of both hold.
func (w *World) adopt(id ComponentID, t reflect.Type, schema *Schema, spec *componentSpec) (ComponentID, error) {
	c := w.components[id]
	if c.typ != nil {
		return 0, fmt.Errorf("%w: component name %q is taken by the type %s; give %s another name with ecs.Named", ErrConflict, schema.Name, c.typ, t)
	}
	if !c.schema.Same(schema) {
		return 0, &FieldsError{schema.Name, t, c.schema.Differences(schema)}
	}
	if err := w.checkRules(spec, t, c.size, c); err != nil {
		return 0, err
	}
	typed := *c
	typed.typ = t
	if err := w.refuseInvariants(spec.invariants, &typed); err != nil {
		return 0, err
	}
	c.typ = t
	w.types[t] = id
	w.setRules(c, spec)
	if c.tracker != nil {
		c.tracker.restart(&w.store) // the type may have fields where the definition has padding
	}
	return id, w.retrack(c, spec)
}

// define is Raw.Define.
func (w *World) define(schema Schema, sparse bool, options ...ComponentOption) (ComponentID, error) {
	if err := w.refuseDeclaring(fmt.Sprintf("component %q", schema.Name)); err != nil {
		return 0, err
	}
	if schema.Name == "" {
		return 0, fmt.Errorf("%w: a component needs a name", ErrConflict)
	}
	if err := checkName("component", schema.Name); err != nil {
		return 0, err
	}
	if err := schema.Layout(); err != nil {
		return 0, err
	}
	var spec componentSpec
	if err := spec.take(options); err != nil {
		return 0, err
	}
	if id, ok := w.names[schema.Name]; ok {
		return id, w.redefine(w.components[id], &schema, &spec)
	}
	if spec.name != "" || spec.sparse || spec.def.typ != nil || spec.stored.make != nil {
		return 0, fmt.Errorf("%w: an option of %q says what its definition says", ErrConflict, schema.Name)
	}
	spec.name = schema.Name
	if err := w.checkRules(&spec, nil, schema.Size, nil); err != nil {
		return 0, err
	}
	c := &component{schema: &schema, size: schema.Size}
	if err := w.refuseInvariants(spec.invariants, c); err != nil {
		return 0, err
	}
	if err := w.install(c); err != nil {
		return 0, err
	}
	if sparse {
		w.setPool(c, newArenaPool(&w.store, c))
	}
	w.setRules(c, &spec)
	return c.id, w.retrack(c, &spec)
}

// redefine takes the default of a newer definition with the same fields.
func (w *World) redefine(c *component, schema *Schema, spec *componentSpec) error {
	if !c.schema.Same(schema) {
		return &FieldsError{schema.Name, nil, c.schema.Differences(schema)}
	}
	if err := w.retrack(c, spec); err != nil {
		return err
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
		w.dataPools = append(w.dataPools, p)
	}
}

// install gives a component its number and its name.
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
	c.id, c.world, c.store = ComponentID(len(w.components)), w, &w.store
	c.records, c.base = w.slots.Records(), w.arena.Base()
	w.components = append(w.components, c)
	return nil
}

// componentNamed is Raw.ComponentNamed.
func (w *World) componentNamed(name string) (ComponentID, bool) {
	id, ok := w.names[name]
	return id, ok
}

// schemaByID is Raw.Schema.
func (w *World) schemaByID(id ComponentID) *Schema {
	if uint(id) >= uint(len(w.components)) {
		return nil
	}
	return w.components[id].schema
}

// goType is Raw.GoType.
func (w *World) goType(id ComponentID) reflect.Type {
	if uint(id) >= uint(len(w.components)) {
		return nil
	}
	return w.components[id].typ
}

// onHeap is Raw.OnHeap.
func (w *World) onHeap(id ComponentID) bool {
	return uint(id) < uint(len(w.components)) && w.components[id].heap
}

// ruled is Raw.Ruled.
func (w *World) ruled(id ComponentID) bool {
	return uint(id) < uint(len(w.components)) && w.components[id].traits&ruledTrait != 0
}

// pooled is Raw.Pooled.
func (w *World) pooled(id ComponentID) bool {
	return uint(id) < uint(len(w.components)) && w.components[id].pool != nil
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
func (s *store) componentByID(id ComponentID) (*component, error) {
	if uint(id) >= uint(len(s.components)) {
		return nil, fmt.Errorf("%w: component %d", ErrUnknown, id)
	}
	return s.components[id], nil
}
