package testmain

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// OneGoroutine leaves a long test out of the race detector's build, where it takes ten times
// as long: a race is found only where goroutines meet. In other builds it holds that the test
// starts none. A subtest is a goroutine, too. The runtime may start a few for finalizers.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if raceEnabled {
		t.Skip("it starts no goroutine: the race detector would find nothing")
	}
	runtime.GC() // the first one starts the collector's own
	before, few := created(), uint64(2+runtime.GOMAXPROCS(0)/4)
	t.Cleanup(func() {
		if n := created() - before; n > few {
			t.Errorf("it starts %d goroutines: let the race detector run it", n)
		}
	})
}

// created is how many goroutines the process has started.
func created() uint64 {
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
