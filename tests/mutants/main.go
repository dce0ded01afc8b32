package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	partName  = flag.String("of", "compiler", "what gets mistakes: compiler, syntax, bindings or hotreload")
	results   = flag.String("results", "", "file of verdicts: read, and written to")
	sample    = flag.Int("sample", 0, "how many mutants to draw; 0: all")
	seed      = flag.Uint64("seed", 1, "of the draw")
	shard     = flag.String("shard", "0/1", "which part of the mutants, of how many")
	only      = flag.String("only", "", "only files whose name contains this")
	list      = flag.Bool("list", false, "print the mutants and do nothing")
	survivors = flag.Bool("survivors", false, "print what the verdicts say, and each survivor that is not explained")
	again     = flag.Bool("again", false, "run survivors again, and nothing else, because tests have been added")
	quick     = flag.Bool("quick", false, "only the judges that cost little; -again then gives the survivors to all")
	by        = flag.String("by", "", "only judges whose name contains this expression, to try new tests on survivors")
	programs  = flag.String("programs", "150", "random programs of the handbook for each mutant")
	keep      = flag.String("dir", "", "folder for the binaries; by default a temporary one")
)

// Verdict is what became of a mutant.
type Verdict struct {
	Mutant
	Killed  bool    `json:"killed"`
	Judge   string  `json:"judge,omitempty"` // that noticed it
	How     string  `json:"how,omitempty"`
	Seconds float64 `json:"seconds"`
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal("mutants: ", err)
	}
}

func run() error {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return err
	}
	of, ok := parts[*partName]
	if !ok {
		return fmt.Errorf("-of %s: expected one of %q", *partName, slices.Sorted(maps.Keys(parts)))
	}
	b := &build{part: of, root: strings.TrimSpace(string(out)), dir: *keep}
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", "mutants"); err != nil {
			return err
		}
		defer os.RemoveAll(b.dir)
	} else if b.dir, err = filepath.Abs(b.dir); err != nil {
		return err
	} else if err := os.MkdirAll(b.dir, 0o777); err != nil {
		return err
	}
	known, err := readVerdicts(*results)
	if err != nil {
		return err
	}
	which, err := regexp.Compile(*by)
	if err != nil {
		return err
	}
	judges := slices.DeleteFunc(of.judges(*programs, *quick), func(j Judge) bool { return !which.MatchString(j.Name) })
	if *list || *survivors {
		if _, err := b.plant(); err != nil {
			return err
		}
		if *list {
			for _, m := range b.mutants {
				fmt.Println(m)
			}
			return nil
		}
		return report(b, known)
	}
	if err := b.compile(judges); err != nil {
		return err
	}
	chosen, err := choose(b.mutants)
	if err != nil {
		return err
	}
	return judge(b, judges, chosen, known)
}

func (m Mutant) String() string {
	return fmt.Sprintf("%s:%d: %s: %s\n    %s", m.File, m.Line, m.Func, m.Kind, m.Text)
}

// lot is the mutant's place in the draw. It depends on nothing but the mutant, so a
// sample stays nearly the same when lines elsewhere change.
func (m Mutant) lot(seed uint64) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, m.Key))
	return binary.BigEndian.Uint64(sum[:])
}

// choose draws the sample and takes the part of this process.
func choose(all []Mutant) ([]Mutant, error) {
	var part, parts int
	if _, err := fmt.Sscanf(*shard, "%d/%d", &part, &parts); err != nil || parts < 1 || part < 0 || part >= parts {
		return nil, fmt.Errorf("-shard %s: expected a number below another, such as 0/2", *shard)
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(m Mutant) bool { return !strings.Contains(m.File, *only) })
	slices.SortFunc(chosen, func(a, b Mutant) int { return cmp.Compare(a.lot(*seed), b.lot(*seed)) })
	if *sample > 0 {
		chosen = chosen[:min(*sample, len(chosen))]
	}
	fmt.Printf("%d mutants, %d chosen with seed %d\n", len(all), len(chosen), *seed)
	var mine []Mutant
	for i, m := range chosen {
		if i%parts == part {
			mine = append(mine, m)
		}
	}
	return mine, nil
}

// readVerdicts returns what is known, by key.
func readVerdicts(file string) (map[string]Verdict, error) {
	known := map[string]Verdict{}
	if file == "" {
		return known, nil
	}
	f, err := os.Open(file)
	if os.IsNotExist(err) {
		return known, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var v Verdict
		if json.Unmarshal(s.Bytes(), &v) == nil { // the last line may have been cut
			known[v.Key] = v
		}
	}
	return known, s.Err()
}

// judge runs mutants and writes the verdicts down.
func judge(b *build, judges []Judge, chosen []Mutant, known map[string]Verdict) error {
	judges, err := b.measure(judges)
	if err != nil {
		return err
	}
	var out *os.File
	if *results != "" {
		if out, err = os.OpenFile(*results, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
			return err
		}
		defer out.Close()
	}
	reasons, err := readReasons(b.reasons())
	if err != nil {
		return err
	}
	ran, survived := 0, 0
	began := time.Now()
	for _, m := range chosen {
		if v, ok := known[m.Key]; *again && (!ok || v.Killed) || !*again && ok {
			continue
		}
		v := Verdict{Mutant: m} // one that is explained survives without a run
		if reasons.of(m) == "" {
			v = b.verdict(judges, m)
		} else if *again {
			continue
		}
		if ran++; !v.Killed {
			survived++
			fmt.Println("survives:", m, reasons.of(m))
		}
		if ran%50 == 0 {
			fmt.Printf("%d run, %d survive, %.1f s for each\n", ran, survived, time.Since(began).Seconds()/float64(ran))
		}
		if out == nil {
			continue
		}
		line, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	fmt.Printf("%d run, %d survive\n", ran, survived)
	return nil
}

// measure runs each judge without a mistake. It must pass; what it takes says how
// long it may take with one. A package without tests is no judge.
func (b *build) measure(list []Judge) ([]Judge, error) {
	var there []Judge
	for _, j := range list {
		if _, err := os.Stat(b.binary(j)); err != nil {
			continue
		}
		how, seconds := b.run(j, 0, 600)
		if how != "" {
			return nil, fmt.Errorf("the judge %q fails without a mistake: %s", j.Name, how)
		}
		fmt.Printf("%-24s %6.2f s\n", j.Name, seconds)
		j.longest = 5 * max(seconds, 1)
		there = append(there, j)
	}
	return there, nil
}

func (b *build) verdict(list []Judge, m Mutant) Verdict {
	v := Verdict{Mutant: m}
	for _, j := range list {
		how, seconds := b.run(j, m.ID, j.longest)
		v.Seconds += seconds
		if how != "" {
			v.Killed, v.Judge, v.How = true, j.Name, how
			break
		}
	}
	return v
}

func (b *build) reasons() string { return filepath.Join(b.root, "tests", "mutants", "survivors.txt") }

// report counts the verdicts over the mutants that are there now.
func report(b *build, known map[string]Verdict) error {
	reasons, err := readReasons(b.reasons())
	if err != nil {
		return err
	}
	killed, survived, explained := map[string]int{}, 0, map[string]int{}
	run := 0
	for _, m := range b.mutants {
		v, ok := known[m.Key]
		if !ok {
			continue
		}
		if run++; v.Killed {
			killed[v.Judge]++
			continue
		}
		survived++
		if why := reasons.of(m); why != "" {
			explained[why]++
			continue
		}
		fmt.Println(m)
	}
	for _, j := range b.judges("", false) {
		fmt.Printf("%6d noticed by %s\n", killed[j.Name], j.Name)
	}
	fmt.Printf("%d mutants, %d run, %d survive, of these explained:\n", len(b.mutants), run, survived)
	left := survived
	for why, n := range explained {
		fmt.Printf("%6d %s\n", n, why)
		left -= n
	}
	fmt.Printf("%d survive without explanation, %.2f %% of those run\n", left, 100*float64(left)/float64(max(run, 1)))
	return nil
}
