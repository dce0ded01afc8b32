package snapshot_test

import (
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// A restore copies what was written since the capture, and asks stamps and versions for it. Here
// one thing alone is written, so that nothing else can have it copied.

// writtenOnce does one thing to a world of three entities and demands that a restore takes it back.
func writtenOnce(t *testing.T, write func(w *ecs.World, h ecs.Component[heat], b ecs.Component[burning], three []ecs.Entity)) {
	t.Helper()
	w := ecs.NewWorld()
	defer w.Close()
	h, b := ecs.Register[heat](w), ecs.Register[burning](w)
	var three []ecs.Entity
	for i := range int64(3) {
		three = append(three, w.Spawn(h.With(heat{i}), b.With(burning{float64(i)})))
	}
	s := capture(t, w)
	write(w, h, b, three)
	must(t, snapshot.Restore(w, s))
	must(t, w.Check())
	for i, e := range three {
		v, hot := h.Get(e)
		l, burns := b.Get(e)
		if !hot || !burns || v != (heat{int64(i)}) || l != (burning{float64(i)}) {
			t.Errorf("%v has %v %v and %v %v", e, v, hot, l, burns)
		}
	}
}

func TestAMovedRowGoesBack(t *testing.T) {
	writtenOnce(t, func(w *ecs.World, h ecs.Component[heat], _ ecs.Component[burning], three []ecs.Entity) {
		must(t, w.Remove(three[2], h)) // the last row: no other one moves
	})
}

func TestADeathIsTakenBack(t *testing.T) {
	writtenOnce(t, func(w *ecs.World, _ ecs.Component[heat], _ ecs.Component[burning], three []ecs.Entity) {
		must(t, w.Despawn(three[2])) // the last row: no other one moves
	})
}

// TestARowInThePlaceOfAnother: the chunk has as many rows as before, and nobody has written to the
// columns of the rows that are there.
func TestARowInThePlaceOfAnother(t *testing.T) {
	writtenOnce(t, func(w *ecs.World, h ecs.Component[heat], b ecs.Component[burning], three []ecs.Entity) {
		must(t, w.Despawn(three[0])) // the last row takes its place
		w.Spawn(h.With(heat{7}), b.With(burning{8}))
	})
}

// TestHeapValuesAreDated: whoever looks for changes finds that a restore has changed values with Go
// pointers.
func TestHeapValuesAreDated(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	b := ecs.Register[bag](w)
	e := w.Spawn(b.With(bag{[]string{"a"}}))
	s := capture(t, w)
	b.Edit(e).Items[0] = "b"
	version := w.Raw().Version()
	changed := w.Query(ecs.Read(b)).Changed(b)
	rows := func() (n int) {
		for c := range changed.Chunks() {
			n += c.Len()
		}
		return n
	}
	if first, second := rows(), rows(); first != 1 || second != 0 {
		t.Fatalf("before the restore the query yields %d rows, then %d", first, second)
	}
	must(t, snapshot.Restore(w, s))
	if n := rows(); n != 1 || w.Raw().Version() <= version {
		t.Errorf("the query yields %d rows after the restore", n)
	}
}

// TestAWriteOfAHeapValueIsSeenOnce: a query that has seen it at the capture does not see it after a
// restore, and one that has not does.
func TestAWriteOfAHeapValueIsSeenOnce(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	b := ecs.Register[bag](w)
	e := w.Spawn(b.With(bag{[]string{"a"}}))
	changed := w.Query(ecs.Read(b)).Changed(b)
	seen := func() (n int) {
		for c := range changed.Chunks() {
			n += c.Len()
		}
		return n
	}
	seen()
	after := capture(t, w)
	b.Edit(e).Items[0] = "b"
	before := capture(t, w)
	for range 3 {
		seen()
		must(t, snapshot.Restore(w, before))
		if seen() != 1 {
			t.Fatal("the query had not seen the write at the capture, and does not yield it after the restore")
		}
		must(t, snapshot.Restore(w, after))
		if seen() != 0 {
			t.Fatal("the query had seen all writes at the capture, and yields one after the restore")
		}
	}
}

// TestAChunkThatWasGivenBack gets its rows again, though others have written to its memory.
func TestAChunkThatWasGivenBack(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	h, p := ecs.Register[heat](w), ecs.Register[position](w)
	empty := capture(t, w)
	e := w.Spawn(h.With(heat{1}))
	full := capture(t, w)
	for range 2 {
		must(t, snapshot.Restore(w, empty))
		for range 100 {
			w.Spawn(p.With(position{7, 7}))
		}
		must(t, snapshot.Restore(w, full))
		must(t, w.Check())
		if v, _ := h.Get(e); v != (heat{1}) {
			t.Errorf("the value is %v", v)
		}
	}
}

// TestTheOrderOfWritesIsKept: a query that has seen one of two writes at the capture sees the other
// one after the restore, and not both.
func TestTheOrderOfWritesIsKept(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	h, p := ecs.Register[heat](w), ecs.Register[position](w)
	a, b := w.Spawn(h.With(heat{1})), w.Spawn(h.With(heat{2}), p.With(position{}))
	changed := w.Query(ecs.Read(h)).Changed(h)
	seen := func() (list []ecs.Entity) {
		for c := range changed.Chunks() {
			list = append(list, c.Entities()...)
		}
		return list
	}
	seen()
	h.Edit(b).V = 5 // the query has not seen it at the capture
	s := capture(t, w)
	h.Edit(a).V = 6
	seen()
	for range 2 {
		must(t, snapshot.Restore(w, s))
		if got := seen(); !slices.Equal(got, []ecs.Entity{b}) {
			t.Errorf("the query yields %v, and has to yield %v, not %v", got, b, a)
		}
	}
}

// TestWhatIsAddedIsYieldedOnce: what a query with Added had still to yield at the capture it yields
// after a restore, and nothing that has come since.
func TestWhatIsAddedIsYieldedOnce(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	h := ecs.Register[heat](w)
	added := w.Query(ecs.Read(h)).Added(h)
	all := func() (list []ecs.Entity) {
		for c := range added.Chunks() {
			list = append(list, c.Entities()...)
		}
		return list
	}
	a := w.Spawn(h.With(heat{1}))
	waits := capture(t, w)
	if got := all(); !slices.Equal(got, []ecs.Entity{a}) {
		t.Fatalf("before, the query yields %v", got)
	}
	done := capture(t, w)
	must(t, snapshot.Restore(w, waits))
	if got := all(); !slices.Equal(got, []ecs.Entity{a}) {
		t.Errorf("the query yields %v, and had %v to yield at the capture", got, a)
	}
	must(t, w.Remove(a, h))
	must(t, w.Add(a, h.With(heat{2}))) // has come once more
	must(t, snapshot.Restore(w, done))
	if got := all(); len(got) > 0 {
		t.Errorf("the query yields %v, and had nothing to yield at the capture", got)
	}
	b := w.Spawn(h.With(heat{3}))
	if got := all(); !slices.Equal(got, []ecs.Entity{b}) {
		t.Errorf("the query yields %v, and %v has come", got, b)
	}
}

// TestTheTimeSinceASystemRan is what it was: the run gets all of it.
func TestTheTimeSinceASystemRan(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	var got []float64
	must(t, w.Schedule().Add(ecs.System{Name: "slow", Every: 0.5, Run: func(t *ecs.Tick) error { got = append(got, t.DT); return nil }}))
	steps := func(n int) []float64 {
		got = nil
		for range n {
			must(t, w.Step(0.125))
		}
		return got
	}
	steps(6)
	s := capture(t, w)
	want := steps(5)
	for late := range 4 {
		steps(late)
		must(t, snapshot.Restore(w, s))
		if again := steps(5); !slices.Equal(again, want) {
			t.Errorf("%d steps later the runs get %v, and got %v", late, again, want)
		}
	}
}

// TestDeathsAfterARestore are of the ticks in which they come.
func TestDeathsAfterARestore(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	h := ecs.Register[heat](w)
	e := w.Spawn()
	must(t, w.Step(0.1))
	s := capture(t, w)
	for range 5 {
		must(t, w.Step(0.1))
	}
	must(t, snapshot.Restore(w, s))
	must(t, w.Despawn(e))
	says(t, w.Add(e, h.With(heat{})), ecs.ErrDead, "it died in tick 1")
}

// TestTrackersAndSetsThatHaveGone: another set of components may stand in the place of one that a
// tracker has met.
func TestTrackersAndSetsThatHaveGone(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	h := ecs.Register[heat](w, ecs.Tracked)
	p, q := ecs.Register[position](w), ecs.Register[burning](w)
	s := capture(t, w)
	w.Spawn(h.With(heat{1}), p.With(position{}))
	_, err := h.Since(0)
	must(t, err)
	must(t, snapshot.Restore(w, s))
	e := w.Spawn(h.With(heat{2}), q.With(burning{}))
	d, err := h.Since(0)
	must(t, err)
	for got, v := range d.Changed() {
		if got != e || v.V != 2 {
			t.Errorf("%v has changed to %v", got, v)
		}
		e = 0
	}
	if e != 0 {
		t.Errorf("%v is not among what has changed", e)
	}
	must(t, w.Check())
}
