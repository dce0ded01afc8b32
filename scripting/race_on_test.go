//go:build race

package scripting_test

// raceEnabled is set in the race detector's build, where Go computes in another order.
const raceEnabled = true
