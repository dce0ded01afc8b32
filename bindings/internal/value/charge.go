package value

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// Alloc counts bytes that are made for a script outside of the VM, where
// the running call is metered, before they are made. It raises an error in L when
// they are too many.
func Alloc(L *lua.LState, bytes uintptr) {
	if bytes >= LongValue {
		ChargeBytes(L, int(bytes))
	}
}

// LongValue is how many bytes a value has that counts by itself. What is shorter is left to the
// looks at the heap, which come every thousand instructions.
const LongValue = unsafe.Sizeof([512]byte{})

// Charge counts work that the VM does not see, in steps of about an
// instruction each, where the running call is metered. It raises an error in L
// when there was too much.
//
// What is charged, where, follows what was measured: to test a row or to fill a table
// with a number takes as long as some instructions, to compute with a number of a
// column as long as one.
func Charge(L *lua.LState, steps int) { lua.Charge(L, steps) }

// Take is Charge where no error can be raised: if it was too much, the next
// instruction stops.
func Take(L *lua.LState, steps int) { lua.Take(L, steps) }

// ChargeBytes is Charge for memory that a call keeps until it ends.
func ChargeBytes(L *lua.LState, bytes int) { lua.Alloc(L, bytes) }

// GrowBytes counts small values of so many bytes, each of which takes steps to make.
func GrowBytes(L *lua.LState, bytes int) { lua.Grow(L, bytes) }

// ChargeFields charges that all fields of a component are put into a table, and taken
// out of it.
func ChargeFields(L *lua.LState, s *ecs.Schema) {
	if n := len(s.Fields); n > FewFields {
		Charge(L, 2*n*StepsPerItem)
	}
}

// ChargeStore charges that a list is stored in an array, before each item is checked and written.
func ChargeStore(L *lua.LState, f *ecs.Field) {
	if f.Len > 0 {
		if n := itemsOf(f); n > SmallArray {
			Charge(L, n*StepsPerStored)
		}
	}
}

// itemsOf returns how many values a field has, those of structs in it included.
func itemsOf(f *ecs.Field) int {
	each := 0
	for i := range f.Fields {
		each += itemsOf(&f.Fields[i])
	}
	return max(f.Len, 1) * max(each, 1)
}

// ChargeCopy charges that a value of so many bytes is recorded, and applied later. Small ones cost
// no more than the call that does it.
func ChargeCopy(L *lua.LState, bytes uintptr) {
	if bytes >= LongValue {
		Charge(L, int(bytes)/BytesPerStep)
	}
}

// FewFields is how many fields cost no more than the call that asks for them.
const FewFields = 16

// PerKey is about what a key of a table takes, in bytes.
const PerKey = 128

// PerItem is about what an item of a list takes, in bytes.
const PerItem = 40

// SmallArray is how many items of a field cost no more than what is counted for the
// instruction that asks for it.
const SmallArray = 16

// What work of several kinds is charged, in steps.
const (
	StepsPerTest    = 3  // of a row, for what it has
	StepsPerItem    = 3  // of a table
	StepsPerStored  = 5  // of an array, from a table
	StepsPerChanged = 10 // of an entity to which the call has done something
	StepsPerLink    = 8  // of a relation

	StepsPerCall = 20  // of a function of ecs, before it does anything
	StepsPerHost = 100 // of one of the host's, which is called by reflection

	StepsPerIterator = 150 // of a function that makes one, for itself and what it keeps
	StepsPerEntity   = 5   // of an entity that such a function hands to a loop
	StepsPerEvent    = 20  // of a table with its fields

	StepsPerQuery    = 60 // that is read, and then found among those that are known
	StepsPerTerm     = 8  // of one
	StepsPerAncestor = 2
	StepsPerSpawn    = 8 // of an entity
	StepsPerValue    = 4 // that one more entity of the same kind gets
	BytesPerStep     = 8 // of the values that it gets
	StepsPerSystem   = 3 // that is looked for, now and when the commands are applied
)

// Meant is DidYouMean for a running script, which can catch the error and ask again: to
// look through the candidates is charged.
func Meant(L *lua.LState, name string, candidates []string) string {
	Charge(L, diag.StepsToSuggest(name, candidates))
	return diag.DidYouMean(name, candidates)
}

// NoField says that a type has no field of a name, and which of its fields may be meant or, where
// no name is near, which it has.
func NoField(L *lua.LState, s *ecs.Schema, name string) *diag.Error {
	if len(s.Fields) == 0 {
		return UnknownField(s, name, ": it is a tag, which has no fields")
	}
	names := FieldNames(s)
	Charge(L, diag.StepsToSuggest(name, names))
	return UnknownField(s, name, diag.Fields(name, names))
}

// UnknownField is NoField for those who know better what is meant.
func UnknownField(s *ecs.Schema, name, hint string) *diag.Error {
	return diag.New("unknown field %q of %q%s", name, s.Name, hint)
}
