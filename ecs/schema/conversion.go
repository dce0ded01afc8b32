package schema

import (
	"slices"
	"unsafe"
)

// Conversion says how values of one schema become values of another, in a reload and when a save is
// loaded: field by field, by name. A field of the same kind is copied, a number goes into a kind that
// holds every number of the old one, a word of an enum into an enum that has the word, an array into
// one that is as long or longer, a nested struct into one of the same fields. New fields get their
// defaults. Whatever cannot be kept so is lost.
type Conversion struct {
	Old, Now *Schema
	Kept     []KeptField
	Added    []*Field // of Now
	Lost     []string // names of old fields
}

// KeptField is a field whose values are kept, before and after.
type KeptField struct{ From, To *Field }

// NewConversion works out the conversion from one schema to another. Both must be laid out.
func NewConversion(old, now *Schema) *Conversion {
	c := &Conversion{Old: old, Now: now}
	before, after := old.byName(), now.byName() // there may be thousands of fields
	for i := range now.Fields {
		to := &now.Fields[i]
		if from := before[to.Name]; from == nil {
			c.Added = append(c.Added, to)
		} else if fits(from, to) {
			c.Kept = append(c.Kept, KeptField{from, to})
		} else {
			c.Lost = append(c.Lost, from.Name)
		}
	}
	for i := range old.Fields {
		if after[old.Fields[i].Name] == nil {
			c.Lost = append(c.Lost, old.Fields[i].Name)
		}
	}
	return c
}

// byName returns the fields by name, the first of each.
func (s *Schema) byName() map[string]*Field {
	fields := make(map[string]*Field, len(s.Fields))
	for i := len(s.Fields) - 1; i >= 0; i-- {
		fields[s.Fields[i].Name] = &s.Fields[i]
	}
	return fields
}

// fits reports whether every value of a field can be kept in another.
func fits(from, to *Field) bool {
	if (from.Len == 0) != (to.Len == 0) || from.Len > to.Len {
		return false
	}
	switch {
	case from.Kind == Enum && to.Kind == Enum:
		return !slices.ContainsFunc(from.Names, func(name string) bool { return !slices.Contains(to.Names, name) })
	case from.Kind == Struct && to.Kind == Struct:
		return from.Stride == to.Stride && sameFields(from.Fields, to.Fields)
	case from.Kind == to.Kind:
		return from.Kind < Enum
	}
	return slices.Contains(wider(from.Kind), to.Kind)
}

// wider lists the kinds that hold every number of a kind.
func wider(k Kind) []Kind {
	switch k {
	case I8:
		return []Kind{I16, I32, I64, F32, F64}
	case I16:
		return []Kind{I32, I64, F32, F64}
	case I32:
		return []Kind{I64, F64}
	case U8:
		return []Kind{U16, U32, U64, I16, I32, I64, F32, F64}
	case U16:
		return []Kind{U32, U64, I32, I64, F32, F64}
	case U32:
		return []Kind{U64, I64, F64}
	case F32:
		return []Kind{F64}
	}
	return nil
}

// Apply writes what is kept of the value at from into the value at to, which holds the defaults.
func (c *Conversion) Apply(from, to unsafe.Pointer) {
	for _, k := range c.Kept {
		for i := range max(k.From.Len, 1) {
			src := unsafe.Add(from, k.From.Offset+uintptr(i)*k.From.Stride)
			dst := unsafe.Add(to, k.To.Offset+uintptr(i)*k.To.Stride)
			switch {
			case k.From.Kind == Enum:
				if n := int(*(*uint8)(src)); n < len(k.From.Names) {
					*(*uint8)(dst) = uint8(slices.Index(k.To.Names, k.From.Names[n]))
				}
			case k.From.Kind == k.To.Kind:
				copy(unsafe.Slice((*byte)(dst), k.To.Stride), unsafe.Slice((*byte)(src), k.From.Stride))
			default:
				k.To.Kind.Store(dst, k.From.Kind.Load(src))
			}
		}
	}
}
