package scripting_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Frame is a component of the host's with all that nests.
type Frame struct {
	At struct {
		X, Y float64
		Deep struct{ N int16 }
	}
	Slots [4]float32
	Small [3]uint8
	Long  [20]int32
	Mode  uint8 `ecs:"mode,enum=idle|walk|run"`
	Mate  ecs.Entity
}

// helper is the module that the scripts here require.
const helper = `
local sqrt = math.sqrt
local lib = { scale = 1.5, far = { limit = 40 }, on = true }
function lib.toward(x, y, to_x, to_y, length)
  local dx, dy = to_x - x, to_y - y
  local d = sqrt(dx * dx + dy * dy)
  if d == 0 then return 0, 0 end
  return dx * length / d, dy * length / d
end
function lib.maybe(n) if n % 3 == 0 then return nil end return n end
function lib.few(n) if n > 20 then return 1 end return 1, 2 end
function lib.none() end
function lib.scaled(v) return v * lib.scale end
function lib.twice(v) return lib.scaled(v) + lib.scaled(v) end
function lib.age(p, ctx) p.x = p.x + ctx.dt return p.x end
function lib.again(n) if n > 0 then return lib.again(n - 1) end return 0 end
lib.one = function(a) return a + 1 end
lib.two = function(a) return a + 2 end
function lib.endless(n) return lib.endless(n - 1) + 1 end
return lib
`

// stage is the top of the scripts here: entities of many kinds, and what the
// functions capture.
const stage = `
local ecs = require "ecs"
local lib = require "lib"
local Unit = ecs.component("Unit", {
  x = ecs.f64(1), y = ecs.f32(2), hp = ecs.i32(10), n = ecs.u8(3), on = ecs.bool(true),
  mode = ecs.enum("idle", "walk", "run"), mate = ecs.entity(), slots = ecs.array(ecs.f32(1), 4),
})
local Gear = ecs.component("Gear", { a = ecs.f64(5), k = ecs.u16(7), mode = ecs.enum("idle", "walk", "run") })
local Heat = ecs.component("Heat", { t = ecs.f32(1), n = ecs.u8(0) }, { sparse = true })
local Red = ecs.tag("Red")
local Frame = ecs.native("Frame")
local Hit = ecs.event("Hit", { target = ecs.entity(), amount = ecs.f32(1), kind = ecs.enum("soft", "hard"), on = ecs.bool() })
local Bolt = ecs.prefab("Bolt", { Gear { a = 50 }, Heat, children = { { Unit { x = 7 } } } })
local tuning = { speed = 3, deep = { most = 12 }, on = true, name = "walk" }
local count, sum, least, flag, later, word = 0, 0, 1e9, false, 4, "x"
local half = 0.5
local levels, ons, alias = { 10, 20, 30, 40 }, { true, false, true }, tuning
local mixed, words, long = { 1, true }, { "a", "b" }, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 }
local paces, grades = { idle = 0.5, walk = 1.5, run = 4 }, { [0] = 7, 8, 9, [2.5] = 1, [-1] = 2 }
local memory = ecs.state("memory", { total = 0, deep = { most = 1 }, list = { 3, 1, 2 } })
local function bump(n) count = count + n return count end
local function swap(a, b) return b, a end
local made = 0
local spots = {}
for i = 1, 20 do spots[i] = { x = i * 1.5, y = -i, on = i % 3 == 0, at = { n = i * i, row = { i, i + 1, i + 2 } } } end
local grid, bits = { { 1, 0, 2 }, { 3, 4, 5 }, { 6, 7, 8 }, { 9, 9, 9 } }, {}
for i = 1, 40 do bits[i] = i % 7 < 3 end
local uneven, ragged = { { x = 1 }, { x = 2 }, { y = 3 } }, { { 1, 2 }, { 3 } }
local course = ecs.state("course", { gates = { { x = 1, w = 2 }, { x = 5, w = 3 }, { x = 9, w = 4 } } })
function Fresh(v) return v + 1 end
ecs.on_start(function()
  local last = 0
  for i = 1, 60 do
    local e = ecs.spawn(Unit { x = i, y = -i, hp = i % 7, n = i % 5, on = i % 2 == 0, mate = last,
      mode = i % 3 == 0 and "run" or "walk", slots = { i, i * 2 } })
    if i % 2 == 0 then ecs.add(e, Gear { a = i, k = i }) end
    if i % 3 == 0 then ecs.add(e, Heat { t = i }) end
    if i % 5 == 0 then ecs.add(e, Red) end
    if i % 4 == 0 then ecs.add(e, Frame { mode = "walk", mate = e }) end
    if i % 10 == 7 then ecs.set_parent(e, last) end
    last = e
  end
end)
ecs.system "hits" { phase = "render", on = Hit, each = function(h)
  sum = sum + h.amount * (h.kind == "hard" and 3 or 1) + (h.on and 0.25 or 0) + h.target % 1000
end }
ecs.system "report" { phase = "debug", run = function(ctx)
  ecs.log(string.format("%d %.17g %.17g %.17g %s %.17g %s", ctx.tick, count, sum, least, tostring(flag), later, word))
  ecs.log(tuning.speed, tuning.deep.most, tostring(tuning.on), memory.total, memory.deep.most, paces.run)
  if ctx.tick == 2 then
    tuning.speed, tuning.deep.most, lib.scale = 5, 3, -2
    later = "no number"
    levels[2], levels[5], memory.list[1], paces.idle = 21, 50, 5, nil
    spots[2].x, spots[7], grid[2][2], bits[9], long[17], course.gates[2].w = 77, { x = 1, y = 1, on = true, at = { n = 1, row = { 9, 8, 7 } } }, 44, true, 170, -3
  elseif ctx.tick == 3 then
    later, lib.one = 8, lib.two
    levels, alias, paces.idle = { 1, 2, 3 }, { speed = 9 }, 2
    memory.list[4], memory.total = 8, memory.total + 0.25
    spots[21], grid[2][4], bits[40], long[3] = { x = 0, y = 0, at = { n = 0, row = { 0, 0, 0 } } }, 1, nil, "three"
  elseif ctx.tick == 4 then
    spots[21].on, grid[2][4], bits[40], long[3], course.gates[4] = false, nil, 7, 3, { x = 11, w = 1 }
  end
end }
`

// bothWays plays an each function over units on the VM and as a kernel. What
// can be seen must be the same.
func bothWays(t *testing.T, each string) scripting.KernelStatus {
	t.Helper()
	vm, _ := show(t, "Unit", each, "off")
	kernel, status := show(t, "Unit", each, "auto")
	if vm != kernel {
		t.Errorf("%s\n%s", each, firstDifference(vm, kernel))
	}
	return status[0]
}

// compiles does that with a function of which nothing may be left to Lua.
func compiles(t *testing.T, each string) {
	t.Helper()
	if s := bothWays(t, each); !s.Compiled || s.Reason != "" {
		t.Error(s)
	}
}

// show plays a system in a mode and returns all that can be seen of it.
func show(t *testing.T, query, each, mode string, options ...func(*scripting.Host)) (seen string, status []scripting.KernelStatus) {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Tag: 4, Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ecs.Register[Frame](w)
	var lines []string
	h := newHost(t, w, scripting.Options{
		Logger: slog.New(&logbook{lines: &lines}), OnError: func(*scripting.Error) {}, OnKernel: func(scripting.KernelStatus) {},
		Limits: scripting.Limits{Commands: 150},
	})
	defer h.Close()
	for _, set := range options {
		set(h)
	}
	text := fmt.Sprintf("%s\necs.system \"s\" { query = { %s }, kernel = %q,\n  each = %s }", stage, query, mode, each)
	if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}, "lib.lua": {Data: []byte(helper)}}); err != nil {
		t.Fatalf("%v\n%s", err, each)
	}
	status = h.Kernels()
	for range 5 {
		for _, e := range split(h.StepAll(0.25)) {
			lines = append(lines, strings.ReplaceAll(e, fmt.Sprintf("%q", mode), "MODE"))
		}
		lines = append(lines, fmt.Sprintf("%016x, %d alive", checksum(w), w.Len()))
	}
	return strings.Join(lines, "\n"), status
}

// TestKernelsInTheWorld holds that functions with names from outside, optional
// components, arrays, other entities and changes do the same on both paths.
func TestKernelsInTheWorld(t *testing.T) {
	sideBySide(t)
	for _, c := range []struct{ name, query, head, body string }{
		{"uniforms", "Unit", "e, u", `u.x = u.x * tuning.speed + tuning.deep.most u.on = tuning.on if lib.on then u.y = lib.far.limit end`},
		{"a uniform that is no number for a while", "Unit", "e, u", `u.x = u.x + later`},
		{"a name for an enum", "Unit", "e, u", `u.on = u.mode == tuning.name`},
		{"counters", "Unit", "e, u", `count = count + 1 sum = sum + u.x least = math.min(least, u.y) flag = u.on`},
		{"a counter in a branch", "Unit", "e, u", `if u.n > 2 then count = count + u.n else sum = count end u.x = count`},
		{"a counter that stops", "Unit", "e, u", `count = count + 1 if u.n == 4 then u.hp = count + 0.5 end`},
		{"functions", "Unit", "e, u, ctx", `u.x = lib.scaled(u.x) u.y = lib.twice(half) + lib.age(u, ctx)`},
		{"functions of several values", "Unit", "e, u", `u.x, u.y = lib.toward(u.x, u.y, 3, u.n, 10) local a, b, c = swap(u.hp, u.n) u.on = c == nil u.x = a - b`},
		{"a function as the last argument", "Unit", "e, u", `u.x = math.max(1, lib.toward(u.x, u.y, 3, 4, 5)) u.y = lib.scaled(swap(1, 2))`},
		{"a function that gives nil", "Unit", "e, u", `local m = lib.maybe(u.n) if m then u.x = m else u.x = -1 end u.y = lib.maybe(u.n) or 9`},
		{"a function that gives fewer values", "Unit", "e, u", `local a, b = lib.few(u.x) u.on = b == nil u.y = a + (b or 0) local z = lib.none() u.hp = z and 1 or 2`},
		{"nil in arithmetic is an error", "Unit", "e, u", `u.x = lib.maybe(u.n) + 1`},
		{"functions in the order of operands", "Unit", "e, u", `u.x = count + bump(2) * count - bump(u.n) u.y = bump(1) < bump(1) and bump(1) or 5`},
		{"functions only where they are reached", "Unit", "e, u", `if u.on and bump(1) > 3 or bump(10) > 50 then u.x = 0 end while bump(0) % 7 > 0 do bump(1) end`},
		{"a function that is replaced", "Unit", "e, u", `u.x = lib.one(u.x)`},
		{"a variable that begins as nil", "Unit", "e, u", `local best for i = 1, 4 do if not best or u.slots[i] < best then best = u.slots[i] end end if best then u.x = best end`},
		{"a variable that becomes nil", "Unit", "e, u", `local v = u.x if u.n > 2 then v = nil end u.y = v or 3 u.on = v == nil`},
		{"a default", "Unit", "e, u", `local v if u.on then v = u.x end v = v or 7 u.y = v local w = lib.maybe(u.n) w = w and w + 1 or w u.on = w == nil w = w or v u.x = w`},
		{"enums", "Unit, Gear", "e, u, g", `if u.mode == "run" then u.mode = "idle" elseif u.mode ~= "idle" then u.mode = "run" end g.mode = u.mode local m = g.mode u.on = m == u.mode`},
		{"entities", "Unit", "e, u", `if u.mate ~= 0 and u.mate then u.x = u.x + 1 u.mate = e else u.mate = 0 end u.on = u.mate == e`},
		{"no entity", "Unit", "e, u", `u.on = u.mate == nil or u.mate == 0 u.x = u.mate % 1000 if u.n > 2 then u.mate = nil else u.mate = ecs.parent(e) end`},
		{"an entity that cannot be one", "Unit", "e, u", `u.mate = u.x - 3.5`},
		{"arrays", "Unit", "e, u", `u.slots[1] = u.x u.slots[2], u.slots[3] = u.slots[1], u.slots[2] u.y = #u.slots u.x = u.slots[5] or 4`},
		{"an index that is computed", "Unit", "e, u", `u.slots[u.n % 4 + 1] = u.slots[u.n] or -1 for i = 1, #u.slots do u.x = u.x + u.slots[i] end`},
		{"an index that is outside", "Unit", "e, u", `u.slots[u.n] = u.x`},
		{"nested structs", "Frame", "e, f", `f.at.x = f.at.x + 1 f.at.deep.n = f.at.deep.n + 300 f.slots[2] = f.at.x f.long[20] = f.small[1] f.small[3] = 200 f.mode = "run"`},
		{"an index that does not fit", "Frame", "e, f", `f.small[f.small[1] + 1] = 256 - f.at.x f.at.x = f.at.x + 1`},
		{"an optional component", "Unit, optional = { Gear }", "e, u, g", `if g then g.a = g.a + 1 u.x = g.a end u.y = g and g.k or -1 u.on = g == nil`},
		{"one that is missing", "Unit, optional = { Gear }", "e, u, g", `u.x = 5 if u.n == 2 then u.x = g.a end`},
		{"an optional pool and tag", "Unit, optional = { Heat, Red }", "e, u, h, red", `if h then h.t = h.t * 2 u.x = h.t end u.on = red and true or false if not red then u.hp = 1 end`},
		{"a pool alone", "Heat", "e, h", `h.t = h.t + e % 100 h.n = math.min(255, h.n + 1)`},
		{"random numbers", "Unit", "e, u", `u.x = ecs.random() u.hp = ecs.random(6) u.n = ecs.random(3, 9) if u.on then u.y = math.random() end u.slots[1] = math.random(4) u.slots[2] = math.random(-3, 7)`},
		{"random numbers of a row that stops", "Unit", "e, u", `u.x = ecs.random() if u.n == 3 then u.hp = ecs.random(1, u.y) end`},
		{"another entity", "Unit", "e, u", `local at = ecs.get(u.mate, Gear) if at then u.x = at.a + at.k u.mode = at.mode end u.on = ecs.has(u.mate or 0, Gear, Heat)`},
		{"a field of another", "Unit", "e, u", `local t = ecs.get(u.mate or e, Heat, "t") u.x = t or -1 u.y = ecs.get(e, Unit).x u.hp = ecs.get(e, Unit, "mate") and 1 or 2`},
		{"another one that is not there", "Unit", "e, u", `u.x = ecs.get(u.mate, Gear).a`},
		{"arrays of another", "Unit", "e, u", `local o = ecs.get(u.mate or e, Unit) u.slots[1] = o.slots[u.n] or 8 u.x = o.slots[2] u.y = #o.slots u.on = ecs.get(e, Red) or false`},
		{"several components of another", "Unit", "e, u", `local m = u.mate or e local g, o = ecs.get(m, Gear), ecs.get(m, Unit) if g and o then u.x = g.a + o.x end u.n = ecs.has(m, Unit, Gear) and 1 or 0 u.on = ecs.has(m)`},
		{"handles of all sorts to ask for", "Unit", "e, u", `local h = e if u.n == 0 then h = e + 2 ^ 32 elseif u.n == 1 then h = e + 2 ^ 24 elseif u.n == 2 then h = 0 / 0 elseif u.n == 3 then h = -e else h = e + 2 ^ 52 end u.on = ecs.alive(h)`},
		{"a handle of another world", "Unit", "e, u", `u.x = 5 if u.n == 1 then u.on = ecs.has(e + 2 ^ 24, Gear) end`},
		{"a handle of the future", "Unit", "e, u", `u.on = ecs.has(e + 2 ^ 32, Gear) u.x = ecs.get(e + 2 ^ 32, Unit, "x") or -7`},
		{"a slot as a handle", "Unit", "e, u", `u.x = 5 if u.n == 1 then u.on = ecs.has(e % 2 ^ 24, Gear) end`},
		{"a fraction as a handle", "Unit", "e, u", `u.x = 5 if u.n == 1 then u.x = ecs.get(e + 0.5, Unit).x end`},
		{"no number as a handle", "Unit", "e, u", `u.x = 5 if u.n == 1 then u.x = ecs.get(0 / 0, Unit).x elseif u.n == 2 then u.x = ecs.get(1 / 0, Unit).x end`},
		{"a huge handle", "Unit", "e, u", `u.x = 5 if u.n == 1 then u.on = ecs.has(1e300, Unit) elseif u.n == 2 then u.on = ecs.has(2 ^ 52, Unit) elseif u.n == 3 then u.on = ecs.has(-1, Unit) end`},
		{"a handle that will be given out", "Unit", "e, u", `ecs.spawn(Bolt) u.on = ecs.alive(2 ^ 32 + 4 * 2 ^ 24 + 61 + e % 2 ^ 24 * 2) u.n = ecs.alive(2 ^ 32 + 4 * 2 ^ 24 + 58 + e % 2 ^ 24 * 2) and 9 or 8`},
		{"changes of the dead", "Unit", "e, u", `if u.n == 2 and u.mate then ecs.despawn(u.mate) elseif u.mate then ecs.set(u.mate, Gear { a = 4 }) end if u.n == 3 then ecs.add(e + 2 ^ 32, Red) end`},
		{"changes of what was never there", "Unit", "e, u", `u.x = 5 if u.n == 1 then ecs.despawn(u.x) elseif u.n == 2 then ecs.remove(0, Red) elseif u.n == 3 then ecs.set(0 / 0, Unit { x = 1 }) end`},
		{"setting fields apart", "Unit", "e, u", `ecs.set(e, Unit { x = 3, hp = 2, mode = "run" }) ecs.set(u.mate or e, Unit { n = 7 }, Gear { k = 3 })`},
		{"spawning one prefab", "Unit", "e, u", `if u.n == 1 then ecs.spawn(Bolt) elseif u.n == 2 then ecs.spawn(Unit, Bolt, Bolt) end`},
		{"families", "Unit", "e, u", `local up = ecs.parent(e) if up and ecs.alive(up) then u.x = up % 1000 end u.on = ecs.alive(u.hp) u.n = ecs.alive(u.mate) and 1 or 0`},
		{"the end of some", "Unit", "e, u", `u.hp = u.hp - 1 if u.hp < -1 then ecs.despawn(e) elseif u.hp == 2 then ecs.despawn(u.mate) end`},
		{"adding and removing", "Unit, optional = { Gear }", "e, u, g", `if g then ecs.remove(e, Gear, Heat) else ecs.add(e, Gear { a = u.x, k = u.n, mode = u.mode }, Red) end`},
		{"setting", "Unit", "e, u", `ecs.set(e, Gear { a = u.x * 2, mode = "run" }, Unit { hp = 5, on = not u.on, mate = e })`},
		{"setting what does not fit", "Unit", "e, u", `u.x = 1 ecs.set(e, Unit { n = u.hp * 60 })`},
		{"spawning", "Unit", "e, u", `if u.n == 2 then ecs.spawn(Bolt, Gear { k = u.hp }, Unit { mate = e, x = ecs.random() }, Red) count = count + 1 end`},
		{"events", "Unit", "e, u", `ecs.emit(Hit { target = e, amount = u.x, kind = u.on and u.n > 1 and "soft" or "hard", on = u.on }) ecs.emit(Hit)`},
		{"too many changes", "Unit", "e, u", `for i = 1, u.n do ecs.emit(Hit { amount = i }) end u.x = u.x + 1`},
		{"changes of a row that fails", "Unit", "e, u", `ecs.emit(Hit { amount = 1 }) count = count + 1 if u.n == 4 then u.n = 300 end`},
		{"items of lists", "Unit", "e, u", `u.x = levels[2] + levels[u.n % 3 + 1] u.y = memory.list[u.n % 3 + 1] u.on = ons[u.hp % 3 + 1] u.hp = #levels + #memory.list`},
		{"items that are not there", "Unit", "e, u", `u.x = levels[u.n] or -1 if u.n > 2 then u.y = grades[u.y / 2] or grades[u.n - 3] end`},
		{"items that are not there in arithmetic", "Unit", "e, u", `u.x = levels[u.n] + 1`},
		{"lists in loops", "Unit", "e, u", `for i, v in ipairs(levels) do if i == u.n then break end u.x = u.x + v * i end for i in ipairs(ons) do u.y = u.y + i end for i = 1, #memory.list do u.x = u.x + memory.list[i] end`},
		{"a table by the names of an enum", "Unit", "e, u", `u.x = u.x + paces[u.mode] if u.on then u.mode = u.n > 2 and "run" or "idle" end`},
		{"fields that are assigned", "Unit", "e, u", `memory.total = memory.total + 1 memory.deep.most = math.max(memory.deep.most, u.x) u.y = memory.total paces.run = paces.run + 1`},
		{"one table under two names", "Unit", "e, u", `tuning.speed = tuning.speed + 1 u.x = alias.speed alias.on = not tuning.on u.on = tuning.on`},
		{"fields of a row that stops", "Unit", "e, u", `memory.total = memory.total + 1 tuning.speed = memory.total if u.n == 4 then u.hp = 0.5 end`},
		{"fields of other functions", "Unit", "e, u", `lib.far.limit = lib.far.limit + 1 u.x = lib.scaled(lib.far.limit) lib.scale = lib.scale * 0.5`},
		{"the end of some, counted", "Unit", "e, u, ctx", `u.y = u.y + ctx.dt if u.y > -2 then ecs.despawn(e) memory.total = memory.total + 1 end`},
		{"powers of two", "Unit", "e, u", `u.x = math.ldexp(u.x, u.n) u.y = math.ldexp(u.y, -1.5) + math.ldexp(1, u.x)`},
		{"parts of numbers", "Unit", "e, u", `local a, b = math.modf(u.x / 4) u.x = a u.y = b local m, x = math.frexp(u.hp + 0.3) u.slots[1] = m u.hp = x`},
	} {
		each := "function(" + c.head + ")\n  " + c.body + "\nend"
		vm, _ := show(t, c.query, each, "off")
		kernel, status := show(t, c.query, each, "auto")
		if vm != kernel {
			t.Errorf("%s: %s\n%s", c.name, c.body, firstDifference(vm, kernel))
		}
		for _, s := range status {
			if !s.Compiled {
				t.Errorf("%s: %s", c.name, s)
			}
		}
	}
}
