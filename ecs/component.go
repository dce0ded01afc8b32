package ecs

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
	"weak"

	"github.com/perigee-ecs/perigee/ecs/internal/mask"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// MaxComponents is how many component types one world can have.
const MaxComponents = mask.Max

// ComponentID is the number of a component type in its world, in order of
// registration.
type ComponentID uint32

// ID returns the number itself, so that a ComponentID is a [ComponentRef] too.
func (id ComponentID) ID() ComponentID { return id }

// component is what the world knows about one type.
//
// Invariants: where[t] is the offset of the component's column in the chunks of
// table t, 0 or past the end when it has none there; traits says which of
// pool, watch and reserved are set.
type component struct {
	world  *World
	store  *store // of the world: chunks compare it for each column that is asked for
	id     ComponentID
	era    uint32 // migrations of the component so far
	traits traits
	heap   bool // values are copied by type: they hold Go pointers, or have a Storage
	schema *Schema
	typ    reflect.Type // nil when defined at run time only
	size   uintptr
	pool   pool // nil for archetype columns

	// Where values in chunks lie, for access by handle: the offset of the column
	// by table, 0 when absent; the entity records and the begin of the arena, none
	// before the world has taken its addresses and after it is closed.
	where   []uint32
	records []slots.Record
	base    unsafe.Pointer

	watch Trigger
	rules rules
	// fallback is the default value, nil until it is first needed.
	fallback unsafe.Pointer
	pointers []byteSpan // where values have Go pointers, in rising order
	observed Trigger    // the part of watch that observers asked for
	// audiences are the observers of each kind of change, nil before the first.
	audiences *[kindsOfComponent]audience
	added     []weak.Pointer[additions] // of queries that ask what was added
	group     *group                    // that the pool is in
	// changesAsked says that there is, or was, a query with Changed of the component.
	changesAsked bool
	tracker      *tracker  // nil unless the component is Tracked
	texts        textCount // of a pool of values with strings
	// reserved says who writes the component, when that is not everybody.
	reserved string
}

// removalObserved reports whether an observer gets the removal of the component.
func (c *component) removalObserved() bool { return c.watch&OnRemove != 0 }

// traits say why a component needs more than a copy of its bytes when it comes
// or goes. A change whose components have none takes the short way.
type traits uint8

const (
	pooledTrait   traits = 1 << iota // lives in a pool
	watchedTrait                     // somebody observes it
	reservedTrait                    // written by the world alone
	ruledTrait                       // has rules, or others have rules about it
)

// Component is the handle of component type T in one world: the term of
// queries and the accessor of values. It is a pointer; copy it freely. The zero
// Component belongs to no world: methods that return an error return one that wraps
// ErrConflict and has the type's name, and the others panic with it.
type Component[T any] struct{ info *component }

// ID returns the component's number in its world. It panics for the zero Component.
func (c Component[T]) ID() ComponentID {
	if c.info == nil {
		panic(fmt.Errorf("ecs: %w", c.zeroError()))
	}
	return c.info.id
}

// zeroError is the error of a zero Component.
func (c Component[T]) zeroError() error {
	return fmt.Errorf("%w: the zero Component of %s, which was registered in no world", ErrConflict, reflect.TypeFor[T]())
}

// ComponentRef names a component type: a Component[T], a Relation or a ComponentID.
// The first two belong to a world; methods that take a ComponentRef refuse one of another
// world, where its number is that of another type. A bare ComponentID names the type of
// that number, whatever world it came from.
type ComponentRef interface{ ID() ComponentID }

// owned is a ComponentRef that knows its world: nil for a zero one.
type owned interface{ owner() *World }

// owner returns the world of the component, nil for a zero one.
func (c Component[T]) owner() *World {
	if c.info == nil {
		return nil
	}
	return c.info.world
}

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

// byteSpan is a range of bytes of a value, without its end.
type byteSpan struct{ from, to uintptr }

// pointersIn reports whether some of the bytes of a value are those of Go pointers, or of
// types that have some. O(log of the number of spans).
func (c *component) pointersIn(from, to uintptr) bool {
	if from >= to {
		return false
	}
	i, _ := slices.BinarySearchFunc(c.pointers, from, func(s byteSpan, at uintptr) int {
		if s.to <= at {
			return -1
		}
		return 1
	})
	return i < len(c.pointers) && c.pointers[i].from < to
}

// appendPointers appends where the pointers of a value of a type are that lies at a place.
func appendPointers(spans []byteSpan, t reflect.Type, at uintptr) []byteSpan {
	switch {
	case !hasPointers(t):
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			spans = appendPointers(spans, t.Field(i).Type, at+t.Field(i).Offset)
		}
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			spans = appendPointers(spans, t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	default:
		if n := len(spans); n > 0 && spans[n-1].to == at {
			spans[n-1].to += t.Size()
			return spans
		}
		spans = append(spans, byteSpan{at, at + t.Size()})
	}
	return spans
}

// pointersError is the error for bytes that are written over Go pointers.
func (c *component) pointersError() error {
	return fmt.Errorf("%w: bytes of %q that hold Go pointers cannot be written as bytes", ErrConflict, c.schema.Name)
}

// place notes where the component's column lies in the chunks of a table.
func (c *component) place(l *layout) {
	for len(c.where) <= int(l.table) {
		c.where = append(c.where, 0)
	}
	c.where[l.table] = l.offsets[c.id]
}

// reservedError is the error for a write to what the world keeps by itself, such as the
// hierarchy, as if it were a component.
func (c *component) reservedError() error {
	return fmt.Errorf("%w: %q changes through %s only", ErrConflict, c.schema.Name, c.reserved)
}
