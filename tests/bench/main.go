// Bench compares the entity core with its peers: every operation of every
// library in one process, in turns, the fastest turn of each counting.
//
//	go run . -op 'iterate|get' -n 1000,16000 -rounds 20 -out results
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures what the flags ask for and writes it down.
func run() error {
	pattern := flag.String("op", ".", "operations and goals to run, as a regular expression")
	sizes := flag.String("n", "1000,16000,256000", "numbers of entities")
	rounds := flag.Int("rounds", 10, "turns of each contender")
	out := flag.String("out", "", "folder for results.jsonl, results.md and ratios.svg; empty writes none")
	only := flag.String("only", "", "contender that runs the operations -times times, unmeasured, for profilers")
	times := flag.Int("times", 1, "see -only")
	flag.Parse()
	match, err := regexp.Compile(*pattern)
	if err != nil {
		return err
	}
	ns, err := numbers(*sizes)
	if err != nil {
		return err
	}
	if *only != "" {
		return repeat(match, ns, *only, *times)
	}
	r := report{}
	for _, op := range operations {
		if match.MatchString(op.name) {
			for _, n := range op.sizes(ns) {
				r.add(op, measure(op, n, *rounds, contenders()))
				fmt.Print(r.last())
			}
		}
	}
	for _, g := range goals() {
		if match.MatchString(g.name) {
			r.reach(g, *rounds)
		}
	}
	fmt.Print("\n", r.targets(), r.reached())
	if *out == "" {
		return nil
	}
	return r.write(*out)
}

// repeat runs the operations of one contender so many times and tells for how
// many entities in all: what a profiler counts is divided by that.
func repeat(match *regexp.Regexp, ns []int, who string, times int) error {
	entities := 0
	for _, c := range contenders() {
		for _, op := range operations {
			build := c.make[op.name]
			if c.name != who || build == nil || !match.MatchString(op.name) {
				continue
			}
			for _, n := range op.sizes(ns) {
				t := build(n)
				for range times {
					t.run()
				}
				entities += n * max(op.each, 1) * times
			}
		}
	}
	if entities == 0 {
		return fmt.Errorf("%q does none of these operations", who)
	}
	fmt.Println(entities)
	return nil
}

// sizes returns the operation's own size, or those asked for.
func (op operation) sizes(asked []int) []int {
	if op.n > 0 {
		return []int{op.n}
	}
	return asked
}

func numbers(list string) ([]int, error) {
	ns := []int{}
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number of entities", s)
		}
		ns = append(ns, n)
	}
	return ns, nil
}
