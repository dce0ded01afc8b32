package bench

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"
)

// contender is one way to write the system.
type contender struct {
	who   string
	limit int // most entities it is measured with; 0: any number
	open  func(n int) (*entry, error)
}

// entry is a contender with n entities.
type entry struct {
	contender
	tick      func() error
	spent     func() time.Duration // in the system, by all ticks so far
	positions func() []Position
	close     func() error

	ticks  int // per slot
	best   time.Duration
	allocs uint64
}

// contenders returns all of them; the first is what the others are compared
// with. A new one gets a line here and nothing else.
func contenders() []contender {
	return []contender{
		{"go slices", 0, slicesOnly},
		{"go query", 0, query},
		{"lua batch", 0, script("batch")},
		{"lua bulk", 0, script("bulk")},
		{"lua each", 0, script("each")},
		{"lua kernel", 0, script("kernel")},
		{"luar", 10_000, luar},
	}
}

// Options say what is measured.
type Options struct {
	N      []int         // numbers of entities
	Rounds int           // slots per entry, at least 1
	Slot   time.Duration // how long a slot lasts; zero means 30 ms, and one tick at least
}

// Result is one figure: the system of Who over N entities.
type Result struct {
	Workload    string  `json:"workload"`
	N           int     `json:"n"`
	Who         string  `json:"who"`
	NsPerEntity float64 `json:"ns_per_entity"`
	AllocsPerOp float64 `json:"allocs_per_op"` // an op is one tick of the system
}

// Run measures each number of entities in turn and hands the results of each to
// report, those of "go slices" first.
func Run(o Options, report func([]Result) error) error {
	o.Slot = cmp.Or(o.Slot, 30*time.Millisecond)
	for _, n := range o.N {
		results, err := measure(n, o)
		if err != nil {
			return fmt.Errorf("%d entities: %w", n, err)
		}
		if err := report(results); err != nil {
			return err
		}
	}
	return nil
}

func measure(n int, o Options) (results []Result, err error) {
	entries, err := openAll(n)
	defer func() { err = errors.Join(err, closeAll(entries)) }()
	if err == nil {
		err = agree(entries, warmUp(n))
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
		results = append(results, e.result(n))
	}
	return results, nil
}

func openAll(n int) ([]*entry, error) {
	var entries []*entry
	for _, c := range contenders() {
		if c.limit > 0 && n > c.limit {
			continue
		}
		e, err := c.open(n)
		if err != nil {
			return entries, fmt.Errorf("%s: %w", c.who, err)
		}
		e.contender = c
		entries = append(entries, e)
	}
	return entries, nil
}

func closeAll(entries []*entry) (err error) {
	for _, e := range entries {
		err = errors.Join(err, e.close())
	}
	return err
}

// warmUp returns after how many ticks the entries are compared: enough for
// bounces to have happened, few enough for the slowest.
func warmUp(n int) int { return max(3, 100_000/n) }

// agree ticks all entries alike and compares where their entities are then.
func agree(entries []*entry, ticks int) error {
	for _, e := range entries {
		if _, err := e.run(ticks); err != nil {
			return err
		}
	}
	want := entries[0].positions()
	for _, e := range entries[1:] {
		got := e.positions()
		if len(got) != len(want) {
			return fmt.Errorf("%s has %d entities, %s has %d", e.who, len(got), entries[0].who, len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				return fmt.Errorf("%s differs from %s after %d ticks: entity %d is at %v, not %v",
					e.who, entries[0].who, ticks, i, got[i], want[i])
			}
		}
	}
	return nil
}

// run ticks and returns the time that the system took.
func (e *entry) run(ticks int) (time.Duration, error) {
	before := e.spent()
	for range ticks {
		if err := e.tick(); err != nil {
			return 0, fmt.Errorf("%s: %w", e.who, err)
		}
	}
	return e.spent() - before, nil
}

// calibrate finds how many ticks fill a slot.
func (e *entry) calibrate(slot time.Duration) error {
	e.best, e.allocs = math.MaxInt64, math.MaxUint64
	for e.ticks = 1; ; e.ticks *= 2 {
		took, err := e.run(e.ticks)
		if err != nil || took >= slot/2 {
			return err
		}
	}
}

// slot measures once, and keeps the best time and the fewest allocations.
func (e *entry) slot() error {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	took, err := e.run(e.ticks)
	runtime.ReadMemStats(&after)
	e.best, e.allocs = min(e.best, took), min(e.allocs, after.Mallocs-before.Mallocs)
	return err
}

func (e *entry) result(n int) Result {
	ticks := float64(e.ticks)
	return Result{
		Workload: systemName, N: n, Who: e.who,
		NsPerEntity: float64(e.best.Nanoseconds()) / ticks / float64(n),
		AllocsPerOp: math.Floor(float64(e.allocs) / ticks), // the statistics allocate a little per slot
	}
}
