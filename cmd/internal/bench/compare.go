package bench

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// How contenders are measured: opened, compared to the bit, calibrated, and timed in
// turns.

// contenders returns all of them; the first is what the others are compared
// with. A new one gets a line here and nothing else.
func contenders() []contender {
	return []contender{
		{"go slices", 0, slicesOnly},
		{"go query", 0, query},
		{"lua batch", 0, script(false, "batch")},
		{"lua bulk", 0, script(false, "bulk")},
		{"lua each", 0, script(false, "each")},
		{"lua kernel", 0, script(true, "kernel", "each")},
		{"luar", 10_000, luar},
	}
}

// Contenders returns the names of all ways, in the order in which they are
// measured.
func Contenders() []string {
	var names []string
	for _, c := range contenders() {
		names = append(names, c.who)
	}
	return names
}

// workloads returns all of them, in the order in which they are measured.
func workloads() []workload {
	return []workload{
		integrate(), bounce(), bounceF32(), spring(), steer(), regen(),
		cooldown(), damage(), states(), fade(), nbody(),
	}
}

// Workloads returns the names of all workloads, in the order in which they are
// measured.
func Workloads() []string {
	var names []string
	for _, w := range workloads() {
		names = append(names, w.name)
	}
	return names
}

// Options say what is measured.
type Options struct {
	Workloads []string      // names; nil means all
	Who       []string      // names of contenders; nil means all. The first one is always measured.
	N         []int         // numbers of entities
	Rounds    int           // slots per entry, at least 1
	Slot      time.Duration // how long a slot lasts; zero means 30 ms, and one tick at least
	Against   *Baseline     // what the figures are compared with; nil for nothing
}

// Result is one figure: the systems of Workload, as Who writes them, over N
// entities.
type Result struct {
	Workload    string  `json:"workload"`
	N           int     `json:"n"`
	Who         string  `json:"who"`
	NsPerEntity float64 `json:"ns_per_entity"`
	AllocsPerOp float64 `json:"allocs_per_op"` // an op is one tick of the systems
	// Ticks that all entries did before they were compared, and the sum of all
	// their numbers then: another program shows with it that it does the same.
	Ticks int     `json:"ticks"`
	Sum   float64 `json:"sum"`
	// Against is how long it takes beside go slices, as a multiple of the same in the baseline; 0 where that has no
	// such figure. More is how many allocations are new in an op.
	Against float64 `json:"against,omitempty"`
	More    float64 `json:"more_allocs,omitempty"`
}

// Run measures each workload with each number of entities in turn and hands the
// results of each to report, those of "go slices" first. A workload that has a
// largest number is measured with that instead of larger ones, once.
func Run(o Options, report func([]Result) error) error {
	o.Slot = cmp.Or(o.Slot, 30*time.Millisecond)
	for _, w := range workloads() {
		if o.Workloads != nil && !slices.Contains(o.Workloads, w.name) {
			continue
		}
		for _, n := range w.sizes(o.N) {
			results, err := measure(w, n, o)
			if err == nil && o.Against != nil {
				err = o.Against.against(results, func() ([]Result, error) { return measure(w, n, o) })
			}
			if err != nil {
				return fmt.Errorf("%s, %d entities: %w", w.name, n, err)
			}
			if err := report(results); err != nil {
				return err
			}
		}
	}
	return nil
}

// Comparable reports whether Against has something that would be measured.
func (o *Options) Comparable() bool {
	return slices.ContainsFunc(workloads(), func(w workload) bool {
		return (o.Workloads == nil || slices.Contains(o.Workloads, w.name)) && slices.ContainsFunc(w.sizes(o.N), func(n int) bool {
			return slices.ContainsFunc(o.Against.Results, func(r Result) bool { return r.Workload == w.name && r.N == n })
		})
	})
}

// sizes returns the numbers of entities that are measured of those asked for.
func (w workload) sizes(asked []int) (all []int) {
	for _, n := range asked {
		if w.most > 0 {
			n = min(n, w.most)
		}
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// measure compares all contenders of a workload with n entities. Their systems must
// agree on the outcome first. Then each gets a slot in turn, round after round, so
// that what else the machine does falls on all of them; the minimum of the rounds
// counts.
func measure(w workload, n int, o Options) (results []Result, err error) {
	entries, err := openAll(w, n, o.Who)
	defer func() { err = errors.Join(err, closeAll(entries)) }()
	ticks, sum := w.warmUp(n), 0.0
	if err == nil {
		sum, err = agree(entries, ticks)
	}
	for _, e := range entries {
		if err == nil {
			err = e.calibrate(o.Slot)
		}
	}
	for range o.Rounds {
		for _, e := range entries {
			if err == nil {
				err = e.slot()
			}
		}
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		r := e.result(n)
		r.Workload, r.Ticks, r.Sum = w.name, ticks, sum
		results = append(results, r)
	}
	return results, nil
}

// openAll opens the contenders of these names, nil for all, and the first one.
func openAll(w workload, n int, who []string) ([]*competitor, error) {
	var entries []*competitor
	for i, c := range contenders() {
		left := i > 0 && who != nil && !slices.Contains(who, c.who)
		if left || c.limit > 0 && n > c.limit {
			continue
		}
		e, err := c.open(w, n)
		if errors.Is(err, errNotWritten) {
			continue
		}
		if err != nil {
			return entries, fmt.Errorf("%s: %w", c.who, err)
		}
		e.contender = c
		entries = append(entries, e)
	}
	return entries, nil
}

// closeAll ends the worlds of all entries, also when one of them fails.
func closeAll(entries []*competitor) (err error) {
	for _, e := range entries {
		err = errors.Join(err, e.close())
	}
	return err
}

// warmUp returns after how many ticks the entries are compared: enough for all
// that can happen to have happened, few enough for the slowest. Where each
// entity meets each other, three have to do.
func (w workload) warmUp(n int) int {
	if w.most > 0 {
		return 3
	}
	return min(max(3, 100_000/n), 1000)
}

// agree ticks all entries alike, compares their numbers to the bit, and returns
// the sum of them.
func agree(entries []*competitor, ticks int) (sum float64, err error) {
	for _, e := range entries {
		if _, err := e.run(ticks); err != nil {
			return 0, err
		}
	}
	want := entries[0].state()
	for _, e := range entries[1:] {
		got := e.state()
		if len(got) != len(want) {
			return 0, fmt.Errorf("%s has %d numbers, %s has %d", e.who, len(got), entries[0].who, len(want))
		}
		for i := range got {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				return 0, fmt.Errorf("%s differs from %s after %d ticks: number %d is %v, not %v",
					e.who, entries[0].who, ticks, i, got[i], want[i])
			}
		}
	}
	for _, v := range want {
		sum += v
	}
	return sum, nil
}

// run ticks and returns the time that the system took.
func (e *competitor) run(ticks int) (time.Duration, error) {
	before := e.spent()
	for range ticks {
		if err := e.tick(); err != nil {
			return 0, fmt.Errorf("%s: %w", e.who, err)
		}
	}
	return e.spent() - before, nil
}

// calibrate finds how many ticks fill a slot.
func (e *competitor) calibrate(slot time.Duration) error {
	e.best, e.allocs = math.MaxInt64, math.MaxUint64
	for e.ticks = 1; ; e.ticks *= 2 {
		took, err := e.run(e.ticks)
		if err != nil || took >= slot/2 {
			return err
		}
	}
}

// slot measures once, and keeps the best time and the fewest allocations.
func (e *competitor) slot() error {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	took, err := e.run(e.ticks)
	runtime.ReadMemStats(&after)
	e.best, e.allocs = min(e.best, took), min(e.allocs, after.Mallocs-before.Mallocs)
	return err
}

// result sums up what was measured: the time per entity in the best slot, and the
// allocations per tick.
func (e *competitor) result(n int) Result {
	ticks := float64(e.ticks)
	return Result{
		N: n, Who: e.who,
		NsPerEntity: float64(e.best.Nanoseconds()) / ticks / float64(n),
		AllocsPerOp: math.Floor(float64(e.allocs) / ticks), // the statistics allocate a little per slot
	}
}
