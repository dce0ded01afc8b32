package ecs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// deepChain makes a chain from below: each new entity becomes the parent of the one before. The first
// is the deepest.
func deepChain(t testing.TB, w *World, r *Relation, n int) []Entity {
	t.Helper()
	chain := spawnMany(w, n)
	for i := range n - 1 {
		must(t, r.Set(chain[i], chain[i+1]))
	}
	return chain
}

// TestDeepTrees: what is put below others from above may be deeper than MaxDepth. All functions that walk up or
// down work with it.
func TestDeepTrees(t *testing.T) {
	const n = 5000
	for _, name := range []string{childOf, "Pins"} {
		t.Run(name, func(t *testing.T) {
			w, other := open(t, Options{}), open(t, Options{})
			for _, o := range []*World{w, other} {
				_, err := o.Relation("Pins", RelationOptions{OnDespawn: Cascade, Acyclic: true})
				must(t, err)
			}
			r := w.relationNamed(name)
			chain := deepChain(t, w, r, n)
			must(t, w.Check())
			bottom, top := chain[0], chain[n-1]
			if got := r.Depth(bottom); got != n-1 {
				t.Errorf("depth %d, want %d", got, n-1)
			}
			if got := slices.Collect(r.Ancestors(bottom)); !slices.Equal(got, chain[1:]) {
				t.Errorf("%d ancestors", len(got))
			}
			if !r.IsAncestor(top, bottom) || r.IsAncestor(bottom, top) {
				t.Error("who is above whom")
			}
			down := slices.Clone(chain)
			slices.Reverse(down)
			var deep, wide []Entity
			for e, depth := range r.DepthFirst(top) {
				if deep = append(deep, e); depth != len(deep)-1 {
					t.Fatalf("%v is %d away, want %d", e, depth, len(deep)-1)
				}
			}
			for e := range r.BreadthFirst(top) {
				wide = append(wide, e)
			}
			if post := slices.Collect(r.PostOrder(top)); !slices.Equal(deep, down) || !slices.Equal(wide, down) || !slices.Equal(post, chain) {
				t.Errorf("walks of %d, %d and %d entities", len(deep), len(wide), len(post))
			}

			spare := w.Spawn()
			for _, c := range []struct {
				source, target Entity
				want           error
			}{
				{spare, bottom, ErrRange},
				{top, bottom, ErrRange}, // that they go round is too far up to be seen
				{spare, chain[n-1-MaxDepth], ErrRange},
				{chain[n-2], chain[n-1-MaxDepth], ErrCycle},
				{top, chain[n-2], ErrCycle},
				{spare, chain[n-MaxDepth], nil},
				{bottom, top, nil},
				{chain[1], chain[n-MaxDepth], nil},
			} {
				before, commands := r.Target(c.source), w.NewCommands()
				commands.Relate(r, c.source, c.target)
				preview := commands.Preview().Target(r, c.source)
				if err := r.Set(c.source, c.target); !errors.Is(err, c.want) || err == nil && c.want != nil {
					t.Errorf("%v below %v: %v, want %v", c.source, c.target, err, c.want)
				}
				want := c.target
				if c.want != nil {
					want = before
				}
				if got := r.Target(c.source); got != want || preview != want {
					t.Errorf("%v below %v: it is below %v, in the preview %v", c.source, c.target, got, preview)
				}
			}
			if got := r.Depth(chain[1]); got != MaxDepth {
				t.Errorf("depth %d", got)
			}
			must(t, w.Check())
			must(t, w.Despawn(top))
			if w.Len() != 0 {
				t.Errorf("%d entities outlived their ancestor", w.Len())
			}
			must(t, w.Check())
		})
	}
}

// TestDeepTreesAreCopied: instances, prefabs and transfers of deep trees, and despawning them.
func TestDeepTreesAreCopied(t *testing.T) {
	const n = 5000
	declare := func(o RelationOptions) (*World, *Relation) {
		w := open(t, Options{})
		r, err := w.Relation("Pins", o)
		must(t, err)
		return w, r
	}
	w, pins := declare(RelationOptions{Acyclic: true})
	chain := deepChain(t, w, w.ChildOf(), n)
	for i := range n - 1 {
		must(t, pins.Set(chain[i], chain[i+1]))
	}
	tower := deepChain(t, w, pins, n)
	outside := w.Spawn() // has more targets above it than a link may go below
	must(t, pins.Set(outside, chain[n-1]))
	must(t, pins.Set(chain[n-1], 0))
	must(t, pins.Set(chain[n-1], tower[n-1]))
	copies, err := w.Instantiate(chain[n-1], 2)
	must(t, err)
	must(t, w.Check())
	for _, top := range copies {
		last, lowest := 0, Entity(0)
		for e, depth := range w.ChildOf().DepthFirst(top) {
			last, lowest = depth, e
		}
		if got := pins.Depth(lowest); last != n-1 || got != n || pins.Target(top) != tower[n-1] {
			t.Errorf("a copy is %d deep, and has %d targets", last, got)
		}
	}
	must(t, w.MarkPrefab(copies[0]))
	must(t, w.Despawn(copies[0]))
	must(t, w.Despawn(copies[1]))
	must(t, w.Check())

	to, there := declare(RelationOptions{Acyclic: true})
	moved, err := w.TransferTree(chain[n-1], to)
	must(t, err)
	lowest := Entity(0)
	for lowest = range to.ChildOf().DepthFirst(moved) {
	}
	if got := to.ChildOf().Depth(lowest); got != n-1 || there.Depth(lowest) != n-1 || to.Len() != n {
		t.Errorf("%d of %d are above the last one that moved", got, to.Len())
	}
	must(t, to.Check())
	must(t, w.Check())
	must(t, to.Despawn(moved))
	if to.Len() != 0 {
		t.Errorf("%d entities are left", to.Len())
	}
}

// TestTransfersCheckLinksThatMayGoRound: what is no circle by the rules of one world may be one by those of
// another.
func TestTransfersCheckLinksThatMayGoRound(t *testing.T) {
	w, to := open(t, Options{}), open(t, Options{})
	r, err := w.Relation("Pins", RelationOptions{})
	must(t, err)
	_, err = to.Relation("Pins", RelationOptions{Acyclic: true})
	must(t, err)
	es := spawnMany(w, 2)
	must(t, w.SetParent(es[1], es[0]))
	must(t, r.Set(es[0], es[1]))
	must(t, r.Set(es[1], es[0]))
	if _, err := w.TransferTree(es[0], to); !errors.Is(err, ErrCycle) || to.Len() != 0 || w.Len() != 2 {
		t.Errorf("%v; %d and %d entities", err, w.Len(), to.Len())
	}
	must(t, r.Set(es[1], 0))
	_, err = w.TransferTree(es[0], to)
	must(t, err)
	must(t, to.Check())
}

// TestCircles: what looks at each entity once finds the same circles as one that goes up from each entity, in
// random forests and in those in which some entities have been given any target.
func TestCircles(t *testing.T) {
	look := circles{}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := 1 + r.IntN(40)
		target := make([]Entity, n) // slot 0 is nobody
		for i := 2; i < n; i++ {
			target[i] = Entity(r.IntN(i))
		}
		order := r.Perm(n)
		for range r.IntN(4) - 1 {
			if n > 1 {
				target[1+r.IntN(n-1)] = Entity(r.IntN(n))
			}
		}
		of := func(e Entity) Entity { return target[e] }
		want := false
		for i := 1; i < n; i++ {
			e, steps := Entity(i), 0
			for ; e != 0 && steps <= n; steps++ {
				e = of(e)
			}
			want = want || e != 0
		}
		got, asked := false, 0
		look.begin(40)
		for _, i := range order {
			if i > 0 {
				got = got || look.leadsInto(Entity(i), func(e Entity) Entity { asked++; return of(e) })
			}
		}
		if got != want || asked >= n {
			t.Fatalf("seed %d: %v, want %v, with %d of %d asked: %v", seed, got, want, asked, n, fmt.Sprint(target))
		}
	}
}
