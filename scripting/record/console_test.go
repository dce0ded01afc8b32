package record_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/record"
)

// TestBack: a text of the console that is undone through the session takes the later ticks along, keeps the earlier ones, and the
// game goes on as one in which nothing was typed.
func TestBack(t *testing.T) {
	o := setting{workers: 1, seed: 3}
	straight, g := newGame(t, o), newGame(t, o)
	straight.load(text(3))
	g.load(text(3))
	back, err := g.s.Rollback(snapshot.RingOptions{Ticks: 30})
	must(t, err)
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{})
	must(t, err)
	step := func(x *game, ticks uint64) {
		for range ticks {
			_, tick := x.world.Time()
			x.inputs(3, tick)
			must(t, x.s.Step(0.03))
		}
	}
	step(straight, 10)
	step(g, 10)
	r, err := g.host.Console().RunUndoable(`for e in ecs.entities({}) do ecs.despawn(e) end`)
	must(t, err)
	if !r.Undoable {
		t.Fatal(r.NotUndoable)
	}
	step(g, 5)
	must(t, back.Look(12))
	must(t, g.s.Back(func() error { _, err := g.host.Console().Undo(r.Run); return err }))
	if got, want := g.world.Checksum(), straight.world.Checksum(); got != want {
		t.Fatalf("checksum %x, want %x", got, want)
	}
	if ticks := slices.Collect(back.Ticks()); len(ticks) != 11 || ticks[10] != 10 {
		t.Errorf("ticks %v are kept", ticks)
	}
	step(straight, 10)
	step(g, 10)
	if got, want := g.world.Checksum(), straight.world.Checksum(); got != want {
		t.Fatalf("ten ticks later: checksum %x, want %x", got, want)
	}
	must(t, back.Rewind(5))
	must(t, rec.Err())
	for _, s := range []*record.Session{nil, {}} {
		if err := s.Back(func() error { return nil }); !errors.Is(err, scripting.ErrClosed) {
			t.Error(err)
		}
	}
	if err := g.s.Back(nil); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	if err := g.s.Back(func() error { return errors.ErrUnsupported }); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}
