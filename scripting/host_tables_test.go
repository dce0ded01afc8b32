package scripting_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// hostTablesBegin has rows of which one assigns, in tick 2, and all of which show what they see.
const hostTablesBegin = `local ecs = require "ecs"
local H = ecs.component("H", { hp = ecs.f64(0), x = ecs.f64(0), l = ecs.array(ecs.f64(0), 2) })
local Hit = ecs.event("Hit", { amount = ecs.f64(0) })
ecs.on_start(function() for i = 1, 6 do ecs.spawn(H { hp = i }) end end)
local function set(t, key, v) t[key] = v end
local function bad(t, what)
  if what == "raw" then rawset(t, "dt", 0) elseif what == "new" then rawset(t, "foo", 7) elseif what == "list" then table.insert(t, 7)
  elseif what == "nil" then set(t, "dt", nil) elseif what == "n" then set(t, "n", 1) elseif what == "method" then set(t, "write", t.read)
  else set(t, "dt", 0) end
end
`

// hostTablesEnd says what all rows have added up to.
const hostTablesEnd = "\n" + `ecs.system "sum" { phase = "debug", run = function() local sum = 0
  for e in ecs.entities(H) do sum = sum + ecs.get(e, H, "x") end ecs.log("sum " .. sum) end }`

// TestHostTablesKeepNothing: what a row, a batch or a run assigns to ctx, to a batch or, past
// its fields, to a row is an error with a name, and no later row, tick or system sees it. The
// functions are the same on the VM and compiled.
func TestHostTablesKeepNothing(t *testing.T) {
	each := func(call string) string {
		return `ecs.system "s" { query = { H }, each = function(e, h, ctx) if h.hp == 2 and ctx.tick == 2 then ` + call + ` end h.x = h.x + ctx.dt * ctx.tick end }`
	}
	batch := func(call string) string {
		return `ecs.system "s" { query = { H }, batch = function(b, ctx) if ctx.tick == 2 then ` + call + ` end
  local x = b:write(H, "x") for i = 1, b.n do x[i] = x[i] + ctx.dt * ctx.tick end
end }`
	}
	run := func(call string) string {
		return `ecs.system "s" { run = function(ctx) if ctx.tick == 2 then ` + call + ` end
  for e in ecs.entities(H) do ecs.update(e, H, function(h) h.x = h.x + ctx.dt * ctx.tick end) end end }`
	}
	const ctx, row, list = " cannot be assigned, as ctx is the same for all rows", `unknown field "foo" of "H"`, "the list has the elements 1 to 6"
	const held = `b:write(Component, "field")`
	for name, at := range map[string]struct {
		text, says string
		lost       int // rows that miss their second tick
	}{
		"each assigns ctx":         {each(`bad(ctx, "dt")`), "ctx.dt" + ctx, 1},
		"each takes away":          {each(`bad(ctx, "nil")`), "ctx.dt" + ctx, 1},
		"each by rawset":           {each(`bad(ctx, "raw")`), "ctx.dt" + ctx, 1},
		"each of a new name":       {each(`bad(ctx, "new")`), "ctx.foo" + ctx, 1},
		"each by table.insert":     {each(`bad(ctx, "list")`), "ctx[1]" + ctx, 1},
		"each of a row":            {each(`bad(h, "new")`), row, 1},
		"each of a row's array":    {each(`rawset(h.l, 3, 1)`), `field "l" of "H"`, 1},
		"batch assigns ctx":        {batch(`bad(ctx, "dt")`), "ctx.dt" + ctx, 6},
		"batch by rawset":          {batch(`bad(ctx, "raw")`), "ctx.dt" + ctx, 6},
		"batch assigns n":          {batch(`bad(b, "n")`), "b.n cannot be assigned", 6},
		"batch assigns directly":   {batch(`b.hp = 1`), held, 6},
		"batch assigns a method":   {batch(`bad(b, "method")`), "b.write cannot be assigned", 6},
		"batch of a new name":      {batch(`bad(b, "new")`), "b.foo cannot be assigned", 6},
		"batch's list":             {batch(`rawset(b:write(H, "hp"), "foo", 1)`), list, 6},
		"batch's list by insert":   {batch(`table.insert(b:write(H, "hp"), 1)`), list, 6},
		"batch's list by insert 1": {batch(`table.insert(b:write(H, "hp"), 1, 1)`), list, 6},
		"run assigns ctx":          {run(`local c = select(1, ctx) c.dt = 0`), "ctx.dt" + ctx, 6},
		"run by rawset":            {run(`bad(ctx, "raw")`), "ctx.dt" + ctx, 6},
		"update of a row":          {run(`ecs.update(ecs.find(H), H, function(h) rawset(h, "foo", 1) end)`), row, 6},
		"when assigns": {`ecs.system "s" { query = { H }, when = function(c) local d = select(1, c) if c.tick == 2 then d.dt = 0 end return true end,
  each = function(e, h, ctx) h.x = h.x + ctx.dt * ctx.tick end }`, "ctx.dt" + ctx, 6},
		"an event's each": {`ecs.system "e" { run = function() ecs.emit(Hit { amount = 1 }) end }
ecs.system "s" { on = Hit, each = function(hit, c) if c.tick == 2 then bad(c, "dt") end
  for e in ecs.entities(H) do ecs.update(e, H, function(h) h.x = h.x + c.dt * c.tick end) end end }`, "ctx.dt" + ctx, 6},
	} {
		t.Run(name, func(t *testing.T) {
			play := func(options scripting.Options) (errors, lines []string) {
				w := ecs.NewWorld()
				defer w.Close()
				options.OnError, options.OnKernel, options.Logger = func(*scripting.Error) {}, func(scripting.KernelStatus) {}, slog.New(&logbook{lines: &lines})
				h := newHost(t, w, options)
				if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(hostTablesBegin + at.text + hostTablesEnd)}}); err != nil {
					t.Fatal(err)
				}
				for range 3 {
					errors = append(errors, split(h.StepAll(1))...)
				}
				return errors, lines
			}
			errors, lines := play(scripting.Options{})
			if len(errors) != 1 || !strings.Contains(errors[0], at.says) {
				t.Errorf("the errors are %q", errors)
			}
			if want := fmt.Sprintf("sum %v", 36-2*at.lost); len(lines) != 3 || !strings.Contains(lines[2], want) {
				t.Errorf("the sums are %q, not %s in the end", lines, want)
			}
			if e, l := play(scripting.Options{NoKernels: true}); !slices.Equal(e, errors) || !slices.Equal(l, lines) {
				t.Errorf("without kernels %q %q, with them %q %q", e, l, errors, lines)
			}
		})
	}
}

// TestContextAssignedInText: where the text of an each function shows the assignment, the load
// is refused with its place.
func TestContextAssignedInText(t *testing.T) {
	for text, place := range map[string]string{
		`ecs.system "s" { query = { P }, each = function(e, p, c) if p.x > 3 then c.dt = 0 end end }`: `system "s": ctx.dt cannot be assigned`,
		`ecs.kernel("k", { P }, function(e, p, ctx) ctx.mine = 1 end)`:                                `kernel "k": ctx.mine cannot be assigned`,
	} {
		if got := problems(t, fstest.MapFS{"a.lua": newFile(`local ecs = require "ecs" local P = ecs.component("P", { x = ecs.f64(1) }) ` + text)}); !strings.Contains(got, place) || !strings.HasPrefix(got, "a.lua:") {
			t.Errorf("%s\n%s", text, got)
		}
	}
}
