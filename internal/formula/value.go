package formula

import "math"

// A Float is a number inside a description.
type Float struct{ n *node }

// An Int is 64 bits without a sign.
type Int struct{ n *node }

// A Mask is true or false. The Mask without a node is true everywhere.
type Mask struct{ n *node }

// number is a constant.
func number(v float64) Float { return Float{constant(float, math.Float64bits(v))} }

// notANumber is the one of package math.
var notANumber = number(math.NaN())

// pattern is the constant with these bits, the upper half first, as fdlibm writes them.
func pattern(high, low uint32) Float {
	return Float{constant(float, uint64(high)<<32|uint64(low))}
}

// integer is a constant.
func integer(v uint64) Int { return Int{constant(whole, v)} }

// The operations of numbers round as IEEE 754 says, to the nearest number and to even ones
// between two.

func (x Float) Add(y Float) Float { return Float{apply(add, x.n, y.n)} }
func (x Float) Sub(y Float) Float { return Float{apply(sub, x.n, y.n)} }
func (x Float) Mul(y Float) Float { return Float{apply(mul, x.n, y.n)} }
func (x Float) Div(y Float) Float { return Float{apply(div, x.n, y.n)} }
func (x Float) Sqrt() Float       { return Float{apply(sqrt, x.n)} }
func (x Float) Abs() Float        { return Float{apply(abs, x.n)} }
func (x Float) Neg() Float        { return Float{apply(neg, x.n)} }
func (x Float) Trunc() Float      { return Float{apply(trunc, x.n)} }

// Least and Greatest are the less and the greater one of two numbers. They may be anything
// where one of them is not a number.
func (x Float) Least(y Float) Float    { return Float{apply(least, x.n, y.n)} }
func (x Float) Greatest(y Float) Float { return Float{apply(greatest, x.n, y.n)} }

// Within is x, but low below it and high beyond it. What is not a number stays as it is. The
// Go of it has branches, since most numbers are within.
func (x Float) Within(low, high float64) Float {
	above := Float{join(greatest, branch, []*node{x.n, number(low).n})}
	return Float{join(least, branch, []*node{above.n, number(high).n})}
}

// Bits returns the bits of a number.
func (x Float) Bits() Int { return Int{apply(bits, x.n)} }

// Comparisons are false where one of the two is not a number.

func (x Float) Lt(y Float) Mask { return Mask{apply(lt, x.n, y.n)} }
func (x Float) Le(y Float) Mask { return Mask{apply(le, x.n, y.n)} }
func (x Float) Eq(y Float) Mask { return Mask{apply(eq, x.n, y.n)} }

// Integers wrap around.

func (x Int) Add(y Int) Int     { return Int{apply(iadd, x.n, y.n)} }
func (x Int) Sub(y Int) Int     { return Int{apply(isub, x.n, y.n)} }
func (x Int) And(y Int) Int     { return Int{apply(iand, x.n, y.n)} }
func (x Int) Or(y Int) Int      { return Int{apply(ior, x.n, y.n)} }
func (x Int) Xor(y Int) Int     { return Int{apply(ixor, x.n, y.n)} }
func (x Int) Shl(count int) Int { return Int{shift(shl, x.n, count)} }
func (x Int) Shr(count int) Int { return Int{shift(shr, x.n, count)} }
func (x Int) Eq(y Int) Mask     { return Mask{apply(ieq, x.n, y.n)} }

// Less compares as whole numbers with a sign.
func (x Int) Less(y Int) Mask { return Mask{apply(ilt, x.n, y.n)} }

// From reports whether x, as a whole number without a sign, is low or more and below high. It
// takes one comparison: x - low wraps around where x is below low.
func (x Int) From(low, high uint64) Mask {
	return x.Sub(integer(low + signBit)).Less(integer(high - low + signBit))
}

// Negative reports whether the highest bit is set.
func (x Int) Negative() Mask { return Mask{apply(ilt, x.n, constant(whole, 0))} }

// Float returns the number with these bits.
func (x Int) Float() Float { return Float{apply(unbits, x.n)} }

func (m Mask) And(o Mask) Mask { return Mask{apply(mand, m.n, o.n)} }
func (m Mask) Or(o Mask) Mask  { return Mask{apply(mor, m.n, o.n)} }

// Keep returns x where the mask is true, 0 elsewhere.
func (m Mask) Keep(x Float) Float { return m.Choose(x, number(0)) }

// Choose returns x where the mask is true, y elsewhere. Both are computed.
func (m Mask) Choose(x, y Float) Float { return Float{apply(choose, x.n, y.n, m.n)} }

// Either is Choose for sides that take long: the Go of it is a branch, and only one of them
// is computed there.
func (m Mask) Either(x, y Float) Float { return Float{join(choose, branch, []*node{x.n, y.n, m.n})} }

// branch marks the choices of Either and Within.
const branch = 1

// ChooseInt is Choose for integers.
func (m Mask) ChooseInt(x, y Int) Int { return Int{apply(choose, x.n, y.n, m.n)} }

const (
	signBit = 1 << 63
	// nearest is 1.5·2^52: a number below 2^51 that is added to it loses its fraction, rounded
	// to the nearest, and the sum's low bits are those of the whole number.
	nearest = 0x1.8p52
)

// round returns the nearest whole number of x, |x| < 2^51, as a number and as the low bits
// of the second result; even ones between two.
func round(x Float) (k Float, low Int) {
	m := x.Add(number(nearest))
	return m.Sub(number(nearest)), m.Bits()
}

// poly is c[0] + x·(c[1] + x·(…)), from the inside out.
func poly(x Float, c ...float64) Float {
	r := number(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		r = number(c[i]).Add(x.Mul(r))
	}
	return r
}

// polyPairs is poly, with pairs of summands computed side by side (Estrin 1960): a few
// operations more, of which fewer wait for each other.
func polyPairs(x Float, c ...float64) Float {
	var terms []Float
	for i := 0; i < len(c); i += 2 {
		if i+1 < len(c) {
			terms = append(terms, number(c[i]).Add(x.Mul(number(c[i+1]))))
		} else {
			terms = append(terms, number(c[i]))
		}
	}
	for len(terms) > 1 {
		x = x.Mul(x)
		var half []Float
		for i := 0; i < len(terms); i += 2 {
			if i+1 < len(terms) {
				half = append(half, terms[i].Add(x.Mul(terms[i+1])))
			} else {
				half = append(half, terms[i])
			}
		}
		terms = half
	}
	return terms[0]
}

// upper clears the low 32 bits: the upper part of a number, of 21 bits.
func upper(x Float) Float { return x.Bits().And(integer(0xFFFFFFFF00000000)).Float() }

// half clears the low 27 bits: a product of two such numbers is exact.
func half(x Float) Float { return x.Bits().And(integer(0xFFFFFFFFF8000000)).Float() }

// sumTail returns x + y, and what the sum has lost, for |x| ≥ |y| (Dekker 1971).
func sumTail(x, y Float) (sum, tail Float) {
	sum = x.Add(y)
	return sum, x.Sub(sum).Add(y)
}

// lessTail returns x - y, and what the difference has lost, for |x| ≥ |y| or where nothing is
// lost.
func lessTail(x, y Float) (difference, tail Float) {
	difference = x.Sub(y)
	return difference, x.Sub(difference).Sub(y)
}

// differenceTail returns x - y, and what the difference has lost (Knuth, The Art of
// Computer Programming, 4.2.2).
func differenceTail(x, y Float) (difference, tail Float) {
	difference = x.Sub(y)
	minusY := difference.Sub(x)
	return difference, x.Sub(difference.Sub(minusY)).Sub(y.Add(minusY))
}

// sign returns the sign of x, and no other bit.
func sign(x Float) Int { return x.Bits().And(integer(signBit)) }

// signed gives x, which is not negative, a sign.
func signed(x Float, sign Int) Float { return x.Bits().Or(sign).Float() }

// turned turns the sign of x where the bit of another is set.
func turned(x Float, sign Int) Float { return x.Bits().Xor(sign).Float() }
