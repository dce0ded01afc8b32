package library

import (
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/internal/numbers"
)

// What the functions of the library cost, and the helpers by which they pay.

// What work costs, in steps of about ten nanoseconds.
const (
	// bytesPerStep is how many bytes cost as much as one instruction to fill or copy.
	bytesPerStep = 64
	// readPerStep is how many are read one by one for a step: numerals, comparisons.
	readPerStep = 8
	// short is the length up to which a text costs nothing extra.
	short = 64
	// valuesPerStep is how many values can be moved in the time of a step.
	valuesPerStep = 8
)

// reading counts the steps to go through a text byte by byte.
func (a args) reading(text string) {
	if len(text) > short {
		a.Charge(len(text) / readPerStep)
	}
}

// hashing counts the steps to look up a key: a long text is hashed byte by byte.
func (a args) hashing(key machine.Value) {
	if key.IsString() {
		if n := key.Str().Len(); n > short {
			a.Charge(n/bytesPerStep + 1)
		}
	}
}

// comparing counts the steps to compare two texts in order. A comparison goes on as long
// as the texts are equal, so texts that soon differ cost nothing extra.
func (a args) comparing(x, y string) {
	if n := min(len(x), len(y)); n > short && x[:short] == y[:short] {
		a.Charge(n / readPerStep)
	}
}

// toNumber converts numbers and texts of numbers, and charges for the time that a long
// text takes.
func (a args) toNumber(v machine.Value) (float64, bool) {
	if v.IsNumber() {
		return v.Float(), true
	}
	if !v.IsString() {
		return 0, false
	}
	text := v.Str().String()
	a.reading(text)
	x, ok := numbers.Parse(text)
	if n := numbers.Steps(text, x); n > 0 {
		a.Charge(n)
	}
	return x, ok
}

// writing charges for a number that becomes text.
func (a args) writing(x float64) {
	if n := numbers.WriteSteps(x); n > 0 {
		a.Charge(n)
	}
}

// isText reports whether a value is a string or a number, which the library takes for a
// text.
func isText(v machine.Value) bool { return v.IsString() || v.IsNumber() }

// plainText returns the text of a string or a number.
// The caller has asked isText.
func plainText(v machine.Value) string {
	if v.IsNumber() {
		return numbers.Format(v.Float())
	}
	return v.Str().String()
}
