package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestNilInListsIsAnError: a misspelt name is nil, and nil in a list of components,
// systems or fields is an error that names the list, the item and what was meant, not
// a list that has one item less.
func TestNilInListsIsAnError(t *testing.T) {
	const kinds = `local ecs = require "ecs" return { Enemy = ecs.tag("Enemy"), Boss = ecs.tag("Boss"), Hp = ecs.component("Hp", { n = ecs.u8(1) }) }`
	meant := `C.Bos is nil (did you mean "Boss"?)`
	for text, want := range map[string]string{
		`ecs.system "s" { query = { C.Hp, with = { C.Bos } }, each = function(e, h) h.n = 1 end }`:             "with: item 1 is nil: " + meant,
		`ecs.system "s" { query = { C.Hp, without = { C.Enemy, C.Bos } }, each = function(e, h) h.n = 1 end }`: "without: item 2 is nil: " + meant,
		`ecs.system "s" { query = { C.Hp, any = { C.Bos, C.Enemy } }, each = function(e, h) h.n = 1 end }`:     "any: item 1 is nil: " + meant,
		`ecs.system "s" { query = { C.Hp, optional = { C.Bos } }, each = function(e, h) h.n = 1 end }`:         "optional: item 1 is nil: " + meant,
		`ecs.system "s" { query = { C.Hp, changed = { C.Bos } }, each = function(e, h) h.n = 1 end }`:          "changed: item 1 is nil: " + meant,
		`ecs.system "s" { query = { C.Hp, C.Bos }, each = function(e, h) h.n = 1 end }`:                        "query: item 2 is nil: " + meant,
		`ecs.system "s" { query = { C.Bos, C.Hp }, each = function(e, h) h.n = 1 end }`:                        "query: item 1 is nil: " + meant,
		`ecs.system "s" { query = { C.Hp, without = {} }, each = function(e, h) h.n = 1 end }`:                 "without: the list is empty",
		`ecs.system "s" { run = function() end, after = { C.Bos } }`:                                           "after: item 1 is nil: " + meant,
		`ecs.system "s" { run = function() end, requires = { "a", C.Bos } }`:                                   "requires: item 2 is nil: " + meant,
		`ecs.kernel({ C.Hp, without = { C.Bos } }, function(e, h) h.n = 1 end)`:                                "without: item 1 is nil: " + meant,
		`ecs.prefab("p", { C.Hp, C.Bos })`:                                                                     `prefab "p": item 2 is nil: ` + meant,
		`ecs.prefab("p", { C.Hp, children = { C.Bos } })`:                                                      `p.children: item 1 is nil: ` + meant,
		`ecs.component("K", { n = ecs.u8() }, { drop = { C.Bos } })`:                                           `option "drop": item 1 is nil: ` + meant,
		`local C2 = C local function f() ecs.prefab("p", { C2.Bos }) end f()`:                                  `prefab "p": item 1 is nil: C2.Bos is nil (did you mean "Boss"?)`,
		`ecs.prefab("p", { Bos })`: `unknown name "Bos"`,
	} {
		r := newRig(t, scripting.Limits{})
		r.write("kinds.lua", kinds, "a.lua", "local C = require \"kinds\"\n"+text)
		if err := r.host.Load(r.folder); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "a.lua:3") {
			t.Errorf("%s: %v, want %q in line 3", text, err, want)
		}
	}
}

// TestNilInListsOfACallIsAnError: the same where a system asks.
func TestNilInListsOfACallIsAnError(t *testing.T) {
	for _, call := range []string{
		`ecs.despawn_all { C.Enemy, without = { C.Bos } }`, `ecs.count { C.Enemy, without = { C.Bos } }`, `ecs.find { C.Enemy, with = { C.Bos } }`,
		`for e in ecs.entities { C.Enemy, any = { C.Bos } } do end`, `ecs.spawn(C.Enemy, C.Bos)`, `ecs.spawn_many(3, C.Bos)`,
		`ecs.spawn_many(3, C.Enemy, function() return C.Bos end)`, `ecs.add(ecs.find(C.Enemy), C.Bos)`, `ecs.remove(ecs.find(C.Enemy), C.Bos)`,
		`ecs.has(ecs.find(C.Enemy), C.Enemy, C.Bos)`, `ecs.despawn_all(C.Bos)`,
	} {
		r := newRig(t, scripting.Limits{})
		r.write("kinds.lua", `return { Enemy = ecs.tag("Enemy"), Boss = ecs.tag("Boss") }`, "a.lua", `local C = require "kinds"
ecs.on_start(function() ecs.spawn(C.Enemy, C.Boss) end)
ecs.system "s" { run = function()
  `+call+`
end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(call, err)
		}
		r.step(1)
		if len(r.errors) != 1 || !strings.Contains(r.errors[0].Error(), "a.lua:5") || !strings.Contains(r.errors[0].Error(), "nil") {
			t.Errorf("%s: %v", call, r.errors)
		}
		if strings.Contains(call, "without") && !strings.Contains(r.errors[0].Error(), `C.Bos is nil (did you mean "Boss"?)`) {
			t.Errorf("%s: %v", call, r.errors)
		}
		if r.world.Len() != 1 {
			t.Errorf("%s: %d entities are left", call, r.world.Len())
		}
	}
}
