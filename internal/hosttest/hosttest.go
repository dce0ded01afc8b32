// Package hosttest steps hosts of scripts for tests that look at each fault.
package hosttest

import (
	"errors"
	"fmt"

	"github.com/perigee-ecs/perigee/scripting"
)

// Step steps a host and returns all that has failed in the step: errors of the host, as
// Host.Step returns them, and faults of scripts, each a *scripting.Error. Of a step that was
// made, they are joined.
func Step(h *scripting.Host, dt float64) error {
	before := h.Faults().Total
	err := h.Step(dt)
	now := h.Faults()
	n := int(now.Total - before)
	if n == 0 {
		return err
	}
	var all []error
	if more := n - len(now.Recent); more > 0 {
		all = append(all, fmt.Errorf("hosttest: %d faults more, which the host has forgotten", more))
		n = len(now.Recent)
	}
	for _, e := range now.Recent[len(now.Recent)-n:] {
		all = append(all, e)
	}
	return errors.Join(all...)
}
