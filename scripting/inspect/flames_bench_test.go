package inspect

import (
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// BenchmarkTicksLookedAt steps the demo in turns with an inspector whom nobody asks, with a stream that sums up ticks, and while
// somebody looks at ticks run by run: what a fifth of all ticks stays below, in microseconds, and how much more that is than without.
func BenchmarkTicksLookedAt(b *testing.B) {
	host, _ := battle(b)
	i, err := New(host, Options{Logger: slog.New(slog.DiscardHandler)})
	checked(b, err)
	defer i.Close()
	var took [3][]float64
	for n := 0; b.Loop(); n++ {
		way := n / 30 % len(took)
		switch i.watch.users.Store(int32(min(way, 1))); {
		case way > 0:
			checked(b, i.hook())
		case i.watch.remove != nil:
			i.watch.remove()
			i.watch.remove = nil
		}
		if i.watch.flames.on = false; way == 2 {
			i.watch.flames.look(time.Now())
		}
		began := time.Now()
		checked(b, host.Step(1.0/60))
		i.Answer()
		took[way] = append(took[way], microseconds(time.Since(began)))
	}
	fifth := func(list []float64) float64 {
		slices.Sort(list)
		return list[len(list)/5]
	}
	idle := fifth(took[0])
	b.ReportMetric(idle, "idle-us")
	b.ReportMetric((fifth(took[1])/idle-1)*100, "stream-%")
	b.ReportMetric((fifth(took[2])/idle-1)*100, "looking-%")
}

// BenchmarkFlame keeps a tick of forty systems.
func BenchmarkFlame(b *testing.B) {
	var f flames
	f.look(time.Now())
	r := report(0, 1, 40)
	r.Systems = slices.Repeat(r.Systems, 20)
	for b.Loop() {
		r.N++
		f.add(r)
	}
}

// battle opens the demo after a quarter of a minute, when its population is full.
func battle(b *testing.B) (*scripting.Host, *kit.Screen) {
	return battleOf(b, os.DirFS("../../scripts/demo"))
}

// battleOf is battle with other scripts.
func battleOf(b *testing.B, files fs.FS) (*scripting.Host, *kit.Screen) {
	w, err := ecs.Open(ecs.Options{Seed: 7, Workers: 1})
	checked(b, err)
	b.Cleanup(func() { w.Close() })
	stock, err := kit.Install(w, kit.Options{Warn: func(string) {}})
	checked(b, err)
	screen, err := kit.InstallView(w)
	checked(b, err)
	host, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler), OnError: func(*scripting.Error) {}})
	checked(b, err)
	b.Cleanup(func() { host.Close() })
	checked(b, stock.Expose(host.Expose))
	checked(b, host.Load(files))
	for range 900 {
		checked(b, host.Step(1.0/60))
	}
	return host, screen
}

func checked(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
