package detmath_test

import (
	"math"
	"math/big"
)

// This file is the judge of accuracy: the functions in wide precision, by series that are
// slow and simple.

// precision is how many bits the judge computes with; angles far away take more.
const precision = 200

func wide(x float64) *big.Float { return fresh().SetFloat64(x) }
func fresh() *big.Float         { return new(big.Float).SetPrec(precision) }

func plus(x, y *big.Float) *big.Float  { return fresh().Add(x, y) }
func minus(x, y *big.Float) *big.Float { return fresh().Sub(x, y) }
func times(x, y *big.Float) *big.Float { return fresh().Mul(x, y) }
func over(x, y *big.Float) *big.Float  { return fresh().Quo(x, y) }

// shifted is x·2^n.
func shifted(x *big.Float, n int) *big.Float { return fresh().SetMantExp(x, n) }

var (
	widePi = machin(1400)
	wideLn = twiceArtanh(over(wide(1), wide(3))) // ln 2
	wide10 = wideLog(wide(10))
)

// machin is π with so many bits.
func machin(bits uint) *big.Float {
	one := new(big.Int).Lsh(big.NewInt(1), bits+32)
	arctan := func(k int64) *big.Int {
		term := new(big.Int).Div(one, big.NewInt(k))
		sum := new(big.Int).Set(term)
		for i := int64(3); term.Sign() != 0; i += 2 {
			term.Div(term, big.NewInt(k*k))
			if part := new(big.Int).Div(term, big.NewInt(i)); i&2 != 0 {
				sum.Sub(sum, part)
			} else {
				sum.Add(sum, part)
			}
		}
		return sum
	}
	pi := new(big.Int).Mul(big.NewInt(16), arctan(5))
	pi.Sub(pi, new(big.Int).Mul(big.NewInt(4), arctan(239)))
	f := new(big.Float).SetPrec(bits).SetInt(pi)
	return f.SetMantExp(f, -int(bits)-32)
}

// twiceArtanh is log((1+x)/(1-x)) by its series.
func twiceArtanh(x *big.Float) *big.Float {
	sum, power, square := fresh(), shifted(x, 1), times(x, x)
	for i := 1; i < precision; i += 2 {
		sum.Add(sum, over(power, wide(float64(i))))
		power.Mul(power, square)
	}
	return sum
}

// series adds first, first·factor/divisor(1), and so on, until nothing changes.
func series(first, factor *big.Float, divisor func(i int) float64) *big.Float {
	sum, term := fresh().Set(first), fresh().Set(first)
	for i := 1; i < 200; i++ {
		term.Quo(term.Mul(term, factor), wide(divisor(i)))
		if term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-precision {
			break
		}
		sum.Add(sum, term)
	}
	return sum
}

// wideExp is e^x; beyond ±20,000, where no result changes any more, that of ±20,000.
func wideExp(x *big.Float) *big.Float {
	k := 0
	if limit := wide(20_000); fresh().Abs(x).Cmp(limit) > 0 {
		x = fresh().SetFloat64(20_000 * float64(x.Sign()))
	}
	if x.MantExp(nil) >= 0 {
		f, _ := over(x, wideLn).Float64()
		k = int(math.Round(f))
		x = minus(x, times(wide(float64(k)), wideLn))
	}
	y := series(wide(1), shifted(x, -8), func(i int) float64 { return float64(i) })
	for range 8 {
		y.Mul(y, y)
	}
	return shifted(y, k)
}

// wideLog corrects the logarithm of package math by one step.
func wideLog(x *big.Float) *big.Float {
	mantissa := fresh()
	e := x.MantExp(mantissa)
	if m, _ := mantissa.Float64(); m < 0.75 { // near 1 from both sides, for small logarithms
		mantissa.Mul(mantissa, wide(2))
		e--
	}
	f, _ := mantissa.Float64()
	guess := wide(math.Log1p(f - 1))
	d := minus(times(mantissa, wideExp(fresh().Neg(guess))), wide(1))
	y := plus(guess, minus(d, shifted(times(d, d), -1)))
	y.Add(y, over(times(d, times(d, d)), wide(3)))
	if e == 0 {
		return y
	}
	return plus(y, times(wide(float64(e)), wideLn))
}

// wideSinCos takes the angle to the nearest multiple of π/2 with as many bits as that needs.
func wideSinCos(x *big.Float) (sin, cos *big.Float) {
	half := new(big.Float).SetMantExp(widePi, -1)
	q := new(big.Float).SetPrec(1400).Quo(x, half)
	n, _ := q.Add(q, big.NewFloat(math.Copysign(0.5, float64(x.Sign())))).Int(nil)
	r := new(big.Float).SetPrec(1400).SetInt(n)
	y := fresh().Set(r.Sub(new(big.Float).SetPrec(1400).Set(x), r.Mul(r, half)))
	z := fresh().Neg(times(y, y))
	s := series(y, z, func(i int) float64 { return float64(2 * i * (2*i + 1)) })
	c := series(wide(1), z, func(i int) float64 { return float64(2 * i * (2*i - 1)) })
	switch n.And(n, big.NewInt(3)).Int64() {
	case 1:
		return c, s.Neg(s)
	case 2:
		return s.Neg(s), c.Neg(c)
	case 3:
		return c.Neg(c), s
	}
	return s, c
}

// wideAtan corrects the angle of package math by one step.
func wideAtan(x *big.Float) *big.Float {
	f, _ := x.Float64()
	if math.IsInf(f, 0) || math.Abs(f) > 1e30 {
		quarter := shifted(widePi, -1)
		if x.Sign() < 0 {
			quarter.Neg(quarter)
		}
		return minus(quarter, wideAtan(over(wide(1), x)))
	}
	guess := wide(math.Atan(f))
	if math.Abs(f) < 1e-30 {
		return minus(x, over(times(x, times(x, x)), wide(3)))
	}
	s, c := wideSinCos(guess)
	t := over(minus(times(x, c), s), plus(c, times(x, s)))
	return plus(guess, minus(t, over(times(t, times(t, t)), wide(3))))
}

// wideAtan2 is the angle of a point, y and x not both 0.
func wideAtan2(y, x *big.Float) *big.Float {
	pi := fresh().Set(widePi)
	if y.Sign() < 0 || y.Sign() == 0 && y.Signbit() {
		pi.Neg(pi)
	}
	switch {
	case x.Sign() == 0:
		return shifted(pi, -1)
	case x.Sign() > 0:
		return wideAtan(over(y, x))
	}
	return plus(wideAtan(over(y, x)), pi)
}

// rootOfRest is √(1 - x²).
func rootOfRest(x *big.Float) *big.Float {
	return fresh().Sqrt(times(minus(wide(1), x), plus(wide(1), x)))
}

func wideSinh(x *big.Float) *big.Float {
	if x.MantExp(nil) < -20 {
		return series(x, times(x, x), func(i int) float64 { return float64(2 * i * (2*i + 1)) })
	}
	e := wideExp(x)
	return shifted(minus(e, over(wide(1), e)), -1)
}

func wideCosh(x *big.Float) *big.Float {
	e := wideExp(x)
	return shifted(plus(e, over(wide(1), e)), -1)
}

func widePow(x, y *big.Float) *big.Float {
	magnitude := wideExp(times(y, wideLog(fresh().Abs(x))))
	if x.Sign() < 0 {
		if n, _ := y.Int(nil); n.Bit(0) != 0 {
			magnitude.Neg(magnitude)
		}
	}
	return magnitude
}

// wideOne and wideTwo are the judge's functions, by the names of what they judge.
var (
	wideOne = map[string]func(x *big.Float) *big.Float{
		"Sin":   func(x *big.Float) *big.Float { s, _ := wideSinCos(x); return s },
		"Cos":   func(x *big.Float) *big.Float { _, c := wideSinCos(x); return c },
		"Tan":   func(x *big.Float) *big.Float { s, c := wideSinCos(x); return over(s, c) },
		"Asin":  func(x *big.Float) *big.Float { return wideAtan2(x, rootOfRest(x)) },
		"Acos":  func(x *big.Float) *big.Float { return wideAtan2(rootOfRest(x), x) },
		"Atan":  wideAtan,
		"Sinh":  wideSinh,
		"Cosh":  wideCosh,
		"Tanh":  func(x *big.Float) *big.Float { return over(wideSinh(x), wideCosh(x)) },
		"Exp":   wideExp,
		"Log":   wideLog,
		"Log10": func(x *big.Float) *big.Float { return over(wideLog(x), wide10) },
	}
	wideTwo = map[string]func(x, y *big.Float) *big.Float{"Pow": widePow, "Atan2": wideAtan2}
)

// ulps is how many units in the last place of the right result a result is off; 0 if both
// are beyond the range.
func ulps(got float64, want *big.Float) float64 {
	nearest, _ := want.Float64()
	if math.IsInf(nearest, 0) || math.IsInf(got, 0) {
		if nearest == got {
			return 0
		}
		if math.IsInf(got, 0) {
			return 1e9
		}
	}
	e := max(want.MantExp(nil)-53, -1074)
	off, _ := shifted(minus(wide(got), want), -e).Float64()
	return math.Abs(off)
}
