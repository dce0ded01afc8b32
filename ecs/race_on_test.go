//go:build race

package ecs

// raceEnabled is set where the detector allocates on its own account.
const raceEnabled = true
