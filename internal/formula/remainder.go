package formula

import "math"

// Remainders are exact. For |x/y| < 2^25 the whole quotient q has 25 bits, and y is split in
// two of 26 and 27: each product with q is exact, and so is each difference, for the result
// is a multiple of the last bit of y and less than y. The quotient of the division may have
// been rounded up to a whole number, and is then one too many.

// remainderParts is x less a multiple of y, y finite: the remainder with the sign of x, or
// with the other sign what is y away from it.
func remainderParts(x, y Float) (q, r Float) {
	q = x.Div(y).Trunc()
	high := half(y)
	low := y.Sub(high)
	return q, x.Sub(q.Mul(high)).Sub(q.Mul(low))
}

// exactRemainder tells, of a quotient and a divisor, whether it is exact.
func exactRemainder(q, y Float) Mask {
	return q.Mul(q).Lt(number(1 << 50)).And(y.Abs().Le(number(math.MaxFloat64)))
}

// mod is the remainder with the sign of x: C's fmod.
func mod(a []Float) (Mask, []Float) {
	y := a[1].Abs()
	q, r := remainderParts(a[0].Abs(), y)
	r = r.Add(r.Lt(number(0)).Keep(y))
	return exactRemainder(q, y), []Float{signed(r, sign(a[0]))}
}

// modulo is the remainder on the side of y: Lua's %.
//
// One correction serves for both: a quotient that is one too many, and a remainder with the
// sign of x where y has another one. Where both are the case, the remainder is there already.
func modulo(a []Float) (Mask, []Float) {
	x, y := a[0], a[1]
	q, r := remainderParts(x, y)
	r = r.Add(turned(r, sign(y)).Lt(number(0)).Keep(y))
	zero := y.Eq(number(0))
	return exactRemainder(q, y).Or(zero), []Float{zero.Choose(notANumber, r)}
}
