package scripting_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/golden"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestErrorsGolden shows every script of testdata/errors to a host, beside
// lib.lua, and compares the errors, short and long, with the text beside it.
func TestErrorsGolden(t *testing.T) {
	scripts, err := filepath.Glob("testdata/errors/*.lua")
	if err != nil || len(scripts) == 0 {
		t.Fatal(scripts, err)
	}
	lib, err := os.ReadFile("testdata/errors/lib.lua")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range scripts {
		name := filepath.Base(path)
		if name == "lib.lua" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			golden.Expect(t, strings.TrimSuffix(path, ".lua")+".txt", errorsOf(t, map[string][]byte{name: text, "lib.lua": lib}))
		})
	}
}

// errorsOf loads scripts and runs a tick; it returns all errors in long form.
func errorsOf(t *testing.T, files map[string][]byte) string {
	t.Helper()
	r := newGame(t, scripting.Limits{Instructions: 100_000})
	if err := r.host.Expose("fall", func() { panic("the host fell over") }); err != nil {
		t.Fatal(err)
	}
	position := ecs.Register[Position](r.world)
	r.world.Spawn(position.With(Position{1, 2}))
	for name, text := range files {
		r.folder[name] = newFile(string(text))
	}
	var refused *scripting.LoadError
	if err := r.host.Load(r.folder); errors.As(err, &refused) {
		r.errors = refused.Problems
	} else {
		r.step(1)
	}
	var b strings.Builder
	for _, e := range r.errors {
		shown := *e
		if shown.GoStack != "" { // names places of this machine
			shown.GoStack = "(calls of Go)"
		}
		b.WriteString(shown.Detail() + "\n\n")
	}
	// The tag of the world's handles shows nowhere, so the text is the same
	// whatever else this process tests.
	return b.String()
}

// A byte order mark is neither shown nor counted: the caret stands below the token.
func TestByteOrderMarkInDetail(t *testing.T) {
	for text, want := range map[string]string{
		"local x = = 1":          "a.lua:1:11: expected an expression, found \"=\"\n  1 | local x = = 1\n    |           ^",
		"local x = nil; x.y = 1": "\n  1 | local x = nil; x.y = 1\n    |                  ^",
		"\nlocal x = = 1":        "\n  2 | local x = = 1\n    |           ^",
	} {
		plain := errorsOf(t, map[string][]byte{"a.lua": []byte(text)})
		marked := errorsOf(t, map[string][]byte{"a.lua": []byte("\xef\xbb\xbf" + text)})
		if marked != plain || !strings.Contains(marked, want) {
			t.Errorf("%q:\nplain  %s\nmarked %s\nwant   %s", text, plain, marked, want)
		}
	}
}

func TestOneErrorForOneFailure(t *testing.T) {
	r := loaded(t, "a.lua", `ecs.on_add(P, function() error("observer") end)
ecs.handler("h", function() error("timer") end)
ecs.on_start(function() ecs.after(0, "h") ecs.spawn(P) end)`+"\n"+once("a", "error('system')"), "b.lua", `ecs.on_start(function() error("start") end)`)
	err := r.host.StepAll(0.1)
	r.failed(err)
	var messages []string
	for _, e := range r.errors {
		messages = append(messages, e.Message)
	}
	if got := strings.Join(messages, " "); got != "observer start timer system" {
		t.Errorf("reported %s", got)
	}
	for _, e := range r.errors {
		if !errors.Is(err, e) {
			t.Errorf("Step's error lacks %v", e)
		}
	}
}

// TestAnObserverThatTriggersItself is a fault of its script with its place, counts as one, and is
// parked. The host's observer that only looks on is not.
func TestAnObserverThatTriggersItself(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	position := ecs.Register[Position](r.world)
	told := 0
	if err := position.Observe("go.told", ecs.OnAdd, func(*ecs.Tick, ecs.Entity, *Position) error { told++; return nil }); err != nil {
		t.Fatal(err)
	}
	r.write("evil.lua", "\n"+`ecs.on_add(P, function(e) ecs.spawn(P) end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	const ticks = 10
	for range ticks {
		r.world.Spawn(position.With(Position{}))
		if err := r.host.Step(0.01); err != nil {
			t.Fatal(err)
		}
	}
	const name = "evil.lua:3 on_add Position"
	faults := r.host.Faults()
	if faults.Total != 3 || len(faults.Systems) != 1 || faults.Systems[0].System != name || faults.Systems[0].Total != 3 {
		t.Fatalf("faults: %+v", faults)
	}
	for i, e := range faults.Recent {
		if e.Script != "evil.lua" || e.Line != 3 || e.System != name || e.Tick != uint64(i+1) || e.Parked != (i == 2) || !errors.Is(e.Err, ecs.ErrStorm) || !strings.Contains(e.Source, "ecs.spawn(P)") || strings.Contains(e.Message, "go.told") {
			t.Errorf("fault %d: %+v", i, e)
		}
	}
	if u := r.host.Usage()[0]; u.Failures != 3 {
		t.Errorf("%d failures in %d calls, want 3", u.Failures, u.Calls)
	}
	if n := r.world.Len(); n != ticks+3*64 || told < ticks {
		t.Errorf("%d entities; the host's observer was told of %d", n, told)
	}
}

func TestParkingAndRetry(t *testing.T) {
	r := loaded(t, "a.lua", once("a", "error('nothing')"), "b.lua", each("b", "ecs.log('b')"))
	r.world.Spawn(ecs.Register[Position](r.world).With(Position{}))
	r.step(10)
	if n := len(r.errors); n != 3 {
		t.Fatalf("%d errors, want 3", n)
	}
	for i, e := range r.errors {
		if e.Parked != (i == 2) || e.System != "a" || e.Tick != uint64(i+1) || e.Entity != 0 {
			t.Errorf("%+v", e)
		}
	}
	if got := strings.Count(r.logged(), "b"); got != 10 {
		t.Errorf("the other system ran %d times, want 10", got)
	}
	r.step(64)
	if n := len(r.errors); n != 4 {
		t.Errorf("%d errors a second later, want one retry", n)
	}
	r.step(64)
	if n := len(r.errors); n != 4 {
		t.Errorf("%d errors two seconds later, want none: the wait doubles", n)
	}
	r.save("a.lua", each("a", "ecs.log('free')"))
	r.accepted()
	if got := r.logged(); !strings.Contains(got, "free") {
		t.Error("a reload does not free the system")
	}
}

func TestErrorOfGoSystem(t *testing.T) {
	r := loaded(t)
	boom := errors.New("boom")
	err := r.world.Schedule().Add(
		ecs.System{Name: "go.fails", Run: func(*ecs.Tick) error { return boom }},
		ecs.System{Name: "go.panics", Run: func(*ecs.Tick) error { panic("help") }})
	if err != nil {
		t.Fatal(err)
	}
	err = r.host.StepAll(0.1)
	if r.failed(err); !errors.Is(err, boom) {
		t.Error(err)
	}
	if len(r.errors) != 2 || r.errors[0].System != "go.fails" || !strings.Contains(r.errors[1].Message, "help") || r.errors[1].GoStack == "" {
		t.Errorf("%+v", r.errors)
	}
	r.errors = nil
}

func TestWrongStep(t *testing.T) {
	r := loaded(t, "a.lua", `ecs.handler("h", function() ecs.log("fired") end) ecs.on_start(function() ecs.every(0.01, "h") end)`+"\n"+once("a", "ecs.log(ctx.tick)"))
	zero := 0.0
	for _, dt := range []float64{-1, zero / zero, 1 / zero, -1 / zero} {
		if err := r.host.StepAll(dt); !errors.Is(err, ecs.ErrRange) {
			t.Errorf("a step of %v: %v", dt, err)
		}
	}
	r.wantLog("")
	if err := r.host.StepAll(0); err != nil {
		t.Error(err)
	}
	r.wantLog("1")
}

// TestErrorsOfATickInOrder: errors of entities, which end no run, and errors of runs come in
// the order of systems, and the one that ends a run before those of its entities.
func TestErrorsOfATickInOrder(t *testing.T) {
	text := ""
	for _, name := range []string{"a", "b"} {
		text += ` ecs.system "` + name + `1" { run = function() error("run") end }
ecs.system "` + name + `2" { query = { P }, each = function(e, p) if p.x == 2 then error("row") end end }`
	}
	r := newGame(t, scripting.Limits{Instructions: 30_000})
	herd(r, 3)
	r.write("a.lua", text+` ecs.system "e" { query = { P }, each = function(e, p) if p.x == 3 then while true do end end error("row") end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	var got []string
	for _, e := range r.errors {
		got = append(got, e.System+" "+e.Message)
	}
	want := "a1 run, a2 row, b1 run, b2 row, e script ran too long: used 30,001 of 30,000 instructions (Limits.Instructions), e row, e row"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestColumnNamesItsEntity: the error of a column whose row cannot hold a result names the
// entity of that row.
func TestColumnNamesItsEntity(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.write("a.lua", `local U = ecs.component("U", { n = ecs.u8(0) })
ecs.on_start(function() ecs.spawn(U { n = 1 }) ecs.spawn(U { n = 255 }) end)
ecs.system "a" { query = { U }, batch = function(b) b:col(U, "n"):add(1) end }`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	if e := r.wantError("a.lua:4", `field "n" of "U"`); e.Entity.Index() != 2 {
		t.Errorf("entity %v, want the second: %v", e.Entity, e)
	}
}
