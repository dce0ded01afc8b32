package ecs

import (
	"errors"
	"testing"
)

// TestAValueOfAnotherWorldIsRefused on every path: there its component's number
// is that of another type, or of none, and its bytes would be taken for those.
func TestAValueOfAnotherWorldIsRefused(t *testing.T) {
	w, other := open(t, Options{}), open(t, Options{})
	position := Register[Position](w)
	Register[Frozen](other)
	label, burning := Register[Label](other), Register[Burning](other, Sparse)
	e := w.Spawn(position.With(Position{1, 2}))
	for name, v := range map[string]Value{
		"of a number that is another type here": label.With(Label{"x"}), "of a number that is none here": burning.With(Burning{}),
		"of nobody": {}, "of raw bytes": other.ValueAt(burning.ID(), nil),
	} {
		_, spawn := w.TrySpawn(position.With(Position{}), v)
		_, prefab := w.SpawnPrefab(&Prefab{Children: []Prefab{{Values: []Value{v}}}})
		c := w.NewCommands()
		c.Spawn(v)
		recorded := c.Apply()
		c.Add(e, position.With(Position{9, 9}), v)
		for path, err := range map[string]error{
			"spawn": spawn, "prefab": prefab, "recorded spawn": recorded, "add": w.Add(e, v), "recorded add": c.Apply(),
		} {
			if !errors.Is(err, ErrConflict) {
				t.Errorf("a value %s, %s: answered %v", name, path, err)
			}
		}
		if p, _ := position.Get(e); w.Len() != 1 || p != (Position{1, 2}) {
			t.Fatalf("a value %s: a refused change changed something", name)
		}
		must(t, w.Check())
	}
}
