package fault

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	lua "github.com/yuin/gopher-lua"
)

// frame is a call on the stack of a thread, as the VM has it.
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

var _ = checkLayout()

// checkLayout panics when the VM has another struct than the one above: lua.Debug shows
// neither how far a function has come nor what called it.
func checkLayout() bool {
	debug := reflect.TypeFor[lua.Debug]().Field(0)
	theirs, ours := debug.Type.Elem(), reflect.TypeFor[frame]()
	if debug.Name != "frame" || theirs.NumField() != ours.NumField() {
		panic(fmt.Sprintf("gopher-lua's %v is another than package fault's", theirs))
	}
	for i := range ours.NumField() {
		if a, b := theirs.Field(i), ours.Field(i); a.Name != b.Name || a.Offset != b.Offset || a.Type.Size() != b.Type.Size() {
			panic(fmt.Sprintf("gopher-lua's %v has another field %s than package fault's", theirs, a.Name))
		}
	}
	return true
}

// running returns the innermost call of a thread, nil when there is none.
func running(L *lua.LState) *frame {
	debug, ok := L.GetStack(0)
	if !ok {
		return nil
	}
	return *(**frame)(unsafe.Pointer(debug))
}

// place is how far a call of a function of Lua has come.
func (f *frame) place() diag.Place {
	p := f.Fn.Proto
	at := diag.Place{Script: p.SourceName}
	if pc := f.Pc - 1; pc >= 0 && pc < len(p.DbgSourcePositions) {
		at.Line = p.DbgSourcePositions[pc]
	}
	return at
}

// name returns the name under which the caller has called the function; "" when it has
// none there, or when a tail call has taken the place of the call.
func (f *frame) name() string {
	if f.Parent == nil || f.Parent.Fn.IsG || f.TailCall > 0 {
		return ""
	}
	for _, call := range f.Parent.Fn.Proto.DbgCalls {
		if call.Pc == f.Parent.Pc-1 && call.Name != "?" {
			return call.Name
		}
	}
	return ""
}

// At returns the place of the innermost function of Lua on a thread, and of the one that
// many functions of Lua further out; nowhere when there is none.
func At(L *lua.LState, out int) diag.Place {
	for f := running(L); f != nil; f = f.Parent {
		if !f.Fn.IsG {
			if out--; out < 0 {
				return f.place()
			}
		}
	}
	return diag.Place{}
}

// Here returns the place of the innermost function of Lua on a thread.
func Here(L *lua.LState) (script string, line int) {
	at := At(L, 0)
	return at.Script, at.Line
}

const (
	// longest is how many frames a trace has at most, and kept how many stay of the
	// innermost and of the outermost where there are more.
	longest = 20
	kept    = 7
)

// Trace returns the calls of Lua functions on a thread.
func Trace(L *lua.LState) diag.Trace {
	var t diag.Trace
	for f := running(L); f != nil; f = f.Parent {
		if f.Fn.IsG {
			continue
		}
		one := diag.Frame{At: f.place(), Name: f.name(), Start: f.Fn.Proto.LineDefined}
		if f.Parent == nil && L.Parent != nil {
			one.Kind = diag.Thread
		}
		t = append(t, one)
		for range f.TailCall {
			t = append(t, diag.Frame{Kind: diag.Tail})
		}
	}
	if n := len(t); n > longest {
		t = append(append(t[:kept:kept], diag.Frame{Kind: diag.Skipped}), t[n-kept:]...)
	}
	return t
}
