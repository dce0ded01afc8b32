package ecs

import (
	"reflect"
	"unsafe"
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
// bytes are kept inside; others are copied to the heap.
//
// Why is the copy in a function of its own? With is inlined into the caller so,
// and the value is written where Spawn reads it.
func (c Component[T]) With(v T) Value {
	if unsafe.Sizeof(v) > unsafe.Sizeof(Value{}.buf) || c.info.heap {
		return boxed(c.info, v)
	}
	val := Value{of: c.info}
	*(*T)(unsafe.Pointer(&val.buf)) = v
	return val
}

// boxed makes a Value whose data is on the heap, where the collector sees it.
func boxed[T any](c *component, v T) Value {
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
func (w *World) valueAt(id ComponentID, p unsafe.Pointer) Value {
	c, err := w.componentByID(id)
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

// defaultData returns the component's default, which nobody writes to.
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
func (v Value) ID() ComponentID { return v.of.id }

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
	for _, outer := range within {
		if outer == t {
			return false // a type that holds slices of itself
		}
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

func (r *refs) elements(v reflect.Value) {
	for i := range v.Len() {
		r.typed(v.Index(i))
	}
}
