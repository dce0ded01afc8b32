package exec

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestFewKernelsAreMadeAnewInATick: whoever comes later waits for a later tick.
func TestFewKernelsAreMadeAnewInATick(t *testing.T) {
	w, err := ecs.Open(ecs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	m := &Executor{World: w}
	for tick := range 3 {
		made := 0
		for range 3 * mostRenewed {
			if m.renews() {
				made++
			}
		}
		if made != mostRenewed {
			t.Errorf("tick %d: %d kernels", tick, made)
		}
		if err := w.Step(1); err != nil {
			t.Fatal(err)
		}
	}
}
