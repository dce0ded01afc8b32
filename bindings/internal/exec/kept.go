package exec

import (
	"cmp"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// Resting is an entity that a system passes over, as it was at one moment.
type Resting struct {
	Entity ecs.Entity
	Error  ScriptError
	Wait   float64
	Shown  bool
}

// KeepResting appends the entities that the system passes over to a list, in their order. O(entities).
func (s *System) KeepResting(to []Resting) []Resting {
	if s.Faults == nil || len(s.Faults.parked) == 0 {
		return to
	}
	first := len(to)
	for e, p := range s.Faults.parked {
		to = append(to, Resting{e, p.ScriptError, p.wait, p.shown})
	}
	slices.SortFunc(to[first:], func(a, b Resting) int { return cmp.Compare(a.Entity, b.Entity) })
	return to
}

// BringResting makes these the entities that the system passes over. O(entities).
func (s *System) BringResting(list []Resting) {
	if s.Faults == nil {
		return
	}
	s.Faults.parked = nil
	for _, r := range list {
		if s.Faults.parked == nil {
			s.Faults.parked = map[ecs.Entity]*parked{}
		}
		s.Faults.parked[r.Entity] = &parked{ScriptError: r.Error, wait: r.Wait, shown: r.Shown}
	}
}

// KeepSettling appends the entities of which Settle has not seen yet whether they rest.
func (m *Executor) KeepSettling(to []ecs.Entity) []ecs.Entity { return append(to, m.settling...) }

// BringSettling makes these the entities that Settle looks at.
func (m *Executor) BringSettling(list []ecs.Entity) { m.settling = append(m.settling[:0], list...) }

// KeepFailedEvents returns the numbers of the events that an on system passes over, in their order.
func (s *System) KeepFailedEvents() (list []uint64) {
	for n, passed := range s.FailedEvents {
		if passed {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

// BringFailedEvents makes these the events that an on system passes over.
func (s *System) BringFailedEvents(list []uint64) {
	if clear(s.FailedEvents); len(list) > 0 && s.FailedEvents == nil {
		s.FailedEvents = map[uint64]bool{}
	}
	for _, n := range list {
		s.FailedEvents[n] = true
	}
}
