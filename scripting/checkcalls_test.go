package scripting_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/scripting"
)

// checked loads files, and returns what Check reports, one line each.
func checked(t *testing.T, files fstest.MapFS) []string {
	t.Helper()
	var lines []string
	withHost(t, files, func(host *scripting.Host, _ *logbook) {
		for _, e := range checkOf(t, host) {
			lines = append(lines, e.Error())
		}
	})
	return lines
}

func checkOf(t *testing.T, host *scripting.Host) []*scripting.Error {
	t.Helper()
	problems, err := host.Check()
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// withHost runs a function with a host of its own, which has loaded files as far as they go,
// and with what it logs.
func withHost(t *testing.T, files fstest.MapFS, run func(*scripting.Host, *logbook)) {
	t.Helper()
	w := ecs.NewWorld()
	ecs.Provide(w, &Score{})
	store, err := asset.Open(w, files)
	if err == nil {
		_, err = asset.Register(store, fs.ReadFile, "*.png")
	}
	if err != nil {
		t.Fatal(err)
	}
	logs := &logbook{lines: &[]string{}, places: &[]string{}}
	host := newHost(t, w, scripting.Options{Logger: slog.New(logs), NoKernels: true, Slots: true, OnError: func(*scripting.Error) {}})
	_ = host.Load(files)
	run(host, logs)
	if err := host.Close(); err != nil {
		t.Error(err)
	}
}

var (
	checkRounds = flag.Int("check.rounds", 10, "random calls of each function of ecs that are checked and made, in two places")
	checkSeed   = flag.Int("check.seed", 2, "the seed of these calls")
)

// callsHead declares what the calls below name.
const callsHead = `local ecs = require "ecs"
local C = require "parts"
local Health = ecs.component("Health", { hp = ecs.u8(3), mode = ecs.enum("idle", "walk"), at = ecs.array(ecs.f32(), 2), on = ecs.bool() })
local Red = ecs.tag "Red"
local Hit = ecs.event("Hit", { amount = ecs.f32(1) })
local Goblin = ecs.prefab("Goblin", { Health { hp = 2 } })
local five, word, hold = 5, "Health", nil
local add = ecs.add
`

var callsModule = &fstest.MapFile{Data: []byte(`local ecs = require "ecs"
return { Armor = ecs.component("Armor", { thick = 1 }), speed = 3 }`)}

// Each call stands in a function that never runs. What begins the report is written beside
// it; nothing means that there is none.
func TestCheckReportsCallsThatWouldFail(t *testing.T) {
	for call, want := range map[string]string{
		`ecs.despawn("x")`:                          `10:13: ecs.despawn: argument 1: expected an entity, got the string "x"`,
		`ecs.despawn(five)`:                         `10:13: ecs.despawn: argument 1: the number 5 is not an entity`,
		`ecs.add(e, "Health")`:                      `10:12: ecs.add: argument 2: expected a component, a value or a prefab, got the string "Health"; components are given as they are, without quotes`,
		`add(e, word)`:                              `10:8: ecs.add: argument 2: expected a component, a value or a prefab, got the string "Health"`,
		`ecs.has(e, Health, "Red")`:                 `10:20: ecs.has: argument 3: expected a component, got the string "Red"`,
		`ecs.count { Health, withot = Red }`:        `10:21: ecs.count: argument 1: unknown query option "withot" (did you mean "without"?)`,
		`ecs.count { e, 5 }`:                        `10:16: ecs.count: argument 1: query: expected a component, got the number 5`,
		`ecs.find { with = { C.Armor, 7 } }`:        `10:30: ecs.find: argument 1: with: expected a component, got the number 7`,
		`ecs.count(Health, Red)`:                    `10:19: ecs.count: expected at most 1 argument, got 2`,
		`ecs.get(e, Health, "hpp")`:                 `10:20: ecs.get: unknown field "hpp" of "Health" (did you mean "hp"?)`,
		`ecs.set(e, Health { hpp = 1 })`:            `10:21: unknown field "hpp" of "Health" (did you mean "hp"?)`,
		`ecs.set(e, Health { hp = -1 })`:            `10:26: field "hp" of "Health"`,
		`ecs.set(e, Health { mode = "wolk" })`:      `10:28: field "mode" of "Health": unknown value "wolk"`,
		`ecs.set(e, C.Armor { thik = e * 2 })`:      `10:22: unknown field "thik" of "Armor"`,
		`ecs.set(e, Health)`:                        `10:12: ecs.set: argument 2: expected a component with its fields`,
		`ecs.set(e)`:                                ``,
		`ecs.update(e, Health)`:                     `10:5: ecs.update: argument 3: expected a function, got nil`,
		`ecs.after("name", 5)`:                      `10:11: ecs.after: the seconds come first`,
		`ecs.after(five, function() end)`:           `10:17: ecs.after: argument 2: expected the name of a handler`,
		`ecs.emit(Health)`:                          `10:10: ecs.emit: argument 1: expected an event`,
		`ecs.emit(Hit { amout = 5 })`:               `10:16: unknown field "amout" of "Hit"`,
		`ecs.emit(Hit { 5 })`:                       `10:16: "Hit" takes fields by name`,
		`ecs.random(3, 1)`:                          `10:5: ecs.random: expected whole numbers with low <= high`,
		`ecs.enable("walk", 1)`:                     `10:20: ecs.enable: argument 2: expected true or false`,
		`ecs.spawn_many(-1, Health)`:                `10:16: ecs.spawn_many: argument 1`,
		`ecs.spawn(Goblin, Red, Health { hp = 2 })`: ``,
		`ecs.despawn(hold)`:                         `10:13: ecs.despawn: argument 1: expected an entity, got nil`,
		`ecs.despawn(e)`:                            ``,
		`ecs.set_parent(e, nil)`:                    ``,
		`ecs.set(e, Health { hpp = e })`:            `10:21: unknown field "hpp" of "Health"`,
		`ecs.set(e, Health { hpp = e or nil })`:     ``,
		`ecs.get(e, C.Other, "x")`:                  `10:12: ecs.get: argument 2: expected a component, got nil`,
		`pcall(function() ecs.despawn("x") end)`:    ``,
		`local ecs = {} ecs.despawn("x")`:           `10:20: attempt to call "ecs.despawn", a nil value`,
		`local ecs = { e } ecs.despawn("x")`:        `10:23: attempt to call "ecs.despawn", a nil value`,
		`if false then ecs.despawn("x") end`:        ``,
		`ecs.add(e, ...)`:                           ``,
		`ecs.remove(e, C.Armor, Red, five)`:         `10:29: ecs.remove: argument 4: expected a component, got the number 5`,
		`ecs.component("New", 5)`:                   `10:22: ecs.component: argument 2: expected a table`,
		`ecs.on_add(Health)`:                        `10:5: ecs.on_add: argument 2`,
		`ecs.array(5, 2)`:                           `10:11: ecs.array: argument 1`,
		`local x = ecs.count { with = {} }`:         `10:23: ecs.count: argument 1: with: the list is empty`,
		`local x = ecs.count { with = { e } }`:      ``,
		`local x = ecs.count { Health, Health }`:    `10:21: ecs.count: argument 1: component "Health" is listed twice`,
	} {
		text := callsHead + "local function never(e, ...)\n" + call + "\nend\n"
		got := strings.Join(checked(t, fstest.MapFS{"a.lua": {Data: []byte(text)}, "parts.lua": callsModule}), "\n")
		if !strings.HasPrefix(strings.TrimPrefix(got, "a.lua:"), want) || want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", call, got, want)
		}
	}
}

// TestCheckPointsWhereCallsFail makes calls that Check reports: the error of the very call is
// at the same line and column.
func TestCheckPointsWhereCallsFail(t *testing.T) {
	for call, column := range map[string]int{
		`ecs.emit { n = 3 }`:                        10,
		`ecs.emit(Hit, { amount = 3 })`:             15,
		`ecs.set(e, Health { hp = "many" })`:        26,
		`ecs.set(e, Health { mode = "wolk" })`:      28,
		`ecs.set(e, Health { hpp = 1 })`:            21,
		`ecs.set(e, Health { on = true, hpp = 1 })`: 32,
		`ecs.emit(Hit { 5 })`:                       16,
		`ecs.set(e, Health(5))`:                     19,
		`ecs.count { Health, withot = Red }`:        21,
		`ecs.count { Health, 5 }`:                   21,
		`ecs.count { Health, with = { Red, 5 } }`:   35,
		`ecs.count { Health, with = 5 }`:            21,
		`ecs.count { Health, with = {} }`:           21,
		`ecs.count { Health, Health }`:              11,
		`ecs.get(e, Health, "hpp")`:                 20,
		`ecs.has(e, Health, "Red")`:                 20,
		`ecs.after("name", 5)`:                      11,
		`ecs.after(five, function() end)`:           17,
		`ecs.random(3, 1)`:                          5,
		`ecs.update(e, Health)`:                     5,
		`ecs.spawn_many(-1, Health)`:                16,
		`ecs.count(Health, Red)`:                    19,
		`ecs.add(e, "Health")`:                      12,
		`ecs.set(e, C.Armor { thick = "x" })`:       30,
		`ecs.cancel("x")`:                           12,
	} {
		text := callsHead + "local function never(e)\n" + call + "\nend\necs.on_start(function() never(ecs.spawn(Health, Red)) end)\n"
		files := fstest.MapFS{"a.lua": {Data: []byte(text)}, "parts.lua": callsModule}
		var raised []*scripting.Error
		host := newHost(t, ecs.NewWorld(), scripting.Options{NoKernels: true, OnError: func(e *scripting.Error) { raised = append(raised, e) }})
		if err := host.Load(files); err != nil {
			t.Fatal(call, err)
		}
		reported := checkOf(t, host)
		_ = host.Step(0.1)
		if len(reported) != 1 || len(raised) != 1 || reported[0].Message != raised[0].Message || reported[0].Place() != raised[0].Place() || raised[0].Column != column {
			t.Errorf("%s, column %d: reported %v, raised %v", call, column, reported, raised)
		}
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCheckFindsWritesToListsToRead has batch functions checked and run: what Check reports is
// what the function raises, at the same place.
func TestCheckFindsWritesToListsToRead(t *testing.T) {
	const sealed = `field "hp" of "Health": a list of b:read cannot be changed`
	for body, want := range map[string]string{
		`local hp = b:read(Health, "hp") for i = 1, b.n do hp[i] = hp[i] - 1 end`:                          sealed,
		`local hp = b:read(Health, "hp") local list = hp list[1] = 2`:                                      sealed,
		`b:read(Health, "hp")[1] = 2`:                                                                      sealed,
		`local thick = b:read(C.Armor) thick[1] = 2`:                                                       `field "thick" of "Armor"`,
		`local at = b:read(Health, "at") at[1][2] = 3`:                                                     `field "at" of "Health"`,
		`local at = b:read(Health, "at") local first = at[1] first[2] = 3`:                                 `field "at" of "Health"`,
		`local hp = b:read(Health, "hp") local w = b:write(Health, "hp") hp[1] = 2`:                        "",
		`local hp = b:read(Health, "hp") pcall(function() hp[1] = 2 end)`:                                  "",
		`local hp = b:read(Health, "hp") if false then hp[1] = 2 end`:                                      "",
		`local hp = b:read(Health, "hp") hp = {} hp[1] = 2`:                                                "",
		`local hp = b:read(Health, "hp") local function all(b) b:write(Health, "hp") end all(b) hp[1] = 2`: "",
		`local hp = { hp = b:read(Health, "hp") } hp.hp = 2`:                                               "",
	} {
		text := callsHead + `ecs.system "s" { query = { Health, C.Armor }, batch = function(b)` + "\n" + body + "\nend }\necs.on_start(function() ecs.spawn(Health, C.Armor) end)\n"
		files := fstest.MapFS{"a.lua": {Data: []byte(text)}, "parts.lua": callsModule}
		var raised []*scripting.Error
		host := newHost(t, ecs.NewWorld(), scripting.Options{OnError: func(e *scripting.Error) { raised = append(raised, e) }})
		if err := host.Load(files); err != nil {
			t.Fatal(body, err)
		}
		reported := checkOf(t, host)
		_ = host.Step(0.1)
		same := len(reported) == len(raised) && (want == "") == (len(raised) == 0)
		if same && want != "" {
			same = strings.HasPrefix(raised[0].Message, want) && reported[0].Message == raised[0].Message && reported[0].Place() == raised[0].Place()
		}
		if !same {
			t.Errorf("%s: reported %v, raised %v, want %q", body, reported, raised, want)
		}
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDeclarationsPointAtTheirFaults declares systems with a fault each: the caret is under
// what is wrong, in tables within tables, too.
func TestDeclarationsPointAtTheirFaults(t *testing.T) {
	for option, want := range map[string]struct {
		column int
		text   string
	}{
		`query = { Health, 5 }, each = print`:                 {36, "query: expected a component"},
		`query = { Health, with = { Red, 5 } }, each = print`: {50, "with: expected a component"},
		`query = { Health, withot = Red }, each = print`:      {36, "unknown query option"},
		`query = { Health, Health }, each = print`:            {26, "is listed twice"},
		`priority = 300, run = function() end`:                {29, "priority 300"},
		`priority = -1, run = function() end`:                 {29, "priority: expected a whole number"},
		`after = "wlk", run = function() end`:                 {26, "which does not exist"},
		`after = { "walk", "wlk" }, run = function() end`:     {36, "which does not exist"},
		`requires = { "walk", "wlk" }, run = function() end`:  {39, "which does not exist"},
		`before = { "walk", 5 }, run = function() end`:        {37, "expected the name of a system"},
		`run = 5`: {24, "expected a function"},
	} {
		text := callsHead + "ecs.system \"walk\" { run = function() end }\necs.system \"s\" { " + option + " }\n"
		host := newHost(t, ecs.NewWorld(), scripting.Options{NoKernels: true})
		err := host.Load(fstest.MapFS{"a.lua": {Data: []byte(text)}, "parts.lua": callsModule})
		if place := fmt.Sprintf("a.lua:10:%d:", want.column); err == nil || !strings.Contains(err.Error(), place) || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: got %v, want %s … %s", option, err, place, want.text)
		}
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	}
}

// rightCalls are arguments with which functions of ecs do what they are for.
var rightCalls = map[string][]string{
	"spawn": {"Health", "Red", "Goblin", "Health { hp = 1 }"}, "spawn_many": {"2", "Health", "Red"}, "despawn": {"e"}, "despawn_all": {"{ Red }"},
	"add": {"e", "Red", "C.Armor { thick = 2 }"}, "remove": {"e", "Red"}, "set": {"e", "Health { hp = 5 }"}, "update": {"e", "Health", "function(f) f.hp = 1 end"},
	"set_parent": {"e", "nil"}, "emit": {"Hit { amount = 2 }"}, "enable": {`"walk"`, "true"}, "get": {"e", "Health", `"hp"`}, "has": {"e", "Health", "Red"},
	"alive": {"e"}, "count": {"{ Health, without = { Red } }"}, "find": {"{ Health, with = Red }"}, "entities": {"Health"}, "parent": {"e"}, "children": {"e"},
	"events": {"Hit"}, "resource": {`"Score"`}, "after": {"1", `"tick"`, "5"}, "every": {"1", `"tick"`}, "cancel": {"timer"}, "random": {"1", "6"},
	"save": {`"one"`}, "load": {`"one"`},
	"load_scene": {`"camp"`}, "unload_scene": {`"camp"`}, "scene_of": {"e"}, "scene_entity": {`"camp"`, `"fire"`},
	"log": {`"x"`, "5"}, "warn": {`"x"`},
	"draw.line": {"1", "2", "3", "4", "{ color = 0xff8800, seconds = 1 }"}, "draw.circle": {"1", "2", "3", "{ color = 5 }"}, "draw.box": {"1", "2", "3", "4"}, "draw.text": {"1", "2", `"x"`, "{ seconds = 2 }"},
	"component": {`"New"`, "{ x = 1 }", "{ sparse = true }"}, "tag": {`"Blue"`}, "native": {`"Health"`}, "drop": {`"Gone"`}, "event": {`"Miss"`, "{ n = 1 }"},
	"native_event": {`"Hit"`}, "prefab": {`"Orc"`, "{ Health }"}, "system": {`"run"`, "{ run = function() end }"}, "kernel": {`"k"`, "{ Health }", "function(e, h) h.hp = 1 end"},
	"on_add": {`"added"`, "Health", "function() end"}, "on_set": {"Health", "function() end"}, "on_remove": {"Health", "function() end"},
	"on_spawn": {"function() end"}, "on_despawn": {`"gone"`, "function() end"}, "on_start": {"function() end"}, "on_error": {"function() end"},
	"on_unload": {"function() end"}, "on_reload": {"function() end"}, "on_save": {"function() end"}, "on_load": {"function() end"}, "handler": {`"later"`, "function() end"}, "state": {`"memory"`, "{ n = 1 }"},
	"enum": {`"a"`, `"b"`}, "data": {`"rows.csv"`, `{ key = "id" }`}, "array": {"ecs.f32()", "3"}, "asset": {`"ship.png"`},
}

// anyArguments are what random calls get besides.
var anyArguments = []string{
	"5", "-1", "0", "0.5", "1e300", "0 / 0", `"Health"`, `"hp"`, `"x"`, `""`, "true", "false", "nil", "{}", "{ 5 }", "{ Health }", "{ Health, Health }",
	"{ Health, with = Health }", "{ withot = Red }", "{ with = {} }", "{ Health, without = { Red, 7 } }", "{ optional = C.Armor, Red }", "{ 5, e }",
	"Health", "Red", "Hit", "Goblin", "C.Armor", "Health { hp = 1 }", "Health { hp = 300 }", "Health { hpp = 1 }", "Health { hpp = e }", `Health { mode = "wolk" }`,
	"Health { at = { 1, 2, 3 } }", "Health { 5 }", "{ color = -1 }", "{ colour = 1 }", "{ seconds = 1e300 }", "{ seconds = five }", "Health(5)", "Hit { amount = 1 }", "Hit { amuont = e * 2 }", "C.Armor { thik = 1 }", "Red { x = 1 }",
	"function() end", "print", "ecs.f32()", "five", "word", "hold", "e", "timer", "query", "C", "C.speed", "e * 2", "-five", "...", "nothing()",
}

// randomCall draws a call, most often one with right arguments of which one is changed,
// left out or added.
func randomCall(r *rand.Rand, name string) string {
	list := slices.Clone(rightCalls[name])
	one := func() string { return anyArguments[r.IntN(len(anyArguments))] }
	for range r.IntN(3) {
		switch at := r.IntN(len(list) + 1); {
		case at < len(list) && r.IntN(6) == 0:
			list = slices.Delete(list, at, at+1)
		case at < len(list):
			list[at] = one()
		default:
			list = append(list, one())
		}
	}
	return "ecs." + name + "(" + strings.Join(list, ", ") + ")"
}

// callOutcome counts what came of the random calls of one function.
type callOutcome struct{ right, reported, passed int }

// TestCheckSaysWhatCallsRaise draws calls of every function of ecs with right and wrong
// arguments. What Check reports is what the very call raises when it is made; where it
// reports nothing the call may do either. Calls that belong to the top level are made
// there, in a script of their own.
func TestCheckSaysWhatCallsRaise(t *testing.T) {
	sideBySide(t)
	names := slices.Sorted(maps.Keys(rightCalls))
	if missing := notDrawn(t); len(missing) > 0 {
		t.Fatalf("nothing is drawn of %q", missing)
	}
	random := map[string]*rand.Rand{} // a new function of ecs leaves the calls of the others as they are
	for _, name := range names {
		h := fnv.New64()
		h.Write([]byte(name))
		random[name] = rand.New(rand.NewPCG(uint64(*checkSeed), h.Sum64()))
	}
	found := map[string]*callOutcome{}
	for range *checkRounds {
		for _, name := range names {
			for _, top := range []bool{false, true} {
				o := found[name]
				if o == nil {
					o = &callOutcome{}
					found[name] = o
				}
				judgeCall(t, randomCall(random[name], name), top, o)
			}
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-14s %6s %8s %6s\n", "", "right", "reported", "passed")
	for _, name := range names {
		o := found[name]
		fmt.Fprintf(&table, "%-14s %6d %8d %6d\n", name, o.right, o.reported, o.passed)
		if o.right == 0 || o.reported == 0 && name != "log" && name != "warn" {
			t.Errorf("of ecs.%s not everything was reached", name)
		}
	}
	t.Logf("calls that were right, wrong and reported, wrong and passed over (seed %d):\n%s", *checkSeed, table.String())
}

// vague are arguments of which Check does not know the value: another fault may be found
// before the one that it knows.
var vague = regexp.MustCompile(`\b(e|timer|query|nothing|print|C\.speed|f32|Goblin|C)\b[^.]|\.\.\.`)

// judgeCall has a call checked in a function that nobody has called, and then made: in a
// system, or at the top level.
func judgeCall(t *testing.T, call string, top bool, o *callOutcome) {
	t.Helper()
	text := callsHead + `local query, score = { Health }, ecs.resource("Score")
local function nothing() end
ecs.handler("tick", function() end)
ecs.system "walk" { run = function() end }
local function never(e, timer, ...)
  local _ = ` + call + `
end
local function make(...)
  local args = { n = select("#", ...), ... }
  local ok, why = pcall(function() never(unpack(args, 1, args.n)) end)
  ecs.log(ok and "right" or "wrong " .. why)
end
`
	files := func(text string) fstest.MapFS {
		return fstest.MapFS{"a.lua": {Data: []byte(text)}, "parts.lua": callsModule, "rows.csv": newFile("id,n\nx,1\n"), "ship.png": {}, "scenes/camp.lua": newFile("return { entities = { fire = {} } }")}
	}
	var reported []*scripting.Error
	said := ""
	listen := func(_ *scripting.Host, logs *logbook) {
		for _, line := range *logs.lines {
			if strings.HasPrefix(line, "right") || strings.HasPrefix(line, "wrong") {
				said = line
			}
		}
	}
	withHost(t, files(text+`ecs.on_start(function() local e = ecs.spawn(Health, Red) make(e, ecs.after(9, "tick")) end)`), func(host *scripting.Host, logs *logbook) {
		reported = checkOf(t, host)
		if !top {
			_ = host.Step(0.1)
			listen(host, logs)
		}
	})
	if top {
		withHost(t, files(text+"make(4503599627370496, 1)"), listen)
	}
	wrong := strings.HasPrefix(said, "wrong")
	switch {
	case strings.Contains(said, "the top level"): // the call belongs to the other place
	case len(reported) == 0 && wrong:
		o.passed++
	case len(reported) == 0:
		o.right++
	case !wrong || !strings.Contains(said, reported[0].Message) && !vague.MatchString(call):
		t.Errorf("%s (top level: %v): reported %q, but it was %q", call, top, reported[0].Error(), said)
	default:
		o.reported++
	}
}

// notDrawn lists the functions of ecs that are not drawn, but for the kinds of fields.
func notDrawn(t *testing.T) (names []string) {
	t.Helper()
	text := `local ecs = require "ecs"
for name in pairs(ecs) do if name ~= "draw" then ecs.log(name) end end
for name in pairs(ecs.draw) do ecs.log("draw." .. name) end`
	withHost(t, fstest.MapFS{"a.lua": {Data: []byte(text)}}, func(_ *scripting.Host, logs *logbook) {
		if len(*logs.lines) < 40 {
			t.Fatalf("ecs has only %q", *logs.lines)
		}
		for _, name := range *logs.lines {
			if rightCalls[name] == nil && !slices.Contains(fieldKinds, name) {
				names = append(names, name)
			}
		}
	})
	return names
}

var fieldKinds = []string{"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "entity"}

// TestCheckFindsWhatOnlyTheTopLevelMay calls each function of ecs in the game: Check says at which of
// them the call fails for the time it is made at, and says the same.
func TestCheckFindsWhatOnlyTheTopLevelMay(t *testing.T) {
	const only = "can only be used at the top level"
	all := loaded(t, "a.lua", `for name in pairs(ecs) do ecs.log(name) end`)
	if len(all.logs) < 70 {
		t.Fatal(all.logs)
	}
	for _, name := range all.logs {
		r := loaded(t, "a.lua", `ecs.system "s" { run = function() local x = "x" ecs.`+name+`(x) end }`)
		said := ""
		for _, e := range checkOf(t, r.host) {
			if said = e.Error(); strings.Contains(said, only) {
				break
			}
		}
		r.step(1)
		failed := ""
		if len(r.errors) > 0 {
			failed = strings.Replace(r.errors[0].Error(), `system "s": tick 1: `, "", 1)
		}
		if strings.Contains(failed, only) != strings.Contains(said, only) || strings.Contains(said, only) && said != failed {
			t.Errorf("%s: Check says %q, and the call %q", name, said, failed)
		}
	}
}

// TestCheckKnowsWhatRunsInTheGame: a function of which ecs alone gets to know runs in no load.
func TestCheckKnowsWhatRunsInTheGame(t *testing.T) {
	const native, required = `ecs.native: can only be used at the top level of a script, not while systems run`, `require "parts": scripts are required at the top level, not while systems run`
	for text, want := range map[string]string{
		`ecs.system "s" { run = function() local P = ecs.native("P") end }`:                                     "9:49: " + native,
		`ecs.system("s", { run = function() require "parts" end })`:                                             "9:44: " + required,
		`ecs.system "s" { run = function() return (function() require("parts") end)() end }`:                    "9:62: " + required,
		`ecs.on_start(function() if five > 3 then require "parts" end end)`:                                     "9:50: " + required,
		`ecs.on_add(Health, function() require "parts" end)`:                                                    "9:39: " + required,
		`local function go() require "parts" end ecs.system "s" { run = go }`:                                   "9:29: " + required,
		`local go = function() require "parts" end ecs.handler("h", go)`:                                        "9:31: " + required,
		`ecs.system "s" { run = function() require "ecs" end }`:                                                 "",
		`ecs.system "s" { run = function() pcall(require, "parts") pcall(function() require "parts" end) end }`: "",
		`ecs.system "s" { run = function() if false then require "parts" end end }`:                             "",
		`local function go() require "parts" end go() ecs.system "s" { run = go }`:                              "",
		`local function go() require "parts" end local all = { go } ecs.system "s" { run = go }`:                "",
		`local go = print go = function() require "parts" end ecs.system "s" { run = go }`:                      "",
		`local function go() require "parts" end`:                                                               "",
		`local require = print ecs.system "s" { run = function() require "parts" end }`:                         "",
	} {
		got := strings.Join(checked(t, fstest.MapFS{"a.lua": {Data: []byte(callsHead + text)}, "parts.lua": callsModule}), "\n")
		if strings.TrimPrefix(got, "a.lua:") != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestCheckFindsRowsThatAreReplaced: what is assigned to a parameter reaches no entity. Where the
// text reads it afterwards, that may be meant.
func TestCheckFindsRowsThatAreReplaced(t *testing.T) {
	const lost = `h is a variable of this function, and what is assigned to it changes no Health: assign the fields one by one, such as h.hp = …`
	for text, want := range map[string]string{
		`h = { hp = 3 }`:                                                  "10:1: system \"s\": " + lost,
		`h = Health { hp = h.hp + 1 }`:                                    "10:1: system \"s\": " + lost,
		`if h.hp > 3 then h = { hp = 3 } end`:                             "10:18: system \"s\": " + lost,
		`h = { hp = 3 } h = { hp = 4 }`:                                   "10:1: system \"s\": " + lost,
		`local a a, h = 1, five`:                                          "10:12: system \"s\": " + strings.Replace(lost, "h.hp", "h.at", 1),
		`h = { hp = 3 } ecs.log(h.hp)`:                                    "",
		`h = h or { hp = 3 } h.hp = 4`:                                    "",
		`for i = 1, 2 do ecs.log(h.hp) h = { hp = 3 } end`:                "",
		`::again:: ecs.log(h.hp) h = { hp = 3 } if h then goto again end`: "",
		`local f = function() return h end h = { hp = 3 } f()`:            "",
		`h = nil`:                  "",
		`local h = 3 h = 4`:        "",
		`ctx = {} e = 3 red = 1`:   "",
		`if false then h = {} end`: "",
	} {
		text = callsHead + "ecs.system \"s\" { query = { Health, Red }, each = function(e, h, red, ctx)\n" + text + "\nend }"
		got := strings.Join(checked(t, fstest.MapFS{"a.lua": {Data: []byte(text)}, "parts.lua": callsModule}), "\n")
		if strings.TrimPrefix(got, "a.lua:") != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
