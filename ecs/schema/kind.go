package schema

import (
	"fmt"
	"math"
	"strings"
	"unsafe"
)

// Kind says what a field holds.
type Kind uint8

// The kinds of fields. Struct fields have Fields of their own; String and
// Opaque occur only in components with Go pointers.
const (
	Bool Kind = iota + 1
	I8
	I16
	I32
	I64
	U8
	U16
	U32
	U64
	F32
	F64
	Ref    // a handle: ecs.Entity
	Enum   // one byte: an index into Field.Names
	Struct // a nested struct
	String // a Go string
	Opaque // anything else: scripts and tools cannot read it
)

var kindInfo = [...]struct {
	name     string
	size     uintptr
	min, max float64
}{
	Bool: {"bool", 1, 0, 1},
	I8:   {"i8", 1, math.MinInt8, math.MaxInt8}, I16: {"i16", 2, math.MinInt16, math.MaxInt16},
	I32: {"i32", 4, math.MinInt32, math.MaxInt32}, I64: {"i64", 8, -1 << 53, 1 << 53},
	U8: {"u8", 1, 0, math.MaxUint8}, U16: {"u16", 2, 0, math.MaxUint16},
	U32: {"u32", 4, 0, math.MaxUint32}, U64: {"u64", 8, 0, 1 << 53},
	F32: {"f32", 4, 0, 0}, F64: {"f64", 8, 0, 0},
	Ref: {"entity", 8, 0, 1<<52 - 1}, Enum: {"enum", 1, 0, math.MaxUint8},
	Struct: {"struct", 0, 0, 0}, String: {"string", 0, 0, 0}, Opaque: {"opaque", 0, 0, 0},
}

// String returns the name scripts use: "f32", "bool", "entity".
func (k Kind) String() string {
	if int(k) < len(kindInfo) && kindInfo[k].name != "" {
		return kindInfo[k].name
	}
	return fmt.Sprintf("kind %d", k)
}

// Size returns the bytes of one value, 0 for Struct, String and Opaque.
func (k Kind) Size() uintptr {
	if int(k) < len(kindInfo) {
		return kindInfo[k].size
	}
	return 0
}

// Integer reports whether the kind holds whole numbers only.
func (k Kind) Integer() bool { return k >= I8 && k <= U64 }

// Fit checks a number from a script against the kind: integer fields take whole
// numbers within their range (64-bit ones within ±2⁵³, where a float64 is
// exact), entities and enums those that a handle and a byte can be, bools 0 and
// 1; float fields take anything. This is the one rule for every path a number
// can come by. The error wraps ErrRange.
func (k Kind) Fit(v float64) error {
	if k == F32 || k == F64 || k.Size() == 0 {
		return nil
	}
	info := &kindInfo[k]
	if v >= info.min && v <= info.max && v == math.Trunc(v) {
		return nil
	}
	got := strings.ToLower(strings.TrimPrefix(fmt.Sprint(v), "+")) // inf and nan, as scripts know them
	return fmt.Errorf("%w: %s takes a whole number from %.0f to %.0f, got %s", ErrRange, k, info.min, info.max, got)
}

// Range returns the lowest and the highest number that Fit accepts of a kind that
// takes whole numbers, bools and enums included; 0, 0 for others.
func (k Kind) Range() (low, high float64) {
	if int(k) < len(kindInfo) {
		return kindInfo[k].min, kindInfo[k].max
	}
	return 0, 0
}

// Load reads a number field at p, the address of its element; Bool gives 0 or
// 1. Struct, String and Opaque give 0.
func (k Kind) Load(p unsafe.Pointer) float64 {
	switch k {
	case Bool, U8, Enum:
		return float64(*(*uint8)(p))
	case I8:
		return float64(*(*int8)(p))
	case I16:
		return float64(*(*int16)(p))
	case I32:
		return float64(*(*int32)(p))
	case I64:
		return float64(*(*int64)(p))
	case U16:
		return float64(*(*uint16)(p))
	case U32:
		return float64(*(*uint32)(p))
	case U64, Ref:
		return float64(*(*uint64)(p))
	case F32:
		return float64(*(*float32)(p))
	case F64:
		return *(*float64)(p)
	}
	return 0
}

// Store writes a number that Fit accepts at p. An f32 field rounds once.
func (k Kind) Store(p unsafe.Pointer, v float64) {
	switch k {
	case Bool, U8, Enum:
		*(*uint8)(p) = uint8(v)
	case I8:
		*(*int8)(p) = int8(v)
	case I16:
		*(*int16)(p) = int16(v)
	case I32:
		*(*int32)(p) = int32(v)
	case I64:
		*(*int64)(p) = int64(v)
	case U16:
		*(*uint16)(p) = uint16(v)
	case U32:
		*(*uint32)(p) = uint32(v)
	case U64, Ref:
		*(*uint64)(p) = uint64(v)
	case F32:
		*(*float32)(p) = float32(v)
	case F64:
		*(*float64)(p) = v
	}
}
