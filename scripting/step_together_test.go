package scripting_test

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestStepsOfHostAndWorldFollowEachOther: each is a tick with the limits of a tick; timers are due
// in those of the host only.
func TestStepsOfHostAndWorldFollowEachOther(t *testing.T) {
	r := newGame(t, scripting.Limits{TickInstructions: 100_000, Instructions: 90_000, TickRows: 100_000})
	r.write("a.lua", `ecs.system "s" { run = function() for i = 1, 20000 do end ecs.spawn(P) end }
ecs.system "rows" { query = { P }, each = function(e, p) p.y = p.y + 1 end }
ecs.on_start(function() ecs.every(0.1, "beat") end)
ecs.handler("beat", function() ecs.spawn(V) end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	p, v := r.world.Query(ecs.Read(ecs.Register[Position](r.world))), r.world.Query(ecs.Read(ecs.Register[Velocity](r.world)))
	if err := r.host.StepAll(0.1); err != nil {
		t.Fatal(err)
	}
	beats := v.Count()
	for range 20 {
		if err := r.world.Step(0.1); err != nil {
			t.Fatalf("a step without the host: %v", err)
		}
	}
	if v.Count() != beats {
		t.Errorf("%d beats in steps without the host", v.Count()-beats)
	}
	if err := r.host.StepAll(0.1); err != nil || v.Count() == beats || p.Count() != 22 {
		t.Errorf("%v; %d beats, %d of 22 ticks", err, v.Count()-beats, p.Count())
	}
}

// TestTwoStepsAtOnce, of host and world, from inside and from another goroutine: one is made,
// the others are refused.
func TestTwoStepsAtOnce(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.write("a.lua", `ecs.system "s" { run = function() require("host").meet() end }`)
	refused := map[string]func() error{
		"Host.Step":        func() error { return r.host.Step(1) },
		"Host.StepContext": func() error { return r.host.StepContext(t.Context(), 1) },
		"World.Step":       func() error { return r.world.Step(1) },
		"StepContext":      func() error { return r.world.Schedule().StepContext(t.Context(), 1) },
		"World.Run":        func() error { return r.world.Run("r", func(*ecs.Tick) error { return nil }) },
	}
	meet := func() {
		for name, step := range refused {
			for _, elsewhere := range []bool{false, true} {
				done := make(chan error, 1)
				if attempt := func() { done <- step() }; elsewhere {
					go attempt()
				} else {
					attempt()
				}
				if err := <-done; !errors.Is(err, ecs.ErrIterating) {
					t.Errorf("%s, on another goroutine %v: %v", name, elsewhere, err)
				}
			}
		}
	}
	met := 0
	if err := r.host.Expose("meet", func() { met++; meet() }); err != nil {
		t.Fatal(err)
	}
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	for name, step := range refused {
		if err := step(); err != nil {
			t.Errorf("%s by itself: %v", name, err)
		}
	}
	if n, ticks := r.world.Time(); met != 4 || n != 4 || ticks != 4 {
		t.Errorf("%d meetings in %d ticks", met, ticks)
	}
}

// endingFolder ends the goroutine that reads from it, or panics, once it is told to.
type endingFolder struct {
	fstest.MapFS
	end func()
}

func (f *endingFolder) ReadFile(name string) ([]byte, error) {
	if f.end != nil {
		f.end()
	}
	return f.MapFS.ReadFile(name)
}

func (f *endingFolder) Open(name string) (fs.File, error) {
	if f.end != nil {
		f.end()
	}
	return f.MapFS.Open(name)
}

// TestAStageThatComesToNoEnd is an error of the next step, and the stage after it is as any
// other.
func TestAStageThatComesToNoEnd(t *testing.T) {
	for name, end := range map[string]func(){"Goexit": runtime.Goexit, "panic": func() { panic("no folder") }} {
		t.Run(name, func(t *testing.T) {
			r := newGame(t, scripting.Limits{})
			text := `local ecs = require "ecs" ecs.system "s" { run = function() ecs.log("VERSION") end }`
			folder := &endingFolder{MapFS: fstest.MapFS{"a.lua": {Data: []byte(text)}}}
			if err := r.host.Load(folder); err != nil {
				t.Fatal(err)
			}
			folder.MapFS["a.lua"] = &fstest.MapFile{Data: []byte(strings.Replace(text, "VERSION", "newer", 1))}
			folder.end = end
			done := make(chan bool)
			go func() {
				defer close(done)
				defer func() { _ = recover() }()
				r.host.Stage([]string{"a.lua"}, nil)
			}()
			<-done
			err := r.host.Step(1)
			if folder.end = nil; !errors.Is(err, scripting.ErrUnfinished) || !strings.Contains(err.Error(), `"a.lua"`) {
				t.Errorf("the step after: %v", err)
			}
			r.host.Stage([]string{"a.lua"}, nil)
			if err := r.host.Step(1); err != nil || !strings.Contains(r.logged(), "newer") {
				t.Errorf("staged again: %v, %s", err, r.logged())
			}
		})
	}
}

// TestStepsOfHostAndWorldOnTwoGoroutines: each step is made or refused with ErrIterating, none waits,
// and the world has as many ticks as steps were made. The race detector sees both work with one
// world: go test -race -run TestStepsOfHostAndWorldOnTwoGoroutines.
func TestStepsOfHostAndWorldOnTwoGoroutines(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.write("a.lua", `ecs.system "s" { run = function() ecs.spawn(P) end }
ecs.system "rows" { query = { P }, each = function(e, p) p.y = p.y + 1 end }
ecs.on_start(function() ecs.every(0.1, "beat") end)
ecs.handler("beat", function() ecs.spawn(V) end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	const steps = 300
	var made, refused atomic.Int64
	var group sync.WaitGroup
	for name, step := range map[string]func() error{
		"Host.Step": func() error { return r.host.Step(0.05) }, "World.Step": func() error { return r.world.Step(0.05) },
		"StepContext": func() error { return r.world.Schedule().StepContext(context.Background(), 0.05) },
	} {
		group.Go(func() {
			for done := 0; done < steps; {
				switch err := step(); {
				case err == nil:
					made.Add(1)
					done++
				case errors.Is(err, ecs.ErrIterating):
					refused.Add(1)
					runtime.Gosched()
				default:
					t.Errorf("%s: %v", name, err)
					return
				}
			}
		})
	}
	group.Wait()
	if _, ticks := r.world.Time(); made.Load() != 3*steps || ticks != 3*steps {
		t.Errorf("%d steps made, %d ticks, %d refused", made.Load(), ticks, refused.Load())
	}
	if err := r.world.Check(); err != nil || len(r.reported) > 0 {
		t.Errorf("%v, %v", err, r.reported)
	}
}

// TestNoStepOfTheWorldInsideOfOneOfTheHost: not while the host works before and after the systems.
func TestNoStepOfTheWorldInsideOfOneOfTheHost(t *testing.T) {
	w, tried := ecs.NewWorld(), 0
	host := newHost(t, w, scripting.Options{OnReload: func(scripting.Reload) {
		for name, step := range map[string]func() error{
			"Step": func() error { return w.Step(1) }, "Run": func() error { return w.Run("r", nil) }, "Close": w.Close,
			"StepContext": func() error { return w.Schedule().StepContext(context.Background(), 1) },
			"Claim":       func() error { return w.Raw().Claim() },
		} {
			if tried++; !errors.Is(step(), ecs.ErrIterating) {
				t.Errorf("%s inside of Host.Step: %v", name, step())
			}
		}
	}})
	if err := host.Load(fstest.MapFS{"a.lua": newFile("")}); err != nil {
		t.Fatal(err)
	}
	host.Stage([]string{"a.lua"}, nil)
	if err := errors.Join(host.Step(1), w.Step(1), w.Run("r", func(*ecs.Tick) error { return nil })); err != nil || tried != 5 {
		t.Errorf("%v, %d tried", err, tried)
	}
	if err := errors.Join(host.Close(), w.Close()); err != nil {
		t.Error(err)
	}
}
