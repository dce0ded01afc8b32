package ecs

import "math/rand/v2"

// Random is a SplitMix64 generator (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014): one word of state, 2⁶⁴ period,
// a handful of instructions. It is a rand.Source.
//
// Why not a generator of the standard library? Scripts compiled to kernels
// must draw the same numbers from the same 8 bytes of state.
type Random struct{ state uint64 }

const golden = 0x9E3779B97F4A7C15

// NewRandom returns a generator for a seed.
func NewRandom(seed uint64) *Random { return &Random{state: seed} }

// Uint64 returns the next number.
func (r *Random) Uint64() uint64 {
	r.state += golden
	return mix(r.state)
}

// Float64 returns a number in [0, 1): the upper 53 bits of the next Uint64.
func (r *Random) Float64() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// State returns what Seed takes to go on from here.
func (r *Random) State() uint64 { return r.state }

// Seed starts the generator anew.
func (r *Random) Seed(seed uint64) { r.state = seed }

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Rand returns a generator of the standard library that draws from this one.
func (r *Random) Rand() *rand.Rand { return rand.New(r) }

// hashName folds a name into 64 bits: FNV-1a.
func hashName(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
