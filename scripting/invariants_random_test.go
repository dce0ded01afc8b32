package scripting_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// heater is a component of the program that scripts write too.
type heater struct {
	Heat float64
	Most float32
	Mode uint8 `ecs:"mode,enum=off|low|high"`
}

// heatWriters are systems that write the same values in different ways: rows of the VM, compiled rows, batches,
// ecs.set, commands. Each is one line of a script.
var heatWriters = []string{
	`ecs.system "rows" { query = { Heater }, kernel = "off", each = function(e, h) h.heat = h.heat + (e % 7) - 2.5 end }`,
	`ecs.system "kernel" { query = { Heater }, each = function(e, h) h.heat = h.heat * -1.5 end }`,
	`ecs.system "batch" { query = { Heater }, batch = function(b) local h = b:write(Heater, "heat") for i = 1, b.n do h[i] = h[i] + i % 5 - 2 end end }`,
	`ecs.system "column" { query = { Heater }, batch = function(b) b:col(Heater, "most"):sub(0.5) end }`,
	`ecs.system "set" { query = { Heater }, each = function(e, h) if e % 3 == 0 then ecs.set(e, Heater { most = h.most + 1 }) end end }`,
	`ecs.system "mode" { query = { Heater }, each = function(e, h) if e % 2 == 0 then h.mode = "high" elseif h.mode == "off" then h.mode = "low" else h.mode = "off" end end }`,
	`ecs.system "add" { run = function() local e = ecs.spawn(Heater { heat = 9 }, Fuel { left = -1 }) ecs.remove(e, Fuel) ecs.add(e, Fuel { left = 3 }) end }`,
	`ecs.system "fuel" { query = { Fuel, Heater }, each = function(e, f, h) f.left = h.heat - 1 end }`,
	`ecs.system "fails" { query = { Heater }, kernel = "off", each = function(e, h) h.heat = 1000 error("undone") end }`,
	`ecs.system "nan" { query = { Heater }, every = 2, each = function(e, h) if e % 5 == 0 then h.heat = 0 / 0 end end }`,
	`ecs.system "dies" { query = { Heater }, each = function(e, h) if h.most > 6 then ecs.despawn(e) end end }`,
}

// TestInvariantsOfEveryWriter: whatever writes, the end of a tick reports exactly what a model finds
// that looks at each entity.
func TestInvariantsOfEveryWriter(t *testing.T) {
	reported := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		lines := []string{`local ecs = require "ecs"`, `local Heater = ecs.native("Heater")`,
			`local Fuel = ecs.component("Fuel", { left = ecs.f32(1, { min = 0, max = 8 }) }, { sparse = ` + fmt.Sprint(seed%2 == 0) + `, invariant = "left <= Heater.most" })`}
		for _, i := range r.Perm(len(heatWriters))[:2+r.IntN(len(heatWriters)-2)] {
			lines = append(lines, heatWriters[i])
		}
		w, err := ecs.Open(ecs.Options{MaxViolations: 1000})
		if err != nil {
			t.Fatal(err)
		}
		heaters := ecs.Register[heater](w, ecs.Named("Heater"), ecs.Range("heat", -5, 5), ecs.Constraint("heat <= most"),
			ecs.Transitions("mode", map[string][]string{"off": {"low"}, "low": {"high", "off"}, "high": {"low"}}))
		host, err := scripting.New(w, scripting.Options{NoKernels: seed%3 == 0, OnError: func(e *scripting.Error) {
			if !errors.Is(e, ecs.ErrInvariant) && !strings.Contains(e.Message, "undone") {
				t.Errorf("seed %d: %v", seed, e)
			}
		}, OnKernel: func(scripting.KernelStatus) {}})
		if err != nil {
			t.Fatal(err)
		}
		if err := host.Load(fstest.MapFS{"heat.lua": {Data: []byte(strings.Join(lines, "\n"))}}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, strings.Join(lines, "\n"))
		}
		for i := range 20 {
			w.Spawn(heaters.With(heater{Heat: float64(i%9) - 4, Most: float32(i % 7)}))
		}
		var got map[string]bool
		if _, err := w.Schedule().OnViolation(func(v *ecs.Violation) {
			key := fmt.Sprintf("%s: %v", v.Text, v.Entity)
			if got[key] {
				t.Errorf("seed %d: %s twice", seed, key)
			}
			got[key] = true
		}); err != nil {
			t.Fatal(err)
		}
		modes := map[ecs.Entity]uint8{}
		for tick := range 12 {
			got = map[string]bool{}
			raw := w.Raw()
			fuel, _ := raw.ComponentNamed("Fuel")
			for e := range w.Entities() { // so that the report is of all rows
				raw.Touch(e, heaters.ID())
				raw.Touch(e, fuel)
			}
			if err := host.Step(1.0 / 60); err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{}
			now := map[ecs.Entity]uint8{}
			for e := range w.Entities() {
				h, warm := heaters.Get(e)
				breaks := func(text string, holds bool) {
					if !holds {
						want[fmt.Sprintf("%s: %v", text, e)] = true
					}
				}
				if p := raw.Pointer(e, fuel); p != nil {
					left := ecs.F32.Load(p)
					breaks("0 <= left <= 8", left >= 0 && left <= 8)
					breaks("left <= Heater.most", !warm || left <= float64(h.Most))
				}
				if !warm {
					continue
				}
				breaks("-5 <= heat <= 5", h.Heat >= -5 && h.Heat <= 5)
				breaks("heat <= most", h.Heat <= float64(h.Most))
				was, known := modes[e]
				breaks("mode: high -> low; low -> high, off; off -> low", !known || was == h.Mode || slices.Contains([][]uint8{{1}, {0, 2}, {1}}[was], h.Mode))
				now[e] = h.Mode
			}
			if modes = now; !maps.Equal(got, want) {
				t.Fatalf("seed %d, tick %d:\n%s\ngot %v\nwant %v", seed, tick, strings.Join(lines, "\n"), got, want)
			}
			reported += len(got)
			if err := w.Check(); err != nil {
				t.Fatal(err)
			}
		}
		host.Close()
		w.Close()
	}
	t.Logf("%d violations", reported)
	if reported < 1000 {
		t.Errorf("only %d violations", reported)
	}
}
