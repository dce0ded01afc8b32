package numbers

import (
	"math"
	"strings"
)

// quickDigits is how many digits of a numeral fit into a whole number of 64 bits. Longer
// numerals take strconv's slow path.
const quickDigits = 19

// Steps returns how many instructions it takes to find the number x that is nearest to a
// numeral, beyond reading it. Most numerals are decided by their first digits. For the
// others strconv goes through all bits of the power of two.
func Steps(text string, x float64) int {
	const most = 1024
	_, exponent := math.Frexp(x)
	switch {
	case x == 0:
		if strings.ContainsAny(text[:min(len(text), short)], "eE") {
			return most / 2
		}
	case math.Abs(x) < 0x1p-1022, math.IsInf(x, 0):
		return most / 2
	case len(text) > quickDigits && digitsOf(text) > quickDigits:
		return max(exponent, -exponent) / 2
	}
	return 0
}

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
