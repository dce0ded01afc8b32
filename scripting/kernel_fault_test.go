package scripting_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestFaultsOfTheCompilerEndNothing plants a panic in the compiler. A load, a save
// and an explanation tell of it at the function's place, and the Lua machine runs
// the function.
func TestFaultsOfTheCompilerEndNothing(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.host.Plant(func(name string) {
		if name == "fault" {
			panic("planted")
		}
	})
	text := func(step string) string {
		return `local fault, fine = ` + step + `, 10
fault = fault
ecs.system "bad" { query = { P }, each = function(e, p) p.x = p.x + fault end }
ecs.system "good" { query = { P }, each = function(e, p) p.y = p.y + fine end }
ecs.on_start(function() ecs.spawn(P) end)
ecs.system "show" { phase = "debug", query = { P }, each = function(e, p) ecs.log(p.x, p.y) end }`
	}
	want := regexp.MustCompile(`^a\.lua:4: system "bad": not compiled: a fault of the compiler \(scripting/kernel_fault_test\.go:\d+: planted\), please report it together with this function$`)
	judge := func(list []scripting.KernelStatus) {
		t.Helper()
		for _, s := range list {
			if s.System == "bad" && !want.MatchString(s.String()) {
				t.Error(s)
			}
			if s.System == "good" && !s.Compiled {
				t.Error(s)
			}
		}
	}
	r.write("a.lua", text("1"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	judge(r.host.Kernels())
	r.run(2)
	r.wantLog("1 10 2 20")
	r.save("a.lua", text("5"))
	r.run(1)
	r.wantLog("7 30")
	judge(r.host.Kernels())
	reports, err := r.host.Explain("a.lua", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, report := range reports {
		judge([]scripting.KernelStatus{report.KernelStatus})
	}

	r.save("a.lua", strings.Replace(text("9"), "query", `kernel = "require", query`, 1))
	r.refused("a.lua:4", "a fault of the compiler")
	r.wantLog("12 40")
}
