package replica_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/replica"
)

// bare opens a world with a relation, and nothing else.
func bare(t testing.TB, acyclic bool) (*ecs.World, *ecs.Relation) {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Tag: 5, MaxBytes: 32 << 20})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	r, err := w.Relation("Pins", ecs.RelationOptions{Acyclic: acyclic})
	must(t, err)
	return w, r
}

// TestDeepTreesAreSent: trees that have become deeper than ecs.MaxDepth, since their top got a parent again and again.
func TestDeepTreesAreSent(t *testing.T) {
	for _, filter := range []*replica.Interest{nil, {}} {
		of, pins := bare(t, true)
		copy, _ := bare(t, true)
		if filter != nil {
			filter.Components = []ecs.ComponentRef{of.ChildOf(), pins}
		}
		p, err := replica.NewPrimary(of, replica.PrimaryOptions{Interest: filter})
		must(t, err)
		r, err := replica.New(copy, replica.Options{})
		must(t, err)
		bottom := of.Spawn()
		top := bottom
		for _, grow := range []int{1024, 1, 2000, 1} { // a full message, then changes
			for range grow {
				e := of.Spawn()
				must(t, of.SetParent(top, e))
				must(t, pins.Set(top, e))
				top = e
			}
			m, err := p.Next()
			must(t, err)
			must(t, r.Apply(m))
			must(t, copy.Check())
			for i, name := range []string{"ChildOf", "Pins"} {
				was, is := of.Raw().RelationNamed(name), copy.Raw().RelationNamed(name)
				if was.Depth(bottom) != is.Depth(bottom) || is.Len() != of.Len()-1 {
					t.Errorf("relation %d: %d ancestors, want %d", i, is.Depth(bottom), was.Depth(bottom))
				}
			}
		}
		late, _ := bare(t, true)
		r, err = replica.New(late, replica.Options{})
		must(t, err)
		m, err := p.Full()
		must(t, err)
		must(t, r.Apply(m))
		if late.ChildOf().Depth(bottom) != 3026 {
			t.Errorf("%d ancestors, want 3026", late.ChildOf().Depth(bottom))
		}
	}
}

// TestSentCircles: links that go round are refused by name where they may not.
func TestSentCircles(t *testing.T) {
	of, pins := bare(t, false)
	var all []ecs.Entity
	for range 3000 {
		all = append(all, of.Spawn())
	}
	for i := range all[1:] {
		must(t, pins.Set(all[i], all[i+1]))
	}
	copy, there := bare(t, true)
	p, err := replica.NewPrimary(of, replica.PrimaryOptions{})
	must(t, err)
	r, err := replica.New(copy, replica.Options{})
	must(t, err)
	m, err := p.Next()
	must(t, err)
	must(t, r.Apply(m))
	must(t, pins.Set(all[2999], all[1500]))
	m, err = p.Next()
	must(t, err)
	if err := r.Apply(m); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), `relation "Pins": conflict: the targets of the entity`) {
		t.Errorf("links that go round: %v", err)
	}
	if there.Depth(all[0]) != 2999 {
		t.Errorf("the replica has %d ancestors", there.Depth(all[0]))
	}
	must(t, copy.Check())
}
