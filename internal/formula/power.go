package formula

import "math"

// power is x^y = 2^(y·log2 x) after fdlibm's e_pow: the logarithm and its product with y are
// sums of two, which makes whole powers exact as long as they are below 2^53.

// log2Parts is log2(x · 2^e) as a sum of two, the first of 21 bits, for normal and positive x.
//
// With m = x / 2^n from √¾ to √3 and a point c, which is 1 or 1.5, log2(m) is log2(c) and the
// series of log((1 + s)/(1 - s)) with s = (m - c)/(m + c).
func log2Parts(x, e Float) (high, low Float) {
	n, m := normalized(x, 0x3FEBB67A<<32)  // √¾, nearly
	middle := pattern(0x3FF3988F, 0).Le(m) // √1.5, nearly
	if e.n != nil {
		n = n.Add(e)
	}
	c := middle.ChooseInt(integer(1<<51), integer(0)).Or(integer(math.Float64bits(1))).Float() // 1.5 or 1
	cHigh := middle.Keep(pattern(0x3FE2B803, 0x40000000))                                      // log2(1.5)
	cLow := middle.Keep(pattern(0x3E4CFDEB, 0x43CFD006))

	// s as a sum of two.
	u, v := m.Sub(c), m.Add(c)
	s := u.Div(v)
	sh, vh := upper(s), upper(v)
	sl := number(1).Div(v).Mul(u.Sub(sh.Mul(vh)).Sub(sh.Mul(m.Sub(vh.Sub(c)))))

	// 3·log((1+s)/(1-s))/(2s) as a sum of two, then its product with s.
	z := s.Mul(s)
	r := z.Mul(z).Mul(polyPairs(z, 5.99999999999994648725e-01, 4.28571428578550184252e-01, 3.33333329818377432918e-01, 2.72728123808534006489e-01, 2.30660745775561754067e-01, 2.06975017800338417784e-01))
	r = r.Add(sl.Mul(sh.Add(s)))
	three, lost := sumTail(number(3), sh.Mul(sh))
	th := upper(three.Add(r))
	tl := three.Sub(th).Add(r.Add(lost))
	p, q := sh.Mul(th), sl.Mul(th).Add(tl.Mul(s))
	ph := upper(p.Add(q))
	pl := q.Sub(ph.Sub(p))

	// By 2/(3·ln 2), and the other summands.
	zh := pattern(0x3FEEC709, 0xE0000000).Mul(ph)
	zl := pattern(0xBE3E2FE0, 0x145B01F5).Mul(ph).Add(cLow).Add(pl.Mul(pattern(0x3FEEC709, 0xDC3A03FD)))
	whole := n.Add(cHigh)
	high = upper(zh.Add(zl).Add(whole))
	return high, zl.Sub(high.Sub(whole).Sub(zh))
}

// powerParts is (x · 2^e)^y as r · 2^k, with the bits of k as round gives them. It holds as
// long as |k| is below 2^51.
//
// The steps stand so that few of them wait for others: this is the longest of all formulas.
func powerParts(x, y, e Float) (r, k Float, bits Int) {
	lh, ll := log2Parts(x, e)
	yh := upper(y)
	low := y.Sub(yh).Mul(lh).Add(y.Mul(ll))
	high := yh.Mul(lh)
	k, bits = round(high)
	high = high.Sub(k)
	// 2^(high + low) = e^(z + w), where z is their rounded sum times ln 2, and w what it is
	// short of.
	f, lost := sumTail(high, low)
	z := f.Mul(number(math.Ln2))
	t := upper(f)
	w := t.Mul(pattern(0x3FE62E43, 0)).Sub(z).Add(f.Sub(t).Add(lost).Mul(number(math.Ln2)).Add(t.Mul(pattern(0xBE205C61, 0x0CA86C39))))
	z2 := z.Mul(z)
	c := z.Sub(z2.Mul(polyPairs(z2, expPoly...)))
	one, tail := sumTail(number(1), z)
	r = one.Sub(z.Mul(c).Div(c.Sub(number(2))).Sub(tail.Add(w.Add(z.Mul(w)))))
	return r, k, bits
}

// pow holds for normal |x| and results that are not near the ends of the range; y is whole
// where x is negative. The powers 2, ½ and -1 are x·x, √x and 1/x, in every way that leads to
// a power. So is the power 1, of which the parts are exact enough to be rounded to x.
func pow(a []Float) (Mask, []Float) {
	x, y := a[0], a[1]
	half := y.Mul(number(0.5))
	whole, even := y.Trunc().Eq(y), half.Trunc().Eq(half)
	holds := normal(x.Abs()).And(number(0).Lt(x).Or(whole)) // an infinite y has no exponent
	r, k, bits := powerParts(x.Abs(), y, Float{})
	holds = holds.And(k.Abs().Le(number(1020)))
	v := r.Bits().Add(bits.Shl(52)).Float()
	v = turned(v, even.ChooseInt(integer(0), sign(x)))
	v = y.Eq(number(0.5)).Either(x.Sqrt(), v)
	v = y.Eq(number(-1)).Either(number(1).Div(x), v)
	v = y.Eq(number(2)).Either(x.Mul(x), v)
	return holds, []Float{v}
}

// powerOf returns the parts of a power, for results near the ends.
func powerOf(a []Float) (Mask, []Float) {
	r, k, _ := powerParts(a[0], a[1], a[2])
	return Mask{}, []Float{r, k}
}
