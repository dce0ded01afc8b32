package scripting_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestNoScriptEndsTheHost: whatever a script does, Step returns nothing, and OnError and
// Faults have it.
func TestNoScriptEndsTheHost(t *testing.T) {
	for name, text := range map[string]string{
		"system":           `ecs.system "s" { run = function() error("no") end }`,
		"each":             `ecs.system "s" { query = { P }, each = function() error("no") end }`,
		"batch":            `ecs.system "s" { query = { P }, batch = function() error("no") end }`,
		"event":            `local E = ecs.event("E", {}) ecs.on_start(function() ecs.emit(E {}) end) ecs.system "s" { on = E, each = function() error("no") end }`,
		"when":             `ecs.system "s" { when = function() error("no") end, run = function() end }`,
		"observer":         `ecs.on_add(V, function() error("no") end) ecs.on_start(function() ecs.spawn(V) end)`,
		"on_start":         `ecs.on_start(function() error("no") end)`,
		"timer":            `ecs.handler("h", function() error("no") end) ecs.on_start(function() ecs.after(0, "h") end)`,
		"on_error":         `ecs.on_error(function() error("again") end) ecs.system "s" { run = function() error("no") end }`,
		"limit":            `ecs.system "s" { run = function() while true do end end }`,
		"host function":    `ecs.system "s" { run = function() host.fails() end }`,
		"panic":            `ecs.system "s" { run = function() host.panics() end }`,
		"kernel":           `ecs.kernel("k", { P }, function(e, p) p.x = host.count() end)`,
		"kernel as whole":  `ecs.kernel("k", { P }, function(e, p) while true do end end)`,
		"command":          `ecs.system "s" { run = function() for i = 1, 300 do ecs.spawn(P) end end }`,
		"command at start": `ecs.on_start(function() for i = 1, 300 do ecs.spawn(P) end end)`,
		"hook":             `ecs.system "s" { query = { P }, each = function(e) ecs.add(e, Hooked) end }`,
		"storm": `local A, B = ecs.tag "A", ecs.tag "B"
ecs.on_add(A, function(e) ecs.remove(e, A) ecs.add(e, B) end) ecs.on_add(B, function(e) ecs.remove(e, B) ecs.add(e, A) end)
ecs.on_start(function() ecs.spawn(A) end)`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newGameOf(t, ecs.Options{MaxEntities: 200}, scripting.Limits{Instructions: 100_000})
			ecs.Register[hooked](r.world, ecs.Named("Hooked"), ecs.Hooks[hooked]{Added: func(ecs.Entity, *hooked) { panic("hook") }})
			for name, value := range map[string]any{
				"fails": func() error { return errors.New("not today") }, "panics": func() { panic("help") }, "count": func() float64 { panic("help") },
			} {
				if err := r.host.Expose(name, value); err != nil {
					t.Fatal(err)
				}
			}
			r.world.Spawn(ecs.Register[Position](r.world).With(Position{}))
			err := r.world.Schedule().Add(ecs.System{Name: "relax", Phase: ecs.Debug, Run: func(t *ecs.Tick) error {
				if err := r.host.RunKernel(t, "k"); !errors.Is(err, ecs.ErrUnknown) {
					return err
				}
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			r.write("a.lua", `local host, Hooked = require "host", ecs.native("Hooked") `+text)
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if err := r.host.Step(0.1); err != nil {
					t.Fatalf("Step returned %v", err)
				}
			}
			faults := r.host.Faults()
			if len(r.reported) == 0 || faults.Total == 0 || faults.Recent[0] != r.reported[0] {
				t.Errorf("reported %v, %d faults", r.reported, faults.Total)
			}
		})
	}
}

type hooked struct{ N int32 }

// TestErrorsOfTheHostAreReturned: a Go system that fails, and a Go observer, are the host's,
// as is what a system returns beside the faults of scripts.
func TestErrorsOfTheHostAreReturned(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		run  func(*scripting.Host, *ecs.Tick) error
		want string // empty: nothing is returned
	}{
		"error": {func(*scripting.Host, *ecs.Tick) error { return boom }, `system "go": tick 1: boom`},
		"panic": {func(*scripting.Host, *ecs.Tick) error { panic(boom) }, `system "go": tick 1: panic: boom`},
		"observer": {func(_ *scripting.Host, t *ecs.Tick) error {
			t.Commands.Spawn(ecs.Register[Velocity](t.World).With(Velocity{}))
			return nil
		}, `system "sees": tick 1: boom`},
		"step inside": {func(h *scripting.Host, _ *ecs.Tick) error { return h.Step(1) }, "scripting: Step while Step runs"},
		"world step":  {func(_ *scripting.Host, t *ecs.Tick) error { return t.World.Step(1) }, "a step inside a step"},
		"joined": {func(h *scripting.Host, t *ecs.Tick) error {
			return errors.Join(h.RunKernel(t, "k"), boom)
		}, "boom"},
		"wrapped": {func(h *scripting.Host, t *ecs.Tick) error { return fmt.Errorf("relaxing: %w", h.RunKernel(t, "k")) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := loaded(t, "a.lua", `ecs.kernel("k", { P }, function(e, p) while p.x == 0 do ecs.log("in a kernel") end end) ecs.system "s" { run = function() error("no") end }`)
			r.world.Spawn(ecs.Register[Position](r.world).With(Position{}))
			err := errors.Join(
				r.world.Schedule().Add(ecs.System{Name: "go", Run: func(t *ecs.Tick) error { return c.run(r.host, t) }}),
				r.world.Observe(ecs.Observer{Name: "sees", On: ecs.OnAdd, Component: ecs.Register[Velocity](r.world).ID(), Run: func(*ecs.Tick, ecs.Notice) error { return boom }}))
			if err != nil {
				t.Fatal(err)
			}
			got := r.host.Step(0.1)
			if (got == nil) != (c.want == "") || got != nil && !strings.Contains(got.Error(), c.want) {
				t.Fatalf("Step returned %v, want %q in it", got, c.want)
			}
			var sys *ecs.SystemError
			if got != nil && !errors.As(got, &sys) {
				t.Errorf("no SystemError: %v", got)
			}
			if n := r.host.Faults().Total; n != 2 || len(r.reported) != 2 {
				t.Errorf("%d faults, reported %v", n, r.reported)
			}
		})
	}
}

// TestFaultsAreBounded: the last ones stay, and the count of all.
func TestFaultsAreBounded(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: -1})
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "ecs.system 's%02d' { query = { P }, each = function(e) error('fault %d') end }\n", i, i)
	}
	for i := range 5 {
		fmt.Fprintf(&text, "ecs.system 'long%d' { run = function() error(string.rep('x', 400000)) end }\n", i)
	}
	r.write("a.lua", text.String())
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	position := ecs.Register[Position](r.world)
	for range 7 {
		r.world.Spawn(position.With(Position{}))
	}
	before := r.host.Faults()
	if before.Total != 0 || before.Recent != nil || before.Systems != nil {
		t.Errorf("%+v", before)
	}
	if err := r.host.Step(0.1); err != nil {
		t.Fatal(err)
	}
	f := r.host.Faults()
	if f.Total != 7*30+5 || len(f.Systems) != 35 || len(f.Recent) > 100 || len(f.Recent) < 2 {
		t.Fatalf("%d faults, %d systems, %d recent", f.Total, len(f.Systems), len(f.Recent))
	}
	if s := f.Systems[34]; s.System != "s29" || s.Total != 7 || s.Rows != 7 || s.Last.Message != "fault 29" || s.Last.Entity == 0 {
		t.Errorf("%+v", s)
	}
	if last := f.Recent[len(f.Recent)-1]; last.System != "s29" {
		t.Errorf("the last one is %v", last)
	}
	if !slices.IsSortedFunc(f.Systems, func(a, b scripting.SystemFaults) int { return strings.Compare(a.System, b.System) }) {
		t.Error("not sorted")
	}
	kept := *f.Recent[0]
	r.step(700) // sums of what comes again are told in between
	if !reflect.DeepEqual(*f.Recent[0], kept) || f.Total != 215 {
		t.Error("a later step has changed what was returned")
	}
	if got := r.host.Faults().Systems[0]; got.System != "long0" || got.Total < 4 {
		t.Errorf("%+v", got)
	}
}

// TestFaultsForgetSystems: a record does not grow with the names that scripts choose.
func TestFaultsForgetSystems(t *testing.T) {
	var r scripting.FaultRecord
	for i := range 5000 {
		r.Add(&scripting.Error{System: fmt.Sprint("s", i), Message: "no"})
	}
	if n := r.Systems(); n != 1000 {
		t.Errorf("%d systems", n)
	}
	for i := range 200 {
		r.Add(&scripting.Error{System: fmt.Sprint("long", i), Message: strings.Repeat("x", 100<<10)})
	}
	if n := r.Systems(); n > 41 || n < 30 {
		t.Errorf("%d systems, which take 100 KB each", n)
	}
}

// TestMethodsAfterClose: each method does what its doc says, and none panics. A method that
// is not in the table fails the test.
func TestMethodsAfterClose(t *testing.T) {
	for _, first := range []string{"host", "world"} {
		r := newGame(t, scripting.Limits{})
		r.write("a.lua", `ecs.system "s" { run = function() error("no") end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		h, w := r.host, r.world
		if first == "world" {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if err := h.Step(1); !errors.Is(err, ecs.ErrClosed) || strings.Contains(err.Error(), "query") {
				t.Errorf("Step with a closed world: %v", err)
			}
		}
		whole := loaded(t, "b.lua", "").captured()
		if err := h.Close(); err != nil {
			t.Fatalf("Close, first the %s: %v", first, err)
		}
		known := map[string]bool{}
		nothing := func(n int) error {
			if n != 0 {
				return fmt.Errorf("%d", n)
			}
			return nil
		}
		second := func(_ any, err error) error { return err }
		for name, c := range map[string]struct {
			call func() error
			want error
		}{
			"World":        {func() error { return nothing(len(fmt.Sprint(h.World() != w)) - len("false")) }, nil},
			"Modules":      {func() error { return nothing(len(h.Modules())) }, nil},
			"Systems":      {func() error { return nothing(h.Systems()) }, nil},
			"Kernels":      {func() error { return nothing(len(h.Kernels())) }, nil},
			"Ran":          {func() error { return nothing(len(h.Ran())) }, nil},
			"Faults":       {func() error { return nothing(int(h.Faults().Total) - 1) }, nil},
			"Unrepeatable": {func() error { return nothing(h.Unrepeatable()) }, nil},
			"Running": {func() error {
				if h.Running() != nil {
					return errors.New("it runs")
				}
				return nil
			}, nil},
			"Stage":     {func() error { h.Stage([]string{"a.lua"}, []string{"b.lua"}); return nil }, nil},
			"Close":     {h.Close, nil},
			"Expose":    {func() error { return h.Expose("late", 1) }, scripting.ErrClosed},
			"Load":      {func() error { return h.Load(r.folder) }, scripting.ErrClosed},
			"Step":      {func() error { return h.Step(1) }, scripting.ErrClosed},
			"Usage":     {func() error { return nothing(len(h.Usage())) }, nil},
			"SetLimits": {func() error { return h.SetLimits(scripting.Limits{}) }, scripting.ErrClosed},
			"Unload":    {func() error { return h.Unload("a.lua") }, scripting.ErrClosed},
			"Console":   {func() error { return second(h.Console().Run("1")) }, scripting.ErrClosed},
			"Capture":   {func() error { return second(h.Capture()) }, scripting.ErrClosed},
			"Update":    {func() error { return h.Update(&scripting.Snapshot{}) }, scripting.ErrClosed},
			"Restore":   {func() error { return second(h.Restore(whole)) }, scripting.ErrClosed},
			"RestoreScripts": {func() error {
				return second(h.RestoreScripts(whole.Scripts(), func() error { return nil }))
			}, scripting.ErrClosed},
			"LoadScene":    {func() error { return h.LoadScene("camp") }, scripting.ErrClosed},
			"UnloadScene":  {func() error { return h.UnloadScene("camp") }, scripting.ErrClosed},
			"WriteScene":   {func() error { _, _, err := h.WriteScene(nil, scripting.SceneLua); return err }, scripting.ErrClosed},
			"SceneSchema":  {func() error { return second(h.SceneSchema()) }, scripting.ErrClosed},
			"Scenes":       {func() error { return nothing(len(h.Scenes())) }, nil},
			"SceneOf":      {func() error { s, n := h.SceneOf(1); return nothing(len(s + n)) }, nil},
			"SceneEntity":  {func() error { return nothing(int(h.SceneEntity("camp", "fire"))) }, nil},
			"StepContext":  {func() error { return h.StepContext(context.Background(), 1) }, scripting.ErrClosed},
			"StepWith":     {func() error { return h.StepWith(context.Background(), 1, nil) }, scripting.ErrClosed},
			"TryOut":       {func() error { return h.TryOut(nil) }, scripting.ErrClosed},
			"LoadContext":  {func() error { return h.LoadContext(context.Background(), r.folder) }, scripting.ErrClosed},
			"StageContext": {func() error { return h.StageContext(context.Background(), nil, nil) }, scripting.ErrClosed},
			"StageProgram": {func() error { return h.StageProgram(context.Background(), &scripting.Program{}) }, scripting.ErrClosed},
			"StageTexts":   {func() error { return h.StageTexts(context.Background(), nil) }, scripting.ErrClosed},
			"CheckTexts":   {func() error { _, _, err := h.CheckTexts(context.Background(), nil); return err }, scripting.ErrClosed},
			"RunKernel":    {func() error { return h.RunKernel(nil, "k") }, scripting.ErrClosed},
			"Check":        {func() error { return second(h.Check()) }, scripting.ErrClosed},
			"CheckNotes":   {func() error { return second(h.CheckNotes()) }, scripting.ErrClosed},
			"Explain":      {func() error { return second(h.Explain("a.lua", "")) }, scripting.ErrClosed},
			"Refused":      {func() error { text, ok := h.Refused("a.lua"); return nothing(len(text) + map[bool]int{true: 1}[ok]) }, nil},
			"Source":       {func() error { return second(h.Source("a.lua")) }, scripting.ErrClosed},
			"OnReload":     {func() error { return second(h.OnReload(func(scripting.Reload) {})) }, scripting.ErrClosed},
			"Renamed":      {func() error { return nothing(len(h.Renamed("Old"))) }, nil},
			"Texts":        {func() error { return nothing(len(h.Texts())) }, nil},
			"Evolution": {func() error {
				convert, drop := h.Evolution(&ecs.Schema{}, &ecs.Schema{})
				if convert != nil {
					return errors.New("it converts")
				}
				return nothing(len(drop))
			}, nil},
			"LastReload":    {func() error { _, n := h.LastReload(); return nothing(int(n)) }, nil},
			"UpdateScripts": {func() error { return h.UpdateScripts(&scripting.Scripts{}) }, scripting.ErrClosed},
			"Limits":        {func() error { return nothing(min(h.Limits().Depth, 1) - 1) }, nil}, // they stay what they were
			"Reads": {func() error {
				if !h.Reads(nil, "none") {
					return errors.New("a closed host has lost a reader")
				}
				return nil
			}, nil},
			"Asked":    {func() error { return nothing(len(h.Asked())) }, nil},
			"PlaceOf":  {func() error { return nothing(h.PlaceOf(ecs.Caller{}).Line) }, nil},
			"Assigned": {func() error { return nothing(len(h.Assigned("move", "x"))) }, nil},
		} {
			if err := c.call(); !errors.Is(err, c.want) || c.want == nil && err != nil {
				t.Errorf("%s of a closed host: %v, want %v", name, err, c.want)
			}
			known[name] = true
		}
		for name := range exportedMethods(h) {
			if !known[name] {
				t.Errorf("what does %s of a closed host?", name)
			}
		}
	}
}

// exportedMethods names the methods of a host, without those of export_test.go.
func exportedMethods(h *scripting.Host) map[string]bool {
	names := map[string]bool{}
	for i := range reflect.TypeOf(h).NumMethod() {
		if m := reflect.TypeOf(h).Method(i); !madeForTests(m) {
			names[m.Name] = true
		}
	}
	return names
}

// TestLoadIsForOneFolder: the scripts of the first one stay.
func TestLoadIsForOneFolder(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	var nobody fs.FS
	if err := r.host.Load(nobody); err == nil || !strings.Contains(err.Error(), "Load of no folder") {
		t.Errorf("Load of nil: %v", err)
	}
	r.write("a.lua", "local x = = 1")
	if err := r.host.Load(r.folder); err == nil {
		t.Fatal("a mistake is loaded")
	}
	if err := r.host.Expose("late", 1); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), `exposing "late"`) || !strings.Contains(err.Error(), "expose what scripts need first") {
		t.Errorf("Expose after a Load: %v", err)
	}
	r.write("a.lua", once("a", `ecs.log("first")`))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatalf("Load after a refused one: %v", err)
	}
	if err := r.host.Load(fstest.MapFS{"b.lua": newFile("")}); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("a second Load: %v", err)
	}
	r.run(1)
	r.wantLog("first")
	r.save("c.lua", once("c", `ecs.log("more")`))
	r.accepted()
	r.wantLog("first more")

	later := newGame(t, scripting.Limits{})
	later.write("a.lua", "local x = = 1")
	_ = later.host.Load(later.folder)
	later.save("a.lua", once("a", ""))
	later.accepted()
	if err := later.host.Load(later.folder); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("Load after a Stage: %v", err)
	}
}

// TestNewOfAWorldThatCannot: an error, and no panic.
func TestNewOfAWorldThatCannot(t *testing.T) {
	closed := ecs.NewWorld()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	full, taken := ecs.NewWorld(), ecs.NewWorld()
	defer full.Close()
	defer taken.Close()
	for i := 0; ; i++ {
		if _, err := full.Raw().Define(ecs.Schema{Name: fmt.Sprint("C", i)}, false); err != nil {
			break
		}
	}
	ecs.Register[Position](taken, ecs.Named("ScriptError"))
	for _, c := range []struct {
		w    *ecs.World
		err  error
		want string
	}{
		{nil, nil, "a host needs a world"},
		{closed, ecs.ErrClosed, "scripting: New: the world is closed"},
		{full, ecs.ErrConflict, `scripting: New: the component "ScriptError" of the host cannot be registered`},
		{taken, ecs.ErrConflict, `scripting: New: the component "ScriptError"`},
	} {
		h, err := scripting.New(c.w, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
		if h != nil || err == nil || !strings.Contains(err.Error(), c.want) || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestOneThingAtATime: a step on another goroutine, and one inside of a step of the world, are
// refused in words about steps.
func TestOneThingAtATime(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	inside, leave := make(chan bool), make(chan bool)
	if err := r.host.Expose("wait", func() { inside <- true; <-leave }); err != nil {
		t.Fatal(err)
	}
	r.write("a.lua", `local host = require "host" ecs.system "w" { run = function() host.wait() end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	stepped := make(chan error)
	go func() { stepped <- r.host.Step(0.1) }()
	<-inside
	for name, err := range map[string]error{"Step": r.host.Step(0.1), "Load": r.host.Load(r.folder), "Close": r.host.Close()} {
		if want := "scripting: " + name + " while Step runs"; !errors.Is(err, ecs.ErrIterating) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "query") {
			t.Errorf("%s: %v", name, err)
		}
	}
	leave <- true
	if err := <-stepped; err != nil {
		t.Error(err)
	}
	go func() { <-inside; leave <- true }()
	if err := r.host.Step(0.1); err != nil {
		t.Errorf("the step after it: %v", err)
	}
	q := r.world.Query(ecs.Read(ecs.Register[Position](r.world)))
	r.world.Spawn(ecs.Register[Position](r.world).With(Position{}))
	for range q.Chunks() {
		if err := r.host.Step(0.1); !errors.Is(err, ecs.ErrIterating) || !strings.Contains(err.Error(), "scripting: Step while the world is at work") {
			t.Errorf("inside of a loop: %v", err)
		}
	}
}

// TestPanicOfTheHostKeepsItsStack: the developer finds the line of Go, in the detail.
func TestPanicOfTheHostKeepsItsStack(t *testing.T) {
	for name, fn := range map[string]any{
		"fast": func() { fallInto(nil) }, "reflected": func(list ...map[string]int) { fallInto(list) }, "method": &fragile{},
	} {
		r := newGame(t, scripting.Limits{})
		if err := r.host.Expose("fn", fn); err != nil {
			t.Fatal(err)
		}
		call := map[bool]string{true: "host.fn:Fall()", false: "host.fn()"}[name == "method"]
		r.write("a.lua", `local host = require "host" ecs.system "s" { run = function() `+call+` end }
ecs.system "t" { run = function() local ok, why = pcall(function() `+call+` end) error(why, 0) end }
ecs.system "u" { run = function() local co = coroutine.wrap(function() `+call+` end) co() end }`)
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		if len(r.errors) != 3 {
			t.Fatalf("%s: %v", name, r.errors)
		}
		for _, e := range r.errors {
			if !strings.Contains(e.Detail(), "step_contract_test.go:") || !strings.Contains(e.Detail(), "fallInto") {
				t.Errorf("%s, system %s: no line of Go in %s", name, e.System, e.Detail())
			}
		}
	}
}

type fragile struct{}

func (*fragile) Fall() { fallInto(nil) }

func fallInto(list []map[string]int) { list[3]["x"] = 1 }
