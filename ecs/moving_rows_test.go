package ecs

import (
	"errors"
	"testing"
)

// TestCopiesOfRowsThatMove: an archetype's only chunk grows by moving to another
// place, and what was there is soon something else.
func TestCopiesOfRowsThatMove(t *testing.T) {
	w := open(t, Options{})
	position, burning := Register[Position](w), Register[Burning](w, Sparse)
	var tree []Entity
	for i := range 3 {
		tree = append(tree, w.Spawn(position.With(Position{float64(i + 1), 0})))
	}
	must(t, w.Add(tree[1], burning.With(Burning{1}))) // its pool takes the chunk that is given back
	must(t, w.SetParent(tree[1], tree[0]))
	must(t, w.SetParent(tree[2], tree[1]))
	tops, err := w.Instantiate(tree[0], 700)
	must(t, err)
	for _, top := range tops {
		want := 0.0
		for e := range w.ChildOf().DepthFirst(top) {
			want++
			if p, _ := position.Get(e); p.X != want {
				t.Fatalf("copy %v of entity %v is %v", e, want, p)
			}
		}
	}
	for range 3000 {
		e, err := w.Copy(tree[1])
		must(t, err)
		if p, _ := position.Get(e); p.X != 2 || !burning.Has(e) {
			t.Fatalf("copy %v is %v", e, p)
		}
	}
	must(t, w.Check())
}

// TestAPanicBeforeARowComes leaves a chunk without rows at the archetype's end;
// rows before it still go as they should.
func TestAPanicBeforeARowComes(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	burning := Register[Burning](w, Sparse, Hooks[Burning]{Removed: func(Entity, *Burning) { panic("planned") }})
	var es []Entity
	full := func() bool {
		a, _ := w.find(es[0])
		last := a.chunks[len(a.chunks)-1]
		return len(a.chunks) > 1 && last.n == last.layout.capacity
	}
	for es = append(es, w.Spawn(position.With(Position{}))); !full(); {
		es = append(es, w.Spawn(position.With(Position{float64(len(es)), 0})))
	}
	e := w.Spawn(burning.With(Burning{1}))
	if _, err := protect(func() error { return w.Exchange(e, []ComponentRef{burning}, position.With(Position{})) }); err == nil {
		t.Fatal("the hook did not panic")
	}
	if a, _ := w.find(es[0]); a.chunks[len(a.chunks)-1].n != 0 {
		t.Fatal("no chunk was reserved: the test tests nothing")
	}
	for i, e := range es[:len(es)/2] {
		must(t, w.Despawn(e))
		if last := len(es) - 1; i == 0 {
			if p, _ := position.Get(es[last]); p.X != float64(last) {
				t.Errorf("the row that moved is %v", p)
			}
		}
	}
	must(t, w.Check())
}

// TestWhatWasMadeInVainLeavesNoValues: observers of removals get a copy of the
// value; of copies that came and went for lack of room none may stay behind.
func TestWhatWasMadeInVainLeavesNoValues(t *testing.T) {
	w := open(t, Options{})
	wide := Register[[64]float64](w, Named("Wide"))
	curse := Register[Burning](w)
	bless := Register[Velocity](w, Excludes(curse))
	must(t, w.Observe(Observer{Name: "watch", On: OnRemove, Component: wide.ID(), Run: func(*Tick, Notice) error { return nil }}))
	top, child := w.Spawn(wide.With([64]float64{})), w.Spawn(wide.With([64]float64{}))
	must(t, w.SetParent(child, top))
	must(t, w.Step(0))
	for range 10 {
		if _, err := w.Instantiate(top, 3, curse.With(Burning{}), bless.With(Velocity{})); !errors.Is(err, ErrConflict) {
			t.Fatalf("answered %v", err)
		}
		made := w.notices.waiting()
		w.annul([]Entity{w.Spawn(wide.With([64]float64{}))}, made)
	}
	if n := &w.notices; len(n.queue)+len(n.data) > 0 {
		t.Errorf("%d notices wait, %d words", len(n.queue), len(n.data))
	}
	must(t, w.Check())
}

// loop is a type whose values can hold themselves.
type loop []loop

// TestChecksumOfAValueThatHoldsItself ends.
func TestChecksumOfAValueThatHoldsItself(t *testing.T) {
	w := open(t, Options{})
	loops := Register[struct{ L loop }](w, Named("loops"))
	l := make(loop, 1)
	l[0] = l
	w.Spawn(loops.With(struct{ L loop }{l}))
	first := w.Checksum()
	if again := w.Checksum(); again != first {
		t.Errorf("two sums of one world are %x and %x", first, again)
	}
}
