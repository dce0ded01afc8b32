package scripting_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// relaxing is a system that calls a kernel four times a tick: what is called, by
// what, and how it is compiled are to be filled in.
const relaxing = `
local relax = ecs.kernel("relax", { Alpha, Beta }, function(e, a, b, ctx)
  %s
end, { kernel = %q })
ecs.system "steps" { %s function(x, ctx)
  for i = 1, 4 do relax() end
end }
`

// TestCallable holds that a kernel leaves the same bytes compiled and on the Lua
// interpreter, called from run and from batch, and that it says the same of faults.
func TestCallable(t *testing.T) {
	callers := map[string]string{
		"run":     `run =`,
		"batch":   `query = { Alpha, Beta }, batch =`,
		"handler": `run = function() ecs.after(0, "go") end } ecs.handler("go", function() relax() end) ecs.system "other" { run =`,
	}
	for what, body := range map[string]string{
		"numbers":        `b.f = b.f + a.f * ctx.dt a.g = math.max(a.g, b.h)`,
		"whole rows":     `for name, v in pairs(a) do if name == "f" then b.f = v + 1 end end`,
		"a fault of one": `if b.u16 > 60000 then a.i16 = 40000 end b.f = 1`,
		"a counter":      `seen = seen + 1 b.f = seen`,
		"changes":        `if a.b then ecs.add(e, Mark) ecs.despawn(e) end`,
	} {
		for caller, head := range callers {
			run := func(mode string) (string, []string, scripting.KernelStatus) {
				text := "local Mark = ecs.tag('Mark')\nlocal seen = 0\n" + fmt.Sprintf(relaxing, body, mode, head)
				h, w, err := hostOf(t, text, scripting.Limits{})
				if err != nil {
					t.Fatalf("%s, %s: %v", what, caller, err)
				}
				var failed []string
				for range 2 {
					failed = append(failed, split(h.StepAll(0.5))...)
				}
				var status scripting.KernelStatus
				if list := h.Kernels(); len(list) > 0 {
					status = list[0]
				}
				return dump(w), failed, status
			}
			vm, vmFaults, _ := run("off")
			compiled, faults, status := run("auto")
			if vm != compiled {
				t.Errorf("%s, %s: %s", what, caller, firstDifference(vm, compiled))
			}
			if fmt.Sprint(vmFaults) != fmt.Sprint(faults) {
				t.Errorf("%s, %s: faults\n%q\n%q", what, caller, vmFaults, faults)
			}
			if want := what != "whole rows"; !status.Called || status.Compiled != want || status.What() != `kernel "relax"` {
				t.Errorf("%s, %s: %v", what, caller, status)
			}
		}
	}
}

// TestCallableInACallThatFails: what a kernel has written goes with the rest of the
// call, also where no row can stop the kernel itself.
func TestCallableInACallThatFails(t *testing.T) {
	for _, mode := range []string{"off", "require"} {
		text := fmt.Sprintf(`
local relax = ecs.kernel("relax", { Alpha }, function(e, a) a.f = a.f + 1 end, { kernel = %q })
ecs.system "s" { run = function() relax() error("no") end }
`, mode)
		h, w, err := hostOf(t, text, scripting.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		before := dump(w)
		if err := h.StepAll(0.5); err == nil {
			t.Fatal("no error")
		}
		if after := dump(w); after != before {
			t.Errorf("%s: %s", mode, firstDifference(before, after))
		}
	}
}

// TestCallableFaults holds what is refused, in words.
func TestCallableFaults(t *testing.T) {
	const kernel = `local k = ecs.kernel("k", { Alpha }, function(e, a) a.f = 1 end) `
	for text, want := range map[string]string{
		kernel + `k()`: "cannot be used while a script is being loaded",
		kernel + `ecs.system "s" { run = function() k(1) end }`:                                                 `kernel "k" is called without arguments`,
		kernel + `ecs.system "s" { query = { Beta }, batch = function() k() end }`:                              `kernel "k" works on "Alpha", which the query of system "s" does not list`,
		kernel + `ecs.system "s" { query = { Beta }, each = function() k() end }`:                               `call it from run, batch or a handler, not from each`,
		`local k k = ecs.kernel({ Alpha }, function(e, a) k() end) ecs.system "s" { run = function() k() end }`: `not from each`,
		kernel + kernel:                                                                                `k.lua:6: kernel "k": a kernel needs a name or a line of its own`,
		`ecs.kernel("k", {}, function() end)`:                                                          `kernel "k": the query names no component`,
		`ecs.kernel("k", { Alpha }, 5)`:                                                                "argument 3: expected a function",
		`ecs.kernel({ Alpha }, function() end, { speed = 1 })`:                                         `kernel "k.lua:6": unknown option "speed"`,
		`ecs.kernel({ Alpha }, function() end, { precison = "f32" })`:                                  `unknown option "precison" (did you mean "precision"?)`,
		`ecs.kernel({ Alpha }, function() end, { precision = "f16" })`:                                 `kernel "k.lua:6": precision: expected "f64" or "f32", got the string "f16"`,
		`ecs.kernel({ Alpha }, function() end, { kernel = 1 })`:                                        `kernel: expected "auto", "require" or "off", got the number 1`,
		`ecs.kernel("k", { Alpha }, function(e, a) a.ff = 1 end)`:                                      `kernel "k": unknown field "ff" of "Alpha" (did you mean "f"?)`,
		`ecs.kernel("k", { Alpha }, function(e, a)` + "\n" + `a.f = #'x' end, { kernel = "require" })`: `k.lua:7: kernel "k": # of anything but a list or an array field is not available in kernels`,
		`ecs.system "s" { run = function() ecs.kernel({ Alpha }, function() end) end }`:                "only be used at the top level",
	} {
		h, _, err := hostOf(t, text, scripting.Limits{})
		if err == nil {
			err = h.StepAll(0.1)
		}
		if err == nil || !says(err.Error(), want) {
			t.Errorf("%s\n%v, want %s", text, err, want)
		}
	}
}

// TestRunKernel has the host run a kernel, from a system of its own and between
// two steps, over a reload, and after the script is gone.
func TestRunKernel(t *testing.T) {
	text := `ecs.kernel("add", { Alpha }, function(e, a, ctx) a.f = a.f + %d + ctx.dt end)`
	h, w, err := hostOf(t, fmt.Sprintf("ecs.system 'zero' { query = { Alpha }, each = function(e, a) a.f = 0 end }"+text, 1), scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	alpha := ecs.Register[Alpha](w)
	first := w.Query(ecs.Read(alpha)).First()
	expect := func(want float64) {
		t.Helper()
		if a, _ := alpha.Get(first); a.F != want {
			t.Errorf("%v, want %v", a.F, want)
		}
	}
	run := func(name string) error {
		return w.Run("host", func(tick *ecs.Tick) error { return h.RunKernel(tick, name) })
	}
	if err := h.StepAll(0.5); err != nil {
		t.Fatal(err)
	}
	if err := run("add"); err != nil {
		t.Fatal(err)
	}
	expect(1)
	if err := w.Schedule().Add(ecs.System{Name: "host.add", Phase: ecs.Render, Run: func(tick *ecs.Tick) error { return h.RunKernel(tick, "add") }}); err != nil {
		t.Fatal(err)
	}
	if err := h.StepAll(0.5); err != nil {
		t.Fatal(err)
	}
	expect(1.5)
	load := func(text string) error {
		return h.Replace(fstest.MapFS{"k.lua": {Data: []byte(opening + text)}})
	}
	if err := load(fmt.Sprintf(text, 10)); err != nil {
		t.Fatal(err)
	}
	if err := run("add"); err != nil {
		t.Fatal(err)
	}
	expect(11.5)
	if err := run("ad"); !errors.Is(err, ecs.ErrUnknown) || !strings.Contains(err.Error(), `kernel "ad" (did you mean "add"?)`) {
		t.Error(err)
	}
	if err := load(""); err != nil {
		t.Fatal(err)
	}
	if err := run("add"); !errors.Is(err, ecs.ErrUnknown) {
		t.Error(err)
	}
	if n := h.LoadedKernels(); n != 0 {
		t.Errorf("%d kernels are loaded", n)
	}
}

// TestCallableReload swaps a kernel that another script calls.
func TestCallableReload(t *testing.T) {
	h, w, err := hostOf(t, "", scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	module := opening + `return { k = ecs.kernel({ Alpha }, function(e, a) a.f = %d end, { kernel = "require" }) }`
	user := `local m, ecs = require "m", require "ecs" ecs.system "s" { run = function() m.k() end }`
	alpha := ecs.Register[Alpha](w)
	first := w.Query(ecs.Read(alpha)).First()
	for i := range 20 {
		if err := h.Replace(fstest.MapFS{"m.lua": {Data: fmt.Appendf(nil, module, i)}, "l.lua": {Data: []byte(user)}}); err != nil {
			t.Fatal(err)
		}
		if err := h.StepAll(0.1); err != nil {
			t.Fatal(err)
		}
		if a, _ := alpha.Get(first); a.F != float64(i) {
			t.Errorf("version %d left %v", i, a.F)
		}
	}
	if n := h.LoadedKernels(); n != 1 {
		t.Errorf("%d kernels are loaded", n)
	}
}
