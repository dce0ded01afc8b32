package kernels_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

var (
	programs = flag.Int("kernels.programs", 300, "how many programs to write and run with kernels and without")
	first    = flag.Uint64("kernels.seed", 1, "the seed of the first program; the next has the next number")
	tries    = flag.Int("kernels.shrink", 3000, "how many smaller programs to try for one that shows a difference")
	print    = flag.Bool("kernels.print", false, "print each program")
	faults   = flag.Int("kernels.faults", 1, "how many differences to look for before the test ends")
)

// TestProgramsOfTheHandbook runs programs of designers and attackers with kernels
// and without. After each tick all that can be seen must be the same.
func TestProgramsOfTheHandbook(t *testing.T) {
	all, err := shapes()
	if err != nil {
		t.Fatal(err)
	}
	count := *programs
	if testing.Short() {
		count = min(count, 60)
	}
	c := newCoverage()
	found := 0
	for seed := *first; seed < *first+uint64(count); seed++ {
		p := newProgram(seed, all)
		if *print {
			t.Logf("seed %d:\n%s", seed, p.root.text())
		}
		with, d, err := p.parts()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if d != nil {
			t.Error(report(p, seed))
			if found++; found == *faults {
				break
			}
			continue
		}
		if err := c.add(p, seed, with); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	t.Logf("seeds %d to %d\n%s", *first, *first+uint64(count)-1, c)
	c.hold(t, count)
}

// report shrinks a program that shows a difference and prints what is left of it.
func report(p *program, seed uint64) string {
	s := shrink(p, *tries, (*program).differs)
	_, d, err := s.parts()
	if err != nil || d == nil {
		return fmt.Sprintf("seed %d: the difference is not there again: %v", seed, err)
	}
	return fmt.Sprintf("seed %d (go test ./tests/kernels -kernels.programs 1 -kernels.seed %d): %d entities of at most %d kinds (seed %d), %d ticks; %s\n%s",
		seed, seed, s.crowd.entities, s.crowd.kinds, s.crowd.seed, s.ticks, s.show(d), s.root.text())
}

// TestAProgramIsCutDown shrinks a large program to the one thing that is looked for.
func TestAProgramIsCutDown(t *testing.T) {
	all, err := shapes()
	if err != nil {
		t.Fatal(err)
	}
	holds := func(p *program) bool {
		found := false
		p.root.walk(func(n *node) {
			if n.what == "short reason" {
				n.walk(func(m *node) { found = found || m.what == "ecs.alive" })
			}
		})
		return found
	}
	cut := 0
	for seed := uint64(1); seed < 30; seed++ {
		p := newProgram(seed, all)
		if !holds(p) {
			continue
		}
		cut++
		before := p.root.text()
		s := shrink(p, 3000, holds)
		if !holds(s) || s.root.size() > 14 || s.crowd.entities > 0 || s.ticks > 1 {
			t.Errorf("seed %d: %d of %d nodes are left, %d entities, %d ticks:\n%s", seed, s.root.size(), p.root.size(), s.crowd.entities, s.ticks, s.root.text())
		}
		if p.root.text() != before {
			t.Errorf("seed %d: the program itself has changed", seed)
		}
	}
	if cut < 5 {
		t.Errorf("%d programs were cut down, want 5 at least", cut)
	}
}

// TestTheSameSeedWritesTheSameProgram: a seed that is printed must lead back.
func TestTheSameSeedWritesTheSameProgram(t *testing.T) {
	all, err := shapes()
	if err != nil {
		t.Fatal(err)
	}
	for seed := uint64(1); seed < 50; seed++ {
		a, b := newProgram(seed, all), newProgram(seed, all)
		if a.root.text() != b.root.text() || a.crowd != b.crowd || a.ticks != b.ticks {
			t.Errorf("seed %d writes two programs", seed)
		}
	}
}

// use is how often a construct was written, how often a compiled function held it,
// and how often it stood in a statement that was run.
type use struct{ written, compiled, run int }

// coverage counts constructs.
type coverage struct {
	uses                               map[string]*use
	programs, refused, faulty, sampled int
	functions, compiled, partly, safe  int
	reasons                            map[string]int // why functions are not compiled
}

func newCoverage() *coverage { return &coverage{uses: map[string]*use{}, reasons: map[string]int{}} }

// add counts a program. Of one in eight, what was run is counted, too: by running
// it once more on the VM, with each statement noting that it was come to.
func (c *coverage) add(p *program, seed uint64, with run) error {
	c.programs++
	if !with.loaded {
		c.refused++
		c.reasons[with.ticks[0][0]]++
		return nil
	}
	if slices.ContainsFunc(slices.Concat(with.ticks...), func(s string) bool { return strings.HasPrefix(s, "returned") }) {
		c.faulty++
	}
	compiled := map[string]bool{}
	for _, k := range with.compiled {
		c.functions++
		if k.Compiled {
			c.compiled++
			compiled[k.System] = true
		}
		if k.Compiled && k.Line > 0 {
			c.partly++
		}
		if k.Safe {
			c.safe++
		}
		if !k.Compiled {
			c.reasons[k.Reason]++
		}
	}
	reached := map[*node]bool{}
	if seed%8 == 0 {
		var err error
		if reached, err = p.reached(); err != nil {
			return err
		}
		c.sampled++
	}
	for _, s := range p.root.kids {
		in := s.what == "local function"
		for name := range compiled {
			in = in || strings.Contains(s.form, "\""+name+"\"")
		}
		c.count(s, nil, in, reached)
	}
	return nil
}

// count counts a node and all below it; at is the statement that it stands in.
func (c *coverage) count(n, at *node, compiled bool, reached map[*node]bool) {
	if n.sort == statement {
		at = n
	}
	if n.what != "" {
		u := c.uses[n.what]
		if u == nil {
			u = &use{}
			c.uses[n.what] = u
		}
		u.written++
		if compiled {
			u.compiled++
		}
		if compiled && reached[at] {
			u.run++
		}
	}
	for _, k := range n.kids {
		c.count(k, at, compiled, reached)
	}
}

// reached are the statements inside of functions that a run came to.
func (p *program) reached() (map[*node]bool, error) {
	printed := printer{marks: map[*node]int{}}
	printed.print(p.root)
	text := "local MARKS = {}\n" + printed.out.String() +
		"\necs.system \"z.marks\" { phase = \"debug\", run = function() for k in pairs(MARKS) do ecs.log(\"mark \" .. k) end end }\n"
	r, err := p.run(options{text: text})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, line := range slices.Concat(r.ticks...) {
		if _, after, ok := strings.Cut(line, "log: mark "); ok {
			number, _, _ := strings.Cut(after, " ")
			seen[number] = true
		}
	}
	all := map[*node]bool{}
	for n, mark := range printed.marks {
		if seen[fmt.Sprint(mark)] {
			all[n] = true
		}
	}
	return all, nil
}

// String is the table.
func (c *coverage) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d programs, %d refused, %d with errors; %d functions, %d compiled (%d of them not all, %d safe); what ran is of %d programs\n",
		c.programs, c.refused, c.faulty, c.functions, c.compiled, c.partly, c.safe, c.sampled)
	fmt.Fprintf(&out, "%-40s %8s %8s %8s\n", "construct", "written", "compiled", "run")
	for _, what := range slices.Sorted(maps.Keys(c.uses)) {
		u := c.uses[what]
		fmt.Fprintf(&out, "%-40s %8d %8d %8d\n", what, u.written, u.compiled, u.run)
	}
	fmt.Fprintln(&out, "not compiled:")
	for _, why := range slices.SortedFunc(maps.Keys(c.reasons), func(a, b string) int { return c.reasons[b] - c.reasons[a] }) {
		fmt.Fprintf(&out, "%8d %.150s\n", c.reasons[why], why)
	}
	return out.String()
}

// hold demands that the programs are worth their time.
func (c *coverage) hold(t *testing.T, count int) {
	if count < 200 {
		return
	}
	if c.refused*20 > c.programs {
		t.Errorf("%d of %d programs were refused", c.refused, c.programs)
	}
	if c.compiled*2 < c.functions {
		t.Errorf("%d of %d functions were compiled", c.compiled, c.functions)
	}
}
