package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The settings of Go's garbage collector for run, bench and lua.

// Besides the settings below, default.pgo makes scripts faster by up to 8 %: it is a profile
// of Lua systems at work, by which the Go compiler lays out the VM. Renew it with
//
//	go test ./scripting -run '^$' -bench 'Bounce/(each|batch|rows)' -count 3 -cpuprofile cmd/perigee/default.pgo

const (
	// gcPercent lets the heap grow to seventeen times its live part before the collector
	// runs; Go's default is twice. Lua scripts make garbage all the time, and little of it
	// lives long. To collect less often saves a tenth of the time of batches of numbers, and
	// a sixth of the demo's mean tick if no core is free for the collector. The environment
	// variable GOGC overrides it.
	gcPercent = 1600
	// gcPercentOnce is that of a program that runs once. Most end before they have touched again
	// what a heap of 64 MiB has; where a system gives out fresh memory slowly, that takes up to half
	// of their time.
	gcPercentOnce = 400
	// gcMemory is the size in bytes up to which the heap grows like that. The memory of the
	// world is not part of the heap. The environment variable GOMEMLIMIT overrides it.
	gcMemory = 512 << 20
)

// tuneCollector sets the garbage collector for commands that run scripts, to gcPercent or gcPercentOnce.
func tuneCollector(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(gcMemory)
		followHeap(gcMemory)
	}
}

// followHeap sets the limit of memory anew after each collection, to one and a half of the
// live heap and a quarter of a gigabyte more.
//
// Why? If the live heap comes near the limit, the collector runs without a pause: ticks
// took seconds with three quarters of a gigabyte alive.
func followHeap(limit int64) {
	// A cleanup of a value that nothing leads to runs after the next collection.
	type sentinel struct{ _ *int } // without a pointer it might share its memory with other values
	runtime.AddCleanup(new(sentinel), func(limit int64) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		wanted := max(gcMemory, int64(sample[0].Value.Uint64())*3/2+gcMemory/2)
		if wanted > limit || wanted < limit-limit/8 {
			debug.SetMemoryLimit(wanted)
			limit = wanted
		}
		followHeap(limit)
	}, limit)
}
