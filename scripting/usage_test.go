package scripting_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// roomFolder makes a folder of names and texts, each of which begins with the line that all have.
func roomFolder(files ...string) fstest.MapFS {
	folder := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		folder[files[i]] = &fstest.MapFile{Data: []byte("local ecs = require \"ecs\"\n" + files[i+1])}
	}
	return folder
}

// quietRoom opens a room whose faults the test looks at itself.
func quietRoom(t *testing.T, options scripting.Options, files ...string) *room {
	t.Helper()
	r := openRoom(t, options)
	t.Cleanup(func() { r.close(t) })
	if err := r.host.Load(roomFolder(files...)); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestUsageSaysWhoUsesWhat compares scripts that do much with those that do nothing.
func TestUsageSaysWhoUsesWhat(t *testing.T) {
	r := quietRoom(t, scripting.Options{},
		"busy.lua", `local kept = {}
ecs.system "busy" { run = function() for i = 1, 1000 do kept[i] = "t" .. i end end }
ecs.system "idle" { run = function() end }`,
		"quiet.lua", `local P = ecs.component("P", { x = 0 })
ecs.on_start(function() for i = 1, 50 do ecs.spawn(P) end end)
ecs.system "move" { query = { P }, each = function(e, p) p.x = p.x + 1 end }`)
	for range 10 {
		if err := r.host.Step(1); err != nil {
			t.Fatal(err)
		}
	}
	list := r.host.Usage()
	if len(list) != 2 || list[0].Script != "busy.lua" || list[1].Script != "quiet.lua" {
		t.Fatalf("%+v", list)
	}
	busy, quiet := list[0], list[1]
	if len(busy.ByCall) != 2 || busy.ByCall[0].Name != "busy" || busy.ByCall[0].Calls != 10 || busy.ByCall[1].Calls != 10 {
		t.Errorf("calls: %+v", busy.ByCall)
	}
	if n := busy.ByCall[0].Instructions; n < 10_000 || n > 1_000_000 || busy.ByCall[1].Instructions > 1000 {
		t.Errorf("instructions: %d, and %d of one that does nothing", n, busy.ByCall[1].Instructions)
	}
	if busy.Instructions != busy.ByCall[0].Instructions+busy.ByCall[1].Instructions || busy.Calls != 20 {
		t.Errorf("the sum: %+v", busy)
	}
	if busy.Made < 50_000 || busy.Held < 1000*16 || busy.Held < 3*quiet.Held {
		t.Errorf("made %d, held %d and %d", busy.Made, busy.Held, quiet.Held)
	}
	if quiet.Rows != 50*10 {
		t.Errorf("%d rows, want 500", quiet.Rows)
	}
	if busy.Time <= 0 {
		t.Error("no time was measured")
	}
}

// TestLimitsChangeWhileTheGameRuns lowers and raises them.
func TestLimitsChangeWhileTheGameRuns(t *testing.T) {
	r := quietRoom(t, scripting.Options{}, "a.lua", `local big = {}
ecs.system "loop" { run = function() local x = 0 for i = 1, 20000 do x = x + i end end }
ecs.system "text" { run = function() local s = ("x"):rep(5000) end }
ecs.system "spawn" { run = function() for i = 1, 20 do ecs.spawn() end end }`)
	step := func() (limits string) {
		r.fault = nil
		if err := r.host.Step(1); err != nil {
			t.Fatal(err)
		}
		if r.fault == nil {
			return ""
		}
		return r.fault.Error()
	}
	if got := step(); got != "" {
		t.Fatal(got)
	}
	for _, c := range []struct {
		limits scripting.Limits
		want   string
	}{{scripting.Limits{Instructions: 10_000}, "Limits.Instructions"}, {scripting.Limits{String: 1000}, "Limits.String"}, {scripting.Limits{Spawned: 10}, "Limits.Spawned"}} {
		if err := r.host.SetLimits(c.limits); err != nil {
			t.Fatal(err)
		}
		if got := step(); !strings.Contains(got, c.want) || strings.Count(got, "\n") > 0 {
			t.Errorf("%s: %s", c.want, got)
		}
		if err := r.host.SetLimits(scripting.Limits{}); err != nil {
			t.Fatal(err)
		}
		before := r.host.Faults().Total
		step()
		if after := r.host.Faults().Total; after != before {
			t.Errorf("%s: faults with the old limits: %v", c.want, r.fault)
		}
	}
}

// TestHeldIsJudgedByTheNewLimit: a script that holds too much by then is stopped at once, and goes on when it may.
func TestHeldIsJudgedByTheNewLimit(t *testing.T) {
	r := quietRoom(t, scripting.Options{}, "a.lua", `local big, n = {}, ecs.state("n", { n = 0 })
for i = 1, 10000 do big[i] = "text " .. i end
ecs.system "s" { run = function() n.n = n.n + #big end }`)
	held := r.host.Usage()[0].Held
	if err := r.host.SetLimits(scripting.Limits{Held: held / 2}); err != nil {
		t.Fatal(err)
	}
	if err := r.host.Step(1); err != nil || r.fault == nil || !strings.Contains(r.fault.Error(), "Limits.Held") {
		t.Errorf("%v, %v", err, r.fault)
	}
	r.fault = nil
	if err := errors.Join(r.host.SetLimits(scripting.Limits{Held: 2 * held}), r.host.Step(1)); err != nil || r.fault != nil {
		t.Errorf("%v, %v", err, r.fault)
	}
}

// TestUnloadIsTheReloadOfARemovedFile compares it with Stage and Step, in what is left and in
// what is refused.
func TestUnloadIsTheReloadOfARemovedFile(t *testing.T) {
	files := []string{
		"base.lua", `return { n = 1 }`,
		"user.lua", `local base = require "base"
ecs.system "u" { run = function() ecs.spawn() end }`,
		"free.lua", `local s = ecs.state("s", { n = 0 })
ecs.on_unload(function() ecs.log("bye") end)
ecs.system "f" { run = function() ecs.spawn() s.n = s.n + 1 end }`,
	}
	a, b := quietRoom(t, scripting.Options{}, files...), quietRoom(t, scripting.Options{}, files...)
	for range 3 {
		if err := errors.Join(a.host.Step(1), b.host.Step(1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.host.Unload("free.lua"); err != nil {
		t.Fatal(err)
	}
	b.host.Stage(nil, []string{"free.lua"})
	for range 3 {
		if err := errors.Join(a.host.Step(1), b.host.Step(1)); err != nil {
			t.Fatal(err)
		}
	}
	if a.world.Checksum() != b.world.Checksum() || a.world.Stats().Entities != 3+6 {
		t.Errorf("%d entities after Unload, %d after the reload", a.world.Stats().Entities, b.world.Stats().Entities)
	}
	var refused *scripting.LoadError
	if err := a.host.Unload("base.lua"); !errors.As(err, &refused) || len(a.host.Modules()) != 2 {
		t.Errorf("a script that another one requires: %v; %v", err, a.host.Modules())
	}
	a.fault = nil
	if err := a.host.Unload("free.lua"); !errors.Is(err, ecs.ErrUnknown) {
		t.Errorf("a script that is gone: %v", err)
	}
	a.host.Stage([]string{"free.lua"}, nil)
	if err := a.host.Step(1); err != nil || a.fault != nil || len(a.host.Modules()) != 3 {
		t.Errorf("staged anew: %v, %v, %v", err, a.fault, a.host.Modules())
	}
}

// TestAStepThatIsCancelled ends inside of a system of a script, in all forms in which that
// runs, and goes on with the next step as if the system had not begun.
func TestAStepThatIsCancelled(t *testing.T) {
	why := errors.New("the room closes")
	for name, system := range map[string]string{
		"a loop":     `run = function() host.cancel() ecs.spawn() while true do end end`,
		"a row":      `query = { P }, each = function(e, p) host.cancel() p.x = 7 while true do end end`,
		"caught":     `run = function() host.cancel() while true do pcall(function() while true do end end) end end`,
		"a function": `run = function() host.wait() ecs.spawn() while true do end end`,
	} {
		t.Run(name, func(t *testing.T) {
			r := openRoom(t, scripting.Options{})
			defer r.close(t)
			cancel := func(error) {}
			expose := errors.Join(
				r.host.Expose("cancel", func() { cancel(why) }),
				r.host.Expose("wait", func(c *scripting.Call) { // as a query of a data base would
					cancel(why)
					<-c.Context().Done()
				}))
			load := r.host.Load(roomFolder("a.lua", `local host = require "host"
local P = ecs.component("P", { x = 0 })
local n = ecs.state("n", { before = 0, after = 0 })
ecs.on_start(function() ecs.spawn(P) end)
ecs.system "before" { run = function() n.before = n.before + 1 end }
ecs.system "s" { after = "before", `+system+` }
ecs.system "after" { after = "s", run = function() n.after = n.after + 1 end }`))
			if err := errors.Join(expose, load); err != nil {
				t.Fatal(err)
			}
			for range 20 { // more than a breaker forgives
				ctx, end := context.WithCancelCause(context.Background())
				cancel = end
				err := r.host.StepContext(ctx, 1)
				if !errors.Is(err, context.Canceled) || !errors.Is(err, why) || !strings.Contains(err.Error(), "cut short") {
					t.Fatalf("%v", err)
				}
			}
			if r.fault != nil || r.host.Faults().Total != 0 {
				t.Errorf("it is a fault: %v", r.fault)
			}
			if h, ok := r.world.Schedule().Health("s"); !ok || h != ecs.Healthy {
				t.Errorf("the breaker is %v", h)
			}
			if n := r.world.Stats().Entities; n != 1 {
				t.Errorf("%d entities: a call was not undone", n)
			}
			if problems := r.world.Check(); problems != nil {
				t.Error(problems)
			}
			if at, _ := r.world.Time(); at != 20 {
				t.Errorf("the time is %v", at)
			}
		})
	}
}

// TestContextsThatHaveEnded do nothing.
func TestContextsThatHaveEnded(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	r := openRoom(t, scripting.Options{})
	defer r.close(t)
	sum := r.world.Checksum()
	for name, err := range map[string]error{
		"Step": r.host.StepContext(over, 1), "Load": r.host.LoadContext(over, roomFolder("a.lua", "")), "Stage": r.host.StageContext(over, nil, nil),
	} {
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"Step": r.host.StepContext(nil, 1), "Load": r.host.LoadContext(nil, roomFolder("a.lua", "")), "Stage": r.host.StageContext(nil, nil, nil), //lint:ignore SA1012 a wrong use
	} {
		if !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r.world.Checksum() != sum || len(r.host.Modules()) != 0 {
		t.Error("something was done")
	}
}

// TestLoadAndStageAreCutShort ends top levels that never end.
func TestLoadAndStageAreCutShort(t *testing.T) {
	endless := roomFolder("a.lua", "while true do end")
	r := openRoom(t, scripting.Options{Limits: scripting.Limits{Instructions: -1, TickInstructions: -1, Time: time.Hour}})
	defer r.close(t)
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	if err := r.host.LoadContext(soon(), endless); !errors.Is(err, context.DeadlineExceeded) || len(r.host.Modules()) != 0 {
		t.Errorf("Load: %v", err)
	}
	folder := roomFolder("a.lua", `ecs.system "s" { run = function() end }`)
	if err := r.host.LoadContext(soon(), folder); err != nil {
		t.Fatal(err)
	}
	folder["a.lua"] = endless["a.lua"]
	if err := r.host.StageContext(soon(), []string{"a.lua"}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Stage: %v", err)
	}
	if err := r.host.Step(1); err != nil || r.fault != nil {
		t.Errorf("the step after it: %v, %v", err, r.fault)
	}
}

// TestWrongUsesOfAHostsQuotas are errors with a name.
func TestWrongUsesOfAHostsQuotas(t *testing.T) {
	r := openRoom(t, scripting.Options{})
	var inside []error
	err := r.host.Expose("wrong", func() {
		inside = append(inside, r.host.SetLimits(scripting.Limits{}), r.host.Unload("a.lua"), r.host.StepContext(context.Background(), 1), r.host.LoadContext(context.Background(), fstest.MapFS{}))
	})
	err = errors.Join(err, r.host.Load(roomFolder("a.lua", `local host = require "host"
ecs.system "s" { run = function() host.wrong() end }`)), r.host.Step(1))
	if err != nil || r.fault != nil || len(inside) != 4 {
		t.Fatal(err, r.fault, inside)
	}
	for _, err := range inside {
		if !errors.Is(err, ecs.ErrIterating) {
			t.Errorf("inside of a call: %v", err)
		}
	}
	r.close(t)
	for _, err := range []error{r.host.SetLimits(scripting.Limits{}), r.host.Unload("a.lua"), r.host.StepContext(context.Background(), 1)} {
		if !errors.Is(err, scripting.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	if r.host.Usage() != nil {
		t.Error("a closed host has scripts")
	}
}

// TestUsageCountsFailures: of systems, of single entities, of timers, which are tried again, and of
// observers, each once.
func TestUsageCountsFailures(t *testing.T) {
	r := quietRoom(t, scripting.Options{OnError: func(*scripting.Error) {}},
		"a.lua", `local P, T = ecs.component("P", { x = 0 }), ecs.tag("T")
ecs.on_start(function() for i = 1, 5 do ecs.spawn(P { x = i }) end ecs.after(2, "ring") ecs.spawn(T) end)
ecs.handler("ring", function() error("no") end)
ecs.on_add(T, function() error("no") end)
ecs.system "rows" { query = { P }, each = function(e, p, ctx) if ctx.tick == 1 and p.x > 3 then error("no") end end }
ecs.system "run" { run = function(ctx) if ctx.tick < 3 then error("no") end end }`,
		"b.lua", `ecs.system "sound" { run = function() end }`)
	for range 4 {
		if err := r.host.Step(1); err != nil {
			t.Fatal(err)
		}
	}
	list := r.host.Usage()
	got := map[string]uint64{}
	for _, c := range list[0].ByCall {
		got[c.Name] = c.Failures
	}
	if got["rows"] != 2 || got["run"] != 2 || got["timer ring"] != 2 || list[0].Failures != 7 || list[1].Failures != 0 {
		t.Errorf("%v, in all %d and %d", got, list[0].Failures, list[1].Failures)
	}
	if total := r.host.Faults().Total; total != 7 {
		t.Errorf("%d faults", total)
	}
	if err := r.host.Unload("a.lua"); err != nil || len(r.host.Usage()) != 1 {
		t.Errorf("%v: %+v", err, r.host.Usage())
	}
}

// TestALimitThatEndsAnEachIsOneFailure: it ends the run, at an entity that it names. No entity has
// failed alone then, as others do.
func TestALimitThatEndsAnEachIsOneFailure(t *testing.T) {
	r := quietRoom(t, scripting.Options{OnError: func(*scripting.Error) {}, Limits: scripting.Limits{Instructions: 20_000}},
		"a.lua", `local P = ecs.component("P", { x = 0 })
ecs.on_start(function() for i = 1, 5 do ecs.spawn(P { x = i }) end end)
ecs.system "ends" { query = { P }, kernel = "off", each = function(e, p) if p.x == 3 then while true do end end end }
ecs.system "alone" { query = { P }, each = function(e, p, ctx) if p.x > 3 then error("no") end end }`)
	if err := r.host.Step(1); err != nil {
		t.Fatal(err)
	}
	got := map[string][2]uint64{}
	for _, s := range r.host.Faults().Systems {
		got[s.System] = [2]uint64{s.Total, s.Rows}
	}
	if got["ends"] != [2]uint64{1, 0} || got["alone"] != [2]uint64{2, 2} {
		t.Errorf("faults, and rows of them: %v", got)
	}
}

// TestFiguresBesideTheConsole: another goroutine asks for what scripts use while the console is asked for, and used. The race detector looks on.
func TestFiguresBesideTheConsole(t *testing.T) {
	for range 20 {
		r := newGame(t, scripting.Limits{})
		r.write("a.lua", `local t = {} ecs.system "s" { run = function() t = {} end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		done := make(chan bool)
		var asks sync.WaitGroup
		asks.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					r.host.Usage()
				}
			}
		})
		for range 20 {
			r.step(1)
			if _, err := r.host.Console().Run("x = 1"); err != nil {
				t.Error(err)
			}
		}
		close(done)
		asks.Wait()
	}
}
