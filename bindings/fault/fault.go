// Package fault carries errors as values through the Lua VM.
//
// What is raised is a carrier: a [diag.Error], which the host gets in the end, beside the
// Lua value that a script sees when it catches the error. So pcall and coroutine.resume
// return what Lua 5.1 returns, a text that begins with its place or the very value that was
// raised, and yet nobody reads the place, or a limit, out of a text: whoever raises knows
// them, and takes the place from the frame of the function that is running.
//
// Who raises? Functions of Go call [Raise], or [Throw] for a value of the script's own. The
// VM itself raises texts: [Intercept] has them made carriers at once, while the frames are
// still there. Who catches? [Value] says what a script sees of it, [Caught] what the host
// gets.
//
// Whoever catches an error for a script may raise it again with [Pass]: it keeps its place.
//
// Where does a place come from? Prototypes have lines alone. The host, which has read the
// texts, gives a [Source] to its state with [Serve]: that knows for each instruction the line and the
// column of the token it comes from, and of calls and loops their parts. [InCall] and
// [RaiseAt] ask for the very argument that is wrong. What a script sees of an error begins
// with the line alone, as in Lua 5.1. A text that is gone has lines and no columns.
//
// # Where code lives
//
//	errors raised, passed on, caught            fault
//	places: of frames, of parts of a call       frames
//	what the VM says, in our words              messages
//	what a value is and is called, in messages  mistakes
//	who knows the texts of a state              serve
package fault

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
)

// Raise raises an error. Without a place it gets that of the innermost function of Lua. A
// script that catches it sees the line at which that function is, and the message.
func Raise(L *lua.LState, e *diag.Error) {
	here := traced(L, e)
	at := seen(L)
	if at.Line == 0 {
		at = e.At()
	}
	throw(L, here, lua.LString(Prefix(at)+here.Message))
}

// Prefix is a place as it stands before the message that a script sees, which is a text as
// of Lua: script and line. It is empty for nowhere.
func Prefix(at diag.Place) string {
	if at.Line == 0 {
		return ""
	}
	at.Column = 0
	return at.String() + ": "
}

// Raisef raises an error with a message of package diag's Format.
func Raisef(L *lua.LState, format string, v ...any) { Raise(L, diag.New(format, v...)) }

// RaiseAt is Raisef for a part of the call of the running function of Go.
func RaiseAt(L *lua.LState, part Part, format string, v ...any) {
	Raise(L, diag.New(format, v...).On(InCall(L, part)))
}

// Throw raises an error that a script sees as a value of its own.
func Throw(L *lua.LState, e *diag.Error, value lua.LValue) { throw(L, traced(L, e), value) }

// traced returns a copy of an error with the calls that are running, and their place if it
// has none.
func traced(L *lua.LState, e *diag.Error) *diag.Error {
	here := *e
	if here.Trace == nil {
		here.Trace = Trace(L)
	}
	if here.Line == 0 {
		here.Put(here.Trace.Place())
	}
	return &here
}

func throw(L *lua.LState, e *diag.Error, value lua.LValue) { L.Error(Carry(e, value), 0) }

// Pass raises an error again that was caught, as another value: its place stays.
func Pass(L *lua.LState, e *diag.Error, value lua.LValue) {
	again := *e
	again.Trace = nil
	Throw(L, &again, value)
}

// Catch is deferred by functions of Go that a protected call has begun: what Go code raises
// in them, a panic, becomes a carrier while the frames are still there.
func Catch(L *lua.LState) { raiseAgain(L, nil, recover()) }

// CatchIn is Catch around a function of the host's, with its name for the message.
func CatchIn(L *lua.LState, name func(*lua.LState) string) { raiseAgain(L, name, recover()) }

// raiseAgain panics as before, but with an error of Lua's. It is called while the panic
// goes on, so the stack is that of the code that has failed. Most calls of the host's
// functions end well: for these it must cost next to nothing.
func raiseAgain(L *lua.LState, name func(*lua.LState) string, cause any) {
	if cause == nil {
		return
	}
	if lua.IsRaised(cause) {
		panic(cause)
	}
	e := panicked(fmt.Sprint(cause))
	if e.Kind == diag.Panic {
		if name != nil {
			e.Message = name(L) + ": " + e.Message
		}
		e.GoStack = string(debug.Stack())
	}
	e.Err, _ = cause.(error)
	e = traced(L, e)
	lua.Panic(Carry(e, lua.LString(Prefix(e.At())+e.Message)))
}

// Intercept has what the VM itself raises on a thread made carriers, up to the end of the
// protected call that is running.
func Intercept(L *lua.LState) { lua.OnRaise(L, panicWithValue) }

// panicWithValue is called where the VM raises, with the error on top of the stack.
func panicWithValue(L *lua.LState) {
	v := L.Get(-1)
	if Of(v) == nil {
		v = ofVM(L, v)
	}
	lua.Raise(v)
}

// longestText is how many bytes of a text of the VM are looked at: a key of a script may
// be in it, of any length.
const longestText = 4 << 10

// ofVM makes a carrier of what the VM has raised: a text, with the place of the
// innermost function of Lua before it.
func ofVM(L *lua.LState, v lua.LValue) lua.LValue {
	e := traced(L, &diag.Error{})
	text, ok := v.(lua.LString)
	if !ok {
		return Carry(e, v)
	}
	before := Prefix(e.At())
	e.Message, e.Kind = inOurWords(withoutPrefix(diag.CutAt(string(text), longestText), before))
	if named := mistake(L, e.Message); named != nil {
		e.Message = named.Message
		if named.Line > 0 {
			e.Put(named.At())
		}
	}
	return Carry(e, lua.LString(before+e.Message))
}

// Value returns what a script sees of an error that was raised.
func Value(v lua.LValue) lua.LValue {
	if _, value, ok := lua.Carried(v); ok {
		return value
	}
	return v
}

// Carry returns what a protected call that has not begun would have raised.
func Carry(e *diag.Error, value lua.LValue) lua.LValue {
	return lua.Carry(e, value)
}

// Of returns the error that was raised, nil where nothing but a value was.
func Of(v lua.LValue) *diag.Error {
	e, _, _ := lua.Carried(v)
	return e
}

// Caught returns what the host gets of an error that a protected call has returned. words
// returns the message of a value that a script has raised.
func Caught(err error, words func(lua.LValue) string) *diag.Error {
	var known *diag.Error
	if errors.As(err, &known) {
		return known
	}
	var api *lua.ApiError
	if !errors.As(err, &api) {
		return &diag.Error{Message: err.Error(), Err: err}
	}
	if e, value, ok := lua.Carried(api.Object); ok {
		copied := *e
		if copied.Message == "" {
			copied.Message = words(value)
		}
		return &copied
	}
	if api.Type == lua.ApiErrorPanic {
		return panicked(fmt.Sprint(api.Object))
	}
	return &diag.Error{Message: words(api.Object), Err: api.Cause}
}

// panicked is the error of a panic in Go code, or of the VM's where it ends a call so.
func panicked(text string) *diag.Error {
	message, kind := inOurWords(text)
	if kind == diag.Fault {
		return &diag.Error{Kind: diag.Panic, Message: "panic in Go: " + message}
	}
	return &diag.Error{Kind: kind, Message: message}
}
