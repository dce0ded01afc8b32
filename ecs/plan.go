package ecs

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"strings"
)

// PlanError says why systems have no order, and at which of them it shows.
type PlanError struct {
	System  string
	Missing string // the name that System refers to and nobody has, if that is it
	Err     error
}

// Error returns the reason, which names the systems.
func (e *PlanError) Error() string { return e.Err.Error() }

// Unwrap returns an error that wraps ErrConflict, ErrUnknown or ErrCycle.
func (e *PlanError) Unwrap() error { return e.Err }

// blueprint is a schedule worked out: it is made whole before anything of the
// schedule in force changes.
type blueprint struct {
	order        []*scheduled // in running order
	stages       []stage      // the same, cut
	requirements requirements
}

// plan works out the schedule of some systems.
func (w *World) plan(systems []*scheduled) (blueprint, error) {
	sorted, err := order(systems)
	if err != nil {
		return blueprint{}, err
	}
	needs, err := require(sorted)
	if err != nil {
		return blueprint{}, err
	}
	return blueprint{sorted, w.stages(sorted), needs}, nil
}

// planner orders systems: the one that comes first among those whose
// predecessors have all been placed is placed next.
//
// An edge may not lead from the frame to a fixed step, nor from a later phase to
// an earlier one; so among what is left, the earliest phase always has a system
// that is free to go, or a cycle.
type planner struct {
	systems []*scheduled
	index   map[string]int
	next    [][]int // successors
	waiting []int   // predecessors not placed yet
	ready   []int   // heap of those that wait for none
}

// order returns the systems in running order: those of fixed steps, then those
// of the frame.
func order(systems []*scheduled) ([]*scheduled, error) {
	p := &planner{
		systems: systems, index: map[string]int{},
		next: make([][]int, len(systems)), waiting: make([]int, len(systems)),
	}
	for i, s := range systems {
		if _, taken := p.index[s.Name]; taken {
			return nil, &PlanError{s.Name, "", fmt.Errorf("%w: system %q exists already", ErrConflict, s.Name)}
		}
		p.index[s.Name] = i
	}
	for i, s := range systems {
		if err := p.connect(i, s); err != nil {
			return nil, err
		}
	}
	return p.place()
}

func (p *planner) connect(i int, s *scheduled) error {
	for _, name := range s.Before {
		if err := p.edge(s, "before", name, func(other int) (int, int) { return i, other }); err != nil {
			return err
		}
	}
	for _, name := range s.After {
		if err := p.edge(s, "after", name, func(other int) (int, int) { return other, i }); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) edge(s *scheduled, word, name string, ends func(other int) (from, to int)) error {
	plain, optional := strings.CutSuffix(name, "?")
	other, ok := p.index[plain]
	if !ok {
		if optional {
			return nil
		}
		return &PlanError{s.Name, plain, fmt.Errorf("%w: system %q runs %s %q, which does not exist", ErrUnknown, s.Name, word, plain)}
	}
	from, to := ends(other)
	if err := against(p.systems[from], p.systems[to]); err != nil {
		return &PlanError{s.Name, "", err}
	}
	p.next[from] = append(p.next[from], to)
	p.waiting[to]++
	return nil
}

// against says why a cannot run before b, whatever else is asked for. A fixed
// step before something of the frame is always met: fixed steps come first.
func against(a, b *scheduled) error {
	switch {
	case !a.Fixed && b.Fixed:
		return fmt.Errorf("%w: system %q of the frame cannot run before %q: fixed steps come first", ErrCycle, a.Name, b.Name)
	case a.Fixed == b.Fixed && a.Phase > b.Phase:
		return fmt.Errorf("%w: system %q (phase %s) cannot run before %q (phase %s)", ErrCycle, a.Name, a.Phase, b.Name, b.Phase)
	}
	return nil
}

func (p *planner) place() ([]*scheduled, error) {
	for i := range p.systems {
		if p.waiting[i] == 0 {
			heap.Push(p, i)
		}
	}
	order := make([]*scheduled, 0, len(p.systems))
	for p.Len() > 0 {
		i := heap.Pop(p).(int)
		order = append(order, p.systems[i])
		for _, n := range p.next[i] {
			if p.waiting[n]--; p.waiting[n] == 0 {
				heap.Push(p, n)
			}
		}
	}
	if len(order) < len(p.systems) {
		return nil, p.cycle()
	}
	return order, nil
}

// cycle names the members of a cycle among the systems that could not be
// placed: from any of them, walking back along what it waits for comes round.
func (p *planner) cycle() error {
	at := slices.IndexFunc(p.waiting, func(n int) bool { return n > 0 })
	var path []int
	for !slices.Contains(path, at) {
		path = append(path, at)
		at = p.blocker(at)
	}
	path = append(path[slices.Index(path, at):], at)
	slices.Reverse(path)
	systems := make([]*scheduled, len(path))
	for i, n := range path {
		systems[i] = p.systems[n]
	}
	return &PlanError{systems[0].Name, "", fmt.Errorf("%w: systems wait for each other: %s", ErrCycle, arrows(systems))}
}

// blocker returns a system that i waits for and that was not placed either.
func (p *planner) blocker(i int) int {
	for from, to := range p.next {
		if p.waiting[from] > 0 && slices.Contains(to, i) {
			return from
		}
	}
	return i // a system that waits for itself
}

// The heap of ready systems.

func (p *planner) Len() int { return len(p.ready) }
func (p *planner) Less(i, j int) bool {
	a, b := p.systems[p.ready[i]], p.systems[p.ready[j]]
	if a.Fixed != b.Fixed {
		return a.Fixed
	}
	return cmp.Or(cmp.Compare(a.Phase, b.Phase), cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Name, b.Name)) < 0
}
func (p *planner) Swap(i, j int) { p.ready[i], p.ready[j] = p.ready[j], p.ready[i] }
func (p *planner) Push(x any)    { p.ready = append(p.ready, x.(int)) }
func (p *planner) Pop() any {
	last := p.ready[len(p.ready)-1]
	p.ready = p.ready[:len(p.ready)-1]
	return last
}
