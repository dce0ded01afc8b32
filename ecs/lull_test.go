package ecs

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// scatter makes a world with entities of 512 archetypes that have the component n, and tags.
func scatter(t *testing.T) (w *World, n ComponentID, tags []ComponentID, all []Entity) {
	w = open(t, Options{})
	n, err := w.define(Schema{Name: "n", Fields: []Field{{Name: "x", Kind: F64}}}, false)
	must(t, err)
	for i := range 9 {
		tag, err := w.define(Schema{Name: fmt.Sprint("tag", i)}, false)
		must(t, err)
		tags = append(tags, tag)
	}
	for i := range 512 {
		values := []Value{w.valueAt(n, nil)}
		for bit, tag := range tags {
			if i>>bit&1 == 1 {
				values = append(values, w.valueAt(tag, nil))
			}
		}
		all = append(all, w.Spawn(values...))
	}
	return w, n, tags, all
}

// TestALullIsWhatEachQueryFinds: systems of what has changed in many archetypes run when a query of their
// own finds something, whatever was written, by whom and in how many archetypes.
func TestALullIsWhatEachQueryFinds(t *testing.T) {
	w, n, tags, all := scatter(t)
	random := rand.New(rand.NewPCG(1, 2))
	shared, skipped, found, writes := &lull{}, 0, 0, 0
	var queries []*Query
	for i := range 60 {
		queries = append(queries, w.Query(Read(n)).Changed(n).With(tags[i%9]))
	}
	for range 300 {
		w.version++
		for range random.IntN(3) * random.IntN(15) {
			w.edit(all[random.IntN(len(all))], n)
			writes++
		}
		w.version++
		shared.end()
		for _, q := range queries {
			got, want := q.unchanged(shared), q.unchanged(&lull{})
			if got != want {
				t.Fatalf("unchanged is %v in a lull, %v for the query alone", got, want)
			}
			if got {
				skipped++
				continue
			}
			found++
			if random.IntN(3) > 0 { // else it looks later
				for range q.Chunks() {
				}
			}
		}
	}
	if skipped < 100 || found < 100 || writes < 100 {
		t.Errorf("%d skipped, %d found, %d writes", skipped, found, writes)
	}
	must(t, w.Check())
}

// TestALullIsLookedAtOnce: a step in which nothing was written looks at the archetypes a few times, not once for
// each system.
func TestALullIsLookedAtOnce(t *testing.T) {
	w, n, tags, all := scatter(t)
	const systems = 200
	ran := 0
	for i := range systems {
		q := w.Query(Read(n)).Changed(n).With(tags[i%9])
		must(t, w.Schedule().Add(System{Name: fmt.Sprint(i), Queries: []*Query{q}, Run: func(*Tick) error {
			ran++
			for range q.Chunks() {
			}
			return nil
		}}))
	}
	for range 3 {
		must(t, w.Step(1))
	}
	if ran != systems {
		t.Fatalf("%d runs, want one of each", ran)
	}
	l := &w.schedule.lull
	if len(l.columns) != 1 || !l.columns[0].known || l.columns[0].passed > 2*len(w.archetypes)+256 {
		t.Errorf("the archetypes were passed %+v", l.columns)
	}
	w.edit(all[511], n) // has all tags
	w.edit(all[1], n)   // has the first
	must(t, w.Step(1))
	if ran != 2*systems {
		t.Errorf("%d runs after a write, want %d", ran, 2*systems)
	}
	w.edit(all[1], n)
	must(t, w.Step(1))
	if got, want := ran-2*systems, (systems+8)/9; got != want {
		t.Errorf("%d systems ran, want the %d of the first tag", got, want)
	}
}
