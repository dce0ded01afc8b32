package game

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/cmd/internal/meter"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// open makes a game of one script.
func open(t *testing.T, o Options, text string) *Game {
	t.Helper()
	o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	if err := g.Load(fstest.MapFS{"main.lua": {Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRunEndsAfterItsTicks(t *testing.T) {
	g := open(t, Options{}, "")
	seen := 0
	g.Run(t.Context(), Pace{Hz: 60, Ticks: 25, Free: true}, func() { seen++ })
	if now, ticks := g.World().Time(); ticks != 25 || seen != 25 || now < 0.416 || now > 0.417 {
		t.Errorf("%d ticks, %d seen, %v seconds of simulation", ticks, seen, now)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	for _, free := range []bool{false, true} {
		g := open(t, Options{}, "")
		ctx, cancel := context.WithCancel(t.Context())
		g.Run(ctx, Pace{Hz: 1000, Free: free}, func() {
			if _, ticks := g.World().Time(); ticks == 5 {
				cancel()
			}
		})
		if _, ticks := g.World().Time(); ticks != 5 {
			t.Errorf("free %v: %d ticks", free, ticks)
		}
		g.Run(ctx, Pace{Hz: 0.001, Free: free}, func() { t.Error("a tick after the end") })
	}
}

// TestAContextEndsALongTick: the context ends while the first of nine systems runs, each of which
// would go on until its limit. None reaches it, so none is blamed, and the tick does not count.
func TestAContextEndsALongTick(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	script := `local ecs, host = require "ecs", require "host"
ecs.system "a" { run = function(ctx) if ctx.tick > 3 then host.stop() while true do end end end }
`
	for i := range 8 {
		script += fmt.Sprintf("ecs.system \"b%d\" { run = function(ctx) while ctx.tick > 3 do end end }\n", i)
	}
	g, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.host.Expose("stop", func() { cancel() }); err != nil {
		t.Fatal(err)
	}
	if err := g.Load(fstest.MapFS{"long.lua": {Data: []byte(script)}}); err != nil {
		t.Fatal(err)
	}
	g.Run(ctx, Pace{Hz: 60, Ticks: 3, Free: true}, func() {})
	if s := g.Summary(0); s.Ticks != 3 || s.Cut || len(s.Checksum) != 16 {
		t.Errorf("after whole ticks: %s", s)
	}
	after := 0
	g.Run(ctx, Pace{Hz: 60, Free: true}, func() { after++ })
	s := g.Summary(0)
	if s.Errors > 0 || s.Ticks != 3 || after > 0 || s.Checksum != "" || !s.Cut || !strings.Contains(s.String(), "checksum unknown\nthe end came within a tick") {
		t.Errorf("%d ticks seen, and then\n%s", after, s)
	}
}

// TestPatience: what a tick may take when the context has ended within it is a time of its own. A
// tick that ends in that time is a whole one.
func TestPatience(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	late, release := patient(ctx, time.Hour)
	defer release()
	cancel(io.EOF)
	if late.Err() != nil {
		t.Error("the tick is cut short at once")
	}
	soon, release := patient(ctx, time.Nanosecond)
	defer release()
	<-soon.Done()
	if context.Cause(soon) != io.EOF {
		t.Errorf("cut short by %v", context.Cause(soon))
	}
	if same, release := patient(ctx, 0); same != ctx {
		t.Error("no patience is another context")
	} else {
		release()
	}
}

func TestSummaryCounts(t *testing.T) {
	var told []string
	g := open(t, Options{OnError: func(e *scripting.Error) { told = append(told, e.Error()) }}, `
		local ecs = require "ecs"
		ecs.system "fails" { run = function() error("no") end }
		local Position = ecs.native("Position")
		ecs.system "works" { run = function() ecs.spawn(Position) end }`)
	err := g.World().Schedule().Add(ecs.System{Name: "native", Phase: ecs.Logic, Run: func(*ecs.Tick) error { panic("no either") }})
	if err != nil {
		t.Fatal(err)
	}
	g.Run(t.Context(), Pace{Hz: 60, Ticks: 3, Free: true}, func() {})
	s := g.Summary(time.Second)
	if s.Ticks != 3 || s.Entities != 3 || s.Errors != 6 || len(told) != 4 || s.Seconds != 1 || len(s.Checksum) != 16 {
		t.Errorf("%+v; told %q", s, told)
	}
	if files, systems := g.Size(); files != 1 || systems != 2 {
		t.Errorf("%d files, %d systems", files, systems)
	}
	for _, line := range []string{"fails                              3      3", "3 ticks in 1.0 s, "} {
		if !strings.Contains(s.String(), line) {
			t.Errorf("no %q in\n%v", line, s)
		}
	}
}

// TestCallbacksAreInTheSummary: timers and on_start functions by name, as JSON and for people.
func TestCallbacksAreInTheSummary(t *testing.T) {
	g := open(t, Options{OnError: func(*scripting.Error) {}}, `
		local ecs = require "ecs"
		ecs.handler("ring", function() end)
		ecs.handler("broken", function() error("no") end)
		ecs.on_start(function() ecs.every(1 / 60, "ring") ecs.after(0, "broken") end)`)
	g.Run(t.Context(), Pace{Hz: 60, Ticks: 4, Free: true}, func() {})
	s := g.Summary(time.Second)
	var got []string
	for _, c := range s.Callbacks {
		if c.MeanUS <= 0 {
			t.Errorf("%s took no time", c.Name)
		}
		got = append(got, fmt.Sprint(c.Name, " ", c.Runs, " ", c.Failures))
	}
	if len(got) != 3 || !strings.HasPrefix(got[0], "on_start ") || got[1] != "timer broken 1 1" || got[2] != "timer ring 4 0" {
		t.Errorf("%q", got)
	}
	if !strings.Contains(s.String(), "timer broken                       1      1") {
		t.Error(s)
	}
}

// TestFailuresAreRunsAndRows: a system fails as often as its runs and its rows, and what
// fails in on_unload at the end is an error like any other.
func TestFailuresAreRunsAndRows(t *testing.T) {
	g := open(t, Options{OnError: func(*scripting.Error) {}}, `
		local ecs = require "ecs"
		local Position = ecs.native("Position")
		ecs.on_start(function() for i = 1, 4 do ecs.spawn(Position { x = i }) end end)
		ecs.system "rows" { query = { Position }, each = function(_, p) if p.x <= 3 then error("no") end end }
		ecs.on_unload(function() error("nor at the end") end)`)
	g.Run(t.Context(), Pace{Hz: 60, Ticks: 1, Free: true}, func() {})
	if s := g.Summary(time.Second); s.Errors != 3 || !strings.Contains(s.String(), "rows                               1      3") {
		t.Error(s)
	}
	if err := g.Close(); err != nil || g.Counts().Errors != 4 {
		t.Errorf("%v, %+v", err, g.Counts())
	}
}

func TestFollowTellsAllProblemsAndEnds(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.lua": "local = 1", "a.lua": "\nif"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	problems := Problems(g.Follow(dir, false))
	if len(problems) != 2 || problems[0].Script != "a.lua" || problems[1].Script != "b.lua" {
		t.Errorf("problems: %v", problems)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func TestScriptsFindTheNearest(t *testing.T) {
	g := open(t, Options{}, `
		local ecs, host = require "ecs", require "host"
		local Position, Collider = ecs.native("Position"), ecs.native("Collider")
		local near
		ecs.on_start(function()
			near = ecs.spawn(Position { x = 10 }, Collider { radius = 1, layer = 4 })
			ecs.spawn(Position { x = 20 }, Collider { radius = 1, layer = 4 })
		end)
		ecs.system "look" { phase = "render", run = function()
			assert(host.nearest(0, 0, 100, 4) == near, "not the nearest")
			assert(host.nearest(0, 0, 100, 8) == 0, "of another layer")
			assert(host.nearest(0, 0, 5, 4) == 0, "out of reach")
		end }`)
	var errs []error
	g.options.OnError = func(e *scripting.Error) { errs = append(errs, e) }
	g.Run(t.Context(), Pace{Hz: 60, Ticks: 2, Free: true}, func() {})
	if len(errs) > 0 {
		t.Error(errs)
	}
}

// What a tick computes is counted, by the time of the processor.
func TestSummaryCountsWhatTicksCompute(t *testing.T) {
	const work = 20 * time.Millisecond
	g := open(t, Options{}, "")
	if meter.Processor() == 0 {
		t.Skip("the system does not say what a process computes")
	}
	busy := ecs.System{Name: "busy", Phase: ecs.Logic, Run: func(*ecs.Tick) error {
		for before := meter.Processor(); meter.Processor()-before < work; {
		}
		return nil
	}}
	if err := g.World().Schedule().Add(busy); err != nil {
		t.Fatal(err)
	}
	g.Run(t.Context(), Pace{Hz: 60, Ticks: 2, Free: true}, func() {})
	if s := g.Summary(0); s.ProcessorUS < micros(work) {
		t.Errorf("a tick computed %.0f µs, the summary says %.0f", micros(work), s.ProcessorUS)
	}
}
