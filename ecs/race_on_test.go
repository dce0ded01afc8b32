//go:build race

package ecs

// raceEnabled is set where the detector allocates on its own account.
const raceEnabled = true

// bytesForTests is what worlds of tests get that say nothing else: all of it is cleared for each of them
// here, and what the detector knows of it.
const bytesForTests = 16 << 20
