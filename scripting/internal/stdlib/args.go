package stdlib

import (
	"fmt"
	"math"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	lua "github.com/yuin/gopher-lua"
)

// args reads the arguments of a built-in function, which it knows by name for
// the sake of messages.
type args struct {
	*lua.LState
	name string
}

// fail raises an error about the nth argument.
func (a args) fail(n int, message string) {
	raise(a.LState, "bad argument #%d to %q (%s)", n, a.name, message)
}

// expected raises an error about the type of the nth argument.
func (a args) expected(n int, wanted string) {
	got := "no value"
	if n <= a.GetTop() {
		got = typeName(a.Get(n))
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

// table returns a table to be read: what is behind it, if it is a front of the
// host's, see bindings.Behind.
func (a args) table(n int) *lua.LTable { return bindings.Unwrap(a.front(n)) }

// front returns a table as the script has it.
func (a args) front(n int) *lua.LTable {
	t, ok := a.Get(n).(*lua.LTable)
	if !ok {
		a.expected(n, "table")
	}
	if t.Metatable != lua.LNil {
		if why := bindings.Over(t); why != "" {
			raise(a.LState, "%s", why)
		}
	}
	return t
}

// put sets a key of a table without a metamethod of the script's: that of a
// front, which is the host's, must hear of it.
func (a args) put(t *lua.LTable, key, value lua.LValue) {
	if bindings.Unwrap(t) == t {
		if b, _ := budgetOf(a.Context()); b != nil { // which counts what a gap takes to fill
			b.put(a.LState, t, key, value)
		} else {
			t.RawSet(key, value)
		}
		return
	}
	charge(a.LState, 1)
	a.SetTable(t, key, value)
}

func (a args) function(n int) *lua.LFunction {
	fn, ok := a.Get(n).(*lua.LFunction)
	if !ok {
		a.expected(n, "function")
	}
	return fn
}

// number accepts texts of numbers, as Lua does.
func (a args) number(n int) float64 {
	v, ok := toNumber(a.LState, a.Get(n))
	if !ok {
		a.expected(n, "number")
	}
	return v
}

// integer drops the fraction of a number. What no int can hold becomes the
// nearest int, and not-a-number zero.
func (a args) integer(n int) int { return truncate(a.number(n)) }

// integerOr returns a default for an absent or nil argument.
func (a args) integerOr(n, missing int) int {
	if a.Get(n) == lua.LNil {
		return missing
	}
	return a.integer(n)
}

// text accepts numbers, as Lua does.
func (a args) text(n int) string {
	switch v := a.Get(n).(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return formatNumber(float64(v))
	}
	a.expected(n, "string")
	return ""
}

// results pushes values and returns their number.
func (a args) results(values ...lua.LValue) int {
	for _, v := range values {
		a.Push(v)
	}
	return len(values)
}

// raise raises an error at the Lua code that called the running built-in function, with a
// message of package diag's Format.
func raise(L *lua.LState, format string, v ...any) { raiseAt(L, 1, diag.New(format, v...)) }

// raiseAt raises an error with the position of the function at a level.
func raiseAt(L *lua.LState, level int, e *diag.Error) {
	at := where(L, level)
	here := *e
	if here.Line == 0 {
		here.Put(at)
	}
	fault.Throw(L, &here, lua.LString(prefix(at)+e.Message))
}

// prefix is a place as it stands before a message; "" for nowhere.
func prefix(at diag.Place) string {
	if at.Line == 0 {
		return ""
	}
	return at.String() + ": "
}

// where returns the place of the function at a level of the call stack, where 0 is the
// running one; nowhere for a built-in function, for a frame that a tail call replaced, and
// past the end.
func where(L *lua.LState, level int) diag.Place {
	for i := 1; i <= level; i++ {
		frame, ok := L.GetStack(i)
		if !ok {
			return diag.Place{}
		}
		if _, err := L.GetInfo("Sl", frame, nil); err != nil {
			return diag.Place{}
		}
		switch {
		case i == level && frame.CurrentLine > 0:
			return diag.Place{Script: frame.Source, Line: frame.CurrentLine}
		case frame.What == "tail":
			return diag.Place{}
		}
	}
	return diag.Place{}
}

func typeName(v lua.LValue) string { return v.Type().String() }

func truncate(v float64) int {
	switch {
	case math.IsNaN(v):
		return 0
	case v >= math.MaxInt:
		return math.MaxInt
	case v <= math.MinInt:
		return math.MinInt
	}
	return int(v)
}
