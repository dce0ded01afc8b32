package ecs

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// Value is a component with its data, ready to be given to Spawn or Add, as often
// as one likes. The zero Value is of no component: methods that get it return
// ErrConflict, and so they do for a Value of a component that a [Migration] has
// changed since.
type Value struct {
	of  *component
	ptr unsafe.Pointer // the data, unless it fits in buf
	buf [4]uint64      // with ptr, only the first: the component's era
}

// With pairs the component with a value. Pointer-free values of at most 32
// bytes are kept inside; others are copied to the heap. With panics for the zero Component.
//
// Why is the copy in a function of its own? With is inlined into the caller so,
// and the value is written where Spawn reads it.
func (c Component[T]) With(v T) Value {
	if c.info == nil || unsafe.Sizeof(v) > unsafe.Sizeof(Value{}.buf) || c.info.heap {
		return boxed(c.info, v)
	}
	val := Value{of: c.info}
	*(*T)(unsafe.Pointer(&val.buf)) = v
	return val
}

// boxed makes a Value whose data is on the heap, where the collector sees it. The zero Component
// comes here, too, so that With stays small enough to be inlined.
func boxed[T any](c *component, v T) Value {
	if c == nil {
		panic(fmt.Errorf("ecs: %w", Component[T]{}.zeroError()))
	}
	p := new(T) // not &v, which would move every v to the heap
	*p = v
	return c.valueAt(unsafe.Pointer(p))
}

// valueAt returns a Value of the data at p.
func (c *component) valueAt(p unsafe.Pointer) Value {
	return Value{of: c, ptr: p, buf: [4]uint64{uint64(c.era)}}
}

// stale reports whether a value was made before a migration of its component: its
// data has another layout, and perhaps fewer bytes.
func (v *Value) stale() bool { return v.ptr != nil && v.buf[0] != uint64(v.of.era) }

// valueAt is Raw.ValueAt.
func (s *store) valueAt(id ComponentID, p unsafe.Pointer) Value {
	c, err := s.componentByID(id)
	switch {
	case err != nil:
		return Value{}
	case p == nil:
		return c.valueAt(c.defaultData())
	case c.inWorld(p):
		return c.boxedBytes(p)
	}
	return c.valueAt(p)
}

// inWorld reports whether p is an address in the world's arena.
func (c *component) inWorld(p unsafe.Pointer) bool {
	return c.base != nil && uintptr(p)-uintptr(c.base) < uintptr(c.world.arena.Size())
}

// boxedBytes is boxed for pointer-free values whose type Go does not know.
func (c *component) boxedBytes(p unsafe.Pointer) Value {
	own := unsafe.Pointer(unsafe.SliceData(make([]uint64, c.size/8+1)))
	copyBytes(own, p, c.size)
	return c.valueAt(own)
}

// defaultData returns the component's default, which is never written.
func (c *component) defaultData() unsafe.Pointer {
	switch {
	case c.fallback != nil:
	case len(c.schema.Default) > 0:
		c.fallback = unsafe.Pointer(unsafe.SliceData(c.schema.Default))
	case c.typ != nil:
		c.fallback = reflect.New(c.typ).UnsafePointer()
	default:
		c.fallback = unsafe.Pointer(unsafe.SliceData(make([]uint64, c.size/8+1)))
	}
	return c.fallback
}

// copyOut returns a Value of what lies at p, a place in the component's storage, to
// be given to other entities when that place may move meanwhile: rows of a chunk
// do when their archetype gets a longer one, rows of a pool when it is in a group.
func (c *component) copyOut(p unsafe.Pointer) Value {
	v := Value{of: c}
	switch {
	case c.heap:
		own := c.pool.(heapStored)
		return c.valueAt(own.address(own.clone(p)))
	case c.size > unsafe.Sizeof(v.buf):
		return c.boxedBytes(p)
	}
	copyBytes(unsafe.Pointer(&v.buf), p, c.size)
	return v
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

// ID returns the component that the value is of. It panics for the zero Value.
func (v Value) ID() ComponentID {
	if v.of == nil {
		panic(fmt.Errorf("ecs: Value.ID: %w: the zero Value is of no component", ErrConflict))
	}
	return v.of.id
}

// refs changes the handles inside component values: of entities that were copied
// or moved together, so that they name each other's copies.
//
// Reached are fields of type Entity, in structs and arrays, as the schema shows
// them; in types with Go pointers, exported fields and slices too, which are
// copied first, because the old value keeps its own. Maps, pointers, interfaces
// and slices more than 32 deep are not followed.
type refs struct {
	// replace says what becomes of a handle that is not 0.
	replace func(Entity) Entity
	depth   int // of slices within slices
}

// maxNesting bounds slices within slices: one can be made to hold itself.
const maxNesting = 32

// holds reports whether values of a component can name entities that replace
// reaches.
func (c *component) holds() bool {
	if c.heap {
		return typeHolds(c.typ, nil)
	}
	return fieldsHold(c.schema.Fields)
}

// fieldsHold reports whether one of the fields is a handle.
func fieldsHold(fields []Field) bool {
	for i := range fields {
		if fields[i].Kind == Ref || fieldsHold(fields[i].Fields) {
			return true
		}
	}
	return false
}

// typeHolds looks into a type; within are those that it is part of.
func typeHolds(t reflect.Type, within []reflect.Type) bool {
	if slices.Contains(within, t) {
		return false // a type that holds slices of itself
	}
	within = append(within, t)
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return typeHolds(t.Elem(), within)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && typeHolds(f.Type, within) {
				return true
			}
		}
	}
	return t == reflect.TypeFor[Entity]()
}

// value changes the value of a component at p in place.
func (r *refs) value(c *component, p unsafe.Pointer) {
	if c.heap {
		r.typed(reflect.NewAt(c.typ, p).Elem())
		return
	}
	r.fields(c.schema.Fields, p)
}

// fields changes the handles in fields of a value.
func (r *refs) fields(fields []Field, p unsafe.Pointer) {
	for i := range fields {
		f := &fields[i]
		if f.Kind != Ref && f.Kind != Struct {
			continue
		}
		for j := range max(f.Len, 1) {
			at := unsafe.Add(p, f.Offset+uintptr(j)*f.Stride)
			if f.Kind == Struct {
				r.fields(f.Fields, at)
			} else if e := (*Entity)(at); *e != 0 {
				*e = r.replace(*e)
			}
		}
	}
}

// typed changes the handles in a Go value.
func (r *refs) typed(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				r.typed(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Len() == 0 || r.depth == maxNesting || !typeHolds(v.Type().Elem(), nil) {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		r.depth++
		r.elements(own)
		r.depth--
	case reflect.Array:
		r.elements(v)
	case reflect.Uint64:
		if v.Type() == reflect.TypeFor[Entity]() && v.Uint() != 0 {
			v.SetUint(uint64(r.replace(Entity(v.Uint()))))
		}
	}
}

// elements changes the handles in the elements of a slice or an array.
func (r *refs) elements(v reflect.Value) {
	for i := range v.Len() {
		r.typed(v.Index(i))
	}
}

// find returns the place of e's value, or nil.
func (c *component) find(e Entity) unsafe.Pointer {
	if p := c.peek(e); p != nil {
		return p
	}
	return c.findAside(e)
}

// peek is find for a component whose values lie in chunks; nil for others.
//
// Why does the component and not the archetype know the offset, and the records
// too? Then a value is found with one load after the entity's record, by type
// and by number alike. What is dead has no table, and table 0 has no columns.
func (c *component) peek(e Entity) unsafe.Pointer {
	if i := e & (slots.MaxSlots - 1); i < Entity(len(c.records)) {
		r := &c.records[i]
		if Entity(r.Life) == e>>slots.IndexBits && int(r.Table) < len(c.where) {
			if o := c.where[r.Table]; o > 0 {
				return unsafe.Add(c.base, rowOffset(r, o, c.size))
			}
		}
	}
	return nil
}

// rowOffset returns where in the arena a row's value lies: column is where the
// column lies in its chunk.
func rowOffset(r *slots.Record, column uint32, size uintptr) uintptr {
	return uintptr(r.Chunk)*arena.Unit + uintptr(column) + uintptr(r.Row)*size
}

// findAside looks in the component's pool.
func (c *component) findAside(e Entity) unsafe.Pointer {
	if c.pool == nil || !c.world.Alive(e) {
		return nil
	}
	return c.pool.find(e)
}

// pointer is Raw.Pointer.
func (s *store) pointer(e Entity, id ComponentID) unsafe.Pointer {
	if uint(id) >= uint(len(s.components)) {
		return nil
	}
	return s.components[id].find(e)
}

// has is Raw.Has.
func (s *store) has(e Entity, id ComponentID) bool { return s.pointer(e, id) != nil }

// stamp marks the component of a living entity that has it as changed.
func (s *store) stamp(e Entity, id ComponentID) {
	if p := s.components[id].pool; p != nil {
		p.stamp(e)
		return
	}
	if _, r := s.find(e); r != nil {
		s.chunks[r.Chunk].stamp(id)
	}
}

// componentsOf is Raw.Components.
func (s *store) componentsOf(e Entity, ids []ComponentID) []ComponentID {
	for id := range s.components {
		if s.has(e, ComponentID(id)) {
			ids = append(ids, ComponentID(id))
		}
	}
	return ids
}

// touch is Raw.Touch.
func (s *store) touch(e Entity, id ComponentID) {
	if s.has(e, id) {
		s.stamp(e, id)
	}
}

// Get returns a copy of e's value. It panics for the zero Component.
func (c Component[T]) Get(e Entity) (v T, ok bool) {
	if c.info == nil {
		panic(fmt.Errorf("ecs: %w", c.zeroError()))
	}
	if p := c.info.find(e); p != nil {
		return *(*T)(p), true
	}
	return v, false
}

// Peek returns the place of e's value, to be read until the next structural
// change; nil when e is dead or lacks the component, and for any e when the
// component lives in a pool or a storage of its own: Get finds those. It is for
// loops that follow many handles: Go inlines it, which makes it about twice as
// fast as Get. Of all methods it alone does not know the zero Component, for which it is a
// nil dereference: one more comparison is past what Go inlines.
//
// Why is peek written out here? A call of it, inlined too, is past what Go
// inlines into the caller's loop.
func (c Component[T]) Peek(e Entity) (p *T) {
	if i := e & (slots.MaxSlots - 1); i < Entity(len(c.info.records)) {
		r := &c.info.records[i]
		if Entity(r.Life) == e>>slots.IndexBits && int(r.Table) < len(c.info.where) {
			if o := c.info.where[r.Table]; o > 0 {
				p = (*T)(unsafe.Add(c.info.base, uintptr(r.Chunk)*arena.Unit+uintptr(o)+uintptr(r.Row)*unsafe.Sizeof(*p)))
			}
		}
	}
	return
}

// Edit returns the place of e's value, to be read and written until the next
// structural change, and stamps it as changed; nil when e has none. It panics for the zero
// Component.
func (c Component[T]) Edit(e Entity) *T {
	if c.info == nil {
		panic(fmt.Errorf("ecs: %w", c.zeroError()))
	}
	return (*T)(c.info.world.edit(e, c.info.id))
}

// Has reports whether e is alive and has the component. It panics for the zero Component.
func (c Component[T]) Has(e Entity) bool {
	if c.info == nil {
		panic(fmt.Errorf("ecs: %w", c.zeroError()))
	}
	return c.info.find(e) != nil
}

// Set gives e the value, adding the component if e lacks it.
//
// Why is With written out here? What it returns is copied into the slice that Add
// gets, and the copy waits until the value has left the processor for the cache.
func (c Component[T]) Set(e Entity, v T) error {
	if c.info == nil {
		return c.zeroError()
	}
	if unsafe.Sizeof(v) > unsafe.Sizeof(Value{}.buf) || c.info.heap {
		return c.info.world.Add(e, boxed(c.info, v))
	}
	one := [1]Value{{of: c.info}}
	*(*T)(unsafe.Pointer(&one[0].buf)) = v
	return c.info.world.Add(e, one[:]...)
}

// Remove takes the component from e; an entity without it stays as it is.
func (c Component[T]) Remove(e Entity) error {
	if c.info == nil {
		return c.zeroError()
	}
	one := [1]ComponentID{c.info.id}
	return c.info.world.remove(e, one[:])
}

// givesComponent reports whether one of the values is of a component.
func givesComponent(values []Value, id ComponentID) bool {
	for i := range values {
		if values[i].of.id == id {
			return true
		}
	}
	return false
}

// lists lends lists of values or entities to work with; several when changes or walks are
// nested.
type lists[T any] struct{ free [][]T }

// take returns an empty list; give returns it.
func (l *lists[T]) take() []T {
	n := len(l.free) - 1
	if n < 0 {
		return nil
	}
	list := l.free[n]
	l.free = l.free[:n]
	return list
}

// give takes a list back. What values point to is not the world's to keep.
func (l *lists[T]) give(list []T) {
	clear(list)
	l.free = append(l.free, list[:0])
}
