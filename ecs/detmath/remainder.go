package detmath

import (
	"math"
	"math/bits"
)

// modSlow returns the same as math.Mod, bit for bit, in bounded time. math.Mod takes a step
// for each bit of the quotient, of which there may be 2,000.
//
// With x = m·2^e and y = by·2^low, the remainder is (m · 2^(e−low) mod by) · 2^low, all in
// whole numbers.
func modSlow(x, y float64) float64 {
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

// moduloSlow moves the remainder to the side of the divisor.
func moduloSlow(x, y float64) float64 {
	r := modSlow(x, y) + 0 // no -0
	if r < 0 && y > 0 || r > 0 && y < 0 {
		r += y
	}
	return r
}

// mantissaBits is how many bits of a number are kept, its highest one included.
const mantissaBits = 53

// split returns a positive number as m·2^e, where m has 53 bits and the highest one is
// set.
func split(x float64) (m uint64, e int) {
	w := math.Float64bits(x)
	m, e = w&(1<<(mantissaBits-1)-1), int(w>>(mantissaBits-1))
	if e == 0 {
		n := bits.LeadingZeros64(m) - (64 - mantissaBits)
		return m << n, 1 - 1075 - n
	}
	return m | 1<<(mantissaBits-1), e - 1075
}

// power returns 2^n modulo m, by squaring: about log2(n) steps. It begins with the six
// highest bits of n, which fit into one shift. Twice a remainder needs no division.
func power(n uint, m uint64) uint64 {
	below := max(bits.Len(n)-6, 0) // bits of n that are still to come
	p := uint64(1) << (n >> below) % m
	for below > 0 {
		below--
		p = product(p, p, m)
		if n>>below&1 != 0 {
			if p <<= 1; p >= m {
				p -= m
			}
		}
	}
	return p
}

// product returns x·y modulo m, from the product in 128 bits. x and y have at most 53
// bits, m has exactly 53.
func product(x, y, m uint64) uint64 {
	high, low := bits.Mul64(x, y)
	_, rest := bits.Div64(high, low, m)
	return rest
}
