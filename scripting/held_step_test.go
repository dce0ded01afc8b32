package scripting_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// lines repeats a line n times with the numbers from 1 in the place of #.
func lines(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "#", fmt.Sprint(i+1)) + "\n")
	}
	return b.String()
}

// TestNotesAreFew: a verdict names twenty things of a kind, and says how many more there are: the step waits for it.
func TestNotesAreFew(t *testing.T) {
	for name, c := range map[string]struct{ old, now, more string }{
		"states":     {lines(100, `ecs.state("s#", { a = 1 })`), ``, "so it is with what is in 80 other names of ecs.state"},
		"state keys": {lines(100, `ecs.state("s#", { a = 1 })`), lines(100, `ecs.state("s#", { a = "x" })`), "so it is with 80 other keys of ecs.state"},
		"components": {lines(100, `local C# = ecs.component("C#", { x = 1 }) ecs.on_start(function() ecs.spawn(C# {}) end)`), ``, "so it is with the values of 80 other components"},
		"events": {`local E = {} for i = 1, 100 do E[i] = ecs.event("E" .. i, { x = 1 }) end
ecs.system "reads" { run = function(ctx) for i = 1, ctx.tick == 1 and 100 or 0 do ecs.events(E[i]) end end }
ecs.system "emits" { after = { "reads" }, run = function() for i = 1, 100 do ecs.emit(E[i]) end end }`,
			`ecs.system "reads" { run = function() end }`, "so it is with the events of 80 other types"},
	} {
		t.Run(name, func(t *testing.T) {
			r := loaded(t, "a.lua", c.old)
			r.run(1)
			r.save("a.lua", c.now)
			r.accepted()
			notes := r.reloads[0].Notes
			if len(notes) == 0 {
				t.Fatal("no notes")
			}
			if len(notes) != 21 || notes[20] != c.more {
				t.Errorf("%d notes, the last one %q, want 20 and %q", len(notes), notes[len(notes)-1], c.more)
			}
		})
	}
}

// TestLostTimersAreTold: of the timers that are due in one tick and have lost their handlers, twenty are told one by one.
func TestLostTimersAreTold(t *testing.T) {
	r := loaded(t, "a.lua", lines(100, `ecs.handler("h#", function() end)`)+`ecs.on_start(function() for i = 1, 100 do ecs.after(0.03, "h" .. i) end end)`)
	r.run(1)
	r.save("a.lua", "")
	r.step(5)
	if len(r.errors) != 21 || !strings.Contains(r.errors[20].Error(), "so it is with 80 other timers of this tick: no script declares their handlers any more") {
		t.Errorf("%d errors: %v", len(r.errors), r.errors)
	}
	r.errors = nil
	r.save("a.lua", lines(100, `ecs.handler("h#", function() ecs.log("#") end)`))
	r.run(5)
	if got := len(strings.Fields(r.logged())); got != 100 {
		t.Errorf("%d of 100 timers found their handlers again", got)
	}
}

// TestOnErrorWithinTheTick: functions of ecs.on_error are called as long as their script has instructions left in the
// tick. What was left out is no failure of theirs: they get the faults of later ticks.
func TestOnErrorWithinTheTick(t *testing.T) {
	r := newGame(t, scripting.ReleaseLimits(60))
	calls := 0
	if err := r.host.Expose("told", func() { calls++ }); err != nil {
		t.Fatal(err)
	}
	r.write("a.lua", `local host = require "host"`+"\n"+lines(1000, `ecs.on_error(function(e) host.told() end)`),
		"b.lua", `for i = 1, 30 do ecs.system("s" .. i, { run = function(ctx) if ctx.tick == 1 or ctx.tick == 3 then error(("x"):rep(ctx.tick) .. string.char(64 + i)) end end }) end`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	for tick := 1; tick <= 3; tick++ {
		before := calls
		r.step(1)
		switch n := calls - before; {
		case tick == 2 && n != 0:
			t.Errorf("%d calls, and nothing has failed", n)
		case tick != 2 && (n < 500 || n > 2500):
			t.Errorf("tick %d: %d calls; 16,000 would take 8,000,000 instructions, and a tick has 555,555", tick, n)
		}
	}
}

// TestReadersHaveALimit: ecs.events opens no more readers than Limits.Declarations, but a few for each script.
func TestReadersHaveALimit(t *testing.T) {
	r := newGame(t, scripting.Limits{Declarations: 150})
	greedy := `local E = {} for i = 1, 100 do E[i] = ecs.event("E" .. i, { x = 1 }) end
for j = 1, 3 do ecs.system("greedy" .. j, { run = function() for i = 1, 100 do ecs.events(E[i]) end end }) end`
	modest := `local E = ecs.event("F", { x = 1 })
ecs.system("modest", { phase = "render", run = function() ecs.events(E) ecs.events(E) ecs.log("modest") end })`
	r.write("greedy.lua", greedy, "modest.lua", modest)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	if len(r.errors) != 2 {
		t.Fatalf("%v", r.errors)
	}
	for _, e := range r.errors {
		if !errors.Is(e, scripting.ErrLimit) || e.Limit != "Declarations" || !strings.Contains(e.Error(), "ecs.events: scripts read too many events: 150 of 150 that systems, observers and handlers read") {
			t.Error(e)
		}
	}
	r.errors = nil
	r.wantLog("modest")
	r.save("greedy.lua", `local E = {} for i = 1, 100 do E[i] = ecs.event("E" .. i, { x = 1 }) end
ecs.system("other", { run = function() for i = 1, 100 do ecs.events(E[i]) end end })`)
	r.accepted()
	r.step(1)
	if len(r.errors) > 0 {
		t.Errorf("the readers of systems that are gone count still: %v", r.errors)
	}
}

// TestProblemsAreFew: a refused reload tells up to a thousand problems of a file, and a hundred of scripts together.
func TestProblemsAreFew(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		most int
	}{
		"fields":   {`local C = ecs.component("C", { x = 1 })` + "\n" + lines(1500, `ecs.system("s#", { query = { C }, each = function(e, c) c.y# = 1 end })`), 1001},
		"handlers": {lines(300, `ecs.handler("h#", function() end)`), 100},
		"was":      {lines(300, `ecs.component("C#", { x = 1 }, { was = "D#" })`), 100},
		"drop":     {lines(300, `ecs.drop("D#")`), 100},
		"kernels":  {`local C = ecs.component("C", { x = 1 })` + "\n" + lines(300, `ecs.system("s#", { query = { C }, kernel = "require", each = function(e, c) c.x = tostring(c.x) end })`), 100},
	} {
		t.Run(name, func(t *testing.T) {
			r := loaded(t, "z.lua", lines(300, `ecs.handler("h#", function() end)`))
			r.save("a.lua", c.text)
			r.step(1)
			var refused *scripting.LoadError
			if len(r.reloads) != 1 || !errors.As(r.reloads[0].Err, &refused) {
				t.Fatal(r.reloads)
			}
			if n := len(refused.Problems); n > c.most || n < min(c.most, 100) {
				t.Errorf("%d problems, want %d; the last is %s", n, c.most, refused.Problems[n-1].Error())
			}
		})
	}
}

// TestCombinationsCountAsConverted: entities with as many combinations of components take long to convert, however few
// they are.
func TestCombinationsCountAsConverted(t *testing.T) {
	for combinations, refused := range map[int]bool{500: false, 1000: true} {
		r := newGame(t, scripting.Limits{Converted: 4_000_000, LogLines: -1})
		r.write("a.lua", `local H = ecs.component("H", { hp = 1 })`, "b.lua", fmt.Sprintf(`local T = {} for i = 1, 10 do T[i] = ecs.tag("T" .. i) end
local H = ecs.component("H", { hp = 1 })
ecs.on_start(function() for n = 1, %d do
  local e, m = ecs.spawn(H {}), n
  for i = 1, 10 do if m %% 2 == 1 then ecs.add(e, T[i]) end m = math.floor(m / 2) end
end end)`, combinations))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.run(1)
		r.save("a.lua", `local H = ecs.component("H", { hp = 1, max = 2 })`, "b.lua", `local H = ecs.component("H", { hp = 1, max = 2 })`)
		if refused {
			r.refused("(Limits.Converted)")
		} else {
			r.accepted()
		}
	}
}
