package formula

import "math"

// Remainders are exact. For |x/y| < 2^25 the whole quotient q has 25 bits, and y is split in
// two of 26 and 27: each product with q is exact, and so is each difference, for the result
// is a multiple of the last bit of y and less than y. The quotient of the division may have
// been rounded up to a whole number, and is then one too many.

// remainderParts is |x| modulo |y|, y finite.
func remainderParts(x, y Float) (holds Mask, r Float) {
	q := x.Div(y).Trunc()
	holds = q.Lt(number(1 << 25)).And(y.Le(number(math.MaxFloat64)))
	high := half(y)
	low := y.Sub(high)
	r = x.Sub(q.Mul(high)).Sub(q.Mul(low))
	return holds, r.Add(r.Lt(number(0)).Choose(y, number(0)))
}

// mod is the remainder with the sign of x: C's fmod.
func mod(a []Float) (Mask, []Float) {
	holds, r := remainderParts(a[0].Abs(), a[1].Abs())
	return holds, []Float{signed(r, sign(a[0]))}
}

// modulo is the remainder on the side of y: Lua's %. A remainder of 0 keeps the sign of x.
func modulo(a []Float) (Mask, []Float) {
	x, y := a[0], a[1]
	ay := y.Abs()
	holds, r := remainderParts(x.Abs(), ay)
	across := x.Bits().Xor(y.Bits()).Negative().And(number(0).Lt(r))
	s := across.ChooseInt(y.Bits(), x.Bits()).And(integer(signBit))
	return holds, []Float{signed(across.Choose(ay.Sub(r), r), s)}
}
