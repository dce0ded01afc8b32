package save_test

import (
	"errors"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
)

// TestTicksThatHaveLostTheirFirstEvents: saves of before say that the tick begins with an event that was dropped. They are
// loaded, and the tick begins with the oldest that is there; one that begins behind the last is refused.
func TestTicksThatHaveLostTheirFirstEvents(t *testing.T) {
	s := declare(t, 3)
	r := s.shots.Reader("waits")
	for n := range 5 {
		must(t, s.shots.Emit(shot{0, float32(n)}))
		if n == 1 {
			_, err := s.shots.Clear()
			must(t, err)
		}
	}
	good := s.text(t, save.Options{})
	if r.Len() != 3 {
		t.Fatalf("%d wait", r.Len())
	}
	for sent, fits := range map[int]bool{0: true, 1: true, 2: true, 4: true, 5: true, 6: false} {
		text := forge(t, good, jsonWith(t, "state.json", func(m map[string]any) {
			stream := m["streams"].([]any)[0].(map[string]any)
			stream["sent"] = sent
		}))
		w := declare(t, 3)
		read := w.shots.Reader("waits")
		_, err := load(w.World, text, save.LoadOptions{})
		if (err == nil) != fits || err != nil && !errors.Is(err, ecs.ErrConflict) {
			t.Errorf("it begins at %d: %v", sent, err)
		}
		if err == nil {
			must(t, w.Check())
			read.RewindTick()
			if read.Len() != min(3, 5-sent) || read.Position() != uint64(max(2, sent)) {
				t.Errorf("it begins at %d: %d wait", sent, read.Len())
			}
		}
		must(t, w.Close())
	}
}
