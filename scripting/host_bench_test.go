package scripting_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting"
	lua "github.com/yuin/gopher-lua"
)

// BenchmarkHostCalls measures uses of what a host exposes, in nanoseconds each; "empty" is the
// loop around them. The least of all steps counts.
func BenchmarkHostCalls(b *testing.B) {
	for name, use := range map[string]string{
		"empty": "", "numbers": "x = add(x, 1)", "text": "say(\"a\")", "result of text": "x = named(i, true)", "error": "check(\"a\", 1)", "reflected": "x = mixed(x, 1, true)",
		"field": "x = cell.X", "assigned": "cell.X = 1", "method": "x = cell:Sum()", "item": "x = list[1]",
		"item assigned": "list[1] = i", "entry": "x = map.a", "entry assigned": "map.a = i", "pointer": "x = sum(cell)", "method of a copy": "x = copy:Sum()", "five": "x = five(1, 2, 3, 4, 5)", "with an error": "x = both(1)", "method with single floats": "cell:Scale(1)",
	} {
		b.Run(name, func(b *testing.B) {
			r := newGame(b, scripting.Limits{Instructions: -1, TickInstructions: -1})
			for name, v := range map[string]any{
				"add": func(x, y float64) float64 { return x + y }, "say": func(string) {}, "named": func(n int, yes bool) string { return "name" }, "check": func(string, float64) error { return nil }, "cell": &Cell{1, 2}, "list": []int{1},
				"map": map[string]int{"a": 1}, "sum": func(c *Cell) float64 { return 1 }, "copy": Cell{1, 2}, "five": func(a, b, c, d, e float64) float64 { return e }, "both": func(x float64) (float64, error) { return x, nil },
				"mixed": func(x float64, n int, yes bool) float64 { return x },
			} {
				if err := r.host.Expose(name, v); err != nil {
					b.Fatal(err)
				}
			}
			r.write("a.lua", `local h = require "host" local add, say, cell, list, mixed, named, check = h.add, h.say, h.cell, h.list, h.mixed, h.named, h.check
local map, sum, copy, five, both = h.map, h.sum, h.copy, h.five, h.both
ecs.system "s" { run = function() local x = 0 for i = 1, 1000 do `+use+` end end }`)
			if err := r.host.Load(r.folder); err != nil {
				b.Fatal(err)
			}
			r.run(1)
			b.ReportMetric(float64(leastStep(b, r.host).Nanoseconds())/1000, "ns/use")
		})
	}
}

// liveHeap returns the bytes of Go's heap that are reachable.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkHostMemory measures what a host with 20 small systems holds of Go's heap after
// some ticks, in kilobytes, besides what is there once for all hosts.
func BenchmarkHostMemory(b *testing.B) {
	const hosts = 16
	var games [hosts]*game
	smallSystems(b) // what is made once
	for b.Loop() {
		before := liveHeap() // with the hosts of the iterations before, which are closed at the end
		for i := range games {
			games[i] = smallSystems(b)
		}
		b.ReportMetric(float64(liveHeap()-before)/hosts/1024, "KB/host")
	}
	runtime.KeepAlive(&games)
}

// smallSystems returns a game with the scripts of smallFolder.
func smallSystems(b *testing.B) *game {
	r := newGame(b, scripting.Limits{})
	if err := r.host.Load(smallFolder()); err != nil {
		b.Fatal(err)
	}
	r.run(3)
	return r
}

// smallFolder has 20 files, each of a system with a row function, a function for each tick and a
// helper.
func smallFolder() fstest.MapFS {
	folder := fstest.MapFS{}
	for i := range 20 {
		folder[fmt.Sprintf("s%02d.lua", i)] = &fstest.MapFile{Data: []byte("local ecs = require \"ecs\"\n" + fmt.Sprintf(`-- Moves what has a place.
local Place = ecs.component("Place%[1]d", { x = 0, y = 0, speed = 1 })
local function far(x, y) return math.sqrt(x * x + y * y) > 100 end
local seen = {}
ecs.system "move%[1]d" {
  query = { Place },
  each = function(entity, p, ctx)
    p.x = p.x + p.speed * ctx.dt
    if p.x > 100 then p.x = 0 end
  end,
}
ecs.system "watch%[1]d" {
  run = function(ctx)
    seen[#seen %% 8 + 1] = far(ctx.dt, %[1]d)
    for i, yes in ipairs(seen) do if yes then seen[i] = string.format("%%d", i) end end
  end,
}
`, i))}
	}
	return folder
}

// BenchmarkForeign is what calls of code for gopher-lua cost a script.
func BenchmarkForeign(b *testing.B) {
	state := lua.NewState()
	defer state.Close()
	module := state.NewTable()
	module.RawSetString("x", lua.LNumber(1))
	module.RawSetString("add", state.NewFunction(func(L *lua.LState) int {
		L.Push(L.CheckNumber(1) + L.CheckNumber(2))
		return 1
	}))
	for name, body := range map[string]string{
		"raw": "host.add(i, 2)", "in a table": "mod.add(i, 2)", "field": "local x = mod.x", "store": "mod.x = i",
		"table": "host.read({ x = 1, y = 2 })", "function": "host.call(f)",
	} {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			g := newGame(b, scripting.Limits{Instructions: -1})
			for name, v := range map[string]any{
				"mod": module,
				"add": module.RawGetString("add").(*lua.LFunction).GFunction,
				"read": func(L *lua.LState) int {
					L.Push(L.CheckTable(1).RawGetString("x"))
					return 1
				},
				"call": func(L *lua.LState) int { L.Push(L.Get(1)); L.Call(0, 0); return 0 },
			} {
				if err := g.host.Expose(name, v); err != nil {
					b.Fatal(err)
				}
			}
			g.write("a.lua", `local host = require "host"
local mod, f = host.mod, function() end
ecs.system "s" { run = function() for i = 1, 1000 do `+body+` end end }`)
			if err := g.host.Load(g.folder); err != nil {
				b.Fatal(err)
			}
			g.run(1)
			b.ResetTimer()
			for i := 0; i < b.N; i += 1000 {
				g.run(1)
			}
		})
	}
}
