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

// planner orders systems: the one that comes first among those whose
// predecessors have all been placed is placed next.
//
// An edge may not lead from a later phase to an earlier one; so among what is
// left, the earliest phase always has a system that is free to go, or a cycle.
type planner struct {
	systems []*scheduled
	index   map[string]int
	next    [][]int // successors
	waiting []int   // predecessors not placed yet
	ready   []int   // heap of those that wait for none
}

// plan returns the systems in running order.
func plan(systems []*scheduled) ([]*scheduled, error) {
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
	return p.order()
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
	if a, b := p.systems[from], p.systems[to]; a.Phase > b.Phase {
		return &PlanError{s.Name, "", fmt.Errorf("%w: system %q (phase %s) cannot run before %q (phase %s)", ErrCycle, a.Name, a.Phase, b.Name, b.Phase)}
	}
	p.next[from] = append(p.next[from], to)
	p.waiting[to]++
	return nil
}

func (p *planner) order() ([]*scheduled, error) {
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
	names := make([]string, len(path))
	for i, n := range path {
		names[i] = p.systems[n].Name
	}
	return &PlanError{names[0], "", fmt.Errorf("%w: systems wait for each other: %s", ErrCycle, strings.Join(names, " → "))}
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
	return cmp.Or(cmp.Compare(a.Phase, b.Phase), cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Name, b.Name)) < 0
}
func (p *planner) Swap(i, j int) { p.ready[i], p.ready[j] = p.ready[j], p.ready[i] }
func (p *planner) Push(x any)    { p.ready = append(p.ready, x.(int)) }
func (p *planner) Pop() any {
	last := p.ready[len(p.ready)-1]
	p.ready = p.ready[:len(p.ready)-1]
	return last
}
