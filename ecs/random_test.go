package ecs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKnownNumbers: the first outputs of SplitMix64 for two seeds, from the
// paper's reference code. Compiled scripts must draw the same.
func TestKnownNumbers(t *testing.T) {
	for seed, want := range map[uint64][]uint64{
		0:       {0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F},
		1234567: {6457827717110365317, 3203168211198807973, 9817491932198370423},
	} {
		r := NewRandom(seed)
		for i, n := range want {
			if got := r.Uint64(); got != n {
				t.Errorf("seed %d, number %d: %#x, want %#x", seed, i, got, n)
			}
		}
		if r.Seed(seed); r.Uint64() != want[0] {
			t.Error("Seed does not start anew")
		}
	}
}

func TestFloatsAreInRange(t *testing.T) {
	r := NewRandom(1)
	sum := 0.0
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
	if n := r.Rand().IntN(6); n < 0 || n > 5 {
		t.Errorf("a die shows %d", n)
	}
	_ = rand.New(NewRandom(1)) // a Random is a rand.Source
}

// draws runs systems for some ticks and returns what each has drawn.
func draws(t *testing.T, seed uint64, tag uint8, names ...string) map[string][]uint64 {
	w := open(t, Options{Seed: seed, Tag: tag, MaxBytes: 1})
	got := map[string][]uint64{}
	for i, name := range names {
		must(t, w.Schedule().Add(System{Name: name, Priority: i, Run: func(tick *Tick) error {
			for range i + 1 {
				got[name] = append(got[name], tick.Random().Uint64())
			}
			return nil
		}}))
	}
	for range 5 {
		must(t, w.Step(1))
	}
	return got
}

// TestSystemsDrawWhatTheirSeedSays: the same in every run, whatever the tag of
// the world, the other systems and the order; different in every tick.
func TestSystemsDrawWhatTheirSeedSays(t *testing.T) {
	a := draws(t, 1, 1, "x", "y")
	if b := draws(t, 1, 99, "x", "y"); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("the same seed gave other numbers")
	}
	if b := draws(t, 1, 1, "x", "z", "y", "w"); !slices.Equal(a["x"], b["x"]) {
		t.Error("other systems change what one draws")
	}
	if b := draws(t, 2, 1, "x", "y"); slices.Equal(a["x"], b["x"]) {
		t.Error("another seed gave the same numbers")
	}
	seen := map[uint64]bool{}
	for _, ns := range a {
		for _, n := range ns {
			if seen[n] {
				t.Errorf("%#x was drawn twice", n)
			}
			seen[n] = true
		}
	}
}

func TestTheWorldsOwnGenerator(t *testing.T) {
	w := open(t, Options{Seed: 42})
	if w.Seed() != 42 || w.Random().Uint64() != NewRandom(42).Uint64() {
		t.Error("the world's generator does not begin at its seed")
	}
}
