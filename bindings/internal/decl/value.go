package decl

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

const (
	// PerDeclaration is about what the host keeps of any declaration.
	PerDeclaration = 2 << 10
	// PerField, PerName and PerTerm are for its parts.
	PerField = 128
	// PerInvariant is about what a rule and its queries take.
	PerInvariant = 2 << 10
	PerName      = 16
	PerTerm      = 16
	// PerKernel is about what compiled code takes, and what leads to it.
	PerKernel = 32 << 10
	// PerNode and PerValue are for an entity of a prefab and for a value of it,
	// beside their components' bytes.
	PerNode  = 64
	PerValue = 32
)

// Weight is what a value adds to a prefab.
func (v *Value) Weight() int64 { return PerValue + int64(v.Comp.Schema.Size) }

// Value is a component with data, made by calling the component: Health{hp=5}.
type Value struct {
	Comp  *Component
	Data  unsafe.Pointer
	Given []ecs.Piece // what the script named
	Form  int         // of the component when it was made
	mask  []byte      // which bytes are given; nil until somebody asks for it
}

// Masked is what was given as a mask, for bytes that do not lie beside each other.
func (v *Value) Masked() []byte {
	if v.mask == nil {
		v.mask = make([]byte, v.Comp.Schema.Size)
		for _, p := range v.Given {
			for i := range p.Size {
				v.mask[p.Offset+i] = 1
			}
		}
	}
	return v.mask
}

func (v *Value) Describe() string { return "a value of the component " + v.Comp.Name }

// Use says what the value is for.
func (v *Value) Use() string { return v.Comp.Use() }

// Held returns how many bytes the value takes beside its userdata, for those who look at
// what scripts hold.
func (v *Value) Held() int64 { return held(v.Comp.Schema, v.Data, v.Form == v.Comp.Form) }

// held adds the texts of a struct to its own size. A struct that is not current, from
// before a migration, has other fields than the schema says.
func held(s *ecs.Schema, data unsafe.Pointer, current bool) int64 {
	n := int64(s.Size)
	if data == nil || !current {
		return n
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Kind != ecs.String {
			continue
		}
		for at := range max(f.Len, 1) {
			n += int64(len(*(*string)(unsafe.Add(data, f.Offset+uintptr(at)*f.Stride))))
		}
	}
	return n
}
