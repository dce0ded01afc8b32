//go:build !machine

package stdlib

import (
	"github.com/perigee-ecs/perigee/internal/numbers"
	lua "github.com/yuin/gopher-lua"
)

// What the functions of the library cost, and the helpers by which they pay.
// Instructions of the VM are weighed in weigh.go by the same figures.

// What work costs, in steps of about ten nanoseconds. The figures were measured;
// TestCallsAreCharged fails if a function of the library takes much longer than it charges.
const (
	// bytesPerStep is how many bytes cost as much as one instruction to fill or copy.
	bytesPerStep = 64
	// readPerStep is how many are read one by one for a step: numerals, comparisons.
	readPerStep = 8
	// errorSteps is what it costs to raise an error, catch it and write its traceback.
	// Each call on the thread adds frameSteps.
	errorSteps = 500
	frameSteps = 250
	// short is the length up to which a text costs nothing extra.
	short = 64
)

// reading counts the steps to go through a text byte by byte.
func reading(L *lua.LState, text string) {
	if len(text) > short {
		charge(L, len(text)/readPerStep)
	}
}

// comparing counts the steps to compare two texts in order. A comparison goes on as long
// as the texts are equal, so texts that soon differ cost nothing extra.
func comparing(L *lua.LState, x, y string) {
	if n := compareSteps(x, y); n > 0 {
		charge(L, n)
	}
}

// listLength returns the length of a list, and counts the holes that it goes back over.
func listLength(L *lua.LState, t *lua.LTable) int {
	if n := HoleSteps(t); n > 0 {
		charge(L, n)
	}
	return t.Len()
}

// filling counts the bytes that an assignment to a key takes. To set an item far after the
// end of a list fills the list up to it.
func filling(L *lua.LState, t *lua.LTable, key lua.LValue) {
	if n, ok := key.(lua.LNumber); ok {
		if gap := gapTo(t, float64(n)); gap > 0 {
			grow(L, gap*itemBytes)
		}
		return
	}
	grow(L, keyBytes)
}

// grow counts bytes of small values on the meter of L, if it has one that counts them.
// A Budget and a coroutine do; Grow is no part of Meter because other meters need not
// tell small values from texts.
func grow(L *lua.LState, bytes int) {
	if meter, ok := L.Context().(interface{ Grow(*lua.LState, int) }); ok {
		meter.Grow(L, bytes)
	}
}

// toNumber converts numbers and texts of numbers, and charges for the time that a long
// text takes.
func toNumber(L *lua.LState, v lua.LValue) (float64, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v), true
	case lua.LString:
		reading(L, string(v))
		x, ok := numbers.Parse(string(v))
		if n := numbers.Steps(string(v), x); n > 0 {
			charge(L, n)
		}
		return x, ok
	}
	return 0, false
}
