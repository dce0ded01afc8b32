package scripting_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/testmain"
	"github.com/perigee-ecs/perigee/scripting"
)

// crowd is a script with rows entities, and a system over them.
const crowd = `
local ecs = require "ecs"
local Unit = ecs.component("Unit", { x = ecs.f64(0), mate = ecs.entity(), n = ecs.i32(0), y = ecs.f64(3) })
local Gear = ecs.component("Gear", { a = ecs.f64(5), b = ecs.u8(1) })
local Red = ecs.tag("Red")
local Hit = ecs.event("Hit", { target = ecs.entity(), amount = ecs.f64(1), kind = ecs.enum("soft", "hard"), n = ecs.i16(0) })
local Bolt = ecs.prefab("Bolt", { Red })
local heard, sum = 0, 0
ecs.on_start(function()
  local last = 0
  for i = 1, %d do last = ecs.spawn(Unit { mate = last, n = i, x = i }, Gear) end
end)
ecs.system "hits" { phase = "render", on = Hit, each = function(h) heard = heard + 1 sum = sum * 1.0001 + h.amount + h.n end }
ecs.system "report" { phase = "debug", run = function() ecs.log(string.format("%%d %%.17g", heard, sum)) end }
ecs.system "s" { query = { Unit }, kernel = %q, each = function(e, u)
  %s
end }
`

// crowded plays a crowd for some ticks and returns what can be seen of it.
func crowded(t *testing.T, rows int, mode, body string, limits scripting.Limits) string {
	t.Helper()
	seen := witnessed(t, 0, fmt.Appendf(nil, crowd, 0, mode, body), limits, 3, func(w *ecs.World, ticks int) {
		if ticks == 0 {
			gather(w, rows)
		}
	})
	return strings.ReplaceAll(seen, fmt.Sprintf("%q", mode), "MODE")
}

// gather makes the entities of a crowd without the script, whose limits may be below
// what it would take.
func gather(w *ecs.World, rows int) {
	unit, _ := w.Raw().ComponentNamed("Unit")
	gear, _ := w.Raw().ComponentNamed("Gear")
	last := ecs.Entity(0)
	for i := range rows {
		var values []float64 // in the order of the fields
		for _, f := range w.Raw().Schema(unit).Fields {
			values = append(values, map[string]float64{"x": float64(i + 1), "mate": float64(last), "n": float64(i + 1), "y": 3}[f.Name])
		}
		last = w.Spawn(w.Raw().ValueAt(unit, nil), w.Raw().ValueAt(gear, nil))
		put(w, last, unit, values...)
	}
}

// witnessed plays a script in a world of its own and returns what can be seen of
// it: lines of the log, errors, and the world after each tick. It calls then after
// loading and after each tick, with how many there were.
func witnessed(t testing.TB, workers int, text []byte, limits scripting.Limits, ticks int, then func(w *ecs.World, ticks int)) string {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Tag: 4, Seed: 9, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var lines []string
	h := newHost(t, w, scripting.Options{
		Logger: slog.New(&logbook{lines: &lines}), OnError: func(*scripting.Error) {}, OnKernel: func(scripting.KernelStatus) {}, Limits: limits,
	})
	defer h.Close()
	if err := h.Load(fstest.MapFS{"k.lua": {Data: text}}); err != nil {
		t.Fatal(err)
	}
	then(w, 0)
	for i := range ticks {
		lines = append(lines, split(h.StepAll(0.25))...)
		lines = append(lines, fmt.Sprintf("%016x, %d alive", checksum(w), w.Len()))
		then(w, i+1)
	}
	if err := w.Check(); err != nil {
		t.Error(err)
	}
	return strings.Join(lines, "\n")
}

// TestChangesBeyondTheRoomForThem: kernels that note more than their room holds,
// or than the limits of commands and spawned entities leave, change the same
// things in the same order as Lua, and fail at the same row in the same words.
func TestChangesBeyondTheRoomForThem(t *testing.T) {
	testmain.OneGoroutine(t)
	many := scripting.Limits{Commands: 1 << 20, TickCommands: 1 << 20, Spawned: 1 << 20, TickSpawned: 1 << 20}
	for _, c := range []struct {
		name, body string
		limits     scripting.Limits
	}{
		{"more in all than there is room for", "for i = 1, 8 do ecs.emit(Hit { target = e, amount = i * u.x, kind = 'hard', n = i }) end", many},
		{"more in one row than there is room for", "if u.n % 100 == 7 then for i = 1, 3000 do ecs.emit(Hit { amount = i + u.x, n = i % 9 }) end end u.x = u.x + 1", many},
		{"rows that fail between others", "ecs.emit(Hit { amount = u.x }) if u.n % 50 == 3 then u.n = 0.5 end ecs.set(e, Gear { b = u.n % 300 })", many},
		{"changes and the fuel of loops", "local k = 0 while k < u.n % 40 do k = k + 1 end ecs.add(e, Gear { a = k }) ecs.remove(e, Red)", many},
		{"just enough for all, so that nothing is kept for the undo", "u.x = u.x + 1 ecs.emit(Hit { target = e, amount = u.x })", scripting.Limits{Commands: 3000, TickCommands: 1 << 20}},
		{"one too few", "u.x = u.x + 1 ecs.emit(Hit { target = e, amount = u.x })", scripting.Limits{Commands: 2999, TickCommands: 1 << 20}},
		{"so few that the whole tick is undone", "u.x = u.x + 1 ecs.emit(Hit { target = e, amount = u.x })", scripting.Limits{Commands: 2900, TickCommands: 1 << 20}},
		{"too few if all rows did it", "u.x = u.x + 1 if u.n % 2 == 0 then ecs.remove(e, Red, Gear) end", scripting.Limits{Commands: 2900, TickCommands: 1 << 20}},
		{"two commands for each", "u.y = u.y - 1 ecs.set(e, Gear { b = 1 }, Unit { x = u.y, n = 7 })", scripting.Limits{Commands: 5900, TickCommands: 1 << 20}},
		{"too few of the tick", "u.x = u.x + 1 ecs.add(e, Gear { a = u.y })", scripting.Limits{Commands: 1 << 17, TickCommands: 2900}},
		{"too few entities", "u.x = u.x + 1 ecs.spawn(Bolt, Gear { a = u.x })", scripting.Limits{Commands: 1 << 20, Spawned: 2900, TickSpawned: 1 << 20}},
		{"the limit of a system", "ecs.emit(Hit { amount = u.x }) ecs.add(e, Red)", scripting.Limits{Commands: 777}},
		{"the limit of a tick", "ecs.emit(Hit { amount = u.x }) ecs.set(e, Gear { a = 1 })", scripting.Limits{Commands: 5000, TickCommands: 901}},
		{"a limit below what one row needs", "ecs.add(e, Red, Gear { a = 1 }) ecs.remove(e, Red, Gear)", scripting.Limits{Commands: 3}},
		{"the limit of spawned entities", "if u.n % 2 == 0 then ecs.spawn(Bolt, Gear { a = u.x }) end", scripting.Limits{Spawned: 3200}},
		{"that of a tick", "ecs.spawn(Bolt) ecs.spawn(Gear { b = u.n % 250 })", scripting.Limits{Spawned: 1 << 20, TickSpawned: 3100}},
	} {
		c.limits.Commands = max(c.limits.Commands, 1)
		if strings.Contains(c.name, "spawned") || strings.Contains(c.name, "that of") {
			c.limits.Commands = 1 << 20
		}
		c.limits.TickCommands = max(c.limits.TickCommands, 900)
		c.limits.Time = time.Minute // a slow machine must not end differently
		const rows = 3000
		vm, kernel := crowded(t, rows, "off", c.body, c.limits), crowded(t, rows, "require", c.body, c.limits)
		if vm != kernel {
			t.Errorf("%s: %s\n%s", c.name, c.body, firstDifference(vm, kernel))
		}
	}
}

// TestWorldsThatAreFull: spawns that a kernel notes while there is room for some
// of them only.
func TestWorldsThatAreFull(t *testing.T) {
	play := func(mode string) string {
		w, err := ecs.Open(ecs.Options{Tag: 4, MaxEntities: 400})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		h := newHost(t, w, scripting.Options{OnError: func(*scripting.Error) {}})
		defer h.Close()
		text := fmt.Appendf(nil, crowd, 300, mode, "ecs.spawn(Bolt) u.x = u.x + 1")
		if err := h.Load(fstest.MapFS{"k.lua": {Data: text}}); err != nil {
			t.Fatal(err)
		}
		seen := ""
		for range 3 {
			seen += fmt.Sprintf("%v, %016x, %d alive\n", h.StepAll(0.25), checksum(w), w.Len())
		}
		return seen
	}
	if vm, kernel := play("off"), play("require"); vm != kernel {
		t.Errorf("%s", firstDifference(vm, kernel))
	}
}

// TestKernelsAllocateNothingForRows: neither what they read of others nor the
// changes that they make cost memory of Go's, once buffers have their size. That
// is how we know that the rows did not go to Lua, too.
func TestKernelsAllocateNothingForRows(t *testing.T) {
	for _, body := range []string{
		"if ecs.alive(u.mate) and ecs.has(u.mate, Gear) then u.x = ecs.get(u.mate, Gear).a end",
		"local m = ecs.get(u.mate, Unit) if m then u.x = m.x + ecs.random() end heard = heard + 0",
		"ecs.emit(Hit { target = e, amount = u.x })",
		"ecs.set(e, Gear { a = u.x, b = 3 })",
		"ecs.set(e, Unit { x = 1, y = u.x }, Gear { b = 3 })",
		"ecs.add(e, Gear { a = u.x }, Red) ecs.remove(e, Red)",
		"if u.n < 0 then ecs.spawn(Bolt, Gear { a = 1 }) end",
		"for i = 1, 3 do ecs.emit(Hit { amount = i }) end",
	} {
		w, err := ecs.Open(ecs.Options{Tag: 4})
		if err != nil {
			t.Fatal(err)
		}
		h := newHost(t, w, scripting.Options{Limits: scripting.Limits{Commands: 1 << 20, TickCommands: 1 << 20}})
		text := strings.ReplaceAll(crowd, `phase = "render", on`, `phase = "render", enabled = false, on`)
		text = strings.ReplaceAll(text, `phase = "debug", run`, `phase = "debug", enabled = false, run`)
		if err := h.Load(fstest.MapFS{"k.lua": {Data: fmt.Appendf(nil, text, 1000, "require", body)}}); err != nil {
			t.Fatal(err)
		}
		step := func() {
			if err := h.StepAll(0.25); err != nil {
				t.Fatal(err)
			}
		}
		step()
		step()
		if n := testing.AllocsPerRun(20, step); n > 60 { // some for each system, none for each of 1,000 rows
			t.Errorf("%s: a tick allocates %v times", body, n)
		}
		h.Close()
		w.Close()
	}
}
