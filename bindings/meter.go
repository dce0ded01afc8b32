package bindings

import (
	gocontext "context"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// attach has a context count what runs on a thread, as the host does it.
func (r *runner) attach(L *lua.LState, ctx gocontext.Context) {
	if r.budget == nil {
		L.SetContext(ctx)
		return
	}
	r.budget.Attach(L, ctx)
}

// charge counts work that the Lua machine does not see, in steps of about an
// instruction each, where the running call is metered. It raises an error in L
// when there was too much.
//
// What is charged, where, follows what was measured: to test a row or to fill a table
// with a number takes as long as some instructions, to compute with a number of a
// column as long as one.
func charge(L *lua.LState, steps int) {
	if meter, ok := L.Context().(interface{ Charge(*lua.LState, int) }); ok {
		meter.Charge(L, steps)
	}
}

// take is charge where no error can be raised: if it was too much, the next
// instruction stops.
func take(L *lua.LState, steps int) {
	if meter, ok := L.Context().(interface{ Take(int64) }); ok {
		meter.Take(int64(steps))
	}
}

// called begins a call of one of our functions, and charges for that.
func (m *Module) called(L *lua.LState, name string) *args {
	take(L, stepsPerCall)
	return &args{m, L, name}
}

// chargeBytes is charge for memory that a call keeps until it ends.
func chargeBytes(L *lua.LState, bytes int) {
	if meter, ok := L.Context().(interface{ Alloc(*lua.LState, int) }); ok {
		meter.Alloc(L, bytes)
	}
}

// growBytes counts small values of so many bytes, each of which takes steps to make.
func growBytes(L *lua.LState, bytes int) {
	if meter, ok := L.Context().(interface{ Grow(*lua.LState, int) }); ok {
		meter.Grow(L, bytes)
	}
}

// chargeFields charges that all fields of a component are put into a table, and taken
// out of it.
func chargeFields(L *lua.LState, s *ecs.Schema) {
	if n := len(s.Fields); n > fewFields {
		charge(L, 2*n*stepsPerItem)
	}
}

// fewFields is how many fields cost no more than the call that asks for them.
const fewFields = 16

// perKey is about what a key of a table takes, in bytes.
const perKey = 128

// perItem is about what an item of a list takes, in bytes.
const perItem = 40

// smallArray is how many items of a field cost no more than what is counted for the
// instruction that asks for it.
const smallArray = 16

const (
	stepsPerTest    = 3  // of a row, for what it has
	stepsPerItem    = 3  // of a table
	stepsPerChanged = 10 // of an entity to which the call has done something
	stepsPerLink    = 8  // of a relation

	stepsPerCall = 20  // of a function of ecs, before it does anything
	stepsPerHost = 100 // of one of the host's, which is called by reflection

	stepsPerIterator = 150 // of a function that makes one, for itself and what it keeps
	stepsPerEvent    = 20  // of a table with its fields

	stepsPerTerm     = 8 // of a query that is read
	stepsPerAncestor = 2
	stepsPerSpawn    = 8 // of an entity
	bytesPerStep     = 8 // of the values that it gets
	stepsPerSystem   = 3 // that is looked for, now and when the commands are applied
)

// tested charges the archetypes and rows that a look at a query has tested since it had
// tested so many.
func (a *args) tested(r request, before uint64) {
	charge(a.L, int(r.Tested()-before)*stepsPerTest)
}
