package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestTextsAreReadAgain: after a load no script keeps the tree of its text, but one of which an
// error refers to the tree; what is asked for later is said as if they did.
func TestTextsAreReadAgain(t *testing.T) {
	g := newGame(t, scripting.Limits{})
	g.write("lib.lua", "return { speed = 3 }", "a.lua", `local lib = require "lib"
ecs.system "moves" { query = { P }, each = function(e, p, ctx) p.x = p.x + lib.speed end }
ecs.system "fails" { run = function() ecs.spawn(lib.speed) end }
`, "nil.lua", `local lib = require "lib"
ecs.system "nothing" { query = { P }, each = function(e, p, ctx) p.x = p.x + lib.sped end }
`)
	check := func() string {
		list, err := g.host.Check()
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, e := range list {
			words = append(words, e.Error())
		}
		return strings.Join(words, "\n")
	}
	if err := g.host.Load(g.folder); err != nil {
		t.Fatal(err)
	}
	if n := g.host.Readings(); n != 1 {
		t.Errorf("after the load %d scripts have their tree, want that of nil.lua alone", n)
	}
	first := check()
	if n := strings.Count(first, "attempt to perform arithmetic on"); n != 1 || g.host.Readings() != 1 {
		t.Errorf("%d trees, and the check says\n%s", g.host.Readings(), first)
	}
	_ = g.host.Step(0.1)
	if len(g.reported) == 0 || g.reported[0].Column != 49 {
		t.Errorf("an error of a text that was read again: %v", g.reported)
	}
	if again := check(); again != first {
		t.Errorf("the second check says\n%s\nafter\n%s", again, first)
	}
	g.save("lib.lua", "return { speed = 4 }")
	_ = g.host.Step(0.1)
	if len(g.reloads) != 1 || g.reloads[0].Err != nil || g.reloads[0].Files != 3 {
		t.Errorf("%v", g.reloads)
	}
}
