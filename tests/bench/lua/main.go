// Lua compares Lua systems that are compiled to kernels with other Lua: LuaJIT and
// plain Lua over column tables, the form in which ECS libraries in Lua hand their
// entities out. All do the same ten workloads and must come to the same numbers.
//
//	go run ./lua -n 10000,100000 -rounds 5
//
// It compares the virtual machine that runs all other Lua, too, in general programs:
//
//	go run ./lua -programs all -rounds 5
//
// Programs that are not installed are left out.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// The ten, in the order in which they are measured.
var workloads = []string{
	"integrate", "bounce", "spring", "steer", "regen", "cooldown", "damage", "states", "fade", "nbody",
}

// bodies is how many entities there are where each of them meets each other.
const bodies = 1000

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	names := flag.String("workload", strings.Join(workloads, ","), "workloads to run")
	sizes := flag.String("n", "10000,100000", "numbers of entities")
	rounds := flag.Int("rounds", 5, "how often each program runs; the fastest counts")
	programs := flag.String("programs", "", "general programs to run in place of the workloads, or all, or first")
	only := flag.String("in", "", "what runs the programs, beside lua5.1; nothing means all there is")
	seconds := flag.Float64("seconds", 0.2, "how long a turn at a program takes")
	flag.Parse()
	if *programs != "" {
		return runPrograms(chosen(*programs), *only, *rounds, *seconds)
	}
	ns, err := numbers(*sizes)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "perigee-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	players, missing, err := gather(dir)
	if err != nil {
		return err
	}
	for _, name := range missing {
		fmt.Fprintln(os.Stderr, name, "is not installed and left out")
	}
	var lines []line
	for _, w := range strings.Split(*names, ",") {
		if !slices.Contains(workloads, w) {
			return fmt.Errorf("%q is no workload: there are %s", w, strings.Join(workloads, ", "))
		}
		for _, n := range sizesOf(w, ns) {
			l, err := measure(players, w, n, *rounds, 0.03)
			if err != nil {
				return err
			}
			lines = append(lines, l)
			fmt.Fprintln(os.Stderr, l)
		}
	}
	fmt.Print(table(lines))
	return nil
}

// chosen are the general programs of a list of names.
func chosen(names string) []string {
	switch names {
	case "all":
		return programNames()
	case "first":
		return first
	}
	return strings.Split(names, ",")
}

// sizesOf returns the numbers of entities that a workload is measured with.
func sizesOf(workload string, asked []int) []int {
	if workload == "nbody" {
		return []int{min(bodies, slices.Max(asked))}
	}
	return asked
}

func numbers(list string) ([]int, error) {
	var ns []int
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number of entities", s)
		}
		ns = append(ns, n)
	}
	return ns, nil
}
