package fault

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
)

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

// Part is a part of what stands at an instruction: of a call an argument, of a chain of the
// operator .. an operand, of a "for" one of its values.
type Part struct {
	N     int    // from 1 on
	Key   string // of the table that is written there, this key, as of [Within]; "": the part as a whole
	Value bool   // the value that the table has under the key
}

// Argument is the nth argument of a call.
func Argument(n int) Part { return Part{N: n} }

// Key is a key of the table that is the nth argument of a call.
func Key(n int, key string) Part { return Part{N: n, Key: key} }

// Item is an item of the list that is the nth argument of a call.
func Item(n int, index lua.LValue) Part { return Part{N: n, Key: Within("", Index(index))} }

// Index writes the key of an item of a list.
func Index(i lua.LValue) string { return "[" + Written(i) + "]" }

// Within writes a key of a table that stands itself under a key of another one, or under ""
// where it is the outermost: with, [1], with[2], query.with.
func Within(outer, key string) string {
	if outer == "" || key == "" || key[0] == '[' {
		return outer + key
	}
	return outer + "." + key
}

// ValueOf is what the table has under a key that is the nth argument of a call.
func ValueOf(n int, key string) Part { return Part{N: n, Key: key, Value: true} }

// sourceKey is where the registry of a state, which no script can reach, has its Source.
const sourceKey = "perigee.source"

// Serve has the places of errors in a state come from a source. Without one they are lines.
func Serve(L *lua.LState, s Source) {
	lua.Registry(L).RawSetString(sourceKey, lua.NewUserData(s, nil))
	serve(L, s)
}

// sourceOf returns the source of a state.
func sourceOf(L *lua.LState) Source {
	if ud, ok := lua.Registry(L).RawGetString(sourceKey).(*lua.LUserData); ok {
		return ud.Value.(Source)
	}
	return lines{}
}

// lines is the source of a state that has none: it knows what is in prototypes.
type lines struct{}

// Place implements Source.
func (lines) Place(fn *lua.FunctionProto, pc int) diag.Place { return Line(fn, pc) }

// Part implements Source.
func (lines) Part(*lua.FunctionProto, int, Part) diag.Place { return diag.Place{} }

// Name implements Source.
func (lines) Name(*lua.FunctionProto, int, int) string { return "" }

// Parameter implements Source.
func (lines) Parameter(*lua.FunctionProto, int, int) int { return 0 }

// Line returns the place of an instruction as a prototype has it, without a column.
func Line(fn *lua.FunctionProto, pc int) diag.Place {
	at := diag.Place{Script: fn.SourceName, Line: fn.LineDefined}
	if pc >= 0 && pc < len(fn.DbgSourcePositions) {
		at.Line = fn.DbgSourcePositions[pc]
	}
	return at
}

// Instruction returns the place of an instruction of a function.
func Instruction(L *lua.LState, fn *lua.FunctionProto, pc int) diag.Place {
	return sourceOf(L).Place(fn, pc)
}

// OfCaller returns the place where a command was recorded, as the Code and At of an ecs.Caller say it: a function and
// an instruction, or the place of a host call of a kernel; nowhere for anything else.
func OfCaller(L *lua.LState, code any, at int) diag.Place {
	switch code := code.(type) {
	case *lua.FunctionProto:
		return sourceOf(L).Place(code, at)
	case diag.Place:
		return code
	}
	return diag.Place{}
}

// OfFunction returns where a function of a script is written.
func OfFunction(L *lua.LState, fn *lua.FunctionProto) diag.Place { return sourceOf(L).Place(fn, -1) }

// name returns the name under which the caller has called the function; "" when it has
// none there, or when a tail call has taken the place of the call.
func name(f *lua.Frame) string {
	if caller := f.Outside(1); caller == nil || lua.IsGo(caller.Fn) || f.TailCall > 0 {
		return ""
	}
	return callName(f.Outside(1))
}

// At returns the place of the innermost function of Lua on a thread, and of the one that
// many functions of Lua further out; nowhere when there is none.
func At(L *lua.LState, out int) diag.Place {
	for f := lua.Running(L); f != nil; f = f.Outside(1) {
		if !lua.IsGo(f.Fn) {
			if out--; out < 0 {
				return sourceOf(L).Place(lua.Proto(f.Fn), f.At())
			}
		}
	}
	return diag.Place{}
}

// Here returns the place of the innermost function of Lua on a thread.
func Here(L *lua.LState) diag.Place { return At(L, 0) }

// Level returns the place of the function at a level of the stack, where 0 is the running
// one; nowhere for a function of Go, after a tail call, and past the end.
func Level(L *lua.LState, level int) diag.Place {
	f := lua.Running(L)
	for ; f != nil && level > 0; level-- {
		if !lua.IsGo(f.Fn) && f.TailCall > 0 {
			return diag.Place{}
		}
		f = f.Outside(1)
	}
	if f == nil || lua.IsGo(f.Fn) {
		return diag.Place{}
	}
	return sourceOf(L).Place(lua.Proto(f.Fn), f.At())
}

// InLoop returns the place of the nth value of the "for" at which the innermost function of
// Lua is; where the text does not say it, that of the loop.
func InLoop(L *lua.LState, n int) diag.Place {
	f := innermost(L)
	if f == nil {
		return diag.Place{}
	}
	source := sourceOf(L)
	if at := source.Part(lua.Proto(f.Fn), f.At(), Part{N: n}); at.Line > 0 {
		return at
	}
	return source.Place(lua.Proto(f.Fn), f.At())
}

// Trace returns the calls of Lua functions on a thread.
func Trace(L *lua.LState) diag.Trace {
	var t diag.Trace
	source := sourceOf(L)
	for f := lua.Running(L); f != nil; f = f.Outside(1) {
		if lua.IsGo(f.Fn) || lua.Proto(f.Fn).SourceName == "" { // of the library
			continue
		}
		one := diag.Frame{At: source.Place(lua.Proto(f.Fn), f.At()), Name: name(f), Start: lua.Proto(f.Fn).LineDefined}
		if f.Outside(1) == nil && lua.IsCoroutine(L) {
			one.Kind = diag.Thread
		}
		t = append(t, one)
		for range f.TailCall {
			t = append(t, diag.Frame{Kind: diag.Tail})
		}
	}
	return t.Short()
}
