package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// forever is a metatable whose operators do not return.
const forever = `
local function spin() while true do end end
local evil = { __index = spin, __newindex = spin, __add = spin, __mul = spin, __lt = spin, __eq = spin, __unm = spin, __call = spin }
`

// inhabited opens a host with 100 entities.
func inhabited(t *testing.T, text string) *game {
	t.Helper()
	r := loaded(t, "a.lua", text)
	p, v := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
	for i := range 100 {
		r.world.Spawn(p.With(Position{float64(i), 0}), v.With(Velocity{1, 1}))
	}
	return r
}

// overRows makes the texts of a system that does expr with every row, in both
// forms. $x is the position; the batch keeps x where a later run could find it.
func overRows(expr, options string) map[string]string {
	return map[string]string{
		"each": fmt.Sprintf(`ecs.system "s" { kernel = "off", %s query = { P }, each = function(e, p, ctx) p.x = %s end }`,
			options, strings.ReplaceAll(expr, "$x", "p.x")),
		"batch": fmt.Sprintf(`ecs.system "s" { %s query = { P }, batch = function(b, ctx)
			local x = b:write(P, "x")
			for i = 1, b.n do x[i] = %s end
		end }`, options, strings.ReplaceAll(expr, "$x", "x[i]")),
	}
}

// TestEndlessIsCounted hides an endless loop in a function whose own text has none. The
// budget must end each.
func TestEndlessIsCounted(t *testing.T) {
	for name, c := range map[string]struct{ before, expr, options string }{
		"an outer table with a metatable": {`local t = setmetatable({}, evil)`, "$x + t.low", ""},
		"a table inside an outer table":   {`local t = { low = setmetatable({}, evil) }`, "$x + t.low", ""},
		"an outer value with a metatable": {`local t = setmetatable({}, evil)`, "$x + t", ""},
		"a math function replaced":        {`math.floor = spin`, "math.floor($x)", ""},
		"math with a metatable":           {`math.low = nil setmetatable(math, evil)`, "math.low($x)", ""},
		"another math":                    {`math = setmetatable({}, evil)`, "$x + math.pi", ""},
		"a local math":                    {`local math = { floor = spin }`, "math.floor($x)", ""},
		"math with pcall in it":           {`math.floor = pcall local t = spin`, "math.floor(t) and 1 or 2", ""},
		"a global":                        {`t = setmetatable({}, evil)`, "$x + t", ""},
		"an outer value put there later":  {`local t = 1`, "$x + t", `when = function(ctx) t = setmetatable({}, evil) return true end,`},
		"an outer table changed later":    {`local t = { low = 1 }`, "$x + t.low", `when = function(ctx) t.low = nil setmetatable(t, evil) return true end,`},
		"a coroutine that changes it": {`local t = 1
			local change = coroutine.wrap(function() while true do t = setmetatable({}, evil) coroutine.yield(true) end end)`,
			"$x + t", `when = function(ctx) return change() end,`},
	} {
		for form, text := range overRows(c.expr, c.options) {
			t.Run(form+"/"+name, func(t *testing.T) {
				r := inhabited(t, forever+c.before+"\n"+text)
				r.step(1)
				r.wantError("a.lua", "script ran too long")
			})
		}
	}
}

// TestLimitsAfterFault: a system that fails is followed by one that a limit must end.
func TestLimitsAfterFault(t *testing.T) {
	r := inhabited(t, `
local t = {}
ecs.system "fails" { query = { P }, each = function(e, p, ctx) p.x = p.x + t.low end }
ecs.system "loops" { after = "fails", query = { P }, each = function(e, p, ctx) while true do end end }
`)
	r.step(1)
	if len(r.errors) != 2 || !strings.Contains(r.errors[1].Error(), "script ran too long") {
		t.Fatalf("errors %v, want a fault and the loop", r.errors)
	}
}

// TestMoreThanTheLimit: a function that ends, and takes more than its call may use, is
// ended.
func TestMoreThanTheLimit(t *testing.T) {
	r := newGame(t, scripting.Limits{Instructions: 20_000})
	r.write("a.lua", `ecs.system "s" { query = { P }, each = function(e, p, ctx)
		for i = 1, 64 do for k = 1, 60 do p.x = p.x + i * k end end
	end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	p := ecs.Register[Position](r.world)
	for range 100 {
		r.world.Spawn(p.With(Position{}))
	}
	r.step(1)
	r.wantError("a.lua", "script ran too long: used 20,0", "of 20,000 instructions")
}

// TestParentsAreNotTooManyDeep holds what is said of a chain of parents that is too long:
// at the line that makes it so, with the bound.
func TestParentsAreNotTooManyDeep(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.write("a.lua", `
local T = ecs.tag "T"
ecs.on_start(function()
  local e = ecs.spawn(T)
  for i = 1, 1024 do local below = ecs.spawn(T) ecs.set_parent(below, e) e = below end
  print("1024 are possible")
  ecs.set_parent(ecs.spawn(T), e)
end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	if len(r.logs) == 0 || !strings.Contains(r.logs[0], "1024 are possible") {
		t.Errorf("logged %q", r.logs)
	}
	r.wantError("a.lua:8", "which has 1,024 ancestors or more")
}
