package ecs

import (
	"fmt"
	"slices"
	"strings"
)

// requirement is a system and those that it requires, in the order given.
type requirement struct {
	of *scheduled
	on []*scheduled
}

// requirements are those of all systems that have any, each after the
// requirements of the systems that it names: one pass over them tells who is
// blocked.
type requirements []requirement

// block works out who is blocked. It is called when a system was parked, got
// well, or was switched on or off, so that a step in which nothing fails pays
// nothing. O(systems named).
//
// Invariant: blocked is the name of the first required system that is parked or
// blocked and not switched off; "" when there is none.
func (rs requirements) block() {
	for _, r := range rs {
		r.of.blocked = ""
		for _, o := range r.on {
			if !o.Disabled && (o.health.open() || o.blocked != "") {
				r.of.blocked = o.Name
				break
			}
		}
	}
}

// requiring walks from each system to what it requires.
type requiring struct {
	systems map[string]*scheduled
	path    []*scheduled // from the system visited first to the one at hand
	done    map[*scheduled]bool
	sorted  requirements
}

// require resolves the names that systems require. The error is a *PlanError
// that wraps ErrUnknown or ErrCycle.
func require(systems []*scheduled) (requirements, error) {
	r := requiring{systems: map[string]*scheduled{}, done: map[*scheduled]bool{}}
	for _, o := range systems {
		r.systems[o.Name] = o
	}
	for _, o := range systems {
		if err := r.visit(o); err != nil {
			return nil, err
		}
	}
	return r.sorted, nil
}

func (r *requiring) visit(o *scheduled) error {
	if at := slices.Index(r.path, o); at >= 0 {
		return &PlanError{o.Name, "", fmt.Errorf("%w: systems require each other: %s", ErrCycle, arrows(append(r.path[at:], o)))}
	}
	if r.done[o] {
		return nil
	}
	r.done[o] = true
	r.path = append(r.path, o)
	needs := requirement{of: o}
	for _, name := range o.Requires {
		other, err := r.find(o, name)
		if err == nil && other != nil {
			needs.on = append(needs.on, other)
			err = r.visit(other)
		}
		if err != nil {
			return err
		}
	}
	r.path = r.path[:len(r.path)-1]
	if len(needs.on) > 0 {
		r.sorted = append(r.sorted, needs)
	}
	return nil
}

// find returns the system that o requires under a name, nil for one that o can
// do without.
func (r *requiring) find(o *scheduled, name string) (*scheduled, error) {
	plain, optional := strings.CutSuffix(name, "?")
	other := r.systems[plain]
	switch {
	case optional:
		return nil, nil
	case other == nil:
		return nil, &PlanError{o.Name, plain, fmt.Errorf("%w: system %q requires %q, which does not exist", ErrUnknown, o.Name, plain)}
	}
	return other, nil
}

// arrows names systems in a row.
func arrows(systems []*scheduled) string { return shown(nameSystems(systems), " → ") }

func nameSystems(systems []*scheduled) []string {
	names := make([]string, len(systems))
	for i, o := range systems {
		names[i] = o.Name
	}
	return names
}
