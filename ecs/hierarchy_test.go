package ecs

import (
	"errors"
	"slices"
	"testing"
)

// spawnMany returns n entities without components.
func spawnMany(w *World, n int) []Entity {
	es := make([]Entity, n)
	for i := range es {
		es[i] = w.Spawn()
	}
	return es
}

func open(t testing.TB, options Options) *World {
	t.Helper()
	w, err := Open(options)
	must(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

func TestChildrenKeepTheOrderInWhichTheyCame(t *testing.T) {
	w := open(t, Options{})
	es := spawnMany(w, 5)
	for _, child := range es[1:] {
		must(t, w.SetParent(child, es[0]))
	}
	must(t, w.SetParent(es[2], es[0])) // again: it becomes the last
	must(t, w.SetParent(es[3], 0))
	if got, want := slices.Collect(w.Children(es[0])), []Entity{es[1], es[4], es[2]}; !slices.Equal(got, want) {
		t.Errorf("the children are %v, want %v", got, want)
	}
	if w.Parent(es[2]) != es[0] || w.Parent(es[3]) != 0 || w.Parent(es[0]) != 0 {
		t.Error("the parents are not those that were set")
	}
	must(t, w.Check())
}

func TestDespawnTakesTheFamilyAlong(t *testing.T) {
	w := open(t, Options{})
	es := spawnMany(w, 6)
	// 0 ─ 1 ─ 3
	//   └ 2 ─ 4      5 is alone
	for child, parent := range map[int]int{1: 0, 2: 0, 3: 1, 4: 2} {
		must(t, w.SetParent(es[child], es[parent]))
	}
	must(t, w.Despawn(es[2]))
	if w.Alive(es[4]) || !w.Alive(es[3]) || w.Len() != 4 {
		t.Error("a child outlived its parent, or a cousin died")
	}
	must(t, w.Despawn(es[0]))
	if w.Len() != 1 || !w.Alive(es[5]) {
		t.Errorf("%d entities are left, want the one that is no relative", w.Len())
	}
	must(t, w.Check())
}

// TestADeepFamilyDiesWithoutRecursion: scripts can build chains as long as
// MaxEntities by joining shorter ones.
func TestADeepFamilyDiesWithoutRecursion(t *testing.T) {
	w := open(t, Options{})
	const links, length = 20, 900
	var tail, root Entity
	for i := range links {
		chain := spawnMany(w, length)
		for j := 1; j < length; j++ {
			must(t, w.SetParent(chain[j], chain[j-1]))
		}
		if i > 0 {
			must(t, w.SetParent(root, chain[length-1])) // the older chain hangs below
		}
		root, tail = chain[0], chain[length-1]
	}
	if err := w.SetParent(w.Spawn(), tail); err != nil {
		t.Fatal(err)
	}
	must(t, w.Check())
	must(t, w.Despawn(root))
	if w.Len() != 0 {
		t.Errorf("%d of %d entities outlived their ancestor", w.Len(), links*length+1)
	}
}

func TestSetParentRefuses(t *testing.T) {
	w := open(t, Options{})
	es := spawnMany(w, MaxDepth+3)
	dead := w.Spawn()
	must(t, w.Despawn(dead))
	for i := range MaxDepth {
		must(t, w.SetParent(es[i+1], es[i]))
	}
	reserved := w.NewCommands().Spawn()
	last := es[MaxDepth]
	for name, c := range map[string]struct {
		child, parent Entity
		want          error
	}{
		"itself":                    {es[0], es[0], ErrCycle},
		"its child":                 {es[0], es[1], ErrCycle},
		"its grandchild":            {es[0], es[2], ErrCycle},
		"a dead parent":             {es[0], dead, ErrDead},
		"a dead child":              {dead, es[0], ErrDead},
		"a dead child, to no one":   {dead, 0, ErrDead},
		"a child not placed yet":    {reserved, es[0], ErrDead},
		"a parent not placed yet":   {es[0], reserved, ErrDead},
		"more than 1,024 ancestors": {es[MaxDepth+1], last, ErrRange},
	} {
		before := w.Parent(c.child)
		if err := w.SetParent(c.child, c.parent); !errors.Is(err, c.want) || w.Parent(c.child) != before {
			t.Errorf("%s: answered %v, want %v", name, err, c.want)
		}
	}
	must(t, w.Check())
}

// TestOnlySetParentWritesTheHierarchy: the links are a component like any other
// to tools, but not to be written.
func TestOnlySetParentWritesTheHierarchy(t *testing.T) {
	w := open(t, Options{})
	es := spawnMany(w, 2)
	must(t, w.SetParent(es[1], es[0]))
	id := w.ChildOf().ID()
	c := w.NewCommands()
	c.Patch(es[1], id, 0, make([]byte, 8))
	_, spawn := w.TrySpawn(w.valueAt(id, nil))
	for name, err := range map[string]error{
		"spawn": spawn, "add": w.Add(es[0], w.valueAt(id, nil)), "remove": w.Remove(es[1], id), "patch": c.Apply(),
		"the zero Value": w.Add(es[0], Value{}),
	} {
		if !errors.Is(err, ErrConflict) {
			t.Errorf("%s: answered %v", name, err)
		}
	}
	if w.Parent(es[1]) != es[0] || w.Len() != 2 {
		t.Error("a refused change changed something")
	}
	must(t, w.Check())
}

func TestChildrenMayGoWhileIterated(t *testing.T) {
	w := open(t, Options{})
	es := spawnMany(w, 6)
	for _, child := range es[1:5] {
		must(t, w.SetParent(child, es[0]))
	}
	seen := 0
	for child := range w.Children(es[0]) {
		if seen++; seen%2 == 0 {
			must(t, w.Despawn(child))
		} else {
			must(t, w.SetParent(child, es[5]))
		}
	}
	if seen != 4 || len(slices.Collect(w.Children(es[0]))) != 0 || len(slices.Collect(w.Children(es[5]))) != 2 {
		t.Errorf("saw %d children of 4, %v stay", seen, slices.Collect(w.Children(es[0])))
	}
	for range w.Children(es[5]) {
		must(t, w.Despawn(es[1]))
		must(t, w.Despawn(es[3])) // not the one that was given: the loop ends, no more
	}
	must(t, w.Check())
}

// TestNoRoomForAParentLeavesNoLinks fills a world until SetParent is refused.
func TestNoRoomForAParentLeavesNoLinks(t *testing.T) {
	type Wide struct{ V [1000]int64 }
	w := open(t, Options{MaxBytes: 1, ReuseAfter: -1})
	wide := Register[Wide](w)
	es := spawnMany(w, 400)
	for {
		if _, err := w.TrySpawn(wide.With(Wide{})); err != nil {
			break
		}
	}
	for {
		if _, err := w.arena.Alloc(1); err != nil {
			break
		}
	}
	lost := w.arena.Used()
	refused := 0
	for _, child := range es[1:] {
		if err := w.SetParent(child, es[0]); err != nil {
			if !errors.Is(err, ErrArenaFull) || w.ChildOf().of(child) != nil {
				t.Fatalf("answered %v, links: %v", err, w.ChildOf().of(child) != nil)
			}
			refused++
		}
	}
	if refused == 0 || w.arena.Used() != lost {
		t.Fatalf("%d of 399 were refused", refused)
	}
	must(t, w.ChildOf().check())
}
