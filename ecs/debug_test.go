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

// TestEveryChangeIsFollowedByACheck, whatever kind of change it is, and the
// message says which one it was.
func TestEveryChangeIsFollowedByACheck(t *testing.T) {
	for change, do := range map[string]func(g *guardedWorld) error{
		"placing":        func(g *guardedWorld) error { _, err := g.TrySpawn(g.position.With(Position{})); return err },
		"spawning many":  func(g *guardedWorld) error { return g.SpawnMany(2, nil, g.position.With(Position{})) },
		"despawning of":  func(g *guardedWorld) error { return g.Despawn(g.child) },
		"despawning all": func(g *guardedWorld) error { _, err := g.DespawnAll(g.Query(Read(g.position))); return err },
		"changing all": func(g *guardedWorld) error {
			_, err := g.RemoveAll(g.Query(Read(g.position)), g.position.ID())
			return err
		},
		"adding or removing components": func(g *guardedWorld) error { return g.position.Remove(g.child) },
		"changing the components":       func(g *guardedWorld) error { return g.heat.Remove(g.child) },
		"setting the target":            func(g *guardedWorld) error { return g.SetParent(g.top, g.other) },
		"clearing the target":           func(g *guardedWorld) error { return g.SetParent(g.child, 0) },
		"resetting the world":           func(g *guardedWorld) error { return g.Reset() },
		"grouping pools":                func(g *guardedWorld) error { return g.Group(g.heat, g.burning) },
		"sorting a pool":                func(g *guardedWorld) error { return g.heat.Sort(func(a, b *Heat) int { return 0 }) },
		"compacting":                    func(g *guardedWorld) error { g.compact(); return nil },
		"marking as a prefab of":        func(g *guardedWorld) error { return g.MarkPrefab(g.top) },
		"applying commands":             func(g *guardedWorld) error { return g.NewCommands().Apply() },
		"rewinding commands": func(g *guardedWorld) error {
			c := g.NewCommands()
			m := c.Mark()
			c.Spawn()
			c.Rewind(m)
			return nil
		},
		"migrating": func(g *guardedWorld) error {
			m := g.migrate()
			err := m.Prepare()
			m.Commit()
			return err
		},
	} {
		g := newGuardedWorld(t)
		must(t, do(newGuardedWorld(t)))
		g.cascade.order = append(g.cascade.order, g.top) // a search that was never ended
		if change == "despawning of" || change == "despawning all" || change == "resetting the world" {
			g.cascade.order = g.cascade.order[:0] // that the change would end: something else
			g.byMask[g.empty().mask] = nil
		}
		misuse(t, func() {
			if err := do(g); err != nil {
				t.Errorf("%s: %v", change, err)
			}
		}, "after "+change, "an invariant is broken", "borrowed too long")
	}
}

// guardedWorld is a world with a family of two and a third entity; all have a column
// and two pools.
type guardedWorld struct {
	*World
	position          Component[Position]
	heat              Component[Heat]
	burning           Component[Burning]
	top, child, other Entity
}

// Heat is kept in a pool.
type Heat struct{ N int64 }

func newGuardedWorld(t *testing.T) *guardedWorld {
	w := open(t, Options{ReuseAfter: -1})
	g := &guardedWorld{World: w, position: Register[Position](w), heat: Register[Heat](w, Sparse), burning: Register[Burning](w, Sparse)}
	spawn := func() Entity {
		return w.Spawn(g.position.With(Position{}), g.heat.With(Heat{}), g.burning.With(Burning{}))
	}
	g.top, g.child, g.other = spawn(), spawn(), spawn()
	must(t, w.SetParent(g.child, g.top))
	return g
}

// TestAFamilysEndIsNamed: rows that its members leave are watched as others are,
// and the message names the change that ended a slice, not the one after it.
func TestAFamilysEndIsNamed(t *testing.T) {
	g := newGuardedWorld(t)
	var column []Position
	for c := range g.Query(Write(g.position)).Chunks() {
		column = g.position.Mut(c)
	}
	must(t, g.Despawn(g.top))
	column[2].X = 1
	misuse(t, func() { g.Spawn(g.position.With(Position{})) }, `"Position"`, "the despawning of "+g.top.String())
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
		w.compact()
	}
	must(t, w.Reset())
	must(t, w.Check())
}
