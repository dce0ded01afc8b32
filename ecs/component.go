package ecs

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
)

// MaxComponents is how many component types one world can have.
const MaxComponents = mask.Max

// ComponentID is the number of a component type in its world, in order of
// registration.
type ComponentID uint32

// ID returns the number itself, so that a ComponentID is a [Handle] too.
func (id ComponentID) ID() ComponentID { return id }

// Handle names a component type: a Component[T] or a ComponentID.
type Handle interface{ ID() ComponentID }

// component is what the world knows about one type.
type component struct {
	id     ComponentID
	schema *Schema
	typ    reflect.Type // nil when defined at run time only
	size   uintptr
	pool   pool // nil for archetype columns
	watch  Change
	// reserved says who writes the component, when that is not everybody.
	reserved string
}

// Component is the handle of component type T in one world: the term of
// queries and the accessor of values. It is small; copy it freely. The zero
// Component belongs to no world and panics when used.
type Component[T any] struct {
	world *World
	id    ComponentID
}

// ComponentOption changes how a type is registered.
type ComponentOption interface{ apply(*componentSpec) }

type componentSpec struct {
	name   string
	sparse bool
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
// returns the same one. It panics when the name is taken by a different type or
// the world has MaxComponents types: both are mistakes in the program.
func Register[T any](w *World, options ...ComponentOption) Component[T] {
	t := reflect.TypeFor[T]()
	spec := componentSpec{name: t.Name()}
	for _, o := range options {
		o.apply(&spec)
	}
	id, err := w.register(t, spec, newHeapPool[T])
	if err != nil {
		panic(fmt.Errorf("ecs.Register: %w", err))
	}
	return Component[T]{w, id}
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
		return w.adopt(id, t, schema)
	}
	c := &component{schema: schema, typ: t, size: t.Size()}
	if err := w.install(c); err != nil {
		return 0, err
	}
	switch {
	case hasPointers(t):
		c.pool = heap(w, c)
	case spec.sparse:
		c.pool = newArenaPool(w, c)
	}
	if c.pool != nil {
		w.pools = append(w.pools, c.pool)
	}
	w.types[t] = c.id
	return c.id, nil
}

// adopt binds a Go type to a component that was defined at run time before.
func (w *World) adopt(id ComponentID, t reflect.Type, schema *Schema) (ComponentID, error) {
	c := w.components[id]
	if c.typ != nil || !c.schema.Same(schema) {
		return 0, fmt.Errorf("%w: component name %q is taken by another type", ErrConflict, schema.Name)
	}
	c.typ = t
	w.types[t] = id
	return id, nil
}

// Define registers a component type at run time, with the same standing as a
// Go type. The same definition again returns the same number; a different one
// under a taken name is an error that wraps ErrConflict. With sparse, values
// live in a pool.
func (w *World) Define(schema Schema, sparse bool) (ComponentID, error) {
	if schema.Name == "" {
		return 0, fmt.Errorf("%w: a component needs a name", ErrConflict)
	}
	if err := schema.Layout(); err != nil {
		return 0, err
	}
	if id, ok := w.names[schema.Name]; ok {
		if !w.components[id].schema.Same(&schema) {
			return 0, fmt.Errorf("%w: component %q exists with other fields", ErrConflict, schema.Name)
		}
		return id, nil
	}
	c := &component{schema: &schema, size: schema.Size}
	if err := w.install(c); err != nil {
		return 0, err
	}
	if sparse {
		c.pool = newArenaPool(w, c)
		w.pools = append(w.pools, c.pool)
	}
	return c.id, nil
}

func (w *World) install(c *component) error {
	if len(w.components) >= MaxComponents {
		return fmt.Errorf("%w: a world has at most %d component types", ErrConflict, MaxComponents)
	}
	c.id = ComponentID(len(w.components))
	w.components = append(w.components, c)
	w.names[c.schema.Name] = c.id
	return nil
}

// ComponentNamed returns the component registered under a name.
func (w *World) ComponentNamed(name string) (ComponentID, bool) {
	id, ok := w.names[name]
	return id, ok
}

// ComponentCount returns how many types are registered: their numbers are
// 0 to ComponentCount()-1.
func (w *World) ComponentCount() int { return len(w.components) }

// Schema returns the fields of a component. Do not change what it points to.
func (w *World) Schema(id ComponentID) *Schema { return w.components[id].schema }

// GoType returns the Go type behind a component, nil when it was defined at run
// time only.
func (w *World) GoType(id ComponentID) reflect.Type { return w.components[id].typ }

// OnHeap reports whether a component's values hold Go pointers, so that only
// typed copies of them are allowed.
func (w *World) OnHeap(id ComponentID) bool { return !w.components[id].inline() }

// ID returns the component's number in its world.
func (c Component[T]) ID() ComponentID { return c.id }

// Value is a component with its data, ready to be given to Spawn or Add in the
// world that it was made for: any other answers ErrConflict, for there its
// component's number means something else. The zero Value is of no world.
type Value struct {
	id    ComponentID
	world uint32         // the serial number of the world
	ptr   unsafe.Pointer // the data, unless it fits in buf
	buf   [4]uint64
}

// With pairs the component with a value. Pointer-free values of at most 32
// bytes are kept inside; others are copied to the heap.
func (c Component[T]) With(v T) Value {
	val := Value{id: c.id, world: c.world.serial}
	if unsafe.Sizeof(v) <= unsafe.Sizeof(val.buf) && c.world.components[c.id].inline() {
		*(*T)(unsafe.Pointer(&val.buf)) = v
	} else {
		boxed := new(T) // not &v, which would move every v to the heap
		*boxed = v
		val.ptr = unsafe.Pointer(boxed)
	}
	return val
}

// inline reports whether values may be kept where the collector does not look.
func (c *component) inline() bool {
	_, heap := c.pool.(heapStored)
	return !heap
}

// ValueAt pairs a component defined at run time with the data at p, which must
// stay as it is until the value was used. A nil p means the default.
func (w *World) ValueAt(id ComponentID, p unsafe.Pointer) Value {
	if p == nil {
		p = w.components[id].defaultData()
	}
	return Value{id: id, world: w.serial, ptr: p}
}

func (c *component) defaultData() unsafe.Pointer {
	if len(c.schema.Default) > 0 {
		return unsafe.Pointer(unsafe.SliceData(c.schema.Default))
	}
	if c.typ != nil {
		return reflect.New(c.typ).UnsafePointer()
	}
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, c.size/8+1)))
}

// data returns the address of the value. Values with Go pointers are always at
// ptr: passing that one to a pool keeps the slices that values come in on the
// caller's stack.
func (v *Value) data() unsafe.Pointer {
	if v.ptr != nil {
		return v.ptr
	}
	return unsafe.Pointer(&v.buf)
}

// ID returns the component that the value is of.
func (v Value) ID() ComponentID { return v.id }

// Get returns a copy of e's value.
func (c Component[T]) Get(e Entity) (v T, ok bool) {
	if p := c.world.Pointer(e, c.id); p != nil {
		return *(*T)(p), true
	}
	return v, false
}

// Edit returns the place of e's value, to be read and written until the next
// structural change, and stamps it as changed; nil when e has none.
func (c Component[T]) Edit(e Entity) *T { return (*T)(c.world.Edit(e, c.id)) }

// Has reports whether e is alive and has the component.
func (c Component[T]) Has(e Entity) bool { return c.world.Has(e, c.id) }

// Set gives e the value, adding the component if e lacks it.
func (c Component[T]) Set(e Entity, v T) error { return c.world.Add(e, c.With(v)) }

// Remove takes the component from e; an entity without it stays as it is.
func (c Component[T]) Remove(e Entity) error { return c.world.Remove(e, c.id) }
