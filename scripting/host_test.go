package scripting

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
)

type Position struct{ X, Y float64 }
type Velocity struct{ X, Y float64 }

func open(t testing.TB, files map[string]string) (*Host, *ecs.World, fstest.MapFS, error) {
	t.Helper()
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	ecs.Register[Position](w)
	ecs.Register[Velocity](w)
	folder := fstest.MapFS{}
	for name, text := range files {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	h, err := New(w, Options{OnError: func(e *Error) { t.Log(e.Detail()) }, OnReload: func(r Reload) { t.Log(r) }})
	if err != nil {
		t.Fatal(err)
	}
	return h, w, folder, h.Load(folder)
}

func TestSmoke(t *testing.T) {
	h, w, folder, err := open(t, map[string]string{
		"main.lua": `
local ecs = require "ecs"
local lib = require "lib.util"
local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")
local Health = ecs.component("Health", { hp = ecs.f32(100), max = ecs.f32(100), team = ecs.enum("red", "blue"), kills = ecs.u8() })
local Frozen = ecs.tag("Frozen")
local Damage = ecs.event("Damage", { target = ecs.entity(), amount = ecs.f32(1) })
local Grunt = ecs.prefab("Grunt", { Position, Velocity { x = 1, y = 2 }, Health { hp = 50 }, children = { { Position { x = 3 } } } })
local state = ecs.state("game", { n = 0 })
ecs.on_start(function(ctx)
  local list = ecs.spawn_many(100, Grunt, function(i) return Position { x = i } end)
  ecs.after(0.5, "boom", { n = 5 })
end)
ecs.handler("boom", function(data, ctx)
  state.n = state.n + data.n
  ecs.log("boom", data.n, ctx.time)
  for e in ecs.entities { Health } do ecs.emit(Damage { target = e, amount = data.n }) end
end)
ecs.system "move" { phase = "physics", query = { Position, Velocity },
  each = function(e, p, v, ctx)
    p.x = p.x + v.x * ctx.dt
    p.y = p.y + v.y * ctx.dt
    if p.x > 1000 then v.x = -v.x end
  end }
ecs.system "regen" { query = { Health, without = { Frozen } }, every = 0.25,
  batch = function(b, ctx)
    local hp, team = b:write(Health, "hp"), b:read(Health, "team")
    for i = 1, b.n do hp[i] = lib.clamp(hp[i] + 1) end
    b:col(Health, "max"):add(1):clamp(0, 150)
  end }
ecs.system "damage" { on = Damage, after = { "regen" }, each = function(ev, ctx)
  ecs.set(ev.target, Health { hp = ecs.get(ev.target, Health, "hp") - ev.amount })
end }
ecs.on_set(Health, function(e, h, ctx) if h.hp < 10 then ecs.despawn(e) end end)
`,
		"lib/util.lua": `return { clamp = function(x) return math.min(x, 100) end }`,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 120 {
		if err := h.Step(1.0 / 60); err != nil {
			t.Fatal(err)
		}
	}
	t.Log(w.Len(), w.Stats().Systems)
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	folder["lib/util.lua"].Data = []byte(`return { clamp = function(x) return math.min(x, 77) end }`)
	h.Stage([]string{"lib/util.lua"}, nil)
	for range 60 {
		if err := h.Step(1.0 / 60); err != nil {
			t.Fatal(err)
		}
	}
	folder["lib/util.lua"].Data = []byte("return {\n  clamp = function(x) return math.min(x, 77)\n}")
	h.Stage([]string{"lib/util.lua"}, nil)
	h.Step(0)
}

func TestProblems(t *testing.T) {
	_, _, _, err := open(t, map[string]string{"a.lua": `
local ecs = require "ecs"
local P = ecs.native("Positon")
local H = ecs.component("Health", { hp = ecs.f32(100), n = ecs.u8(300) })
ecs.system "x" { phaze = "logic", query = { H }, each = function(e, h) h.hpp = 1 end }
ecs.system "y" { phase = "logik", query = { H }, each = function(e, h) h.hp = 1 end, after = { "xx" } }
foo()
`, "b.lua": "local x = = 3"})
	if err == nil {
		t.Fatal("no error")
	}
	t.Log("\n" + err.Error())
	for _, p := range err.(*LoadError).Problems {
		t.Log("\n" + p.Detail())
	}
	if !strings.Contains(err.Error(), "did you mean") {
		t.Fatal()
	}
}

func BenchmarkBounce(b *testing.B) {
	for _, kind := range []string{"each", "batch"} {
		b.Run(kind, func(b *testing.B) {
			body := map[string]string{"each": `each = function(e, p, v, ctx)
    local x, y = p.x + v.x * ctx.dt, p.y + v.y * ctx.dt
    if x < 0 or x > 1000 then v.x = -v.x end
    if y < 0 or y > 1000 then v.y = -v.y end
    p.x, p.y = x, y
  end`, "batch": `batch = function(b, ctx)
    local px, py = b:write(P, "x"), b:write(P, "y")
    local vx, vy = b:write(V, "x"), b:write(V, "y")
    local dt = ctx.dt
    for i = 1, b.n do
      local dx, dy = vx[i], vy[i]
      local x, y = px[i] + dx * dt, py[i] + dy * dt
      if x < 0 or x > 1000 then vx[i] = -dx end
      if y < 0 or y > 1000 then vy[i] = -dy end
      px[i], py[i] = x, y
    end
  end`}[kind]
			h, w, _, err := open(b, map[string]string{"a.lua": `
local ecs = require "ecs"
local P, V = ecs.native("Position"), ecs.native("Velocity")
ecs.system "s" { query = { P, V }, ` + body + `}`})
			if err != nil {
				b.Fatal(err)
			}
			p, v := ecs.Register[Position](w), ecs.Register[Velocity](w)
			for i := range 10000 {
				w.Spawn(p.With(Position{float64(i % 1000), 5}), v.With(Velocity{1, 2}))
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := h.Step(1.0 / 60); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10000, "ns/entity")
		})
	}
}
