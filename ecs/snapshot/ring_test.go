package snapshot_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// newRing makes a ring that holds what its options say.
func newRing(t testing.TB, w *ecs.World, options snapshot.RingOptions) *snapshot.Ring {
	t.Helper()
	r, err := snapshot.NewRing(w, options)
	must(t, err)
	return r
}

// TestTheLastTicks are kept, and no others.
func TestTheLastTicks(t *testing.T) {
	g := newGame(t, ecs.Options{})
	r := newRing(t, g.World, snapshot.RingOptions{Ticks: 5})
	says(t, r.Restore(1), snapshot.ErrNotKept, "1", "none before it")
	for range 12 {
		g.step(t)
		must(t, r.Capture())
	}
	if got := slices.Collect(r.Ticks()); !slices.Equal(got, []uint64{8, 9, 10, 11, 12}) || r.Len() != 5 {
		t.Fatalf("kept %v", got)
	}
	must(t, r.Capture()) // of the same tick
	says(t, r.Restore(7), snapshot.ErrNotKept, "7")
	must(t, r.Restore(10))
	if got := slices.Collect(r.Ticks()); !slices.Equal(got, []uint64{8, 9, 10}) {
		t.Fatalf("after a restore %v are kept", got)
	}
	if _, tick := g.Time(); tick != 10 {
		t.Errorf("the world is in tick %d", tick)
	}
	if at, ok := r.Before(99); at != 10 || !ok {
		t.Errorf("before 99 is %d, %v", at, ok)
	}
	if _, ok := r.Before(3); ok {
		t.Error("something is kept before 3")
	}
	r.Clear()
	if r.Len() != 0 || r.Bytes() != 0 {
		t.Errorf("%d are kept in %d bytes", r.Len(), r.Bytes())
	}
}

// TestEachTickOfARing is what the world was then, whatever is shared.
func TestEachTickOfARing(t *testing.T) {
	g := newGame(t, ecs.Options{ReuseAfter: 4})
	r := newRing(t, g.World, snapshot.RingOptions{})
	var want []string
	for range 50 {
		g.step(t)
		must(t, r.Capture())
		want = append(want, g.look())
	}
	for n := len(want); n > 0; n -= 3 { // the later ones go
		must(t, r.Restore(uint64(n)))
		must(t, g.Check())
		same(t, fmt.Sprint("tick ", n), []string{g.look()}, []string{want[n-1]})
	}
}

// TestLooksKeepAll: a look at any tick, in any order, shows the world that it was and drops no snapshot. A
// capture of an earlier tick drops the later ones, as after a restore.
func TestLooksKeepAll(t *testing.T) {
	g := newGame(t, ecs.Options{ReuseAfter: 4})
	r := newRing(t, g.World, snapshot.RingOptions{})
	says(t, r.Look(1), snapshot.ErrNotKept, "1")
	want := []string{""}
	for range 30 {
		g.step(t)
		must(t, r.Capture())
		want = append(want, g.look())
	}
	for n := range 60 {
		tick := 1 + n*17%30
		must(t, r.Look(uint64(tick)))
		must(t, g.Check())
		same(t, fmt.Sprint("tick ", tick), []string{g.look()}, []string{want[tick]})
	}
	if r.Len() != 30 {
		t.Errorf("%d are kept", r.Len())
	}
	must(t, r.Look(20))
	for tick := 20; tick < 30; tick++ {
		must(t, r.Capture()) // of the tick that is there, and then of the next ones
		if r.Len() != tick {
			t.Errorf("%d are kept in tick %d", r.Len(), tick)
		}
		same(t, fmt.Sprint("tick ", tick), []string{g.look()}, []string{want[tick]})
		g.step(t)
	}
	for _, tick := range []int{3, 29, 20, 11} { // what was captured after a look shares what it should
		must(t, r.Look(uint64(tick)))
		must(t, g.Check())
		same(t, fmt.Sprint("tick ", tick), []string{g.look()}, []string{want[tick]})
	}
}

// large fills a world with rows of which some are written in each tick.
func large(t testing.TB, n int) (*ecs.World, func(share int)) {
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	p, v := ecs.Register[position](w), ecs.Register[velocity](w)
	must(t, w.SpawnMany(n, nil, p.With(position{1, 2}), v.With(velocity{3, 4})))
	moving := w.Query(ecs.Write(p))
	return w, func(share int) {
		chunk := 0
		for c := range moving.Chunks() {
			if chunk++; chunk%share == 0 {
				for i := range p.Mut(c) {
					p.Mut(c)[i].X++
				}
			}
		}
		must(t, w.Step(0.01))
	}
}

// TestWhatHasNotChangedIsKeptOnce: the ring grows by what was written.
func TestWhatHasNotChangedIsKeptOnce(t *testing.T) {
	w, tick := large(t, 50_000)
	r := newRing(t, w, snapshot.RingOptions{})
	tick(1)
	must(t, r.Capture())
	one := r.Bytes()
	for range 20 {
		tick(1 << 20) // nothing
		must(t, r.Capture())
	}
	if r.Bytes() > one*3/2 {
		t.Errorf("one snapshot takes %d bytes, 21 of the same %d", one, r.Bytes())
	}
	for range 20 {
		tick(1)
		must(t, r.Capture())
	}
	if written := r.Bytes() - one; written < 20*50_000*16 || written > 20*50_000*16*4/3+one/2 {
		t.Errorf("20 ticks that write %d bytes each take %d", 50_000*16, written)
	}
}

// TestABudget: a ring never takes more than it may. Old snapshots are thinned: the gaps get wider
// with their age.
func TestABudget(t *testing.T) {
	w, tick := large(t, 20_000)
	const budget = 12 << 20
	r := newRing(t, w, snapshot.RingOptions{Ticks: 1000, Bytes: budget})
	sums := map[uint64]uint64{}
	for n := range uint64(200) {
		tick(1)
		must(t, r.Capture())
		sums[n+1] = w.Checksum()
		if r.Bytes() > budget {
			t.Fatalf("after %d ticks it takes %d bytes", n, r.Bytes())
		}
	}
	kept := slices.Collect(r.Ticks())
	if len(kept) < 10 || kept[0] > 20 || kept[len(kept)-1] != 200 {
		t.Fatalf("kept %v", kept)
	}
	old, young := kept[3]-kept[2], kept[len(kept)-1]-kept[len(kept)-2]
	if old <= young {
		t.Errorf("the gaps are %d among the old and %d among the young: %v", old, young, kept)
	}
	for _, n := range slices.Backward(kept) {
		if must(t, r.Restore(n)); w.Checksum() != sums[n] {
			t.Fatalf("tick %d is another world", n)
		}
	}
	small := newRing(t, w, snapshot.RingOptions{Bytes: 1000})
	says(t, small.Capture(), ecs.ErrRange, "1000")
	if small.Len() != 0 || small.Bytes() != 0 {
		t.Errorf("%d are kept in %d bytes", small.Len(), small.Bytes())
	}
}

// TestATickAllocatesNothingForTheRing, once it is full, with and without a budget.
func TestATickAllocatesNothingForTheRing(t *testing.T) {
	for _, options := range []snapshot.RingOptions{{Ticks: 8}, {Ticks: 100, Bytes: 8 << 20}} {
		w, tick := large(t, 20_000)
		r := newRing(t, w, options)
		l := ecs.Register[label](w)
		e := w.Spawn(l.With(label{"a"}))
		ecs.Provide(w, &weather{})
		n := 0
		step := func() {
			l.Edit(e).Text = "b"
			n++
			if n%3 == 0 {
				tick(1)
			} else {
				tick(1 << 20)
			}
			must(t, r.Capture())
		}
		for range 300 {
			step()
		}
		if allocs := testing.AllocsPerRun(100, step); allocs > 0 {
			t.Errorf("%+v: %v allocations", options, allocs)
		}
	}
}

// TestRingOptions: what makes no sense is refused.
func TestRingOptions(t *testing.T) {
	w := ecs.NewWorld()
	for _, options := range []snapshot.RingOptions{{Ticks: -1}, {Ticks: 1 << 40}, {Bytes: -1}} {
		_, err := snapshot.NewRing(w, options)
		says(t, err, ecs.ErrRange)
	}
	r := newRing(t, w, snapshot.RingOptions{})
	must(t, w.Close())
	says(t, r.Capture(), ecs.ErrClosed)
	_, err := snapshot.NewRing(w, snapshot.RingOptions{})
	says(t, err, ecs.ErrClosed)
	_, err = snapshot.NewRing(nil, snapshot.RingOptions{})
	says(t, err, ecs.ErrConflict)
}
