package main

import (
	"fmt"
	"strings"
)

// goal is a target that stands by itself, not beside peers.
type goal struct {
	operation
	who []contender // who take turns, ours first; none where nothing is timed
	// figures says what was reached, given the contenders' nanoseconds for each
	// entity.
	figures func(n int, nanos []float64) []figure
}

// figure is a value that was reached, and the target it is held to.
type figure struct {
	what  string
	value float64
	unit  string
	sense string // "≥", "≤", or "" for a value that is only told
	limit float64
}

// goals in the order in which they run: parallel work, then memory, then the
// absolute targets that the project began with.
func goals() []goal {
	all := []goal{heavyGoal(), storageGoal(), churnGoal()}
	return append(all, absoluteGoals()...)
}

// reach measures a goal.
func (r *report) reach(g goal, rounds int) {
	results := measure(g.operation, g.n, rounds, g.who)
	nanos := []float64{}
	for _, res := range results {
		nanos = append(nanos, res.Nanos)
	}
	r.goals = append(r.goals, results...)
	r.figures = append(r.figures, g.figures(g.n, nanos)...)
}

// faster is the target of so many million entities in a second.
func faster(what string, millions float64) func(int, []float64) []figure {
	return func(_ int, nanos []float64) []figure {
		return []figure{{what, 1000 / nanos[0], "M/s", "≥", millions}}
	}
}

// within is the target of so many microseconds for all entities together.
func within(what string, micros float64) func(int, []float64) []figure {
	return func(n int, nanos []float64) []figure {
		return []figure{{what, nanos[0] * float64(n) / 1000, "µs", "≤", micros}}
	}
}

// verdict of a figure; values that are only told have none.
func (f figure) verdict() string {
	if f.sense == "" {
		return "–"
	}
	return verdict(f.sense == "≥" && f.value >= f.limit || f.sense == "≤" && f.value <= f.limit)
}

func (f figure) String() string {
	limit := "–"
	if f.sense != "" {
		limit = strings.TrimSpace(fmt.Sprintf("%s %g %s", f.sense, f.limit, f.unit))
	}
	return fmt.Sprintf("| %s | %.2f %s | %s | %s |\n", f.what, f.value, f.unit, limit, f.verdict())
}

// reached is the table of the goals.
func (r *report) reached() string {
	if len(r.figures) == 0 {
		return ""
	}
	b := strings.Builder{}
	b.WriteString("\n| goal | reached | target | |\n|---|--:|--:|---|\n")
	for _, f := range r.figures {
		b.WriteString(f.String())
	}
	return b.String()
}
