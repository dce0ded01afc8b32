//lint:file-ignore U1000 The structs repeat all fields of the machine's, those that nobody reads here too.

package stdlib

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// Why are the machine's structs written down here again?
//
// gopher-lua counts no work: an instruction that compares two long texts, or fills a
// list up to an index, is one instruction to its context, which does not learn which
// one it was. To charge for it one has to see the operands. These are gopher-lua's own
// structs, field by field; checkLayout holds them to the version in go.mod when the
// program starts.

// state is lua.LState.
type state struct {
	G       *lua.Global
	Parent  *lua.LState
	Env     *lua.LTable
	Panic   func(*lua.LState)
	Dead    bool
	Options lua.Options

	stop         int32
	reg          *registry
	stack        [2]unsafe.Pointer
	alloc        unsafe.Pointer
	currentFrame *frame
	wrapped      bool
	uvcache      *lua.Upvalue
	hasErrorFunc bool
	mainLoop     func(*lua.LState, *frame)
	ctx          context.Context
	ctxCancelFn  context.CancelFunc
}

// frame is a call on the stack of a thread.
type frame struct {
	Idx        int
	Fn         *lua.LFunction
	Parent     *frame
	Pc         int
	Base       int
	LocalBase  int
	ReturnBase int
	NArgs      int
	NRet       int
	TailCall   int
}

// registry are the values of a thread.
type registry struct {
	array   []lua.LValue
	top     int
	growBy  int
	maxSize int
	alloc   unsafe.Pointer
	handler [2]unsafe.Pointer
}

// table is lua.LTable.
type table struct {
	Metatable lua.LValue
	array     []lua.LValue
	dict      map[lua.LValue]lua.LValue
	strdict   map[string]lua.LValue
	keys      []lua.LValue
	k2i       map[lua.LValue]int
}

func stateOf(L *lua.LState) *state { return (*state)(unsafe.Pointer(L)) }
func tableOf(t *lua.LTable) *table { return (*table)(unsafe.Pointer(t)) }

var _ = checkLayout()

// checkLayout panics when the machine has other structs than those above.
func checkLayout() bool {
	machine := reflect.TypeFor[lua.LState]()
	same(machine, reflect.TypeFor[state]())
	same(reflect.TypeFor[lua.LTable](), reflect.TypeFor[table]())
	field := func(name string) reflect.Type {
		f, _ := machine.FieldByName(name)
		return f.Type.Elem()
	}
	same(field("currentFrame"), reflect.TypeFor[frame]())
	same(field("reg"), reflect.TypeFor[registry]())
	return true
}

// same compares two structs by the names, the places, the sizes and the kinds of their
// fields. Interfaces and pointers to what is not needed are words here.
func same(theirs, ours reflect.Type) {
	if theirs.NumField() != ours.NumField() || theirs.Size() != ours.Size() {
		panic(fmt.Sprintf("gopher-lua's %v is another than stdlib's", theirs))
	}
	for i := range ours.NumField() {
		a, b := theirs.Field(i), ours.Field(i)
		if a.Name != b.Name || a.Offset != b.Offset || a.Type.Size() != b.Type.Size() {
			panic(fmt.Sprintf("gopher-lua's %v has another field %s than stdlib's", theirs, a.Name))
		}
	}
}
