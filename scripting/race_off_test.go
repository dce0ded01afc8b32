//go:build !race

package scripting_test

import "testing"

const raceEnabled = false

const oneOf = 1

// sideBySide has a long test run beside others of its kind, after all the others: what these measure, it does not
// disturb. Each has hosts of its own.
func sideBySide(t *testing.T) { t.Parallel() }
