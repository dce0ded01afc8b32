package scripting_test

import "testing"

// TestKernelTexts holds that variables with one of a few texts do what they do on the
// VM: they are compared, given to fields of enums, and handed on.
func TestKernelTexts(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"a state of the next tick", `local next = "idle" if u.hp < 3 then next = "run" elseif ecs.alive(u.mate) then next = "walk" end if next ~= u.mode then u.mode = next u.x = 0 end`},
		{"a text that stays", `local word2 = "walk" u.on = u.mode == word2 and word2 == "walk" and word2 ~= word`},
		{"in turns", `local s = "a" for i = 1, u.n do if s == "a" then s = "b" elseif s == "b" then s = "c" else s = "a" end end u.x = s == "c" and 3 or s == "b" and 2 or 1`},
		{"a choice", `local s = u.on and "run" or u.n > 2 and "walk" or "idle" u.on = s == u.mode u.mode = s`},
		{"a choice that is assigned", `local s = "idle" s = u.on and "run" or "walk" u.mode = s`},
		{"one that is no name", `local s = "idle" if u.n == 1 then s = "fly" end u.x = 5 u.mode = s`},
		{"of a field", `local m = u.mode if u.n == 2 then m = "run" end u.on = m == "run" u.mode = m`},
		{"two of different lists", `local a, b = "x", "y" if u.on then a = "y" else b = "z" end u.x = a == b and 1 or a ~= "x" and 2 or 3`},
		{"nil", `local s = "run" if u.on then s = nil elseif u.n == 1 then s = "walk" end u.x = s == "run" and 1 or 3 u.on = s == nil if s then u.mode = s end`},
		{"handed on", `local function pace(mode, v) if mode == "fast" then return v * 2 elseif mode == "slow" then return v / 2 end return v end u.x = pace("fast", u.x) + pace("slow", u.y) + pace(u.on and "fast" or "none", 3)`},
		{"a key", `local m = "walk" if u.on then m = "run" end u.x = paces[m] u.mode = m`},
		{"of an event", `local k = "soft" if u.on then k = "hard" end ecs.emit(Hit { kind = k, amount = 1 })`},
		{"never a number", `local s = "a" if u.on then s = "b" end u.x = (s == u.x or "1" == u.n) and 1 or 2 u.y = s ~= nil and s and 1 or 0`},
		{"in a function inside", `local s = "idle" local function turn(to) if u.n > 1 then s = "run" end return to end turn(1) u.mode = s`},
	} {
		t.Run(c.name, func(t *testing.T) {
			compiles(t, "function(e, u, ctx)\n  "+c.body+"\nend")
		})
	}
}
