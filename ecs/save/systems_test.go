package save_test

import (
	"errors"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
)

// TestTimesOfSystems: the times since a system has run are those that a world can have.
func TestTimesOfSystems(t *testing.T) {
	open := func() *ecs.World {
		w := bare(t)
		must(t, w.Schedule().Add(ecs.System{Name: "often", Every: 0.1, Run: func(*ecs.Tick) error { return nil }}))
		return w
	}
	w := open()
	must(t, w.Step(0.05))
	good := written(t, w)
	for _, field := range []string{"phase", "elapsed"} {
		for number, taken := range map[string]bool{"0.05": true, "-1e300": false, "-0.001": false, "1e300": false, `"inf"`: false, `"nan"`: false} {
			text := forge(t, good, replacing("state.json", `"`+field+`":0.05`, `"`+field+`":`+number))
			if _, err := load(open(), text, save.LoadOptions{}); (err == nil) != taken || err != nil && !errors.Is(err, ecs.ErrConflict) {
				t.Errorf("%s %s: %v", field, number, err)
			}
		}
	}
}

// TestBurstsOfAnotherBreaker: a program whose breaker has a smaller Burst than the one that has saved still parks a system
// that fails too often.
func TestBurstsOfAnotherBreaker(t *testing.T) {
	open := func(burst int) *ecs.World {
		w, err := ecs.Open(ecs.Options{MaxBytes: 16 << 20, Tag: 3, Breaker: ecs.Breaker{Failures: -1, Burst: burst, Window: 1000}})
		must(t, err)
		t.Cleanup(func() { w.Close() })
		must(t, w.Schedule().Add(ecs.System{Name: "fails", Run: func(*ecs.Tick) error { return errors.New("planned") }}))
		return w
	}
	old := open(10)
	for range 6 {
		_ = old.Step(0.01)
	}
	now := open(3)
	_, err := load(now, written(t, old), save.LoadOptions{})
	must(t, err)
	if h, _ := now.Schedule().Health("fails"); h == ecs.Parked {
		t.Fatal("it is parked before it has failed")
	}
	_ = now.Step(0.01)
	if h, _ := now.Schedule().Health("fails"); h != ecs.Parked {
		t.Errorf("it has failed seven times, and is %v", h)
	}
}
