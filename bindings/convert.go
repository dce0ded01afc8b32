package bindings

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// conversion says how values of one schema become values of another: field by
// field, by name. A field of the same kind is copied, a number goes into a kind
// that holds every number of the old one, a word of an enum into an enum that has
// the word, an array into one that is as long or longer. New fields get their
// defaults. Whatever cannot be kept so is lost.
type conversion struct {
	old, now *ecs.Schema
	kept     []keptField
	added    []*ecs.Field
	lost     []string // names of old fields
}

type keptField struct{ from, to *ecs.Field }

func newConversion(old, now *ecs.Schema) *conversion {
	c := &conversion{old: old, now: now}
	for i := range now.Fields {
		to := &now.Fields[i]
		if from := old.Field(to.Name); from == nil {
			c.added = append(c.added, to)
		} else if fits(from, to) {
			c.kept = append(c.kept, keptField{from, to})
		} else {
			c.lost = append(c.lost, from.Name)
		}
	}
	for i := range old.Fields {
		if now.Field(old.Fields[i].Name) == nil {
			c.lost = append(c.lost, old.Fields[i].Name)
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

// apply writes what is kept of the value at from into the value at to, which
// holds the defaults.
func (c *conversion) apply(from, to unsafe.Pointer) {
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
				copy(bytesAt(dst, k.to.Stride), bytesAt(src, k.from.Stride))
			default:
				k.to.Kind.Store(dst, k.from.Kind.Load(src))
			}
		}
	}
}

// story says what happens to how many values: "Health: 1,204 entities, new field
// shield = 0, field armor dropped".
func (c *conversion) story(L *lua.LState, count int, of string, migrates bool, drop []string) string {
	parts := []string{fmt.Sprintf("%s: %s %s", c.now.Name, diag.Grouped(int64(count)), of)}
	if c.old.Name != c.now.Name {
		parts = append(parts, "renamed from "+c.old.Name)
	}
	for _, f := range c.added {
		value := lua.LValue(lua.LNumber(0))
		if c.now.Default != nil {
			value = load(L, f, unsafe.Pointer(unsafe.SliceData(c.now.Default)))
		} else if f.Len > 0 || f.Kind == ecs.Bool || f.Kind == ecs.Enum {
			value = lua.LNil
		}
		text := "new field " + f.Name
		if value.Type() != lua.LTNil && value.Type() != lua.LTTable {
			text += " = " + value.String()
		}
		parts = append(parts, text)
	}
	for _, k := range c.kept {
		if k.from.Kind != k.to.Kind {
			parts = append(parts, fmt.Sprintf("field %s from %s to %s", k.to.Name, k.from.Kind, k.to.Kind))
		}
	}
	for _, name := range c.lost {
		switch {
		case migrates && c.now.Field(name) != nil:
			parts = append(parts, fmt.Sprintf("field %s from %s to %s", name, c.old.Field(name).Kind, c.now.Field(name).Kind))
		case slices.Contains(drop, name):
			parts = append(parts, fmt.Sprintf("field %s dropped", name))
		case !migrates:
			parts = append(parts, fmt.Sprintf("field %s would be lost%s, or add migrate, or drop = { %q }", name, c.reason(name), name))
		}
	}
	if migrates {
		parts = append(parts, fmt.Sprintf("migrated from version %d", c.old.Version))
	}
	return strings.Join(parts, ", ")
}

// reason says why the values of a field cannot be kept, and what to do about it: it is
// gone, or it is there and cannot hold them all.
func (c *conversion) reason(name string) string {
	from, to := c.old.Field(name), c.now.Field(name)
	switch {
	case to == nil:
		return ": keep it"
	case from.Len > to.Len && to.Len > 0:
		return fmt.Sprintf(", as its array has %d elements and would have %d: keep them", from.Len, to.Len)
	case from.Len != to.Len && from.Len*to.Len == 0:
		return fmt.Sprintf(", as it goes from %s to %s: keep what it was", fieldKind(from), fieldKind(to))
	case from.Kind == ecs.Enum && to.Kind == ecs.Enum:
		gone := slices.DeleteFunc(slices.Clone(from.Names), func(word string) bool { return slices.Contains(to.Names, word) })
		return fmt.Sprintf(", as it may hold %q, which is none of its words any more: keep that word", gone[0])
	}
	return fmt.Sprintf(", as it goes from %s to %s, which cannot hold all of its values: keep the kind", fieldKind(from), fieldKind(to))
}

// fieldKind shows the kind of a field as scripts know it.
func fieldKind(f *ecs.Field) string {
	if f.Len > 0 {
		return fmt.Sprintf("an array of %d %s", f.Len, f.Kind)
	}
	return f.Kind.String()
}

// loses names the fields that would be lost and may not be.
func (c *conversion) loses(drop []string) []string {
	return slices.DeleteFunc(slices.Clone(c.lost), func(name string) bool { return slices.Contains(drop, name) })
}
