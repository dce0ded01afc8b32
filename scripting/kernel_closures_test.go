package scripting_test

import "testing"

// TestKernelClosures holds that functions inside of an each function see what is around
// them as in Lua: as it is when they are called, under the names that there were when
// they were written.
func TestKernelClosures(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"one", `local function half(v) return v / 2 end u.x = half(u.x) + half(u.y)`},
		{"of several values", `local turn = function(a, b) return -b, a end u.x, u.y = turn(u.x, u.y)`},
		{"that reads what changes", `local k = 1 local function add(v) return v + k end u.x = add(u.x) k = u.n u.y = add(u.y)`},
		{"that assigns", `local n = 0 local function tick(v) n = n + v return n end u.x = tick(2) + tick(u.n) * n u.y = n`},
		{"that assigns nil", `local v = u.x local function drop() if u.n > 2 then v = nil end end drop() u.y = v or -1 u.on = v == nil`},
		{"before a name is taken again", `local k = 3 local function f() return k end local k = u.n u.x = f() + k do local k = 100 u.y = f() + k end`},
		{"before a local hides the script's", `local function f() return half + speed end local half, speed = 7, u.n u.x = f() + half * speed`},
		{"in a loop", `for i = 1, 4 do local function f(v) i = i + 1 return v * i end u.x = u.x + f(2) + i end`},
		{"that is handed on", `local function apply(f, v) return f(f(v)) end u.x = apply(function(v) return v * u.n + 1 end, u.x) u.y = apply(math.abs, u.y)`},
		{"that calls another", `local function a(v) return v + 1 end local function b(v) return a(a(v)) * 2 end u.x = b(u.x)`},
		{"that sees the row", `local function reset() u.x, u.hp = 0, 0 return e end if u.n == 2 then u.mate = reset() end`},
		{"that returns early", `local function sign() if u.x > 9 then return 1 elseif u.on then return end return -1 end u.y = sign() or 0`},
		{"that records", `local function hit(n) ecs.emit(Hit { target = e, amount = n }) count = count + 1 end if u.n > 2 then hit(1) hit(u.x) end`},
		{"with parameters named as what is around", `local function f(u, e) return u + e end u.x = f(u.x, 2)`},
		{"that counts in the script", `local function more() sum = sum + u.x tuning.speed = sum end more() u.y = tuning.speed`},
		{"that fails in one row", `local function set(v) u.n = v end set(u.n + 1) set(u.hp * 50)`},
		{"in a function", `local function outer(v) local function inner(w) v = v + w return v end return inner(1) + inner(2) end u.x = outer(u.x)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			compiles(t, "function(e, u, ctx)\n  local speed = 2\n  "+c.body+"\nend")
		})
	}
}
