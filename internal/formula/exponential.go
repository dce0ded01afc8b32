package formula

import "math"

// The exponential function and the logarithms: after fdlibm's e_exp and e_log.

const (
	// ln2High has 33 bits, so that its product with an exponent is exact.
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// expPoly is the polynomial of fdlibm for z·(e^z + 1)/(e^z - 1) in z².
var expPoly = []float64{1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05, -1.65339022054652515390e-06, 4.13813679705723846039e-08}

// expReduced takes x to k·ln 2 + (high - low), |high - low| ≤ ln 2 / 2.
func expReduced(x Float) (k Float, bits Int, high, low Float) {
	k, bits = round(x.Mul(number(math.Log2E)))
	return k, bits, x.Sub(k.Mul(number(ln2High))), k.Mul(number(ln2Low))
}

// expRest is e^(high - low) - 1.
func expRest(high, low Float) Float {
	f := high.Sub(low)
	t := f.Mul(f)
	c := f.Sub(t.Mul(poly(t, expPoly...)))
	return high.Sub(low.Sub(f.Mul(c).Div(number(2).Sub(c))))
}

// scaled is y · 2^k with one rounding, for k from -2000 to 2000; bits are those of round.
// One step would leave the range of exponents where the product does not.
func scaled(y Float, bits Int) Float {
	k := bits.Sub(integer(math.Float64bits(nearest) - 2*1023)) // positive
	first := k.Shr(1)                                          // k/2 + 1023, an exponent as numbers have it
	second := k.Sub(first)
	return y.Mul(first.Shl(52).Float()).Mul(second.Shl(52).Float())
}

// exp is total: beyond its limits the result stays 0 or infinite.
func exp(x []Float) (Mask, []Float) {
	v := x[0].Within(-746, 710)
	_, bits, high, low := expReduced(v)
	return Mask{}, []Float{scaled(number(1).Add(expRest(high, low)), bits)}
}

// logReduced takes a positive x to 2^k · (1 + f), where 1 + f is between √½ and √2.
func logReduced(x Float) (k, f Float) {
	k, m := normalized(x, 0x3FE6A09E667F3BCD) // √½
	return k, m.Sub(number(1))
}

// normalized takes a positive x to 2^k · m, where m is between a number with the bits of low
// and twice that.
func normalized(x Float, low uint64) (k, m Float) {
	const bias = 1024
	d := x.Bits().Sub(integer(low))
	m = x.Bits().Sub(d.And(integer(0xFFF << 52))).Float()
	biased := d.Add(integer(bias << 52)).Shr(52)
	return biased.Or(integer(math.Float64bits(0x1p52))).Float().Sub(number(0x1p52 + bias)), m
}

// logRest is log(1 + f) = f - half + s·(half + r) with half = f²/2.
func logRest(f Float) (s, half, r Float) {
	s = f.Div(number(2).Add(f))
	z := s.Mul(s)
	w := z.Mul(z)
	odd := z.Mul(poly(w, 6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01, 1.479819860510658591e-01))
	even := w.Mul(poly(w, 3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01))
	return s, number(0.5).Mul(f).Mul(f), odd.Add(even)
}

// logScaled is log(x · 2^e), x normal and positive.
func logScaled(x, e Float) Float {
	k, f := logReduced(x)
	if e.n != nil {
		k = k.Add(e)
	}
	s, half, r := logRest(f)
	return k.Mul(number(ln2High)).Sub(half.Sub(s.Mul(half.Add(r)).Add(k.Mul(number(ln2Low)))).Sub(f))
}

// normal holds for positive numbers that are not subnormal and not infinite.
func normal(x Float) Mask {
	return x.Bits().From(math.Float64bits(0x1p-1022), math.Float64bits(math.Inf(1)))
}

func log(x []Float) (Mask, []Float) {
	return normal(x[0]), []Float{logScaled(x[0], Float{})}
}

func logOf(x []Float) (Mask, []Float) { return Mask{}, []Float{logScaled(x[0], x[1])} }

// log10Scaled is log10(x · 2^e): the logarithm of 1 + f as a sum of two, the first of 21
// bits, and log10(2) and 1/ln(10) in two parts, so that the large products are exact (as in
// FreeBSD's e_log10).
func log10Scaled(x, e Float) Float {
	k, f := logReduced(x)
	if e.n != nil {
		k = k.Add(e)
	}
	s, half, r := logRest(f)
	high := upper(f.Sub(half))
	low := f.Sub(high).Sub(half).Add(s.Mul(half.Add(r)))
	const (
		perTenHigh, perTenLow = 4.34294481878168880939e-01, 2.50829467116452752298e-11
		twoHigh, twoLow       = 3.01029995663611771306e-01, 3.69423907715893078616e-13
	)
	digits := k.Mul(number(twoHigh))
	small := k.Mul(number(twoLow)).Add(low.Add(high).Mul(number(perTenLow))).Add(low.Mul(number(perTenHigh)))
	sum, tail := differenceTail(digits, high.Mul(number(-perTenHigh)))
	return sum.Add(tail.Add(small))
}

func log10(x []Float) (Mask, []Float) {
	return normal(x[0]), []Float{log10Scaled(x[0], Float{})}
}

func log10Of(x []Float) (Mask, []Float) { return Mask{}, []Float{log10Scaled(x[0], x[1])} }
