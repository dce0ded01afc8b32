package ecs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// pine makes a tree with the numbers of its entities by depth-first order:
//
//	0 ─ 1 ─ 2
//	  │   └ 3
//	  └ 4 ─ 5 ─ 6
func pine(t *testing.T) (*World, []Entity) {
	w := open(t, Options{})
	es := spawnMany(w, 8)
	for _, link := range [][2]int{{1, 0}, {4, 0}, {2, 1}, {3, 1}, {5, 4}, {6, 5}} {
		must(t, w.SetParent(es[link[0]], es[link[1]]))
	}
	return w, es
}

func TestTraversals(t *testing.T) {
	w, es := pine(t)
	r := w.ChildOf()
	var pre, rows, depths []Entity
	for e, depth := range r.DepthFirst(es[0]) {
		pre, depths = append(pre, e), append(depths, Entity(depth))
	}
	for e := range r.BreadthFirst(es[0]) {
		rows = append(rows, e)
	}
	post := slices.Collect(r.PostOrder(es[0]))
	for name, c := range map[string]struct {
		got   []Entity
		order []int
	}{
		"depth-first": {pre, []int{0, 1, 2, 3, 4, 5, 6}}, "breadth-first": {rows, []int{0, 1, 4, 2, 3, 5, 6}},
		"post-order": {post, []int{2, 3, 1, 6, 5, 4, 0}},
	} {
		for i, n := range c.order {
			if len(c.got) != len(c.order) || c.got[i] != es[n] {
				t.Fatalf("%s: %v, want the numbers %v of %v", name, c.got, c.order, es)
			}
		}
	}
	if !slices.Equal(depths, []Entity{0, 1, 2, 2, 1, 2, 3}) {
		t.Errorf("the distances are %v", depths)
	}
	for name, n := range map[string]int{"a part": len(slices.Collect(r.PostOrder(es[4]))), "one alone": len(slices.Collect(r.PostOrder(es[7]))) + 2} {
		if n != 3 {
			t.Errorf("%s: visited %d", name, n)
		}
	}
	must(t, w.Despawn(es[7]))
	for range r.DepthFirst(es[7]) {
		t.Error("a dead entity is visited")
	}
	for range r.BreadthFirst(0) {
		t.Error("nobody is visited")
	}
	for range r.PostOrder(es[7]) {
		t.Error("a dead entity is visited")
	}
}

// TestWalksEndWhereRelationsComeRound: the three visit everybody once.
func TestWalksEndWhereRelationsComeRound(t *testing.T) {
	w := open(t, Options{})
	r := relate(t, w, "Follows", RelationOptions{})
	es := spawnMany(w, 5)
	for i := range 3 { // 0 → 1 → 2 → 0, and 3 → 1, 4 → 4
		must(t, r.Set(es[i], es[(i+1)%3]))
	}
	must(t, r.Set(es[3], es[1]))
	must(t, r.Set(es[4], es[4]))
	for i, want := range []int{4, 4, 4, 1, 1} {
		var pre, rows []Entity
		for e := range r.DepthFirst(es[i]) {
			pre = append(pre, e)
		}
		for e := range r.BreadthFirst(es[i]) {
			rows = append(rows, e)
		}
		if post := slices.Collect(r.PostOrder(es[i])); len(pre) != want || len(rows) != want || len(post) != want || post[want-1] != es[i] {
			t.Errorf("from %d: %v, %v, %v; want %d of them", i, pre, rows, post, want)
		}
	}
	must(t, w.Despawn(es[0])) // orphans
	must(t, w.Check())
}

// TestWalksOutliveTheirBodies: a body may end or move the entity it was given;
// whatever else it does, the walk ends.
func TestWalksOutliveTheirBodies(t *testing.T) {
	for name, c := range map[string]struct {
		body func(w *World, es []Entity, e Entity) error
		pre  []int // visited depth-first, nil when that is not promised
	}{
		"ends a part of the tree": {func(w *World, es []Entity, e Entity) error {
			if e == es[1] {
				return w.Despawn(e)
			}
			return nil
		}, []int{0, 1, 4, 5, 6}},
		"moves a part out": {func(w *World, es []Entity, e Entity) error {
			if e == es[4] {
				return w.SetParent(e, es[7])
			}
			return nil
		}, []int{0, 1, 2, 3, 4}},
		"moves a leaf out": {func(w *World, es []Entity, e Entity) error {
			if e == es[3] {
				return w.SetParent(e, es[7])
			}
			return nil
		}, []int{0, 1, 2, 3, 4, 5, 6}},
		"ends the whole tree": {func(w *World, es []Entity, e Entity) error { return w.Despawn(es[0]) }, []int{0}},
		"adds a child":        {func(w *World, es []Entity, e Entity) error { return addOnce(w, es, e) }, []int{0, 7, 1, 2, 3, 4, 5, 6}},
		"ends another part": {func(w *World, es []Entity, e Entity) error {
			if w.Alive(es[4]) && e == es[2] {
				return w.Despawn(es[4])
			}
			return nil
		}, nil},
	} {
		w, es := pine(t)
		var pre []Entity
		for e := range w.ChildOf().DepthFirst(es[0]) {
			pre = append(pre, e)
			must(t, c.body(w, es, e))
		}
		for i, n := range c.pre {
			if len(pre) != len(c.pre) || pre[i] != es[n] {
				t.Errorf("%s: visited %v, want %v of %v", name, pre, c.pre, es)
				break
			}
		}
		w, es = pine(t)
		for e := range w.ChildOf().BreadthFirst(es[0]) {
			must(t, c.body(w, es, e))
		}
		w, es = pine(t)
		for e := range w.ChildOf().PostOrder(es[0]) {
			must(t, c.body(w, es, e))
		}
		must(t, w.Check())
	}
}

// addOnce gives the first entity another first child.
func addOnce(w *World, es []Entity, e Entity) error {
	if e == es[0] {
		return w.ChildOf().SetAt(es[7], e, 0)
	}
	return nil
}

// TestAncestors compares chains of random relations, which may come round, with walks that
// remember where they have been.
func TestAncestors(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 11))
		w := open(t, Options{})
		free, err := w.Relation("free", RelationOptions{})
		must(t, err)
		var es []Entity
		for range 1 + r.IntN(40) {
			es = append(es, w.Spawn())
		}
		for i, e := range es {
			if r.IntN(4) > 0 {
				must(t, free.Set(e, es[r.IntN(len(es))]))
			}
			if i > 0 && r.IntN(8) > 0 {
				must(t, w.SetParent(e, es[r.IntN(i)]))
			}
		}
		for _, relation := range []*Relation{free, w.ChildOf()} {
			for _, e := range append(es, 0, 1<<40) {
				var want []Entity
				for a := relation.Target(e); a != 0 && !slices.Contains(want, a); a = relation.Target(a) {
					want = append(want, a)
				}
				got := slices.Collect(relation.Ancestors(e))
				if !slices.Equal(got, want) || relation.Depth(e) != len(want) {
					t.Fatalf("seed %d, %s: above %v are %v, depth %d, want %v", seed, relation.Name(), e, got, relation.Depth(e), want)
				}
				for _, a := range es {
					if relation.IsAncestor(a, e) != slices.Contains(want, a) {
						t.Fatalf("seed %d, %s: %v is an ancestor of %v: %v", seed, relation.Name(), a, e, !slices.Contains(want, a))
					}
				}
				for range relation.Ancestors(e) {
					break
				}
			}
		}
		must(t, w.Close()) // 300 worlds have more addresses than 32 bits have
	}
}
