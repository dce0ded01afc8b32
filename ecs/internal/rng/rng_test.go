package rng

import (
	"hash/fnv"
	"testing"

	"pgregory.net/rapid"
)

// TestKnownNumbers: the first outputs of SplitMix64 for two seeds, from the
// paper's reference code. Compiled scripts must draw the same.
func TestKnownNumbers(t *testing.T) {
	for seed, want := range map[uint64][]uint64{
		0:       {0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F},
		1234567: {6457827717110365317, 3203168211198807973, 9817491932198370423},
	} {
		r := SplitMix(seed)
		for i, n := range want {
			if got := r.Uint64(); got != n {
				t.Errorf("seed %d, number %d: %#x, want %#x", seed, i, got, n)
			}
		}
	}
}

// TestFloatsAreInRange and fill it evenly.
func TestFloatsAreInRange(t *testing.T) {
	r, sum := SplitMix(1), 0.0
	for range 100_000 {
		f := r.Float64()
		if f < 0 || f >= 1 {
			t.Fatalf("drew %v", f)
		}
		sum += f
	}
	if mean := sum / 100_000; mean < 0.49 || mean > 0.51 {
		t.Errorf("the mean is %v", mean)
	}
}

// TestHashIsFNV1a: random names hash as the standard library hashes them.
func TestHashIsFNV1a(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		want := fnv.New64a()
		want.Write([]byte(name))
		if got := Hash(name); got != want.Sum64() {
			t.Fatalf("%q has the hash %#x, want %#x", name, got, want.Sum64())
		}
	})
}
