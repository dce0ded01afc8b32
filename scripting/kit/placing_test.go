package kit

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestEachIsPlacedOnce: in a deep chain of which every entity has changed, last ones first, in
// one with gaps, and where only a top has moved.
func TestEachIsPlacedOnce(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	tr := newTransform(w)
	chain := []ecs.Entity{w.Spawn(tr.local.With(Transform{Scale: 1}), tr.position.With(Position{}))}
	for i := 1; i < 1000; i++ {
		e := w.Spawn()
		if i%10 != 0 { // every tenth is a gap: below it begins another tree
			if err := w.Add(e, tr.local.With(Transform{X: 1, Scale: 1})); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.SetParent(e, chain[i-1]); err != nil {
			t.Fatal(err)
		}
		chain = append(chain, e)
	}
	run := func(what string, want int) {
		t.Helper()
		if err := tr.run(nil); err != nil || tr.placed != want {
			t.Errorf("%s: %d placed, want %d: %v", what, tr.placed, want, err)
		}
	}
	run("at first", 901)
	run("nothing has changed", 0)
	for i := range chain {
		if p := tr.local.Edit(chain[len(chain)-1-i]); p != nil {
			p.X++
		}
	}
	run("everything has changed", 901)
	tr.position.Edit(chain[0]).X = 3
	run("the top has moved", 10)
}
