// Package testmain sets the processes of those tests up that open many small hosts and
// worlds, one after the other.
//
// The heap of such a test is a few megabytes, so with Go's settings the collector runs
// hundreds of times a second and takes a third of the processor. A test that judges
// memory calls runtime.GC itself and is not concerned.
package testmain

import (
	"os"
	"runtime"
	"runtime/debug"
)

// collectorPercent is how much a heap grows between two collections, in percent of what
// is reachable.
const collectorPercent = 400

// Collector lets the collector of a test process run seldom. A process that is started
// with GOGC keeps that, as .ci/run asks of the race detector's run: there the collector
// runs as often as it does for a user. The heap profile is off, since each collection
// looks through the stacks that the profile has kept; go test -memprofilerate turns it
// on again.
func Collector() {
	runtime.MemProfileRate = 0
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectorPercent)
	}
}
