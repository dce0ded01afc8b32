package decl

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

const (
	// PerDeclaration is about what the host keeps of any declaration.
	PerDeclaration = 2 << 10
	// PerField, perName and perTerm are for its parts.
	PerField = 128
	PerName  = 16
	PerTerm  = 16
	// PerKernel is about what compiled code takes, and what leads to it.
	PerKernel = 32 << 10
	// PerNode and perValue are for an entity of a prefab and for a value of it,
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
