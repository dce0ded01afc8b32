package scripting_test

import (
	"context"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestCutCallsAreMadeAgain cuts a step in each call that something waits for: an event, or the change
// of an observer. The next steps make what was cut short, once, and nobody is
// blamed.
func TestCutCallsAreMadeAgain(t *testing.T) {
	for name, source := range map[string]string{
		"event":    `ecs.system "on" { on = ecs.native_event("CutEvent"), each = function(e) work(e.n) end }`,
		"events":   `local E = ecs.native_event("CutEvent") ecs.system "run" { run = function() for e in ecs.events(E) do work(e.n) end end }`,
		"observer": `ecs.on_add(ecs.native("CutMark"), function(e, mark) work(mark.n) end)`,
	} {
		for _, how := range []string{"burns", "returns the error"} {
			t.Run(name+" "+how, func(t *testing.T) { cutAgain(t, source, how == "burns") })
		}
	}
}

// CutEvent and CutMark are what the scripts wait for.
type (
	CutEvent struct{ N int }
	CutMark  struct{ N int }
)

func cutAgain(t *testing.T, source string, burns bool) {
	w := ecs.NewWorld()
	defer w.Close()
	events, marks := ecs.RegisterEvent[CutEvent](w), ecs.Register[CutMark](w)
	host, err := scripting.New(w, scripting.Options{OnError: func(e *scripting.Error) { t.Errorf("blamed: %v", e) }})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	var cancel func()
	var got []int
	if err := host.Expose("stop", func(c *scripting.Call, n int) error {
		if n == 2 && cancel != nil {
			cancel()
		}
		if burns {
			return nil
		}
		return c.Err()
	}); err != nil {
		t.Fatal(err)
	}
	if err := host.Expose("done", func(n int) { got = append(got, n) }); err != nil {
		t.Fatal(err)
	}
	text := "local ecs = require \"ecs\"\nlocal host = require \"host\"\nlocal function work(n)\n  host.stop(n)\n  for i = 1, 1e5 do end\n  host.done(n)\nend\n" + source
	if err := host.Load(fstest.MapFS{"a.lua": {Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	if err := host.Step(0); err != nil { // readers are there
		t.Fatal(err)
	}
	for n := range 3 {
		if err := events.Emit(CutEvent{n + 1}); err != nil {
			t.Fatal(err)
		}
		w.Spawn(marks.With(CutMark{n + 1}))
	}
	var ctx context.Context
	ctx, cancel = context.WithCancel(context.Background())
	if err := host.StepContext(ctx, 0.05); err == nil {
		t.Fatal("the step was not cut short")
	}
	cancel = nil
	for range 3 {
		if err := host.Step(0.05); err != nil {
			t.Fatal(err)
		}
	}
	if got = slices.Compact(got); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("done for %v", got)
	}
	if n := host.Faults().Total; n != 0 {
		t.Errorf("%d faults", n)
	}
}
