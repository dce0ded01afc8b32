//go:build !race

package scripting_test

const raceEnabled = false

const oneOf = 1
