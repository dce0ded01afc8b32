package scripting_test

import (
	"fmt"
	"slices"
	"testing"
)

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
		{"that changes an operand", `local a, b = u.x, u.y local function f() a, b = 0, a return 7 end u.x = a + f() u.y = b * 2 - f() u.on = a < f() and b ~= f()`},
		{"that changes what the row has", `local function f() u.x = u.x / 2 return 7 end u.y = u.x + f() u.x = u.x - f() * u.x u.on = u.x >= f()`},
		{"that changes what the script has", `local function f() sum = sum + 1 tuning.speed = 4 return 7 end u.y = sum + f() u.x = tuning.speed + f()`},
		{"that changes what is around both", `local a = u.x local function f() a = 1 return 7 end local function g() return a + f() end u.y = g()`},
		{"that changes its own", `local function f(v) local function g() v = v + 1 return v end return v * g() + (v - g()) end u.x = f(u.n) + f(u.y)`},
		{"that changes an argument", `local a = u.x local function f() a = 1 return 7 end u.y = math.max(a, f()) local b, c = a, f() u.x = b + c`},
		{"that changes a choice", `local a = u.x local function f() a = 1 return 7 end u.y = (a or 3) + f() u.x = (true and a) - f() u.n = (false and 1 or a) + f()`},
		{"that changes an index", `local i = 1 local function f() i = 3 return 7 end u.slots[i] = f() u.x = levels[i] + f() u.y = u.slots[i] - f()`},
		{"that gives an operand", `local a if u.n > 9 then a = 1 end local function f() a = 2 return 7 end u.x = a + f()`},
		{"that takes an operand", `local a = 1 local function f() if u.n > 2 then a = nil end return 7 end u.y = a + f()`},
	} {
		t.Run(c.name, func(t *testing.T) {
			compiles(t, "function(e, u, ctx)\n  local speed = 2\n  "+c.body+"\nend")
		})
	}
}

// TestOperandsBesideCalls holds the numbers that Lua gives for an operand which a call
// beside it assigns: a field is read before the call, a local after it.
func TestOperandsBesideCalls(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`local function f() a.x = 0 return 7 end a.y = a.x + f()`, "12"},
		{`local function f() a.x = 0 return 7 end a.y = f() + a.x`, "7"},
		{`local x = a.x local function f() x = 0 return 7 end a.y = x + f()`, "7"},
		{`local x = a.x local function f() x = 0 return 7 end a.y = -x + f()`, "2"},
		{`local x = a.x local function f() x = 0 return 7 end local function g() return x + f() end a.y = g()`, "12"},
	} {
		for _, mode := range []string{"auto", "off"} {
			r := loaded(t, "a.lua", fmt.Sprintf(`local A = ecs.component("A", { x = ecs.f64(5), y = ecs.f64(0) })
ecs.on_start(function() ecs.spawn(A) end)
ecs.system "s" { query = { A }, kernel = %q, each = function(e, a) %s end }
ecs.system "show" { query = { A }, phase = "debug", each = function(e, a) ecs.log(a.y) end }`, mode, c.body))
			r.step(1)
			if !slices.Equal(r.logs, []string{c.want}) {
				t.Errorf("%s, kernel %s: %q, want %s", c.body, mode, r.logs, c.want)
			}
		}
	}
}
