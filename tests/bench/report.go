package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// report collects results by operation and size, and what of the goals was
// reached.
type report struct {
	lines   []line
	goals   []result
	figures []figure
}

// line is one operation on one number of entities.
type line struct {
	op      operation
	n       int
	results []result
}

func (r *report) add(op operation, results []result) {
	if len(results) > 0 {
		r.lines = append(r.lines, line{op, results[0].N, results})
	}
}

// of returns a contender's time, or not-a-number.
func (l line) of(who string) float64 {
	for _, r := range l.results {
		if r.Who == who {
			return r.Nanos
		}
	}
	return math.NaN()
}

// best returns the fastest peer and its time.
func (l line) best() (string, float64) {
	who, least := "", math.Inf(1)
	for _, c := range contenders()[1:] {
		if t := l.of(c.name); !c.floor && t < least {
			who, least = c.name, t
		}
	}
	return who, least
}

// ratio is our time as a multiple of the best peer's.
func (l line) ratio() float64 {
	_, best := l.best()
	return l.of("perigee") / best
}

// slower is our time as a multiple of plain slices'.
func (l line) slower() float64 { return l.of("perigee") / l.of("plain slices") }

// last returns the newest line as text.
func (r *report) last() string {
	l, b := r.lines[len(r.lines)-1], strings.Builder{}
	fmt.Fprintf(&b, "%-22s %8d ", l.op.name, l.n)
	for _, res := range l.results {
		fmt.Fprintf(&b, "  %s %.2f", res.Who, res.Nanos)
	}
	return b.String() + "\n"
}

// targets lists every target with what was reached.
func (r *report) targets() string {
	if len(r.lines) == 0 {
		return ""
	}
	b := strings.Builder{}
	b.WriteString("| operation | n | ours | best peer | ratio | target | |\n|---|--:|--:|---|--:|--:|---|\n")
	for _, l := range r.lines {
		who, best := l.best()
		fmt.Fprintf(&b, "| %s | %d | %.2f | %s %.2f | %.2f | ≤ %.2f | %s |\n",
			l.op.name, l.n, l.of("perigee"), who, best, l.ratio(), l.op.most, verdict(l.ratio() <= l.op.most))
		if l.op.slow > 0 {
			fmt.Fprintf(&b, "| %s | %d | %.2f | plain slices %.2f | %.2f | ≤ %.2f | %s |\n",
				l.op.name, l.n, l.of("perigee"), l.of("plain slices"), l.slower(), l.op.slow, verdict(l.slower() <= l.op.slow))
		}
	}
	return b.String()
}

func verdict(ok bool) string {
	if ok {
		return "pass"
	}
	return "miss"
}

// markdown is the whole comparison: all contenders, then the targets.
func (r *report) markdown() string {
	b := strings.Builder{}
	b.WriteString("Nanoseconds for each entity, the fastest turn of each.\n\n| operation | n |")
	for _, c := range contenders() {
		fmt.Fprintf(&b, " %s |", c.name)
	}
	b.WriteString("\n|---|--:|" + strings.Repeat("--:|", len(contenders())) + "\n")
	for _, l := range r.lines {
		fmt.Fprintf(&b, "| %s | %d |", l.op.name, l.n)
		for _, c := range contenders() {
			if t := l.of(c.name); math.IsNaN(t) {
				b.WriteString(" – |")
			} else {
				fmt.Fprintf(&b, " %.2f |", t)
			}
		}
		b.WriteString("\n")
	}
	return b.String() + "\n" + r.targets() + r.reached()
}

// jsonl is every result as a line of JSON.
func (r *report) jsonl() (string, error) {
	b := strings.Builder{}
	all := []result{}
	for _, l := range r.lines {
		all = append(all, l.results...)
	}
	for _, res := range append(all, r.goals...) {
		text, err := json.Marshal(res)
		if err != nil {
			return "", err
		}
		b.Write(append(text, '\n'))
	}
	return b.String(), nil
}

// write puts the three files into a folder, which it makes.
func (r *report) write(dir string) error {
	lines, err := r.jsonl()
	if err != nil {
		return err
	}
	return errors.Join(
		os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "results.jsonl"), []byte(lines), 0o644),
		os.WriteFile(filepath.Join(dir, "results.md"), []byte(r.markdown()), 0o644),
		r.plot(filepath.Join(dir, "ratios.svg")),
	)
}
