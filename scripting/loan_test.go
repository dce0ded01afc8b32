package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// loans are all that a script gets for a call. Each text keeps it, in kept, and calls
// later(), which uses what an earlier call has left there.
var loans = map[string]struct{ text, field, over string }{
	"row of each":          {`ecs.system "s" { query = { P }, each = function(e, p) @(p) p.y = 1 end }`, "x", "this Position is over"},
	"row, kernel off":      {`ecs.system "s" { query = { P }, kernel = "off", each = function(e, p) @(p) p.y = 1 end }`, "x", "this Position is over"},
	"row, all arguments":   {`ecs.system "s" { query = { P }, each = function(e, ...) local p = ... @(p) p.y = 1 end }`, "x", "this Position is over"},
	"row, beside numbers":  {`ecs.system "s" { query = { P, V }, kernel = "off", each = function(e, p, v) v.x = v.x + 1 @(p) end }`, "x", "this Position is over"},
	"optional row":         {`ecs.system "s" { query = { V, optional = { P } }, kernel = "off", each = function(e, v, p) if p then @(p) end end }`, "x", "this Position is over"},
	"row in a branch":      {`ecs.system "s" { query = { P }, each = function(e, p) if p.x % 2 == 0 then @(p) end p.y = p.x end }`, "x", "this Position is over"},
	"row of a callable":    {`local k = ecs.kernel({ P }, function(e, p) @(p) end) ecs.system "s" { run = function() k() end }`, "x", "this Position is over"},
	"row in an upvalue":    {`local mine ecs.system "s" { query = { P }, kernel = "off", each = function(e, p) if mine then @(mine) end mine = p end }`, "x", "this Position is over"},
	"row in a closure":     {`ecs.system "s" { query = { P }, kernel = "off", each = function(e, p) local f = function() return p end @(f()) end }`, "x", "this Position is over"},
	"row of a failed call": {`ecs.system "s" { query = { P }, kernel = "off", each = function(e, p) if p.x == 3 then kept = p error("no", 0) end if p.x == 4 then later() end end }`, "x", "this Position is over"},
	"row of strings":       {`local E = ecs.native "Named" ecs.system "s" { query = { E }, each = function(e, n) @(n) end }`, "name", "this Named is over"},
	"row of update":        {`ecs.system "s" { run = function() local n = 0 for e in ecs.entities { P } do n = n + 1 if n > 3 then break end ecs.update(e, P, function(p) p.y = 1 end) ecs.update(e, P, function(p) @(p) end) end end }`, "x", "this Position is over"},
	"event":                {`local E = ecs.event("E", { x = ecs.f64(1) }) ecs.system "a" { run = function() ecs.emit(E) ecs.emit(E) end } ecs.system "s" { on = E, each = function(ev) @(ev) end }`, "x", "this E event is over"},
	"observer":             {`ecs.system "a" { run = function() for e in ecs.entities { P } do ecs.set(e, P { y = 2 }) end end } ecs.on_set(P, function(e, p) @(p) end)`, "x", "this Position of an observer is over"},
	"ctx of each":          {`ecs.system "s" { query = { P }, kernel = "off", each = function(e, p, ctx) @(ctx, true) end }`, "dt", "this ctx is over"},
	"ctx of run":           {`ecs.system "s" { run = function(ctx) @(ctx) end }`, "dt", "this ctx is over"},
	"ctx of batch":         {`ecs.system "s" { query = { P }, batch = function(b, ctx) @(ctx, true) end }`, "dt", "this ctx is over"},
	"ctx of when":          {`ecs.system "s" { when = function(ctx) @(ctx) end, run = function() end }`, "dt", "this ctx is over"},
	"ctx of a timer":       {`ecs.on_start(function() ecs.every(0.01, "h") end) ecs.handler("h", function(_, ctx) @(ctx) end)`, "dt", "this ctx is over"},
	"ctx of an event":      {`local E = ecs.event("E", { x = ecs.f64(1) }) ecs.system "a" { run = function() ecs.emit(E) end } ecs.system "s" { on = E, each = function(ev, ctx) @(ctx) end }`, "dt", "this ctx is over"},
	"ctx of an observer":   {`ecs.system "a" { run = function() ecs.spawn(P) end } ecs.on_spawn(function(e, ctx) @(ctx) end)`, "dt", "this ctx is over"},
	"ctx of on_error":      {`ecs.system "a" { run = function() error("boom", 0) end } ecs.on_error(function(err, ctx) if err.message == "boom" then @(ctx) end end)`, "dt", "this ctx is over"},
	"batch":                {`ecs.system "s" { query = { P }, batch = function(b) @(b) end }`, "n", "this batch is over"},
	"list to read":         {`ecs.system "s" { query = { P }, batch = function(b) local x = b:read(P, "x") @(x) end }`, "1", "this list is over"},
	"list to write":        {`ecs.system "s" { query = { P }, batch = function(b) local x, y = b:write(P, "x"), b:read(P, "y") x[1] = y[1] @(x) end }`, "1", "this list is over"},
	"list of words":        {`local E = ecs.native "Named" ecs.system "s" { query = { E }, batch = function(b) @(b:read(E, "name")) end }`, "1", "this list is over"},
}

// uses are what a script can do with a table that it has kept.
var uses = map[string]string{
	"read":     `return t.FIELD`,
	"write":    `t.FIELD = 5`,
	"computed": `return t[("FIELD"):sub(1)]`,
	"unknown":  `return t.other`,
	"pairs":    `for k in pairs(t) do end`,
	"ipairs":   `for i in ipairs(t) do end`,
	"next":     `return next(t)`,
	"rawget":   `return rawget(t, "FIELD")`,
	"rawset":   `rawset(t, "FIELD", 5)`,
	"length":   `return #t`,
	"insert":   `table.insert(t, 5)`,
	"remove":   `table.remove(t)`,
	"sort":     `table.sort(t)`,
	"concat":   `return table.concat(t)`,
	"unpack":   `return unpack(t)`,
	"value":    `return P(t)`,
	"set":      `ecs.set(ecs.find(P), P(t))`,
	"timer":    `ecs.after(1, "later", t)`,
	"state":    `state.t = t`,
	"deeper":   `ecs.after(1, "later", { t })`,
	"query":    `return ecs.count(t)`,
	"host":     `require("host").take(t)`,
	"meta":     `setmetatable(t, nil)`,
	"length 2": `return select("#", unpack(t))`,
}

// named is a component that lives on Go's heap.
type named struct{ Name string }

// keeper makes a world with so many positions, and a script that keeps a loan.
func keeper(t *testing.T, text, use string, rows int) *game {
	r := newGame(t, scripting.Limits{LogLines: -1})
	p, v := ecs.Register[Position](r.world), ecs.Register[Velocity](r.world)
	n := ecs.Register[named](r.world, ecs.Named("Named"))
	for i := range rows {
		r.world.Spawn(p.With(Position{X: float64(i)}), v.With(Velocity{}), n.With(named{fmt.Sprint(i)}))
	}
	if err := r.host.Expose("take", func(map[string]any) {}); err != nil {
		t.Fatal(err)
	}
	call := func(text string) string {
		return strings.ReplaceAll(text, "@(", "keep(")
	}
	r.write("a.lua", `local state = ecs.state("s", {})
ecs.handler("later", function() end)
local kept, used, last
local function use(t) `+use+` end
local function later()
  if kept == nil then return end
  local t = kept
  kept, used = nil, true
  local ok, why = pcall(use, t)
  ecs.log(ok, tostring(why))
end
local function keep(t, once)
  if rawequal(t, kept) or once and rawequal(t, last) or used then return end
  later()
  if not used then kept, last = t, t end
end
`+call(text))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLoansEnd: whatever a script keeps of a call, it cannot use later: not for another
// entity, not in another batch, not in another tick. Every use is an error that names
// what is over, with the line, and no world changes by it.
func TestLoansEnd(t *testing.T) {
	sideBySide(t)
	for name, loan := range loans {
		for use, text := range uses {
			t.Run(name+" "+use, func(t *testing.T) {
				text := strings.ReplaceAll(text, "FIELD", loan.field)
				if loan.field == "1" {
					text = strings.ReplaceAll(strings.ReplaceAll(text, `t.1`, `t[1]`), `"1"`, `1`)
					text = strings.ReplaceAll(text, `(1):sub(1)`, `tonumber("1")`)
				}
				r := keeper(t, loan.text, text, 600)
				twin := keeper(t, loan.text, `error("not used")`, 600)
				for _, x := range []*game{r, twin} {
					for range 3 {
						_ = x.host.Step(1.0 / 64)
					}
					if err := x.world.Check(); err != nil {
						t.Fatal(err)
					}
				}
				got := r.logged()
				want := "false a.lua:5: " + loan.over
				if use == "host" {
					want = "false a.lua:5: host.take: argument 1: " + loan.over
				}
				if use == "state" {
					want = "false a.lua:5: a state table keeps plain data" // of a loan it says no more
				}
				if !strings.HasPrefix(got, want) {
					t.Errorf("logged %q, want %q", got, want)
				}
				if a, b := r.world.Checksum(), twin.world.Checksum(); a != b {
					t.Errorf("checksum %x, want %x: the use has changed the world", a, b)
				}
			})
		}
	}
}
