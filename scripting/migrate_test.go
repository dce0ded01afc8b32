package scripting_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// health is a script with a component of these fields, a spawner and a system
// that shows what entities have.
func health(fields, options, show string) string {
	return `local H = ecs.component("Health", { ` + fields + ` }, { ` + options + ` })
ecs.on_start(function() for i = 1, 3 do ecs.spawn(P { x = i }, H { hp = i * 10 }) end end)
ecs.system "show" { query = { H, P }, each = function(e, h, p) ecs.log(` + show + `) end }`
}

func TestFieldsChangeWhileTheGameRuns(t *testing.T) {
	for name, c := range map[string]struct{ fields, options, show, want, note string }{
		"new field":   {`hp = ecs.u8(1), armor = ecs.i8(-5), shield = ecs.f32(7)`, ``, `h.hp, h.armor, h.shield`, "10 -5 7 20 -5 7 30 -5 7", "Health: 3 entities, new field shield = 7"},
		"wider":       {`hp = ecs.i32(1), armor = ecs.f64(1)`, ``, `h.hp, h.armor`, "10 -5 20 -5 30 -5", "field hp from u8 to i32"},
		"to float":    {`hp = ecs.f32(1), armor = ecs.i16()`, ``, `h.hp / 4`, "2.5 5 7.5", "field hp from u8 to f32"},
		"dropped":     {`hp = ecs.u8(1)`, `drop = { "armor" }`, `h.hp`, "10 20 30", "field armor dropped"},
		"migrated":    {`hp = ecs.u8(1), total = ecs.f64()`, `version = 3, migrate = function(old, from) return { total = old.hp + old.armor + from * 100 } end`, `h.hp, h.total`, "10 105 20 115 30 125", "migrated from version 1"},
		"same fields": {`hp = ecs.u8(1), armor = ecs.i8(-5)`, `version = 2, migrate = function(old, from) return { hp = old.hp * 2 } end`, `h.hp, h.armor`, "20 -5 40 -5 60 -5", "migrated from version 1"},
		"maybe":       {`hp = ecs.u8(1), armor = ecs.i8(-5), x = ecs.u8(1)`, `version = 2, migrate = function(old, from) return { x = (rawget(old, "hp") or 0) + (rawget(old, "before") or 2) } end`, `h.x`, "12 22 32", "migrated from version 1"},
		"array":       {`hp = ecs.u8(1), armor = ecs.i8(), list = ecs.array(ecs.u8(4), 3)`, ``, `h.hp, #h.list, h.list[3]`, "10 3 4 20 3 4 30 3 4", "new field list"},
	} {
		for _, storage := range []string{"", "sparse = true, "} {
			r := loaded(t, "a.lua", health(`hp = ecs.u8(1), armor = ecs.i8(-5)`, storage, `h.hp`))
			r.run(1)
			r.wantLog("10 20 30")
			r.save("a.lua", health(c.fields, storage+c.options, c.show))
			r.accepted()
			if got := r.logged(); got != c.want {
				t.Errorf("%s: logged %s, want %s", name, got, c.want)
			}
			if v := r.reloads[0].String(); !strings.Contains(v, c.note) || !strings.HasPrefix(v, "reload ok: 1 file, 1 system changed") {
				t.Errorf("%s: %s", name, v)
			}
			// What is made from now on has the new fields, and so has the next change.
			r.save("a.lua", health(c.fields+", last = ecs.u8(9)", storage+"version = 9", `h.last`)+` ecs.on_reload(function() ecs.spawn(P { x = 4 }, H { hp = 5 }) end)`)
			r.accepted()
			if got := r.logged(); got != "9 9 9 9" {
				t.Errorf("%s: then logged %s", name, got)
			}
		}
	}
}

func TestFieldsThatWouldBeLostAreRefused(t *testing.T) {
	old := `hp = ecs.u8(1), armor = ecs.i8(-5), team = ecs.enum("red", "blue")`
	for text, want := range map[string]string{
		health(`hp = ecs.u8(1), shield = ecs.u8(3), team = ecs.enum("red", "blue")`, ``, `1`):                           `Health: 3 entities, new field shield = 3, field armor would be lost: keep it, or add migrate, or drop = { "armor" }`,
		health(`hp = ecs.bool(), armor = ecs.i8(), team = ecs.enum("red", "blue")`, ``, `1`):                            `field hp would be lost, as it goes from u8 to bool, which cannot hold all of its values: keep the kind, or add migrate, or drop = { "hp" }`,
		health(`hp = ecs.u8(1), armor = ecs.u8(), team = ecs.enum("red", "blue")`, ``, `1`):                             `field armor would be lost`,
		health(`hp = ecs.u8(1), armor = ecs.i8(), team = ecs.enum("blue", "green")`, ``, `1`):                           `field team would be lost, as it may hold "red", which is none of its words any more: keep that word, or add migrate`,
		health(old+`, x = ecs.u8()`, `sparse = true`, `1`):                                                              `option "sparse"`,
		health(old+`, x = ecs.u8()`, `migrate = function(old) if old.hp == 20 then error("no") end return {} end`, `1`): `migrate of "Health": no`,
		health(old+`, x = ecs.u8()`, `migrate = function(old) return { x = old.amor and 1 } end`, `1`):                  `version 1 of "Health" had no field "amor" (did you mean "armor"?)`,
		health(old+`, x = ecs.u8()`, `migrate = function(old) return { y = 1 } end`, `1`):                               `unknown field "y" of "Health"`,
		health(old+`, x = ecs.u8()`, `migrate = function(old) return { x = 300 } end`, `1`):                             `field "x": number out of range`,
		health(old+`, x = ecs.u8()`, `migrate = function(old) ecs.spawn(P) return {} end`, `1`):                         `ecs.spawn`,
		health(old+`, x = ecs.u8()`, `migrate = function(old) while true do end end`, `1`):                              `ran too long`,
		health(old+`, x = ecs.u8()`, `migrate = function(old) end`, `1`):                                                `expected a table of the new fields, got nil`,
		health(old+`, x = ecs.u8()`, `migrate = 5, drop = 7`, `1`):                                                      `option "migrate": expected a function`,
		`ecs.component("Position", { x = ecs.f32() })`:                                                                  `declared by the Go host with other fields`,
		`local H = ecs.component("Health", { hp = ecs.u8(1) }) local I = ecs.component("Health", { hp = ecs.u16(1) })`:  `declared with other fields in a.lua:2`,
		health(old+`, x = ecs.u8()`, ``, `1`) + ` ecs.system "late" { after = "nowhere", run = function() end }`:        `nowhere`,
	} {
		r := loaded(t, "a.lua", health(old, ``, `h.hp, h.armor, h.team`))
		r.run(1)
		sum := r.world.Checksum()
		r.logged()
		r.save("a.lua", text)
		r.refused(want)
		r.wantLog("10 -5 red 20 -5 red 30 -5 red")
		if r.world.Checksum() != sum {
			t.Errorf("%s: a refused change has left something behind", want)
		}
	}
	// Nobody has one: nothing is lost.
	r := loaded(t, "a.lua", `local H = ecs.component("Health", { hp = ecs.u8(1) })`)
	r.run(1)
	r.save("a.lua", `local H = ecs.component("Health", { hit = ecs.bool() })`)
	r.accepted()
}

// TestVerdictSaysWhatMigrateGot: which words an enum has lost and how long an array has become,
// where both have the kind that they had.
func TestVerdictSaysWhatMigrateGot(t *testing.T) {
	r := loaded(t, "a.lua", health(`hp = ecs.u8(1), team = ecs.enum("red", "blue"), q = ecs.array(ecs.f64(), 8), n = ecs.u8()`, ``, `1`))
	r.run(1)
	r.save("a.lua", health(`hp = ecs.u8(1), team = ecs.enum("blue"), q = ecs.array(ecs.f64(), 4), n = 1`, `version = 2, migrate = function(old) return { n = old.n } end`, `1`))
	r.accepted()
	for _, want := range []string{`field team without ["red"]`, "field q from an array of 8 f64 to an array of 4 f64", "field n from u8 to f64"} {
		if v := r.verdict(); !strings.Contains(v, want) {
			t.Errorf("%s lacks %s", v, want)
		}
	}
	r.save("a.lua", health(`hp = ecs.u8(1), team = ecs.enum("blue")`, `version = 3, migrate = function(old) return old end`, `1`))
	r.refused(`unknown field "n" of "Health": it is gone; return a new table with the fields that there are now, not the old one`)
	if e, ok := errors.AsType[*scripting.Error](r.reloads[1].Err); !ok || e.Column == 0 {
		t.Errorf("no column: %v", r.reloads[1].Err)
	}
}

// Scripts that use the component in another way than by require are run again.
func TestAllUsersOfChangedFieldsAreRunAgain(t *testing.T) {
	exported := ` return H`
	r := loaded(t, "a.lua", health(`hp = ecs.u8(1)`, ``, `h.hp`)+exported, "c.lua", `ecs.log("c ran")`)
	r.run(1)
	r.wantLog("c ran 10 20 30")
	r.save("0.lua", `local H = require "a" local Strong = ecs.prefab("Strong", { H { hp = 99 } })
ecs.system "zz.native" { query = { H }, batch = function(b) local hp = b:write(H, "hp") ecs.log("b", hp[1], hp[b.n]) end }
ecs.system "zzz.make" { when = function(ctx) return ctx.tick == 4 end, run = function() ecs.spawn(Strong, P) end }
ecs.on_add(H, function(e, h) ecs.log("added", h.hp) end)`)
	r.accepted()
	r.wantLog("10 20 30 b 10 30")
	r.save("a.lua", health(`a = ecs.f64(1), hp = ecs.f64(1), z = ecs.u8(2)`, ``, `h.hp, h.z`)+exported)
	r.accepted()
	r.wantLog("10 2 20 2 30 2 b 10 30")
	if r.reloads[1].Files != 2 {
		t.Errorf("%d files ran again", r.reloads[1].Files)
	}
	r.run(2)
	if got := r.logged(); !strings.Contains(got, "added 99") || !strings.HasSuffix(got, "99 2 b 10 99") {
		t.Errorf("logged %s", got)
	}
}

// TestAllWhoDeclareChangedFieldsAreRunAgain: a script that declares the same component is no
// dependent of the one whose fields change, and must not be left with the old ones.
func TestAllWhoDeclareChangedFieldsAreRunAgain(t *testing.T) {
	r := loaded(t, "a.lua", health(`hp = ecs.u8(1)`, ``, `h.hp`), "b.lua", `ecs.component("Health", { hp = ecs.u8(1) })`)
	r.run(1)
	r.save("a.lua", health(`hp = ecs.f64(1)`, ``, `h.hp`))
	r.refused(`"Health" is declared with other fields`)
	r.save("b.lua", `ecs.component("Health", { hp = ecs.f64(1) })`)
	r.accepted()
	r.wantLog("10 20 30 10 20 30 10 20 30")
}

// Values, prefabs and events that functions of an old version have kept know
// that they are of another form.
func TestValuesOfOldFormsAreRefused(t *testing.T) {
	r := loaded(t, "reg.lua", `local list = {} return { put = function(f) list[#list + 1] = f end, list = list }`,
		"a.lua", `local reg = require "reg"
local H, E = ecs.component("H", { hp = ecs.u8(1) }), ecs.event("E", { n = ecs.u8() })
local v, p, ev = H { hp = 5 }, ecs.prefab("Pre", { H { hp = 6 } }), E { n = 3 }
reg.put(function() ecs.spawn(v) end) reg.put(function() ecs.spawn(p) end) reg.put(function() ecs.emit(ev) end)
reg.put(function() ecs.set(ecs.find(H), v) end) reg.put(function() local h = ecs.get(ecs.find(H), H) ecs.log(h.hp, h.far) end)
ecs.on_start(function() ecs.spawn(p) end)`,
		"z.lua", `local reg = require "reg" ecs.system "z" { run = function() for i = 1, 5 do ecs.log(i, (select(2, pcall(reg.list[i])))) end end }`)
	r.run(1)
	r.logged()
	r.save("a.lua", `local H, E = ecs.component("H", { hp = ecs.u8(1), far = ecs.array(ecs.f64(3), 400) }), ecs.event("E", { n = ecs.u8(), m = ecs.array(ecs.f64(), 300) })`)
	r.accepted()
	if got := r.logged(); strings.Count(got, "before its fields changed") != 4 || !strings.Contains(got, "5 { 3, 3, ") {
		t.Errorf("logged %s", got)
	}
}

func TestEventsThatWaitAreConverted(t *testing.T) {
	text := `local E = ecs.event("E", { %s })
ecs.system "send" { priority = 50, when = function(ctx) return ctx.tick == 1 end, run = function() ecs.emit(E { n = 1 }) ecs.emit(E { n = 2 }) end }
ecs.system "read" { on = E, each = function(ev) ecs.log(%s) end }`
	r := loaded(t, "a.lua", fmt.Sprintf(text, "n = ecs.u8(), m = ecs.u8(4)", "ev.n"))
	r.run(1)
	r.wantLog("")
	r.save("a.lua", fmt.Sprintf(text, "n = ecs.f64(), k = ecs.u8(7)", "ev.n, ev.k"))
	r.accepted()
	r.wantLog("1 7 2 7")
	if v := r.reloads[0].String(); !strings.Contains(v, "E: 2 events that wait, new field k = 7") || !strings.Contains(v, "field m dropped") {
		t.Errorf("%s", v)
	}
}

// TestMigrateIsBounded: one that does not end, and one that takes its time for each
// of many values, refuse the reload by what they have counted.
func TestMigrateIsBounded(t *testing.T) {
	for body, want := range map[string]string{
		`while true do end`:        "(Limits.Migrate)",
		`for i = 1, 400000 do end`: "(Limits.MigrateTotal)",
	} {
		text := func(version int, migrate string) string {
			return fmt.Sprintf(`local H = ecs.component("Health", { hp = ecs.u8(1) }, { version = %d%s })
ecs.on_start(function() for i = 1, 200 do ecs.spawn(H { hp = 10 }) end end)
ecs.system "show" { query = { H }, batch = function(b) b:write(H, "hp")[1] = 11 end }`, version, migrate)
		}
		r := loadedWith(t, scripting.Limits{}, "a.lua", text(1, ""))
		r.run(2)
		r.save("a.lua", text(2, ", migrate = function(old) "+body+" return {} end"))
		r.step(1)
		if len(r.reloads) != 1 || r.reloads[0].Err == nil || !strings.Contains(r.reloads[0].Err.Error(), want) {
			t.Errorf("%s: %v, want %s", body, r.reloads, want)
		}
		r.reloads = nil
		r.save("a.lua", text(2, ", migrate = function(old) for i = 1, 1000 do end return { hp = old.hp + 1 } end"))
		r.accepted()
		r.run(1)
	}
}
