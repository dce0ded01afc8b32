package fault

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	lua "github.com/yuin/gopher-lua"
)

// place is how far a call of a function of Lua has come.
func place(f *vmstate.Frame) diag.Place {
	p := f.Fn.Proto
	at := diag.Place{Script: p.SourceName}
	if pc := f.At(); pc >= 0 && pc < len(p.DbgSourcePositions) {
		at.Line = p.DbgSourcePositions[pc]
	}
	return at
}

// name returns the name under which the caller has called the function; "" when it has
// none there, or when a tail call has taken the place of the call.
func name(f *vmstate.Frame) string {
	if f.Parent == nil || f.Parent.Fn.IsG || f.TailCall > 0 {
		return ""
	}
	for _, call := range f.Parent.Fn.Proto.DbgCalls {
		if call.Pc == f.Parent.At() && call.Name != "?" {
			return call.Name
		}
	}
	return ""
}

// At returns the place of the innermost function of Lua on a thread, and of the one that
// many functions of Lua further out; nowhere when there is none.
func At(L *lua.LState, out int) diag.Place {
	for f := vmstate.Running(L); f != nil; f = f.Parent {
		if !f.Fn.IsG {
			if out--; out < 0 {
				return place(f)
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
	for f := vmstate.Running(L); f != nil; f = f.Parent {
		if f.Fn.IsG {
			continue
		}
		one := diag.Frame{At: place(f), Name: name(f), Start: f.Fn.Proto.LineDefined}
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
