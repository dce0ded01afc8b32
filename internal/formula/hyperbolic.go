package formula

import "math"

// The hyperbolic functions. Near 0 they are polynomials; elsewhere e^|x| is a sum of two, so
// that only the last operation rounds as much as the result allows.

// expParts is e^x as (r + tail) · 2^k, with r between √½ and √2. It holds for 0 ≤ x ≤ 720.
func expParts(x Float) (r, tail, k Float, bits Int) {
	k, bits, high, low := expReduced(x)
	r, tail = sumTail(number(1), expRest(high, low))
	return r, tail, k, bits
}

// limited is |x|, 711 at most: no result changes beyond.
func limited(x Float) Float {
	v := x.Abs()
	return number(711).Lt(v).Choose(number(711), v)
}

// expHalves is e^v/2 and e^-v/2 in units of 2^(k-1): r + tail, and small + smallTail. The small one is 0
// where it is too small to matter.
func expHalves(v Float) (r, tail, small Float, bits Int) {
	r, tail, k, bits := expParts(v)
	// 2^(-2k) by its bits, and 0 beyond 2^-80.
	low := number(40).Lt(k).ChooseInt(integer(0), integer(1023).Sub(bits.And(integer(0x3FF)).Shl(1)).Shl(52))
	small, rest := quotientParts(number(1), number(0), r, tail)
	return r, tail, small.Add(rest).Mul(low.Float()), bits
}

// sinh is an odd polynomial up to 1: its Taylor series, whose next term is below 2^-64.
func sinh(x []Float) (Mask, []Float) {
	v := limited(x[0])
	z := v.Mul(v)
	inner := v.Add(v.Mul(z.Mul(poly(z, 1.0/6, 1.0/120, 1.0/5040, 1.0/362880, 1.0/39916800, 1.0/6227020800, 1.0/1307674368000, 1.0/355687428096000, 1.0/121645100408832000))))
	r, tail, small, bits := expHalves(v)
	d, lost := differenceTail(r, small)
	outer := scaled(d.Add(lost.Add(tail)), bits.Sub(integer(1)))
	return Mask{}, []Float{signed(v.Lt(number(1)).Either(inner, outer).Abs(), sign(x[0]))}
}

// cosh is an even polynomial up to 1.
func cosh(x []Float) (Mask, []Float) {
	v := limited(x[0])
	z := v.Mul(v)
	h := number(0.5).Mul(z)
	w, lost := sumTail(number(1), h)
	inner := w.Add(lost.Add(z.Mul(z.Mul(poly(z, 1.0/24, 1.0/720, 1.0/40320, 1.0/3628800, 1.0/479001600, 1.0/87178291200, 1.0/20922789888000, 1.0/6402373705728000)))))
	r, tail, small, bits := expHalves(v)
	d, dLost := sumTail(r, small)
	outer := scaled(d.Add(dLost.Add(tail)), bits.Sub(integer(1)))
	return Mask{}, []Float{v.Lt(number(1)).Either(inner, outer)}
}

// tanh is a ratio of polynomials up to 0.625 (Moshier's Cephes), elsewhere 1 - 2/(e^2x + 1).
func tanh(x []Float) (Mask, []Float) {
	v := x[0].Abs()
	v = number(22).Lt(v).Choose(number(22), v)
	z := v.Mul(v)
	p := poly(z, -1.61468768441708447952e3, -9.92877231001918586564e1, -9.64399179425052238628e-1)
	q := poly(z, 4.84406305325125486048e3, 2.23548839060100448583e3, 1.12811678491632931402e2, 1)
	inner := v.Add(v.Mul(z.Mul(p).Div(q)))

	r, tail, _, bits := expParts(v.Add(v))
	scale := bits.Sub(integer(math.Float64bits(nearest) - 1023)).Shl(52).Float()
	e, eLow := r.Mul(scale), tail.Mul(scale)
	d, lost := sumTail(e, number(1))
	t, tLow := quotientParts(number(2), number(0), d, lost.Add(eLow))
	one, rest := sumTail(number(1), t.Neg())
	outer := one.Add(rest.Sub(tLow))
	return Mask{}, []Float{signed(v.Lt(number(0.625)).Either(inner, outer).Abs(), sign(x[0]))}
}
