package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
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
