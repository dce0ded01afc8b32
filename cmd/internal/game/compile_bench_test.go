package game

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/scripts"
)

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
