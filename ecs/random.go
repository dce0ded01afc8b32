package ecs

import (
	"math/rand/v2"

	"github.com/perigee-ecs/perigee/ecs/internal/rng"
)

// Random is a generator of random numbers with 8 bytes of state and a period of
// 2⁶⁴. It is a rand.Source. The same seed gives the same numbers on every machine
// and in every later version; kernels draw the same ones from the same state.
type Random struct{ state rng.SplitMix }

// NewRandom returns a generator for a seed.
func NewRandom(seed uint64) *Random { return &Random{state: rng.SplitMix(seed)} }

// Uint64 returns the next number.
func (r *Random) Uint64() uint64 { return r.state.Uint64() }

// Float64 returns a number in [0, 1): the upper 53 bits of the next Uint64.
func (r *Random) Float64() float64 { return r.state.Float64() }

// State returns what Seed takes to go on from here.
func (r *Random) State() uint64 { return uint64(r.state) }

// Seed starts the generator anew.
func (r *Random) Seed(seed uint64) { r.state = rng.SplitMix(seed) }

// Rand returns a generator of the standard library that draws from this one.
func (r *Random) Rand() *rand.Rand { return rand.New(r) }

// systemSeed returns the seed of one run of a system. It follows from the world's
// seed, the system's name and how often it has run; so the order of systems, or
// another system, changes nothing that a system draws.
func systemSeed(world, name, run uint64) uint64 { return rng.Mix(world^name) + rng.Mix(run) }
