package scripting_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/internal/misuse"
	"github.com/perigee-ecs/perigee/scripting"
)

// misusedScript reaches the host in each way that there is.
const misusedScript = `local ecs, host = require "ecs", require "host"
local P, H = ecs.native("Position"), ecs.native("Hooked")
host.top()
ecs.system "s" { run = function()
  host.meet()
  host.with_call()
  if host.failing() then error("no") end
  if host.logging() then ecs.log("a line") end
  if host.adding() then ecs.spawn(P, H) end
end }
ecs.system "row" { query = { P }, each = function(e, p) host.row() end }
ecs.system "each" { query = { P }, each = function(e, p) p.x = host.ask(p.x) end }
ecs.system "batch" { query = { P }, batch = function(b) host.batch() end }
ecs.kernel("k", { P }, function(e, p) p.x = p.x + 1 end)
ecs.on_start(function() host.start() end)
ecs.on_unload(function() host.unload() end)
ecs.on_add(P, function() host.added() end)
`

// misusedFolder calls back when it is read.
type misusedFolder struct {
	fstest.MapFS
	read func()
}

func (f *misusedFolder) ReadFile(name string) ([]byte, error) {
	f.read()
	return f.MapFS.ReadFile(name)
}

// misusedLog calls back for each line.
type misusedLog struct {
	slog.Handler
	line func()
}

func (l misusedLog) Enabled(context.Context, slog.Level) bool      { return true }
func (l misusedLog) Handle(_ context.Context, _ slog.Record) error { l.line(); return nil }
func (l misusedLog) WithAttrs([]slog.Attr) slog.Handler            { return l }
func (l misusedLog) WithGroup(string) slog.Handler                 { return l }
func (l misusedLog) Write(line []byte) (int, error)                { l.line(); return len(line), nil }

// wrongUses are calls of package scripting for one world with a host.
type wrongUses struct {
	*misuse.Calls
	world, other *ecs.World
	host         *scripting.Host
	folder       *misusedFolder
	program      *scripting.Program
	tick         *ecs.Tick       // of the system that runs, or has run
	call         *scripting.Call // likewise
	snapshot     *scripting.Snapshot
	ring         *scripting.Ring
	armed        string         // the situation in which the next call is made
	use          func()         // makes it
	opened       []func() error // closes what calls have opened
}

// at makes the call that waits for a situation.
func (c *wrongUses) at(where string) {
	if c.armed == where {
		c.armed = ""
		c.use()
	}
}

// open makes a world and a host for it, which has loaded nothing.
func (c *wrongUses) open() {
	c.close()
	var err error
	c.world, err = ecs.Open(ecs.Options{MaxBytes: 4 << 20}) // the race detector's build clears them for each world
	must(c, err)
	position := ecs.Register[Position](c.world)
	ecs.Register[hooked](c.world, ecs.Named("Hooked"), ecs.Hooks[hooked]{Added: func(ecs.Entity, *hooked) { c.at("hook") }})
	c.world.Spawn(position.With(Position{}))
	log := misusedLog{line: func() { c.at("log") }}
	c.host = newHost(c.TB, c.world, scripting.Options{
		Logger: slog.New(log), OnError: func(*scripting.Error) { c.at("OnError") }, OnReload: func(scripting.Reload) { c.at("OnReload") },
		OnKernel: func(scripting.KernelStatus) { c.at("OnKernel") }, Limits: scripting.Limits{Instructions: 100_000},
	})
	c.folder.MapFS["a.lua"] = &fstest.MapFile{Data: []byte(misusedScript)}
	for name, value := range map[string]any{
		"top": func() { c.at("top level") }, "start": func() { c.at("on_start") }, "unload": func() { c.at("on_unload") },
		"added": func() { c.at("on_add") }, "batch": func() { c.at("batch") }, "meet": func() { c.at("function") },
		"with_call": func(call *scripting.Call) { c.call = call; c.at("Call") },
		"failing":   func() bool { return c.armed == "OnError" }, "logging": func() bool { return c.armed == "log" }, "adding": func() bool { return c.armed == "hook" || c.armed == "on_add" },
		"row": func() { c.at("row") }, "ask": scripting.Question{Func: func(x float64) float64 { return x }, Args: 1, Numbers: func(_ func(int) bool, args *[5]float64) float64 { c.at("kernel"); return args[0] }},
	} {
		must(c, c.host.Expose(name, value))
	}
	must(c, c.world.Schedule().Add(ecs.System{Name: "go", Run: func(t *ecs.Tick) error {
		c.tick = t
		c.at("system")
		return nil
	}}, ecs.System{Name: "beside", Parallel: true, Run: func(t *ecs.Tick) error {
		if c.armed == "beside" {
			c.tick = t
		}
		c.at("beside")
		return nil
	}},
		ecs.System{Name: "beside too", Parallel: true, Run: func(*ecs.Tick) error { return nil }}))
	must(c, c.world.Observe(ecs.Observer{Name: "sees", On: ecs.OnSpawn, Run: func(*ecs.Tick, ecs.Notice) error { c.at("observer"); return nil }}))
	if c.ring, err = scripting.NewRing(c.host, snapshot.RingOptions{Ticks: 3}); err != nil {
		c.Fatal(err)
	}
	c.snapshot, err = c.host.Capture()
	must(c, err)
	c.offer()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// close closes the world and the host, and what calls have opened.
func (c *wrongUses) close() {
	for _, end := range c.opened {
		_ = end()
	}
	c.opened = nil
	if c.host != nil {
		must(c, errors.Join(c.host.Close(), c.world.Close()))
	}
}

// load loads the scripts, and makes a step.
func (c *wrongUses) load() {
	must(c, c.host.Load(c.program)) // its kernels are there
	must(c, c.host.Step(0.1))
}

// offer gives what calls are made of, and with.
func (c *wrongUses) offer() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	script := func(text string) scripting.Plain {
		return scripting.Plain{Text: []byte(text), Output: misusedLog{line: func() {}}}
	}
	c.Receivers = map[string][]any{
		"Host": {c.host}, "Program": {c.program, (*scripting.Program)(nil), &scripting.Program{}}, "LoadError": {&scripting.LoadError{}, &scripting.LoadError{Problems: []*scripting.Error{{}}}},
		"KernelStatus": {scripting.KernelStatus{}, scripting.KernelStatus{Line: -1}}, "Reload": {scripting.Reload{}, scripting.Reload{Err: ecs.ErrRange, Files: -1}},
		"Plain": {scripting.Plain{}, script("x ="), script("error('no')"), script("print(1)")}, "Call": {c.call, &scripting.Call{}, (*scripting.Call)(nil)},
		"Snapshot": {c.snapshot, &scripting.Snapshot{}, (*scripting.Snapshot)(nil)}, "Scripts": {c.snapshot.Scripts(), &scripting.Scripts{}, (*scripting.Scripts)(nil)},
		"Ring": {c.ring, &scripting.Ring{}, (*scripting.Ring)(nil)}, "Console": {c.host.Console(), &scripting.Console{}, (*scripting.Console)(nil)},
		"ConsoleValue": {&scripting.ConsoleValue{}, &scripting.ConsoleValue{Items: []scripting.ConsoleValue{{Key: "a"}}, More: -1}, (*scripting.ConsoleValue)(nil)},
	}
	c.Functions = map[string]any{"New": scripting.New, "Compile": scripting.Compile, "DevelopmentLimits": scripting.DevelopmentLimits, "ReleaseLimits": scripting.ReleaseLimits, "ReadScripts": scripting.ReadScripts, "NewRing": scripting.NewRing, "KernelNotes": scripting.KernelNotes, "ReadConsoleText": scripting.ReadConsoleText}
	misuse.Offer(c.Calls, nil, c.snapshot, &scripting.Snapshot{})
	misuse.Offer(c.Calls, snapshot.RingOptions{}, snapshot.RingOptions{Ticks: -1}, snapshot.RingOptions{Ticks: 2, Bytes: 1}, snapshot.RingOptions{Bytes: -1})
	misuse.Offer(c.Calls, nil, c.host, &scripting.Host{})
	misuse.Offer(c.Calls, nil, c.snapshot.Scripts(), &scripting.Scripts{})
	misuse.Offer(c.Calls, nil, []byte("{}"), c.snapshot.Scripts().Encode())
	misuse.Offer[func() error](c.Calls, nil, func() error { return nil }, func() error { return ecs.ErrRange })
	misuse.Offer(c.Calls, c.world, c.other, nil)
	misuse.Offer(c.Calls, nil, []scripting.KernelStatus{{}})
	misuse.Offer(c.Calls, scripting.Options{}, scripting.Options{Limits: scripting.Limits{Instructions: -1}, NoKernels: true})
	misuse.Offer(c.Calls, scripting.Limits{}, scripting.Limits{Instructions: 1000, Held: 1}, scripting.Limits{Instructions: -1, Files: 1})
	misuse.Offer[context.Context](c.Calls, nil, ended, context.Background())
	misuse.Offer[fs.FS](c.Calls, nil, c.folder, c.program, (*scripting.Program)(nil), &scripting.Program{}, fstest.MapFS{}, fstest.MapFS{"a.lua": {Data: []byte("x = = 1")}})
	misuse.Offer(c.Calls, "", "a.lua", "b.lua", "none.lua", "k", "s", "end", "1x", "host", "sub/../a.lua", "/", "\x00", "meet")
	misuse.Offer(c.Calls, nil, []string{"a.lua"}, []string{"b.lua", "none.lua"}, []string{""}, []string{"../x.lua", ".", "/a.lua"})
	misuse.Offer(c.Calls, nil, c.tick, &ecs.Tick{}, &ecs.Tick{World: c.other})
	misuse.Offer[any](c.Calls, nil, 1, (func())(nil), func() {}, make(chan int), (*Radio)(nil), map[string]int(nil), scripting.Question{}, scripting.Question{Func: func() {}, Args: -1}, c.host, c.world, reflect.ValueOf(1), struct{}{})
	misuse.Offer(c.Calls, nil, &scripting.ConsoleText{}, scripting.ReadConsoleText("return 1"), scripting.ReadConsoleText("x = = 1"))
	misuse.Offer(c.Calls, 0, 0.1, -1, 1e300, math.NaN(), math.Inf(1))
	misuse.Offer(c.Calls, 0, -1, 1, math.MaxInt)
	c.Result = func(v reflect.Value) {
		if h, ok := v.Interface().(*scripting.Host); ok && h != nil && h != c.host {
			c.opened = append(c.opened, h.Close)
		}
	}
}

// TestWrongUsesHaveDocumentedOutcomes: errors with a name, or success; and the game goes on.
func TestWrongUsesHaveDocumentedOutcomes(t *testing.T) {
	sideBySide(t)
	api := &misuse.API{
		Situations: []string{"fresh", "refused", "outside", "elsewhere", "loop", "top level", "top level of a reload", "on_start", "on_unload", "on_add",
			"function", "function elsewhere", "Call", "batch", "row", "kernel", "system", "system elsewhere", "beside", "observer", "hook", "inbox", "Run",
			"OnError", "OnReload", "OnKernel", "log", "folder", "folder of a stage", "closed", "closed world", "zero"},
		Left:   misuseLeft,
		Prefix: "scripting",
		Named: func(err error) bool {
			var script *scripting.Error
			var load *scripting.LoadError
			return errors.As(err, &script) || errors.As(err, &load) || misuse.Among(scripting.ErrClosed, snapshot.ErrNotKept, scripting.ErrLimit, scripting.ErrOver, scripting.ErrSpent, scripting.ErrUnfinished,
				ecs.ErrIterating, ecs.ErrClosed, ecs.ErrUnknown, ecs.ErrConflict, ecs.ErrRange, context.Canceled, fs.ErrNotExist, fs.ErrInvalid)(err)
		},
	}
	api.Exported(t, ".")
	api.Exported(t, "../bindings/running", "Call")
	seeds := uint64(2)
	if raceEnabled {
		seeds = 1 // it takes five times as long there, and what the second one differs in is values
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			c := &wrongUses{Calls: misuse.NewCalls(t, api, seed), other: ecs.NewWorld()}
			defer func() { must(t, c.other.Close()) }()
			var err error
			c.folder = &misusedFolder{fstest.MapFS{"a.lua": {Data: []byte(misusedScript)}, "b.lua": {Data: []byte(`local ecs = require "ecs" ecs.system "b" { run = function() end }`)}}, func() { c.at("folder") }}
			c.program, err = scripting.Compile(c.folder, scripting.Limits{})
			must(t, err)
			for _, where := range api.Situations {
				for name := c.Next(where); name != "" && !t.Failed(); name = c.Next(where) {
					c.inSituation(where, name)
				}
			}
			c.close()
		})
	}
	api.Print(t)
}

var misuseLeft = map[string]string{}

// inSituation makes a call where a host may be, and looks whether the game goes on.
func (c *wrongUses) inSituation(where, name string) {
	elsewhere := strings.HasSuffix(where, " elsewhere") || where == "elsewhere"
	c.use = func() {
		if c.offer(); where == "zero" {
			c.Receivers["Host"] = []any{&scripting.Host{}, (*scripting.Host)(nil)}
		}
		c.Call(name, where, elsewhere)
	}
	hook, _, _ := strings.Cut(strings.TrimSuffix(where, " elsewhere"), " of a ") // what c.at calls it
	c.open()
	c.armed = hook
	switch where {
	case "fresh", "zero":
		c.used()
	case "refused":
		if err := c.host.Load(fstest.MapFS{"a.lua": {Data: []byte("x = = 1")}}); err == nil {
			c.Fatal("a mistake is loaded")
		}
		c.used()
	case "folder":
		c.Expect("Load", c.host.Load(c.folder))
	case "top level", "OnKernel", "on_start":
		c.Expect("Load", c.host.Load(c.program))
		c.Expect("Step", c.host.Step(0.1))
	default:
		c.armed = ""
		c.load()
		c.armed = hook
		c.loaded(where)
	}
	if c.armed != "" {
		c.Fatalf("%s was not reached", where)
	}
	c.Expect("Step", c.host.Step(0.1))
	if err := c.world.Check(); err != nil {
		c.Fault("the world is broken: %v", err)
	}
}

// used makes the call now.
func (c *wrongUses) used() { c.at(c.armed) }

// loaded makes a call in a situation of a host that has loaded.
func (c *wrongUses) loaded(where string) {
	switch where {
	case "outside", "elsewhere":
		c.used()
	case "loop":
		for range c.world.Query().Chunks() {
			c.used()
			break
		}
	case "inbox":
		inbox, err := ecs.NewInbox(c.world, 1)
		must(c, err)
		must(c, inbox.Post(1, func(t *ecs.Tick) error { c.tick = t; c.used(); return nil }))
		c.Expect("Step", c.host.Step(0.1))
	case "Run":
		c.Expect("Run", c.world.Run("r", func(t *ecs.Tick) error { c.tick = t; c.used(); return nil }))
	case "closed":
		must(c, c.host.Close())
		c.used()
	case "closed world":
		must(c, c.world.Close())
		c.used()
	case "observer":
		c.world.Spawn()
		c.Expect("Step", c.host.Step(0.1))
	case "top level of a reload", "OnReload", "folder of a stage", "on_unload":
		c.folder.MapFS["a.lua"].Data = []byte(misusedScript + "-- " + where)
		c.host.Stage([]string{"a.lua"}, nil)
		c.Expect("Step", c.host.Step(0.1))
	default:
		c.Expect("Step", c.host.Step(0.1))
		c.Expect("Step", c.host.Step(0.1))
	}
}
