package machine

import (
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	lua "github.com/yuin/gopher-lua"
)

// Where in a script an error is, and how the text names the values that are wrong. They
// are read where the loop reads them: in the registers and constants of the instruction at
// which the innermost function of Lua is.

// Source knows the texts of scripts: where in them functions and instructions stand.
type Source interface {
	// Place returns the place of an instruction, and for -1 that of the function itself. Of
	// a text that is not known any more it returns the line, without a column.
	Place(fn *lua.FunctionProto, pc int) diag.Place
	// Part returns the place of a part of what stands at an instruction, and nowhere when
	// the text does not say where it is.
	Part(fn *lua.FunctionProto, pc int, part Part) diag.Place
	// Name returns the words of the text for the nth part of what stands at an instruction,
	// such as "tuning.speed", for 0 for what is called there, and for Indexed for that whose
	// field is named there; "" where it has no name.
	Name(fn *lua.FunctionProto, pc, n int) string
	// Parameter returns which parameter of the function, counted from 1, is handed on as the
	// nth part of what stands at an instruction; 0 where that is something else.
	Parameter(fn *lua.FunctionProto, pc, n int) int
}

// Indexed is the part of what stands at an instruction whose field is read or set.
const Indexed = -1

// lines is the source of a machine that has none: it knows what is in prototypes.
type lines struct{}

// Place implements Source.
func (lines) Place(fn *lua.FunctionProto, pc int) diag.Place {
	at := diag.Place{Script: fn.SourceName, Line: fn.LineDefined}
	if pc >= 0 && pc < len(fn.DbgSourcePositions) {
		at.Line = fn.DbgSourcePositions[pc]
	}
	return at
}

// Part implements Source.
func (lines) Part(*lua.FunctionProto, int, Part) diag.Place { return diag.Place{} }

// Name implements Source.
func (lines) Name(*lua.FunctionProto, int, int) string { return "" }

// Parameter implements Source.
func (lines) Parameter(*lua.FunctionProto, int, int) int { return 0 }

// Frame is one of the calls that run on a thread, of a function of Lua or of a native. It
// is good as long as nothing runs.
type Frame struct {
	th    *Thread
	frame *frame
	call  *Call
}

// Function returns what is called.
func (f Frame) Function() *Function {
	if f.call != nil {
		return f.call.fn
	}
	return f.frame.fn
}

// Native reports whether it is the call of a native.
func (f Frame) Native() bool { return f.call != nil || f.frame.kind() != ofLua }

// Proto returns what the function was compiled to, nil for a native.
func (f Frame) Proto() *lua.FunctionProto { return f.Function().Proto() }

// PC returns the index of the instruction at which a function of Lua is.
func (f Frame) PC() int {
	if f.Native() {
		return -1
	}
	return f.frame.pc()
}

// Register returns the value of a register of a function of Lua.
func (f Frame) Register(i int) Value {
	if f.Native() || i < 0 || int(f.frame.base)+i >= len(f.th.stack) || i >= f.frame.fn.proto.size {
		return Nil
	}
	return clean(f.th.stack[int(f.frame.base)+i])
}

// Operand returns the value of a register or constant, as instructions of gopher-lua name it.
func (f Frame) Operand(n int) Value {
	if n&256 != 0 {
		f.frame.fn.proto.ready()
		return f.frame.fn.proto.k[n&255]
	}
	return f.Register(n)
}

// Tails returns how many calls the frame has replaced by tail calls.
func (f Frame) Tails() int {
	if f.Native() {
		return 0
	}
	return f.frame.tails()
}

// Called reports whether the frame was called by an instruction of the frame outside of it,
// and not by a protected call, a metamethod of Go or the host.
func (f Frame) Called() bool {
	return f.call != nil || f.frame.after() == goesOn
}

// Calls returns how many frames stand on the thread: at least as many as calls of Lua.
func (th *Thread) Calls() int { return len(th.frames) }

// Frames calls yield for the calls that run on the thread, innermost first, until it
// returns false.
func (th *Thread) Frames(yield func(Frame) bool) {
	call := th.call
	for i := len(th.frames); i >= 0; i-- {
		for ; call != nil && call.outer != nil && call.depth == i; call = call.outer {
			if !yield(Frame{th: th, call: call}) {
				return
			}
		}
		if i == 0 {
			return
		}
		if f := &th.frames[i-1]; f.fn != nil && !yield(Frame{th: th, frame: f}) {
			return
		}
	}
}

// Where returns the innermost function of Lua that runs on the thread, and the instruction at which it is; nil
// when none runs.
func (th *Thread) Where() (fn *lua.FunctionProto, pc int) {
	if f, ok := th.lua(); ok {
		return f.Proto(), f.PC()
	}
	return nil, -1
}

// lua returns the innermost call of a function of Lua.
func (th *Thread) lua() (at Frame, ok bool) {
	for f := range th.Frames {
		if !f.Native() {
			return f, true
		}
	}
	return Frame{}, false
}

func (vm *VM) source() Source {
	if vm.Source == nil {
		return lines{}
	}
	return vm.Source
}

// placeOf returns the place of a call of a function of Lua. A script that raises errors does so
// at the same place again and again.
func (vm *VM) placeOf(f Frame) diag.Place {
	p, pc := f.Proto(), f.PC()
	if vm.placed.fn != p || vm.placed.pc != pc {
		vm.placed = placed{p, pc, vm.source().Place(p, pc)}
	}
	return vm.placed.at
}

// placed is the place of an instruction that was asked for last. No text goes while a call of
// the host lasts, which begins without one.
type placed struct {
	fn *lua.FunctionProto
	pc int
	at diag.Place
}

// At returns the place of the innermost function of Lua on a thread, and of the one that
// many functions of Lua further out; nowhere when there is none.
func (th *Thread) At(out int) diag.Place {
	for f := range th.Frames {
		if !f.Native() {
			if out--; out < 0 {
				return th.vm.placeOf(f)
			}
		}
	}
	return diag.Place{}
}

// Here returns the place of the innermost function of Lua on a thread.
func (th *Thread) Here() diag.Place {
	for i := len(th.frames) - 1; i >= 0; i-- {
		if f := &th.frames[i]; f.kind() == ofLua && f.fn != nil {
			return th.vm.placeOf(Frame{th: th, frame: f})
		}
	}
	return diag.Place{}
}

// Catches reports whether a script may catch what is raised now: a protected call or a coroutine
// stands around it.
func (th *Thread) Catches() bool { return th.vm.nested > 0 }

// Level returns the place of the function at a level of the stack, where 0 is the running
// one; nowhere for a native, after a tail call, and past the end.
func (th *Thread) Level(level int) diag.Place {
	for f := range th.Frames {
		if level == 0 {
			if f.Native() {
				return diag.Place{}
			}
			return th.vm.placeOf(f)
		}
		if f.Tails() > 0 {
			return diag.Place{}
		}
		level--
	}
	return diag.Place{}
}

// InCall returns the place of a part of the call of the running native. A key of a table
// that the caller has got as a parameter is where the table is written, in the call of the
// caller or further out. Where the text does not say it, the place is that of the call.
//
// It goes mostOutwards calls outwards: a function may call itself with the table that it has got.
func (th *Thread) InCall(part Part) diag.Place {
	at, source := th.Seen(), th.vm.source()
	level := 0
	var f Frame
	for caller := range th.Frames {
		if level > 0 {
			before, ok := 0, level <= mostOutwards && !caller.Native()
			if ok {
				before, ok = writtenCall(caller, f)
			}
			if part.N -= before; !ok || part.N < 1 {
				break
			}
			if found := source.Part(caller.Proto(), caller.PC(), part); found.Line > 0 {
				at = found
			}
			if part.Key == "" {
				break
			}
			part.N = source.Parameter(caller.Proto(), caller.PC(), part.N)
		} else if !caller.Native() {
			break
		}
		f, level = caller, level+1
	}
	return at
}

// mostOutwards is how many calls outwards the place of a table is looked for.
const mostOutwards = 200

// writtenCall reports whether a function was called by a call that is written in the script
// of the caller. before is how many arguments it has before those: what is called itself,
// where that is a value with __call.
func writtenCall(caller, f Frame) (before int, ok bool) {
	if f.Tails() > 0 || !f.Called() {
		return 0, false
	}
	word := caller.Proto().Code[caller.PC()]
	if op := int(word >> 26); op != lua.OP_CALL && op != lua.OP_TAILCALL {
		return 0, false
	}
	if callee := caller.Register(int(word>>18) & 0xff).Function(); callee == nil || callee != f.Function() {
		return 1, callee == nil
	}
	if f.call != nil && f.call.ofValue(int(word&0x1ff)) {
		return 1, true
	}
	return 0, true
}

// ofValue reports whether __call has put a native below the value that the text calls, with
// so many arguments less 1; 0: any number.
func (c *Call) ofValue(b int) bool {
	if c.args == 0 || b > 0 && c.args != b {
		return false
	}
	v := c.Arg(1)
	h := c.th.vm.event(&v, evCall)
	return h.Function() == c.fn
}

// InLoop returns the place of the nth value of the "for" at which the innermost function of
// Lua is; where the text does not say it, that of the loop.
func (th *Thread) InLoop(n int) diag.Place {
	f, ok := th.lua()
	if !ok {
		return diag.Place{}
	}
	if at := th.vm.source().Part(f.Proto(), f.PC(), Part{N: n}); at.Line > 0 {
		return at
	}
	return th.vm.placeOf(f)
}

// NameOf returns how the innermost function of Lua writes the nth part of what stands at
// its instruction, 0 for what it calls; "" where the text does not say it.
func (th *Thread) NameOf(n int) string {
	if f, ok := th.lua(); ok {
		return th.vm.source().Name(f.Proto(), f.PC(), n)
	}
	return ""
}

// Named describes a value, which is the nth part of what stands at the instruction of the
// innermost function of Lua: "speed", a nil value. Part 0 is what is called.
func (th *Thread) Named(n int, v Value) string {
	if name := th.NameOf(n); name != "" {
		return diag.Format("%q, ", name) + asValue(v)
	}
	return asValue(v)
}

const (
	// longestTrace is how many frames a trace has at most, and keptFrames how many stay of
	// the innermost and of the outermost where there are more.
	longestTrace = 20
	keptFrames   = 7
)

// Trace returns the calls of functions of Lua on a thread. It takes as long for many as for few:
// it looks at those alone that it returns.
func (th *Thread) Trace() diag.Trace {
	var inner diag.Trace
	i := len(th.frames) - 1
	for ; i >= 0 && len(inner) <= longestTrace; i-- {
		inner = th.addTraced(inner, i)
	}
	if len(inner) <= longestTrace {
		return inner
	}
	return append(append(inner[:keptFrames:keptFrames], diag.Frame{Kind: diag.Skipped}), th.outermost(keptFrames)...)
}

// outermost returns the last n calls of a trace that has more of them.
func (th *Thread) outermost(n int) (outer diag.Trace) {
	for i := 0; len(outer) < n; i++ {
		outer = append(th.addTraced(nil, i), outer...)
	}
	return outer[len(outer)-n:]
}

// addTraced adds the call of the ith frame to a trace, if it is one of a function of Lua.
func (th *Thread) addTraced(t diag.Trace, i int) diag.Trace {
	f := Frame{th: th, frame: &th.frames[i]}
	if f.frame.fn == nil || f.Native() || f.Proto().SourceName == "" {
		return t
	}
	kind := diag.Call
	if th.body != nil && i == 1 { // a coroutine's own function
		kind = diag.Thread
	}
	t = append(t, diag.Frame{At: th.vm.placeOf(f), Name: th.nameUnder(i), Start: f.Proto().LineDefined, Kind: kind})
	for range f.Tails() {
		t = append(t, diag.Frame{Kind: diag.Tail})
	}
	return t
}

// nameUnder returns the name under which the function of the ith frame was called; "" when it
// has none there, or when a tail call has taken the place of the call.
func (th *Thread) nameUnder(i int) string {
	f := &th.frames[i]
	if i == 0 || f.after() != goesOn || f.tails() > 0 || th.frames[i-1].kind() != ofLua {
		return ""
	}
	return callName(Frame{th: th, frame: &th.frames[i-1]})
}

// callName returns the name that the compiler knows of what is called at the instruction of
// a frame, if any.
func callName(f Frame) string {
	pc := f.PC()
	for _, call := range f.Proto().DbgCalls {
		if call.Pc == pc && call.Name != "?" {
			return call.Name
		}
	}
	return ""
}

// CalledField returns the table and the field that the innermost function of Lua calls, as
// in math.mix(1, 2); nil where it calls something else. The table is a global or an outer
// local.
func (th *Thread) CalledField() (t *Table, field string) {
	f, ok := th.lua()
	if !ok {
		return nil, ""
	}
	p := f.Proto()
	name, field, ok := strings.Cut(th.NameOf(0), ".")
	if !ok {
		return nil, ""
	}
	for _, local := range p.DbgLocals {
		if local.Name == name {
			return nil, ""
		}
	}
	v := f.Function().env.GetString(name)
	for i, outer := range p.DbgUpvalues {
		if outer == name && i < len(f.Function().up) {
			v = f.Function().up[i].Get()
		}
	}
	return v.Table(), field
}
