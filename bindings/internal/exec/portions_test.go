package exec

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// loopingKernel is a kernel whose rows need fuel.
type loopingKernel struct {
	rows.Kernel
	needs []int64 // fuel of each row
	given []int64 // in each call
	facts rows.KernelFacts
}

func (k *loopingKernel) Run(c *rows.KernelCall) error {
	k.given = append(k.given, c.Fuel)
	for c.Dry = false; c.Next < c.End; c.Next++ {
		if k.needs[c.Next] > c.Fuel {
			c.Dry = true
			return nil
		}
		c.Fuel -= k.needs[c.Next]
	}
	return nil
}

func (k *loopingKernel) Facts() *rows.KernelFacts { return &k.facts }

// clockedBudget has a clock on which each unit of fuel takes so long.
type clockedBudget struct {
	tx.KernelBudget
	kernel *loopingKernel
	each   time.Duration
	left   int64
	all    time.Duration
	took   time.Duration
	seen   int // calls of the kernel whose time is counted
}

func (b *clockedBudget) Left() int64              { return b.left }
func (b *clockedBudget) Spend(instructions int64) { b.left -= instructions }

// Glance has each call take as long as all the fuel that it was given.
func (b *clockedBudget) Glance(int64) (took, left time.Duration) {
	for ; b.seen < len(b.kernel.given); b.seen++ {
		took += time.Duration(b.kernel.given[b.seen]) * b.each
	}
	b.took += took
	return took, b.all - b.took
}

// TestPortionsLookAtTheClock: a row that needs more fuel than is given at first gets more, as long as there is time for it
// at the pace so far; and no call of a kernel is longer than that.
func TestPortionsLookAtTheClock(t *testing.T) {
	const first, ms = int64(firstPortion), time.Millisecond
	for _, c := range []struct {
		says  string
		needs []int64
		each  time.Duration
		left  int64
		want  []int64
		next  int
	}{
		{"rows that need little", []int64{10, 10, 10}, 1, math.MaxInt64, []int64{first}, 3},
		{"many that need a bit", slices.Repeat([]int64{first / 16}, 64), 1, math.MaxInt64, []int64{first, first, first, first}, 64},
		{"few that need a portion each", slices.Repeat([]int64{first}, 8), 1, math.MaxInt64, []int64{first, 4 * first, 16 * first}, 8},
		{"one that needs more", []int64{10, 3 * first, 10}, 1, math.MaxInt64, []int64{first, 4 * first}, 3},
		{"one that needs more than ever", []int64{10, math.MaxInt64, 10}, 1, math.MaxInt64, []int64{first, 4 * first, 16 * first, portion}, 1},
		{"one that needs more than is left", []int64{math.MaxInt64}, 1, 5 * first, []int64{first, 4 * first, 5 * first}, 0},
		{"a slow one", []int64{math.MaxInt64}, 60, math.MaxInt64, []int64{first}, 0},
		{"slow ones that need a portion each", slices.Repeat([]int64{first}, 10), 60, math.MaxInt64, []int64{first, first, first}, 3},
	} {
		k := &loopingKernel{needs: c.needs, facts: rows.KernelFacts{Fuelled: true, Most: 1}}
		b := &clockedBudget{kernel: k, each: c.each, left: c.left, all: 5 * ms}
		runner := &kernelRunner{Kernel: k, facts: &k.facts, budget: b}
		w := ecs.NewWorld()
		var tick *ecs.Tick
		if err := w.Run("test", func(x *ecs.Tick) error {
			tick = x
			if next := runner.runPortions(nil, tick, &rows.View{}, 0, len(c.needs)); next != c.next || !slices.Equal(k.given, c.want) {
				t.Errorf("%s: stopped at row %d with %v, want %d with %v", c.says, next, k.given, c.next, c.want)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		w.Close()
	}
}

// TestTheTempoIsHeld: of a kernel that takes many times as long as it is reckoned, what is beyond counts. A run that goes on
// to its end has the next ones fail.
func TestTheTempoIsHeld(t *testing.T) {
	now := time.Time{}
	p := tempo{clock: func() time.Time { return now }}
	const reckoned = 20 * tempoEvery
	for run, c := range []struct {
		took   time.Duration
		counts bool
	}{{time.Hour, false}, {time.Hour, true}, {4 * time.Millisecond, false}, {7 * time.Millisecond, true}} {
		p.begin()
		if p.measured != (run > 0) {
			t.Errorf("run %d: measured %v", run, p.measured)
		}
		now = now.Add(c.took)
		beyond := p.look(reckoned)
		if most := int64((slowestTempo - usualTempo) * reckoned); (beyond > 0) != c.counts || beyond > most {
			t.Errorf("run %d: %d beyond", run, beyond)
		}
	}
	p.exceed(true)
	for run := range 5 {
		if p.begin(); p.spent != (run < tempoRefusals) || !p.measured {
			t.Errorf("run %d after a slow one: it fails %v, measured %v", run, p.spent, p.measured)
		}
	}
	if p.exceed(false); !p.spent {
		t.Error("a run that can be undone goes on")
	}
	p = tempo{clock: p.clock}
	for range 3 {
		if p.begin(); p.look(10) != 0 || p.measured {
			t.Error("a short run was measured")
		}
	}
}
