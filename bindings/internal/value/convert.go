package value

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// Conversion says how values of one schema become values of another: field by
// field, by name. A field of the same kind is copied, a number goes into a kind
// that holds every number of the old one, a word of an enum into an enum that has
// the word, an array into one that is as long or longer. New fields get their
// defaults. Whatever cannot be kept so is lost.
type Conversion struct {
	Old, Now *ecs.Schema
	kept     []keptField
	added    []*ecs.Field
	Lost     []string // names of old fields
}

// keptField is a field whose values are kept, before and after.
type keptField struct{ from, to *ecs.Field }

// NewConversion works out the conversion from one schema to another.
func NewConversion(old, now *ecs.Schema) *Conversion {
	c := &Conversion{Old: old, Now: now}
	for i := range now.Fields {
		to := &now.Fields[i]
		if from := old.Field(to.Name); from == nil {
			c.added = append(c.added, to)
		} else if fits(from, to) {
			c.kept = append(c.kept, keptField{from, to})
		} else {
			c.Lost = append(c.Lost, from.Name)
		}
	}
	for i := range old.Fields {
		if now.Field(old.Fields[i].Name) == nil {
			c.Lost = append(c.Lost, old.Fields[i].Name)
		}
	}
	return c
}

// fits reports whether every value of a field can be kept in another.
func fits(from, to *ecs.Field) bool {
	if (from.Len == 0) != (to.Len == 0) || from.Len > to.Len {
		return false
	}
	switch {
	case from.Kind == ecs.Enum && to.Kind == ecs.Enum:
		return !slices.ContainsFunc(from.Names, func(name string) bool { return !slices.Contains(to.Names, name) })
	case from.Kind == to.Kind:
		return from.Kind < ecs.Enum
	}
	return slices.Contains(wider(from.Kind), to.Kind)
}

// wider lists the kinds that hold every number of a kind.
func wider(k ecs.Kind) []ecs.Kind {
	switch k {
	case ecs.I8:
		return []ecs.Kind{ecs.I16, ecs.I32, ecs.I64, ecs.F32, ecs.F64}
	case ecs.I16:
		return []ecs.Kind{ecs.I32, ecs.I64, ecs.F32, ecs.F64}
	case ecs.I32:
		return []ecs.Kind{ecs.I64, ecs.F64}
	case ecs.U8:
		return []ecs.Kind{ecs.U16, ecs.U32, ecs.U64, ecs.I16, ecs.I32, ecs.I64, ecs.F32, ecs.F64}
	case ecs.U16:
		return []ecs.Kind{ecs.U32, ecs.U64, ecs.I32, ecs.I64, ecs.F32, ecs.F64}
	case ecs.U32:
		return []ecs.Kind{ecs.U64, ecs.I64, ecs.F64}
	case ecs.F32:
		return []ecs.Kind{ecs.F64}
	}
	return nil
}

// Apply writes what is kept of the value at from into the value at to, which
// holds the defaults.
func (c *Conversion) Apply(from, to unsafe.Pointer) {
	for _, k := range c.kept {
		for i := range max(k.from.Len, 1) {
			src := unsafe.Add(from, k.from.Offset+uintptr(i)*k.from.Stride)
			dst := unsafe.Add(to, k.to.Offset+uintptr(i)*k.to.Stride)
			switch {
			case k.from.Kind == ecs.Enum:
				if n := int(*(*uint8)(src)); n < len(k.from.Names) {
					*(*uint8)(dst) = uint8(slices.Index(k.to.Names, k.from.Names[n]))
				}
			case k.from.Kind == k.to.Kind:
				copy(BytesAt(dst, k.to.Stride), BytesAt(src, k.from.Stride))
			default:
				k.to.Kind.Store(dst, k.from.Kind.Load(src))
			}
		}
	}
}

// Story says what happens to how many values: "Health: 1,204 entities, new field
// shield = 0, field armor dropped".
func (c *Conversion) Story(L *lua.LState, count int, of [2]string, migrates bool, drop []string) string {
	parts := []string{fmt.Sprintf("%s: %s", c.Now.Name, diag.Count(count, of[0], of[1]))}
	if c.Old.Name != c.Now.Name {
		parts = append(parts, "renamed from "+c.Old.Name)
	}
	for _, f := range c.added {
		given := lua.LValue(lua.LNumber(0))
		if c.Now.Default != nil {
			given = Load(L, f, unsafe.Pointer(unsafe.SliceData(c.Now.Default)))
		} else if f.Len > 0 || f.Kind == ecs.Bool || f.Kind == ecs.Enum {
			given = lua.LNil
		}
		text := "new field " + f.Name
		if given.Type() != lua.LTNil && given.Type() != lua.LTTable {
			text += " = " + given.String()
		}
		parts = append(parts, text)
	}
	for _, k := range c.kept {
		if k.from.Kind != k.to.Kind {
			parts = append(parts, fmt.Sprintf("field %s %s", k.to.Name, change(k.from, k.to)))
		}
	}
	for _, name := range c.Lost {
		switch {
		case migrates && c.Now.Field(name) != nil:
			parts = append(parts, fmt.Sprintf("field %s %s", name, change(c.Old.Field(name), c.Now.Field(name))))
		case slices.Contains(drop, name):
			parts = append(parts, fmt.Sprintf("field %s dropped", name))
		case !migrates:
			parts = append(parts, fmt.Sprintf("field %s would be lost%s, or add migrate, or drop = { %q }", name, c.reason(name), name))
		}
	}
	if migrates {
		parts = append(parts, fmt.Sprintf("migrated from version %d", c.Old.Version))
	}
	return strings.Join(parts, ", ")
}

// reason says why the values of a field cannot be kept, and what to do about it: it is
// gone, or it is there and cannot hold them all.
func (c *Conversion) reason(name string) string {
	from, to := c.Old.Field(name), c.Now.Field(name)
	switch {
	case to == nil:
		return ": keep it"
	case from.Len > to.Len && to.Len > 0:
		return fmt.Sprintf(", as its array has %d elements and would have %d: keep them", from.Len, to.Len)
	case from.Len != to.Len && from.Len*to.Len == 0:
		return fmt.Sprintf(", as it goes %s: keep what it was", change(from, to))
	case len(lostWords(from, to)) > 0:
		return fmt.Sprintf(", as it may hold %q, which is none of its words any more: keep that word", lostWords(from, to)[0])
	}
	return fmt.Sprintf(", as it goes %s, which cannot hold all of its values: keep the kind", change(from, to))
}

// lostWords lists the words of an enum that it does not have any more.
func lostWords(from, to *ecs.Field) []string {
	if from.Kind != ecs.Enum || to.Kind != ecs.Enum {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(from.Names), func(word string) bool { return slices.Contains(to.Names, word) })
}

// change says what a field becomes, in words.
func change(from, to *ecs.Field) string {
	if gone := lostWords(from, to); len(gone) > 0 && from.Len == to.Len {
		return fmt.Sprintf("without %q", gone)
	}
	return fmt.Sprintf("from %s to %s", fieldKind(from), fieldKind(to))
}

// fieldKind shows the kind of a field as scripts know it.
func fieldKind(f *ecs.Field) string {
	if f.Len > 0 {
		return fmt.Sprintf("an array of %d %s", f.Len, f.Kind)
	}
	return f.Kind.String()
}

// Loses names the fields that would be lost and may not be.
func (c *Conversion) Loses(drop []string) []string {
	return slices.DeleteFunc(slices.Clone(c.Lost), func(name string) bool { return slices.Contains(drop, name) })
}
