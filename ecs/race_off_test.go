//go:build !race

package ecs

const raceEnabled = false

// bytesForTests is what worlds of tests get that say nothing else: the default.
const bytesForTests = 0
