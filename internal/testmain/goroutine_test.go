package testmain

import (
	"strings"
	"sync"
	"testing"
)

// noted is a test that notes its failures.
type noted struct {
	testing.TB
	cleanup  func()
	failures []string
}

func (n *noted) Helper()                        {}
func (n *noted) Cleanup(f func())               { n.cleanup = f }
func (n *noted) Skip(...any)                    { n.failures = append(n.failures, "skipped") }
func (n *noted) Errorf(format string, _ ...any) { n.failures = append(n.failures, format) }

// TestOneGoroutine: a test that starts goroutines fails, and one that starts none does not.
func TestOneGoroutine(t *testing.T) {
	if raceEnabled {
		t.Skip("such tests are left out")
	}
	for _, starts := range []bool{false, true} {
		n := &noted{TB: t}
		OneGoroutine(n)
		if starts {
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {})
			}
			all.Wait()
		}
		n.cleanup()
		if got := strings.Join(n.failures, ", "); (got != "") != starts {
			t.Errorf("starts some: %v, fails: %q", starts, got)
		}
	}
}
