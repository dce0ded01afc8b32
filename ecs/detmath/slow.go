package detmath

import "math"

// Each function of formulas.go that is not total has a slow one here, for the arguments that
// its formula does not cover: angles that are far away, the ends of the range, and what is
// no number.

func sinSlow(x float64) float64 {
	s, _ := sincosSlow(x)
	return s
}

func cosSlow(x float64) float64 {
	_, c := sincosSlow(x)
	return c
}

func sincosSlow(x float64) (sin, cos float64) {
	if x-x != 0 {
		return math.NaN(), math.NaN()
	}
	quadrant, y, excess := reduce(x)
	s, c := sineOf(y, excess), cosineOf(y, excess)
	switch quadrant & 3 {
	case 1:
		return c, -s
	case 2:
		return -s, -c
	case 3:
		return -c, s
	}
	return s, c
}

func tanSlow(x float64) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	quadrant, y, excess := reduce(x)
	return tangentOf(y, excess, float64(quadrant&1))
}

func asinSlow(float64) float64 { return math.NaN() }
func acosSlow(float64) float64 { return math.NaN() }

// atan2Slow has the cases of C99, and moves other numbers to where the formula holds: their
// ratio stays.
func atan2Slow(y, x float64) float64 {
	switch {
	case x != x || y != y:
		return math.NaN()
	case y == 0 && math.Signbit(x):
		return math.Copysign(math.Pi, y)
	case y == 0:
		return y
	case math.IsInf(x, 0) && math.IsInf(y, 0):
		if x > 0 {
			return math.Copysign(math.Pi/4, y)
		}
		return math.Copysign(3*math.Pi/4, y)
	case math.IsInf(x, 1):
		return math.Copysign(0, y)
	case math.IsInf(x, -1):
		return math.Copysign(math.Pi, y)
	case x == 0 || math.IsInf(y, 0):
		return math.Copysign(math.Pi/2, y)
	case max(math.Abs(x), math.Abs(y)) > 1:
		return Atan2(y*0x1p-100, x*0x1p-100)
	}
	return Atan2(y*0x1p200, x*0x1p200)
}

func logSlow(x float64) float64 {
	if v, ok := logLimit(x); ok {
		return v
	}
	return logOf(x*0x1p54, -54)
}

func log10Slow(x float64) float64 {
	if v, ok := logLimit(x); ok {
		return v
	}
	return log10Of(x*0x1p54, -54)
}

// logLimit returns a logarithm that does not depend on the base; ok is false for the
// subnormal numbers.
func logLimit(x float64) (v float64, ok bool) {
	switch {
	case x != x || x < 0:
		return math.NaN(), true
	case x == 0:
		return math.Inf(-1), true
	}
	return x, math.IsInf(x, 1)
}

// powSlow has the cases of C99, negative numbers, and results near the ends of the range.
func powSlow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y:
		return math.NaN()
	case x < 0 && math.Trunc(y) != y && !math.IsInf(x, 0):
		return math.NaN()
	case math.Signbit(x) && odd(y):
		return -powPositive(math.Abs(x), y)
	}
	return powPositive(math.Abs(x), y)
}

// odd reports whether a number is an odd integer. From 2^53 on all are even.
func odd(y float64) bool {
	return math.Abs(y) < 1<<53 && math.Trunc(y) == y && int64(y)&1 != 0
}

// powPositive is x^y for x from 0 to infinity and y other than 0.
func powPositive(x, y float64) float64 {
	switch {
	case x == 1:
		return 1
	case y == 1:
		return x
	case y == -1:
		return 1 / x
	case y == 2:
		return x * x
	case y == 0.5:
		return math.Sqrt(x)
	case x == 0 || math.IsInf(x, 1) || math.Abs(y) > 1<<64:
		if x > 1 == (y > 0) {
			return math.Inf(1)
		}
		return 0
	}
	var e float64
	if x < 0x1p-1022 {
		x, e = x*0x1p54, -54
	}
	r, k := powerOf(x, y, e)
	return scale(r, k)
}

// scale is r·2^k with one rounding, for r near 1. Of two steps only the second can round.
func scale(r, k float64) float64 {
	switch {
	case k > 1100:
		return math.Inf(1)
	case k < -1200:
		return 0
	case k > 0:
		return r * 0x1p600 * twoTo(int(k)-600)
	}
	return r * 0x1p-600 * twoTo(int(k)+600)
}

// twoTo is 2^k for k from -1022 to 1023.
func twoTo(k int) float64 { return math.Float64frombits(uint64(1023+k) << 52) }
