package scripting

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings"
)

// cancel ends the suspended coroutines of scripts that end, and returns a line for
// each script that had some.
//
// Why do they not go on with the old code? Their variables are those of the old
// version, which nothing else sees any more: a task that waits for a flag in a
// module's local would wait forever, beside the task that the new version has
// begun. Whoever holds one in another script finds it dead, which loops over tasks
// must expect anyway.
func (h *Host) cancel(gone []*bindings.Script) []string {
	var notes []string
	for _, s := range gone {
		n := h.library.Cancel(h.live[s.Name].env)
		if n == 0 {
			continue
		}
		were := "were"
		if n == 1 {
			were = "was"
		}
		notes = append(notes, fmt.Sprintf("%s of the old version of %s %s cancelled", bindings.Plural(n, "suspended coroutine"), s.Name, were))
	}
	return notes
}
