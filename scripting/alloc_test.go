//go:build !race && !ecsdebug

package scripting_test

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// frugalText is what systems that leave no garbage share. Entities of Short live
// for three ticks, so that as many come as go.
const frugalText = `
local Short = ecs.component("Short", { age = ecs.f64(0) })
local Gear = ecs.component("Gear", { a = ecs.f64(5), b = ecs.f32(1) })
local Heat = ecs.component("Heat", { t = ecs.f64(1), u = ecs.f64(1) }, { sparse = true })
local Mark = ecs.tag("Mark")
local Hit = ecs.event("Hit", { target = ecs.entity(), amount = ecs.f32(1) })
local shot = ecs.prefab("shot", { Short { age = 1 }, V { x = 3 } })
local tuning = { speed = 2, drag = { air = 0.5 } }
local total, most, busy = 0, 0, false
local twice = function(x) return x * 2 end
ecs.on_start(function() for i = 1, 40 do ecs.spawn(P { x = i }, V { x = 1, y = i }, Gear, Heat) end end)
`

// frugal are systems that leave no garbage once they are warm; with functions on the
// VM next to none, a few bytes for the numbers of ctx.
var frugal = []struct{ name, text string }{
	{"each", `ecs.system "s" { query = { P, V }, kernel = "require", each = function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt end }`},
	{"each with results", `ecs.system "s" { query = { P, V }, kernel = "require", each = function(e, p, v) p.x = twice(p.x) / 2 + v.x end }`},
	{"no row changes", `ecs.system "s" { query = { P, V }, kernel = "require", each = function(e, p, v) if v.x > 100 then p.x = 0 end end }`},
	{"optional", `ecs.system "s" { query = { P, optional = { Mark, Gear } }, kernel = "require", each = function(e, p, mark, gear) if gear then p.x = p.x + gear.a end end }`},
	{"loops", `ecs.system "s" { query = { P }, kernel = "require", each = function(e, p) local n = 0 while n < p.x do n = n + 7 end p.y = n end }`},
	{"randomness", `ecs.system "s" { query = { P }, kernel = "require", each = function(e, p) p.y = ecs.random() + math.random(6) end }`},
	{"a pool", `ecs.system "s" { query = { P, Heat }, kernel = "require", each = function(e, p, heat) heat.t = heat.t + p.x end }`},
	{"changed", `ecs.system "s" { query = { P, V, changed = { P } }, kernel = "require", each = function(e, p, v) p.x = p.x + v.x end }`},
	{"spawn and despawn", `
ecs.system "a" { query = { P }, kernel = "require", each = function(e, p) ecs.spawn(shot, P { x = p.x }) end, enabled = false }
ecs.system "b" { query = { P, without = { Short } }, kernel = "require", each = function(e, p) ecs.spawn(shot) end }
ecs.system "c" { query = { Short }, kernel = "require", each = function(e, s) s.age = s.age + 1 if s.age > 3 then ecs.despawn(e) end end }`},
	{"emit", `ecs.system "s" { query = { P }, kernel = "require", each = function(e, p) if p.x > 20 then ecs.emit(Hit { target = e, amount = p.y }) end end }`},
	{"add and remove", `
ecs.system "a" { query = { P, without = { Mark } }, kernel = "require", each = function(e, p) ecs.add(e, Mark) end }
ecs.system "b" { query = { P, Mark }, kernel = "require", each = function(e, p) ecs.remove(e, Mark) end }`},
	{"add a value", `
ecs.system "a" { query = { P, without = { Short } }, kernel = "require", each = function(e, p) ecs.add(e, Short { age = p.x }) end }
ecs.system "b" { query = { P, Short }, kernel = "require", each = function(e, p) ecs.remove(e, Short) end }`},
	{"set", `ecs.system "s" { query = { P }, kernel = "require", each = function(e, p) ecs.set(e, V { x = p.x }) end }`},
	{"other entities", `ecs.system "s" { query = { P }, kernel = "require", each = function(e, p)
  local g, h = ecs.get(e, Gear), ecs.get(e, Heat)
  if g and h and ecs.has(e, V) and ecs.alive(e) and not ecs.parent(e) then p.x = p.x + g.a + h.t end end }`},
	{"uniforms", `ecs.system "s" { query = { P }, kernel = "require", each = function(e, p) p.x = p.x + tuning.speed * tuning.drag.air end }`},
	{"variables", `ecs.system "s" { query = { P }, kernel = "require", each = function(e, p) total = total + p.x most = math.max(most, p.y) busy = p.x > 3 end }`},
	{"a table's fields", `ecs.system "s" { query = { P }, kernel = "require", each = function(e, p) tuning.speed = tuning.speed + p.x end }`},
	{"when", `ecs.system "s" { query = { P }, kernel = "require", when = function(ctx) return true end, each = function(e, p) p.x = p.x + 1 end }`},
	{"Lua", `ecs.system "s" { query = { P, V }, kernel = "off", each = function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt end }`},
	{"columns of a batch", `ecs.system "s" { query = { P, V }, batch = function(b, ctx)
  local x, y = b:write(P, "x"), b:write(P, "y")
  local vx, vy, dt = b:read(V, "x"), b:read(V, "y"), ctx.dt
  for i = 1, b.n do x[i], y[i] = x[i] + vx[i] * dt, y[i] + vy[i] * dt end
end }`},
	{"run", `ecs.system "s" { run = function(ctx) total = ctx.dt end }`},
	{"call", `
local move = ecs.kernel({ P, V }, function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt end, { kernel = "require" })
ecs.system "s" { run = function() move() move() end }`},
	{"call in a batch", `
local move = ecs.kernel({ P, V }, function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt end, { kernel = "require" })
ecs.system "s" { query = { P, V }, batch = function() move() end }`},
	{"called by the host", `ecs.kernel("move", { P, V }, function(e, p, v, ctx) p.x = p.x + v.x * ctx.dt end, { kernel = "require" })`},
}

// TestNothingIsAllocatedInASteadyTick: a tick of kernels leaves no garbage, with
// one goroutine and with three, over few rows and over many. Builds that look for
// faults allocate on their own account.
func TestNothingIsAllocatedInASteadyTick(t *testing.T) {
	for _, workers := range []int{1, 3} {
		for _, rows := range []int{0, 2000} {
			for _, c := range frugal {
				t.Run(fmt.Sprintf("%s/%d workers/%d rows", c.name, workers, rows), func(t *testing.T) {
					r := frugalRig(t, c.name, c.text, workers, rows)
					for range 200 {
						r.tick()
					}
					if n := testing.AllocsPerRun(100, r.tick); n != 0 {
						t.Errorf("%v allocations in a tick", n)
					}
				})
			}
		}
	}
}

// tick is a step in which nothing fails.
func (r *game) tick() {
	if err := r.host.StepAll(1.0 / 64); err != nil {
		r.Fatal(err)
	}
}

func frugalRig(t *testing.T, name, text string, workers, rows int) *game {
	r := newGameOf(t, ecs.Options{Workers: workers}, scripting.Limits{Commands: 1 << 20, TickCommands: 1 << 22, Spawned: 1 << 20, TickSpawned: 1 << 22})
	p, v := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
	for i := range rows {
		r.world.Spawn(p.With(Position{X: float64(i)}), v.With(Velocity{X: 1}))
	}
	if name == "called by the host" {
		err := r.world.Schedule().Add(ecs.System{Name: "go", Run: func(t *ecs.Tick) error { return r.host.RunKernel(t, "move") }})
		if err != nil {
			t.Fatal(err)
		}
	}
	r.write("a.lua", frugalText+text)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	return r
}
