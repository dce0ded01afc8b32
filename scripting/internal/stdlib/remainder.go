package stdlib

import (
	"math"
	"math/bits"
)

// Remainder returns what math.Mod returns, to the last bit, in a time that has a bound:
// math.Mod takes a step for each bit of the quotient, of which there may be 2,000.
func Remainder(x, y float64) float64 {
	ax, ay := math.Abs(x), math.Abs(y)
	switch {
	case !(ay > 0) || !(ax <= math.MaxFloat64):
		return math.NaN()
	case ax < ay:
		return x
	}
	m, e := split(ax)
	by, low := split(ay)
	if distance := uint(e - low); distance <= 64-mantissaBits {
		m = m << distance % by
	} else {
		m = product(m%by, power(distance, by), by)
	}
	return math.Copysign(math.Ldexp(float64(m), low), x)
}

// Modulo is the operator %: a remainder with the sign of the divisor.
func Modulo(x, y float64) float64 {
	r := Remainder(x, y)
	if r < 0 && y > 0 || r > 0 && y < 0 {
		r += y
	}
	return r
}

const mantissaBits = 53

// split returns a positive number as m·2^e. The highest of 53 bits of m is set.
func split(x float64) (m uint64, e int) {
	w := math.Float64bits(x)
	m, e = w&(1<<(mantissaBits-1)-1), int(w>>(mantissaBits-1))
	if e == 0 {
		n := bits.LeadingZeros64(m) - (64 - mantissaBits)
		return m << n, 1 - 1075 - n
	}
	return m | 1<<(mantissaBits-1), e - 1075
}

// power returns 2^n modulo m.
func power(n uint, m uint64) uint64 {
	below := max(bits.Len(n)-5, 0) // bits of n that are still to come
	p := uint64(1) << (n >> below) % m
	for below > 0 {
		below--
		p = product(p, p, m)
		if n>>below&1 != 0 {
			p = p << 1 % m
		}
	}
	return p
}

// product returns x·y modulo m. All have 53 bits at most, and m has all of them.
func product(x, y, m uint64) uint64 {
	high, low := bits.Mul64(x, y)
	_, rest := bits.Div64(high, low, m)
	return rest
}
