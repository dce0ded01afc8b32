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
	Missing string   // the name that System refers to and no system has, if that is the reason
	Order   []string // systems that cannot run each before the next, if that is; a cycle ends with its first
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
	byName       map[string]*scheduled
	longest      int // bytes of a name
	requirements requirements
}

// plan works out the schedule of some systems.
func (w *World) plan(systems []*scheduled) (blueprint, error) {
	b, err := w.order(systems)
	if err == nil {
		b.stages = w.stages(b.order)
	}
	return b, err
}

// order is plan without the stages: nothing can be wrong with those.
func (w *World) order(systems []*scheduled) (blueprint, error) {
	sorted, err := sortSystems(systems)
	if err != nil {
		return blueprint{}, err
	}
	byName, longest := make(map[string]*scheduled, len(sorted)), 0
	for _, o := range sorted {
		byName[o.Name], longest = o, max(longest, len(o.Name))
	}
	needs, err := require(sorted, byName)
	if err != nil {
		return blueprint{}, err
	}
	return blueprint{order: sorted, byName: byName, longest: longest, requirements: needs}, nil
}

// planner orders systems: the one that comes first among those whose
// predecessors have all been placed is placed next.
//
// An edge may not lead from the tick to a fixed step, nor from a later phase to
// an earlier one; so among what is left, the earliest phase always has a system
// that is free to go, or a cycle.
type planner struct {
	systems []*scheduled
	index   map[string]int
	next    [][]int // successors
	waiting []int   // predecessors not placed yet
	ready   []int   // heap of those that wait for none
}

// sortSystems returns the systems in running order: those of fixed steps, then those
// of the tick.
func sortSystems(systems []*scheduled) ([]*scheduled, error) {
	p := &planner{
		systems: systems, index: make(map[string]int, len(systems)),
		next: make([][]int, len(systems)), waiting: make([]int, len(systems)),
	}
	for i, s := range systems {
		if _, taken := p.index[s.Name]; taken {
			return nil, &PlanError{System: s.Name, Err: fmt.Errorf("%w: system %q exists already", ErrConflict, s.Name)}
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

// connect adds the edges that a system asks for with Before and After.
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

// edge adds one edge; ends says in which direction it runs.
func (p *planner) edge(s *scheduled, word, name string, ends func(other int) (from, to int)) error {
	plain, optional := strings.CutSuffix(name, "?")
	other, ok := p.index[plain]
	if !ok {
		if optional {
			return nil
		}
		return &PlanError{System: s.Name, Missing: plain, Err: fmt.Errorf("%w: system %q runs %s %q, which does not exist", ErrUnknown, s.Name, word, plain)}
	}
	from, to := ends(other)
	if err := against(p.systems[from], p.systems[to]); err != nil {
		return &PlanError{System: s.Name, Order: []string{p.systems[from].Name, p.systems[to].Name}, Err: err}
	}
	p.next[from] = append(p.next[from], to)
	p.waiting[to]++
	return nil
}

// against says why a cannot run before b, whatever else is asked for. A fixed
// step before something of the tick is always met: fixed steps come first.
func against(a, b *scheduled) error {
	switch {
	case !a.Fixed && b.Fixed:
		return fmt.Errorf("%w: system %q of the tick cannot run before %q: fixed steps come first", ErrCycle, a.Name, b.Name)
	case a.Fixed == b.Fixed && a.Phase > b.Phase:
		return fmt.Errorf("%w: system %q (phase %s) cannot run before %q (phase %s)", ErrCycle, a.Name, a.Phase, b.Name, b.Phase)
	}
	return nil
}

// place returns the systems in order, or the error that names a cycle.
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
// placed: from any of them, walking back along what it waits for leads back to it.
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
	return inCycle(systems, "wait for")
}

// inCycle is the error of systems that each do something to the next, the last of which is
// the first.
func inCycle(systems []*scheduled, verb string) error {
	names := nameSystems(systems)
	why := fmt.Errorf("%w: systems %s each other: %s", ErrCycle, verb, shown(names, " → "))
	if len(names) == 2 {
		why = fmt.Errorf("%w: system %q is to %s itself", ErrCycle, names[0], verb)
	}
	return &PlanError{System: names[0], Order: names, Err: why}
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

// requirement is a system and those that it requires, in the order given.
type requirement struct {
	of *scheduled
	on []*scheduled
}

// requirements are those of all systems that have any, each after the
// requirements of the systems that it names: one pass over them finds out which are
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
func require(systems []*scheduled, byName map[string]*scheduled) (requirements, error) {
	r := requiring{systems: byName, done: map[*scheduled]bool{}}
	for _, o := range systems {
		if err := r.visit(o); err != nil {
			return nil, err
		}
	}
	return r.sorted, nil
}

// visit adds the requirements of a system after those of the systems that it requires.
func (r *requiring) visit(o *scheduled) error {
	if at := slices.Index(r.path, o); at >= 0 {
		return inCycle(append(r.path[at:], o), "require")
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
		return nil, &PlanError{System: o.Name, Missing: plain, Err: fmt.Errorf("%w: system %q requires %q, which does not exist", ErrUnknown, o.Name, plain)}
	}
	return other, nil
}

// nameSystems returns the names of systems, in order.
func nameSystems(systems []*scheduled) []string {
	names := make([]string, len(systems))
	for i, o := range systems {
		names[i] = o.Name
	}
	return names
}

// Plan is the order in which a schedule runs, as a picture for people and tools:
// stages one after the other, first those of fixed steps, then those of the
// tick. It is a copy; changes of the schedule do not show in it.
type Plan struct{ Stages []Stage }

// Stage is one system that runs by itself, or several that run at the same time.
type Stage struct {
	Fixed    bool
	Phase    Phase
	Systems  []string // in the order in which commands apply and errors are reported
	Parallel bool     // runs while the world stands still, see System.Parallel
	Why      string   // why the first system is not part of the stage before
}

// Plan returns the order in which the systems run. O(systems).
func (s *Schedule) Plan() Plan {
	p := Plan{Stages: make([]Stage, len(s.stages))}
	for i, st := range s.stages {
		first := st.systems[0]
		p.Stages[i] = Stage{first.Fixed, first.Phase, nameSystems(st.systems), st.parallel, st.why}
	}
	return p
}

// String prints a line for each stage under its phase; systems that run at the same
// time stand in one line.
func (p Plan) String() string {
	var b strings.Builder
	for i, st := range p.Stages {
		if i == 0 || p.Stages[i-1].Fixed != st.Fixed || p.Stages[i-1].Phase != st.Phase {
			fmt.Fprintf(&b, "%s%s\n", map[bool]string{true: "fixed "}[st.Fixed], st.Phase)
		}
		fmt.Fprintf(&b, "%4d  %s\n", i+1, shown(st.Systems, " | "))
	}
	return b.String()
}
