package snapshot_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

type position struct{ X, Y float64 }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestRoundTrip: the plainest case.
func TestRoundTrip(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	p := ecs.Register[position](w)
	a := w.Spawn(p.With(position{1, 2}))
	b := w.Spawn(p.With(position{3, 4}))
	s, err := snapshot.Capture(w)
	must(t, err)
	want := w.Checksum()
	must(t, w.Despawn(a))
	p.Edit(b).X = 9
	c := w.Spawn(p.With(position{5, 6}))
	must(t, snapshot.Restore(w, s))
	must(t, w.Check())
	if w.Checksum() != want || !w.Alive(a) || w.Alive(c) {
		t.Errorf("a %v, c %v", w.Alive(a), w.Alive(c))
	}
}
