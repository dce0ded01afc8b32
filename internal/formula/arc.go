package formula

import "math"

// The inverse functions of angles: after fdlibm's s_atan, e_asin and e_acos.

// π and its parts, each with what it is short of.
const (
	halfPiLow = 6.12323399573676603587e-17
	quarterPi = math.Pi / 4
)

// atanSeries is t - atan(t), for |t| ≤ 7/16.
func atanSeries(t Float) Float {
	z := t.Mul(t)
	w := z.Mul(z)
	odd := z.Mul(poly(w, 3.33333333333329318027e-01, 1.42857142725034663711e-01, 9.09088713343650656196e-02, 6.66107313738753120669e-02, 4.97687799461593236017e-02, 1.62858201153657823623e-02))
	even := w.Mul(poly(w, -1.99999999998764832476e-01, -1.11111104054623557880e-01, -7.69187620504482999495e-02, -5.83357013379057348645e-02, -3.65315727442169155270e-02))
	return t.Mul(odd.Add(even))
}

// atan chooses a point c of 0, ½, 1, 1½ and infinity, and takes atan(c) + atan((x-c)/(1+cx)).
func atan(x []Float) (Mask, []Float) {
	v := x[0].Abs()
	from := func(limit float64, to, otherwise Float) Float { return number(limit).Le(v).Choose(to, otherwise) }
	pick := func(half, one, more, infinite, otherwise Float) Float {
		return from(39.0/16, infinite, from(19.0/16, more, from(11.0/16, one, from(7.0/16, half, otherwise))))
	}
	top := pick(v.Add(v).Sub(number(1)), v.Sub(number(1)), v.Sub(number(1.5)), number(-1), v)
	bottom := pick(v.Add(number(2)), v.Add(number(1)), number(1.5).Mul(v).Add(number(1)), v, number(1))
	high := pick(number(4.63647609000806093515e-01), number(quarterPi), number(9.82793723247329054082e-01), number(math.Pi/2), number(0))
	low := pick(number(2.26987774529616870924e-17), number(3.06161699786838301793e-17), number(1.39033110312309984516e-17), number(halfPiLow), number(0))
	t := top.Div(bottom)
	r := high.Sub(atanSeries(t).Sub(low).Sub(t))
	return Mask{}, []Float{signed(r, sign(x[0]))}
}

// thirdSeries is (t - atan(t))/t³ in t², for |t| ≤ ⅓, off by 2^-58 of the angle: of all
// polynomials with so many terms the one with the least greatest error (Remez 1934).
var thirdSeries = []float64{0.333333333333333, -0.19999999999980944, 0.14285714282569925, -0.11111110861302538, 0.09090897833565242, -0.07691995590562963, 0.06661134097174716, -0.058191097040351636, 0.04806693303440289, -0.028063587961122183}

// atan2 is the angle of the point with y = a[0] and x = a[1], by one division: of the smaller
// by the greater, after the point ½ is taken away if their ratio is beyond ⅓.
//
// Why no other point? The quotient is ⅓ at most, and from a ratio of ¼ on the numerator is
// exact: that and the rounding of the quotient keep the error below 1.5 units.
func atan2(a []Float) (Mask, []Float) {
	y, x := a[0], a[1]
	ay, ax := y.Abs(), x.Abs()
	// From 2^-1021 on, half of the greater number is exact.
	holds := ax.Add(ay).Bits().From(math.Float64bits(0x1p-1020), math.Float64bits(math.Inf(1)))

	great, small := ax.Greatest(ay), ax.Least(ay)
	beyond := number(1.0 / 3).Mul(great).Le(small)
	c := beyond.Keep(number(0.5))
	t := small.Sub(c.Mul(great)).Div(great.Add(c.Mul(small)))

	// The result is the base, a multiple of π/2, and the angle from it, which is taken away
	// where just one of steep and back is true. The angle is that of the point, and that of t
	// from it. What π and π/2 are short of is the same part of both, and nearly that of the
	// point's angle.
	const angle = 4.63647609000806093515e-01
	steep, back := ax.Lt(ay), sign(x)
	base := steep.Choose(number(0), back.Xor(integer(math.Float64bits(-math.Pi/2))).Float()).Add(number(math.Pi / 2))
	flip := back.Xor(steep.ChooseInt(integer(signBit), integer(0)))
	sum, lost := sumTail(base, turned(beyond.Keep(number(angle)), flip))
	z := t.Mul(t)
	t = turned(t, flip)
	low := lost.Add(sum.Mul(number(halfPiLow * 2 / math.Pi)))
	r := sum.Add(t.Add(low.Sub(t.Mul(z).Mul(polyPairs(z, thirdSeries...)))))
	return holds, []Float{signed(r, sign(y))}
}

// asinRatio is (asin(√z) - √z)/√z, for z ≤ ¼.
func asinRatio(z Float) Float {
	p := z.Mul(poly(z, 1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01, -4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05))
	q := poly(z, 1, -2.40339491173441421878e+00, 2.02094576023350569471e+00, -6.88283971605453293030e-01, 7.70381505559019352791e-02)
	return p.Div(q)
}

// arcParts is common to asin and acos. Beyond ½ they go by asin(v) = π/2 - 2·asin(√((1-v)/2)),
// with the root as a sum of two: root + rest, root of 26 bits.
func arcParts(x Float) (inner Mask, z, ratio, s, root, rest Float) {
	v := x.Abs()
	inner = v.Lt(number(0.5))
	outside := number(1).Sub(v).Mul(number(0.5))
	z = inner.Choose(v.Mul(v), outside)
	s = outside.Sqrt()
	root = half(s)
	sum := s.Add(root)
	sum = sum.Eq(number(0)).Choose(number(1), sum)
	rest = outside.Sub(root.Mul(root)).Div(sum)
	return inner, z, asinRatio(z), s, root, rest
}

// asin holds up to 1.
func asin(x []Float) (Mask, []Float) {
	holds := x[0].Abs().Le(number(1))
	inner, _, ratio, s, root, rest := arcParts(x[0])
	near := x[0].Add(x[0].Mul(ratio)).Abs()
	two := number(2)
	p := two.Mul(s).Mul(ratio).Sub(number(halfPiLow).Sub(two.Mul(rest)))
	far := number(quarterPi).Sub(p.Sub(number(quarterPi).Sub(two.Mul(root))))
	return holds, []Float{signed(inner.Either(near, far), sign(x[0]))}
}

// acos holds up to 1.
func acos(x []Float) (Mask, []Float) {
	holds := x[0].Abs().Le(number(1))
	inner, _, ratio, s, root, rest := arcParts(x[0])
	low, high := number(halfPiLow), number(math.Pi/2)
	middle := high.Sub(x[0].Sub(low.Sub(x[0].Mul(ratio))))
	right := number(2).Mul(root.Add(ratio.Mul(s).Add(rest)))
	left := number(2).Mul(high.Sub(s.Add(ratio.Mul(s).Sub(low))))
	outer := x[0].Bits().Negative().Choose(left, right)
	return holds, []Float{inner.Either(middle, outer)}
}
