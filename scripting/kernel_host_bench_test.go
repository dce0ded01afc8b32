package scripting_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// outsideText is a system over units that know another one.
const outsideText = `
local ecs = require "ecs"
local Unit = ecs.component("Unit", { x = ecs.f64(0), mate = ecs.entity(), n = ecs.i32(0) })
local Gear = ecs.component("Gear", { a = ecs.f64(5) })
local Heat = ecs.component("Heat", { t = ecs.f32(1) }, { sparse = true })
local Hit = ecs.event("Hit", { target = ecs.entity(), amount = ecs.f32(1) })
ecs.on_start(function()
  local last = 0
  for i = 1, 10000 do last = ecs.spawn(Unit { mate = last }, Gear, Heat) end
end)
ecs.system "s" { query = { Unit }, kernel = "require", each = function(e, u) %s end }
`

// BenchmarkKernelOutside measures one question or change per row over 10,000
// rows. Subtract the first for what one costs.
func BenchmarkKernelOutside(b *testing.B) {
	for _, c := range []struct{ name, body string }{
		{"nothing", "u.x = u.x + u.mate"},
		{"alive", "if ecs.alive(u.mate) then u.x = u.x + 1 end"},
		{"has", "if ecs.has(u.mate or 0, Gear) then u.x = u.x + 1 end"},
		{"get", "local g = ecs.get(u.mate, Gear) if g then u.x = u.x + g.a end"},
		{"get from a pool", "local h = ecs.get(u.mate, Heat) if h then u.x = u.x + h.t end"},
		{"parent", "if ecs.parent(e) then u.x = u.x + 1 end"},
		{"emit", "ecs.emit(Hit { target = e, amount = u.x })"},
		{"set", "ecs.set(e, Gear { a = u.x })"},
		{"add", "ecs.add(e, Gear { a = u.x })"},
		{"remove", "ecs.remove(e, Gear)"},
	} {
		b.Run(c.name, func(b *testing.B) { benchOutside(b, c.body) })
	}
}

func benchOutside(b *testing.B, body string) {
	w, err := ecs.Open(ecs.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	h := newHost(b, w, scripting.Options{
		Limits: scripting.Limits{Commands: 1 << 20, TickCommands: 1 << 20},
	})
	defer h.Close()
	if err := h.Load(fstest.MapFS{"bench.lua": {Data: fmt.Appendf(nil, outsideText, body)}}); err != nil {
		b.Fatal(err)
	}
	step := func() {
		if err := h.StepAll(1.0 / 60); err != nil {
			b.Fatal(err)
		}
	}
	step()
	b.ReportAllocs()
	for b.Loop() {
		step()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/entity")
}

// BenchmarkKernelArchetypes measures what a chunk costs: a thousand archetypes
// of one entity each.
func BenchmarkKernelArchetypes(b *testing.B) {
	const archetypes = 1000
	w, err := ecs.Open(ecs.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	p, v := ecs.Register[point](w, ecs.Named("P")), ecs.Register[point32](w, ecs.Named("V"))
	var tags []ecs.ComponentID
	for i := range 10 {
		id, err := w.Raw().Define(ecs.Schema{Name: fmt.Sprintf("T%d", i)}, false)
		if err != nil {
			b.Fatal(err)
		}
		tags = append(tags, id)
	}
	for i := range archetypes {
		values := []ecs.Value{p.With(point{}), v.With(point32{1, 1})}
		for k, id := range tags {
			if i>>k&1 == 1 {
				values = append(values, w.Raw().ValueAt(id, nil))
			}
		}
		w.Spawn(values...)
	}
	h := newHost(b, w, scripting.Options{})
	defer h.Close()
	text := "local ecs = require 'ecs'\nlocal P, V = ecs.native('P'), ecs.native('V')\n" +
		"ecs.system 's' { query = { P, V }, kernel = 'require', each = function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt end }"
	if err := h.Load(fstest.MapFS{"bench.lua": {Data: []byte(text)}}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ReportMetric(float64(leastStep(b, h).Nanoseconds())/archetypes, "ns/archetype")
}
