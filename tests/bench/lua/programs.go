package main

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// programTexts are the general programs: what designers write beside rows. Each returns
// how many operations it does, and a function that does them and returns a number that
// must be the same everywhere.
//
//go:embed programs/*.lua
var programTexts embed.FS

// first are the programs that all figures of the virtual machine began with. The others
// came later, written as designers write.
var first = []string{
	"calls", "queens", "fields", "methods", "array_sum", "sieve", "string_map", "closure_calls", "closures_made",
	"flood", "records", "bodies", "quicksort", "switches", "metamethods", "protected", "map_walk",
}

// measuring is put around each program: it runs for a while to become warm, and then for as long again, which counts. On some machines a page
// that a process is given for the first time takes 10 µs: what makes tables would be measured by that. Programs write the last digits of
// numbers in different ways. Time of the processor counts, so a collector that works beside is not free.
const measuring = `local ops, run = (function()
%s
end)()
local function came_to()
  local v = run()
  return type(v) == "number" and ("%%.10g"):format(v) or tostring(v)
end
local turn, same = %g, came_to()
local rounds, began, spent = 0, os.clock(), 0
while spent < turn do
  came_to()
  spent = os.clock() - began
end
began, spent = os.clock(), 0
while spent < turn do
  if came_to() ~= same then error("it comes to another result") end
  rounds = rounds + 1
  spent = os.clock() - began
end
print(spent * 1e9 / math.max(rounds, 1) / ops, same)
`

// runner is a program that runs Lua files.
type runner struct {
	name    string
	command []string
}

// puc is the runner that all others are compared with.
const puc = "lua5.1"

// runners finds what is installed, and builds what is ours in a folder.
func runners(dir string) (list []runner, missing []string, err error) {
	for _, name := range []string{puc, "lua5.4", "luajit"} {
		if _, err := exec.LookPath(name); err == nil {
			list = append(list, runner{name, []string{name}})
		} else {
			missing = append(missing, name)
		}
	}
	root, err := output("go", "list", "-m", "-f", "{{.Dir}}", "github.com/perigee-ecs/perigee")
	if err != nil {
		return nil, nil, err
	}
	luarun := filepath.Join(dir, "luarun")
	if _, err := output("go", "build", "-C", strings.TrimSpace(root), "-o", luarun, "./scripting/internal/luarun"); err != nil {
		return nil, nil, err
	}
	names, err := output(luarun, "-list")
	for _, name := range strings.Fields(names) {
		list = append(list, runner{name, []string{luarun, "-in", name}})
	}
	return list, missing, err
}

// result is a program's time per operation in nanoseconds, by the name of the runner.
type result struct {
	program string
	nanos   map[string]float64
}

// programNames are the general programs, those of the first figures first.
func programNames() []string {
	entries, err := programTexts.ReadDir("programs")
	if err != nil {
		panic(err) // it is embedded
	}
	names := slices.Clone(first)
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".lua"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// runPrograms measures programs, all runners in turns, and prints the table.
func runPrograms(names []string, only string, rounds int, seconds float64) error {
	dir, err := os.MkdirTemp("", "perigee-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	list, missing, err := runners(dir)
	if err != nil {
		return err
	}
	for _, name := range missing {
		fmt.Fprintln(os.Stderr, name, "is not installed and left out")
	}
	if only != "" {
		list = slices.DeleteFunc(list, func(r runner) bool {
			return r.name != puc && !slices.Contains(strings.Split(only, ","), r.name)
		})
	}
	var results []result
	for _, name := range names {
		r, err := measureProgram(dir, list, name, rounds, seconds)
		if err != nil {
			return err
		}
		results = append(results, r)
		printResult(os.Stderr, list, r)
	}
	printResults(os.Stdout, list, results)
	return nil
}

// measureProgram lets the runners take turns at a program and keeps the fastest turn of
// each. Lua 5.4 writes whole numbers that were divided in another way, so it is not asked
// whether it comes to the same.
func measureProgram(dir string, list []runner, name string, rounds int, seconds float64) (result, error) {
	r := result{name, map[string]float64{}}
	text, err := programTexts.ReadFile(path.Join("programs", name+".lua"))
	if err != nil {
		return r, fmt.Errorf("there is no program %q: there are %s", name, strings.Join(programNames(), ", "))
	}
	file := filepath.Join(dir, name+".lua")
	if err := os.WriteFile(file, fmt.Appendf(nil, measuring, bytes.TrimSpace(text), seconds), 0o600); err != nil {
		return r, err
	}
	same, whose := "", ""
	for range rounds {
		for _, by := range list {
			nanos, sum, err := once(by, file)
			switch {
			case err != nil:
				return r, fmt.Errorf("%s in %s: %w", name, by.name, err)
			case by.name == "lua5.4":
			case same == "":
				same, whose = sum, by.name
			case sum != same:
				return r, fmt.Errorf("%s: %s comes to %s, %s to %s", name, by.name, sum, whose, same)
			}
			if best, ok := r.nanos[by.name]; !ok || nanos < best {
				r.nanos[by.name] = nanos
			}
		}
	}
	return r, nil
}

// once runs a program once and returns its time per operation and what it came to.
func once(by runner, file string) (nanos float64, sum string, err error) {
	out, err := output(by.command[0], append(slices.Clone(by.command[1:]), file)...)
	if err != nil {
		return 0, "", err
	}
	if _, err := fmt.Sscan(out, &nanos, &sum); err != nil {
		return 0, "", fmt.Errorf("it printed %q", out)
	}
	return nanos, sum, nil
}

// times is a runner's time as a multiple of PUC Lua's.
func (r *result) times(name string) float64 { return r.nanos[name] / r.nanos[puc] }

func printResult(w io.Writer, list []runner, r result) {
	fmt.Fprintf(w, "%-16s %8.1f ns", r.program, r.nanos[puc])
	for _, by := range list {
		if by.name != puc {
			fmt.Fprintf(w, "  %s %.2f", by.name, r.times(by.name))
		}
	}
	fmt.Fprintln(w)
}

// printResults is the table of all programs, with geometric means and the worst.
func printResults(w io.Writer, list []runner, results []result) {
	fmt.Fprintf(w, "| program | %s, ns |", puc)
	for _, by := range list[1:] {
		fmt.Fprintf(w, " %s |", by.name)
	}
	fmt.Fprintf(w, "\n|---|--:|%s\n", strings.Repeat("--:|", len(list)-1))
	for _, r := range results {
		fmt.Fprintf(w, "| %s | %.1f |", r.program, r.nanos[puc])
		for _, by := range list[1:] {
			fmt.Fprintf(w, " %.2f |", r.times(by.name))
		}
		fmt.Fprintln(w)
	}
	summary := func(name string, of []result) {
		if len(of) == 0 {
			return
		}
		fmt.Fprintf(w, "| **%s, mean** | 1 |", name)
		for _, by := range list[1:] {
			fmt.Fprintf(w, " **%.2f** |", mean(of, by.name))
		}
		fmt.Fprintf(w, "\n| %s, worst | |", name)
		for _, by := range list[1:] {
			worst := slices.MaxFunc(of, func(a, b result) int { return int(math.Copysign(1, a.times(by.name)-b.times(by.name))) })
			fmt.Fprintf(w, " %.2f %s |", worst.times(by.name), worst.program)
		}
		fmt.Fprintln(w)
	}
	old := slices.DeleteFunc(slices.Clone(results), func(r result) bool { return !slices.Contains(first, r.program) })
	summary(fmt.Sprintf("first %d", len(old)), old)
	summary(fmt.Sprintf("all %d", len(results)), results)
}

// mean is the geometric mean of a runner's times.
func mean(results []result, name string) float64 {
	sum := 0.0
	for _, r := range results {
		sum += math.Log(r.times(name))
	}
	return math.Exp(sum / float64(len(results)))
}
