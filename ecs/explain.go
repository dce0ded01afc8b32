package ecs

import (
	"fmt"
	"slices"
	"strings"
)

// Plan is the order in which a schedule runs, as a picture for people and tools:
// stages one after the other, first those of fixed steps, then those of the
// frame. It is a copy; changes of the schedule do not show in it.
type Plan struct{ Stages []Stage }

// Stage is one system that runs by itself, or several that run beside each other.
type Stage struct {
	Fixed    bool
	Phase    Phase
	Systems  []string // in the order in which commands apply and errors are told
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

// String prints a line for each stage under its phase; systems that run beside
// each other stand in one line.
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

// Explain says why two systems do not run beside each other, or that they do:
// it names the component and who writes it, the order that was asked for, or who
// comes between them. The error wraps ErrUnknown. O(systems).
func (s *Schedule) Explain(a, b string) (string, error) {
	i, err := s.stageOf(a)
	if err != nil {
		return "", err
	}
	j, err := s.stageOf(b)
	if err != nil {
		return "", err
	}
	first, second := s.find(a), s.find(b)
	if slices.Index(s.order, first) > slices.Index(s.order, second) {
		i, j, first, second = j, i, second, first
	}
	switch {
	case first == second:
		return fmt.Sprintf("%q is one system", a), nil
	case i == j:
		return fmt.Sprintf("%q and %q run beside each other, in stage %d", first.Name, second.Name, i+1), nil
	}
	if why := s.world.apart(first, second); why != "" {
		return why, nil
	}
	return s.between(i+1, first, second), nil
}

// between explains two systems that only others keep apart: some system ended
// the stage of the first one.
func (s *Schedule) between(next int, first, second *scheduled) string {
	barrier, why := s.stages[next].systems[0], s.stages[next].why
	if barrier == second {
		return fmt.Sprintf("%q runs beside others that %q cannot join: %s", first.Name, second.Name, why)
	}
	return fmt.Sprintf("%q comes between %q and %q: %s", barrier.Name, first.Name, second.Name, why)
}

// stageOf returns the number of a system's stage.
func (s *Schedule) stageOf(name string) (int, error) {
	for i, st := range s.stages {
		if slices.ContainsFunc(st.systems, func(o *scheduled) bool { return o.Name == name }) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%w: there is no system %q", ErrUnknown, name)
}
