package scripting_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestTimersBeatWithinBounds: in a tick of any length a timer is called a thousand times at most, a step beyond
// the end of time does nothing, and what is captured at any time can be read.
func TestTimersBeatWithinBounds(t *testing.T) {
	for _, dt := range []float64{1, 49.9, 1000, 1e6, 1e9, 5e10, ecs.MaxTime - 1, 1e12, 1e15, 1e16, 1e300, math.Inf(1), math.NaN()} {
		for _, every := range []float64{0.001, 0.05, 0.3, 1e8} {
			r := loaded(t, "a.lua", fmt.Sprintf(`local S = ecs.state("s", { n = 0 })
ecs.handler("h", function() S.n = S.n + 1 end)
ecs.on_start(function() ecs.every(%v, "h") ecs.after(999999999, "late") end)
ecs.handler("late", function() end)
ecs.system "show" { run = function() ecs.log(S.n) S.n = 0 end }`, every))
			r.step(1)
			if err := r.host.Step(dt); (err != nil) != !(dt < ecs.MaxTime) || err != nil && !errors.Is(err, ecs.ErrRange) {
				t.Errorf("a step of %v: %v", dt, err)
			}
			before := len(r.logs)
			r.host.Step(0)
			r.host.Step(0.25)
			for _, line := range r.logs[before-1:] {
				n := 0
				if fmt.Sscan(line, &n); n > 1000 {
					t.Errorf("every %v: %d calls after a step of %v", every, n, dt)
				}
			}
			if _, err := scripting.ReadScripts(r.captured().Scripts().Encode(), scripting.Limits{}); err != nil {
				t.Errorf("after a step of %v: %v", dt, err)
			}
		}
	}
}
