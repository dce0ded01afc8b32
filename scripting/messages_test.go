package scripting_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestWordsOfMistakes: the mistakes that everybody makes are told as Lua tells
// them, with what is wrong.
func TestWordsOfMistakes(t *testing.T) {
	for body, want := range map[string]string{
		`local x = nil + 1`:                 "attempt to perform arithmetic on a nil value",
		`local x = 2 ^ {}`:                  "attempt to perform arithmetic on a table value",
		`local x = #nil`:                    "attempt to get the length of a nil value",
		`local x = -{}`:                     "attempt to perform arithmetic on a table value",
		`local t = {} t.n = 1 + t.sped`:     `attempt to perform arithmetic on "t.sped", a nil value`,
		`local t = {} t.n = -t.sped`:        `attempt to perform arithmetic on "t.sped", a nil value`,
		`local t = {} t.n = #t.list`:        `attempt to get the length of "t.list", a nil value`,
		`local s = "a" s = s * 2`:           `attempt to perform arithmetic on "s", a string value, "a", which is no number`,
		`local t = {} t.n = "x" .. t.s`:     `attempt to concatenate "t.s", a nil value`,
		`local t = {} t.a(1).b()`:           `attempt to call "t.a", a nil value`,
		`local t = {} t:go()`:               `attempt to call "t:go", a nil value`,
		`local x = math.mix(1, 2)`:          `attempt to call "math.mix", a nil value (did you mean "max" or "min"?)`,
		`os.exit()`:                         `attempt to call "os.exit", a nil value: os.exit is not available to scripts: the host decides when it ends`,
		`for k, v in { 1, 2 } do end`:       `"for … in" needs a function, as pairs and ipairs return one, and got a table value: write pairs(…) or ipairs(…) around it`,
		`local t for k, v in t do end`:      `"for … in" needs a function, as pairs and ipairs return one, and got "t", a nil value`,
		`local x = {} function x.y.z() end`: `attempt to index "x.y", a nil value, with key "z"`,
		`local x = {} function x.y:z() end`: `attempt to index a nil value with key "z"`,
		`local x = {} x.y:z()`:              `attempt to index "x.y", a nil value, with key "z"`,
		`local x = 5 x[1] = x`:              `attempt to index "x", a number value, with key 1`,
		`local x = {} x = (x.a or 1).b.c`:   `attempt to index a number value with key "b"`,
		`local x = {} x.y.z = 1`:            `attempt to index "x.y", a nil value, with key "z"`,
		`local x = P.foo.bar`:               `the component Position has no "foo" that a script can reach: ecs.get and each give the fields of an entity`,
		`for i = 1, {} do end`:              `a "for" needs numbers, and its last value is a table`,
		`for i = "1", 2 do end`:             `a "for" needs numbers, and its first value is the text "1": use tonumber`,
		`for i = 1, 2, nil do end`:          `a "for" needs numbers, and its step is nil`,
		`for i = P, 2, nil do end`:          `a "for" needs numbers, and its first value is the component Position`,
		`error({})`:                         `error({})`,
		`error({ 1, "x", { 2 }, P, 5 })`:    `error({ 1, "x", {…}, the component Position, … })`,
		`error({ [2] = true })`:             `error({ [2] = true })`,
		`error({ message = "mine", 1 })`:    `mine`,
		`error({ message = 5 })`:            `5`,
		`error(setmetatable({ 1 }, { __tostring = function(e) ecs.spawn(P) return "words " .. e[1] end }))`: `words 1`,
		`error(setmetatable({ 1 }, { __tostring = function(e) error("again") end }))`:                       `error({ 1 })`,
		`error(setmetatable({ 1 }, { __tostring = function(e) return 5 end }))`:                             `error({ 1 })`,
		`error(setmetatable({ 1 }, { __index = function() error("no") end }))`:                              `error({ 1 })`,
		`error({ x = ("long "):rep(100) })`:                                                                 `error({ x = "` + strings.Repeat("long ", 8) + `"… })`,
		`local x = {} x.go()`:                                                                               `attempt to call "x.go", a nil value`,
		`local x = {} < 1`:                                                                                  "attempt to compare table with number",
		`error("cannot perform miracles")`:                                                                  "cannot perform miracles",
	} {
		r := loaded(t, "a.lua", once("s", body))
		r.step(1)
		if e := r.wantError(`a.lua:`, want); e.Message != want || errors.Is(e, scripting.ErrLimit) {
			t.Errorf("%s: %q, want %q", body, e.Message, want)
		}
		if r.world.Len() != 0 {
			t.Errorf("%s: what was done for the words has not been taken back", body)
		}
	}
}

// TestMistakesOfRows: a mistake is told in the same words wherever a function over rows
// runs: as a kernel, which hands it over, beside the VM, in the VM, and in columns.
func TestMistakesOfRows(t *testing.T) {
	for body, want := range map[string]string{
		`p.x = p.x + tuning.sped`:                  "attempt to perform arithmetic on \"tuning.sped\", a nil value",
		`p.x = -tuning.sped`:                       "attempt to perform arithmetic on \"tuning.sped\", a nil value",
		`p.x = #tuning.list`:                       "attempt to get the length of \"tuning.list\", a nil value",
		`local n if p.x > -1 then p.x = 2 * n end`: "attempt to perform arithmetic on \"n\", a nil value",
		`p.x = math.mix(p.x, 2)`:                   "attempt to call \"math.mix\", a nil value (did you mean \"max\" or \"min\"?)",
		`tuning.nera()`:                            "attempt to call \"tuning.nera\", a nil value (did you mean \"near\"?)",
		`for k, v in { 1 } do p.x = v end`:         `"for … in" needs a function, as pairs and ipairs return one, and got a table value: write pairs(…) or ipairs(…) around it`,
	} {
		const head = `local ecs = require "ecs" local P = ecs.component("P", { x = ecs.f64(1) }) local tuning = { near = print }
ecs.on_start(function() ecs.spawn(P) end)
`
		column := strings.ReplaceAll(body, "p.x", "x[i]")
		for tier, system := range map[string]string{
			"auto":  `ecs.system "s" { query = { P }, each = function(e, p) ` + body + ` end }`,
			"off":   `ecs.system "s" { query = { P }, kernel = "off", each = function(e, p) ` + body + ` end }`,
			"batch": `ecs.system "s" { query = { P }, batch = function(b) local x = b:write(P, "x") for i = 1, b.n do ` + column + ` end end }`,
			"run":   `ecs.system "s" { run = function() local p = { x = 1 } ` + body + ` end }`,
		} {
			r := loaded(t, "a.lua", head+system)
			r.step(1)
			if e := r.wantError("a.lua:", want); e.Message != want || e.Column == 0 {
				t.Errorf("%s, %s: %v, want %q", tier, body, e, want)
			}
		}
	}
}

// TestDeepCallsHaveALine: the VM has no line for a tail call that needs more
// registers than there are, as it breaks in the middle of the call.
func TestDeepCallsHaveALine(t *testing.T) {
	sideBySide(t)
	many := strings.Repeat("1, ", 150) // the registers end after some thousand calls
	for body, line := range map[string]int{
		"local function f(...) return f(" + many + "...) end\nf()":                                 2,
		"local function f(n) return 1 + f(n + 1) end\nf(1)":                                        2,
		"local function f(...)\nreturn f(" + many + "...) end\nf()":                                3,
		"local t = setmetatable({}, { __index = function(t, k)\nreturn t[k] end })\nlocal x = t.x": 3,
		"local function f(...) return f(" + many + "...) end\nlocal g = coroutine.wrap(f)\ng()":    0,
	} {
		r := loadedWith(t, scripting.Limits{Instructions: -1, TickInstructions: -1}, "a.lua", once("s", body))
		r.step(1)
		e := r.wantError("a.lua:", "stack overflow")
		if e.Line != line && line > 0 || e.Line == 0 {
			t.Errorf("%s: line %d, want %d: %v", body, e.Line, line, e)
		}
	}
}

// TestStallsSayWhere: what ran too long says in which lines the instructions went, the
// same in each run.
func TestStallsSayWhere(t *testing.T) {
	for body, want := range map[string]string{
		"while true do end": "; of these 100 % in a.lua:2",
		"while true do\nlocal x = 0\nfor i = 1, 100 do x = x + i end\nend":          " % in a.lua:4",
		"local L = require\nwhile true do work() end":                               " % in a.lua:2",
		"local co = coroutine.wrap(function() while true do\nwork() end end)\nco()": " % in a.lua:2",
		"for i = 1, 100 do work() end\nwhile true do end":                           "in a.lua",
	} {
		var messages []string
		for range 2 {
			r := loadedWith(t, scripting.Limits{Instructions: 1_000_000}, "a.lua", "local function work() for i = 1, 500 do end end "+once("s", body))
			r.step(1)
			messages = append(messages, r.wantError("a.lua:", "(Limits.Instructions); of these ", want).Message)
		}
		if messages[0] != messages[1] {
			t.Errorf("%s: %q, then %q", body, messages[0], messages[1])
		}
	}
	r := loaded(t, "a.lua", once("s", "while true do end"))
	r.step(1)
	if e := r.wantError("a.lua:2"); !strings.HasSuffix(e.Message, "100 % in a.lua:2") {
		t.Error(e)
	}
}

// TestLimitsAreKnown: a host can tell the end of a limit from a mistake, and
// which it was, at a load as in a tick.
func TestLimitsAreKnown(t *testing.T) {
	r := newGame(t, scripting.Limits{Instructions: 1000, Depth: 20, Commands: 5})
	r.write("a.lua", once("a", "while true do end")+once("b", "local function f() return 1 + f() end f()")+once("c", "while true do ecs.spawn(P {}) end")+once("d", "error('no')"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	var limits []string
	for _, e := range r.errors {
		limits = append(limits, e.Limit)
		if errors.Is(e, scripting.ErrLimit) != (e.Limit != "") {
			t.Errorf("%v: limit %q", e, e.Limit)
		}
	}
	if got := strings.Join(limits, " "); got != "Instructions Depth Commands " {
		t.Errorf("limits %q", got)
	}
	r.write("a.lua", "while true do end")
	if err := r.host.Replace(r.folder); !errors.Is(err, scripting.ErrLimit) {
		t.Error(err)
	}
}

// TestWordsOfDeclarations: what is refused in a declaration says what to do instead.
func TestWordsOfDeclarations(t *testing.T) {
	for text, want := range map[string]string{
		`ecs.handler("h", print)`:                         `expected a function written in Lua`,
		`ecs.prefab("P", { P, children = P })`:            `prefab "P": children: expected a list`,
		`ecs.on_error(error)`:                             `expected a function written in Lua`,
		`ecs.system("s", { run = print })`:                `expected a function written in Lua, such as function() … end around a call of this one, got a function`,
		`ecs.array(ecs.array(ecs.f32(), 2), 2)`:           `an array of arrays is not possible`,
		`local C = ecs.component("C", { n = 1 }) C.n = 1`: `the component C has no "n" that a script can reach`,
	} {
		r := newGame(t, scripting.Limits{})
		r.write("a.lua", text)
		if err := r.host.Load(r.folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestTopLevelsNameTheirCall: what fails in a function of another file, which a top level
// has called, names both places, the cause first.
func TestTopLevelsNameTheirCall(t *testing.T) {
	for text, want := range map[string]string{
		"\nlib.f(nil)":        `lib.lua:3: attempt to index "x", a nil value, with key "y" (called in a.lua:4)`,
		"\nlib.g(nil)":        `lib.lua:3: attempt to index "x", a nil value, with key "y" (called in a.lua:4)`,
		"\nlib.e('word')":     `lib.lua:5: word (called in a.lua:4)`,
		"\nreturn lib.f(nil)": `lib.lua:3: attempt to index "x", a nil value, with key "y" (while the top level of a.lua was running)`,
		"\nerror('mine')":     `a.lua:4: mine`,
		"\nlib.spin()":        `(called in a.lua:4)`,
	} {
		r := newGame(t, scripting.Limits{Instructions: 100_000})
		r.write("lib.lua", "local lib = {}\nfunction lib.f(x) local y = x.y return y end\nfunction lib.g(x) local y = lib.f(x) return y end\nfunction lib.e(x) error(x) end\nfunction lib.spin() while true do end end return lib",
			"a.lua", `local lib = require "lib"`+"\n"+text)
		err := r.host.Load(r.folder)
		if err == nil || !says(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestAFunctionCalledForItsValue: a declaration that gets the result of a function in the
// place of the function fails inside of it; the message names the line of the call, too.
func TestAFunctionCalledForItsValue(t *testing.T) {
	const act = "local P = ecs.tag \"P\"\nlocal function act() ecs.spawn(P) end\nlocal function twice() act() end\n"
	const why = "ecs.spawn: cannot be used while a script is being loaded: the top level declares, systems act; put it into ecs.on_start(function() … end)"
	const without = "; where a function is to be given, write its name without ()"
	for text, want := range map[string]string{
		`ecs.system "s" { run = act() }`:             `a.lua:3: ` + why + without + ` (called in a.lua:5)`,
		`ecs.handler("h", twice())`:                  `a.lua:3: ` + why + without + ` (called in a.lua:5)`,
		`ecs.spawn(P)`:                               `a.lua:5: ` + why,
		`local f = function() f.x = 1 end` + "\nf()": `(called in a.lua:6)`,
	} {
		r := newGame(t, scripting.Limits{})
		r.write("a.lua", act+text)
		if err := r.host.Load(r.folder); err == nil || !says(err.Error()+"$", want+"$") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestTablesOfOtherFiles: the table of a system may come from a script that is required. What
// is wrong in it has the place in that script, and what is wrong with the call its own.
func TestTablesOfOtherFiles(t *testing.T) {
	const head = "local ecs = require \"ecs\" local A = ecs.component(\"A\", { x = 1 })\n\nreturn {\n"
	for table, want := range map[string]string{
		"phase = 'logik', query = { A },\neach = function(e, a) a.x = 1 end }":                `lib.lua:5:9: system "s": unknown phase "logik"`,
		"query = { A },\neach = function(e, a) a.y = 1 end }":                                 `lib.lua:6:25: system "s": unknown field "y" of "A"`,
		"query = { A },\neach = function(e, a, ctx) a.x = ctx.foo end }":                      `lib.lua:6:38: system "s": ctx has no "foo"`,
		"query = { A },\neach = function(e, a) return a.x, e.x end }":                         `lib.lua:6:37: system "s": the first parameter of each, "e", is the entity`,
		"kernel = 'require', query = { A },\neach = function(e, a)\na.x = #tostring(e) end }": `lib.lua:7:7: system "s": # of anything but a list or an array field is not available in kernels`,
		"query = { A } }": `a.lua:4:5: system "s": expected exactly one of each, batch and run, got 0`,
	} {
		r := newGame(t, scripting.Limits{})
		r.write("lib.lua", head+table, "a.lua", "local ecs = require \"ecs\"\nlocal lib = require \"lib\"\necs.system(\"s\", lib)")
		if err := r.host.Load(r.folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %q", table, err, want)
		}
	}
}

// TestExplainShowsTheTextOfTheFunction: also of one that a required script has written.
func TestExplainShowsTheTextOfTheFunction(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.write("lib.lua", "local ecs = require \"ecs\" local A = ecs.component(\"A\", { x = 1 })\n\n\n\nreturn {\nquery = { A },\neach = function(e, a) a.x = 7 end }",
		"a.lua", "local ecs = require \"ecs\" local lib = require \"lib\"\necs.system(\"s\", lib)")
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	if list, err := r.host.Explain("a.lua", "s"); err != nil || len(list) != 1 || !strings.Contains(list[0].Source, "a.x = 7") {
		t.Errorf("%v, %v", list, err)
	}
}

// TestTraceHasNothingOfTheLibrary: a traceback names the script's own calls alone.
func TestTraceHasNothingOfTheLibrary(t *testing.T) {
	r := loaded(t, "a.lua", `local function f() coroutine.yield(1) end`+"\n"+once("s", "f()"))
	r.step(1)
	if e := r.wantError("a.lua:", "attempt to yield from outside a coroutine"); len(e.Trace) != 2 || e.Trace[0].At.Script != "a.lua" {
		t.Errorf("%v", e.Trace)
	}
}

// TestErrorOfOnStartElsewhere: an error in a file that others require names the file whose on_start
// has called it, and those of two files are two errors.
func TestErrorOfOnStartElsewhere(t *testing.T) {
	r := loaded(t, "lib.lua", `return { f = function(t) return t.x.y end }`,
		"a.lua", `local lib = require "lib" ecs.on_start(function() lib.f({}) end)`,
		"b.lua", `local lib = require "lib" ecs.on_start(function() lib.f({}) end)`,
		"c.lua", `ecs.on_start(function() error("own") end)`)
	r.step(1)
	var got []string
	for _, e := range r.reported {
		got = append(got, e.Script+" "+e.System)
	}
	want := []string{"lib.lua on_start of a.lua", "lib.lua on_start of b.lua", "c.lua on_start"}
	if r.errors, r.reported = nil, nil; !slices.Equal(got, want) {
		t.Errorf("reported %q, want %q", got, want)
	}
}

// TestExplainSaysWhyTheVMRuns: systems without rows of their own are explained, too, each with what it could be.
func TestExplainSaysWhyTheVMRuns(t *testing.T) {
	r := loaded(t, "a.lua", `local Hit = ecs.event("Hit", { n = 1 })
ecs.system "runs" { run = function(ctx) local n = 3 end }
ecs.system "reads" { on = Hit, each = function(hit) local n = 4 end }
ecs.system "lists" { query = { P }, batch = function(b) local n = 5 end }
ecs.system "rows" { query = { P }, each = function(e, p) p.x = 6 end }`)
	r.run(1)
	list, err := r.host.Explain("a.lua", "")
	if err != nil || len(list) != 4 {
		t.Fatal(list, err)
	}
	for i, want := range []struct{ system, source, why string }{
		{"runs", "n = 3", "because run is called once"}, {"reads", "n = 4", "because each is called for events"}, {"lists", "n = 5", "because batch is called for whole columns"}, {"rows", "p.x = 6", ""},
	} {
		got := list[i]
		if got.System != want.system || !strings.Contains(got.Source, want.source) || !strings.Contains(got.Obstacle, want.why) || got.NoRows != (want.why != "") || got.Compiled == got.NoRows {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if _, err := r.host.Explain("a.lua", "runss"); err == nil || !strings.Contains(err.Error(), `did you mean "runs"?`) {
		t.Error(err)
	}
}
