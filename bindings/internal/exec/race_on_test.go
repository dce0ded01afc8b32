//go:build race

package exec

// raceEnabled is set in the race detector's build, which finds nothing where one goroutine works.
const raceEnabled = true
