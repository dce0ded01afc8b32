//lint:file-ignore U1000 The structs repeat all fields of the VM's, those that nobody reads here too.

// Package vmstate shows what gopher-lua's VM keeps to itself: its structs are written down
// here again, field by field, and this is the one place where that is done.
//
// There are four nouns. A [State] is a thread of scripts, and a [Frame] a call on it: which
// function, how far it has come, and who called it. The [Registry] of a thread are the
// values of its calls. A [Table] is the content of a table. All of them belong to the VM:
// who reads one does so between two instructions, and keeps none.
//
// # Why are the VM's structs written down again?
//
// lua.Debug shows neither how far a function has come nor what called it, so the place of
// an error would be a line at best. And gopher-lua counts no work: an instruction that
// compares two long texts, or fills a list up to an index, is one instruction to its
// context. To charge for it one has to see the operands.
//
// When the program starts, all structs are compared with those of the version in go.mod;
// where a field differs, it does not start.
package vmstate

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// State is lua.LState.
type State struct {
	G       *lua.Global
	Parent  *lua.LState
	Env     *lua.LTable
	Panic   func(*lua.LState)
	Dead    bool
	Options lua.Options

	stop         int32
	Reg          *Registry
	stack        [2]unsafe.Pointer
	alloc        unsafe.Pointer
	CurrentFrame *Frame
	wrapped      bool
	uvcache      *lua.Upvalue
	hasErrorFunc bool
	MainLoop     func(*lua.LState, *Frame) // what executes the functions of Lua on the thread
	Ctx          context.Context
	ctxCancelFn  context.CancelFunc
}

// Frame is a call on the stack of a thread.
type Frame struct {
	Idx        int
	Fn         *lua.LFunction
	Parent     *Frame
	Pc         int // of the next instruction
	Base       int
	LocalBase  int // the register of the first local
	ReturnBase int
	NArgs      int
	NRet       int
	TailCall   int // how many calls it has replaced
}

// Registry are the values of a thread.
type Registry struct {
	Array   []lua.LValue
	Top     int
	growBy  int
	MaxSize int
	alloc   unsafe.Pointer
	handler [2]unsafe.Pointer
}

// Table is lua.LTable.
type Table struct {
	Metatable lua.LValue
	Array     []lua.LValue
	Dict      map[lua.LValue]lua.LValue
	Strdict   map[string]lua.LValue
	Keys      []lua.LValue
	K2i       map[lua.LValue]int
}

// StateOf returns what a thread is made of.
func StateOf(L *lua.LState) *State { return (*State)(unsafe.Pointer(L)) }

// TableOf returns what a table is made of.
func TableOf(t *lua.LTable) *Table { return (*Table)(unsafe.Pointer(t)) }

// Running returns the innermost call of a thread, nil when there is none.
func Running(L *lua.LState) *Frame { return StateOf(L).CurrentFrame }

// Outside returns the call that many calls outside of a frame, where 0 is the frame itself;
// nil past the end.
func (f *Frame) Outside(calls int) *Frame {
	for ; f != nil && calls > 0; calls-- {
		f = f.Parent
	}
	return f
}

// At returns the instruction at which a call of a function of Lua is, -1 before the first.
func (f *Frame) At() int { return f.Pc - 1 }

// Local returns the value of a register of a call of a function of Lua; nil where there is
// none, and where it has none.
func (f *Frame) Local(L *lua.LState, n int) lua.LValue {
	if values := StateOf(L).Reg.Array; f.LocalBase+n < len(values) {
		return values[f.LocalBase+n]
	}
	return nil
}

// Set sets a register for which there is room.
func (r *Registry) Set(i int, v lua.LValue) {
	r.Array[i] = v
	if i >= r.Top {
		r.Top = i + 1
	}
}

var _ = checkLayout()

// checkLayout panics when the VM has other structs than those above.
func checkLayout() bool {
	thread := reflect.TypeFor[lua.LState]()
	field := func(name string) reflect.Type {
		f, _ := thread.FieldByName(name)
		return f.Type.Elem()
	}
	for _, why := range []string{
		differ(thread, reflect.TypeFor[State]()),
		differ(reflect.TypeFor[lua.LTable](), reflect.TypeFor[Table]()),
		differ(field("currentFrame"), reflect.TypeFor[Frame]()),
		differ(field("reg"), reflect.TypeFor[Registry]()),
	} {
		if why != "" {
			panic(why)
		}
	}
	return true
}

// differ compares two structs by the names, the places and the sizes of their fields, and
// says where they differ. Names that we read begin with a capital letter here. Interfaces
// and pointers to what is not needed are words here.
func differ(theirs, ours reflect.Type) string {
	if theirs.NumField() != ours.NumField() || theirs.Size() != ours.Size() {
		return fmt.Sprintf("gopher-lua's %v has another size than vmstate's", theirs)
	}
	for i := range ours.NumField() {
		a, b := theirs.Field(i), ours.Field(i)
		if !strings.EqualFold(a.Name, b.Name) || a.Offset != b.Offset || a.Type.Size() != b.Type.Size() {
			return fmt.Sprintf("gopher-lua's %v has another field %s than vmstate's", theirs, a.Name)
		}
	}
	return ""
}
