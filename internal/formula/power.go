package formula

import "math"

// power is x^y = 2^(y·log2 x). The logarithm is a sum of two, which makes whole powers exact as
// long as they are below 2^53 (the points and the splitting of s are those of fdlibm's e_pow).
//
// This is the longest of all formulas, and what takes time is not how many operations there are
// but how many wait for each other. So the upper part of the logarithm comes of few steps, and
// from it the exponent; the series joins in late, as a correction to the lower part, and the
// power of 2 is a polynomial without a division.

// Parts of 2/(3·ln 2), of log2(1.5) and of ln 2: the upper one is short, so that its product
// with another short number is exact.
var (
	perLnHigh = pattern(0x3FEEC709, 0xE0000000) // 28 bits
	perLnLow  = pattern(0xBE3E2FE0, 0x145B01F5)
	pointHigh = pattern(0x3FE2B803, 0x40000000) // 23 bits
	pointLow  = pattern(0x3E4CFDEB, 0x43CFD006)
)

const (
	perLn     = 0.9617966939259756
	lnTwoHigh = 0.69287109375 // 11 bits
	lnTwoLow  = 0.00027608680994530943
)

// The polynomials are those with the least greatest error (Remez 1934), relative to the result.

// artanhRest is (3/2·log((1+s)/(1-s)) - 3s - s³)/s⁵ in s², for |s| ≤ 0.1012, off by 2^-68 of
// the logarithm.
var artanhRest = []float64{0.5999999999999993, 0.4285714285740281, 0.3333333314108319, 0.2727278633141325, 0.2306808848491223, 0.20637946872467627}

// powerOfTwo is (2^f - 1 - f·ln 2)/f², for |f| ≤ 0.515, off by 2^-56 of the power.
var powerOfTwo = []float64{0.24022650695910136, 0.05550410866482045, 0.009618129107589454, 0.0013333558146753422, 0.00015403530464929273, 1.5252733497000137e-05, 1.3215430696491244e-06, 1.0178197421386725e-07, 7.074659558672158e-09, 4.435642070718534e-10}

// logParts is what log2 is made of: log2(x) = high + low + perLn·(rest + fifth·series).
type logParts struct{ high, low, rest, fifth, series Float }

// log2Parts is log2(x · 2^e), for normal and positive x. High has 21 bits.
//
// With m = x / 2^n from √¾ to √3 and a point c, which is 1 or 1.5, log2(m) is log2(c) and
// 2/(3·ln 2) times 3s + s³ + s⁵·(…), where s = (m - c)/(m + c). The upper part of s has 17 bits,
// so that three of it and its third power are exact.
func log2Parts(x, e Float) (l logParts) {
	n, m := normalized(x, 0x3FEBB67A<<32)  // √¾, nearly
	middle := pattern(0x3FF3988F, 0).Le(m) // √1.5, nearly
	if e.n != nil {
		n = n.Add(e)
	}
	c := middle.ChooseInt(integer(1<<51), integer(0)).Or(integer(math.Float64bits(1))).Float() // 1.5 or 1

	// s as a sum of two. The first is cut off, so what s has lost does not matter.
	u, v := m.Sub(c), m.Add(c)
	inverse := number(1).Div(v)
	s := u.Mul(inverse)
	sh, vh := s.Bits().And(integer(0xFFFFFFF000000000)).Float(), half(v)
	sl := inverse.Mul(u.Sub(sh.Mul(vh)).Sub(sh.Mul(m.Sub(vh.Sub(c)))))

	square := sh.Mul(sh)
	sum, tail := sumTail(number(3).Mul(sh), square.Mul(sh))
	top := upper(sum)
	zh := perLnHigh.Mul(top)
	whole := n.Add(middle.Keep(pointHigh))
	l.high = upper(zh.Add(whole))
	l.low = zh.Sub(l.high.Sub(whole)).Add(perLnLow.Mul(top).Add(middle.Keep(pointLow)))

	z := s.Mul(s)
	slope := number(3).Add(square).Add(s.Mul(sh.Add(s))) // of 3s + s³, from sh to s
	l.rest = sum.Sub(top).Add(tail).Add(sl.Mul(slope))
	l.fifth = z.Mul(z).Mul(s)
	l.series = polyPairs(z, artanhRest...)
	return l
}

// powerParts is (x · 2^e)^y as r · 2^k, with the bits of k as round gives them. It holds as
// long as |k| is below 2^51.
func powerParts(x, y, e Float) (r, k Float, bits Int) {
	l := log2Parts(x, e)
	yh := upper(y)
	high := yh.Mul(l.high)
	k, bits = round(high)
	high = high.Sub(k)
	low := y.Mul(l.low.Add(number(perLn).Mul(l.rest.Add(l.fifth.Mul(l.series))))).Add(y.Sub(yh).Mul(l.high))

	// high has 42 bits, and |low| is below 2^-9. The product of high and 11 bits of ln 2 is exact.
	f := high.Add(low)
	one, tail := sumTail(number(1), high.Mul(number(lnTwoHigh)))
	tail = tail.Add(high.Mul(number(lnTwoLow)).Add(low.Mul(number(math.Ln2))))
	r = one.Add(tail.Add(f.Mul(f).Mul(polyPairs(f, powerOfTwo...))))
	return r, k, bits
}

// OrdinaryPower reports whether a power is what the general way makes of it. The powers 2, ½ and
// -1 are x·x, √x and 1/x, in every way that leads to a power. So is the power 1, of which the
// parts are exact enough to be rounded to x.
func OrdinaryPower(y float64) bool { return y != 2 && y != 0.5 && y != -1 }

// ordinaryPow holds for normal x and results that are not near the ends of the range; y is whole
// where x is negative.
func ordinaryPow(a []Float) (Mask, []Float) {
	x, y := a[0], a[1]
	half := y.Mul(number(0.5))
	whole, even := y.Trunc().Eq(y), half.Trunc().Eq(half)
	holds := normal(x.Abs()).And(number(0).Lt(x).Or(whole)) // an infinite y has no exponent
	r, k, bits := powerParts(x.Abs(), y, Float{})
	holds = holds.And(k.Mul(k).Le(number(1020 * 1020)))
	v := r.Bits().Add(bits.Shl(52)).Float()
	return holds, []Float{turned(v, even.ChooseInt(integer(0), sign(x)))}
}

// pow is ordinaryPow for every y.
func pow(a []Float) (Mask, []Float) {
	x, y := a[0], a[1]
	holds, r := ordinaryPow(a)
	v := y.Eq(number(0.5)).Either(x.Sqrt(), r[0])
	v = y.Eq(number(-1)).Either(number(1).Div(x), v)
	v = y.Eq(number(2)).Either(x.Mul(x), v)
	return holds, []Float{v}
}

// powerOf returns the parts of a power, for results near the ends.
func powerOf(a []Float) (Mask, []Float) {
	r, k, _ := powerParts(a[0], a[1], a[2])
	return Mask{}, []Float{r, k}
}
