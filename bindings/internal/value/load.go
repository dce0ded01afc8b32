package value

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// EntityType is the Go type of handles.
var EntityType = reflect.TypeFor[ecs.Entity]()

// ToEntity turns a number into a handle, or says why it cannot be one.
func ToEntity(n float64) (ecs.Entity, string) {
	switch {
	case n != n:
		return 0, "NaN is not an entity"
	case n < 0:
		return 0, fmt.Sprintf("the negative number %v is not an entity", n)
	case n != math.Trunc(n):
		return 0, fmt.Sprintf("the fractional number %v is not an entity", n)
	case n >= 1<<52:
		return 0, fmt.Sprintf("the number %v is too large for an entity", n)
	}
	return ecs.Entity(n), ""
}

// Load reads a field of the struct at p as a Lua value: numbers, booleans,
// strings for enums and Go strings, tables for arrays and nested structs.
func Load(L *lua.LState, f *ecs.Field, p unsafe.Pointer) lua.LValue {
	return lua.FromValue(Read(L, f, p))
}

// LoadOne is Load for one element of an array, which is at p, or for a field that is not an
// array.
func LoadOne(L *lua.LState, f *ecs.Field, p unsafe.Pointer) lua.LValue {
	return lua.FromValue(readOne(L, f, p))
}

// Read is Load for a value that is passed on.
func Read(L *lua.LState, f *ecs.Field, p unsafe.Pointer) lua.Value {
	p = unsafe.Add(p, f.Offset)
	if f.Len == 0 {
		return readOne(L, f, p)
	}
	ChargeItems(L, f)
	t := L.CreateTable(f.Len, 0)
	if packs(f) {
		if items := lua.Fill(t, f.Len); items != nil {
			pack(items, f, p)
			return lua.OfTable(t)
		}
	}
	for i := range f.Len {
		lua.SetItem(t, i+1, readOne(L, f, unsafe.Add(p, uintptr(i)*f.Stride)))
	}
	return lua.OfTable(t)
}

// ChargeItems charges that an array is read as a whole, whatever is read of it.
func ChargeItems(L *lua.LState, f *ecs.Field) {
	if f.Len > SmallArray {
		Charge(L, f.Len*StepsPerItem)
	}
}

// Deferrable reports whether a field is a long array of numbers: its list can be filled when it
// is needed.
func Deferrable(f *ecs.Field) bool { return f.Len > SmallArray && packs(f) }

// DeferredField returns what reports whether a field of a schema is such an array.
func DeferredField(s *ecs.Schema) func(name string) bool {
	return func(name string) bool {
		f := s.Field(name)
		return f != nil && Deferrable(f)
	}
}

// Elements is a deferrable field as the source of a list. The place is that of the struct.
type Elements ecs.Field

// Item implements [lua.ItemSource].
func (f *Elements) Item(p unsafe.Pointer, i int) uint64 {
	return packOne((*ecs.Field)(f), unsafe.Add(p, f.Offset+uintptr(i)*f.Stride))
}

// Items implements [lua.ItemSource].
func (f *Elements) Items(items []uint64, p unsafe.Pointer) {
	pack(items, (*ecs.Field)(f), unsafe.Add(p, f.Offset))
}

// ReadLater is Read of a deferrable field whose list escapes from nobody.
func ReadLater(L *lua.LState, f *ecs.Field, p unsafe.Pointer) lua.Value {
	ChargeItems(L, f)
	return lua.Defer(L, (*Elements)(f), p, f.Len)
}

// packs reports whether the elements of an array are numbers for scripts.
func packs(f *ecs.Field) bool {
	return f.Kind < ecs.Struct && f.Kind != ecs.Bool && f.Kind != ecs.Enum && f.Kind != ecs.String
}

// pack reads the elements of an array of numbers as packed items.
func pack(items []uint64, f *ecs.Field, p unsafe.Pointer) {
	for i := range items {
		items[i] = packOne(f, unsafe.Add(p, uintptr(i)*f.Stride))
	}
}

// packOne reads one of them, which is at p.
func packOne(f *ecs.Field, p unsafe.Pointer) uint64 {
	if f.Kind == ecs.F64 {
		return lua.Pack(*(*float64)(p))
	}
	return lua.Pack(f.Kind.Load(p))
}

// packed reports whether packed items are those of an array of numbers, bit by bit.
func packed(items []uint64, f *ecs.Field, p unsafe.Pointer) bool {
	for i := range items {
		if items[i] != packOne(f, unsafe.Add(p, uintptr(i)*f.Stride)) {
			return false
		}
	}
	return true
}

// readOne is LoadOne for a value that is passed on.
func readOne(L *lua.LState, f *ecs.Field, p unsafe.Pointer) lua.Value {
	switch f.Kind {
	case ecs.Bool:
		return lua.Bool(*(*bool)(p))
	case ecs.Enum:
		if i := int(*(*uint8)(p)); i < len(f.Names) {
			return lua.ToValue(Word(f, i))
		}
		return lua.Number(float64(*(*uint8)(p)))
	case ecs.String:
		return lua.Text(*(*string)(p))
	case ecs.Struct:
		t := L.CreateTable(0, len(f.Fields))
		for i := range f.Fields {
			t.RawSetString(f.Fields[i].Name, Load(L, &f.Fields[i], p))
		}
		return lua.OfTable(t)
	case ecs.Opaque:
		return lua.Nil
	}
	return lua.Number(f.Kind.Load(p))
}

// Copier makes tables of the structs of one schema: a key for each field. The zero Copier is
// ready, for any schema; the words of enums that it has made are used again.
type Copier struct {
	schema *ecs.Schema
	keys   *lua.Keys
	words  [][]lua.Value // by field, and by number
	defers bool          // there are fields that are deferrable

	found *ecs.Field // which was asked for last
}

// Find returns the field of a name, nil for none. A script asks for the same one again.
func (c *Copier) Find(L *lua.LState, s *ecs.Schema, name string) *ecs.Field {
	if c.schema != s {
		c.prepare(L, s)
	}
	if c.found != nil && c.found.Name == name {
		return c.found
	}
	f := s.Field(name)
	if f != nil {
		c.found = f
	}
	return f
}

// Defers reports whether there are fields that are [Deferrable].
func (c *Copier) Defers(L *lua.LState, s *ecs.Schema) bool {
	if c.schema != s {
		c.prepare(L, s)
	}
	return c.defers
}

// Table returns a copy of the struct at p. Where later is set, lists are filled when they are
// needed: see [lua.Defer].
func (c *Copier) Table(L *lua.LState, s *ecs.Schema, p unsafe.Pointer, later bool) *lua.LTable {
	if c.schema != s {
		c.prepare(L, s)
	}
	t, values := c.keys.Begin()
	if t == nil {
		t = c.keys.New(L)
	}
	for i := range s.Fields {
		var v lua.Value
		switch f := &s.Fields[i]; {
		case f.Kind == ecs.F64 && f.Len == 0:
			v = lua.Number(*(*float64)(unsafe.Add(p, f.Offset)))
		case later && Deferrable(f):
			v = ReadLater(L, f, p)
		default:
			v = c.field(L, i, p)
		}
		if values != nil {
			values[i] = v
		} else {
			c.keys.Set(t, i, v)
		}
	}
	return t
}

// Field returns one field of the struct at p.
func (c *Copier) Field(L *lua.LState, s *ecs.Schema, f *ecs.Field, p unsafe.Pointer) lua.Value {
	switch {
	case f.Kind == ecs.F64 && f.Len == 0:
		return lua.Number(*(*float64)(unsafe.Add(p, f.Offset)))
	case f.Kind != ecs.Enum || f.Len > 0:
		return Read(L, f, p)
	}
	if c.schema != s {
		c.prepare(L, s)
	}
	return c.field(L, slices.IndexFunc(s.Fields, func(x ecs.Field) bool { return x.Name == f.Name }), p)
}

func (c *Copier) field(L *lua.LState, i int, p unsafe.Pointer) lua.Value {
	f := &c.schema.Fields[i]
	if words := c.words[i]; words != nil {
		if n := int(*(*uint8)(unsafe.Add(p, f.Offset))); n < len(words) {
			return words[n]
		}
	}
	return Read(L, f, p)
}

func (c *Copier) prepare(L *lua.LState, s *ecs.Schema) {
	*c = Copier{schema: s, keys: lua.NewKeys(L, FieldNames(s)), words: make([][]lua.Value, len(s.Fields))}
	c.defers = slices.ContainsFunc(s.Fields, func(f ecs.Field) bool { return Deferrable(&f) })
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Kind == ecs.Enum && f.Len == 0 {
			for k := range f.Names {
				c.words[i] = append(c.words[i], lua.ToValue(Word(f, k)))
			}
		}
	}
}

// Named are the fields that tables of one shape name. The zero Named is ready, for any schema: a
// script mostly writes the same keys in the same order at each place.
//
// Invariant: fields[i] is the field of schema with the name of the ith key of shape.
type Named struct {
	schema *ecs.Schema
	shape  *lua.Shape
	fields []*ecs.Field
}

// Fields returns the fields that the keys of a shape name, in their order; false where a key
// names none.
func (n *Named) Fields(s *ecs.Schema, shape *lua.Shape) ([]*ecs.Field, bool) {
	if n.schema == s && n.shape == shape {
		return n.fields, true
	}
	n.schema, n.shape, n.fields = s, nil, n.fields[:0]
	for _, key := range shape.Texts {
		f := s.Field(key)
		if f == nil {
			return nil, false
		}
		n.fields = append(n.fields, f)
	}
	n.shape = shape
	return n.fields, true
}

// Word returns a name of an enum as a Lua text. An interface that holds one is a type
// word and a pointer to a string; the names of a field never change.
func Word(f *ecs.Field, i int) lua.LValue {
	v := lua.LValue(lua.LString(""))
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] = unsafe.Pointer(&f.Names[i])
	return v
}
