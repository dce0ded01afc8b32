package scripting_test

import (
	"fmt"
	"github.com/perigee-ecs/perigee/scripting"
	"testing"
	"time"
)

// callUses are uses of functions of ecs, where c has a Body and a Grid, e a Body and a Mood; each is the
// body of a loop.
var callUses = []struct{ name, use string }{
	{"empty", ""},
	{"library", "x = floor(i)"},
	{"alive", "x = alive(e)"},
	{"random", "x = random()"},
	{"random of two", "x = random(1, 6)"},
	{"has", "x = has(e, Body)"},
	{"get", "x = get(e, Body)"},
	{"get through ecs", "x = ecs.get(e, Body)"},
	{"get one field", `x = get(e, Body, "x")`},
	{"get an enum", `x = get(e, Mood)`},
	{"get an item of 4096", `x = get(c, Grid, "cells")[77]`},
	{"get an item of all", `x = get(c, Grid).cells[77]`},
	{"parent", "x = parent(e)"},
	{"make", "x = Body { x = i }"},
	{"set", "set(e, Body { x = i })"},
	{"set ready", "set(e, ready)"},
	{"update", "update(e, Body, change)"},
	{"add", "add(e, Body { x = i })"},
	{"remove", "remove(e, Mood)"},
	{"emit", "emit(Hit { amount = i })"},
	{"spawn", "x = spawn(Body { x = i })"},
	{"spawn two", "x = spawn(Body { x = i }, Mood { hp = 3 })"},
	{"spawn ready", "x = spawn(ready)"},
	{"spawn and despawn", "despawn(spawn(ready))"},
	{"entities, left at once", "for y in entities(Crowd) do x = y break end"},
	{"state read", "x = saved.n"},
	{"state write", "saved.n = i"},
	{"state nested", "saved.inner.n = i"},
	{"resource read", "x = score.points"},
	{"resource write", "score.points = i"},
	{"after and cancel", `cancel(after(1, "later"))`},
}

const callScript = `local Body = ecs.component("Body", { x = 0, y = 0, z = 0 })
local Mood = ecs.component("Mood", { hp = ecs.i32(0), mood = ecs.enum("calm", "angry"), target = ecs.entity() })
local Grid = ecs.component("Grid", { cells = ecs.array(ecs.f32(0), 4096) })
local Hit = ecs.event("Hit", { amount = 0 })
local saved, score = ecs.state("saved", { n = 0, inner = { n = 0 } }), ecs.resource("Score")
local Kept = ecs.tag("Kept")
local ready = Body { x = 5 }
local e, c
ecs.handler("later", function() end)
local Crowd = ecs.tag("Crowd")
ecs.on_start(function() ecs.spawn_many(1000, Crowd) e = ecs.spawn(Body { x = 1 }, Mood {}, Kept) c = ecs.spawn(Body, Grid, Kept) end)
local alive, random, has, get, parent, set, update = ecs.alive, ecs.random, ecs.has, ecs.get, ecs.parent, ecs.set, ecs.update
local add, remove, emit, spawn, despawn, spawn_many = ecs.add, ecs.remove, ecs.emit, ecs.spawn, ecs.despawn, ecs.spawn_many
local entities, after, cancel, floor = ecs.entities, ecs.after, ecs.cancel, math.floor
local function change(body) body.x = 1 end
`

// BenchmarkCalls measures uses of functions of ecs, in nanoseconds each with the loop around
// them: the call, and what it does when the commands are applied. The least of all
// steps counts.
func BenchmarkCalls(b *testing.B) {
	const uses = 1000
	system := func(b *testing.B, body string) float64 {
		r := newGame(b, scripting.Limits{Instructions: -1, TickInstructions: -1})
		r.write("a.lua", callScript+`ecs.system "s" { `+body+` }`)
		if err := r.host.Load(r.folder); err != nil {
			b.Fatal(err)
		}
		r.run(1)
		if len(r.reported) > 0 {
			b.Fatal(r.reported[0])
		}
		least, made := time.Hour, r.world.Len()
		for b.Loop() {
			began := time.Now()
			if err := r.host.StepAll(1.0 / 64); err != nil {
				b.Fatal(err)
			}
			least = min(least, time.Since(began))
			if r.world.Len() > made+100*uses {
				clearBodies(b, r)
			}
		}
		return float64(least.Nanoseconds()) / uses
	}
	run := func(b *testing.B, body string) float64 {
		return system(b, "run = function() local x = 0 "+body+" end")
	}
	for _, c := range callUses {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.ReportMetric(run(b, fmt.Sprintf("for i = 1, %d do %s end", uses, c.use)), "ns/use")
		})
	}
	b.Run("spawn_many with a function", func(b *testing.B) {
		b.ReportAllocs()
		b.ReportMetric(run(b, fmt.Sprintf("spawn_many(%d, function(i) return Body { x = i } end)", uses)), "ns/use")
	})
}

// BenchmarkRowsOfLists measures rows that have a list of 4096, in nanoseconds each.
func BenchmarkRowsOfLists(b *testing.B) {
	for name, body := range map[string]string{"read": "x = grid.cells[77]", "through get": "x = get(e, Grid).cells[77]", "write": "grid.cells[77] = x"} {
		b.Run(name, func(b *testing.B) {
			r := newGame(b, scripting.Limits{Instructions: -1, TickInstructions: -1})
			r.write("a.lua", callScript+`local x = 0 ecs.on_start(function() ecs.spawn_many(1000, Grid) end)
ecs.system "s" { query = { Grid }, kernel = "off", each = function(e, grid) `+body+` end }`)
			if err := r.host.Load(r.folder); err != nil {
				b.Fatal(err)
			}
			r.run(1)
			b.ReportMetric(float64(leastStep(b, r.host).Nanoseconds())/1000, "ns/row")
		})
	}
}

// clearBodies despawns what has a Body and is not Kept.
func clearBodies(b *testing.B, r *game) {
	body, _ := r.world.Raw().ComponentNamed("Body")
	kept, _ := r.world.Raw().ComponentNamed("Kept")
	if _, err := r.world.DespawnAll(r.world.Query().With(body).Without(kept)); err != nil {
		b.Fatal(err)
	}
}
