package formula

import "math"

// Sine, cosine and tangent: the argument is taken to -π/4 … π/4 by multiples of π/2, and
// polynomials do the rest (Cody and Waite 1980; the constants and the polynomials are those of
// fdlibm's e_rem_pio2, k_sin and k_cos, Sun Microsystems 1993). The quadrant chooses between
// the two polynomials and the sign.

// farthest is where the reduction ends: a multiple of π/2 has 20 bits there, and its product
// with a part of π/2 of 33 bits is exact. Beyond it detmath computes with 192 bits of 2/π.
const farthest = 1 << 19

// Parts of π/2: three of 33 bits, the rest, and the last two together.
var (
	halfPi1    = pattern(0x3FF921FB, 0x54400000)
	halfPi2    = pattern(0x3DD0B461, 0x1A600000)
	halfPi3    = pattern(0x3BA3198A, 0x2E000000)
	halfPiRest = pattern(0x397B839A, 0x252049C1)
)

// reduce returns the nearest multiple of π/2 in low bits, and x less it as y - excess, where
// excess is about a unit of y at most.
//
// Why three parts? Two leave an error of 2^-100: enough for arguments, but not for the ones
// that are nearest to a multiple, whose difference begins at 2^-60.
//
// Each subtrahend k·p is exact, and so is what each difference has lost: either the minuend is
// the greater one, or both are less than 2·k·p, of which the difference is a multiple of the
// last bit, and has 53 bits at most.
func reduce(x Float) (quadrant Int, y, excess Float) {
	k, quadrant := round(x.Mul(number(2 / math.Pi)))
	y, lost := lessTail(x.Sub(k.Mul(halfPi1)), k.Mul(halfPi2))
	y, lost3 := lessTail(y, k.Mul(halfPi3))
	return quadrant, y, k.Mul(halfPiRest).Sub(lost.Add(lost3))
}

// sinePoly is the polynomial of fdlibm for (sin(y) - y)/y³ in y².
var sinePoly = []float64{-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10}

// sine is sin(y - excess), for |y| ≤ π/4. What is taken from y is no -0, so that the sine of -0
// is -0.
func sine(y, excess Float) Float {
	z := y.Mul(y)
	return y.Sub(excess.Sub(z.Mul(y).Mul(polyPairs(z, sinePoly...))))
}

// sineParts is sine as a difference of two, with errors that a quotient does not show. cosine is
// cos(y), nearly.
func sineParts(y, excess, cosine Float) (s, rest Float) {
	z := y.Mul(y)
	v := z.Mul(y)
	small := v.Mul(z.Mul(poly(z, sinePoly[1:]...)))
	return lessTail(y, excess.Mul(cosine).Sub(small).Sub(v.Mul(number(sinePoly[0]))))
}

// cosineParts is cos(y - excess) as a sum of two.
func cosineParts(y, excess Float) (c, rest Float) {
	z := y.Mul(y)
	r := z.Mul(polyPairs(z, 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05, -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11))
	h := number(0.5).Mul(z)
	c = number(1).Sub(h)
	return c, number(1).Sub(c).Sub(h).Add(z.Mul(r).Add(y.Mul(excess)))
}

func cosine(y, excess Float) Float {
	c, rest := cosineParts(y, excess)
	return c.Add(rest)
}

// turn gives sin of an angle whose quadrant is that many turns of π/2 ahead.
func turn(quadrant Int, ahead uint64, y, excess Float) Float {
	if ahead > 0 {
		quadrant = quadrant.Add(integer(ahead))
	}
	v := quadrant.And(integer(1)).Eq(integer(1)).Either(cosine(y, excess), sine(y, excess))
	return turned(v, quadrant.And(integer(2)).Shl(62))
}

func sin(x []Float) (Mask, []Float) {
	near := x[0].Mul(x[0]).Le(number(farthest * farthest))
	q, y, excess := reduce(x[0])
	return near, []Float{turn(q, 0, y, excess)}
}

func cos(x []Float) (Mask, []Float) {
	near := x[0].Mul(x[0]).Le(number(farthest * farthest))
	q, y, excess := reduce(x[0])
	return near, []Float{turn(q, 1, y, excess)}
}

func sincos(x []Float) (Mask, []Float) {
	near, s := sin(x)
	_, c := cos(x)
	return near, append(s, c...)
}

func tan(x []Float) (Mask, []Float) {
	near := x[0].Mul(x[0]).Le(number(farthest * farthest))
	q, y, excess := reduce(x[0])
	return near, []Float{x[0].Eq(number(0)).Choose(x[0], tangent(q, y, excess))}
}

// tangent divides sine and cosine as sums of two, and corrects the quotient by what it has
// lost.
func tangent(quadrant Int, y, excess Float) Float {
	c, cLow := cosineParts(y, excess)
	s, sLow := sineParts(y, excess, c)
	c, cLow = sumTail(c, cLow)
	odd := quadrant.And(integer(1))
	swap := odd.Eq(integer(1))
	top, topLow := swap.Choose(c, s), swap.Choose(cLow, sLow)
	bottom, bottomLow := swap.Choose(s, c), swap.Choose(sLow, cLow)
	q := quotient(top, topLow, bottom, bottomLow)
	return turned(q, odd.Shl(63))
}

// quotient divides sums of two.
func quotient(x, xLow, y, yLow Float) Float {
	q, low := quotientParts(x, xLow, y, yLow)
	return q.Add(low)
}

// quotientParts is quotient before its last rounding. What the division has lost is x - q·y,
// which is exact by products of halves (Dekker 1971).
func quotientParts(x, xLow, y, yLow Float) (q, low Float) {
	q = x.Div(y)
	qh, yh := half(q), half(y)
	ql, yl := q.Sub(qh), y.Sub(yh)
	rest := x.Sub(qh.Mul(yh)).Sub(qh.Mul(yl)).Sub(ql.Mul(yh)).Sub(ql.Mul(yl))
	return q, rest.Add(xLow).Sub(q.Mul(yLow)).Div(y)
}

// The parts for arguments that are reduced elsewhere.

func sineOf(x []Float) (Mask, []Float)   { return Mask{}, []Float{sine(x[0], x[1])} }
func cosineOf(x []Float) (Mask, []Float) { return Mask{}, []Float{cosine(x[0], x[1])} }

// tangentOf takes the quadrant as a number, 0 or 1.
func tangentOf(x []Float) (Mask, []Float) {
	_, q := round(x[2])
	return Mask{}, []Float{tangent(q, x[0], x[1])}
}
