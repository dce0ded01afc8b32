//go:build race

package testmain

// raceEnabled is set in the race detector's build.
const raceEnabled = true
