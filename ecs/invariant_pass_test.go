package ecs

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// TestInvariantsOfArraysAreThoseOfTheirNumbers: each element counts, in arrays of each kind and length.
func TestInvariantsOfArraysAreThoseOfTheirNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, k := range []Kind{Bool, I8, U8, I16, U16, I32, U32, F32, I64, U64, F64, Ref, Enum} {
		least, most, whole := kindRange(k)
		if !whole {
			least, most = -1000, 1000
		}
		for range 3000 {
			f := Field{Kind: k, Len: 1 + rng.IntN(20)}
			data := make([]uint64, f.Len) // as much as any kind needs
			p := unsafe.Pointer(unsafe.SliceData(data))
			size := uintptr(1)
			switch k {
			case I16, U16:
				size = 2
			case I32, U32, F32:
				size = 4
			case I64, U64, F64, Ref:
				size = 8
			}
			pick := func() float64 { return least + rng.Float64()*(most-least) }
			lo, hi := pick(), pick()
			if lo, hi = min(lo, hi), max(lo, hi); rng.IntN(4) == 0 {
				lo, hi = math.Ceil(lo), math.Floor(hi)
			}
			if rng.IntN(8) == 0 {
				lo = math.Inf(-1)
			}
			if rng.IntN(8) == 0 {
				hi = math.Inf(1)
			}
			inside := func() float64 { return min(max(pick(), lo), hi) }
			outside := false
			for i := range f.Len {
				x := inside()
				if rng.IntN(2*f.Len) == 0 {
					x = pick()
				}
				at := unsafe.Add(p, uintptr(i)*size)
				if k == F32 && rng.IntN(20) == 0 {
					x = math.NaN()
				}
				switch k {
				case I64, U64, Ref, F64:
					x = math.Trunc(x / 4096)
				}
				k.Store(at, x)
				if v := k.Load(at); !(v >= lo && v <= hi) {
					outside = true
				}
			}
			if got := arrayOutside(&f, lo, hi)(p); got != outside {
				t.Fatalf("%v of %d from %v to %v: outside is %v, want %v: %x", k, f.Len, lo, hi, got, outside, data)
			}
		}
	}
}

type (
	broad struct {
		Cells [4096]uint8
		Low   int8
		Mood  uint8 `ecs:"mood,enum=calm|cross|gone"`
	}
	apart struct {
		Cells [2000]float32
		Low   int8
	}
)

// TestLimitedInvariantsFindEverything that stays as it is, in chunks, in pools, across both, with
// prefabs and without, whatever else is written, comes and goes meanwhile.
func TestLimitedInvariantsFindEverything(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 7))
		w := open(t, Options{MaxViolations: 1000})
		low := func(of string) Invariant { return Range("low", -100, 100).Named(of) }
		broads := Register[broad](w, low("broad"), Range("cells", 0, 200).Named("cells"), Constraint("low ~= 50").Named("not 50"))
		aparts := Register[apart](w, Sparse, low("apart"), Finite("cells").Named("finite"), Constraint("low <= broad.low").Named("both"))
		if seed%2 == 1 {
			must(t, w.MarkPrefab(w.Spawn(broads.With(broad{Low: 120}), aparts.With(apart{Low: 120}))))
		}
		reported := map[string]bool{}
		key := func(v *Violation) string { return fmt.Sprint(v.Invariant, v.Entity) }
		_, err := w.Schedule().OnViolation(func(v *Violation) {
			reported[key(v)] = true
			if !slices.ContainsFunc(w.Schedule().Violations(0), func(o *Violation) bool { return key(o) == key(v) && o.Value == v.Value }) {
				t.Errorf("seed %d: reported, and does not break it: %v", seed, v)
			}
		})
		must(t, err)
		w.Schedule().LimitChecks(1 + int64(seed)*5000)
		var all []Entity
		values := func() (list []Value) {
			b, a := broad{Low: int8(rng.IntN(105))}, apart{Low: int8(rng.IntN(105))}
			if rng.IntN(6) == 0 {
				b.Cells[rng.IntN(4096)] = 201
			}
			if rng.IntN(6) == 0 {
				a.Cells[rng.IntN(2000)] = float32(math.Inf(1))
			}
			if rng.IntN(3) > 0 {
				list = append(list, broads.With(b))
			}
			if rng.IntN(2) > 0 || list == nil {
				list = append(list, aparts.With(a))
			}
			return list
		}
		late := false
		for range 60 {
			for range rng.IntN(8) {
				switch i := rng.IntN(len(all) + 3); {
				case i >= len(all):
					all = append(all, w.Spawn(values()...))
				case rng.IntN(4) == 0:
					must(t, w.Despawn(all[i]))
					all = slices.Delete(all, i, i+1)
				case rng.IntN(3) == 0:
					must(t, w.Remove(all[i], broads))
				default:
					must(t, w.Add(all[i], values()...))
				}
			}
			must(t, w.Step(1))
			must(t, w.Check())
			late = late || w.Stats().Unchecked > 0
		}
		if !late {
			t.Errorf("seed %d: nothing was ever behind", seed)
		}
		for steps := 0; w.Stats().Unchecked > 0; steps++ {
			must(t, w.Step(1))
			if steps > 5000 {
				t.Fatalf("seed %d: after %d steps in which nothing was written, %d are behind", seed, steps, w.Stats().Unchecked)
			}
		}
		broken := w.Schedule().Violations(0)
		if len(broken) == 0 {
			t.Errorf("seed %d: nothing breaks a rule", seed)
		}
		for _, v := range broken {
			if !reported[key(v)] {
				t.Errorf("seed %d: never reported: %v", seed, v)
			}
		}
	}
}

// TestLimitedInvariantsTakeTurns: one that is written in each step, and needs several, does not keep
// the others from being checked; and no step does much more than it may.
func TestLimitedInvariantsTakeTurns(t *testing.T) {
	w := open(t, Options{})
	broads := Register[broad](w, Range("cells", 0, 200), Range("low", -100, 100))
	purses := Register[purse](w, Range("gold", 0, 10))
	must(t, w.SpawnMany(200, nil, broads.With(broad{})))
	e := w.Spawn(purses.With(purse{}))
	q := w.Query(Write(broads))
	must(t, w.Schedule().Add(System{Name: "write", Queries: []*Query{q}, Run: func(*Tick) error {
		for k := range q.Chunks() {
			broads.Mut(k)
		}
		return nil
	}}))
	var behind int
	_, err := w.Schedule().OnTick(func(r *TickReport) { behind = r.Unchecked })
	must(t, err)
	seen := catchViolations(t, w)
	const allowed = 20_000 // the cells take 200,000
	w.Schedule().LimitChecks(allowed)
	for round := range 5 {
		purses.Edit(e).Gold = int64(-1 - round)
		found := 0
		for range 30 {
			found += len(seen.step(t, w))
			if left := w.invariants.left; left < -4*allowed {
				t.Fatalf("a step has taken %d, of %d", allowed-left, allowed)
			}
			if behind == 0 || behind != w.Stats().Unchecked {
				t.Fatalf("%d invariants are behind, and the statistics say %d", behind, w.Stats().Unchecked)
			}
		}
		if found != 1 {
			t.Errorf("round %d: found %d times in 30 steps, want 1", round, found)
		}
	}
	w.Schedule().LimitChecks(0)
	must(t, w.Step(1))
	must(t, w.Step(1))
	if w.Stats().Unchecked != 0 || behind != 0 {
		t.Errorf("without a limit, %d are behind", w.Stats().Unchecked)
	}
}

// TestStrictInvariantsHaveNoLimit: a step returns all that it should.
func TestStrictInvariantsHaveNoLimit(t *testing.T) {
	w := open(t, Options{StrictInvariants: true})
	broads := Register[broad](w, Range("cells", 0, 200), Range("low", -100, 100))
	w.Schedule().LimitChecks(1)
	must(t, w.SpawnMany(50, nil, broads.With(broad{})))
	e := w.Spawn(broads.With(broad{Low: 101}))
	var v *Violation
	if err := w.Step(1); !errors.As(err, &v) || v.Entity != e || w.Stats().Unchecked != 0 {
		t.Errorf("%v, and %d are behind", err, w.Stats().Unchecked)
	}
}

// TestLimitedStatesAreFollowed: a transition is found once, however many steps the checks take.
func TestLimitedStatesAreFollowed(t *testing.T) {
	w := open(t, Options{MaxViolations: 1000})
	broads := Register[broad](w, Transitions("mood", map[string][]string{"calm": {"cross"}, "cross": {"calm"}}))
	var all []Entity
	for range 60 {
		all = append(all, w.Spawn(broads.With(broad{})))
	}
	seen := catchViolations(t, w)
	must(t, w.Step(1))
	w.Schedule().LimitChecks(3000)
	found := map[Entity]int{}
	steps := func(n int) {
		for range n {
			seen.step(t, w)
			for _, v := range seen.list {
				found[v.Entity]++
			}
			must(t, w.Check())
		}
	}
	for i, e := range all[:50] {
		broads.Edit(e).Mood = 1
		if i%2 == 0 {
			steps(1)
		}
	}
	steps(60)
	if len(found) > 0 {
		t.Errorf("what is permitted is reported: %v", found)
	}
	for i, e := range all {
		broads.Edit(e).Mood = 2
		if i%3 == 0 {
			steps(1)
		}
	}
	must(t, w.Despawn(all[0]))
	steps(100)
	for _, e := range all[1:] {
		if found[e] != 1 {
			t.Errorf("%v: reported %d times, want 1", e, found[e])
		}
	}
	if w.Stats().Unchecked > 0 {
		t.Errorf("%d are behind", w.Stats().Unchecked)
	}
}

// TestLimitedInvariantsOutliveAPanic: what comes after the row is looked at again, from the beginning.
func TestLimitedInvariantsOutliveAPanic(t *testing.T) {
	w := open(t, Options{})
	var bad bool
	broads := Register[broad](w, Holds("low", "low is not 7", func(b *broad) bool {
		if b.Low == 6 && bad {
			panic("six")
		}
		return b.Low != 7
	}))
	for i := range 60 {
		w.Spawn(broads.With(broad{Low: int8(i)}))
	}
	w.Schedule().LimitChecks(1)
	seen := catchViolations(t, w)
	failed, found := 0, 0
	bad = true
	for range 60 {
		if w.Step(1) != nil {
			failed++
		}
	}
	bad = false
	seen.list = nil
	for range 60 {
		must(t, w.Step(1))
	}
	for _, v := range seen.list {
		if v.Value[:7] == "low = 7" {
			found++
		}
	}
	if failed == 0 || found == 0 || w.Stats().Unchecked != 0 {
		t.Errorf("%d steps failed, found %d times, %d are behind", failed, found, w.Stats().Unchecked)
	}
}
