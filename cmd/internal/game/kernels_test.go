package game

import (
	"flag"
	"io"
	"log/slog"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripts"
)

// demoTicks is a few seconds of the demo; whoever changes the compiler asks for
// minutes: go test ./cmd/internal/game -run Demo -demo.ticks 10000.
var demoTicks = flag.Uint64("demo.ticks", 240, "ticks of the demo, with and without kernels")

// play runs the demo and returns its checksum and what became of its systems.
func play(t *testing.T, noKernels bool, workers int) (sum uint64, kernels []scripting.KernelStatus) {
	t.Helper()
	g, err := New(Options{
		Seed: 1, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), NoKernels: noKernels, Workers: workers,
		OnError: func(e *scripting.Error) { t.Error(e) },
		Limits:  scripting.Limits{Time: -1}, // a slow machine must not end differently
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.Load(scripts.Demo()); err != nil {
		t.Fatal(err)
	}
	g.Run(t.Context(), Pace{Hz: 60, Ticks: *demoTicks, Free: true}, func() {})
	return g.World().Checksum(), g.Kernels()
}

// TestTheDemoIsTheSameWithoutKernels holds that the demo ends in the same world
// on both paths, with one goroutine and with several, and that most of its each functions take the fast one.
func TestTheDemoIsTheSameWithoutKernels(t *testing.T) {
	fast, kernels := play(t, false, 1)
	slow, none := play(t, true, 1)
	if shared, _ := play(t, false, 3); fast != shared {
		t.Errorf("checksum %016x with one goroutine, %016x with three, after %d ticks", fast, shared, *demoTicks)
	}
	if fast != slow {
		t.Errorf("checksum %016x with kernels, %016x without, after %d ticks", fast, slow, *demoTicks)
	}
	if len(none) > 0 {
		t.Errorf("%d kernels where there should be none", len(none))
	}
	compiled := 0
	for _, k := range kernels {
		if k.Compiled {
			compiled++
		} else {
			t.Log(k)
		}
	}
	if compiled < 8 {
		t.Errorf("%d of the demo's systems are compiled, want 8 or more", compiled)
	}
}
