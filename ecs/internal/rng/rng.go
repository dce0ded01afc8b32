// Package rng has the numbers that a world draws: SplitMix64 (Steele, Lea and
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014), one word
// of state, a period of 2⁶⁴ and a handful of instructions; and a hash that turns a
// system's name into a seed of its own.
//
// Why not a generator of the standard library? Scripts that are compiled to kernels
// draw the same numbers from the same 8 bytes of state, so the algorithm has to be
// one that fits into a few instructions and that no other package may change.
package rng

// SplitMix is the state of a generator. Any value will do as a seed; the zero
// value is the generator of seed 0.
type SplitMix uint64

// golden is 2⁶⁴ divided by the golden ratio: the step from state to state.
const golden = 0x9E3779B97F4A7C15

// Uint64 returns the next number.
func (s *SplitMix) Uint64() uint64 {
	*s += golden
	return Mix(uint64(*s))
}

// Float64 returns a number in [0, 1): the upper 53 bits of the next Uint64, which
// are as many as a float64 holds exactly.
func (s *SplitMix) Float64() float64 { return float64(s.Uint64()>>11) / (1 << 53) }

// Mix spreads a word over all 64 bits: each bit of z changes half of the result's.
// It is a bijection, so different words stay different.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Hash folds a name into 64 bits: FNV-1a. It is part of what a seed means, so it
// must never change.
func Hash(name string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h
}
