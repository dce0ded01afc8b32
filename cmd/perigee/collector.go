package main

import (
	"os"
	"runtime/debug"
)

// What else makes scripts fast here is default.pgo, a profile of Lua systems at
// work by which the compiler lays out the Lua machine: worth 5 to 10 %. Renew it
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
	}
}
