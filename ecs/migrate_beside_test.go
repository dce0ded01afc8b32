package ecs_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// ranch is a world in which much is said about entities beside their values: who
// is whose child, who is a prefab, which pools are in step, in which order they
// are, and who has to be told of changes.
type ranch struct {
	*testing.T
	world      *ecs.World
	cell, pool ecs.ComponentID // defined at run time, of numbers: in chunks, and in a pool
	fenced     ecs.Component[fenced]
	wool       ecs.Component[wool]
	rides      *ecs.Relation
	es         []ecs.Entity
	told       []string
}

type (
	fenced struct{}
	wool   struct{ N int64 }
)

// newRanch makes twelve entities: all have both numbers and wool, every third is
// fenced; the second and third are children of the first, which is a prefab with
// them, the fifth rides on the fourth. Pools are grouped and sorted, the greatest
// number first.
func newRanch(t *testing.T) *ranch {
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	r := &ranch{T: t, world: w, fenced: ecs.Register[fenced](w), wool: ecs.Register[wool](w, ecs.Sparse)}
	r.cell, r.pool = r.define("cell", false), r.define("pool", true)
	for i := range 12 {
		n := uint64(i + 1)
		p := unsafe.Pointer(&n)
		e := w.Spawn(w.Raw().ValueAt(r.cell, p), w.Raw().ValueAt(r.pool, p), r.wool.With(wool{int64(i)}))
		if r.es = append(r.es, e); i%3 == 0 {
			r.must(r.fenced.Set(e, fenced{}))
		}
	}
	var err error
	r.rides, err = w.Relation("rides", ecs.RelationOptions{})
	r.must(err, w.SetParent(r.es[2], r.es[0]), w.SetParent(r.es[1], r.es[0]), w.MarkPrefab(r.es[0]),
		r.rides.Set(r.es[4], r.es[3]))
	r.must(w.Group(r.wool, r.pool), r.wool.Sort(func(a, b *wool) int { return cmp.Compare(b.N, a.N) }))
	for on, name := range map[ecs.Trigger]string{ecs.OnAdd: "add", ecs.OnSet: "set", ecs.OnRemove: "remove"} {
		r.must(w.Observe(ecs.Observer{Name: name, On: on, Component: r.pool, Run: func(_ *ecs.Tick, n ecs.Notice) error {
			r.told = append(r.told, name)
			return nil
		}}))
	}
	r.must(w.Step(0))
	return r
}

func (r *ranch) define(name string, sparse bool) ecs.ComponentID {
	id, err := r.world.Raw().Define(form(name, 1), sparse)
	r.must(err)
	return id
}

func (r *ranch) must(errs ...error) {
	r.Helper()
	if err := errors.Join(errs...); err != nil {
		r.Fatal(err)
	}
}

// says writes down all that a migration must keep.
func (r *ranch) says() string {
	w, text := r.world, ""
	for _, e := range r.es {
		text += fmt.Sprintln(e, number(w.Raw().Pointer(e, r.cell)), number(w.Raw().Pointer(e, r.pool)), w.Raw().Components(e, nil),
			slices.Collect(w.Children(e)), w.Parent(e), r.rides.Target(e), slices.Collect(r.rides.Sources(e)), w.Raw().IsPrefab(e))
	}
	for _, q := range []*ecs.Query{
		w.Query(ecs.Read(r.cell)), w.Query(ecs.Read(r.pool)).Prefabs(), w.Query(ecs.Read(r.wool), ecs.Read(r.pool)),
		w.Query(ecs.Read(r.fenced)), w.Query(ecs.Read(r.pool)).Without(r.fenced), w.Query(ecs.Read(r.cell)).ChildrenOf(r.es[0]).Prefabs(),
	} {
		for c := range q.Chunks() {
			text += fmt.Sprint(c.Entities())
		}
		text += "\n"
	}
	return text
}

// TestAMigrationKeepsWhatStandsBesideValues: links, marks, tags, groups and the
// order of pools, whether values grow, shrink or go away.
func TestAMigrationKeepsWhatStandsBesideValues(t *testing.T) {
	for _, n := range []int{2, 6, 1} {
		r := newRanch(t)
		before := r.says()
		for range 2 {
			m := r.world.Raw().Migrate()
			keep := func(_ ecs.Entity, from, to unsafe.Pointer) error { *(*uint16)(to) = number(from); return nil }
			r.must(m.Component(form("cell", n), keep), m.Component(form("pool", n), keep), m.Prepare())
			m.Commit()
			if after := r.says(); after != before {
				t.Errorf("form %d: before\n%safter\n%s", n, before, after)
			}
			r.must(r.world.Check())
		}
		r.must(r.world.Step(0))
		if len(r.told) > 0 {
			t.Errorf("observers were told of %v, which is no change that anybody made", r.told)
		}
		r.goesOn()
	}
}

// goesOn changes the world after a migration: groups keep their step, observers
// hear, copies of a prefab have the new form, and the dead leave no links.
func (r *ranch) goesOn() {
	r.Helper()
	w := r.world
	r.must(w.Remove(r.es[7], r.pool), w.Add(r.es[7], w.Raw().ValueAt(r.pool, nil)), w.Despawn(r.es[3]))
	copies, err := w.Instantiate(r.es[0], 3)
	r.must(err, w.Step(0), w.Check())
	for _, e := range copies {
		if w.Raw().IsPrefab(e) || number(w.Raw().Pointer(e, r.pool)) != 1 || len(slices.Collect(w.Children(e))) != 2 {
			r.Errorf("the copy %v has %d and the children %v", e, number(w.Raw().Pointer(e, r.pool)), slices.Collect(w.Children(e)))
		}
	}
	// Three trees of three come; one value goes and comes; one entity dies.
	slices.Sort(r.told)
	want := append(slices.Repeat([]string{"add"}, 10), "remove", "remove")
	if !slices.Equal(r.told, want) || r.rides.Target(r.es[4]) != 0 {
		r.Errorf("observers were told of %v; %v still rides on %v", r.told, r.es[4], r.rides.Target(r.es[4]))
	}
}

// TestAMigrationWaitsForObservers, because removed values that they have yet to
// see would be of the old form.
func TestAMigrationWaitsForObservers(t *testing.T) {
	r := newRanch(t)
	r.must(r.world.Remove(r.es[5], r.pool))
	m := r.world.Raw().Migrate()
	r.must(m.Component(form("pool", 4), nil))
	if err := m.Prepare(); !errors.Is(err, ecs.ErrIterating) {
		t.Errorf("before they were told: %v", err)
	}
	r.must(r.world.Step(0), m.Component(form("pool", 4), nil), m.Prepare())
	m.Commit()
	r.must(r.world.Check())
}
