package numbers

import (
	"math"
	"strings"
)

// quickDigits is how many digits of a numeral fit into a whole number of 64 bits. Longer
// numerals take strconv's slow path.
const quickDigits = 19

// Steps returns how many instructions it takes to find the number x that is nearest to a
// numeral, beyond reading it. Most numerals are decided by their first digits. For the others
// strconv shifts all digits until the power of two is gone: the more of it there is, the more
// digits there are to shift, and the more often. Measured are 1 to 90 microseconds, which is what
// the steps below stand for at ten nanoseconds each.
func Steps(text string, x float64) int {
	_, exponent := math.Frexp(x)
	switch {
	case x == 0:
		digits, _, scaled := strings.Cut(strings.ToLower(text[:min(len(text), short)]), "e")
		if !scaled || !strings.ContainsAny(digits, "123456789") {
			return 0
		}
		exponent = least
	case math.Abs(x) < 0x1p-1022, math.IsInf(x, 0):
		exponent = least
	case len(text) <= quickDigits || digitsOf(text) <= quickDigits:
		return 0
	}
	exponent = max(exponent, -exponent)
	return 100 + exponent + exponent*exponent/400 + min(len(text), mostDigits)*exponent/200
}

// least is the exponent of the least number.
const least = -1074

// digitsOf counts the digits of a numeral.
// It looks at no more than short bytes: the caller asks only whether there are many.
func digitsOf(text string) (n int) {
	for _, c := range []byte(text[:min(len(text), short)]) {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}

// WriteSteps returns how many instructions it takes to write a number as text, beyond its bytes. A whole
// number takes none. The digits of another one take 100 to 190 nanoseconds.
func WriteSteps(v float64) int {
	if v == math.Trunc(v) && math.Abs(v) < most {
		return 0
	}
	return 15
}
