package scripting_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestNoSnapshot: a nil snapshot, and nil scripts, answer as empty ones.
func TestNoSnapshot(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	var s *scripting.Snapshot
	if n, seconds := s.Tick(); n != 0 || seconds != 0 || s.World() != nil || s.Scripts() != nil {
		t.Error("a nil snapshot is not empty")
	}
	w := s.World()
	if n, seconds := w.Tick(); n != 0 || seconds != 0 || w.Entities() != 0 || w.Tag() != 0 || w.Bytes() != 0 || w.Content() != nil {
		t.Error("the world of a nil snapshot is not empty")
	}
	if w.Update(r.world) == nil || w.Follow(r.world, &snapshot.Snapshot{}) == nil {
		t.Error("a nil snapshot has captured a world")
	}
	x := s.Scripts()
	if n, seconds := x.Tick(); n != 0 || seconds != 0 || x.Names() != nil || x.Encode() != nil || x.SceneEntities() != nil || x.Unseen("A", false) {
		t.Error("nil scripts are not empty")
	}
	if !r.host.Reads(nil, "a") {
		t.Error("nil scripts have a reader")
	}
	if r.host.Update(nil) == nil || r.host.UpdateScripts(nil) == nil {
		t.Error("a capture into nothing")
	}
	if _, err := r.host.Restore(nil); err == nil {
		t.Error("nothing is restored")
	}
}
