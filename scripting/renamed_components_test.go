package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// life is a script with a component under some name, entities that have it, and a
// system that shows them.
func life(name, fields, options, show string) string {
	return fmt.Sprintf(`local H = ecs.component(%q, { %s }, { %s })
ecs.on_start(function() for i = 1, 3 do ecs.spawn(P { x = i }, H { hp = i * 10 }) end end)
ecs.system "show" { query = { H, P }, each = function(e, h, p) ecs.log(%s) end }`, name, fields, options, show)
}

func (r *game) verdict() string { return r.reloads[len(r.reloads)-1].String() }

// TestRenamedComponentsKeepTheirValues: in chunks and in pools, with the same fields and
// with others, with migrate; the line stays in the file, and reloads and fresh worlds
// take it.
func TestRenamedComponentsKeepTheirValues(t *testing.T) {
	for name, c := range map[string]struct{ fields, options, show, want, note string }{
		"same":     {`hp = ecs.u8(1)`, ``, `h.hp`, "10 20 30", "Life: 3 entities, renamed from Health"},
		"default":  {`hp = ecs.u8(9)`, ``, `h.hp`, "10 20 30", "Life: 3 entities, renamed from Health"},
		"wider":    {`hp = ecs.f64(1), max = ecs.u8(7)`, ``, `h.hp / 4, h.max`, "2.5 7 5 7 7.5 7", "Life: 3 entities, renamed from Health, new field max = 7, field hp from u8 to f64"},
		"migrated": {`total = ecs.f64()`, `version = 3, migrate = function(old, from) return { total = old.hp + from * 100 } end`, `h.total`, "110 120 130", "renamed from Health, new field total = 0, field hp dropped, migrated from version 1"},
		"dropped":  {`n = ecs.u8(4)`, `drop = { "hp" }`, `h.n`, "4 4 4", "field hp dropped"},
		"tag":      {``, `drop = { "hp" }`, `p.x`, "1 2 3", "field hp dropped"},
	} {
		for _, storage := range []string{"", "sparse = true, "} {
			r := loaded(t, "a.lua", life("Health", `hp = ecs.u8(1)`, storage, `h.hp`))
			r.run(1)
			r.wantLog("10 20 30")
			text := life("Life", c.fields, storage+`was = "Health", `+c.options, c.show)
			for round := range 3 {
				r.save("a.lua", text+strings.Repeat("\n", round))
				r.accepted()
				if got := r.logged(); got != c.want {
					t.Errorf("%s, round %d: logged %s, want %s", name, round, got, c.want)
				}
				if got := r.verdict(); strings.Contains(got, c.note) != (round == 0) || round > 0 && strings.Contains(got, "\n") {
					t.Errorf("%s, round %d: %s", name, round, got)
				}
			}
			if _, ok := r.world.Raw().ComponentNamed("Health"); ok {
				t.Errorf("%s: the old name is there still", name)
			}
			fresh := loaded(t, "a.lua", strings.ReplaceAll(text, "hp = i * 10", ""))
			fresh.run(1)
			fresh.save("a.lua", strings.ReplaceAll(text, "hp = i * 10", "")+"\n")
			fresh.accepted()
		}
	}
}

// TestRenamedWithOthers: whoever holds the component, by require or by a registry, has
// it under its new name; who names the old one is told of the new.
func TestRenamedWithOthers(t *testing.T) {
	kinds := func(name, was string) string {
		return fmt.Sprintf(`return { Health = ecs.component(%q, { hp = ecs.u8(1) }, { %s }) }`, name, was)
	}
	const user = `local C = require "kinds"
ecs.on_start(function() ecs.spawn(C.Health { hp = 5 }) end)
ecs.system "user" { query = { C.Health }, each = function(e, h) h.hp = h.hp + 1 end }`
	const keeper = `local K = {} function K.put(c) K.c = c end
ecs.system "keeper" { after = "user", run = function() local e = ecs.find { K.c } ecs.log(ecs.get(e, K.c, "hp"), tostring(K.c)) end } return K`
	r := loaded(t, "keeper.lua", keeper, "kinds.lua", kinds("Health", ""), "user.lua", user, "z.lua", `require("keeper").put(require("kinds").Health)`)
	r.run(1)
	r.wantLog("6 the component Health")
	r.save("kinds.lua", kinds("Life", `was = "Health"`))
	r.accepted()
	r.wantLog("7 the component Life")
	r.save("n.lua", `local H = ecs.native("Health")`)
	r.refused(`n.lua:2: unknown native component "Health"`)
	r.save("n.lua", `local H = ecs.component("Life", { hp = ecs.u8(1) }) ecs.system "n" { query = { H }, each = function(e, h) h.hp = h.hp + 10 end }`)
	r.accepted()
	r.logged()
	r.save("kinds.lua", kinds("Soul", `was = "Life"`))
	r.refused(`component "Life" is called "Soul" now: kinds.lua:2 says so`)
	if got := r.logged(); !strings.HasSuffix(got, "the component Life") {
		t.Error(got)
	}
	r.save("n.lua", `local H = require("kinds").Health ecs.system "n" { query = { H }, each = function(e, h) h.hp = h.hp + 10 end }`)
	r.accepted()
	if got := r.logged(); !strings.HasSuffix(got, "the component Soul") {
		t.Error(got)
	}
}

// TestRenamedLater: a version without was has been saved in between, and both components
// have entities. Values move over, those who have both keep both.
func TestRenamedLater(t *testing.T) {
	for _, sparse := range []string{"", "sparse = true"} {
		r := loaded(t, "a.lua", life("Health", `hp = ecs.u8(1), old = ecs.u8(3)`, sparse, `p.x, h.hp`))
		r.run(1)
		r.wantLog("1 10 2 20 3 30")
		spawner := ` ecs.on_reload(function() ecs.spawn(P { x = 9 }, H { hp = 99 }) for e in ecs.entities(P) do if ecs.get(e, P, "x") == 2 then ecs.add(e, H { hp = 77 }) end end end)`
		r.save("a.lua", life("Life", `hp = ecs.u16(1)`, "", `p.x, h.hp`)+spawner)
		r.accepted()
		if got := r.verdict(); !strings.Contains(got, `Health: 3 entities have it, and no file declares it any more: their values stay, unseen, until one declares "Health" again; if it has another name now, give that the option was = "Health"; if they can go, ecs.drop("Health")`) {
			t.Error(got)
		}
		r.logged()
		r.save("a.lua", life("Life", `hp = ecs.u16(1)`, `was = "Health"`, `p.x, h.hp`))
		r.refused(`Life: 2 entities, renamed from Health, field hp from u8 to u16, field old would be lost`)
		r.logged()
		r.save("a.lua", life("Life", `hp = ecs.u16(1)`, `was = "Health", drop = { "old" }`, `p.x, h.hp`))
		r.accepted()
		if got := r.logged(); sorted(got, 2) != "1 10|2 77|3 30|9 99" {
			t.Errorf("logged %s", got)
		}
		if got := r.verdict(); !strings.Contains(got, "Life: 2 entities, renamed from Health, field hp from u8 to u16, field old dropped") ||
			!strings.Contains(got, "Life: 1 entity has it already, which stays; the values of Health stay there, too, unseen") {
			t.Error(got)
		}
		r.save("a.lua", life("Life", `hp = ecs.u16(1)`, `drop = { "old" }`, `p.x, h.hp`)+` ecs.drop "Health"`)
		r.accepted()
		if got := r.verdict(); !strings.Contains(got, `Health: 1 entity loses it, as ecs.drop("Health") says`) {
			t.Error(got)
		}
		r.logged()
		r.save("a.lua", life("Life", `hp = ecs.u16(1)`, ``, `p.x, h.hp`)+` ecs.drop "Health" ecs.on_reload(function() ecs.log("here") end)`)
		r.accepted()
		if got := r.verdict(); strings.Contains(got, "\n") || !strings.HasPrefix(r.logged(), "here") {
			t.Error(got)
		}
	}
}

// sorted puts groups of words in order.
func sorted(text string, size int) string {
	words := strings.Fields(text)
	var groups []string
	for i := 0; i+size <= len(words); i += size {
		groups = append(groups, strings.Join(words[i:i+size], " "))
	}
	for i := range groups {
		for j := range i {
			if groups[i] < groups[j] {
				groups[i], groups[j] = groups[j], groups[i]
			}
		}
	}
	return strings.Join(groups, "|")
}

// TestOldNamesThatCannotBe: what was and ecs.drop may not say, and that a refused load
// leaves the world as it was.
func TestOldNamesThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		`ecs.component("Life", { hp = ecs.u8(1) }, { was = "Helth" })`:                                                                        `a.lua:2: component "Life": was = "Helth": there is no such component (did you mean "Health"?)`,
		`ecs.component("Life", { hp = ecs.u8(1) }, { was = "Position" })`:                                                                     `which is the host's`,
		`ecs.component("Life", { hp = ecs.u8(1) }, { was = "ScriptError" })`:                                                                  `which is the host's`,
		`ecs.component("Life", { hp = ecs.u8(1) }, { was = "Life" })`:                                                                         `that is the name which it has`,
		`ecs.component("Life", { hp = ecs.u8(1) }, { was = { "Health" } })`:                                                                   `expected the name that it had before, got a table`,
		`ecs.component("Life", { hp = ecs.u8(1) }, { was = "Health" }) ecs.component("Soul", { hp = ecs.u8(1) }, { was = "Health" })`:         `component "Soul": was = "Health" says "Life" in a.lua:2, too`,
		`ecs.component("Health", { hp = ecs.u8(1) }) ecs.component("Life", { hp = ecs.u8(1) }, { was = "Health" })`:                           `component "Life": was = "Health", but a.lua:2 declares "Health" still`,
		`ecs.component("Life", { hp = ecs.u8(1) }, { was = "Health" }) ecs.component("Health", { hp = ecs.u8(1) })`:                           `component "Health" is called "Life" now: a.lua:2 says so`,
		`ecs.component("Life", { hp = ecs.u8(1) }, { was = "Other" })`:                                                                        `was = "Other", but b.lua uses "Other" still`,
		`ecs.component("Life", { hp = ecs.u8(1) }, { was = "Health", sparse = true })`:                                                        `it cannot change together with the name`,
		`ecs.component("Life", { hp = ecs.u8(1) }, { was = "Health", sparse = false }) ecs.system "s" { after = "no", run = function() end }`: `"no"`,
		`ecs.component("Life", { hp = ecs.bool() }, { was = "Health" })`:                                                                      `Life: 3 entities, renamed from Health, field hp would be lost`,
		`ecs.component("Life", { hp = ecs.u16() }, { was = "Health", migrate = function() error("no") end })`:                                 `migrate of "Life": no`,
		`ecs.tag("Life", { was = "Health" })`:                                                                                                 `field hp would be lost`,
		`ecs.tag("Life", { wass = "Health" })`:                                                                                                `tag "Life": unknown option "wass" (did you mean "was"?): there are sparse, tracked, was`,
		`ecs.drop("Helth")`:                                                                                                                   `ecs.drop("Helth"): there is no such component (did you mean "Health"?)`,
		`ecs.drop("Position")`:                                                                                                                `ecs.drop("Position"): it is the host's`,
		`ecs.drop("Other")`:                                                                                                                   `ecs.drop("Other"), but b.lua uses "Other" still`,
		`ecs.component("Life", { hp = ecs.u8(1) }, { was = "Health" }) ecs.drop("Health")`:                                                    `ecs.drop("Health"), but a.lua:2 says that it is "Life" now`,
	} {
		r := loadedWith(t, scripting.Limits{}, "a.lua", life("Health", `hp = ecs.u8(1)`, ``, `h.hp`), "b.lua", `ecs.component("Other", { hp = ecs.u8(1) }) ecs.tag("Plain")`)
		r.run(1)
		sum := r.world.Checksum()
		r.logged()
		r.save("a.lua", text)
		r.refused(want)
		if got := r.logged(); got != "10 20 30" || r.world.Checksum() != sum {
			t.Errorf("%s: logged %s, a refused load has left something behind", text, got)
		}
		r.save("a.lua", life("Life", `hp = ecs.u8(1)`, `was = "Health"`, `h.hp`))
		r.accepted()
		r.wantLog("10 20 30")
	}
}
