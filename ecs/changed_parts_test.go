package ecs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestChangedSeesNoneOfItsOwn: a loop with Changed over parts of chunks writes while it goes. What
// it writes makes no later part a changed one: it visits what a look at all parts before the first
// write finds.
func TestChangedSeesNoneOfItsOwn(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	visits, passed := 0, 0
	for range 200 {
		w := open(t, Options{})
		position, velocity := Register[Position](w), Register[Velocity](w)
		burning := Register[Burning](w, Sparse)
		var list []Entity
		for range 1 + r.IntN(600) {
			e := w.Spawn(position.With(Position{}), velocity.With(Velocity{}))
			if r.IntN(3) == 0 {
				must(t, burning.Set(e, Burning{}))
			}
			list = append(list, e)
		}
		query := func() *Query {
			return w.Query(Write(position)).Optional(Write(velocity), Write(burning)).Changed(velocity, burning)
		}
		writes, looks := query(), query()
		all := func(q *Query, write bool) (found []Entity) {
			for c := range q.Chunks() {
				found = append(found, c.Entities()...)
				if write {
					velocity.Mut(c)
					burning.Mut(c)
				}
			}
			return found
		}
		all(writes, false)
		all(looks, false)
		for range 4 {
			for range r.IntN(3) {
				e := list[r.IntN(len(list))]
				if burning.Has(e) {
					must(t, burning.Set(e, Burning{}))
				} else if r.IntN(8) == 0 {
					must(t, velocity.Set(e, Velocity{}))
				}
			}
			want := all(looks, false)
			got := all(writes, true)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: of %d entities it visits %d, %d were changed", seed, len(list), len(got), len(want))
			}
			visits += len(got)
			passed += len(list) - len(got)
			all(writes, false)
			all(looks, false) // with what was written
		}
	}
	if visits == 0 || passed == 0 {
		t.Errorf("%d rows visited, %d passed over", visits, passed)
	}
}
