package tests_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// TestHostile lets each script of the folder hostile do its worst in a host in
// which other systems, of Lua and of Go, do their work. Whatever it does:
//
//   - it is answered as the script itself says, within its limits;
//   - every other system runs in every frame, and sees the world as it should;
//   - no frame computes for longer than twice the limit of time;
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
			a := newArena(t, hostileLimits)
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
	Instructions: 1_000_000, TickInstructions: 4_000_000, Bytes: 64 << 20, String: 1 << 20, Table: 50_000,
	Coroutines: 2000, Commands: 20_000, Spawned: 5000, TickCommands: 100_000, TickSpawned: 20_000,
}

// frames is how many ticks a script gets, and how many it is watched for after
// it was made sound.
const frames = 5

// frameTime is twice what one call may take by the limits. It is compared with
// the time for which the thread of the frame has computed: what else the machine
// does has no part in it.
var frameTime = 2 * scripting.DevelopmentLimits().Time

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
		a.frame()
		a.ticks++
		if a.inGo != a.ticks || a.inLua != a.ticks {
			a.Fatalf("after %d frames Go has run %d times, Lua %d times; faults: %v", a.ticks, a.inGo, a.inLua, a.faults)
		}
		if err := a.world.Check(); err != nil {
			a.Fatal(err)
		}
	}
}

// frame runs one frame on one thread, and looks how long that was at work.
func (a *arena) frame() {
	a.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began, err := threadTime()
	if err != nil {
		a.Fatal(err)
	}
	_ = a.host.Step(1.0 / 60) // OnError has been told
	ended, err := threadTime()
	if took := ended - began; err != nil || took > frameTime {
		a.Errorf("a frame took %v of %v, %v", took, frameTime, err)
	}
}

var usage = regexp.MustCompile(`used ([\d,]+) of ([\d,]+) instructions`)

// near reports whether a fault is where it was expected. What counts is cut at the
// same line each time; what looks at the machine's clock or memory may be cut
// wherever the script has come to.
func (x answer) near(f *scripting.Error) bool {
	machine := strings.Contains(f.Message, "(Limits.Time)") || strings.Contains(f.Message, "(Limits.Held)")
	return x.line == 0 || f.Script == "hostile.lua" && (f.Line == x.line || machine && f.Line > 0)
}

// judge compares what was reported with what the script says: one of its lines
// must have failed, nothing else may have, and only the hostile system.
func (a *arena) judge(expected []answer) {
	a.Helper()
	found := false
	for _, f := range a.faults {
		if slices.ContainsFunc(expected, func(x answer) bool {
			return x.near(f) && strings.Contains(f.Error(), x.text)
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
	position, velocity := ecs.Register[kit.Position](a.world), ecs.Register[kit.Velocity](a.world)
	want := kit.Position{X: float64(a.ticks), Y: 2 * float64(a.ticks)}
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
