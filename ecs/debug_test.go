//go:build ecsdebug

package ecs

import (
	"strings"
	"testing"
)

// misuse runs f, which must panic with a message that contains all the words.
func misuse(t *testing.T, f func(), words ...string) {
	t.Helper()
	err := recovered(f)
	if err == nil {
		t.Errorf("nobody noticed; expected %q", words)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
}

// kept returns a world of ten entities, and a column of it that a loop has left
// behind.
func kept(t *testing.T) (*World, Component[Position], []Entity, []Position) {
	w := open(t, Options{ReuseAfter: -1})
	position := Register[Position](w)
	es, column := []Entity{}, []Position{}
	for i := range 10 {
		es = append(es, w.Spawn(position.With(Position{float64(i), 0})))
	}
	for c := range w.Query(Write(position)).Chunks() {
		column = position.Mut(c)
	}
	return w, position, es, column
}

// TestAWriteThroughAnOldSlice is found by the next change, the next loop or
// Check, and the message names the component, and what ended the slice.
func TestAWriteThroughAnOldSlice(t *testing.T) {
	for name, next := range map[string]func(w *World, position Component[Position], es []Entity){
		"spawn":   func(w *World, p Component[Position], _ []Entity) { w.Spawn(p.With(Position{})) },
		"despawn": func(w *World, _ Component[Position], es []Entity) { w.Despawn(es[1]) },
		"remove":  func(w *World, p Component[Position], es []Entity) { p.Remove(es[1]) },
		"loop": func(w *World, p Component[Position], _ []Entity) {
			for range w.Query(Read(p)).Chunks() {
				break
			}
		},
		"reset": func(w *World, _ Component[Position], _ []Entity) { w.Reset() },
	} {
		w, position, es, column := kept(t)
		must(t, w.Despawn(es[3]))
		column[9].X = 1
		t.Log(name)
		misuse(t, func() { next(w, position, es) }, `"Position"`, "row 9", "despawning of", "Mut or Edit")
	}
	w, _, es, column := kept(t)
	must(t, w.Despawn(es[3]))
	if column[9].Y = 1; w.Check() == nil {
		t.Error("Check saw nothing")
	}
}

// TestAWriteThroughAnOldPointer of an arena pool is found, too.
func TestAWriteThroughAnOldPointer(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	burning := Register[Burning](w, Sparse)
	a, b := w.Spawn(burning.With(Burning{1})), w.Spawn(burning.With(Burning{2}))
	old := burning.Edit(b)
	must(t, burning.Remove(a))
	old.Left = 3
	misuse(t, func() { w.Spawn(); must(t, burning.Remove(b)) }, `"Burning"`, "changing the components")
}

// TestReadingAnOldSliceShowsThePattern, which no game mistakes for a value.
func TestReadingAnOldSliceShowsThePattern(t *testing.T) {
	w, _, es, column := kept(t)
	must(t, w.Despawn(es[0]))
	if column[9].X > -1e130 {
		t.Errorf("a vacated row reads %v", column[9].X)
	}
	must(t, w.Check())
}

// TestAChunkIsOverWithItsLoopBody, whatever one asks it for.
func TestAChunkIsOverWithItsLoopBody(t *testing.T) {
	w, position, _, _ := kept(t)
	var old *Chunk
	for c := range w.Query(Read(position)).Chunks() {
		old = c
		position.Of(c)
	}
	for _, use := range []func(){
		func() { position.Of(old) }, func() { position.Mut(old) }, func() { old.Entities() }, func() { old.Len() },
		func() { old.Column(position.ID(), false) },
	} {
		misuse(t, use, "10 rows", "after the body of its loop", "Get")
	}
}

// TestAQueryIsNotAlteredOnceItWasIterated, within its loop or later.
func TestAQueryIsNotAlteredOnceItWasIterated(t *testing.T) {
	w, position, _, _ := kept(t)
	q := w.Query(Read(position))
	for range q.Chunks() {
		misuse(t, func() { q.Without(position) }, "Query.Without", "World.Query")
	}
	misuse(t, func() { q.Changed(position) }, "Query.Changed")
	w.Query(Read(position)).Without(position).With(position).Exact()
}

// TestChecksFollowChanges: what a test breaks is found by the next change of a
// small world, and within n/64 changes of a larger one.
func TestChecksFollowChanges(t *testing.T) {
	for _, n := range []int{10, 6400} {
		w := open(t, Options{ReuseAfter: -1})
		position := Register[Position](w)
		e := w.Spawn(position.With(Position{}))
		for range n {
			w.Spawn(position.With(Position{}))
		}
		a, _ := w.find(e)
		w.byMask[a.mask] = w.empty()
		misuse(t, func() {
			for range n/inFull + 1 {
				w.Despawn(w.Spawn())
			}
		}, "an invariant is broken", "after")
	}
}

// TestHonestProgramsAreLeftAlone: rows are vacated and used again, chunks come
// and go, and nobody is accused.
func TestHonestProgramsAreLeftAlone(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	position, burning := Register[Position](w), Register[Burning](w, Sparse)
	for round := range 5 {
		must(t, w.SpawnMany(3000, nil, position.With(Position{1, 2}), burning.With(Burning{1})))
		for c := range w.Query(Write(position)).Chunks() {
			for i := range position.Mut(c) {
				position.Mut(c)[i].X += float64(round)
			}
		}
		for e := range w.Entities() {
			if e.Index()%3 != 0 {
				must(t, w.Despawn(e))
			}
		}
		w.Compact()
	}
	must(t, w.Reset())
	must(t, w.Check())
}
