package value

import (
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// Differs reports whether v says anything else than what the field of the struct at p holds
// and, if so, why the field cannot hold it. Whoever stores what a script may have left
// alone asks first: a value that is not exact in Lua stays as it is, and nothing is kept for
// the undo, nor stamped, for what does not change.
func Differs(L *lua.LState, f *ecs.Field, p unsafe.Pointer, v lua.LValue) (differs bool, why string) {
	if unchanged(f, p, v) {
		return false, ""
	}
	return true, CannotHold(L, f, v)
}

// Store writes a Lua value that CannotHold has accepted into the field of the
// struct at p. Nested fields that the value leaves out stay, elements become 0.
func Store(f *ecs.Field, p unsafe.Pointer, v lua.LValue) {
	p = unsafe.Add(p, f.Offset)
	if f.Len == 0 {
		StoreOne(f, p, v)
		return
	}
	t, _ := proxy.TableOf(v)
	for i := range f.Len {
		at := unsafe.Add(p, uintptr(i)*f.Stride)
		if v := t.RawGetInt(i + 1); v != lua.LNil {
			StoreOne(f, at, v)
		} else {
			empty(f, at)
		}
	}
}

// StoreOne is Store for one element of an array, which is at p, or for a field that is not
// an array.
func StoreOne(f *ecs.Field, p unsafe.Pointer, v lua.LValue) {
	switch v := v.(type) {
	case lua.LNumber:
		f.Kind.Store(p, float64(v))
	case lua.LBool:
		*(*bool)(p) = bool(v)
	case lua.LString:
		if f.Kind == ecs.String {
			*(*string)(p) = string(v)
		} else {
			*(*uint8)(p) = uint8(slices.Index(f.Names, string(v)))
		}
	case *lua.LNilType:
		*(*ecs.Entity)(p) = 0 // only entity fields accept nil
	case *lua.LTable:
		v = proxy.Unwrap(v)
		for i := range f.Fields {
			if inner := v.RawGetString(f.Fields[i].Name); inner != lua.LNil {
				Store(&f.Fields[i], p, inner)
			}
		}
	}
}

// Put stores a number in a field of the struct at p that holds one number, if it can hold
// this one. It reports whether it has: what else fields hold is for Store.
func Put(f *ecs.Field, p unsafe.Pointer, v lua.Value) bool {
	x, ok := lua.AsNumber(v)
	if ok && f.Kind == ecs.F64 && f.Len == 0 {
		*(*float64)(unsafe.Add(p, f.Offset)) = x
		return true
	}
	if !ok || f.Len > 0 || f.Kind < ecs.I8 || f.Kind > ecs.Ref || f.Kind.Fit(x) != nil {
		return false
	}
	f.Kind.Store(unsafe.Add(p, f.Offset), x)
	return true
}

// PointerTo returns the address of a buffer.
func PointerTo(data []uint64) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(data)) }

// BytesAt views n bytes of pointer-free memory.
func BytesAt(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }

// NewGo returns a new value of a host's type, with the schema's default.
func NewGo(t reflect.Type, s *ecs.Schema) unsafe.Pointer {
	p := reflect.New(t).UnsafePointer()
	copy(BytesAt(p, s.Size), s.Default)
	return p
}

// isEmpty reports whether a place of a kind holds what an element that a list lacks is.
func isEmpty(f *ecs.Field, p unsafe.Pointer) bool {
	switch f.Kind {
	case ecs.Opaque:
		return true
	case ecs.String:
		return *(*string)(p) == ""
	case ecs.Struct:
		return !slices.ContainsFunc(f.Fields, func(inner ecs.Field) bool {
			for i := range max(inner.Len, 1) {
				if !isEmpty(&inner, unsafe.Add(p, inner.Offset+uintptr(i)*inner.Stride)) {
					return true
				}
			}
			return false
		})
	}
	return !slices.ContainsFunc(BytesAt(p, f.Stride), func(b byte) bool { return b != 0 })
}

// empty makes it so.
func empty(f *ecs.Field, p unsafe.Pointer) {
	switch f.Kind {
	case ecs.Opaque:
	case ecs.String:
		*(*string)(p) = ""
	case ecs.Struct:
		for k := range f.Fields {
			inner := &f.Fields[k]
			for i := range max(inner.Len, 1) {
				empty(inner, unsafe.Add(p, inner.Offset+uintptr(i)*inner.Stride))
			}
		}
	default:
		clear(BytesAt(p, f.Stride))
	}
}

// PutFields stores the numbers of fields.
func PutFields(fields []ecs.Field, data unsafe.Pointer, values []uint64) {
	for i := range fields {
		f, v := &fields[i], math.Float64frombits(values[i])
		at := unsafe.Add(data, f.Offset)
		switch f.Kind {
		case ecs.Bool:
			*(*bool)(at) = v != 0
		case ecs.Enum:
			*(*uint8)(at) = uint8(v)
		default:
			f.Kind.Store(at, v)
		}
	}
}
