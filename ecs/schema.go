package ecs

import (
	"reflect"

	"github.com/perigee-ecs/perigee/ecs/schema"
)

// A component's schema says where its fields lie. The types are those of package
// schema, which tools can use without a world.
type (
	// Schema describes a component or an event; see [schema.Schema].
	Schema = schema.Schema
	// Field is one field of a component, an event or a nested struct; see [schema.Field].
	Field = schema.Field
	// Kind says what a field holds; see [schema.Kind].
	Kind = schema.Kind
	// MemoryMap says where values lie in [Raw.Memory]; see [schema.MemoryMap].
	MemoryMap = schema.MemoryMap
)

// The kinds of fields. Struct fields have Fields of their own; String and
// Opaque occur only in components with Go pointers.
const (
	Bool   = schema.Bool
	I8     = schema.I8
	I16    = schema.I16
	I32    = schema.I32
	I64    = schema.I64
	U8     = schema.U8
	U16    = schema.U16
	U32    = schema.U32
	U64    = schema.U64
	F32    = schema.F32
	F64    = schema.F64
	Ref    = schema.Ref    // an Entity
	Enum   = schema.Enum   // one byte: an index into Field.Names
	Struct = schema.Struct // a nested struct
	String = schema.String // a Go string
	Opaque = schema.Opaque // anything else: scripts and tools cannot read it
)

// SchemaOf reads the fields of a struct type, as Register does for components:
// what scripts may see of a resource. It reads each type anew: keep the result.
func SchemaOf(t reflect.Type) *Schema { return schemaOf(t.Name(), t) }

// schemaOf is SchemaOf under a name of the caller's choice.
func schemaOf(name string, t reflect.Type) *Schema {
	return schema.Of(name, t, reflect.TypeFor[Entity]())
}

// hasPointers reports whether values of t hold anything that the collector follows.
func hasPointers(t reflect.Type) bool { return schema.HasPointers(t) }
