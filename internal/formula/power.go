package formula

import "math"

// power is x^y = 2^(y·log2 x) after fdlibm's e_pow: the logarithm and its product with y are
// sums of two, which makes whole powers exact as long as they are below 2^53.

// log2Parts is log2(x · 2^e) as a sum of two, the first of 21 bits, for normal and positive x.
//
// With m = x / 2^n and a point c, which is 1 or 1.5, log2(m) is log2(c) and the series of
// log((1 + s)/(1 - s)) with s = (m - c)/(m + c).
func log2Parts(x, e Float) (high, low Float) {
	m := x.Bits().And(integer(1<<52 - 1)).Or(integer(math.Float64bits(1))).Float()
	from15, from1 := pattern(0x3FF3988F, 0), pattern(0x3FFBB67A, 0) // √1.5 and √3, nearly
	great := from1.Le(m)
	middle := from15.Le(m).And(m.Lt(from1))
	n := exponent(x.Bits().Shr(52), 1023).Add(great.Choose(number(1), number(0)))
	if e.n != nil {
		n = n.Add(e)
	}
	m = m.Mul(great.Choose(number(0.5), number(1)))
	c := middle.Choose(number(1.5), number(1))
	cHigh := middle.Choose(pattern(0x3FE2B803, 0x40000000), number(0)) // log2(1.5)
	cLow := middle.Choose(pattern(0x3E4CFDEB, 0x43CFD006), number(0))

	// s as a sum of two.
	u, v := m.Sub(c), m.Add(c)
	per := number(1).Div(v)
	s := u.Mul(per)
	sh, vh := upper(s), upper(v)
	sl := per.Mul(u.Sub(sh.Mul(vh)).Sub(sh.Mul(m.Sub(vh.Sub(c)))))

	// 3·log((1+s)/(1-s))/(2s) as a sum of two, then its product with s.
	z := s.Mul(s)
	r := z.Mul(z).Mul(poly(z, 5.99999999999994648725e-01, 4.28571428578550184252e-01, 3.33333329818377432918e-01, 2.72728123808534006489e-01, 2.30660745775561754067e-01, 2.06975017800338417784e-01))
	r = r.Add(sl.Mul(sh.Add(s)))
	z = sh.Mul(sh)
	th := upper(number(3).Add(z).Add(r))
	tl := r.Sub(th.Sub(number(3)).Sub(z))
	p, q := sh.Mul(th), sl.Mul(th).Add(tl.Mul(s))
	ph := upper(p.Add(q))
	pl := q.Sub(ph.Sub(p))

	// By 2/(3·ln 2), and the other summands.
	zh := pattern(0x3FEEC709, 0xE0000000).Mul(ph)
	zl := pattern(0xBE3E2FE0, 0x145B01F5).Mul(ph).Add(pl.Mul(pattern(0x3FEEC709, 0xDC3A03FD))).Add(cLow)
	high = upper(zh.Add(zl).Add(cHigh).Add(n))
	return high, zl.Sub(high.Sub(n).Sub(cHigh).Sub(zh))
}

// powerParts is (x · 2^e)^y as r · 2^k, with the bits of k as round gives them. It holds as
// long as |k| is below 2^51.
func powerParts(x, y, e Float) (exponent Float, r, k Float, bits Int) {
	lh, ll := log2Parts(x, e)
	yh := upper(y)
	low := y.Sub(yh).Mul(lh).Add(y.Mul(ll))
	high := yh.Mul(lh)
	exponent = low.Add(high)
	k, bits = round(exponent)
	high = high.Sub(k)
	// 2^(high + low) = e^(z + w).
	t := upper(low.Add(high))
	u := t.Mul(pattern(0x3FE62E43, 0))
	v := low.Sub(t.Sub(high)).Mul(number(math.Ln2)).Add(t.Mul(pattern(0xBE205C61, 0x0CA86C39)))
	z := u.Add(v)
	w := v.Sub(z.Sub(u))
	z2 := z.Mul(z)
	c := z.Sub(z2.Mul(poly(z2, expPoly...)))
	r = number(1).Sub(z.Mul(c).Div(c.Sub(number(2))).Sub(w.Add(z.Mul(w))).Sub(z))
	return exponent, r, k, bits
}

// pow holds for normal |x| and results that are not near the ends of the range; y is whole
// where x is negative. The powers 1, 2, ½ and -1 are x, x·x, √x and 1/x, in every way that
// leads to a power.
func pow(a []Float) (Mask, []Float) {
	x, y := a[0], a[1]
	half := y.Mul(number(0.5))
	whole, even := y.Trunc().Eq(y), half.Trunc().Eq(half)
	holds := normal(x.Abs()).And(y.Abs().Le(number(0x1p64))).And(number(0).Lt(x).Or(whole))
	exponent, r, _, bits := powerParts(x.Abs(), y, Float{})
	holds = holds.And(exponent.Abs().Le(number(1020)))
	v := r.Bits().Add(bits.Shl(52)).Float()
	v = turned(v, even.ChooseInt(integer(0), sign(x)))
	v = y.Eq(number(0.5)).Either(x.Sqrt(), v)
	v = y.Eq(number(-1)).Either(number(1).Div(x), v)
	v = y.Eq(number(1)).Either(x, v)
	v = y.Eq(number(2)).Either(x.Mul(x), v)
	return holds, []Float{v}
}

// powerOf returns the parts of a power, for results near the ends.
func powerOf(a []Float) (Mask, []Float) {
	_, r, k, _ := powerParts(a[0], a[1], a[2])
	return Mask{}, []Float{r, k}
}
