package scripting_test

import (
	"fmt"
	"testing"
)

// TestOnSetIsToldOfSetsOnly: an observer is told of each set, update and add over what is
// there, once, whatever the same run assigns to fields of rows and arrays of a batch: of
// that it is told nothing, before the set, after it, or of an entity that another row
// has set. What was assigned is stored all the same, and is changed for who asks.
func TestOnSetIsToldOfSetsOnly(t *testing.T) {
	const both = "told 2 changed 2"
	for _, c := range []struct{ name, text, want string }{
		{"set after", `each = function(e, h) h.hits = h.hits + 1 ecs.set(e, Health { hp = h.hp - 1 }) end`, both + " 99/1 99/1"},
		{"set before", `each = function(e, h) ecs.set(e, Health { hp = 7 }) h.hits = h.hits + 1 end`, both + " 7/1 7/1"},
		{"set two fields", `each = function(e, h) h.hits = h.hits + 1 ecs.set(e, Health { hp = 5, max = 6 }) end`, both + " 5/1 5/1"},
		{"set twice", `each = function(e, h) h.hits = h.hits + 1 ecs.set(e, Health { hp = 5 }) ecs.set(e, Health { max = 6 }) end`, "told 4 changed 2 5/1 5/1"},
		{"the same field", `each = function(e, h) h.hp = 3 ecs.set(e, Health { hp = 7 }) end`, both + " 3/0 3/0"},
		{"looked at", `each = function(e, h) ecs.set(e, Health { hp = 7 }) h.hits = ecs.get(e, Health, "hp") end`, both + " 7/7 7/7"},
		{"update", `each = function(e, h) h.hits = h.hits + 1 ecs.update(e, Health, function(u) u.hp = u.hp - 1 end) end`, both + " 99/1 99/1"},
		{"update of nothing", `each = function(e, h) h.hits = h.hits + 1 ecs.update(e, Health, function(u) end) end`, "told 0 changed 2 100/1 100/1"},
		{"add over", `each = function(e, h) ecs.add(e, Health { hp = 8 }) h.hits = h.hits + 1 end`, both + " 8/1 8/1"},
		{"each other", `each = function(e, h) h.hits = h.hits + 1 ecs.set(e == one and two or one, Health { hp = 8 }) end`, both + " 8/1 8/1"},
		{"update each other", `each = function(e, h) h.hits = h.hits + 1 ecs.update(e == one and two or one, Health, function(u) u.hp = 8 end) end`, both + " 8/1 8/1"},
		{"another one only", `each = function(e, h) h.hits = h.hits + 1 if e == one then ecs.set(two, Health { hp = 8 }) end end`, "told 1 changed 2 100/1 8/1"},
		{"added", `each = function(e, h) h.hits = h.hits + 1 ecs.remove(e, Health) ecs.add(e, Health { hp = 8 }) end`, "told 0 changed 2 8/1 8/1"},
		{"assigned only", `each = function(e, h) h.hits = h.hits + 1 end`, "told 0 changed 2 100/1 100/1"},
		{"batch set", `batch = function(b) local x = b:write(Health, "hits") for i = 1, b.n do x[i] = 4 ecs.set(b.entities[i], Health { hp = 60 }) end end`, both + " 60/4 60/4"},
		{"batch add over", `batch = function(b) local x = b:write(Health, "hits") for i = 1, b.n do x[i] = 4 ecs.add(b.entities[i], Health { hp = 60 }) end end`, both + " 60/4 60/4"},
		{"batch update", `batch = function(b) local x = b:write(Health, "hits") for i = 1, b.n do x[i] = 4 ecs.update(b.entities[i], Health, function(u) u.hp = 60 end) end end`, both + " 60/4 60/4"},
		{"batch column", `batch = function(b) for i = 1, b.n do ecs.set(b.entities[i], Health { max = 60 }) end b:col(Health, "hits"):add(4) end`, both + " 100/4 100/4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range []string{"off", "auto"} {
				for _, stored := range []string{"false", "true"} {
					r := loaded(t, "a.lua", fmt.Sprintf(`
local Health = ecs.component("Health", { hp = ecs.f32(100), max = ecs.f32(100), hits = ecs.u8(0) }, { sparse = %s })
local one, two, told, done
told = 0
ecs.on_start(function() one, two = ecs.spawn(Health), ecs.spawn(Health) end)
ecs.on_set(Health, function() told = told + 1 end)
local function say(e) local h = ecs.get(e, Health) return h.hp .. "/" .. h.hits end
ecs.system "a" { query = { Health }, kernel = %q, when = function(ctx) return ctx.tick == 2 end, %s }
local n = 0
ecs.system "y" { priority = 8, query = { Health, changed = { Health } }, each = function(e, h) if done then n = n + 1 end end }
ecs.system "z" { priority = 9, run = function(ctx) done = true if ctx.tick == 2 then ecs.log("told", told, "changed", n, say(one), say(two)) end end }`, stored, mode, c.text))
					r.run(2)
					if got := r.logged(); got != c.want {
						t.Errorf("kernel %q, sparse %s: logged %q, want %q", mode, stored, got, c.want)
					}
				}
			}
		})
	}
}
