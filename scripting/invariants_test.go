package scripting_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// invariantGame is a host with one file, which collects what OnError gets.
type invariantGame struct {
	t      *testing.T
	world  *ecs.World
	host   *scripting.Host
	folder fstest.MapFS
	got    []*scripting.Error
}

func newInvariantGame(t *testing.T, options ecs.Options, text string) *invariantGame {
	t.Helper()
	g := &invariantGame{t: t, folder: fstest.MapFS{"game.lua": {Data: []byte(text)}}}
	var err error
	if g.world, err = ecs.Open(options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.world.Close() })
	g.host, err = scripting.New(g.world, scripting.Options{OnError: func(e *scripting.Error) { g.got = append(g.got, e) }, OnReload: func(r scripting.Reload) {
		if r.Err != nil {
			t.Error(r.Err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.host.Close() })
	if err := g.host.Load(g.folder); err != nil {
		t.Fatal(err)
	}
	return g
}

// step makes a step and returns what it reports, a line each.
func (g *invariantGame) step() string {
	g.t.Helper()
	g.got = nil
	if err := g.host.Step(1); err != nil {
		g.t.Fatal(err)
	}
	var lines []string
	for _, e := range g.got {
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}

// save stages a new text.
func (g *invariantGame) save(text string) {
	g.folder["game.lua"] = &fstest.MapFile{Data: []byte(text)}
	g.host.Stage([]string{"game.lua"}, nil)
}

const lampText = `local ecs = require "ecs"
local Battery = ecs.component("Battery", { charge = ecs.f32(10, { min = 0, max = 20 }) })
local Lamp = ecs.component("Lamp", {
  light = ecs.f32(1, { finite = true }),
  most = ecs.i32(5),
  state = ecs.enum("off", "on", "broken"),
}, {
  invariant = { "light <= most", "light <= Battery.charge" },
  transitions = { state = { off = "on", on = { "off", "broken" } } },
})
ecs.on_start(function() ecs.spawn(Lamp, Battery) end)
local plan = ecs.state("plan", { tick = 0 })
ecs.system "lamp.plan" { query = { Lamp, Battery }, each = function(e, lamp, battery)
  plan.tick = plan.tick + 1
  if plan.tick == 2 then battery.charge = 21 end
  if plan.tick == 3 then battery.charge = 10; lamp.light = 6 end
  if plan.tick == 4 then lamp.light = 0/0 end
  if plan.tick == 5 then lamp.light = 1; lamp.state = "broken" end
  if plan.tick == 6 then lamp.state = "off" end
end }
`

// TestScriptsDeclareInvariants in all forms, and the reports name place, system, tick and entity.
func TestScriptsDeclareInvariants(t *testing.T) {
	g := newInvariantGame(t, ecs.Options{}, lampText)
	if got := g.step(); got != "" {
		t.Fatal(got)
	}
	for i, want := range [][]string{
		{`game.lua:2:53: system "lamp.plan": tick 2: entity 1v1: component "Battery": 0 <= charge <= 20 must hold, but charge = 21`},
		{`game.lua:8:17: system "lamp.plan": tick 3: entity 1v1: component "Lamp": light <= most must hold, but light = 6, most = 5`},
		{`game.lua:4:11: `, `light finite must hold, but light = NaN`, "light <= Battery.charge must hold"},
		{`game.lua:9:27: system "lamp.plan": tick 5: entity 1v1: component "Lamp": state: off -> on; on -> broken, off must hold, but state = broken (before: state = off)`},
		{`state = off (before: state = broken)`},
		{},
	} {
		got := g.step()
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("tick %d: %s\nwant %s", i+2, got, part)
			}
		}
		if len(want) == 0 && got != "" {
			t.Error(got)
		}
		for _, e := range g.got {
			var v *ecs.Violation
			if !errors.Is(e, ecs.ErrInvariant) || !errors.As(e, &v) || v.Owner != "game.lua" || e.Entity != v.Entity {
				t.Errorf("%v: %+v", e, v)
			}
		}
	}
	if total := g.host.Faults().Total; total < 6 {
		t.Errorf("%d faults", total)
	}
	if err := g.world.Check(); err != nil {
		t.Error(err)
	}
}

// TestAReloadChangesInvariants: values that break the new ones are reported once, those that
// stay are not looked at again, and none is left of a script that has gone.
func TestAReloadChangesInvariants(t *testing.T) {
	text := func(bounds string) string {
		return `local ecs = require "ecs"
local Purse = ecs.component("Purse", { gold = ecs.i32(50` + bounds + `) })
ecs.on_start(function() ecs.spawn(Purse); ecs.spawn(Purse) end)
`
	}
	g := newInvariantGame(t, ecs.Options{}, text(", { max = 100 }"))
	for i, c := range []struct{ bounds, want string }{
		{"", ""}, {", { max = 60 }", ""}, {", { max = 60, min = 50 }", ""}, {", { max = 70 }", ""},
	} {
		g.save(text(c.bounds))
		if got := g.step(); got != c.want {
			t.Errorf("%d: %s", i, got)
		}
	}
	g.save(strings.Replace(text(", { max = 40 }"), "i32(50", "i32(20", 1))
	if got := g.step(); !strings.Contains(got, "game.lua:2:47: ") || !strings.Contains(got, "2 entities break it") || !strings.Contains(got, "gold = 50") {
		t.Error(got)
	}
	if got := g.step(); got != "" {
		t.Error("again: " + got)
	}
	g.save(strings.Replace(text(", { max = 40 }"), "i32(50", "f64(20", 1)) // another kind: the values are converted
	if got := g.step(); !strings.Contains(got, "gold = 50") && g.host.Faults().Total < 4 {
		t.Error(got)
	}
	if err := g.host.Unload("game.lua"); err != nil {
		t.Fatal(err)
	}
	for e := range g.world.Entities() {
		id, _ := g.world.Raw().ComponentNamed("Purse")
		g.world.Raw().Touch(e, id)
	}
	if got := g.step(); got != "" || len(g.world.Schedule().Violations(0)) != 0 {
		t.Error(got)
	}
}

// TestWrongInvariantsOfScripts are refused in simple words, at their places.
func TestWrongInvariantsOfScripts(t *testing.T) {
	for declared, want := range map[string]string{
		`ecs.component("A", { hp = ecs.f32(1, { mn = 0 }) })`:                                                                              `game.lua:2:40: ecs.f32: unknown option "mn" (did you mean "min"?)`,
		`ecs.component("A", { hp = ecs.f32(1, { min = "x" }) })`:                                                                           `option "min": expected a number, got the string "x"`,
		`ecs.component("A", { hp = ecs.f32(1, { min = 3, max = 2 }) })`:                                                                    `min is 3 and max is 2`,
		`ecs.component("A", { hp = ecs.u8(1, { finite = true }) })`:                                                                        `u8 holds whole numbers`,
		`ecs.component("A", { hp = ecs.f32(1, { finite = 1 }) })`:                                                                          `expected true or false, got the number 1`,
		`ecs.component("A", { hp = ecs.f32(1, 2) })`:                                                                                       `ecs.f32: argument 2: expected a table, got the number 2`,
		`ecs.component("A", { on = ecs.bool(true, { min = 0 }) })`:                                                                         `ecs.bool`,
		`ecs.component("A", { hp = ecs.f32(100, { max = 50 }) })`:                                                                          `game.lua:2:27: field "hp" of "A": the default 100 is not between min and max`,
		`ecs.event("E", { hp = ecs.f32(1, { min = 0 }) })`:                                                                                 `game.lua:2:23: field "hp" of the event "E": min, max and finite are for components`,
		`ecs.component("A", { hp = 1 }, { invariant = "hp <= mx" })`:                                                                       `game.lua:2:46: component "A", invariant "hp <= mx": unknown: "A" has no field "mx": it has hp`,
		`ecs.component("A", { hp = 1 }, { invariant = { "hp > 0", "hp = 1" } })`:                                                           `game.lua:2:58: component "A", invariant "hp = 1": `,
		`ecs.component("A", { hp = 1 }, { invariant = "hp < Armor.cap" })`:                                                                 `there is no field and no component "Armor": declare it in this file before`,
		`ecs.component("A", { hp = 1 }, { invariant = 3 })`:                                                                                `expected a comparison such as "hp <= max", or a list of them, got the number 3`,
		`ecs.component("A", { hp = 1 }, { invariant = { 3 } })`:                                                                            `expected a comparison such as "hp <= max", got the number 3`,
		`ecs.component("A", { s = ecs.enum("a", "b") }, { transitions = { s = { a = "c" } } })`:                                            `field "s" has no state "c": it has a, b`,
		`ecs.component("A", { s = ecs.enum("a", "b") }, { transitions = { s = "b" } })`:                                                    `expected { field = { state = { "next state", … } } }, got the string "b"`,
		`ecs.component("A", { hp = 1 }, { transitions = { hp = { a = "b" } } })`:                                                           `field "hp" is no enum`,
		`ecs.component("A", { hp = 1 }, { transitions = 1 })`:                                                                              `got the number 1`,
		`ecs.component("A", { hp = 1 }, { invarient = "hp > 0" })`:                                                                         `did you mean "invariant"?`,
		`local t = {} for i = 1, 65 do t[i] = "hp > " .. i end ecs.component("A", { hp = 1 }, { invariant = t })`:                          `more than 64 invariants`,
		`for k = 1, 5 do local t = {} for i = 1, 60 do t[i] = "hp > " .. i end ecs.component("A" .. k, { hp = 1 }, { invariant = t }) end`: `more than 256 invariants`,
		`ecs.component("A", { hp = 1 }, { invariant = ("x"):rep(2000) })`:                                                                  `at most 1,024 bytes`,
	} {
		w := ecs.NewWorld()
		host, err := scripting.New(w, scripting.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = host.Load(fstest.MapFS{"game.lua": {Data: []byte("local ecs = require \"ecs\"\n" + declared)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nwant %s", declared, err, want)
		}
		host.Close()
		w.Close()
	}
}

// TestStrictInvariantsInAHost are returned by Step, once, and reported, once.
func TestStrictInvariantsInAHost(t *testing.T) {
	g := newInvariantGame(t, ecs.Options{StrictInvariants: true}, `local ecs = require "ecs"
local A = ecs.component("A", { n = ecs.f64(0, { min = 0 }) })
ecs.on_start(function() ecs.spawn(A { n = -1 }) end)
`)
	purses := ecs.Register[struct{ Gold float64 }](g.world, ecs.Named("Gold"), ecs.Range("gold", 0, 1))
	g.world.Spawn(purses.With(struct{ Gold float64 }{2}))
	err := g.host.Step(1)
	if many, ok := err.(interface{ Unwrap() []error }); !errors.Is(err, ecs.ErrInvariant) || !ok || len(many.Unwrap()) != 2 || len(g.got) != 2 {
		t.Errorf("%v, reported %v", err, g.got)
	}
	if g.got[0].Script != "game.lua" && g.got[1].Script != "game.lua" {
		t.Error(g.got)
	}
	if err := g.host.Step(1); err != nil {
		t.Error(err)
	}
	purses.Edit(g.world.Query(ecs.Read(purses)).First()).Gold = 5
	if err := g.world.Step(1); !errors.Is(err, ecs.ErrInvariant) { // without the host
		t.Error(err)
	}
}

// TestChecksOfInvariantsHoldNoFrame: under release limits a step checks a part, the next ones the others;
// once the host is closed, the world has no limit.
func TestChecksOfInvariantsHoldNoFrame(t *testing.T) {
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	found := 0
	limits := scripting.ReleaseLimits(60)
	if limits.Checks < 100_000 || limits.Checks > 2_000_000 {
		t.Fatalf("Checks is %d", limits.Checks)
	}
	limits.Checks = 10_000
	host, err := scripting.New(w, scripting.Options{Limits: limits, OnError: func(e *scripting.Error) {
		if !errors.Is(e, ecs.ErrInvariant) {
			t.Error(e)
		}
		found++
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Load(fstest.MapFS{"a.lua": {Data: []byte(`
local ecs = require "ecs"
local C = ecs.component("C", { a = ecs.array(ecs.u8(1, { min = 0, max = 200 }), 4096), b = ecs.f64(1, { max = 5 }), n = ecs.f64() })
ecs.on_start(function() for i = 1, 100 do ecs.spawn(C { b = i == 77 and 6 or 1 }) end end)
ecs.system "w" { query = { C }, each = function(e, c) c.n = c.n + 1 end }
`)}}); err != nil {
		t.Fatal(err)
	}
	behind := 0
	for range 40 {
		if err := host.Step(1.0 / 60); err != nil {
			t.Fatal(err)
		}
		behind = max(behind, w.Stats().Unchecked)
	}
	if behind == 0 || found < 1 || found > 20 {
		t.Errorf("at most %d invariants were behind, and what breaks one was found in %d of 40 steps", behind, found)
	}
	if err := host.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Step(1); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.Stats().Unchecked; n != 0 {
		t.Errorf("without the host, %d invariants are behind", n)
	}
}
