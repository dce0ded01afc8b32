package scripting_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// plantedArena is the resource of the planted scripts.
type plantedArena struct {
	Width float32
	Open  bool
}

// plantedHead declares what the planted statements name. All of it is right.
const plantedHead = `local ecs = require "ecs"
local host = require "host"
local C = require "parts"
local H = ecs.component("H", { hp = ecs.f32(1), team = ecs.enum("red", "blue") })
local Hit = ecs.event("Hit", { amount = ecs.f32(1) })
local arena = ecs.resource("plantedArena")
local state = ecs.state("st", { n = 0, first = ecs.entity and 0 })
local easy, level, own = false, "hard", { H = H } local function put(t, k, v) t[k] = v end
ecs.system "other" { run = function(ctx) put({}, "late", print) ecs.log(ctx.dt, arena.width, host.count(3), host.u8(7)) end }
`

// plantedFiles stand beside the planted script: parts is a table that nobody else gets, and
// the others have functions that give their tables new fields.
var plantedFiles = map[string]string{
	"parts":  `return { Armor = require("ecs").component("Armor", { thick = 1 }) }`,
	"method": `local M = {} function M:put(k, v) self[k] = v end return M`,
	"itself": `local M = {} function M.put(k, v) M[k] = v end return M`,
	"alias":  `local M = {} local all = { M } function M.put(k, v) all[1][k] = v end return M`,
	"maybe":  `local M = { put = 1 } local N = { put = print } if M.put == 1 then return N end return M`,
	"giver":  `local P = require "given" return { put = function(k, v) local p = P p[k] = v end }`,
	"given":  `return {}`,
	"second": `local M = {} local N = M function M.put(k, v) M[k] = v end M.put("late", print) return N`,
}

// A plantedKind is a mistake of one kind: statements that make it, of which each fails with
// the text when it runs. Silent ones do not fail: what they do is lost, or they read nil.
type plantedKind struct {
	statements []string
	text       string
	silent     bool
	only       string // the place in which it can be made; empty: all
	later      bool   // the error has the place of the call that stores, and not that of the assignment
}

var plantedKinds = map[string]plantedKind{
	"field of a resource":      {[]string{`ecs.log(arena.wdith)`, `arena.opne = true`, `local w = arena.Width`}, `unknown field`, false, "", false},
	"value for a resource":     {[]string{`arena.open = 3`, `arena.width = "x"`}, `of "plantedArena": expected`, false, "", false},
	"field of ctx":             {[]string{`ecs.log(ctx.detla)`, `local d = ctx.Dt * 2`}, `ctx has no`, false, "", false},
	"ctx assigned":             {[]string{`ctx.dt = 0`}, `ctx.dt cannot be assigned`, false, "", false},
	"field of an event":        {[]string{`ecs.log(hit.amont)`, `hit.amuont = 3`}, `unknown field`, false, "event", false},
	"event assigned":           {[]string{`hit.amount = 3`}, `an event cannot be changed`, false, "event", false},
	"field in ecs.events":      {[]string{`for hit in ecs.events(Hit) do ecs.log(hit.amont) end`}, `unknown field "amont" of "Hit"`, false, "run", false},
	"field in ecs.update":      {[]string{`ecs.update(e, H, function(f) f.ph = 1 end)`, `ecs.update(e, H, function(f) ecs.log(f.hpp) end)`}, `unknown field`, false, "", false},
	"value in ecs.update":      {[]string{`ecs.update(e, H, function(f) f.team = "blu" end)`, `ecs.update(e, H, function(f) f.hp = "x" end)`}, `of "H": `, false, "", true},
	"field of an observer":     {[]string{`ecs.log(h.ph)`}, `unknown field`, false, "observer", false},
	"observer's row assigned":  {[]string{`h.hp = 3`}, `what an observer gets is a copy`, false, "observer", false},
	"field of each":            {[]string{`h.ph = 1`, `ecs.log(h.hpp)`}, `unknown field`, false, "each", false},
	"value in each":            {[]string{`h.hp = "x"`, `h.team = "blu"`, `h.team = 3`}, `of "H": `, false, "each", false},
	"handler":                  {[]string{`ecs.after(1, "nope")`, `ecs.every(1, "agian")`}, `unknown handler`, false, "", false},
	"system":                   {[]string{`ecs.enable("ss", true)`}, `unknown system`, false, "", false},
	"field of another script":  {[]string{`C.Amror { thick = 3 }`, `C.build()`, `own.X { hp = 1 }`}, `a nil value`, false, "", false},
	"nil of another script":    {[]string{`ecs.add(e, C.Amror)`, `ecs.add(e, own.X)`}, `ecs.add: argument 2: expected a component`, false, "", false},
	"function of ecs":          {[]string{`ecs.spwan(H)`}, `ecs has no "spwan"`, false, "", false},
	"function of the host":     {[]string{`host.cuont(1)`}, `the host exposes no "cuont"`, false, "", false},
	"number for the host":      {[]string{`host.u8(300)`, `host.u8(0.5)`}, `host.u8: argument 1: expected a whole number`, false, "", false},
	"type for the host":        {[]string{`host.count("x")`, `host.count({})`}, `host.count: argument 1: expected a whole number`, false, "", false},
	"count for the host":       {[]string{`host.count()`, `host.count(1, 2)`}, `host.count: expected 1 argument`, false, "", false},
	"name":                     {[]string{`prnit(1)`}, `unknown name "prnit"`, false, "", false},
	"function of the library":  {[]string{`math.mix(1)`}, `attempt to call "math.mix", a nil value`, false, "", false},
	"field of a value":         {[]string{`ecs.spawn(H { ph = 3 })`, `ecs.spawn(H { ph = ctx.dt })`, `ecs.emit(Hit { ph = ecs.random() })`, `ecs.spawn(own.H { ph = e })`}, `unknown field "ph" of "H`, false, "", false},
	"value of a value":         {[]string{`ecs.spawn(H { hp = "x" })`, `ecs.emit(Hit { amount = true })`}, `expected a number`, false, "", false},
	"argument of ecs":          {[]string{`ecs.despawn("x")`, `ecs.has(e, "H")`}, `expected`, false, "", false},
	"ecs.get assigned":         {[]string{`local c = ecs.get(e, H) c.hp = 3`, `local c = ecs.get(e, H) c.hp = c.hp - 1`, `ecs.get(e, H).hp = 4`, `local c = ecs.get(e, H) if c then c.hp = 3 end`, `local c = ecs.get(e, H) if not c or c == nil then return end c.hp = c.hp - 1`}, `ecs.get gives a copy`, true, "", false},
	"field of ecs.get":         {[]string{`local c = ecs.get(e, H) ecs.log(c.ph)`, `ecs.log(ecs.get(e, H).ph)`, `local c = ecs.get(e, H) ecs.log(c and c.ph)`, `local c = ecs.get(e, H) if c ~= nil and c.ph then ecs.log(1) end`}, `unknown field "ph" of "H"`, true, "", false},
	"ecs.state assigned":       {[]string{`state = { n = 3 }`}, `state is ecs.state("st")`, true, "", false},
	"batch assigned":           {[]string{`b.n = 4`, `b.foo = 3`}, `cannot be assigned, as nothing would store it`, false, "batch", false},
	"field of a batch":         {[]string{`ecs.log(b.foo)`, `for i, e in ipairs(b.entites) do end`, `b:raed(H, "hp")`}, `a batch has no`, false, "batch", false},
	"column of a batch":        {[]string{`b:write(H, "hpp")`, `local hp = b:read(H, "ph")`}, `unknown field`, false, "batch", false},
	"a row by another name":    {[]string{`local r = h r.ph = 1`, `local r = h local q = r q.ph = 2`}, `unknown field "ph" of "H"`, false, "each", false},
	"nil that is joined":       {[]string{`ecs.log("hp: " .. nil)`, `local no = nil ecs.log("hp: " .. no .. "!")`, `ecs.log(true .. "")`}, `attempt to concatenate`, false, "", false},
	"loop over a list":         {[]string{`local list = { 1, 2 } for i, v in list do ecs.log(v) end`, `for i in { 1, 2 } do ecs.log(i) end`, `for i in 5 do ecs.log(i) end`, `for i, v in own do ecs.log(i) end`}, `"for … in" needs a function`, false, "", false},
	"yield of no coroutine":    {[]string{`coroutine.yield()`, `local yield = coroutine.yield yield(3)`}, `attempt to yield from outside a coroutine`, false, "", false},
	"field of an entity":       {[]string{`local n = ecs.spawn(H) ecs.log(n.hp)`, `local n = ecs.find(H) n.hp = 3`, `ecs.log(ecs.spawn(H).hp)`, `local n = ecs.spawn(H) n:hit(3)`}, `attempt to index`, false, "", false},
	"field of a component":     {[]string{`H.hp = 3`, `ecs.log(Hit.amount)`, `C.Armor.thick = 3`}, `that a script can reach`, false, "", false},
	"fields without component": {[]string{`ecs.spawn(H, { hp = e })`, `ecs.add(e, { hp = ctx.dt })`, `ecs.spawn({ own.H })`}, `expected a component, a value or a prefab, got a table`, false, "", false},
	"row of a reassigned name": {[]string{`h.ph = 1 h = nil`}, `unknown field "ph" of "H"`, false, "each", false},
}

// plantedPlaces are the functions in which a statement runs within two ticks.
var plantedPlaces = map[string]string{
	"each":     `ecs.system "s" { query = { H }, each = function(e, h, ctx) %s end }`,
	"event":    `ecs.system "s" { on = Hit, each = function(hit, ctx) local e = state.first %s end }`,
	"batch":    `ecs.system "s" { query = { H }, batch = function(b, ctx) local e = state.first %s end }`,
	"run":      `ecs.system "s" { run = function(ctx) local e = state.first %s end }`,
	"start":    `ecs.on_start(function(ctx) local e = state.first %s end)`,
	"observer": `ecs.on_set(H, function(e, h, ctx) %s end)`,
	"handler":  `ecs.handler("again", function(data, ctx) local e = state.first %s end)`,
}

// plantedForms are what stands around the statement: calls come there.
var plantedForms = map[string]string{
	"as it is":       `%s`,
	"in a branch":    `if ecs.count(H) > 0 then %s end`,
	"in an else":     `if ecs.count(H) == 0 then ecs.log("none") else %s end`,
	"in a loop":      `for i = 1, 1 do %s end`,
	"after a return": `if ecs.count(H) == 0 then return end %s`,
	"in a block":     `do %s end`,
	"a setting":      `local T = { debug = true } if T.debug then %s end`,
	"a level":        `local V = 2 if V == 2 and V < 3 then %s end`,
	"a loop ended":   `while true do break end repeat local i = 1 until true %s`,
	"if not easy":    `if not easy then %s end`,
}

// rightForms are what makes it right: no call comes there, or errors are expected, or it is
// for another host.
var rightForms = map[string]string{
	"never":          `if false then %s end`,
	"easy":           `if easy then %s end`,
	"another level":  `if level == "soft" then %s end`,
	"after it ended": `do return end %s`,
	"a setting":      `local T = { debug = false } if T.debug and e then %s end`,
	"a level":        `local V = 2 if V == 1 or V > 3 then %s end`,
	"no turn":        `for i = 1, 0 do %s end`,
	"without end":    `while true do if ctx or true then return end end %s`,
	"in pcall":       `pcall(function() %s end)`,
}

// plantedScript puts a statement into a function.
func plantedScript(place, form, statement string) (text string) {
	text = plantedHead + fmt.Sprintf(plantedPlaces[place], fmt.Sprintf(form, statement)) + "\n"
	if place != "handler" {
		text += `ecs.handler("again", function() end)` + "\n"
	}
	return strings.Replace(text, `local easy`, `ecs.on_start(function() local e = ecs.spawn(H) state.first = e ecs.set(e, H { hp = 2 }) ecs.emit(Hit { amount = 1 }) ecs.after(0, "again") end) local easy`, 1)
}

// plantedGame loads a script, has it checked, and runs two ticks.
func plantedGame(t *testing.T, text string) (reported, raised []*scripting.Error) {
	t.Helper()
	w := ecs.NewWorld()
	ecs.Provide(w, &plantedArena{Width: 3})
	h := newHost(t, w, scripting.Options{NoKernels: true, OnError: func(e *scripting.Error) { raised = append(raised, e) }})
	for name, fn := range map[string]any{"u8": func(uint8) {}, "count": func(n int) int { return n }} {
		if err := h.Expose(name, fn); err != nil {
			t.Fatal(err)
		}
	}
	files := fstest.MapFS{"a.lua": {Data: []byte(text)}}
	for name, text := range plantedFiles {
		files[name+".lua"] = &fstest.MapFile{Data: []byte(text)}
	}
	err := h.Load(files)
	if refused, ok := err.(*scripting.LoadError); ok {
		reported = refused.Problems
	} else if err != nil {
		t.Fatal(err)
	} else {
		reported = checkOf(t, h)
		for range 2 {
			_ = h.Step(0.1)
		}
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	w.Close()
	return reported, raised
}

// TestCheckFindsPlantedMistakes plants one mistake of each kind in each place, and asks for
// it: by the load or by Check, once, and at the statement. Where the load takes the script
// the call fails with the very message at the very place, but for the silent kinds.
func TestCheckFindsPlantedMistakes(t *testing.T) {
	sideBySide(t)
	places, forms := slices.Sorted(maps.Keys(plantedPlaces)), slices.Sorted(maps.Keys(plantedForms))
	table := fmt.Sprintf("%-26s%s\n", "found by load/check", strings.Join(places, " "))
	r := rand.New(rand.NewPCG(uint64(*checkSeed), 1))
	for _, name := range slices.Sorted(maps.Keys(plantedKinds)) {
		kind, line := plantedKinds[name], fmt.Sprintf("%-26s", name)
		for _, place := range places {
			if kind.only != "" && kind.only != place {
				line += "      -"
				continue
			}
			loads, checks := 0, 0
			for _, statement := range kind.statements {
				for _, form := range pick(r, forms, 3) {
					if form != "as it is" && strings.HasSuffix(statement, "h = nil") {
						continue
					}
					text := plantedScript(place, plantedForms[form], statement)
					reported, raised := plantedGame(t, text)
					found := len(reported) == 1 && strings.Contains(reported[0].Message, kind.text) && reported[0].Line == 10 && reported[0].Column > 0
					switch {
					case !found:
						t.Errorf("%s, %s %s: reported %v: %s", name, place, form, reported, fmt.Sprintf(plantedForms[form], statement))
					case len(raised) == 0 && kind.silent:
						checks++
					case len(raised) == 0:
						loads++
					default:
						checks++
						if e := raised[0]; e.Line != 10 || e.Column != reported[0].Column && !kind.later || !strings.HasPrefix(reported[0].Message, e.Message) {
							t.Errorf("%s, %s %s: reported %v, but the call raised %v", name, place, form, reported[0], e)
						}
					}
				}
			}
			line += fmt.Sprintf("%4d/%d", loads, checks)
		}
		table += line + "\n"
	}
	t.Log("\n" + table)
}

// TestCheckKnowsEveryContext: which parameter is ctx is known of each function of ecs that takes
// one that gets it.
func TestCheckKnowsEveryContext(t *testing.T) {
	for name, call := range map[string]string{
		"on_add": `(H, function(e, h, ctx)`, "on_set": `(H, function(e, h, ctx)`, "on_remove": `(H, function(e, h, ctx)`,
		"on_spawn": `(function(e, ctx)`, "on_despawn": `(function(e, ctx)`, "on_start": `(function(ctx)`, "on_unload": `(function(ctx)`,
		"on_reload": `(function(old, ctx)`, "on_error": `(function(err, ctx)`, "handler": `("h", function(data, ctx)`,
	} {
		text := plantedHead + "ecs." + name + call + ` ecs.log(ctx.detla) end)` + "\n" + `ecs.on_start(function() ecs.set(ecs.spawn(H), H { hp = 2 }) end)`
		reported, raised := plantedGame(t, text)
		if len(reported) != 1 || reported[0].Line != 10 || !strings.HasPrefix(reported[0].Message, `ctx has no "detla"`) {
			t.Errorf("%s: reported %v", name, reported)
		}
		for _, e := range raised {
			if e.Line != 10 || !strings.Contains(e.Message, `ctx has no "detla"`) {
				t.Errorf("%s: raised %v", name, e)
			}
		}
	}
}

// pick draws n of a list.
func pick(r *rand.Rand, list []string, n int) []string {
	list = slices.Clone(list)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:n]
}

// TestCheckIsSilentWhereNoCallComes plants the same mistakes where no call comes, or where
// somebody waits for the error: nothing is reported, and nothing fails.
func TestCheckIsSilentWhereNoCallComes(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(plantedKinds)) {
		kind := plantedKinds[name]
		if name == "name" || name == "function of the library" {
			continue // of these a whole file speaks, see unknownGlobals and missingFields
		}
		place := kind.only
		if place == "" {
			place = "run"
		}
		for _, form := range slices.Sorted(maps.Keys(rightForms)) {
			if kind.silent && form == "in pcall" {
				continue
			}
			text := plantedScript(place, rightForms[form], kind.statements[0])
			reported, raised := plantedGame(t, text)
			if form == "in pcall" && strings.HasPrefix(name, "value in") {
				raised = nil // rows are stored when the function has returned
			}
			if len(reported)+len(raised) > 0 {
				t.Errorf("%s, %s: reported %v, raised %v", name, form, reported, raised)
			}
		}
	}
}

// rightScripts can never fail, though names stand in them that something does not have.
var rightScripts = map[string]string{
	"one each for several components": `for i, D in ipairs { H, C.Armor } do
  ecs.system("s" .. i, { query = { D }, each = function(e, d) if D == H then d.hp = d.hp + 1 else d.thick = d.thick + 1 end end })
end`,
	"by what it has": `for i, D in ipairs { H, C.Armor } do
  ecs.system("s" .. i, { query = { D }, each = function(e, d) if ecs.has(e, H) then d.hp = 1 else d.thick = 1 end end })
end`,
	"in a factory": `local function make(name, D, has)
  ecs.system(name, { query = { D }, each = function(e, d) if has.hp then d.hp = 1 end if not has.thick then return end d.thick = "x" and 2 end })
end make("a", H, { hp = true }) make("b", C.Armor, { thick = true })`,
	"one or the other":        `local D = easy and H or C.Armor ecs.system "s" { query = { D }, each = function(e, d) if D == H then d.hp = 1 else d.thick = 1 end end }`,
	"fields of a setting":     `local T = ecs.component("T", easy and { a = 1 } or { b = 1 }) ecs.system "s" { query = { T }, each = function(e, t) if C.debug then t.a = 1 end t.b = 2 end }`,
	"a later host":            `ecs.on_start(function() if rawget(ecs, "later") then ecs.later(1) end if rawget(host, "later") then host.later() end end)`,
	"another Lua":             `ecs.on_start(function() if _VERSION == "Lua 5.4" then ecs.later(1) end end)`,
	"a later version":         `local new = rawget(ecs, "later") ~= nil ecs.on_start(function() if new and ecs.count(H) >= 0 then ecs.later(1) end end)`,
	"written and set":         `ecs.system "s" { run = function() for e in ecs.entities(H) do local h = ecs.get(e, H) h.hp = h.hp + 1 ecs.set(e, H(h)) end end }`,
	"a copy in a goto":        `ecs.system "s" { run = function() for e in ecs.entities(H) do local h = ecs.get(e, H) ::again:: if h.hp < 3 then h.hp = h.hp + 1 goto again end ecs.despawn(e) end end }`,
	"a copy to compute with":  `ecs.system "s" { run = function() for e in ecs.entities(H) do local h = ecs.get(e, H) h.hp = h.hp + 1 if h.hp > 2 then ecs.despawn(e) end end end }`,
	"a copy over a loop":      `ecs.system "s" { run = function() local h = ecs.get(state.first, H) for i = 1, 3 do ecs.log(h.hp) h.hp = i end end }`,
	"a copy over a goto":      `ecs.system "s" { run = function() local h, i = ecs.get(state.first, H), 0 ::again:: ecs.log(h.hp) i = i + 1 h.hp = i if i < 3 then goto again end end }`,
	"a setting of a table":    `local T = { debug = false, level = 2 } ecs.system "s" { query = { H }, each = function(e, h) if T.debug or T.level > 2 or T.other then h.ph = 1 end end }`,
	"a copy with a new key":   `ecs.system "s" { run = function() local h = ecs.get(state.first, H) h.seen = true if h.seen then ecs.log("seen") end end }`,
	"overwritten":             `ecs.system "s" { query = { H }, each = function(e, h) h.team = "none" h.team = "red" end }`,
	"overwritten elsewhere":   `local function fix(h) h.hp = 1 end ecs.system "s" { query = { H }, each = function(e, h) h.hp = "x" fix(h) end }`,
	"overwritten by a loop":   `ecs.system "s" { run = function() ecs.update(state.first, H, function(h) for i = 1, 2 do if i == 2 then h.hp = 1 else h.hp = "x" end end end) end }`,
	"a copy or another row":   `ecs.system "s" { run = function() local h = ecs.get(state.first, H) local c = h or own if c then h.hp = 3 ecs.log(c.hp) end end }`,
	"a copy that is handed":   `local function low(h) return h and h.hp < 3 end ecs.system "s" { run = function() local h = ecs.get(state.first, H) if h then h.hp = 1 end ecs.log(low(h)) end }`,
	"no field but nil":        `local extra ecs.system "s" { run = function() ecs.spawn(H { hp = 1, ph = extra and 3 or nil, hpp = extra or nil }) end }`,
	"another's fields":        `local T = ecs.component("T", easy and { a = 1 } or { b = 1 }) ecs.on_start(function() if easy or C.debug then ecs.spawn(T { a = 1 }) end end)`,
	"put by another":          `ecs.on_start(function() put(C, "late", print) C.late() end)`,
	"put by a method":         `local L = require "method" ecs.on_start(function() L:put("late", print) L.late() end)`,
	"put by itself":           `local L = require "itself" ecs.on_start(function() L.put("late", print) L.late() end)`,
	"put by an alias":         `local L = require "alias" ecs.on_start(function() L.put("late", print) L.late() end)`,
	"another return":          `local L = require "maybe" ecs.on_start(function() L.put("late", print) end)`,
	"put by a third file":     `local L, G = require "given", require "giver" ecs.on_start(function() G.put("late", print) L.late() end)`,
	"put by any require":      `local L = require "parts" for _, name in ipairs { "parts" } do local P = require(name) ecs.on_start(function() put(P, "late", print) L.late() end) end`,
	"put into an own table":   `local mine = {} ecs.on_start(function() put(mine, "late", print) mine.late() end)`,
	"put under a number":      `local mine = {} ecs.on_start(function() for i = 1, 2 do mine[i] = print end mine[1]() end)`,
	"put under its key":       `local mine = {} ecs.on_start(function() for _, k in ipairs { "late" } do mine[k] = print end mine.late() end)`,
	"a method of its own":     `local mine = {} function mine:late() end ecs.on_start(function() mine:late() mine.late(mine) end)`,
	"a new state":             `local other = ecs.state("other", {}) ecs.system "s" { run = function() other = ecs.state end }`,
	"a row of its own":        `ecs.system "s" { query = { H }, each = function(e, h) h = { ph = 1 } ecs.log(h.ph) end }`,
	"another table":           `local bus = { update = function(e, c, f) f { ph = 3 } end } ecs.system "s" { run = function() bus.update(1, H, function(h) ecs.log(h.ph) end) end }`,
	"another's systems":       `local function system(t) t.each { ph = 3 } end system { on = Hit, query = { H }, each = function(hit) ecs.log(hit.ph) end }`,
	"a field set at the top":  `C.extra = function() return 3 end ecs.on_start(function() ecs.log(C.extra()) end)`,
	"a field set later":       `ecs.on_start(function() C.late = function() end C.late() end)`,
	"goto":                    `ecs.on_start(function() goto over ecs.despawn("x") ::over:: end)`,
	"joined by a metatable":   `local t = setmetatable({}, { __concat = function() return "x" end, __call = function() end }) ecs.on_start(function() ecs.log(t .. nil) end)`,
	"a table that is called":  `local t = {} setmetatable(t, { __call = function() end }) ecs.on_start(function() for i in t do ecs.log(i) end end)`,
	"an iterator of its own":  `local function each() return nil end ecs.on_start(function() for i in each do ecs.log(i) end end)`,
	"a yield of a coroutine":  `ecs.system "s" { run = function() local co = coroutine.wrap(function() coroutine.yield() end) co() co() end }`,
	"another coroutine":       `local coroutine = { yield = print } ecs.system "s" { run = function() coroutine.yield() end }`,
	"a field of a resource":   `ecs.system "s" { run = function() local a = ecs.resource("plantedArena") ecs.log(a.width) end }`,
	"an entity or a table":    `ecs.system "s" { run = function() local n = ecs.find(H) if ecs.count(H) > 0 then n = { hp = 3 } end ecs.log(n.hp) end }`,
	"a dot with its self":     `local u = {} function u:hit(n) self.hp = n end ecs.on_start(function() u.hit(u, 5) u.hit({}, 5) end)`,
	"a colon without self":    `local u = {} function u:hit(n) return n end ecs.on_start(function() u.hit(5) end)`,
	"a self that may be nil":  `local u = {} function u:hit(n) if self then self.hp = n end end ecs.on_start(function() u.hit() end)`,
	"another method":          `local u = {} function u:hit(n) self.hp = n end u.hit = function(n) return n end ecs.on_start(function() u.hit(5) end)`,
	"a table of two names":    `local t = {} local u = t setmetatable(t, { __call = function() end }) ecs.on_start(function() for i in u do ecs.log(i) end end)`,
	"a method by a 2nd name":  `local t = {} local u = t function u:hit() return self.hp end t.hit = function() return 1 end ecs.on_start(function() u.hit() end)`,
	"rawset by a 2nd name":    `local t = {} local u = t function u:hit() return self.hp end rawset(t, "hit", function() return 1 end) ecs.on_start(function() u.hit() end)`,
	"returned by a 2nd name":  `local L = require "second" ecs.on_start(function() L.late() end)`,
	"a yield of its own":      `coroutine.yield = function() return 5 end ecs.on_start(function() coroutine.yield() end)`,
	"a yield, passed":         `local function set(t) t.yield = function() return 5 end end set(coroutine) ecs.on_start(function() coroutine.yield() end)`,
	"a yield, renamed":        `local c = coroutine c.yield = function() return 5 end ecs.on_start(function() coroutine.yield() end)`,
	"a yield if there is one": `ecs.on_start(function() if coroutine.running() then coroutine.yield() end end)`,
	"failures in a list":      `local fails = { function() for i in {} do ecs.log(i) end end, function() ecs.log("a" .. nil) end } ecs.on_start(function() for _, f in ipairs(fails) do ecs.log(pcall(f)) end end)`,
	"a shadowed name":         `ecs.system "s" { query = { H }, each = function(e, h) local h = { ph = 3 } ecs.log(h.ph) end }`,
}

// TestCheckIsSilentOnRightScripts: no finding, no refusal and no error.
func TestCheckIsSilentOnRightScripts(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(rightScripts)) {
		text := plantedScript("handler", "%s", "") + rightScripts[name] + "\n"
		if reported, raised := plantedGame(t, text); len(reported)+len(raised) > 0 {
			t.Errorf("%s: reported %v, raised %v", name, reported, raised)
		}
	}
}

// TestCheckFindsCallsWithADot: a function that is declared with a colon, and whose every call takes a field of self,
// fails in the function; Check says it where the dot is.
func TestCheckFindsCallsWithADot(t *testing.T) {
	for _, call := range []string{`u.hit(5)`, `u.hit()`, `u.hit(true, 5)`} {
		text := plantedScript("handler", "%s", "") + "local u = {} function u:hit(n) self.hp = n end\necs.on_start(function()\n  " + call + " end)\n"
		reported, raised := plantedGame(t, text)
		if len(reported) != 1 || len(raised) != 1 || reported[0].Message != `"u.hit" is declared with a colon and needs the table as its self: call it with a colon, u:hit(…)` || reported[0].Column != 5 {
			t.Errorf("%s: reported %v, raised %v", call, reported, raised)
		}
	}
}

// TestRefusedLoadReportsWhatCheckFinds: whatever refuses a load, what Check would find in a
// later round stands beside it, and once.
func TestRefusedLoadReportsWhatCheckFinds(t *testing.T) {
	const rest = `ecs.system "q" { run = function() ecs.after(1, "nobdy") ecs.after(1, "late") ecs.enable("wq", true) ecs.enable("w", true) end }
local none = {}
ecs.system "w" { query = { A }, each = function(e, a) a.n = none.x + 1 end }
ecs.system "r" { query = { A }, kernel = "require", each = function(e, a) a.n = #tostring(a.n) ecs.log({}) end }
local k = ecs.kernel("k", { A }, function(e, a) a.u = 300 end)
`
	const found = `a.lua:3:48: ecs.after: unknown handler "nobdy": declare it with ecs.handler
a.lua:3:89: ecs.enable: unknown system "wq" (did you mean "q" or "w"?)
a.lua:5:66: system "w": attempt to perform arithmetic on "none.x", a nil value
a.lua:6:81: system "r": # of anything but a list or an array field is not available in kernels
a.lua:7:51: kernel "k": field "u" of "A": number out of range: u8 takes a whole number from 0 to 255, got 300`
	for name, of := range map[string]struct{ why, want string }{
		"a name":            {`ecs.on_start(function() ecs.foo() end)`, found + "\n" + `a.lua:8:29: ecs has no "foo"`},
		"a field":           {`ecs.kernel("m", { A }, function(e, a) a.zz = 1 end)`, found + "\n" + `a.lua:8:41: kernel "m": unknown field "zz" of "A": it has n and u`},
		"a required kernel": {`ecs.system "r2" { query = { A }, kernel = "require", each = function(e, a) a.zz = 1 end }`, found + "\n" + `a.lua:8:78: system "r2": unknown field "zz" of "A": it has n and u`},
		"another file":      {``, found + "\n" + `b.lua:1:36: unknown name "foo"`},
		"no kernel alone":   {``, found},
		// What the rest would have declared is not known.
		"a top level that has failed": {`error("here")`, `a.lua:7:51: kernel "k": field "u" of "A": number out of range: u8 takes a whole number from 0 to 255, got 300
a.lua:8:1: here`},
	} {
		files := fstest.MapFS{"a.lua": {Data: []byte("local ecs = require \"ecs\"\nlocal A = ecs.component(\"A\", { n = 0, u = ecs.u8(0) })\n" + rest + of.why)}}
		files["late.lua"] = &fstest.MapFile{Data: []byte(`require("ecs").handler("late", function() end)`)}
		if name == "another file" {
			files["b.lua"] = &fstest.MapFile{Data: []byte(`require("ecs").on_start(function() foo() end)`)}
		}
		h := newHost(t, ecs.NewWorld(), scripting.Options{})
		if err := h.Load(files); err == nil || err.Error() != of.want {
			t.Errorf("%s: the load reports\n%v\nwant\n%s", name, err, of.want)
		}
	}
}
