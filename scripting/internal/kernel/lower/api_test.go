package lower

import (
	"fmt"
	"slices"
	"testing"
)

// TestChangesTakeWhatTheyList: what each change takes, as it is and with fields.
func TestChangesTakeWhatTheyList(t *testing.T) {
	takes := []string{
		"emit Event", "emit Event{}",
		"set Component{}",
		"remove Component",
		"spawn Component", "spawn Component{}", "spawn Prefab",
		"add Component", "add Component{}",
	}
	kinds := map[string]ValueKind{"Component": Component, "Prefab": Prefab, "Event": Event, "Table": Table, "Other": Other}
	for _, name := range []string{"emit", "set", "remove", "spawn", "add"} {
		for what, kind := range kinds {
			for text, fields := range map[string]bool{"": false, "{}": true} {
				call := fmt.Sprintf("%s %s%s", name, what, text)
				if got, want := listed(name, kind, fields), slices.Contains(takes, call); got != want {
					t.Errorf("%s: %t, want %t", call, got, want)
				}
			}
		}
	}
}
