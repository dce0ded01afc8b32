package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestNothingLeftIsNothingForKernels: when the instructions of a tick are used up, a
// compiled each is refused as one on the VM is, and counts again in the next.
func TestNothingLeftIsNothingForKernels(t *testing.T) {
	var logs [2]string
	for i, mode := range []string{"off", "auto"} {
		r := newGame(t, scripting.Limits{Instructions: 100_000, TickInstructions: 250_000, LogLines: -1})
		r.write("a.lua", fmt.Sprintf(`
local A = ecs.component("A", { x = ecs.f64(0) })
ecs.on_start(function() for i = 1, 3 do ecs.spawn(A) end end)
ecs.system "count" { phase = "physics", query = { A }, kernel = %q, each = function(e, a) a.x = a.x + 1 end }
ecs.system "when" { phase = "physics", query = { A }, kernel = %[1]q, when = function(ctx) return ctx.tick > 3 end, each = function(e, a) a.x = a.x + 100 end }
for i = 1, 9 do ecs.system("burn" .. i) { phase = "input", when = function(ctx) return ctx.tick %% 3 == 2 end, run = function() while true do end end } end
ecs.system "show" { phase = "debug", query = { A }, each = function(e, a, ctx) ecs.log(ctx.tick, a.x) end }`, mode))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(7)
		for _, e := range r.errors {
			if !strings.Contains(e.System, "burn") {
				r.logs = append(r.logs, e.Error())
			}
		}
		logs[i] = r.logged()
	}
	if logs[0] != logs[1] || !strings.Contains(logs[0], `system "count": tick 2`) {
		t.Errorf("lua\n%s\nkernel\n%s", logs[0], logs[1])
	}
}

// TestWhoHoldsTooMuchRunsNoKernels: a script that is refused for what it holds does
// nothing more, in compiled functions either.
func TestWhoHoldsTooMuchRunsNoKernels(t *testing.T) {
	r := newGame(t, scripting.Limits{Held: 4 << 20})
	r.write("a.lua", `
local A = ecs.component("A", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn(A) end)
local kept = {}
ecs.system "count" { query = { A }, each = function(e, a) a.x = a.x + 1 end }
ecs.system "keep" { run = function(ctx) kept[#kept + 1] = ("x"):rep(2e6 + ctx.tick) end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	if k := r.host.Kernels(); !k[0].Compiled {
		t.Fatal(k)
	}
	for range 2000 {
		if r.step(1); len(r.errors) > 0 {
			break
		}
	}
	before := r.world.Checksum()
	r.errors = nil
	r.step(3)
	if after := r.world.Checksum(); after != before || len(r.errors) == 0 {
		t.Errorf("the world has changed from %x to %x; errors %v", before, after, r.errors)
	}
}
