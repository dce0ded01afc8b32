package game

import (
	"io"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripts"
)

// BenchmarkRoomsOfTheDemo opens rooms of one program. It prints the least time for one of the latter
// half, and what each holds of Go's heap after some ticks.
func BenchmarkRoomsOfTheDemo(b *testing.B) {
	program, err := scripting.Compile(scripts.Demo(), scripting.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		const rooms, ticks = 100, 3
		var open [rooms]*Game
		least, before := time.Hour, uint64(0)
		for i := range open {
			if i == rooms/2 {
				before = liveHeap() // with what is made once
			}
			began := time.Now()
			g, err := New(Options{Seed: 1, Log: slog.New(slog.DiscardHandler)})
			if err == nil {
				err = g.Load(program)
			}
			if open[i] = g; err != nil {
				b.Fatal(err)
			}
			if took := time.Since(began); i >= rooms/2 {
				least = min(least, took)
			}
			for range ticks {
				if err := g.host.Step(1.0 / 60); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(liveHeap()-before)/(rooms/2)/1024, "KB/room")
		b.ReportMetric(least.Seconds()*1000, "ms-least/room")
		for _, g := range open {
			g.Close()
		}
	}
}

// liveHeap returns the bytes of Go's heap that are reachable.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkKernelsOfTheDemo measures how long each of the demo's kernels takes to
// compile, from its text to code, at least: the mean of all, and the one that takes
// the longest.
func BenchmarkKernelsOfTheDemo(b *testing.B) {
	least := map[string]time.Duration{}
	for b.Loop() {
		g, err := New(Options{Seed: 1, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
		if err != nil {
			b.Fatal(err)
		}
		if err := g.Load(scripts.Demo()); err != nil {
			b.Fatal(err)
		}
		for _, k := range g.Kernels() {
			if before, known := least[k.System]; k.Compiled && (!known || k.Took < before) {
				least[k.System] = k.Took
			}
		}
		g.Close()
	}
	sum, longest, name := time.Duration(0), time.Duration(0), ""
	for system, took := range least {
		if sum += took; took > longest {
			longest, name = took, system
		}
	}
	b.ReportMetric(sum.Seconds()*1000/float64(len(least)), "ms/kernel")
	b.ReportMetric(longest.Seconds()*1000, "ms/longest")
	b.Logf("%d kernels; %s takes the longest", len(least), name)
}
