package scripting_test

import (
	"strings"
	"testing"
)

// TestWhatIsRefusedLateIsUndone: a set that is refused only in the game, after functions of it or of the old
// versions have run there, leaves what other scripts hold as it was.
func TestWhatIsRefusedLateIsUndone(t *testing.T) {
	const (
		lib = `local hidden = 1 return { n = 1, list = { 1, 2 }, hide = function(n) hidden = n end, hidden = function() return hidden end }`
		a   = `local lib = require "lib"
local own = { n = 1 }
local H = ecs.component("H", { x = ecs.f64() })
ecs.on_start(function() ecs.spawn(H) end)
ecs.system "a" { run = function() lib.ran = true ecs.log(lib.n, #lib.list, lib.hidden(), own.n) end }
`
		spoils = `lib.n = 33 lib.list[3] = 3 lib.hide(7) own.n = 5 error("no")`
	)
	for name, texts := range map[string][2]string{
		"migrate":                 {a, strings.Replace(a, "{ x = ecs.f64() }", "{ x = ecs.f64() }, { version = 2, migrate = function() "+spoils+" end }", 1)},
		"a top level that asks":   {a, a + "if lib.ran then " + spoils + " end"},
		"a top level without end": {a, a + "if lib.ran then lib.n = 33 while true do end end"},
		"on_unload":               {a + "ecs.on_unload(function() " + spoils + " end)", a + "-- edited"},
	} {
		r := loaded(t, "lib.lua", lib, "a.lua", texts[0])
		r.run(2)
		before := len(r.reloads)
		r.save("a.lua", texts[1])
		r.step(2)
		if len(r.reloads) != before+1 || r.reloads[before].Err == nil {
			t.Errorf("%s: %v, want one that is refused", name, r.reloads[before:])
		}
		if got := r.logged(); got != "1 2 1 1 1 2 1 1 1 2 1 1 1 2 1 1" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
