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
		r := newGame(t, scripting.Limits{})
		r.write("kinds.lua", kinds, "a.lua", "local C = require \"kinds\"\n"+text)
		if err := r.host.Load(r.folder); err == nil || !says(err.Error(), want) || !strings.Contains(err.Error(), "a.lua:3") {
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
		want := "nil"
		if strings.Contains(call, "without") {
			want = `C.Bos is nil (did you mean "Boss"?)`
		}
		refusesCall(t, call, want)
	}
}

// refusesCall holds that a call in a system is an error of its line, and that the one
// entity that there is stays the only one.
func refusesCall(t *testing.T, call, want string) {
	t.Helper()
	r := newGame(t, scripting.Limits{})
	r.write("kinds.lua", `return { Enemy = ecs.tag("Enemy"), Boss = ecs.tag("Boss") }`, "a.lua", `local C = require "kinds"
ecs.on_start(function() ecs.spawn(C.Enemy, C.Boss) end)
ecs.system "s" { run = function()
  `+call+`
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(call, err)
	}
	r.step(1)
	if len(r.errors) != 1 || !strings.Contains(r.errors[0].Error(), "a.lua:5") || !strings.Contains(r.errors[0].Error(), want) {
		t.Errorf("%s: %v", call, r.errors)
	}
	if r.world.Len() != 1 {
		t.Errorf("%s: %d entities are left", call, r.world.Len())
	}
}

// TestNilUnderAKeyIsAnError: a misspelt name as the value of a key leaves no key, and
// is an error all the same: in queries, wherever they are made, and in options. The
// line is that of the call or of the key.
func TestNilUnderAKeyIsAnError(t *testing.T) {
	const kinds = `local ecs = require "ecs" return { Enemy = ecs.tag("Enemy"), Boss = ecs.tag("Boss"), Hp = ecs.component("Hp", { n = ecs.u8(1) }) }`
	meant := `C.Bos is nil (did you mean "Boss"?)`
	for text, want := range map[string]string{
		`ecs.system "s" { query = { C.Hp, without = C.Bos }, each = function(e, h) h.n = 1 end }`:            "a.lua:3: system \"s\": without: the value is nil: " + meant,
		`ecs.system "s" { query = { C.Hp, with = C.Bos }, batch = function(b) end }`:                         "with: the value is nil: " + meant,
		`ecs.system "s" { query = { C.Hp, any = C.Bos, optional = C.Boz }, batch = function(b) end }`:        "optional: the value is nil: C.Boz is nil",
		`ecs.system("s", { query = { C.Hp, changed = C.Bos }, batch = function(b) end })`:                    "changed: the value is nil: " + meant,
		`local q = { C.Hp, without = C.Bos } ecs.system "s" { query = q, batch = function(b) end }`:          "without: the value is nil: " + meant,
		`local B = C.Bos ecs.system "s" { query = { C.Hp, without = B }, batch = function(b) end }`:          "without: the value is nil: " + meant,
		`local function q(n) return { C.Hp, without = n } end ecs.system "s" { query = q(), batch = print }`: "without: the value is nil (if that is meant, say so: without = … or nil)",
		`ecs.system "s" { query = { C.Hp, witout = C.Bos }, batch = function(b) end }`:                       "witout: the value is nil: " + meant,
		`ecs.system "s" { query = { C.Hp, witout = { C.Boss } }, batch = function(b) end }`:                  `unknown query option "witout" (did you mean "without"?): there are with, without, optional, any, changed`,
		`ecs.kernel({ C.Hp, without = C.Bos }, function(e, h) h.n = 1 end)`:                                  "without: the value is nil: " + meant,
		`ecs.kernel({ C.Hp }, function(e, h) h.n = 1 end, { kernel = C.Bos })`:                               "kernel: the value is nil: " + meant,
		`ecs.system "s" { run = function() end, after = C.Bos }`:                                             "after: the value is nil: " + meant,
		`ecs.system "s" { run = function() end, before = { "nobody" } }`:                                     `"nobody"`,
		`ecs.system "s" { run = function() end, when = C.Bos, every = C.Bos }`:                               "when: the value is nil: " + meant,
		`ecs.system "s" { on = C.Bos, each = function() end }`:                                               "on: the value is nil: " + meant,
		`ecs.system "s" { run = C.Bos }`:                                                                     "run: the value is nil: " + meant,
		`ecs.system "s" { query = C.Bos, each = function(e, h) end }`:                                        "query: the value is nil: " + meant,
		`ecs.component("K", { n = ecs.u8() }, { sparse = C.Bos })`:                                           `component "K", option sparse: the value is nil: ` + meant,
		`ecs.component("K", { n = C.Bos })`:                                                                  `field "n" of "K": expected a kind such as ecs.f32(0), a number or a boolean, got nil: ` + meant,
		`ecs.event("K", { n = C.Bos })`:                                                                      `field "n" of "K": expected a kind such as ecs.f32(0), a number or a boolean, got nil: ` + meant,
		`ecs.prefab("p", { C.Hp, children = C.Bos })`:                                                        `prefab "p", children: the value is nil: ` + meant,
	} {
		r := newGame(t, scripting.Limits{})
		r.write("kinds.lua", kinds, "a.lua", "local C = require \"kinds\"\n"+text)
		err := r.host.Load(r.folder)
		if err == nil || !says(err.Error(), want) || !strings.Contains(err.Error(), "a.lua:3") {
			t.Errorf("%s: %v, want %q in line 3", text, err, want)
		} else if n := strings.Count(err.Error(), "\n"); n > 1 {
			t.Errorf("%s: %d faults: %v", text, n+1, err)
		}
	}
}

// TestNilUnderAKeyOfACall: the same where a system asks, with whatever came between.
func TestNilUnderAKeyOfACall(t *testing.T) {
	for _, call := range []string{
		`ecs.despawn_all { C.Enemy, without = C.Bos }`, `ecs.count { C.Enemy, without = C.Bos }`, `ecs.find { C.Enemy, without = C.Bos }`,
		`for e in ecs.entities { C.Enemy, without = C.Bos } do ecs.despawn(e) end`,
		`local q = { C.Enemy, without = C.Bos } q.any = { C.Enemy } ecs.despawn_all(q)`,
		`local n = ecs.count { C.Enemy, without = C.Bos } ecs.despawn_all(C.Enemy)`, `ecs.despawn_all { without = C.Bos, C.Enemy }`,
		`ecs.despawn_all { C.Enemy, any = C.Enemy, without = C.Bos }`,
	} {
		refusesCall(t, call, `without: the value is nil: C.Bos is nil (did you mean "Boss"?)`)
	}
}

// TestNilThatIsMeant: nil that says so is none that was misspelt; what is set later
// counts, and no script finds what was noted in a table, which is as any other.
func TestNilThatIsMeant(t *testing.T) {
	r := loaded(t, "a.lua", `local C = { Enemy = ecs.tag("Enemy"), Boss = ecs.tag("Boss") }
local tuning = {}
ecs.on_start(function() ecs.spawn(C.Enemy, C.Boss) ecs.spawn(C.Enemy) end)
local function count(skip) return ecs.count { C.Enemy, without = skip or nil } end
ecs.system "s" { every = tuning.pace or nil, run = function()
  ecs.log(count(), count(C.Boss), ecs.count { C.Enemy, without = nil })
  local q = { C.Enemy, without = C.Bos }
  q.without = C.Boss
  ecs.log(ecs.count(q))
  q.without = nil
  local p = { with = C.Bos, any = C.Boz, 7, x = 1, without = C.Boy }
  local words = {}
  for k, v in pairs(p) do words[#words + 1] = tostring(k) .. "=" .. tostring(v) end
  ecs.log(table.concat(words, " "), #p, next({ with = C.Bos }), p.with)
  p.with = 2 p.y = 3
  words = {}
  for k, v in pairs(p) do words[#words + 1] = tostring(k) .. "=" .. tostring(v) end
  ecs.log(table.concat(words, " "))
end }`)
	r.run(1)
	r.wantLog("2 1 2 1 1=7 x=1 1 nil nil 1=7 x=1 with=2 y=3")
}
