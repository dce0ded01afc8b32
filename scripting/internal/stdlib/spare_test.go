package stdlib_test

import (
	"errors"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
)

func TestSpare(t *testing.T) {
	var b stdlib.Budget
	b.Reset(1000, 0)
	for _, c := range [...]struct {
		steps int64
		want  bool
	}{{600, true}, {500, false}, {400, true}, {1, false}} {
		if got := b.Spare(c.steps); got != c.want {
			t.Errorf("Spare(%d) = %v", c.steps, got)
		}
	}
	if b.Used() != 0 {
		t.Errorf("%d steps used, want none: grants are not use", b.Used())
	}
	b.Reset(1<<40, 0)
	if b.Spare(1 << 21) {
		t.Error("2 million steps may pass without a look at the clock")
	}
}

// TestSpareWatches: when Watch says stop, nothing more is granted and the next
// instruction stops.
func TestSpareWatches(t *testing.T) {
	stop := errors.New("stop")
	b := stdlib.Budget{Watch: func() error { return stop }}
	b.Reset(1<<40, 0)
	granted := 0
	for b.Spare(1) && granted < 100 {
		granted++
	}
	if granted == 100 || b.Spare(1) || b.Done() == nil || b.Err() != stop {
		t.Errorf("%d grants, then the error %v", granted, b.Err())
	}
}
