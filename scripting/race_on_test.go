//go:build race

package scripting_test

import "testing"

// raceEnabled is set in the race detector's build, where Go computes in another order.
const raceEnabled = true

// oneOf is how many of the random programs of a plain run the race detector's build
// runs one of: what they judge happens in one goroutine.
const oneOf = 5

// sideBySide is nothing here: the tests have no goroutines in common for the race detector to look at.
func sideBySide(*testing.T) {}
