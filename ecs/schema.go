package ecs

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"
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
	Ref    // an Entity
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
	return fmt.Errorf("%w: %s takes a whole number from %.0f to %.0f, got %v", ErrRange, k, info.min, info.max, v)
}

// Field is one field of a component, an event or a nested struct.
type Field struct {
	Name   string   // as scripts see it: snake_case
	Kind   Kind     // of one element
	Offset uintptr  // from the start of the struct that holds it
	Len    int      // 0: a single value; n: a fixed array of n
	Stride uintptr  // bytes from one array element to the next
	Names  []string // for Enum
	Fields []Field  // for Struct
}

// maxSize bounds what is defined at run time, in bytes: 16 rows share a chunk.
const maxSize = 1 << 20

// Schema describes a component or an event. World.Define lays it out, as Go lays
// out a struct of these fields: Size, Align, Offset and Stride are its to fill
// in. It keeps a copy.
type Schema struct {
	Name    string
	Fields  []Field
	Size    uintptr
	Align   uintptr
	Default []byte // the value a script gets when it names none; nil: zero bytes
	Version int    // declared by scripts, for migration
}

// Field returns the field of that name, or nil.
func (s *Schema) Field(name string) *Field {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i]
		}
	}
	return nil
}

// Same reports whether two schemas describe the same bytes under the same names.
func (s *Schema) Same(o *Schema) bool {
	return s.Name == o.Name && s.Size == o.Size && sameFields(s.Fields, o.Fields)
}

func sameFields(a, b []Field) bool {
	return slices.EqualFunc(a, b, func(x, y Field) bool {
		return x.Name == y.Name && x.Kind == y.Kind && x.Offset == y.Offset && x.Len == y.Len &&
			slices.Equal(x.Names, y.Names) && sameFields(x.Fields, y.Fields)
	})
}

// Layout gives every field its place, in order, each at its natural alignment,
// and fills in Size and Align. Define does it too; call it to know the places
// before. The error wraps ErrConflict or ErrRange.
func (s *Schema) Layout() error {
	if err := checkFields(s.Name, s.Fields); err != nil {
		return err
	}
	s.Fields, s.Default = cloneFields(s.Fields), slices.Clone(s.Default)
	size, align := arrange(s.Fields)
	if size > maxSize {
		return fmt.Errorf("%w: %q would have more than %d bytes", ErrRange, s.Name, maxSize)
	}
	s.Size, s.Align = size, align
	if s.Default != nil && uintptr(len(s.Default)) != s.Size {
		return fmt.Errorf("%w: default of %q has %d bytes, the type has %d", ErrConflict, s.Name, len(s.Default), s.Size)
	}
	return nil
}

func checkFields(owner string, fields []Field) error {
	seen := map[string]bool{}
	for _, f := range fields {
		switch {
		case f.Name == "" || seen[f.Name]:
			return fmt.Errorf("%w: field %q of %q is empty or given twice", ErrConflict, f.Name, owner)
		case f.Kind == 0 || f.Kind >= String:
			return fmt.Errorf("%w: field %q of %q cannot be a %s here", ErrConflict, f.Name, owner, f.Kind)
		case f.Len < 0 || f.Len > 4096:
			return fmt.Errorf("%w: field %q of %q has %d elements, 0 to 4096 are possible", ErrRange, f.Name, owner, f.Len)
		}
		seen[f.Name] = true
		if err := checkFields(owner+"."+f.Name, f.Fields); err != nil {
			return err
		}
	}
	return nil
}

func cloneFields(fields []Field) []Field {
	fields = slices.Clone(fields)
	for i := range fields {
		fields[i].Names = slices.Clone(fields[i].Names)
		fields[i].Fields = cloneFields(fields[i].Fields)
	}
	return fields
}

// arrange places the fields and returns what they need. A size above maxSize
// only says that it is: nested arrays could ask for more than a number can tell.
func arrange(fields []Field) (size, align uintptr) {
	align = 1
	for i := range fields {
		f := &fields[i]
		n, a := f.Kind.Size(), f.Kind.Size()
		if f.Kind == Struct {
			n, a = arrange(f.Fields)
		}
		a = max(a, 1)
		size = (size + a - 1) &^ (a - 1)
		f.Offset, f.Stride = size, n
		size = min(size+min(n*uintptr(max(f.Len, 1)), 2*maxSize), 2*maxSize)
		align = max(align, a)
	}
	return (size + align - 1) &^ (align - 1), align
}

// schemaOf reads a Go type once. Fields that are not exported are left out, and
// so is a field tagged `ecs:"-"`; `ecs:"name"` renames, and on a uint8 field
// `ecs:"name,enum=idle|walk"` names its values.
func schemaOf(name string, t reflect.Type) *Schema {
	s := &Schema{Name: name, Size: t.Size(), Align: uintptr(t.Align())}
	if t.Kind() == reflect.Struct {
		s.Fields = structFields(t)
	} else {
		f := fieldOf("value", t, 0)
		s.Fields = []Field{f}
	}
	return s
}

func structFields(t reflect.Type) []Field {
	var fields []Field
	for i := range t.NumField() {
		sf := t.Field(i)
		name, names, ok := readTag(sf)
		if !ok {
			continue
		}
		f := fieldOf(name, sf.Type, sf.Offset)
		if len(names) > 0 && f.Kind == U8 {
			f.Kind, f.Names = Enum, names
		}
		fields = append(fields, f)
	}
	return fields
}

func readTag(sf reflect.StructField) (name string, names []string, ok bool) {
	tag := sf.Tag.Get("ecs")
	if !sf.IsExported() || tag == "-" {
		return "", nil, false
	}
	name, option, _ := strings.Cut(tag, ",")
	if list, found := strings.CutPrefix(option, "enum="); found {
		names = strings.Split(list, "|")
	}
	if name == "" {
		name = snake(sf.Name)
	}
	return name, names, true
}

var goKinds = map[reflect.Kind]Kind{
	reflect.Bool: Bool, reflect.Int8: I8, reflect.Int16: I16, reflect.Int32: I32, reflect.Int64: I64, reflect.Int: I64,
	reflect.Uint8: U8, reflect.Uint16: U16, reflect.Uint32: U32, reflect.Uint64: U64, reflect.Uint: U64,
	reflect.Float32: F32, reflect.Float64: F64, reflect.String: String,
}

func fieldOf(name string, t reflect.Type, offset uintptr) Field {
	f := Field{Name: name, Offset: offset, Stride: t.Size()}
	if t.Kind() == reflect.Array && t.Len() > 0 && t.Elem().Kind() != reflect.Array {
		f.Len, t = t.Len(), t.Elem()
		f.Stride = t.Size()
	}
	switch {
	case t.Kind() == reflect.Array:
		f.Kind = Opaque // of no elements, or of arrays
	case t == reflect.TypeFor[Entity]():
		f.Kind = Ref
	case t.Kind() == reflect.Struct:
		f.Kind, f.Fields = Struct, structFields(t)
	case goKinds[t.Kind()] != 0 && (t.Kind() != reflect.Int && t.Kind() != reflect.Uint || t.Size() == 8):
		f.Kind = goKinds[t.Kind()]
	case t.Kind() == reflect.Int || t.Kind() == reflect.Uint:
		f.Kind = goKinds[t.Kind()] - 1 // 32-bit platforms
	default:
		f.Kind = Opaque
	}
	return f
}

// snake turns MaxHP into max_hp.
func snake(s string) string {
	var b strings.Builder
	rs := []rune(s)
	for i, r := range rs {
		if unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
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

// hasPointers reports whether values of t hold anything the collector follows.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() > reflect.Complex128
}
