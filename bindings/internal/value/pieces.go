package value

import (
	"bytes"
	"math"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// Differing lists the pieces of memory in which two structs of the same fields differ. Strings
// are compared as texts: the same text may lie at different addresses.
func Differing(list []ecs.Piece, fields []ecs.Field, base uintptr, was, now unsafe.Pointer) []ecs.Piece {
	for i := range fields {
		f := &fields[i]
		for k := range max(f.Len, 1) {
			at := base + f.Offset + uintptr(k)*f.Stride
			a, b := unsafe.Add(was, at), unsafe.Add(now, at)
			switch f.Kind {
			case ecs.Struct:
				list = Differing(list, f.Fields, at, was, now)
			case ecs.String:
				if *(*string)(a) != *(*string)(b) {
					list = append(list, ecs.Piece{Offset: at, Size: f.Stride, Text: true})
				}
			case ecs.Opaque:
			default:
				if !bytes.Equal(BytesAt(a, f.Stride), BytesAt(b, f.Stride)) {
					list = append(list, ecs.Piece{Offset: at, Size: f.Stride})
				}
			}
		}
	}
	return list
}

// unchanged reports whether v says of a field of the struct at p what Load does.
func unchanged(f *ecs.Field, p unsafe.Pointer, v lua.LValue) bool {
	p = unsafe.Add(p, f.Offset)
	if f.Len == 0 {
		return sameOne(f, p, v)
	}
	t, ok := proxy.TableOf(v)
	if !ok {
		return false
	}
	if items, ok := lua.Packed(t); ok && packs(f) && len(items) == f.Len && packed(items, f, p) {
		return true
	}
	if astray(f, t) != nil {
		return false
	}
	for i := range f.Len {
		at, v := unsafe.Add(p, uintptr(i)*f.Stride), t.RawGetInt(i+1)
		if v == lua.LNil && !isEmpty(f, at) || v != lua.LNil && !sameOne(f, at, v) {
			return false
		}
	}
	return true
}

// sameOne is unchanged for one value.
func sameOne(f *ecs.Field, p unsafe.Pointer, v lua.LValue) bool {
	switch v := v.(type) {
	case lua.LNumber:
		if f.Kind == ecs.Enum {
			return int(*(*uint8)(p)) >= len(f.Names) && lua.LNumber(*(*uint8)(p)) == v
		}
		// Bits: 0 and -0 are equal, and NaN is not even equal to itself. After rounding,
		// which is what would be stored.
		if f.Kind == ecs.F32 && math.Float32bits(float32(v)) == *(*uint32)(p) {
			return true
		}
		if f.Kind == ecs.Bool || f.Kind >= ecs.Struct {
			return false
		}
		now := f.Kind.Load(p)
		return math.Float64bits(float64(v)) == math.Float64bits(now) ||
			float64(v) == now && f.Kind != ecs.F32 && f.Kind != ecs.F64 // -0 is stored as 0
	case lua.LBool:
		return f.Kind == ecs.Bool && *(*bool)(p) == bool(v)
	case lua.LString:
		if f.Kind == ecs.String {
			return *(*string)(p) == string(v)
		}
		return f.Kind == ecs.Enum && int(*(*uint8)(p)) < len(f.Names) && f.Names[*(*uint8)(p)] == string(v)
	case *lua.LNilType:
		return f.Kind == ecs.Opaque || f.Kind == ecs.Ref && *(*ecs.Entity)(p) == 0
	case *lua.LTable:
		return f.Kind == ecs.Struct && sameStruct(f, p, v)
	}
	return false
}

// sameStruct is unchanged for a struct within a struct: for the fields that the table names.
func sameStruct(f *ecs.Field, p unsafe.Pointer, t *lua.LTable) bool {
	nested, same := ecs.Schema{Fields: f.Fields}, true
	proxy.Pairs(t, func(k, v lua.LValue) {
		inner := nested.Field(fault.Written(k))
		same = same && inner != nil && unchanged(inner, p, v)
	})
	return same
}

// Pieces lists what a value of a field names: all of a number, of an array the
// elements that are there, of a nested struct the fields.
func Pieces(list []ecs.Piece, f *ecs.Field, base uintptr, v lua.LValue) []ecs.Piece {
	base += f.Offset
	if f.Len == 0 {
		return piecesOfOne(list, f, base, v)
	}
	t, _ := proxy.TableOf(v)
	for i := range elements(f, t) {
		list = piecesOfOne(list, f, base+uintptr(i)*f.Stride, t.RawGetInt(i+1))
	}
	return list
}

// OnePiece is Pieces for a field that is one value, and no struct.
func OnePiece(list []ecs.Piece, f *ecs.Field) []ecs.Piece { return piece(list, f, f.Offset) }

// piece adds a value of a field. Pieces without texts that lie beside each other become one:
// a command with one piece costs less than a command with several.
func piece(list []ecs.Piece, f *ecs.Field, base uintptr) []ecs.Piece {
	p := ecs.Piece{Offset: base, Size: f.Stride, Text: f.Kind == ecs.String}
	if n := len(list); n > 0 && !p.Text && !list[n-1].Text && list[n-1].Offset+list[n-1].Size == base {
		list[n-1].Size += p.Size // one piece with its neighbour
		return list
	}
	return append(list, p)
}

// piecesOfOne is Pieces for one element.
func piecesOfOne(list []ecs.Piece, f *ecs.Field, base uintptr, v lua.LValue) []ecs.Piece {
	if f.Kind != ecs.Struct {
		return piece(list, f, base)
	}
	t, _ := proxy.TableOf(v)
	for i := range f.Fields {
		if inner := t.RawGetString(f.Fields[i].Name); inner != lua.LNil {
			list = Pieces(list, &f.Fields[i], base, inner)
		}
	}
	return list
}
