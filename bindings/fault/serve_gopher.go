//go:build !machine

package fault

import (
	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	gopher "github.com/yuin/gopher-lua"
)

// serve has what the machine itself raises come from a source: here Intercept does it.
func serve(*lua.LState, Source) {}

// seen returns the place that a script sees of an error. A protected call has a thread of its
// own, on which a function of Go that it has called itself has no place.
func seen(L *lua.LState) diag.Place { return Here(L) }

// InCall returns the place of a part of the call of the running function of Go. A key of a
// table that the caller has got as a parameter is where the table is written, in the call
// of the caller or further out. Where the text does not say it, the place is that of the call.
func InCall(L *lua.LState, part Part) diag.Place {
	at, f, source := Here(L), lua.Running(L), sourceOf(L)
	if f == nil || !lua.IsGo(f.Fn) {
		return at
	}
	for more := true; more; more = part.Key != "" {
		before, ok := called(L, f)
		if part.N -= before; !ok || part.N < 1 {
			break
		}
		f = f.Outside(1)
		if found := source.Part(lua.Proto(f.Fn), f.At(), part); found.Line > 0 {
			at = found
		}
		part.N = source.Parameter(lua.Proto(f.Fn), f.At(), part.N)
	}
	return at
}

// called reports whether a function was called by a call that is written in a script, so
// that its arguments are those of the text: pcall and metamethods call functions, too.
// before is how many arguments it has before those: what is called itself, where that is a
// value with __call.
func called(L *lua.LState, f *lua.Frame) (before int, ok bool) {
	caller := f.Outside(1)
	if caller == nil || lua.IsGo(caller.Fn) || caller.At() < 0 || f.TailCall > 0 {
		return 0, false
	}
	code := lua.Proto(caller.Fn).Code[caller.At()]
	if op := bytecode.Op(code); op != gopher.OP_CALL && op != gopher.OP_TAILCALL {
		return 0, false
	}
	callee := caller.Local(L, bytecode.A(code))
	if callee == nil {
		return 0, false
	}
	if callee == f.Fn {
		return 0, true
	}
	return 1, L.GetMetaField(callee, "__call") == f.Fn
}
