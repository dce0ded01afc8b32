package fuzz

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/testmain"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestMain gives the process ceilings: of addresses, where the system knows one,
// and of what the collector aims at.
func TestMain(m *testing.M) {
	testmain.Collector()
	limitAddresses()
	debug.SetMemoryLimit(1 << 30)
	os.Exit(m.Run())
}

// fuzzLimits are small, so that programs reach them.
var fuzzLimits = scripting.Limits{
	Instructions: 100_000, TickInstructions: 400_000, Time: 20 * time.Second, Bytes: 8 << 20, Held: 16 << 20,
	HeldTotal: 32 << 20, String: 1 << 20, Table: 5000, Coroutines: 100, Commands: 3000, TickCommands: 8000, Spawned: 500, TickSpawned: 1500,
	CommandBytes: 4 << 20, Declarations: 500, Declared: 2 << 20, DeclaredTotal: 4 << 20, Timers: 200, LogLines: 20,
}

// mostAllocated is how many bytes one program may make the process allocate, in
// all its ticks together. Why so many? A call may use up Limits.Bytes in the
// library and as much again in the VM, and there are up to 60.
const mostAllocated = 6 << 30

// witness is what a run has come to.
type witness struct {
	faults, lines []string
	checksum      uint64
	machine       bool // something was cut by the clock or by the heap
	allocated     uint64
}

// sound works in each tick, whatever stands beside it.
const sound = `
local ecs = require "ecs"
local Mark = ecs.component("Mark", { n = ecs.f64(0) })
ecs.on_start(function() ecs.spawn(Mark) end)
ecs.system("sound", { phase = "debug", query = { Mark }, each = function(e, m) m.n = m.n + 1 end })
`

// play loads a program, runs it, saves another in its place, runs that and takes
// both away, and judges: nothing panics; the world is whole after each tick; the
// sound script has run in all of them; each fault names a file; no text that is
// for people has control characters; what is kept goes when the files go.
func play(t *testing.T, first, second string) (w witness) {
	t.Helper()
	before := allocated()
	world, err := ecs.Open(ecs.Options{MaxEntities: 5000, MaxBytes: 32 << 20, Tag: 1, Seed: 5, Breaker: ecs.Breaker{Failures: -1}})
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	host, err := scripting.New(world, scripting.Options{
		Logger:  slog.New(&listener{witness: &w, Handler: slog.NewTextHandler(io.Discard, nil)}),
		OnError: func(e *scripting.Error) { w.fault(t, e) },
		OnReload: func(r scripting.Reload) {
			w.lines = append(w.lines, took.ReplaceAllString(r.String(), ""))
			checkText(t, r.String())
		},
		Limits: fuzzLimits,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	folder := fstest.MapFS{"a.lua": file(first), "z_sound.lua": file(sound)}
	if err := host.Load(folder); err != nil {
		w.lines = append(w.lines, err.Error())
		checkText(t, err.Error())
		folder["a.lua"] = file("")
		if err := host.Load(folder); err != nil {
			t.Fatalf("the sound script alone was refused: %v", err)
		}
	}
	ticks := 0
	step := func(n int) {
		t.Helper()
		for range n {
			_ = host.Step(0.05) // OnError was told
			ticks++
			if err := world.Check(); err != nil {
				t.Fatalf("after tick %d: %v\n%s\n---\n%s", ticks, err, first, second)
			}
		}
	}
	step(6)
	folder["a.lua"] = file(second)
	host.Stage([]string{"a.lua"}, nil)
	step(5)
	delete(folder, "a.lua")
	host.Stage(nil, []string{"a.lua"})
	step(3)
	w.checksum = world.Checksum()
	if names := strings.Join(world.Schedule().Names(), " "); strings.Contains(names, "s1") {
		t.Fatalf("the systems of a file that is gone are there: %s", names)
	}
	soundRuns(t, world, ticks)
	if w.allocated = allocated() - before; w.allocated > mostAllocated {
		t.Fatalf("%d MiB were allocated:\n%s\n---\n%s", w.allocated>>20, first, second)
	}
	return w
}

// took is how long a reload took.
var took = regexp.MustCompile(`(?m), [\d.]+ ms$`)

func soundRuns(t *testing.T, world *ecs.World, ticks int) {
	t.Helper()
	for _, s := range world.Schedule().Stats(nil) {
		if s.Name == "sound" && (s.Runs != uint64(ticks) || s.Failures > 0) {
			t.Fatalf("the sound system ran %d times in %d ticks and failed %d times", s.Runs, ticks, s.Failures)
		}
	}
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// allocated is what the process has allocated since it began.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func (w *witness) fault(t *testing.T, e *scripting.Error) {
	text := e.Error()
	w.faults = append(w.faults, text)
	for _, name := range []string{"Limits.Time", "Limits.Held"} {
		w.machine = w.machine || strings.Contains(text, name)
	}
	checkText(t, text)
	if len(text) > 20_000 {
		t.Errorf("a fault of %d bytes", len(text))
	}
	if e.Script == "" {
		t.Errorf("a fault that names no script: %s", text)
	}
}

// control are characters that a terminal obeys.
var control = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f]")

func checkText(t *testing.T, text string) {
	if found := control.FindString(text); found != "" {
		t.Errorf("a text for people has %q: %.300q", found, text)
	}
}

// listener keeps what is logged.
type listener struct {
	slog.Handler
	witness *witness
}

func (l *listener) Handle(_ context.Context, r slog.Record) error {
	if len(l.witness.lines) < 3000 {
		l.witness.lines = append(l.witness.lines, r.Message[:min(len(r.Message), 500)])
	}
	return nil
}

func (l *listener) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l *listener) WithGroup(string) slog.Handler      { return l }

// judge plays a program twice: the second time everything must be as the first,
// unless the clock or the heap has cut something.
func judge(t *testing.T, data []byte, focus int) {
	if len(data) > 2000 {
		return
	}
	half := len(data) / 2
	first, second := program(data[:half], focus), program(data[half:], focus)
	a := play(t, first, second)
	if t.Failed() {
		t.Fatalf("%s\n---\n%s", first, second)
	}
	b := play(t, first, second)
	runtime.GC()
	if a.machine || b.machine {
		return
	}
	if fa, fb := fmt.Sprint(a.faults), fmt.Sprint(b.faults); a.checksum != b.checksum || fa != fb {
		t.Fatalf("two runs differ: %x and %x\n%s\n---\n%s\nthe programs:\n%s\n---\n%s", a.checksum, b.checksum, fa, fb, first, second)
	}
}
