package scripting_test

import (
	"errors"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestPanicsOfCallbacks has the functions of Options panic: the step goes on, each fault and each
// verdict is reported, and the step returns what was wrong with the name of the function.
func TestPanicsOfCallbacks(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	broken := errors.New("a bug of the host")
	var faults, reloads int
	host, err := scripting.New(w, scripting.Options{
		OnError:  func(*scripting.Error) { faults++; panic(broken) },
		OnReload: func(scripting.Reload) { reloads++; panic("text") },
	})
	if err != nil {
		t.Fatal(err)
	}
	folder := fstest.MapFS{"a.lua": {Data: []byte(`local ecs = require "ecs"
ecs.system "a" { run = function() error("a") end }
ecs.system "b" { run = function() error("b") end }`)}}
	if err := host.Load(folder); err != nil {
		t.Fatal(err)
	}
	err = host.Step(1)
	if sys, ok := errors.AsType[*ecs.SystemError](err); !ok || sys.System != "OnError" || len(sys.Stack) == 0 || !errors.Is(err, broken) {
		t.Errorf("the step returns %v", err)
	}
	if faults != 2 {
		t.Errorf("OnError got %d faults, want 2", faults)
	}
	folder["a.lua"] = &fstest.MapFile{Data: []byte("-- nothing")}
	host.Stage([]string{"a.lua"}, nil)
	err = host.Step(1)
	if sys, ok := errors.AsType[*ecs.SystemError](err); !ok || sys.System != "OnReload" || reloads != 1 {
		t.Errorf("the step returns %v after %d reloads", err, reloads)
	}
	if err := host.Step(1); err != nil {
		t.Errorf("the next step returns %v", err)
	}
	if err := host.Close(); err != nil {
		t.Error(err)
	}
}
