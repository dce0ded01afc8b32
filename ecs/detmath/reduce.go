package detmath

import (
	"math"
	"math/bits"
)

// reduce takes an angle beyond 2^19 to y - excess, which is what it is away from the nearest
// multiple of π/2, and returns the multiple modulo 4 (Payne and Hanek 1983).
//
// x is m·2^e with a whole m of 53 bits, so x·2/π modulo 4 depends on the digits of 2/π from
// the weight 2^(1-e) on: those before it make multiples of 4. Of the product with 192 digits
// 137 bits after the point are right. No number comes nearer to a multiple than 2^-62, which
// leaves 75 bits of the difference.
func reduce(x float64) (quadrant uint64, y, excess float64) {
	b := math.Float64bits(x)
	m, e := b&(1<<52-1)|1<<52, int(b>>52&0x7FF)-1075
	f0, f1, f2 := timesDigits(m, uint(62+e))
	quadrant = f0 >> 62
	f0, f1, f2 = f0<<2|f1>>62, f1<<2|f2>>62, f2<<2
	negative := f0>>63 != 0
	if negative { // more than half of a turn of π/2: from the next multiple
		quadrant++
		var borrow uint64
		f2, borrow = bits.Sub64(0, f2, 0)
		f1, borrow = bits.Sub64(0, f1, borrow)
		f0, _ = bits.Sub64(0, f0, borrow)
	}
	y, excess = timesHalfPi(f0, f1, f2)
	if negative != math.Signbit(x) {
		y, excess = -y, -excess
	}
	if math.Signbit(x) {
		quadrant = -quadrant
	}
	return quadrant, y, excess
}

// timesDigits is m times the 192 digits of 2/π from a place on, modulo 2^192.
func timesDigits(m uint64, place uint) (f0, f1, f2 uint64) {
	word := func(i uint) uint64 {
		at, shift := place/64+i, place%64
		return twoOverPi[at]<<shift | twoOverPi[at+1]>>(64-shift)
	}
	h2, f2 := bits.Mul64(m, word(2))
	h1, l1 := bits.Mul64(m, word(1))
	f1, carry := bits.Add64(l1, h2, 0)
	return m*word(0) + h1 + carry, f1, f2
}

// timesHalfPi is a fraction of 192 bits times π/2, as a difference of two. f0 is not 0, as no
// number comes that near to a multiple.
func timesHalfPi(f0, f1, f2 uint64) (y, excess float64) {
	zeros := uint(bits.LeadingZeros64(f0))
	f0, f1 = f0<<zeros|f1>>(64-zeros), f1<<zeros|f2>>(64-zeros)
	const high, low = 0xC90FDAA22168C234, 0xC4C6628B80DC1CD1 // π/2 · 2^127
	p0, p1 := bits.Mul64(f0, high)
	a, _ := bits.Mul64(f0, low)
	b, _ := bits.Mul64(f1, high)
	p1, carry := bits.Add64(p1, a, 0)
	p0 += carry
	p1, carry = bits.Add64(p1, b, 0)
	p0 += carry
	// The first 53 bits and the 64 after them, of weights 2^(-63-zeros) and 2^(-116-zeros).
	first := float64(float64(p0&^0x7FF) * twoTo(-63-int(zeros)))
	second := float64(float64(p0<<53|p1>>11) * twoTo(-116-int(zeros)))
	y = first + second
	return y, y - first - second
}

// twoOverPi has the binary digits of 2/π after the point, and 64 zeros before them.
var twoOverPi = [...]uint64{
	0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
	0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
	0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
	0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
	0xf0cfbc209af4361d,
}
