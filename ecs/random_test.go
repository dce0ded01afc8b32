package ecs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRandom: Seed starts a Random anew, State takes it up where it is, and it is a
// source for the standard library.
func TestRandom(t *testing.T) {
	r := NewRandom(1)
	first := r.Uint64()
	state := r.State()
	second := r.Uint64()
	if r.Seed(state); r.Uint64() != second {
		t.Error("the state does not lead to the number that followed")
	}
	if r.Seed(1); r.Uint64() != first {
		t.Error("Seed does not start anew")
	}
	if n := r.Rand().IntN(6); n < 0 || n > 5 {
		t.Errorf("a die shows %d", n)
	}
	_ = rand.New(r) // a Random is a rand.Source
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
	if w.Raw().Seed() != 42 || w.Random().Uint64() != NewRandom(42).Uint64() {
		t.Error("the world's generator does not begin at its seed")
	}
}
