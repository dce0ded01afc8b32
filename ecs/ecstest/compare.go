package ecstest

import (
	"fmt"
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
	if want := slices.SortedFunc(slices.Values(m.order), byIndex); !slices.Equal(got, want) || w.Len() != len(want) {
		return fmt.Errorf("the entities are %v (%d), the model has %v", got, w.Len(), want)
	}
	for e, t := range m.things {
		if err := tw.compareOne(e, t); err != nil {
			return err
		}
	}
	for _, e := range tw.dead {
		if w.Alive(e) || w.Parent(e) != 0 || len(w.Components(e, nil)) > 0 {
			return fmt.Errorf("the dead entity %v is alive or has something", e)
		}
	}
	return nil
}

func (tw *Twin) compareOne(e ecs.Entity, t *thing) error {
	w := tw.World
	if !w.Alive(e) || w.At(e.Index()) != e {
		return fmt.Errorf("%v is not alive, or not found by its slot", e)
	}
	if err := tw.compareLinks(e, t); err != nil {
		return err
	}
	if w.IsPrefab(e) != t.prefab {
		return fmt.Errorf("%v is a prefab: %v, the model says %v", e, w.IsPrefab(e), t.prefab)
	}
	for k := range tw.kinds {
		n, want := t.values[k]
		same, ok := tw.kinds[k].get(e, n)
		if ok != want || w.Has(e, tw.kinds[k].id) != want || want && !same {
			return fmt.Errorf("%v: kind %d: has %v, the model %v; its value is that of %d: %v", e, k, ok, want, n, same)
		}
	}
	return nil
}
