package scripting_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/scripting"
)

// plantedFaults are texts with one fault each, by what raises it. The mark § stands before
// the token at which the error has to point. Those that act run in a system, the others at
// the top level.
var plantedFaults = []struct{ kind, acts, declares string }{
	// What the VM raises.
	{"index nil by name", `local t = {} local x = t.a.§b`, ""},
	{"index nil by value", `local t, k = {}, 1 local x = t.a§[k]`, ""},
	{"index a number", `local n = 1 local x = n.§field`, ""},
	{"set a field of nil", `local t = {} t.a.§b = 1`, ""},
	{"call nil", `local f §f()`, ""},
	{"call a field that is nil", `local t = {} t.§go()`, ""},
	{"call a method that is nil", `local t = {} t:§go()`, ""},
	{"call what is returned", `(function() return work.§missing() end)()`, ""},
	{"add", `local a = {} local x = 1 §+ a`, ""},
	{"negate", `local a = {} local x = §-a`, ""},
	{"length", `local a local x = §#a`, ""},
	{"compare", `local a, b = {}, 1 local x = a §< b`, ""},
	{"concat, the first", `local a = {} local x = §a .. "x"`, ""},
	{"concat, the last", `local a = {} local x = "x" .. "y" .. §a`, ""},
	{"for, the limit", `for i = 1, §{} do end`, ""},
	{"for, the step", `for i = 1, 2, §"x" do end`, ""},
	{"unknown name", `local x = 1 x = x + §nothing_like_it`, ""},
	{"depth", `local function f() return 1 + §f() end f()`, ""},
	// What the library raises.
	{"error", `§error("word")`, ""},
	{"error of a caller", `local function check() error("word", 2) end §check()`, ""},
	{"assert", `§assert(false, "word")`, ""},
	{"argument of a function", `local x = math.floor(§"x")`, ""},
	{"second argument", `local x = string.rep("x", §{})`, ""},
	{"argument of a method", `local x = ("x"):rep(§{})`, ""},
	{"argument after others", `local x = math.max(1, 2, §work)`, ""},
	{"an argument that is missing", `local x = math.§floor()`, ""},
	{"inside a coroutine", `coroutine.wrap(function() local t t.§x = 1 end)()`, ""},
	{"a text that is too long", `local x = string.§rep("x", 1e9)`, ""},
	// What functions of ecs raise when systems act.
	{"no entity", `ecs.add(§"x", Health)`, ""},
	{"a dead entity", `ecs.add(§0, Health)`, ""},
	{"no component", `ecs.get(0, §"Health")`, ""},
	{"an unknown function", `ecs.§spwan()`, ""},
	{"an unknown field of a value", `ecs.spawn(Health { hp = 1, §hpp = 2 })`, ""},
	{"a value that a field cannot hold", `ecs.spawn(Health { hp = §"much" })`, ""},
	{"a value without a name", `ecs.spawn(Health { §5 })`, ""},
	{"an item of a spawn", `ecs.spawn(Health, §5)`, ""},
	{"an unknown handler", `ecs.after(1, §"nobody")`, ""},
	{"an unknown system", `ecs.enable(§"nobody", true)`, ""},
	{"an unknown resource", `ecs.resource(§"nothing")`, ""},
	{"seconds", `ecs.after(§-1, "late")`, ""},
	{"an unknown option of a query", `ecs.count({ Health, §wihout = Health })`, ""},
	{"an argument too many", `ecs.count(Health, §Health)`, ""},
	{"declared while systems run", `ecs.§tag("Late")`, ""},
	// What a declaration says.
	{"an unknown option", "", `ecs.system "s" { §phas = "logic", run = function() end }`},
	{"a wrong option", "", `ecs.system "s" { phase = §"logik", run = function() end }`},
	{"a wrong number", "", `ecs.system "s" { run = function() end, priority = §-1 }`},
	{"options in a local", "", `local o = { run = function() end, every = §"x" } ecs.system("s", o)`},
	{"a query", "", `ecs.system "s" { query = §5, each = function() end }`},
	{"an item of a query", "", `ecs.system "s" { query = { §5 }, each = function() end }`},
	{"an unknown field in each", "", `ecs.system "s" { query = { Health }, each = function(e, h) h.§hpp = 1 end }`},
	{"an unknown field of ctx", "", `ecs.system "s" { query = { Health }, each = function(e, h, ctx) h.hp = ctx.§delta end }`},
	{"a field of ctx is assigned", "", `ecs.system "s" { query = { Health }, each = function(e, h, ctx) ctx.§dt = 0 end }`},
	{"the entity is forgotten", "", `ecs.system "s" { query = { Health }, each = function(h) h.§hp = 1 end }`},
	{"a field kind", "", `ecs.component("C", { x = §"f32" })`},
	{"a default", "", `ecs.component("C", { y = 1, x = §ecs.u8(700) })`},
	{"an unknown option of a component", "", `ecs.component("C", { x = 1 }, { §sparce = true })`},
	{"an option of a component", "", `ecs.component("C", { x = 1 }, { version = §0 })`},
	{"an option through functions", "", `local function f(x, o) ecs.component(x, { x = 1 }, o) end local function g(o) f("C", o) end g({ §sparce = true })`},
	{"an option of a tag", "", `ecs.tag("C", { §sparce = true })`},
	{"a native component", "", `local C = ecs.native(§"Nothing")`},
	{"an item of a prefab", "", `ecs.prefab("p", { Health, §5 })`},
	{"an option of a prefab", "", `ecs.prefab("p", { Health, §childs = {} })`},
	{"no name", "", `ecs.tag(§"")`},
	{"used at the top level", "", `ecs.§spawn(Health)`},
	{"a module", "", `local m = require §"nowhere"`},
	{"the name is used twice", "", `ecs.system "s" { run = function() end } ecs.system §"s" { run = function() end }`},
	{"a handler twice", "", `ecs.handler("h", function() end) ecs.handler(§"h", function() end)`},
	{"an item of with", "", `ecs.system "s" { query = { Health, with = { Health, §5 } }, each = function() end }`},
	{"a priority", "", `ecs.system "s" { run = function() end, priority = §300 }`},
	{"the order", "", `ecs.system "s" { run = function() end, after = §"nobody" }`},
	// What the text says.
	{"syntax", "", `local x = §= 1`},
	{"an unknown member", "", `local function f() ecs.§spwan() end`},
}

// layouts put a fault somewhere: before it on its line, and in the lines above.
var layouts = []string{"%s", "\t%s", "  \t %s", "local _ = 1; %s", "--[[ näher ]] %s", "local ä = 'zwölf' %s", "do local q = tostring(1) end %s", "\n\n-- ä\n%s", "local u = { 1,\n 2 }\n   %s", "if true then\n\t%s\nend"}

// TestColumns plants each fault in random layouts, breaks its line at random places, and
// demands that the error points at the planted token.
func TestColumns(t *testing.T) {
	for i, f := range plantedFaults {
		t.Run(f.kind, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(*kernelSeed, uint64(i)))
			for range 6 {
				text, line, column := plant(rng, f.acts, f.declares)
				e := faultOf(t, text)
				if e == nil {
					t.Fatalf("no error in\n%s", text)
				}
				if e.Line != line || e.Column != column {
					t.Fatalf("at %d:%d, want %d:%d\n%s\n%s", e.Line, e.Column, line, column, e.Detail(), text)
				}
				if lines := strings.Split(e.Detail(), "\n"); len(lines) < 3 || !strings.HasSuffix(lines[2], "^") {
					t.Fatalf("no caret:\n%s", e.Detail())
				}
			}
		})
	}
	t.Logf("%d kinds of faults in %d layouts point at their token", len(plantedFaults), len(layouts))
}

// plant makes a script with a fault, and says where its token stands.
func plant(rng *rand.Rand, acts, declares string) (text string, line, column int) {
	layout := layouts[rng.IntN(len(layouts))]
	if strings.Contains(layout, "ä =") || strings.HasPrefix(layout, "if") && strings.Contains(declares, "local x = §=") {
		layout = layouts[1] // names are of ASCII letters
	}
	body := acts + declares
	if rng.IntN(2) == 0 { // arguments and fields on lines of their own
		body = strings.NewReplacer("{ ", "{\n\t", ", §", ",\n  §", "(§", "(\n§").Replace(body)
	}
	body = fmt.Sprintf(layout, body)
	if acts != "" {
		body = "ecs.system 'planted' { run = function() local work = {}\n" + body + "\nend }"
	}
	text = "local ecs = require 'ecs'\nlocal Health = ecs.component('Health', { hp = 1 })\necs.handler('late', function() end)\n" + body
	before, after, _ := strings.Cut(text, "§")
	line = strings.Count(before, "\n") + 1
	column = len(before) - strings.LastIndex(before, "\n")
	if !utf8.ValidString(before) {
		panic(before)
	}
	return before + after, line, column
}

// faultOf returns the first error of a script: of its load, or of a tick.
func faultOf(t *testing.T, text string) *scripting.Error {
	t.Helper()
	r := newGame(t, scripting.Limits{})
	r.folder["a.lua"] = newFile(text)
	var refused *scripting.LoadError
	if err := r.host.Load(r.folder); errors.As(err, &refused) {
		return refused.Problems[0]
	} else if err != nil {
		t.Fatal(err)
	}
	r.step(2)
	if len(r.errors) == 0 {
		return nil
	}
	return r.errors[0]
}
