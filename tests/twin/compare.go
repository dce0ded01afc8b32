package twin

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// Compare checks the world's invariants and compares all that it holds with the
// model.
func (tw *Twin) Compare() error {
	w, m := tw.World, tw.Model
	if err := w.Check(); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	got := slices.Collect(w.Entities())
	want := slices.SortedFunc(slices.Values(m.order), byIndex)
	if i := firstDifference(got, want); i >= 0 || w.Len() != len(want) {
		return fmt.Errorf("the entities are %v (%d of %d), the model has %v (%d), from place %d on", head(got, i), len(got), w.Len(), head(want, i), len(want), i)
	}
	for e, t := range m.things {
		if err := tw.compareOne(e, t); err != nil {
			return err
		}
	}
	if err := tw.compareReported(); err != nil {
		return err
	}
	for _, e := range tw.dead {
		if w.Alive(e) || w.Parent(e) != 0 || len(w.Raw().Components(e, nil)) > 0 {
			return fmt.Errorf("the dead entity %v is alive or has something", e)
		}
	}
	return nil
}

// firstDifference returns the first place at which two lists differ, or -1.
func firstDifference(a, b []ecs.Entity) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

// head returns at most some elements of a list, from an index on.
func head(es []ecs.Entity, from int) []ecs.Entity {
	es = es[min(max(from, 0), len(es)):]
	return es[:min(len(es), 20)]
}

// mostTouched is how many of the entities that an operation has touched are compared
// after it.
const mostTouched = 2000

// CompareSome compares the entities that were touched since the last call, and others
// that are drawn at random. It takes no longer in a larger world.
func (tw *Twin) CompareSome(random *rand.Rand, others int) error {
	m := tw.Model
	if m.touched == nil {
		m.touched = map[ecs.Entity]bool{}
	}
	skip := 0
	if n := len(m.touched); n > mostTouched {
		skip = n / mostTouched
	}
	for i, e := range slices.Sorted(maps.Keys(m.touched)) { // sorted: a seed means the same each time
		if t := m.things[e]; t != nil && (skip == 0 || i%skip == 0) {
			if err := tw.compareOne(e, t); err != nil {
				return err
			}
		}
	}
	clear(m.touched)
	for range min(others, len(m.order)) {
		e := m.order[random.IntN(len(m.order))]
		if err := tw.compareOne(e, m.things[e]); err != nil {
			return err
		}
	}
	if tw.World.Len() != len(m.order) {
		return fmt.Errorf("%d entities are alive, the model has %d", tw.World.Len(), len(m.order))
	}
	return nil
}

func (tw *Twin) compareOne(e ecs.Entity, t *modelEntity) error {
	w := tw.World
	if !w.Alive(e) || w.Raw().At(e.Index()) != e {
		return fmt.Errorf("%v is not alive, or not found by its slot", e)
	}
	if err := tw.compareLinks(e, t); err != nil {
		return err
	}
	if w.Raw().IsPrefab(e) != t.prefab {
		return fmt.Errorf("%v is a prefab: %v, the model says %v", e, w.Raw().IsPrefab(e), t.prefab)
	}
	for k := range tw.kinds {
		n, want := t.values[k]
		same, ok := tw.kinds[k].get(e, n)
		if ok != want || w.Raw().Has(e, tw.kinds[k].id) != want || want && !same {
			return fmt.Errorf("%v: kind %d: has %v, the model %v; its value is that of %d: %v", e, k, ok, want, n, same)
		}
	}
	return nil
}
