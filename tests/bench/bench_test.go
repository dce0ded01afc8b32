package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryOperationDoesItsWork: after each step, in three repetitions, every
// contender's world adds up to what plain Go comes to. An operation that skips
// entities, or measures nothing, does not.
func TestEveryOperationDoesItsWork(t *testing.T) {
	floor := plain()
	for _, op := range operations {
		for _, n := range op.sizes([]int{1, 300}) {
			for _, c := range contenders() {
				if c.make[op.name] != nil {
					agree(t, op, c, c.make[op.name](n), floor.make[op.name](n))
				}
			}
		}
	}
}

// TestEveryGoalDoesItsWork as TestEveryOperationDoesItsWork: the last who takes
// turns is plain Go where there are two.
func TestEveryGoalDoesItsWork(t *testing.T) {
	for _, g := range goals() {
		for _, c := range g.who {
			floor := g.who[len(g.who)-1]
			agree(t, g.operation, c, c.make[g.name](700), floor.make[g.name](700))
		}
	}
}

// TestGoalsHaveFigures of fewer entities and a single turn.
func TestGoalsHaveFigures(t *testing.T) {
	for _, g := range goals() {
		r := report{}
		g.n = min(g.n, 7_000)
		r.reach(g, 1)
		if len(r.figures) == 0 || len(r.goals) != len(g.who) {
			t.Errorf("%s: %d figures of %d results", g.name, len(r.figures), len(r.goals))
		}
		for _, f := range r.figures {
			if math.IsNaN(f.value) || math.IsInf(f.value, 0) || f.value < 0 {
				t.Errorf("%s is %v", f.what, f.value)
			}
		}
	}
}

// TestVerdicts: at least, at most, and what is only told.
func TestVerdicts(t *testing.T) {
	for f, want := range map[figure]string{
		{"a", 2, "", "≥", 2}: "pass", {"a", 1.9, "", "≥", 2}: "miss",
		{"a", 2, "", "≤", 2}: "pass", {"a", 2.1, "", "≤", 2}: "miss",
		{"a", 2, "", "", 0}: "–",
	} {
		if got := f.verdict(); got != want {
			t.Errorf("%v: %s", f, got)
		}
	}
}

// agree runs a trial beside plain Go's.
func agree(t *testing.T, op operation, c contender, got, want *trial) {
	t.Helper()
	for round := range 3 {
		if got.prepare != nil {
			got.prepare()
			want.prepare()
		}
		for i := range got.steps {
			got.steps[i]()
			want.steps[i]()
			if g, w := got.sum(), want.sum(); g != w {
				t.Errorf("%s, %s: after step %d of round %d the sum is %v, plain Go says %v", op.name, c.name, i, round, g, w)
			}
		}
	}
	if got.close != nil {
		got.close()
	}
}

// TestOursDoesEverything: a target is nothing without our time.
func TestOursDoesEverything(t *testing.T) {
	for _, op := range operations {
		if perigee().make[op.name] == nil || plain().make[op.name] == nil {
			t.Errorf("%s is missing", op.name)
		}
	}
}

// TestTheReportIsWritten for a few quick measurements: each line of JSON has its
// four values, the table names every contender, the plot is a picture.
func TestTheReportIsWritten(t *testing.T) {
	r, dir := report{}, t.TempDir()
	for _, op := range operations[:3] {
		r.add(op, measure(op, 4, 1, contenders()))
	}
	if err := r.write(dir); err != nil {
		t.Fatal(err)
	}
	for _, text := range strings.Split(strings.TrimSpace(read(t, dir, "results.jsonl")), "\n") {
		var got result
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.Op == "" || got.Who == "" || got.N != 4 {
			t.Errorf("%q: %v", text, err)
		}
		if got.Nanos <= 0 || math.IsInf(got.Nanos, 0) {
			t.Errorf("%s took %s %v ns", got.Op, got.Who, got.Nanos)
		}
	}
	table := read(t, dir, "results.md")
	for _, c := range contenders() {
		if !strings.Contains(table, c.name) {
			t.Errorf("the table does not name %s", c.name)
		}
	}
	if !strings.Contains(table, "≤ 1.05") || !strings.Contains(read(t, dir, "ratios.svg"), "</svg>") {
		t.Error("the targets or the plot are missing")
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestNumbersAreNumbers(t *testing.T) {
	if ns, err := numbers("1,16000"); err != nil || len(ns) != 2 || ns[1] != 16000 {
		t.Errorf("got %v, %v", ns, err)
	}
	for _, bad := range []string{"", "0", "-1", "many", "1,"} {
		if _, err := numbers(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// TestRepeatRefusesWhoCannot do any of the operations.
func TestRepeatRefusesWhoCannot(t *testing.T) {
	all := regexp.MustCompile("iterate columns|create, batch")
	if err := repeat(all, []int{10}, "perigee", 2); err != nil {
		t.Error(err)
	}
	if err := repeat(all, []int{10}, "ggecs", 2); err == nil {
		t.Error("ggecs has neither columns nor batches")
	}
}
