package scripting_test

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/internal/golden"
	"github.com/perigee-ecs/perigee/scripting"
)

// whole is the text of a system whose function gets its components as tables, because
// it is not written out as the option itself.
func (in setting) whole(name, each string) string {
	return strings.Replace(in.system(name, "off", each), "each = ", "each = false or ", 1)
}

// playBodies runs texts and writes what has become of each: a sum of the memory, and the
// errors with their tracebacks.
func playBodies(t *testing.T, bodies []string, text func(body string) string) string {
	t.Helper()
	if raceEnabled {
		t.Skip("operands come in another order in this build, so not-a-numbers have other bits, and the sums are others")
	}
	var b strings.Builder
	for _, body := range bodies {
		fmt.Fprintf(&b, "--- %s\n", body)
		end, err := playOn(t, text(body), 1, 40, 3, func(*scripting.Host) {})
		if err != nil {
			fmt.Fprintf(&b, "refused: %v\n", err)
			continue
		}
		sum := fnv.New32a()
		sum.Write([]byte(end.memory))
		fmt.Fprintf(&b, "%08x %s\n", sum.Sum32(), strings.Join(end.errors, "\n"))
	}
	return b.String()
}

// TestBodiesOfBatches does with the arrays of a batch what a function may do, and what it
// may not. Each memory was the same on two VMs.
func TestBodiesOfBatches(t *testing.T) {
	bodies := []string{
		`for i = 1, b.n do f[i] = f[i] + g[i] * ctx.dt end`,
		`for i = 1, b.n do f[i] = f[i + 1] or f[1] end`,
		`for i = 1, b.n do if g[i] > 0 then f[i] = -g[i] else f[i] = g[i - 1] or 0 end end`,
		`for i = 1, #f do f[i] = i end`,
		`f[b.n + 1] = 5 f[0] = 3 f[1] = f[b.n + 1] + f[0] + #f`,
		`f[2] = nil`, `f[1] = "1"`, `f[1.5] = 2 f[1] = f[1.5]`, `f.x = 2 f[1] = f.x`, `f[1] = true`,
		`local first = table.remove(f) f[b.n] = first`, `sort(f)`, `f[1] = math.max(unpack(f, 1, 2))`,
		`kept = kept or f kept[1] = (kept[1] or 0) + 1`,
		`for k, v in ipairs(f) do f[k] = v + k end`, `for k, v in pairs(g) do f[k] = v end`,
		`local h = b:read(Beta, "f") h[1] = 77 if h == f then f[2] = 1 end`,
		`b:col(Alpha, "g"):add(1) f[1] = g[1] local h = b:read(Alpha, "g") f[2] = g[1] if h == g then f[3] = h[1] end`,
		`b:col(Beta, "f"):add(1)`, `local n = b:write(Alpha, "i8") for i = 1, b.n do n[i] = n[i] end`, `local n = b:write(Alpha, "i8") n[1] = 0.5`,
		`local n = b:write(Alpha, "u8") for i = 1, b.n do n[i] = i end`, `local n = b:write(Beta, "i32") for i = 1, b.n do n[i] = n[i] * 2 end`,
		`local on = b:write(Alpha, "b") for i = 1, b.n do on[i] = not on[i] if on[i] then f[i] = 1 end end`,
		`b:write(Alpha, "none")`, `b:read(Position, "x")`, `b:read("Alpha", "g")`, `b.read()`, `b:none()`, `local x = b:read`, `b = nil f[1] = b.n`,
		`for i = 1, b.n do local e = b.entities[i] local o = ecs.get(e, Alpha) f[i] = o.g + ecs.get(e, Alpha, "i8") end`,
		`for i = 1, b.n do if ecs.has(b.entities[i], Alpha) and ecs.alive(b.entities[i]) then f[i] = i end if f[i] > 3 then ecs.despawn(b.entities[i]) end end`,
		`local add = function(i) f[i] = f[i] + 1 end for i = 1, b.n do add(i) end`,
		`g[1] = 3`, `f[b.n + 2] = 7`, `f.foo = 3`, `b.entities[1] = 5`, `table.insert(g, 1)`, `table.insert(f, 1)`, `rawset(g, 1, 2) f[1] = g[1]`,
		`while true do f[1] = f[1] + 1 end`, `f[1] = 4 error("stop")`, `f, g = g, f f[1] = 1 g[2] = 2`,
	}
	golden.Expect(t, "testdata/batch_bodies.txt", playBodies(t, bodies, func(body string) string {
		return opening + `local kept, sort = nil, table.sort
ecs.system "s" { query = { Alpha, Beta }, batch = function(b, ctx)
  local f, g = b:write(Beta, "f"), b:read(Alpha, "g")
  ` + body + `
end }`
	}))
}

// TestBodiesOfRows assigns what ecs.get has returned, and rows, to fields for a while: no
// later copy may take their place.
func TestBodiesOfRows(t *testing.T) {
	bodies := []string{
		`a.f = ecs.get(e, Alpha) for i = 1, 40 do local q = ecs.get(e, Beta) end local r = a.f a.f = r.i8`,
		`local p = a a.f = p p.f = 3`, `a.f = a`, `local x = ecs.get(e, Beta) a.f = x a.f = x.f`,
		`local t = {} for i = 1, 40 do t[i] = ecs.get(e, Beta) t[i].f = i end a.f = t[3].f`,
	}
	golden.Expect(t, "testdata/row_bodies.txt", playBodies(t, bodies, func(body string) string {
		return opening + rowsSetting.whole("s", "function(e, a, b)\n"+body+"\nend")
	}))
}

// TestArraysOfEarlierRows looks at an array with an index that makes a table of it, and
// leaves its row in a variable: when the variable is used again, the row's table stands
// for another entity, whose array must stay what it is.
func TestArraysOfEarlierRows(t *testing.T) {
	const before = `
ecs.on_start(function() local n = 0 for e in ecs.entities { Gear } do n = n + 1 ecs.set(e, Gear { slots = { n, n, n, n } }) end end)
`
	for _, body := range []string{
		"if g then local x = g.slots[0.5] local o = g end",
		"if g then local x = g.slots[0.5] g.a, g.s = 3, 4 end",
		"if g then local x = g.slots local o, i = g, x[1.5] end",
		"local o = g local x = o and o.slots[0.5] g = o o = g",
	} {
		text := worldSetting.opening + before + worldSetting.system("s00", "off", "function(e, a, b, g, ctx) "+body+" end\n")
		idle := worldSetting.opening + before + worldSetting.system("s00", "off", "function(e, a, b, g, ctx) end\n")
		if strings.Contains(body, "g.a") {
			idle = strings.Replace(idle, "ctx) end", "ctx) if g then g.a = 3 g.s = 4 end end", 1)
		}
		got, err := playOn(t, text, 3, 45, 2, func(*scripting.Host) {})
		if err != nil {
			t.Fatal(err)
		}
		want, err := playOn(t, idle, 3, 45, 2, func(*scripting.Host) {})
		if err != nil {
			t.Fatal(err)
		}
		if got.memory != want.memory {
			t.Errorf("%s: %s", body, firstDifference(want.memory, got.memory))
		}
	}
}
