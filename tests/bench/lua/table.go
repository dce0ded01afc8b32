package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// line is a workload with so many entities: the least time of each way.
type line struct {
	workload string
	n        int
	nanos    map[string]float64
}

// ways is the order of the table's columns.
var ways = []string{"go slices", "lua kernel", "luajit", "lua5.4", "lua5.1"}

// measure lets the programs take turns at a workload and keeps the fastest turn of
// each way. All must come to the same sum after the same number of ticks.
//
// Why programs in turns, each of them for a moment only? What else the machine does
// slows whoever runs, and nothing makes a loop faster than it is.
func measure(players []player, workload string, n, rounds int, seconds float64) (line, error) {
	l := line{workload, n, map[string]float64{}}
	var first *score
	for range rounds {
		ticks := 0
		if first != nil {
			ticks = first.Ticks
		}
		for _, p := range players {
			scores, err := p.play(workload, n, ticks, seconds)
			if err != nil {
				return l, fmt.Errorf("%s, %d entities: %w", workload, n, err)
			}
			if first == nil {
				first, ticks = &scores[0], scores[0].Ticks
			}
			if err := l.take(scores, first); err != nil {
				return l, err
			}
		}
	}
	return l, nil
}

// take keeps scores that agree with the first one.
func (l *line) take(scores []score, first *score) error {
	for _, s := range scores {
		if s.Ticks != first.Ticks || math.Float64bits(s.Sum) != math.Float64bits(first.Sum) {
			return fmt.Errorf("%s, %d entities: %s comes to %v after %d ticks, %s to %v after %d",
				l.workload, l.n, s.Who, s.Sum, s.Ticks, first.Who, first.Sum, first.Ticks)
		}
		if best, ok := l.nanos[s.Who]; !ok || s.Nanos < best {
			l.nanos[s.Who] = s.Nanos
		}
	}
	return nil
}

// String is the line as it is told while the others are measured.
func (l line) String() string {
	b := strings.Builder{}
	fmt.Fprintf(&b, "%-10s %8d ", l.workload, l.n)
	for _, way := range ways {
		if v, ok := l.nanos[way]; ok {
			fmt.Fprintf(&b, "  %s %.2f", way, v)
		}
	}
	return b.String()
}

// table is all lines as a table in nanoseconds per entity, and how often the
// kernels are faster than LuaJIT, for each number of entities.
func table(lines []line) string {
	b := strings.Builder{}
	b.WriteString("| workload | n | go slices | lua kernel | to slices | luajit | lua5.4 | lua5.1 | faster than LuaJIT |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|---|\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s | %s | %s |\n", l.workload, l.n,
			l.cell("go slices"), l.cell("lua kernel"), number(l.nanos["lua kernel"]/l.nanos["go slices"]),
			l.cell("luajit"), l.cell("lua5.4"), l.cell("lua5.1"), l.verdict())
	}
	return b.String() + "\n" + tally(lines)
}

// cell is a way's time, or a dash where it was left out.
func (l line) cell(way string) string {
	if v, ok := l.nanos[way]; ok {
		return number(v)
	}
	return "–"
}

// number has as many digits as it can mean something.
func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// verdict says whether the kernel is faster than LuaJIT, and how many times.
func (l line) verdict() string {
	jit, ok := l.nanos["luajit"]
	if !ok {
		return "–"
	}
	times := jit / l.nanos["lua kernel"]
	if times > 1 {
		return fmt.Sprintf("yes, %.2f times", times)
	}
	return fmt.Sprintf("no, %.2f times", times)
}

// tally counts the verdicts. A workload with a size of its own counts for all.
func tally(lines []line) string {
	var ns []int
	for _, l := range lines {
		if l.workload != "nbody" && !slices.Contains(ns, l.n) {
			ns = append(ns, l.n)
		}
	}
	b := strings.Builder{}
	for _, n := range ns {
		faster, all := 0, 0
		for _, l := range lines {
			if l.n == n || l.workload == "nbody" {
				all++
				if strings.HasPrefix(l.verdict(), "yes") {
					faster++
				}
			}
		}
		fmt.Fprintf(&b, "With %d entities kernels are faster than LuaJIT in %d of %d workloads.\n", n, faster, all)
	}
	return b.String()
}
