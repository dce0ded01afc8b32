//go:build !machine

package stdlib

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/internal/numbers"
	lua "github.com/yuin/gopher-lua"
)

// The arguments of functions of the library. All of them read their arguments here, so
// that all errors about arguments read alike and have the place of the call.

// args reads the arguments of a built-in function. It knows the function's name, for
// messages. Each method raises a Lua error if the argument is not what the function needs.
type args struct {
	*lua.LState
	name string
}

// fail raises an error about the nth argument, counted from 1.
func (a args) fail(n int, message string) {
	e := diag.New("bad argument #%d to %q (%s)", n, a.name, message)
	raiseAt(a.LState, 1, e.On(fault.InCall(a.LState, fault.Argument(n))))
}

// expected raises an error about the type of the nth argument.
func (a args) expected(n int, wanted string) {
	got := "no value"
	if n <= a.GetTop() {
		got = fault.TypeName(a.Get(n))
	}
	a.fail(n, fmt.Sprintf("%s expected, got %s", wanted, got))
}

// any returns the nth argument, which must be present.
func (a args) any(n int) lua.LValue {
	if n > a.GetTop() {
		a.fail(n, "value expected")
	}
	return a.Get(n)
}

// table returns a table to be read: its content, if it is a proxy.
func (a args) table(n int) *lua.LTable { return proxy.Unwrap(a.proxy(n)) }

// proxy returns a table as the script has it, without a look behind a proxy. A table of the
// host's that is over, because its call has ended, is an error.
func (a args) proxy(n int) *lua.LTable {
	t, ok := a.Get(n).(*lua.LTable)
	if !ok {
		a.expected(n, "table")
	}
	if t.Metatable != lua.LNil {
		if why := proxy.Over(t); why != "" {
			raise(a.LState, "%s", why)
		}
	}
	return t
}

// put sets a key of a table without calling a metamethod of the script. If the table is a
// proxy, or a row or a list that the host fills again, its metamethod is the host's and must
// be called: the host keeps the content, and what it does not know would stay for later rows.
func (a args) put(t *lua.LTable, key, value lua.LValue) {
	if proxy.Own(t) {
		if b, _ := budgetOf(a.Context()); b != nil { // which counts what a gap takes to fill
			b.put(a.LState, t, key, value)
		} else {
			t.RawSet(key, value)
		}
		return
	}
	charge(a.LState, 1)
	if proxy.Sealed(t) { // also for keys that it has
		t = &lua.LTable{Metatable: t.Metatable}
	}
	a.SetTable(t, key, value)
}

// function returns the nth argument, which must be a function.
func (a args) function(n int) *lua.LFunction {
	fn, ok := a.Get(n).(*lua.LFunction)
	if !ok {
		a.expected(n, "function")
	}
	return fn
}

// number returns the nth argument as a number. Texts of numbers are accepted, as in Lua.
func (a args) number(n int) float64 {
	v, ok := toNumber(a.LState, a.Get(n))
	if !ok {
		a.expected(n, "number")
	}
	return v
}

// integer returns the nth argument as a whole number, without its fraction. A number that
// no int can hold becomes the nearest int, and not-a-number becomes zero.
// A Go conversion of such a number would differ from one processor to another.
func (a args) integer(n int) int { return numbers.Truncate(a.number(n)) }

// integerOr is integer with a default, for an argument that is absent or nil.
func (a args) integerOr(n, missing int) int {
	if a.Get(n) == lua.LNil {
		return missing
	}
	return a.integer(n)
}

// text returns the nth argument as a text. Numbers are accepted, as in Lua.
// Nothing is charged: a text is not copied, and a number has a short one.
func (a args) text(n int) string {
	switch v := a.Get(n).(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return numbers.Format(float64(v))
	}
	a.expected(n, "string")
	return ""
}

// results pushes values and returns how many they are, as a built-in function must.
func (a args) results(values ...lua.LValue) int {
	for _, v := range values {
		a.Push(v)
	}
	return len(values)
}

// raise raises an error at the Lua code that called the running function. The format is
// that of diag.New.
func raise(L *lua.LState, format string, v ...any) { raiseAt(L, 1, diag.New(format, v...)) }

// raiseAt raises an error with the place of the function at a level. An error that has a
// place already keeps it; the text that a script catches begins with the place of the
// level.
func raiseAt(L *lua.LState, level int, e *diag.Error) {
	at := fault.Level(L, level)
	here := *e
	if here.Line == 0 {
		here.Put(at)
	}
	fault.Throw(L, &here, lua.LString(fault.Prefix(at)+e.Message))
}
