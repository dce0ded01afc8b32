package machine

import (
	"fmt"
	"testing"
)

// TestEventsAreFound: a metatable says the same about an event as the look-up of its name,
// with slots and with a dictionary, before and after it is set.
func TestEventsAreFound(t *testing.T) {
	h := NewHeap()
	for _, others := range []int{0, 3, 20, 200} {
		m := h.NewTable(0, 0)
		for i := range others {
			m.SetString(fmt.Sprint("k", i), True)
		}
		for e := range events {
			if v := m.event(e); !v.IsNil() {
				t.Errorf("%s is %s before it is set", eventNames[e].s, show(v))
			}
			m.SetString(eventNames[e].s, Number(float64(e)))
			for seen := range e + 1 {
				if v := m.event(seen); m.lacks(seen) || !v.Equal(Number(float64(seen))) {
					t.Errorf("with %d other keys %s is %s", others, eventNames[seen].s, show(v))
				}
			}
		}
		m.SetString("__index", Nil)
		if v := m.event(evIndex); !v.IsNil() {
			t.Errorf("__index is %s after it was removed", show(v))
		}
	}
	if v := (*Table)(nil).event(evCall); !v.IsNil() {
		t.Error("no metatable has an event")
	}
}
