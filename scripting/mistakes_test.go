package scripting_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// eachHead stands before the statements of an each function with the parameters e, h, ctx.
const eachHead = `local ecs = require "ecs"
local H = ecs.component("H", { hp = ecs.f32(1), on = ecs.bool(), team = ecs.enum("red", "blue") })
ecs.on_start(function() ecs.spawn(H) end)
local tuning = { speed = 5, deep = { a = 1 } }
local late, filled, slots, gone = {}, {}, {}, nil
local word, other = "bleu", "bleu"
local strange = setmetatable({}, { __index = function() return 3 end })
local function low(x) if x > 3 then return 1 end return 2 end
local function twice(x) return x * tuning.sped end
local function fill(t, name) filled[name] = 1; slots[#slots + 1] = name; other = "red" end
`

// What Check reports of an each function with these statements; nothing means that a row
// may pass by, or that it is no mistake.
var eachMistakes = []struct{ statements, report string }{
	{`h.hp = h.hp - tuning.sped * ctx.dt`, `arithmetic on "tuning.sped", a nil value (did you mean "speed"?)`},
	{`h.hp = -tuning.sped`, `arithmetic on "tuning.sped", a nil value (did you mean "speed"?)`},
	{`h.hp = tuning.deep.b + 1`, `arithmetic on "tuning.deep.b", a nil value`},
	{`h.hp = gone + 1`, `arithmetic on "gone", a nil value`},
	{`h.hp = h.hp - ctx`, `arithmetic on "ctx", a table value (it is the context, with dt, time and tick: write ctx.dt)`},
	{`h.hp = h - 1`, `arithmetic on "h", a table value`},
	{`h.team = "bleu"`, `field "team" of "H": unknown value "bleu" (did you mean "blue"?)`},
	{`h.team = word`, `field "team" of "H": unknown value "bleu" (did you mean "blue"?)`},
	{`h.hp = true`, `field "hp" of "H": expected a number, got true`},
	{`h.hp = "x"`, `field "hp" of "H": expected a number, got the string "x"`},
	{`h.on = "yes"`, `field "on" of "H": expected true or false, got the string "yes"`},
	{`h.hp = low(h.hp); h.hp = tuning.sped * 2`, `arithmetic on "tuning.sped", a nil value (did you mean "speed"?)`},
	{`do h.hp = tuning.sped * 2 end`, `arithmetic on "tuning.sped", a nil value (did you mean "speed"?)`},

	{`h.hp = (tuning.sped or 2) * 3`, ""},
	{`h.hp = h.hp > 2 and tuning.sped * 2 or 1`, ""},
	{`if h.hp > 2 then h.hp = tuning.sped * 2 end`, ""},
	{`if tuning.sped then h.hp = tuning.sped * 2 end`, ""},
	{`if h.hp > 2 then h.hp = tuning.sped * 2 else h.hp = tuning.sped * 3 end`, ""},
	{`if h.hp > 0 then return end h.hp = tuning.sped * 2`, ""},
	{`if h.hp > 0 then ecs.log("x") return end h.hp = tuning.sped * 2`, ""},
	{`do return end h.hp = tuning.sped * 2`, ""},
	{`goto done; h.hp = tuning.sped * 2 ::done::`, ""},
	{`for i = 1, 0 do h.hp = tuning.sped * 2 end`, ""},
	{`h.hp = twice(h.hp)`, ""},
	{`h.hp = late.x + 1`, ""},
	{`h.hp = filled.x + 1`, ""},
	{`h.hp = strange.x + 1`, ""},
	{`h.team = other`, ""},
	{`local t = h.team; t = "bleu"; h.hp = 3`, ""},
	{`h.hp = "3" + 1`, ""},
	{`h.team = "green"`, `field "team" of "H": unknown value "green": expected "red" or "blue"`},
	{`h.team = "red"`, ""},
	{`h.hp = e + 1`, ""},
}

// TestMistakesOfEveryRowAreProblems: what Check reports of an each function is what every
// row raises, and what may be right is not reported.
func TestMistakesOfEveryRowAreProblems(t *testing.T) {
	for _, c := range eachMistakes {
		text := eachHead + "ecs.system \"s\" { query = { H }, each = function(e, h, ctx) " + c.statements + " end }\n" +
			"late.x = 4\nreturn fill\n"
		var faults []string
		w := ecs.NewWorld()
		h := newHost(t, w, scripting.Options{
			OnKernel: func(scripting.KernelStatus) {},
			OnError:  func(e *scripting.Error) { faults = append(faults, e.Message) },
		})
		if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}}); err != nil {
			t.Fatalf("%s: %v", c.statements, err)
		}
		problems := checkOf(t, h)
		switch {
		case c.report == "" && len(problems) > 0:
			t.Errorf("%s: a false alarm: %v", c.statements, problems[0].Detail())
		case c.report != "" && (len(problems) != 1 || !strings.HasSuffix(problems[0].Message, c.report) || problems[0].Line != 11 || problems[0].Column < 60 || problems[0].Source == ""):
			t.Errorf("%s: reported %v, want %s in line 11 with its column", c.statements, problems, c.report)
		case c.report != "":
			if _ = h.Step(0.1); len(faults) != 1 || !strings.HasPrefix(problems[0].Message, faults[0]) {
				t.Errorf("%s: reported %s, but the row raised %q", c.statements, c.report, faults)
			}
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		w.Close()
	}
}
