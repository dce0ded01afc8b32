package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// What else makes scripts fast here is default.pgo, a profile of Lua systems at
// work by which the compiler lays out the VM: worth 5 to 10 %. Renew it
// with
//
//	go test ./scripting -run '^$' -bench 'Bounce/(each|batch|rows)' -count 3 -cpuprofile cmd/perigee/default.pgo

const (
	// gcPercent lets the heap grow to seventeen times what is live before the
	// collector runs; Go's default is twice. Lua scripts produce garbage all the
	// time while little of it lives: collecting less often takes a tenth off what
	// batches of numbers cost, and a sixth off the demo's mean tick where no core
	// is free for the collector. The variable GOGC overrides it.
	gcPercent = 1600
	// gcMemory is where the heap stops growing like that, in bytes. The world's
	// own memory is not part of the heap. The variable GOMEMLIMIT overrides it.
	gcMemory = 1 << 30
)

// tuneCollector sets the collector for commands that run scripts for long.
func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(gcMemory)
		followHeap(gcMemory)
	}
}

// followHeap keeps the limit well above what is alive, by half of it and a quarter of
// a gigabyte, after each collection anew.
//
// Why? At a limit that what is alive comes near to, the collector runs without a pause:
// ticks took seconds with three quarters of a gigabyte alive.
func followHeap(limit int64) {
	type sentinel struct{ _ *int } // a pointer: or it might share its block with others
	runtime.AddCleanup(new(sentinel), func(limit int64) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		wanted := max(gcMemory, int64(sample[0].Value.Uint64())*3/2+gcMemory/4)
		if wanted > limit || wanted < limit-limit/8 {
			debug.SetMemoryLimit(wanted)
			limit = wanted
		}
		followHeap(limit)
	}, limit)
}
