package inspect

import (
	"io"
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
	w, err := ecs.Open(ecs.Options{Seed: 7})
	check := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	check(err)
	defer w.Close()
	stock, err := kit.Install(w, kit.Options{Warn: func(string) {}})
	check(err)
	_, err = kit.InstallView(w)
	check(err)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	host, err := scripting.New(w, scripting.Options{Logger: quiet, OnError: func(*scripting.Error) {}})
	check(err)
	defer host.Close()
	check(stock.Expose(host.Expose))
	check(host.Load(os.DirFS("../../scripts/demo")))
	i, err := New(host, Options{Logger: quiet})
	check(err)
	defer i.Close()
	for range 900 {
		check(host.Step(1.0 / 60))
	}
	var took [3][]float64
	for n := 0; b.Loop(); n++ {
		way := n / 30 % len(took)
		switch i.watch.users.Store(int32(min(way, 1))); {
		case way > 0:
			check(i.hook())
		case i.watch.remove != nil:
			i.watch.remove()
			i.watch.remove = nil
		}
		if i.watch.flames.on = false; way == 2 {
			i.watch.flames.look(time.Now())
		}
		began := time.Now()
		check(host.Step(1.0 / 60))
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
