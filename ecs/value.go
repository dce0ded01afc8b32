package ecs

import (
	"reflect"
	"unsafe"
)

// Value is a component with its data, ready to be given to Spawn or Add. The
// zero Value is of no component: who is given it answers ErrConflict.
type Value struct {
	of  *component
	ptr unsafe.Pointer // the data, unless it fits in buf
	buf [4]uint64
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
	return Value{of: c, ptr: unsafe.Pointer(p)}
}

// ValueAt pairs a component defined at run time with the data at p, which must
// stay as it is until the value was used. A nil p means the default. For a number
// that nothing is registered under it is the zero Value.
func (w *World) ValueAt(id ComponentID, p unsafe.Pointer) Value {
	c, err := w.numbered(id)
	if err != nil {
		return Value{}
	}
	if p == nil {
		p = c.defaultData()
	}
	return Value{of: c, ptr: p}
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

// taken returns a Value of what lies at p, a place in the component's storage, to
// be given to other entities when that place may move meanwhile: rows of a chunk
// do when their archetype gets a longer one, rows of a pool when it is in a group.
func (c *component) taken(p unsafe.Pointer) Value {
	v := Value{of: c}
	switch {
	case c.heap:
		own := c.pool.(heapStored)
		v.ptr = own.address(own.clone(p))
	case c.size <= unsafe.Sizeof(v.buf):
		copyBytes(unsafe.Pointer(&v.buf), p, c.size)
	default:
		v.ptr = unsafe.Pointer(unsafe.SliceData(make([]uint64, (c.size+7)/8)))
		copyBytes(v.ptr, p, c.size)
	}
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

// ID returns the component that the value is of.
func (v Value) ID() ComponentID { return v.of.id }
