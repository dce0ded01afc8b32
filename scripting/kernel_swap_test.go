package scripting_test

import (
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Lap is what the swapped kernel works on: how often it ran for the entity, and
// which version of it did so last.
type Lap struct{ Ticks, Version float64 }

// swapScript is the file that changes; the second system in it does not, so its
// kernel is kept. The third captures a counter, which the fourth looks at: a tick
// in which a kernel is lost, or runs twice, is an error.
const swapScript = `local ecs = require "ecs"
local Lap = ecs.native("Lap")
local runs = 0
ecs.system "lap.count" { priority = 1, query = { Lap }, kernel = "require",
  each = function(e, lap) lap.ticks, lap.version = lap.ticks + 1, %d end }
ecs.system "lap.keep" { priority = 2, query = { Lap }, kernel = "require",
  each = function(e, lap) if lap.version < 0 then ecs.despawn(e) end end }
ecs.system "lap.sum" { priority = 3, query = { Lap }, kernel = "require",
  each = function(e, lap) runs = runs + 1 end }
ecs.system "lap.tell" { priority = 4, run = function()
  if runs ~= 500 then error(runs .. " runs") end
  runs = 0
end }
`

// savedFolder is a folder that an editor writes while the host reads it.
type savedFolder struct {
	mutex sync.Mutex
	files fstest.MapFS
}

func (f *savedFolder) Open(name string) (fs.File, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.files.Open(name)
}

func (f *savedFolder) save(version int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.files["lap.lua"] = &fstest.MapFile{Data: fmt.Appendf(nil, swapScript, version)}
}

// TestSwapsWhileTheWorldTicks saves a script with another text for its kernel a
// thousand times, from another goroutine, while the world ticks as fast as it can.
// Every tick runs exactly one version for every entity, versions only go forward,
// and in the end there are as many kernels, goroutines and bytes as after the
// first tenth, which fills buffers.
func TestSwapsWhileTheWorldTicks(t *testing.T) {
	swaps, entities := 1000, 500
	switch {
	case testing.Short():
		swaps = 100
	case raceEnabled: // a race shows after a few, and each takes ten times as long
		swaps = 200
	}
	w := ecs.NewWorld()
	defer w.Close()
	lap := ecs.Register[Lap](w)
	for range entities {
		w.Spawn(lap.With(Lap{}))
	}
	verdicts := make(chan error, 1)
	h := newHost(t, w, scripting.Options{
		Logger:   slog.New(slog.DiscardHandler),
		OnReload: func(r scripting.Reload) { verdicts <- r.Err },
		OnError:  func(e *scripting.Error) { t.Error(e.Detail()) },
		Limits:   scripting.Limits{Time: -1}, // what other programs do is no fault
	})
	defer h.Close()
	folder := &savedFolder{files: fstest.MapFS{}}
	folder.save(0)
	if err := h.Load(folder); err != nil {
		t.Fatal(err)
	}
	laps := w.Query(ecs.Read(lap))
	ticks, version := 0, 0.0
	tick := func() {
		if err := h.StepAll(1.0 / 60); err != nil {
			t.Fatal(err)
		}
		ticks++
		checkLaps(t, laps, lap, ticks, &version)
	}
	var heap uint64
	var goroutines int
	for _, part := range []int{swaps / 10, swaps} {
		saveUpTo(t, h, folder, int(version)+1, part, verdicts, tick)
		if int(version) != part {
			t.Fatalf("version %v runs after %d saves", version, part)
		}
		if heap == 0 {
			heap, goroutines = heapInUse(), runtime.NumGoroutine()
		}
	}
	if n := h.LoadedKernels(); n != 3 {
		t.Errorf("%d kernels are loaded, want 3", n)
	}
	n := runtime.NumGoroutine()
	for tries := 0; n > goroutines && tries < 1000; tries++ { // the one that saved may be about to end
		time.Sleep(time.Millisecond)
		n = runtime.NumGoroutine()
	}
	if n > goroutines {
		t.Errorf("%d goroutines, were %d", n, goroutines)
	}
	if now := heapInUse(); now > heap+heap/4+1<<20 {
		t.Errorf("%d KiB after %d swaps, %d KiB after %d", now>>10, swaps, heap>>10, swaps/10)
	}
	t.Logf("%d swaps in %d ticks", swaps, ticks)
}

// saveUpTo saves versions one after the other beside the ticks, each as soon as
// the verdict over the one before is there.
func saveUpTo(t *testing.T, h *scripting.Host, f *savedFolder, from, to int, verdicts <-chan error, tick func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		for v := from; v <= to; v++ {
			f.save(v)
			h.Stage([]string{"lap.lua"}, nil)
			if err := <-verdicts; err != nil {
				done <- fmt.Errorf("version %d: %w", v, err)
				return
			}
		}
		done <- nil
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
			tick()
		}
	}
}

// checkLaps holds that every entity has had every tick, all of them from the same
// version, which is not older than the last.
func checkLaps(t *testing.T, q *ecs.Query, lap ecs.Component[Lap], ticks int, version *float64) {
	t.Helper()
	for c := range q.Chunks() {
		all := lap.Of(c)
		for i := range all {
			if all[i].Ticks != float64(ticks) || all[i].Version != all[0].Version {
				t.Fatalf("tick %d: entity %d has had %v ticks, the last from version %v, the first entity's from %v",
					ticks, i, all[i].Ticks, all[i].Version, all[0].Version)
			}
		}
		if all[0].Version < *version {
			t.Fatalf("tick %d: version %v runs after %v", ticks, all[0].Version, *version)
		}
		*version = all[0].Version
	}
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
