package scripting_test

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestFormulasCountWhatTheyTake: a formula for values for which it does not hold is computed by the
// host, which takes several times as long. Such calls count when they are made, the same on any
// number of goroutines, in vectors and in single rows.
func TestFormulasCountWhatTheyTake(t *testing.T) {
	const rows = 2000
	for name, f := range map[string]struct{ text, usual, outside string }{
		"sine":     {"math.sin(p.x)", "2.5", "1e300"},
		"tangent":  {"math.tan(p.x)", "2.5", "-1e300"},
		"power":    {"p.x ^ 0.3", "2.5", "0"},
		"powers":   {"p.x ^ p.x", "2.5", "-2.5"},
		"log":      {"math.log(p.x)", "2.5", "-2"},
		"modulo":   {"p.x % 0.7", "2.5", "1e300"},
		"in loops": {"0 for i = 1, 10 do p.y = p.y + math.sin(p.x) end", "2.5", "1e300"},
	} {
		t.Run(name, func(t *testing.T) {
			work := func(x string, workers int) int64 {
				r := newGameOf(t, ecs.Options{Workers: workers}, scripting.Limits{})
				p := ecs.Register[Position](r.world)
				for range rows {
					r.world.Spawn(p.With(Position{}))
				}
				r.write("a.lua", fmt.Sprintf(`
					local P = ecs.native("Position")
					ecs.system "fill" { query = { P }, kernel = "off", each = function(e, p) p.x = %s end }
					ecs.system "s" { query = { P }, kernel = "require", after = { "fill" }, each = function(e, p) p.y = %s end }`, x, f.text))
				if err := r.host.Load(r.folder); err != nil {
					t.Fatal(err)
				}
				for range 4 { // the first tells how long a run takes, which is shared out then
					if err := r.host.StepAll(1.0 / 60); err != nil {
						t.Fatal(err)
					}
				}
				_, counted := r.host.Work()
				return counted
			}
			usual, outside := work(f.usual, 1), work(f.outside, 1)
			if usual < 10*rows || outside < usual+100*rows {
				t.Errorf("%d rows count %d ns, and %d of values for which the formula does not hold", rows, usual, outside)
			}
			if shared := work(f.outside, 3); shared != outside {
				t.Errorf("%d rows count %d ns on one goroutine, and %d on three", rows, outside, shared)
			}
		})
	}
}

// TestFormulasEndWithTheTick: a limit of which each row needs a part is not passed by more than
// the fiftieth that a script has in any case.
func TestFormulasEndWithTheTick(t *testing.T) {
	const limit = 100_000
	r := newGame(t, scripting.Limits{TickRows: limit, LogLines: -1})
	p := ecs.Register[Position](r.world)
	for range 3000 {
		r.world.Spawn(p.With(Position{X: 1e300}))
	}
	r.write("a.lua", `ecs.system "s" { query = { ecs.native("Position") }, kernel = "require", each = function(e, p) p.y = math.sin(p.x) end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	if err := r.host.StepAll(1.0 / 60); err == nil {
		t.Error("3,000 rows that the host has to compute are within a limit for 600")
	}
	if _, counted := r.host.Work(); counted > limit*51/50 || counted < limit*9/10 {
		t.Errorf("they count as %d ns of %d", counted, limit)
	}
}
