package scripting_test

import (
	"testing"
)

// TestDryRunsLeaveTheGameAlone: the same place of a script makes a value of a component of the
// host in the game and, with a table of other keys, in a dry run that is refused. What the one
// remembers of its tables is not the other's.
func TestDryRunsLeaveTheGameAlone(t *testing.T) {
	game := once("a", `for e in ecs.entities { P } do
		ecs.set(e, P { x = 3, y = 4 })
		local p = ecs.get(e, P)
		ecs.log(p.x, p.y)
	end`)
	r := loaded(t, "a.lua", game+"ecs.on_start(function() ecs.spawn(P { x = 1 }) end)")
	r.run(1)
	r.save("c.lua", "") // what dry runs know of the game is copied anew
	r.accepted()
	for _, top := range []string{"P { y = 1, x = 2 }", "P { x = 1 }", "P { y = 1 }", `local ok = pcall(P, { x = 1, z = 1 })`} {
		r.logs = nil
		r.save("b.lua", top+" error('no')")
		r.refused("no")
		r.run(1)
		r.wantLog("3 4 3 4")
	}
}

// TestDryRunsSayAllThatIsCertain: a set that the dry run refuses is refused with all that
// Check would find in it.
func TestDryRunsSayAllThatIsCertain(t *testing.T) {
	r := loaded(t, "a.lua", "local M = {} return M", "c.lua", `require("a").late = function() end`)
	r.save("b.lua", `local M = require "a"
local R = ecs.native "Position"
ecs.on_start(function() ecs.spawn(R { w = 1 }) end)
ecs.on_start(function() M.late() end)
local q = R { x = 1, z = 2 }`)
	r.refused("b.lua:6", `b.lua:4:39: unknown field "w" of "Position"`)
	if got := r.reloads[len(r.reloads)-1].Err.Error(); says(got, "late") {
		t.Error(got)
	}
}
