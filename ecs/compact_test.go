package ecs

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestCompactGivesBackAndChangesNothing: after churn, what the world holds
// shrinks to little more than its rows, while values, order and versions stay.
func TestCompactGivesBackAndChangesNothing(t *testing.T) {
	w := open(t, Options{MaxBytes: 256 << 20, ReuseAfter: -1})
	position, velocity := Register[Position](w), Register[Velocity](w)
	burning, label := Register[Burning](w, Sparse), Register[Label](w)
	es, random := []Entity{}, rand.New(rand.NewPCG(1, 2))
	for i := range 60_000 {
		e := w.Spawn(position.With(Position{float64(i), 0}), burning.With(Burning{1}), label.With(Label{"x"}))
		if i%3 == 0 {
			must(t, velocity.Set(e, Velocity{}))
		}
		es = append(es, e)
	}
	// The old go, so that whole pages of places are empty; among the young, chance.
	for i, e := range es {
		if i < 30_000 || random.IntN(4) > 0 {
			must(t, w.Despawn(e))
		}
	}
	changed := w.Query(Read(position)).Changed(position)
	for range changed.Chunks() {
	}
	sum, before := w.Checksum(), w.Stats()
	w.Compact()
	must(t, w.Check())
	after := w.Stats()
	if w.Checksum() != sum {
		t.Error("Compact changed what a game sees")
	}
	for range changed.Chunks() {
		t.Error("Compact counts as a change")
	}
	if after.ArenaBytes >= before.ArenaBytes || after.Utilization < 0.8 {
		t.Errorf("%d bytes and %.2f utilisation, before %d and %.2f", after.ArenaBytes, after.Utilization, before.ArenaBytes, before.Utilization)
	}
	if p := label.info.pool.(*heapPool[Label]); cap(p.data) > 2*len(p.data) {
		t.Errorf("the heap pool has room for %d values and holds %d", cap(p.data), len(p.data))
	}
	if w.arena.Spare() != 0 {
		t.Errorf("%d free bytes still have pages", w.arena.Spare())
	}
	spawnMany(w, 1000)
	must(t, w.Check())
}

// TestCompactInsideALoopMovesNothing: the loop's columns stay where they are.
func TestCompactInsideALoopMovesNothing(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	position := Register[Position](w)
	es := []Entity{}
	for range 20_000 {
		es = append(es, w.Spawn(position.With(Position{1, 2})))
	}
	for _, e := range es[100:] {
		must(t, w.Despawn(e))
	}
	for c := range w.Query(Read(position)).Chunks() {
		before := &position.Of(c)[0]
		w.Compact()
		if before != &position.Of(c)[0] || unsafe.Pointer(before) != w.pointer(c.Entities()[0], position.ID()) {
			t.Error("Compact moved rows under a loop")
		}
	}
	must(t, w.Check())
}

// TestCompactOfAnEmptyWorldKeepsNothing that entities needed.
func TestCompactOfAnEmptyWorldKeepsNothing(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	position, burning := Register[Position](w), Register[Burning](w, Sparse)
	empty := func() int { w.Compact(); return w.Stats().ArenaBytes }
	w.Spawn(position.With(Position{}), burning.With(Burning{}))
	must(t, w.Reset())
	tables := empty()
	for range 3 {
		for range 10_000 {
			w.Spawn(position.With(Position{}), burning.With(Burning{}))
		}
		must(t, w.Reset())
		if got := empty(); got > tables+2*ChunkBytes { // tables of longer chunks
			t.Errorf("%d bytes are held for nobody, %d at first", got, tables)
		}
		if len(w.chunks) > 0 {
			t.Errorf("%d chunks are remembered", len(w.chunks))
		}
		must(t, w.Check())
	}
}
