package library

import (
	"fmt"
	"math"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/internal/numbers"
)

// The arguments of functions of the library. All of them read their arguments here, so
// that all errors about arguments read alike and have the place of the call.

// args reads the arguments of a built-in function. Each method raises an error if the
// argument is not what the function needs.
type args struct{ *machine.Call }

// fail raises an error about the nth argument, counted from 1.
func (a args) fail(n int, message string) { a.wrong(n, message, "") }

// wrong is fail with what is said after it.
func (a args) wrong(n int, message, why string) {
	e := diag.New("bad argument #%d to %q (%s)%s", n, a.Function().Name(), message, why)
	a.raiseAt(1, e.On(a.Thread().InCall(machine.Argument(n))))
}

// expected raises an error about the type of the nth argument.
func (a args) expected(n int, wanted string) {
	got := "no value"
	if n <= a.Len() {
		got = machine.TypeName(a.Arg(n))
	}
	message, why := fmt.Sprintf("%s expected, got %s", wanted, got), ""
	if n <= a.Len() && a.Arg(n).IsNil() {
		why = a.Thread().NilArgument(n)
	} else if name := a.Function().Name(); got == "function" && (name == "pairs" || name == "ipairs") {
		why = ": a function that gives one value after the other needs neither pairs nor ipairs: write for … in f do"
	}
	a.wrong(n, message, why)
}

// any returns the nth argument, which must be present.
func (a args) any(n int) machine.Value {
	if n > a.Len() {
		a.fail(n, "value expected")
	}
	return a.Arg(n)
}

// function returns the nth argument, which must be a function.
func (a args) function(n int) *machine.Function {
	fn := a.Arg(n).Function()
	if fn == nil {
		a.expected(n, "function")
	}
	return fn
}

// number returns the nth argument as a number. Texts of numbers are accepted, as in Lua.
func (a args) number(n int) float64 {
	if v := a.Arg(n); v.IsNumber() {
		return v.Float()
	}
	v, ok := a.toNumber(a.Arg(n))
	if !ok {
		a.expected(n, "number")
	}
	return v
}

// integer returns the nth argument as a whole number, without its fraction; see
// numbers.Truncate.
func (a args) integer(n int) int {
	if v := a.Arg(n); v.IsNumber() {
		if i := int32(v.Float()); float64(i) == v.Float() {
			return int(i)
		}
	}
	return numbers.Truncate(a.number(n))
}

// integerOr is integer with a default, for an argument that is absent or nil.
func (a args) integerOr(n, missing int) int {
	if a.Arg(n).IsNil() {
		return missing
	}
	return a.integer(n)
}

// text returns the nth argument as a text. Numbers are accepted, as in Lua.
// Nothing is charged: a text is not copied, and a number has a short one.
func (a args) text(n int) string {
	v := a.Arg(n)
	if v.IsString() {
		return v.Str().String()
	}
	if !v.IsNumber() {
		a.expected(n, "string")
	}
	return numbers.Format(v.Float())
}

// pushText pushes a text.
func (a args) pushText(s string) { a.Push(machine.String(s)) }

// pushBytes pushes a text of a copy of some bytes.
func (a args) pushBytes(text []byte) { a.Push(machine.Text(machine.CopyStr(text))) }

// pushNumber pushes a number.
func (a args) pushNumber(x float64) { a.Push(machine.Number(x)) }

// raise raises an error at the Lua code that called the running function. The format is
// that of diag.New.
func (a args) raise(format string, v ...any) { a.raiseAt(1, diag.New(format, v...)) }

// raiseAt raises an error with the place of the function at a level. An error that has a
// place already keeps it; the text that a script catches begins with the place of the
// level.
func (a args) raiseAt(level int, e *diag.Error) {
	at := a.Thread().Level(level)
	here := *e
	if here.Line == 0 {
		here.Put(at)
	}
	a.Thread().Throw(&here, machine.String(machine.Prefix(at)+e.Message))
}

// fits raises an error if one text must not have so many bytes.
func (a args) fits(bytes int) {
	if bytes > a.limit() || bytes < 0 {
		a.tooLong(float64(bytes))
	}
}

// limit is how many bytes one text may have.
func (a args) limit() int {
	if limit := a.VM().LongestText; limit > 0 && limit < longest {
		return limit
	}
	return longest
}

// tooLong raises the error about a text of so many bytes.
func (a args) tooLong(bytes float64) {
	size := int64(math.MaxInt64)
	if bytes < math.MaxInt64 {
		size = int64(bytes)
	}
	a.raiseAt(1, diag.Reached("String", "string too long: %s of %s bytes", diag.Grouped(size), diag.Grouped(int64(a.limit()))))
}

// longest is how many bytes a text may have on a machine without a limit. A longer one is a
// mistake, and might not fit into memory.
const longest = 1 << 30

// newText counts the bytes of a text before it is made, so that a script which may not have
// it does not take the memory for a moment.
func (a args) newText(bytes int) {
	a.fits(bytes)
	a.Alloc(bytes)
}

// Text and Fail make args a pattern.Payer.

// Text counts the bytes of a piece that is added to a text.
func (a args) Text(have, piece int) {
	a.fits(have + piece)
	a.Alloc(piece)
}

// Fail raises an error with a message.
func (a args) Fail(message string) { a.raise("%s", message) }
