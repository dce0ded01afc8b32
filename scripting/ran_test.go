package scripting_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestRanSaysWhatRanWhere holds that rows and calls of all kinds of systems are counted where
// they ran, in any number of ticks and over a reload.
func TestRanSaysWhatRanWhere(t *testing.T) {
	const n, ticks = 600, 20
	w := ecs.NewWorld()
	defer w.Close()
	p := ecs.Register[point](w, ecs.Named("P"))
	for i := range n {
		w.Spawn(p.With(point{X: float64(i)}))
	}
	h := newHost(t, w, scripting.Options{OnKernel: func(scripting.KernelStatus) {}, OnError: func(*scripting.Error) {}})
	defer h.Close()
	calls := 0
	if err := h.Expose("add", func(x float64) float64 { calls++; return x + 1 }); err != nil {
		t.Fatal(err)
	}
	text := `
local ecs = require 'ecs'
local P, host = ecs.native('P'), require 'host'
local Hit = ecs.event('Hit', { n = ecs.f64(0) })
local k = ecs.kernel('named', { P }, function(e, p) p.y = p.y + 1 end)
local text = ''
ecs.system 'kernel' { query = { P }, each = function(e, p) p.y = p.y + 1 end }
ecs.system 'vm' { query = { P }, kernel = 'off', each = function(e, p) p.y = p.y + 1 end }
ecs.system 'mixed' { query = { P }, each = function(e, p) if p.x % 6 == 0 then text = 'x' .. p.x end p.y = p.y + 1 end }
ecs.system 'batch' { query = { P }, batch = function(b) local y = b:write(P, 'y') for i = 1, b.n do y[i] = y[i] + 1 end end }
ecs.system 'run' { run = function() k() ecs.emit(Hit { n = 1 }) ecs.emit(Hit { n = host.add(2) }) end }
ecs.system 'events' { phase = 'render', on = Hit, each = function(hit) host.add(hit.n) host.add(3) end }
ecs.system 'foreign' { query = { P }, each = function(e, p) p.y = host.add(p.x) end }
ecs.system 'never' { query = { P }, when = function() return false end, each = function(e, p) p.y = 1 end }
ecs.system 'fails' { query = { P }, each = function(e, p) if p.x < 10 then error('no') end p.y = p.y + 1 end }
`
	folder := fstest.MapFS{"r.lua": {Data: []byte(text)}}
	if err := h.Load(folder); err != nil {
		t.Fatal(err)
	}
	play := func() {
		for range ticks {
			_ = h.Step(1.0 / 60) // the system that fails
		}
	}
	play()
	folder["r.lua"] = &fstest.MapFile{Data: []byte(text + "-- another version\n")}
	h.Stage([]string{"r.lua"}, nil)
	play()
	const runs = 2 * ticks
	want := map[string][3][2]int{ // rows and calls, by kernels, on the VM, of the host
		"kernel":  {{runs * n, -1}, {0, 0}, {0, 0}},
		"vm":      {{0, 0}, {runs * n, runs * n}, {0, 0}},
		"mixed":   {{runs * n * 5 / 6, -1}, {runs * n / 6, runs * n / 6}, {0, 0}},
		"batch":   {{0, 0}, {runs * n, -1}, {0, 0}},
		"run":     {{runs * n, -1}, {0, runs}, {0, runs}}, // with what the kernel has done that it calls
		"named":   {{runs * n, -1}, {0, 0}, {0, 0}},
		"events":  {{0, 0}, {2 * runs, 2 * runs}, {0, 4 * runs}},
		"foreign": {{0, 0}, {runs * n, runs * n}, {0, runs * n}},
		"never":   {{0, 0}, {0, 0}, {0, 0}},
	}
	list := h.Ran()
	if len(list) != len(want)+1 {
		t.Errorf("%d records, want %d", len(list), len(want)+1)
	}
	for _, r := range list {
		got := [3][2]int{}
		for i, e := range []scripting.Effort{r.Kernel, r.VM, r.Foreign} {
			got[i] = [2]int{int(e.Rows), int(e.Calls)}
			if want, known := want[r.System]; known && want[i][1] < 0 && e.Calls > 0 && int(e.Calls) < want[i][0] {
				got[i][1] = -1 // some calls, and fewer than rows
			}
			if e.Calls == 0 && e.Time > 0 && r.System != "never" { // whose condition takes time
				t.Errorf("%s: no call took %v", r.System, e.Time)
			}
		}
		if want, known := want[r.System]; known && got != want {
			t.Errorf("%s: %v, want %v", r.System, got, want)
		}
		if r.System == "fails" && (r.VM.Rows < 20 || r.VM.Rows > runs*10 || r.Kernel.Rows+r.VM.Rows < runs*(n-10)) {
			t.Errorf("fails: %+v", r)
		}
	}
	all := 0
	for _, r := range list {
		all += int(r.Foreign.Calls)
	}
	if all != calls {
		t.Errorf("%d calls of the host's functions, want %d", all, calls)
	}
}

// TestRanTimes holds that the times of a record stand where most of the time was spent.
func TestRanTimes(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	p := ecs.Register[point](w, ecs.Named("P"))
	for i := range 2000 {
		w.Spawn(p.With(point{X: float64(i)}))
	}
	h := newHost(t, w, scripting.Options{OnKernel: func(scripting.KernelStatus) {}})
	defer h.Close()
	if err := h.Expose("rest", func() { time.Sleep(100 * time.Microsecond) }); err != nil {
		t.Fatal(err)
	}
	text := "local ecs = require 'ecs'\nlocal P, host = ecs.native('P'), require 'host'\n"
	for name, options := range map[string]string{
		"kernel":  "query = { P }, each = function(e, p) for i = 1, 100 do p.y = math.sin(p.y + i) end end",
		"vm":      "query = { P }, kernel = 'off', each = function(e, p) p.y = math.sin(p.x) end",
		"foreign": "run = function() for i = 1, 32 do host.rest() end end",
	} {
		text += fmt.Sprintf("ecs.system '%s' { %s }\n", name, options)
	}
	if err := h.Load(fstest.MapFS{"r.lua": {Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := h.StepAll(1.0 / 60); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range h.Ran() {
		most := map[string]time.Duration{"kernel": r.Kernel.Time, "vm": r.VM.Time, "foreign": r.Foreign.Time}[r.System]
		if sum := r.Kernel.Time + r.VM.Time + r.Foreign.Time; sum == 0 || most < sum/4 {
			t.Errorf("%s: %+v", r.System, r.Ran)
		}
		if s := fmt.Sprintf("%+v", r); strings.Contains(s, "-") {
			t.Errorf("a time below 0: %s", s)
		}
	}
}

// TestAKernelsWorkIsItsCallers: what an ecs.kernel does is in the record of the system that calls it, rows that the
// VM runs and time included; the sum of all that systems have done themselves, and kernels, has each row once,
// whoever has called the kernel.
func TestAKernelsWorkIsItsCallers(t *testing.T) {
	const n, ticks, hits = 1200, 20, 19 // the first tick has sent none yet
	w := ecs.NewWorld()
	defer w.Close()
	p := ecs.Register[point](w, ecs.Named("P"))
	for i := range n {
		w.Spawn(p.With(point{X: float64(i)}))
	}
	h := newHost(t, w, scripting.Options{OnKernel: func(scripting.KernelStatus) {}, OnError: func(*scripting.Error) {}})
	defer h.Close()
	if err := h.Expose("add", func(x float64) float64 { return x + 1 }); err != nil {
		t.Fatal(err)
	}
	err := h.Load(fstest.MapFS{"r.lua": {Data: []byte(`
local ecs = require 'ecs'
local P, host = ecs.native('P'), require 'host'
local Hit = ecs.event('Hit', { n = ecs.f64(0) })
local text = ''
local k = ecs.kernel('k', { P }, function(e, p) for i = 1, 20 do p.y = math.sin(p.y + i) end end)
local mixed = ecs.kernel('mixed', { P }, function(e, p) if p.x % 6 == 0 then text = 'x' .. host.add(p.x) end p.y = p.y + 1 end)
ecs.system 'run' { run = function() for i = 1, 3 do k() end ecs.emit(Hit { n = 1 }) end }
ecs.system 'batch' { query = { P }, batch = function(b) k() end }
ecs.system 'on' { on = Hit, each = function(hit) mixed() end }
ecs.system 'when' { query = { P }, when = function() k() return false end, each = function(e, p) p.y = 0 end }
ecs.system 'fails' { run = function() k() error('no') end }
ecs.system 'timer run' { run = function() end }
ecs.handler('run', function() k() end)
ecs.on_start(function() k() ecs.every(1 / 60, 'run') end)
`)}})
	if err != nil {
		t.Fatal(err)
	}
	for range ticks {
		_ = h.Step(1.0 / 60) // a system that fails
	}
	got, all := map[string]scripting.SystemRan{}, scripting.Ran{}
	kernels, vm := uint64(0), uint64(0)
	for _, r := range h.Ran() {
		got[r.System] = r
		own := r.Own()
		all.Kernel.Add(own.Kernel)
		all.VM.Add(own.VM)
		all.Foreign.Add(own.Foreign)
		if r.Called {
			kernels, vm = kernels+r.Kernel.Rows, vm+r.VM.Rows
		}
	}
	for system, want := range map[string][3]uint64{
		"run": {3 * n * ticks, 0, 0}, "on": {n * hits * 5 / 6, n*hits/6 + hits, n * hits / 6},
		"when": {n * ticks, 0, 0}, "timer run": {0, 0, 0},
	} {
		r := got[system]
		if now := [3]uint64{r.Kernel.Rows, r.VM.Rows, r.Foreign.Calls}; now != want {
			t.Errorf("%s: rows and calls of the host %v, want %v", system, now, want)
		}
	}
	if r := got["run"]; r.Kernel.Time < 3*r.VM.Time || r.VM.Calls != ticks {
		t.Errorf("run: the kernel has computed for %v, the VM for %v in %d calls", r.Kernel.Time, r.VM.Time, r.VM.Calls)
	}
	if r := got["fails"]; r.Kernel.Rows == 0 || r.Kernel.Rows%n != 0 {
		t.Errorf("fails: %d rows by the kernel", r.Kernel.Rows)
	}
	if own := got["batch"].Own(); own.VM.Rows != n*ticks || own.Kernel.Rows != 0 || got["batch"].Kernel.Rows != n*own.VM.Calls {
		t.Errorf("batch: %+v", got["batch"])
	}
	if all.Kernel.Rows != kernels || all.VM.Rows != vm+n*ticks+hits || all.Foreign.Calls != n*hits/6 {
		t.Errorf("in all %+v; %d and %d rows of kernels", all, kernels, vm)
	}
	rows := uint64(0)
	for _, u := range h.Usage() {
		rows += u.Rows
	}
	if rows != all.Kernel.Rows+all.VM.Rows {
		t.Errorf("%d rows by Usage, %d by Ran", rows, all.Kernel.Rows+all.VM.Rows)
	}
}

// TestConditionsAreInTheRecord: what a when function calls, a kernel and functions of the host, is in the record of its
// system, and takes no time from what the system does itself.
func TestConditionsAreInTheRecord(t *testing.T) {
	sideBySide(t)
	const n, ticks = 1200, 25
	w := ecs.NewWorld()
	defer w.Close()
	p := ecs.Register[point](w, ecs.Named("P"))
	for i := range n {
		w.Spawn(p.With(point{X: float64(i)}))
	}
	h := newHost(t, w, scripting.Options{OnKernel: func(scripting.KernelStatus) {}})
	defer h.Close()
	if err := h.Expose("add", func(x float64) float64 { return x + 1 }); err != nil {
		t.Fatal(err)
	}
	text := `
local ecs = require 'ecs'
local P, host = ecs.native('P'), require 'host'
local E = ecs.event('E', {})
local text = ''
local k = ecs.kernel('k', { P }, function(e, p) for i = 1, 100 do p.y = math.sin(p.y + i) end end)
local mixed = ecs.kernel('mixed', { P }, function(e, p) if p.x % 6 == 0 then text = 'x' .. host.add(p.x) end p.y = p.y + 1 end)
local function busy() local s = 0 for i = 1, 100000 do s = s + i % 3 end end
local function each() for i = 1, 100 do local t = { i } end end
ecs.system 'feed' { run = function() ecs.emit(E) end }
ecs.system 'refused' { query = { P }, when = function() mixed() host.add(1) return false end, each = function(e, p) end }
`
	for kind, options := range map[string]string{
		"run": `run = busy`, "batch": `query = { P }, batch = busy`, "on": `phase = "render", on = E, each = busy`,
		"each": `query = { P }, kernel = "off", each = each`,
	} {
		text += fmt.Sprintf("ecs.system 'alone %[1]s' { %[2]s }\necs.system 'asks %[1]s' { when = function() k() return true end, %[2]s }\n", kind, options)
	}
	if err := h.Load(fstest.MapFS{"r.lua": {Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	for range ticks {
		if err := h.StepAll(1.0 / 60); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]scripting.SystemRan{}
	for _, r := range h.Ran() {
		got[r.System] = r
	}
	for system, asks := range got {
		kind, found := strings.CutPrefix(system, "asks ")
		if alone := got["alone "+kind]; found && (asks.VM.Time < alone.VM.Time/4 || asks.VM.Calls != alone.VM.Calls || alone.VM.Calls == 0) {
			t.Errorf("%s alone: %+v, with a kernel in its condition: %+v", kind, alone.Ran, asks.Ran)
		}
	}
	r := got["refused"]
	if own := r.Own(); r.Foreign.Calls != ticks*(n/6+1) || own.Foreign.Calls != ticks || own.VM.Rows+own.VM.Calls+own.Kernel.Rows != 0 || r.VM.Time == 0 {
		t.Errorf("refused: %+v, of its own %+v", r.Ran, own)
	}
	refuseLonger(t, h, w)
}

// refuseLonger fails if the parts of a system's time are together more than its runs took.
func refuseLonger(t *testing.T, h *scripting.Host, w *ecs.World) {
	t.Helper()
	took := map[string]time.Duration{}
	for _, s := range w.Schedule().Stats(nil) {
		took[s.Name] = s.Total
	}
	for _, r := range h.Ran() {
		if all := r.Kernel.Time + r.VM.Time + r.Foreign.Time; !r.Called && all > took[r.System] {
			t.Errorf("%s: its runs took %v, its parts %v: %+v", r.System, took[r.System], all, r.Ran)
		}
	}
}

// TestALongRunStandsForNoOther: one of some short runs is measured for all. Where just that one is held up, in the VM, in a
// kernel's function or in one of the host, the parts of the system are no longer than its runs were.
func TestALongRunStandsForNoOther(t *testing.T) {
	const systems, long = 40, 3 * time.Millisecond
	w := ecs.NewWorld()
	defer w.Close()
	h := newHost(t, w, scripting.Options{OnKernel: func(scripting.KernelStatus) {}})
	defer h.Close()
	for name, fn := range map[string]any{"rest": func() { time.Sleep(long) }, "nap": func(yes bool) {
		if yes {
			time.Sleep(long)
		}
	}} {
		if err := h.Expose(name, fn); err != nil {
			t.Fatal(err)
		}
	}
	text := `
local ecs = require 'ecs'
local host = require 'host'
local U = ecs.component('U', { n = ecs.f64(0) })
local at = 0
ecs.on_start(function() ecs.spawn(U) end)
local k = ecs.kernel('k', { U }, function(e, u) u.n = u.n + 1 if u.n == 1e9 then host.rest() end end)
local slow = ecs.kernel('slow', { U }, function(e, u, ctx) if ctx.tick % 33 == at then host.rest() end end)
`
	for i := range systems {
		text += fmt.Sprintf(`
ecs.system 'run %[1]d' { run = function(ctx) if ctx.tick == %[1]d then host.rest() end end }
ecs.system 'vm %[1]d' { query = { U }, kernel = 'off', each = function(e, u, ctx) if ctx.tick == %[1]d then host.rest() end end }
ecs.system 'mixed %[1]d' { query = { U }, each = function(e, u, ctx) u.n = u.n + 1 if ctx.tick == %[1]d then host.rest() end end }
ecs.system 'host %[1]d' { run = function(ctx) host.nap(ctx.tick == %[1]d) end }
ecs.system 'calls %[1]d' { run = function(ctx) k() if ctx.tick == %[1]d then at = ctx.tick %% 33 slow() end end }
`, i+5)
	}
	if err := h.Load(fstest.MapFS{"r.lua": {Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	for range systems + 20 {
		if err := h.StepAll(1.0 / 60); err != nil {
			t.Fatal(err)
		}
	}
	refuseLonger(t, h, w)
}

// TestASystemThatIsGoneKeepsItsRecord: one that a reload has removed, or given another name, and until its name comes
// again, with which it goes on. A load that was refused leaves no records, and thousands that go leave the last thousand.
func TestASystemThatIsGoneKeepsItsRecord(t *testing.T) {
	const n = 10
	w := ecs.NewWorld()
	defer w.Close()
	p := ecs.Register[point](w, ecs.Named("P"))
	for range n {
		w.Spawn(p.With(point{}))
	}
	h := newHost(t, w, scripting.Options{OnKernel: func(scripting.KernelStatus) {}, OnReload: func(scripting.Reload) {}})
	defer h.Close()
	folder := fstest.MapFS{}
	system := func(name string) string {
		return "ecs.system '" + name + "' { query = { P }, each = function(e, p) p.y = p.y + 1 end }\n"
	}
	const head = "local ecs = require 'ecs'\nlocal P = ecs.native('P')\n"
	write := func(text string) {
		folder["r.lua"] = &fstest.MapFile{Data: []byte(head + text)}
		h.Stage([]string{"r.lua"}, nil)
		if err := h.Step(1.0 / 60); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want ...string) {
		t.Helper()
		var got []string
		for _, r := range h.Ran() {
			got = append(got, fmt.Sprint(r.Script, " ", r.System, " ", r.Kernel.Rows+r.VM.Rows, " ", r.Gone))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	folder["r.lua"] = &fstest.MapFile{Data: []byte(head + system("a") + system("b"))}
	if err := h.Load(folder); err != nil {
		t.Fatal(err)
	}
	write(system("a") + system("b") + "-- 2")
	check("r.lua a 10 false", "r.lua b 10 false")
	write(system("a") + system("c"))
	check("r.lua a 20 false", "r.lua b 10 true", "r.lua c 10 false")
	write(system("d") + system("c") + "ecs.system 'wrong' {}")
	check("r.lua a 30 false", "r.lua b 10 true", "r.lua c 20 false")
	write(system("b"))
	check("r.lua a 30 true", "r.lua b 20 false", "r.lua c 20 true")
	for at := range 3 {
		var many strings.Builder
		for i := range 400 {
			many.WriteString(system(fmt.Sprint("s", at, ".", i)))
		}
		write(many.String())
	}
	gone := map[string]bool{}
	for _, r := range h.Ran() {
		if r.Gone {
			gone[r.System] = true
		}
	}
	if len(gone) != 803 || !gone["a"] || !gone["s0.0"] || gone["s2.0"] {
		t.Errorf("%d records of systems that are gone", len(gone))
	}
	write(system("one"))
	gone = map[string]bool{}
	for _, r := range h.Ran() {
		if r.Gone {
			gone[r.System] = true
		}
	}
	if len(gone) != 1000 || gone["a"] || !gone["s2.399"] {
		t.Errorf("%d records of systems that are gone, want the last 1000", len(gone))
	}
}
