package tests_test

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestHostile lets each script of the folder hostile do its worst in a host in
// which other systems, of Lua and of Go, do their work. Whatever it does:
//
//   - it is answered as the script itself says, within its limits;
//   - every other system runs in every frame, and sees the world as it should;
//   - no frame takes longer than twice the limit of time;
//   - when the script is saved in a sound version, all is healthy again.
//
// The first line of a script says what should answer. The error stands beside
// the line that it must name, or alone where there is none:
//
//	while true do end ---! "script ran too long"
//	---! place "hostile.lua: the start of the message"
//	---! file "what is wrong with the file as a whole"
//
// Several such lines mean that one of them must fail. In the text of a script,
// «@@9{x}@@» stands for nine x: long files are hard to read.
func TestHostile(t *testing.T) {
	paths, err := filepath.Glob("hostile/*.lua")
	if err != nil || len(paths) < 60 {
		t.Fatalf("%d scripts, %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".lua")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			a := newArena(t)
			a.suffer(expand(t, string(text)))
			a.judge(readAnswers(t, string(text)))
			a.recover()
		})
	}
}

var repetition = regexp.MustCompile(`@@(\d+)\{(.*?)\}@@`)

// expand writes repetitions out.
func expand(t *testing.T, text string) string {
	return repetition.ReplaceAllStringFunc(text, func(found string) string {
		m := repetition.FindStringSubmatch(found)
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		return strings.Repeat(m[2], n)
	})
}

// answer is one error that a script may be answered with.
type answer struct {
	line int // of hostile.lua; 0: any place
	text string
}

var expectAnswer = regexp.MustCompile(`---! (file |place )?(".*")$`)

func readAnswers(t *testing.T, text string) (all []answer) {
	t.Helper()
	for i, line := range strings.Split(text, "\n") {
		m := expectAnswer.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		want, err := strconv.Unquote(m[2])
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		a := answer{i + 1, want}
		if m[1] != "" {
			a.line = 0
		}
		all = append(all, a)
	}
	if len(all) == 0 {
		t.Fatal("the script does not say what should answer it")
	}
	return all
}

// hostileLimits are small, so that each script reaches its own soon.
var hostileLimits = scripting.Limits{
	Instructions: 1_000_000, TickInstructions: 4_000_000, Bytes: 64 << 20, Heap: 128 << 20, String: 1 << 20, Table: 50_000,
	Coroutines: 2000, Commands: 20_000, Spawned: 5000, TickCommands: 100_000, TickSpawned: 20_000,
}

// frames is how many ticks a script gets, and how many it is watched for after
// it was made sound.
const frames = 5

// frameTime is twice what a frame may take by the limits, Limits.Time twice, on a
// machine that does other things besides.
const frameTime = 8 * time.Second

// arena is a host with healthy systems and room for a hostile one.
type arena struct {
	*testing.T
	world    *ecs.World
	host     *scripting.Host
	files    fstest.MapFS
	faults   []*scripting.Error
	reloads  []scripting.Reload
	ticks    int
	inGo     int
	inLua    int
	routines int
}

// healthy counts its ticks in a system, moves entities in a kernel and in a batch,
// and uses what a hostile script may try to take away.
const healthy = `
local ecs = require "ecs"
local host = require "host"
local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")
local M = { limit = 100 }

ecs.system "healthy.count" {
  run = function()
    local parts = {}
    for i, word in ipairs { "a", "b" } do table.insert(parts, tostring(word):upper() .. math.floor(i + 0.5)) end
    local co = coroutine.wrap(function() coroutine.yield(table.concat(parts)) end)
    assert(co() == "A1B2" and string.format("%d", 7) == "7", "somebody has changed the library")
    assert(ecs.count { Position, Velocity } == 100, "somebody has changed the world")
    host.beat()
  end,
}

ecs.system "healthy.kernel" {
  query = { Position, Velocity },
  each = function(_, position, velocity)
    position.y = position.y + velocity.y
  end,
}

ecs.system "healthy.batch" {
  query = { Position, Velocity },
  batch = function(b)
    local x, vx = b:write(Position, "x"), b:read(Velocity, "x")
    for i = 1, b.n do x[i] = x[i] + vx[i] end
  end,
}

return M
`

func newArena(t *testing.T) *arena {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxEntities: 20_000, MaxBytes: 64 << 20, Breaker: ecs.Breaker{Failures: -1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	a := &arena{T: t, world: w, files: fstest.MapFS{"healthy.lua": {Data: []byte(healthy)}}}
	position, velocity := ecs.Register[Position](w), ecs.Register[Velocity](w)
	for range 100 {
		w.Spawn(position.With(Position{}), velocity.With(Velocity{1, 2}))
	}
	err = w.Schedule().Add(ecs.System{Name: "go.count", Phase: ecs.Debug, Run: func(*ecs.Tick) error { a.inGo++; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	a.host, err = scripting.New(w, scripting.Options{
		Logger:   slog.New(slog.NewTextHandler(io.Discard, nil)),
		OnError:  func(e *scripting.Error) { a.faults = append(a.faults, e) },
		OnReload: func(r scripting.Reload) { a.reloads = append(a.reloads, r) },
		Limits:   hostileLimits,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.host.Close() })
	for name, value := range map[string]any{
		"beat": func() { a.inLua++ }, "object": newExposed(), "panic": func() { panic("the host fell over") },
		"call": func(f func()) { f() }, "add": func(a, b int) int { return a + b },
	} {
		if err := a.host.Expose(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.host.Load(a.files); err != nil {
		t.Fatal(err)
	}
	a.routines = runtime.NumGoroutine()
	return a
}

// exposed is what a host may hand out: some of it is the script's to use.
type exposed struct {
	Name   string
	Inner  *exposed
	Lines  chan int
	secret string
}

func newExposed() *exposed {
	return &exposed{Name: "object", Inner: &exposed{Name: "inner"}, Lines: make(chan int), secret: "secret"}
}

// Twice is a method that scripts may call.
func (e *exposed) Twice(n int) int { return 2 * n }

// hidden is one that they may not.
func (e *exposed) hidden() string { return e.secret }

var _ = (*exposed).hidden // nobody calls it

// suffer saves the script and lets it run.
func (a *arena) suffer(text string) {
	a.Helper()
	a.save(text)
	a.step(frames)
	for _, r := range a.reloads {
		var refused *scripting.LoadError
		if errors.As(r.Err, &refused) {
			a.faults = append(a.faults, refused.Problems...)
		}
	}
}

func (a *arena) save(text string) {
	a.files["hostile.lua"] = &fstest.MapFile{Data: []byte(text)}
	a.host.Stage([]string{"hostile.lua"}, nil)
}

// step runs frames, each of which must be whole.
func (a *arena) step(n int) {
	a.Helper()
	for range n {
		began := time.Now()
		_ = a.host.Step(1.0 / 60) // OnError has been told
		if took := time.Since(began); took > frameTime {
			a.Errorf("a frame took %v", took)
		}
		a.ticks++
		if a.inGo != a.ticks || a.inLua != a.ticks {
			a.Fatalf("after %d frames Go has run %d times, Lua %d times; faults: %v", a.ticks, a.inGo, a.inLua, a.faults)
		}
		if err := a.world.Check(); err != nil {
			a.Fatal(err)
		}
	}
}

var usage = regexp.MustCompile(`used ([\d,]+) of ([\d,]+) instructions`)

// loopLines is how far an error may be from the line that expects it: a loop is
// cut at whichever of its lines it has come to.
const loopLines = 3

// judge compares what was reported with what the script says: one of its lines
// must have failed, nothing else may have, and only the hostile system.
func (a *arena) judge(expected []answer) {
	a.Helper()
	found := false
	for _, f := range a.faults {
		if slices.ContainsFunc(expected, func(x answer) bool {
			near := x.line == 0 || f.Script == "hostile.lua" && f.Line > 0 && max(x.line-f.Line, f.Line-x.line) <= loopLines
			return near && strings.Contains(f.Error(), x.text)
		}) {
			found = true
		} else {
			a.Errorf("not expected: %.2000s", f.Detail())
		}
		if m := usage.FindStringSubmatch(f.Message); m != nil {
			used, _ := strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
			allowed, _ := strconv.ParseInt(strings.ReplaceAll(m[2], ",", ""), 10, 64)
			if allowed <= 0 || used > 2*allowed {
				a.Errorf("%s of %s instructions", m[1], m[2])
			}
		}
		if len(f.Error()) > 10_000 {
			a.Errorf("an error of %d bytes", len(f.Error()))
		}
	}
	if !found {
		a.Errorf("none of %v in %v", expected, a.faults)
	}
}

// recover saves a sound version and demands that nothing remains.
func (a *arena) recover() {
	a.Helper()
	a.faults, a.reloads = nil, nil
	before := uint64(a.ticks)
	a.save(`
		local ecs = require "ecs"
		local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")
		ecs.system "reformed" { run = function(ctx) assert(ecs.count { Position, Velocity } == 100) end }`)
	a.step(frames)
	if len(a.reloads) != 1 || a.reloads[0].Err != nil {
		a.Errorf("the sound version was not taken: %v", a.reloads)
	}
	if !slices.Contains(a.world.Schedule().Names(), "reformed") {
		a.Errorf("systems %q", a.world.Schedule().Names())
	}
	for _, f := range a.faults {
		late := f.Tick <= before          // how often something failed is told at the reload
		if !late && f.Script != "timer" { // those whose handler is gone wait for it, and say so
			a.Errorf("afterwards: %s", f.Detail())
		}
	}
	a.moved()
	if n := runtime.NumGoroutine(); n > a.routines+5 {
		a.Errorf("%d goroutines, %d before", n, a.routines)
	}
}

// moved demands that the healthy systems moved everything, in every frame.
func (a *arena) moved() {
	a.Helper()
	position, velocity := ecs.Register[Position](a.world), ecs.Register[Velocity](a.world)
	want := Position{float64(a.ticks), 2 * float64(a.ticks)}
	wrong := 0
	for _, row := range ecs.Rows2(a.world.Query(ecs.Read(position), ecs.Read(velocity)), position, velocity) {
		if *row.A != want {
			wrong++
		}
	}
	if wrong > 1 { // scripts may lawfully change the first one
		a.Errorf("%d entities are not at %v", wrong, want)
	}
}
