package scripting_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// caller exposes functions that ask for the call of the script, in all forms that there are.
type caller struct {
	*game
	told []string
	kept *scripting.Call

	Field func(call *scripting.Call, n float64)
}

// Method is called on a pointer.
func (c *caller) Method(call *scripting.Call, n float64) { c.tell(call, n) }

// tell notes what a call says of itself.
func (c *caller) tell(call *scripting.Call, n float64) {
	c.kept = call
	if call.Err() != nil || call.World() != c.world || call.Context().Err() != nil {
		c.Errorf("a call that runs says %v", call.Err())
	}
	c.told = append(c.told, fmt.Sprintf("%g: %s %s in tick %d, entity %d", n, call.Script(), call.System(), call.Tick(), call.Entity()))
}

// byValue has a method that is called on a copy.
type byValue struct{ c *caller }

// Method is called on a value.
func (v byValue) Method(call *scripting.Call, n float64) { v.c.tell(call, n) }

func newCaller(t *testing.T) *caller {
	c := &caller{game: newGame(t, scripting.Limits{})}
	c.Field = c.tell
	for name, value := range map[string]any{
		"tell": c.tell, "object": c, "value": byValue{c},
		"words": func(call *scripting.Call, words ...string) string {
			c.tell(call, float64(len(words)))
			return strings.Join(words, " ")
		},
		"spawn": func(call *scripting.Call, x float64) ecs.Entity {
			return call.Commands().Spawn(ecs.Register[Position](c.world).With(Position{X: x}))
		},
		"kept": func() float64 {
			c.kept.Commands().Spawn(ecs.Register[Position](c.world).With(Position{X: 99}))
			return float64(c.kept.Tick())
		},
	} {
		if err := c.host.Expose(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// load loads a file a.lua, which has ecs, host, P and V.
func (c *caller) load(text string) {
	c.Helper()
	if err := c.try(text); err != nil {
		c.Fatal(err)
	}
}

// try is load, with its error.
func (c *caller) try(text string) error {
	c.write("a.lua", "local host = require 'host'\n"+text)
	return c.host.Load(c.folder)
}

// All forms of functions get the call, and scripts do not see the parameter.
func TestHostCallInAllForms(t *testing.T) {
	c := newCaller(t)
	c.load(`ecs.system "s" { run = function()
  host.tell(1) host.object:Method(2) host.object.Field(3) host.value:Method(4)
  assert(host.words("a", "b") == "a b")
  local ok, why = pcall(host.tell) assert(not ok and why:find("expected 1 argument, got 0", 1, true), why)
  ok, why = pcall(host.tell, "x") assert(not ok and why:find("argument 1: expected a number", 1, true), why)
  ok, why = pcall(host.object.Method, host.object, 1, 2) assert(not ok and why:find("expected 1 argument, got 2", 1, true), why)
end }`)
	if err := c.host.Step(1); err != nil {
		t.Fatal(err)
	}
	want := []string{}
	for _, n := range []int{1, 2, 3, 4, 2} {
		want = append(want, fmt.Sprintf("%d: a.lua s in tick 1, entity 0", n))
	}
	if !slices.Equal(c.told, want) {
		t.Errorf("told %q, want %q", c.told, want)
	}
}

// The call says who makes it, in every form in which a script runs.
func TestHostCallKnowsItsPlace(t *testing.T) {
	c := newCaller(t)
	e := c.world.Spawn(ecs.Register[Position](c.world).With(Position{X: 1}))
	c.load(`local E = ecs.event("E", { x = ecs.f64(1) })
ecs.on_start(function() host.tell(0) ecs.after(1, "h") end)
ecs.handler("h", function() host.tell(1) end)
ecs.system "each" { query = { P }, kernel = "off", each = function(e, p) host.tell(2) end }
ecs.system "batch" { query = { P }, batch = function(b) host.tell(3) end }
ecs.system "emit" { run = function() ecs.emit(E) host.tell(4) for e in ecs.entities { P } do ecs.set(e, P { y = 2 }) end end }
ecs.system "event" { on = E, each = function(ev) host.tell(5) end }
ecs.on_set(P, function(e) host.tell(6) end)`)
	if err := c.host.Step(1); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(c.told, "\n")
	for _, want := range []string{
		"0: a.lua on_start in tick 0, entity 0", "1: a.lua timer h in tick 1, entity 0", fmt.Sprintf("2: a.lua each in tick 1, entity %d", e),
		"3: a.lua batch in tick 1, entity 0", "4: a.lua emit in tick 1, entity 0", "5: a.lua event in tick 1, entity 0",
		fmt.Sprintf("on_set Position in tick 1, entity %d", e),
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing was told as %q:\n%s", want, all)
		}
	}
}

// Commands of a function come between those of the script, in the order in which both were made.
func TestHostCallCommandsAreInOrder(t *testing.T) {
	c := newCaller(t)
	c.load(`ecs.on_start(function()
  ecs.spawn(P { x = 1 })
  local e = host.spawn(2)
  assert(ecs.get(e, P).x == 2)
  ecs.spawn(P { x = 3 })
  host.spawn(4)
  ecs.set(e, P { x = 5 })
end)`)
	if err := c.host.Step(1); err != nil {
		t.Fatal(err)
	}
	if got, want := c.xs(), []float64{1, 5, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("positions %v, want %v", got, want)
	}
}

// xs are the positions of all entities, in order.
func (c *caller) xs() (xs []float64) {
	p := ecs.Register[Position](c.world)
	for chunk := range c.world.Query(ecs.Read(p)).Chunks() {
		for _, at := range p.Of(chunk) {
			xs = append(xs, at.X)
		}
	}
	return xs
}

// What a function has recorded is undone with the script's call, in an each function with the
// turn of the entity.
func TestHostCallCommandsAreUndone(t *testing.T) {
	for form, text := range map[string]string{
		"run":   `ecs.system "s" { run = function() host.spawn(7) error("no", 0) end }`,
		"batch": `ecs.system "s" { query = { P }, batch = function(b) host.spawn(7) error("no", 0) end }`,
		"each":  `ecs.system "s" { query = { P }, kernel = "off", each = function(e, p) host.spawn(7 + p.x) if p.x == 1 then error("no", 0) end end }`,
		"start": `ecs.on_start(function() host.spawn(7) error("no", 0) end)`,
		"timer": `ecs.on_start(function() ecs.after(0, "h") end) ecs.handler("h", function() host.spawn(7) error("no", 0) end)`,
	} {
		t.Run(form, func(t *testing.T) {
			c := newCaller(t)
			p := ecs.Register[Position](c.world)
			c.world.Spawn(p.With(Position{X: 1}))
			c.world.Spawn(p.With(Position{X: 2}))
			c.load(text)
			if err := c.host.StepAll(1); err == nil || !strings.Contains(err.Error(), "no") {
				t.Fatalf("the step says %v", err)
			}
			want := []float64{1, 2}
			if form == "each" {
				want = append(want, 9) // of the entity that has not failed
			}
			if got := c.xs(); !slices.Equal(got, want) {
				t.Errorf("positions %v, want %v", got, want)
			}
		})
	}
}

// There is no call where no tick is: such functions are refused there.
func TestHostCallIsRefusedAtTheTopLevel(t *testing.T) {
	c := newCaller(t)
	err := c.try("host.tell(1)")
	if err == nil || !strings.Contains(err.Error(), "a.lua:3") || !strings.Contains(err.Error(), "the top level of a script and migrate functions cannot call it") {
		t.Errorf("the load says %v", err)
	}
	if len(c.told) > 0 {
		t.Errorf("it was called: %q", c.told)
	}
}

// A call that is kept changes nothing after its end, on any goroutine, and the next step says
// so.
func TestHostCallIsOver(t *testing.T) {
	c := newCaller(t)
	c.load(`ecs.system "s" { run = function(ctx) if ctx.tick == 1 then host.tell(1) elseif ctx.tick == 2 then host.kept() end end }`)
	if err := c.host.Step(1); err != nil {
		t.Fatal(err)
	}
	ctx := c.kept.Context()
	if !errors.Is(context.Cause(ctx), scripting.ErrOver) || !errors.Is(c.kept.Err(), scripting.ErrOver) || c.kept.System() != "s" {
		t.Errorf("after its end a call says %v, %v", context.Cause(ctx), c.kept.Err())
	}
	done := make(chan error)
	go func() {
		commands := c.kept.Commands()
		commands.Spawn()
		commands.Add(1)
		commands.SetParent(1, 2)
		done <- commands.Apply()
	}()
	if err := <-done; !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("Apply of commands of no call: %v", err)
	}
	if c.kept.Entity() != 0 || c.kept.World() != nil || new(scripting.Call).Commands().Spawn() != 0 {
		t.Error("a call that is over has an entity or a world")
	}
	err := c.host.Step(1) // which uses it within another call
	if !errors.Is(err, scripting.ErrOver) || !strings.Contains(err.Error(), `Commands of a *scripting.Call of "s" in tick 1`) {
		t.Errorf("the step after a late use says %v", err)
	}
	if len(c.xs()) > 0 {
		t.Errorf("a late use has spawned %v", c.xs())
	}
	if err := c.host.Step(1); err != nil {
		t.Errorf("it is said once more: %v", err)
	}
}

// Commands that are kept after the script's call change nothing, and the next step says so.
func TestCommandsOfACallThatIsOver(t *testing.T) {
	g := newGame(t, scripting.Limits{})
	var kept *ecs.Commands
	if err := g.host.Expose("keep", func(call *scripting.Call) { kept = call.Commands() }); err != nil {
		t.Fatal(err)
	}
	g.write("a.lua", `ecs.system "s" { run = function() require("host").keep() end }`)
	if err := errors.Join(g.host.Load(g.folder), g.host.Step(1)); err != nil {
		t.Fatal(err)
	}
	before := g.world.Len()
	kept.Spawn()
	if err := g.host.Step(1); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), "1 commands were recorded with the Commands of a Tick that is over") {
		t.Errorf("the step after: %v", err)
	}
	if err := g.host.Step(1); err != nil || g.world.Len() != before {
		t.Errorf("%v, %d entities, there were %d", err, g.world.Len(), before)
	}
}

// A call that is not where scripts' arguments begin, or whose function scripts cannot call.
func TestHostCallElsewhereIsNotExposed(t *testing.T) {
	c := newCaller(t)
	err := c.host.Expose("wrong", func(float64, *scripting.Call) {})
	if err == nil || !strings.Contains(err.Error(), "a *scripting.Call is the first parameter, or none") {
		t.Errorf("Expose says %v", err)
	}
}

// A usual signature takes no reflection, and a call allocates nothing after the first one.
func TestHostCallAllocatesNothing(t *testing.T) {
	c := newCaller(t)
	n := 0.0
	if err := c.host.Expose("count", func(call *scripting.Call, by float64) float64 { n += by; return n }); err != nil {
		t.Fatal(err)
	}
	c.load(`ecs.system "s" { run = function() for i = 1, 10000 do host.count(1) end end }`)
	if err := c.host.Step(1); err != nil {
		t.Fatal(err)
	}
	got := testing.AllocsPerRun(5, func() {
		if err := c.host.Step(1); err != nil {
			t.Fatal(err)
		}
	})
	if got > 100 {
		t.Errorf("10,000 calls make %g allocations", got)
	}
}

// TestWhatHostsRecordIsBounded: what a function of the host records with the commands of a call
// counts against the limits of the script, in one call of it and in many.
func TestWhatHostsRecordIsBounded(t *testing.T) {
	for body, want := range map[string]string{
		`host.many(20)`:                           "Limits.Spawned",
		`for i = 1, 20 do host.many(1) end`:       "Limits.Spawned",
		`host.add(40)`:                            "Limits.Commands",
		`for i = 1, 40 do host.add(1) end`:        "Limits.Commands",
		`host.many(5) host.add(3)`:                "",
		`local ok = pcall(host.many, 20) spare()`: "Limits.Spawned",
	} {
		r := newGame(t, scripting.Limits{Spawned: 10, Commands: 30, LogLines: -1})
		p := ecs.Register[Position](r.world)
		other := r.world.Spawn(p.With(Position{}))
		before := r.world.Len()
		for name, f := range map[string]any{
			"many": func(c *scripting.Call, n int) {
				for range n {
					c.Commands().Spawn(p.With(Position{}))
				}
			},
			"add": func(c *scripting.Call, n int) {
				for range n {
					c.Commands().Add(other, p.With(Position{1, 1}))
				}
			},
		} {
			if err := r.host.Expose(name, f); err != nil {
				t.Fatal(err)
			}
		}
		r.write("a.lua", `local host = require "host"
local function spare() error("after") end
ecs.system "s" { run = function() `+body+` end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		if want == "" {
			if len(r.errors) != 0 || r.world.Len() != before+5 {
				t.Errorf("%s: %v, %d entities", body, r.errors, r.world.Len()-before)
			}
			continue
		}
		if len(r.errors) != 1 || !strings.Contains(r.errors[0].Error(), want) && !strings.Contains(r.errors[0].Error(), "after") || r.world.Len() != before {
			t.Errorf("%s: %v, %d entities", body, r.errors, r.world.Len()-before)
		}
	}
}

// TestFunctionsAreNotStoredInTheHost: they would be over with the call, and the host could call
// them later.
func TestFunctionsAreNotStoredInTheHost(t *testing.T) {
	type rules struct {
		Damage func(float64) float64
		Any    any
		By     map[string]func()
		List   []func()
	}
	r := newGame(t, scripting.Limits{LogLines: -1})
	own := &rules{By: map[string]func(){}, List: make([]func(), 1)}
	if err := r.host.Expose("rules", own); err != nil {
		t.Fatal(err)
	}
	r.write("a.lua", `local host = require "host"
ecs.system "s" { run = function()
  local f = function(x) return x end
  ecs.log(pcall(function() host.rules.Damage = f end))
  ecs.log(pcall(function() host.rules.Any = f end))
  ecs.log(pcall(function() host.rules.By.x = f end))
  ecs.log(pcall(function() host.rules.List[1] = f end))
  host.rules.Damage = nil
end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	if len(r.errors) != 0 || own.Damage != nil || own.Any != nil || len(own.By) != 0 || own.List[0] != nil {
		t.Errorf("%v, stored: %v", r.errors, own)
	}
	if n := strings.Count(strings.Join(r.logs, "\n"), "cannot be stored in the host"); n != 4 {
		t.Errorf("%d of 4 are refused: %q", n, r.logs)
	}
}

// TestWordsOfLuaAreNoNames: a script could not write host.end.
func TestWordsOfLuaAreNoNames(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: -1})
	for _, word := range []string{"end", "nil", "function", "goto", "and", "1st", "", "a b"} {
		if err := r.host.Expose(word, 1); err == nil || !strings.Contains(err.Error(), "cannot write this name") {
			t.Errorf("%q: answered %v", word, err)
		}
	}
	if err := r.host.Expose("ends", 1); err != nil {
		t.Error(err)
	}
}
