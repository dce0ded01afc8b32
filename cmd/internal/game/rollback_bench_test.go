package game

import (
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripts"
)

// BenchmarkRollbackOfTheDemo captures the demo after each tick, with its full population. Beside it
// are the tick itself, a memcpy of as many bytes as the capture has copied, a restore by ten ticks,
// and the ten ticks run again; in microseconds each, medians of rounds that take turns.
func BenchmarkRollbackOfTheDemo(b *testing.B) {
	g := openDemo(b)
	ring, err := scripting.NewRing(g.host, snapshot.RingOptions{Ticks: 60})
	if err != nil {
		b.Fatal(err)
	}
	step := func() {
		if err := g.host.Step(1.0 / 60); err != nil {
			b.Fatal(err)
		}
	}
	for range 600 {
		step()
	}
	var ticks, captures, copies, restores, again meterings
	from, to := make([]byte, 64<<20), make([]byte, 64<<20)
	bytes := 0
	for n := 0; b.Loop(); n++ {
		ticks.time(step)
		captures.time(func() {
			if err := ring.Capture(); err != nil {
				b.Fatal(err)
			}
		})
		if ring.Len() == 60 {
			bytes = int(ring.Bytes() / 60)
			copies.time(func() { copy(to[:bytes], from[:bytes]) })
		}
		if n%100 == 99 {
			_, now := g.world.Time()
			restores.time(func() {
				if _, err := ring.Restore(now - 10); err != nil {
					b.Fatal(err)
				}
			})
			again.time(func() {
				for range 10 {
					step()
				}
			})
		}
	}
	b.ReportMetric(ticks.median(), "tick-us")
	b.ReportMetric(captures.median(), "capture-us")
	b.ReportMetric(copies.median(), "memcpy-us")
	b.ReportMetric(float64(bytes)/1024, "KB/tick")
	b.ReportMetric(restores.median(), "restore-us")
	b.ReportMetric(again.median(), "again-us")
}

// openDemo opens a game of the demo.
func openDemo(b *testing.B) *Game {
	g, err := New(Options{Seed: 1, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = g.Close() })
	if err := g.Load(scripts.Demo()); err != nil {
		b.Fatal(err)
	}
	return g
}

// meterings are how long something took, each time.
type meterings []time.Duration

func (m *meterings) time(do func()) {
	began := time.Now()
	do()
	*m = append(*m, time.Since(began))
}

// median returns the one in the middle, in microseconds.
func (m *meterings) median() float64 {
	if len(*m) == 0 {
		return 0
	}
	list := slices.Clone(*m)
	slices.Sort(list)
	return float64(list[len(list)/2].Nanoseconds()) / 1000
}
