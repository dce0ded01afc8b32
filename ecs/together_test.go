package ecs

import (
	"math/rand/v2"
	"testing"
)

type (
	wide   struct{ A, B, C int64 }
	narrow struct{ A int64 }
	held   struct{ A *int64 } // a Go pointer: in a pool of the heap
)

// TestRunsThroughPoolsInAnyOrder: pools that were filled together, and then less
// and less so, give the loop every entity that is in all of them once, in the
// order of the smallest, each with its own values.
func TestRunsThroughPoolsInAnyOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	w := open(t, Options{})
	a, b, c := Register[wide](w, Sparse), Register[narrow](w, Sparse), Register[held](w)
	put := func(e Entity) {
		id := int64(e.Index())
		must(t, a.Set(e, wide{A: id, C: -id}))
		must(t, b.Set(e, narrow{id}))
		must(t, c.Set(e, held{&id}))
	}
	q := w.Query(Read(a), Read(b), Read(c))
	es := spawnMany(w, 3000)
	for _, e := range es {
		put(e)
	}
	longest := 0
	for range 300 {
		var want []Entity
		lead := w.components[a.ID()].pool
		for _, id := range []ComponentID{b.ID(), c.ID()} {
			if p := w.components[id].pool; p.len() < lead.len() {
				lead = p
			}
		}
		for i := 0; lead.page(i) != nil; i++ {
			for _, e := range lead.page(i).Entities() {
				if a.Has(e) && b.Has(e) && c.Has(e) {
					want = append(want, e)
				}
			}
		}
		at := 0
		for chunk := range q.Chunks() {
			longest = max(longest, chunk.Len())
			as, bs, cs := a.Of(chunk), b.Of(chunk), c.Of(chunk)
			for i, e := range chunk.Entities() {
				if id := int64(e.Index()); at == len(want) || e != want[at] || as[i] != (wide{A: id, C: -id}) || bs[i].A != id || *cs[i].A != id {
					t.Fatalf("seed %d: candidate %d is %v with %v %v %v", seed, at, e, as[i], bs[i], *cs[i].A)
				}
				at++
			}
		}
		if at != len(want) {
			t.Fatalf("seed %d: %d entities, want %d", seed, at, len(want))
		}
		switch e := es[r.IntN(len(es))]; r.IntN(5) {
		case 0:
			a.Remove(e)
		case 1:
			b.Remove(e)
		case 2:
			c.Remove(e)
		default:
			put(e)
		}
	}
	if longest < 100 {
		t.Errorf("the longest run had %d rows: nothing went together", longest)
	}
}
