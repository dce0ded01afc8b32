package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// manySets declares tags, and a function that spawns an entity for each combination.
const manySets = `local T = {}
for i = 1, 10 do T[i] = ecs.tag("T" .. i) end
local P = ecs.component("P", { n = ecs.f64(0) })
local function combinations(n)
  for k = 1, n do
    local list, rest = { P }, k
    for i = 1, 10 do if rest % 2 == 1 then list[#list + 1] = T[i] end rest = math.floor(rest / 2) end
    ecs.spawn(unpack(list))
  end
end
`

// TestTooManyCombinations: a call that would bring about more combinations of components
// than a script may is refused as a whole, with its line, whatever way it takes; others
// go on, and so does the script with those that there are.
func TestTooManyCombinations(t *testing.T) {
	for name, body := range map[string]string{
		"spawn":       "combinations(600)",
		"caught":      "pcall(combinations, 600)",
		"add, remove": "for e in ecs.entities { P } do for k = 1, 600 do local i, bits = 1, k while bits % 2 == 0 do bits, i = bits / 2, i + 1 end if ecs.has(e, T[i]) then ecs.remove(e, T[i]) else ecs.add(e, T[i]) end end end",
	} {
		t.Run(name, func(t *testing.T) {
			r := newGame(t, scripting.Limits{Archetypes: 300})
			r.write("a.lua", manySets+"ecs.on_start(function() ecs.spawn(P) end)\n"+once("many", body)+once("known", "ecs.spawn(P)"),
				"b.lua", manySets+once("other", "if ctx.tick == 2 then combinations(64) end"))
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			before := r.world.Raw().Sets()
			r.step(1)
			r.wantError(`system "many": tick 1`, "301 of 300 combinations of components", "(Limits.Archetypes)")
			if grown := r.world.Raw().Sets() - before; grown > 8 {
				t.Errorf("the call that was refused left %d combinations", grown)
			}
			r.errors = nil
			r.step(1)
			r.wantError(`system "many": tick 2`, "(Limits.Archetypes)")
			if n := r.world.Len(); n != 3+64 {
				t.Errorf("%d entities, want those of the others", n)
			}
		})
	}
}

// TestCombinationsOfAll: what all scripts bring about has a limit, too; those that have
// brought about few may go on.
func TestCombinationsOfAll(t *testing.T) {
	r := newGame(t, scripting.Limits{Archetypes: 500, ArchetypesTotal: 400})
	r.write("a.lua", manySets+once("first", "if ctx.tick == 1 then combinations(390) end"),
		"b.lua", manySets+once("second", "if ctx.tick > 1 then combinations(500) end"),
		"c.lua", manySets+once("third", "local Own = T[10] ecs.spawn(Own, P, T[1]) ecs.spawn(Own, P)"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(2)
	r.wantError(`b.lua:9: system "second": tick 2`, "combinations of components of all scripts (Limits.ArchetypesTotal)")
}

// TestCombinationsOfKernels: compiled functions are held to the same limit, at the same
// rows, and nothing is left of what is refused.
func TestCombinationsOfKernels(t *testing.T) {
	text := manySets + `ecs.on_start(function() for i = 1, 400 do ecs.spawn(P { n = i }) end combinations(100) end)
local A, B, C = ecs.tag("A"), ecs.tag("B"), ecs.tag("C")
ecs.system "adds" { query = { P }, each = function(e, p) p.n = p.n + 1 if p.n % 2 == 0 then ecs.add(e, A) end if p.n % 3 == 0 then ecs.add(e, B) end if p.n % 5 == 0 then ecs.add(e, C) end end }
`
	for _, limit := range []int{150, 205, 2000} {
		var sums []uint64
		var said []string
		for _, off := range []bool{false, true} {
			r := newGame(t, scripting.Limits{Archetypes: limit})
			body := text
			if off {
				body = strings.Replace(text, "each =", "kernel = \"off\", each =", 1)
			}
			r.write("a.lua", body)
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			r.step(3)
			sums = append(sums, r.world.Checksum())
			message := ""
			for _, e := range r.errors {
				message += e.Message + "\n"
			}
			said = append(said, message)
		}
		if sums[0] != sums[1] || said[0] != said[1] {
			t.Errorf("limit %d: kernel and Lua differ: %x, %x\n%s\n%s", limit, sums[0], sums[1], said[0], said[1])
		}
		if limited := strings.Contains(said[0], "Limits.Archetypes"); limited != (limit < 2000) {
			t.Errorf("limit %d: %s", limit, said[0])
		}
	}
}

// TestCombinationsCountForTheQueries: each system has to look at a new combination. What is too much for
// a tick is refused before it is there, those of several calls count together, and on_start of a load is free.
func TestCombinationsCountForTheQueries(t *testing.T) {
	const systems, enough = 300, 100
	r := newGame(t, scripting.Limits{TickRows: (systems + 10) * 100 * enough})
	text := strings.Replace(manySets, "for k = 1, n do", "for k = first, first + n - 1 do", 1)
	text = strings.Replace(text, "combinations(n)", "combinations(first, n)", 1) + `
for i = 1, 300 do ecs.system("idle " .. i, { enabled = false, query = { P, changed = { P } }, each = function() end }) end
ecs.on_start(function() combinations(1, 200) end)
`
	r.write("a.lua", text+once("a", "if ctx.tick == 1 then combinations(201, 120) elseif ctx.tick < 4 then combinations(321, 70) end")+
		once("b", "if ctx.tick == 2 then combinations(401, 70) elseif ctx.tick == 3 then combinations(501, 70) elseif ctx.tick == 4 then for i = 1, 10 do combinations(1, 200) end end"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	before := r.world.Raw().Sets() + 200 // of on_start, which the first step calls
	for tick, want := range []struct {
		failed string
		sets   int
	}{
		{`system "a": tick 1`, 0}, {`system "b": tick 2`, 70}, {"", 140}, {"", 140},
	} {
		r.errors = nil
		r.step(1)
		if want.failed != "" {
			r.wantError(want.failed, "new combinations of components, each of which the queries of 302 systems have to look at", "(Limits.TickRows)")
		} else if len(r.errors) > 0 {
			t.Errorf("tick %d: %v", tick+1, r.errors)
		}
		if got := r.world.Raw().Sets() - before; got < want.sets || got > want.sets+16 { // a few stand between others
			t.Errorf("tick %d: %d combinations are new, want %d", tick+1, got, want.sets)
		}
	}
}
