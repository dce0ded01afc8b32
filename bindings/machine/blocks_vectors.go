package machine

import "github.com/perigee-ecs/perigee/ecs/detmath"

// Vectors are computed as the loop of the machine computes numbers, with the same bits.

func (v *vector) spread(x float64) {
	for i := range v {
		v[i] = x
	}
}

// compute executes an instruction for all turns.
func (b *block) compute(in *blockIns, to []float64, v [][]float64) {
	x, y := v[in.x][:len(to)], v[in.y][:len(to)]
	switch in.op {
	case blockMove:
		copy(to, x)
	case blockAdd:
		addVectors(to, x, y)
	case blockSub:
		for i := range to {
			to[i] = float64(x[i]-y[i]) + 0
		}
	case blockMul:
		mulVectors(to, x, y)
	case blockDiv:
		for i := range to {
			to[i] = float64(x[i]/y[i]) + 0
		}
	case blockMod:
		for i := range to {
			to[i] = float(remainder(x[i], y[i]))
		}
	case blockPow:
		for i := range to {
			to[i] = Number(float64(detmath.Pow(x[i], y[i])) + 0).Float()
		}
	case blockUnm:
		for i := range to {
			to[i] = Number(-x[i]).Float()
		}
	case blockNot:
		for i := range to {
			to[i] = 1 - x[i]
		}
	case blockForPrep:
		for i := range to {
			to[i] = x[i] - y[i]
		}
	case blockCallOne:
		f := b.known[in.function].pure.One
		for i := range to {
			to[i] = Number(f(x[i])).Float()
		}
	case blockCallTwo:
		f := b.known[in.function].pure.Two
		for i := range to {
			to[i] = Number(f(x[i], y[i])).Float()
		}
	}
}

// addVectors adds. Of two NaNs the left one is the sum: the compiler does not promise that.
func addVectors(to, x, y []float64) {
	x, y = x[:len(to)], y[:len(to)]
	for i := range to {
		sum := x[i] + y[i]
		if sum != sum && x[i] != x[i] {
			sum = x[i]
		}
		to[i] = float64(sum) + 0
	}
}

// mulVectors is addVectors for products.
func mulVectors(to, x, y []float64) {
	x, y = x[:len(to)], y[:len(to)]
	for i := range to {
		product := x[i] * y[i]
		if product != product && x[i] != x[i] {
			product = x[i]
		}
		to[i] = float64(product) + 0
	}
}

// compareVectors returns a mask of the turns for which a comparison holds.
func compareVectors(op blockOp, x, y []float64) (mask uint64) {
	y = y[:len(x)]
	switch op {
	case blockEqual:
		for i := len(x) - 1; i >= 0; i-- {
			mask = mask<<1 | bitOf(x[i] == y[i])
		}
	case blockLess:
		for i := len(x) - 1; i >= 0; i-- {
			mask = mask<<1 | bitOf(x[i] < y[i])
		}
	case blockAtMost:
		for i := len(x) - 1; i >= 0; i-- {
			mask = mask<<1 | bitOf(x[i] <= y[i])
		}
	case blockTest:
		for i := len(x) - 1; i >= 0; i-- {
			mask = mask<<1 | bitOf(x[i] != 0)
		}
	}
	return mask
}

func bitOf(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// forLoop counts on for those turns that a mask names, and returns which go on. It sets the
// variable of the loop for them.
func forLoop(index, limit, step, variable []float64, mask uint64) (on uint64) {
	for i := range index {
		if mask>>i&1 == 0 {
			continue
		}
		next := index[i] + step[i]
		if step[i] > 0 && !(next <= limit[i]) || !(step[i] > 0) && !(next >= limit[i]) {
			continue
		}
		index[i], variable[i] = next, next
		on |= 1 << i
	}
	return on
}
