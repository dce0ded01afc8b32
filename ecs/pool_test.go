package ecs

import (
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRandomPoolChangesAgainstAMap drives both kinds of pool with the same operations as a
// map and a list: what is in it, and in which order its rows lie.
func TestRandomPoolChangesAgainstAMap(t *testing.T) {
	t.Run("arena", func(t *testing.T) {
		poolAgainstMap(t, func(n int) Wide2 { return Wide2{[60]int64{59: int64(n)}} }, Sparse)
	})
	t.Run("heap", func(t *testing.T) {
		poolAgainstMap(t, func(n int) Label { return Label{string(rune('a' + n%26))} })
	})
}

func poolAgainstMap[T comparable](t *testing.T, of func(int) T, options ...ComponentOption) {
	rapid.Check(t, func(t *rapid.T) {
		w, err := Open(Options{MaxBytes: 8 << 20, ReuseAfter: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		c := Register[T](w, options...)
		es := spawnMany(w, 80)
		rows, values := []Entity{}, map[Entity]int{}
		for n := range rapid.IntRange(1, 300).Draw(t, "operations") {
			e := es[rapid.IntRange(0, len(es)-1).Draw(t, "entity")]
			at := slices.Index(rows, e)
			if rapid.IntRange(0, 2).Draw(t, "what") == 0 {
				if at >= 0 { // the last row takes the place
					rows[at] = rows[len(rows)-1]
					rows = rows[:len(rows)-1]
					delete(values, e)
				}
				err = c.Remove(e)
			} else {
				if at < 0 {
					rows = append(rows, e)
				}
				values[e] = n
				err = c.Set(e, of(n))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		var got []Entity
		for k := range w.Query(Read(c)).Chunks() {
			for i, e := range k.Entities() {
				if c.Of(k)[i] != of(values[e]) {
					t.Fatalf("%v has %v, want the value of %d", e, c.Of(k)[i], values[e])
				}
			}
			got = append(got, k.Entities()...)
		}
		if !slices.Equal(got, rows) || w.Check() != nil {
			t.Fatalf("the rows are %v, want %v; %v", got, rows, w.Check())
		}
	})
}

// TestPoolsReachFarSlots: the sparse side grows in pages, and pages between
// that nobody needs do not exist.
func TestPoolsReachFarSlots(t *testing.T) {
	w := open(t, Options{})
	burning, label := Register[Burning](w, Sparse), Register[Label](w)
	es := spawnMany(w, 10*perPage)
	far := es[len(es)-1]
	must(t, w.Add(far, burning.With(Burning{1}), label.With(Label{"far"})))
	pages := 0
	for _, unit := range w.components[burning.ID()].pool.(*arenaPool).sparse {
		if unit != 0 {
			pages++
		}
	}
	if pages != 1 {
		t.Errorf("one entity needs %d pages", pages)
	}
	for _, e := range []Entity{es[0], es[perPage-1], es[perPage], es[len(es)-2]} {
		if burning.Has(e) || label.Has(e) || burning.Remove(e) != nil || label.Remove(e) != nil {
			t.Errorf("%v has what was given to %v", e, far)
		}
	}
	b, _ := burning.Get(far)
	l, _ := label.Get(far)
	if b.Left != 1 || l.Text != "far" {
		t.Errorf("got %v and %v", b, l)
	}
	must(t, w.Check())
}

// TestRemovedHeapValuesAreCollected: the pool keeps no pointer in rows that are
// no longer used, nor commands or notices in buffers that are empty.
func TestRemovedHeapValuesAreCollected(t *testing.T) {
	type Holder struct{ P *[1 << 16]byte }
	w := open(t, Options{ReuseAfter: -1})
	holder := Register[Holder](w)
	must(t, w.Observe(Observer{Name: "o", On: OnRemove, Component: holder.ID(), Run: func(*Tick, Notice) error { return nil }}))
	freed := make(chan int, 16)
	c := w.NewCommands()
	give := func(n int) Value {
		p := new([1 << 16]byte)
		runtime.AddCleanup(p, func(n int) { freed <- n }, n)
		return holder.With(Holder{p})
	}
	a, b := w.Spawn(give(0)), w.Spawn(give(1))
	c.Spawn(give(2))
	must(t, c.Apply())
	c.Spawn(give(3))
	c.Drop()
	must(t, holder.Remove(a))
	must(t, w.Despawn(b))
	must(t, w.Reset())
	must(t, w.Step(0)) // the removed values are told, and then forgotten
	seen := map[int]bool{}
	for tries := 0; len(seen) < 4 && tries < 200; tries++ {
		runtime.GC()
		runtime.Gosched()
		for len(freed) > 0 {
			seen[<-freed] = true
		}
	}
	if len(seen) != 4 {
		t.Errorf("only the values %v were collected", seen)
	}
	runtime.KeepAlive(c)
	runtime.KeepAlive(w)
}

// TestHeapValuesSurviveTheCollector while nothing but the pool points to them.
func TestHeapValuesSurviveTheCollector(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	hulls := Register[hull](w)
	c := w.NewCommands()
	var es []Entity
	for i := range 300 {
		c.Spawn(hulls.With(hull{Name: string(rune('a' + i%26)), Crew: []string{"x", string(rune('a' + i%26))}}))
		if i%50 == 0 {
			runtime.GC() // the commands must keep the values alive
		}
	}
	must(t, c.Apply())
	runtime.GC()
	for e := range w.Entities() {
		es = append(es, e)
	}
	for i, e := range es {
		if i%3 == 0 {
			must(t, w.Despawn(e))
		}
	}
	runtime.GC()
	for i, e := range es {
		h, ok := hulls.Get(e)
		if ok != (i%3 != 0) || ok && (h.Name != string(rune('a'+i%26)) || h.Crew[1] != h.Name) {
			t.Fatalf("entity %d has %+v, %v", i, h, ok)
		}
	}
}
