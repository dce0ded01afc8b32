package exec

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/rows"
)

// Compilation is a kernel that is being made: its function is lowered, which is as far as values of
// scripts are read. What is left takes most of the time, and may be done beside the ticks.
//
// A Compilation ends with Kernel or Drop, and must not be used after that. All methods are
// called on the goroutine of the world.
type Compilation interface {
	// Work is how long it takes to do the rest, in microseconds of a slow machine, as the
	// compiler reckons it: the same on every machine.
	Work() int64
	// Waits reports whether a step that goes on would wait for the rest: not the load of a game, nor a step
	// for which the rest was done before.
	Waits() bool
	// Begin does the rest on another goroutine. It does not wait.
	Begin()
	// Kernel returns the kernel, or why there is none. It waits for what Begin has begun, and does
	// the rest itself where Begin was not called.
	Kernel() (rows.Kernel, *diag.Error)
	// Drop says that nobody wants the kernel. It does not wait.
	Drop()
}

// comingKernel is one that is compiled beside the ticks. From a tick on that was settled when that
// began, the system has it; if the compiler has not come to its end by then, that tick waits for it.
//
// Why not as soon as it is there? Kernels and the VM leave the same bytes, but count against
// different limits. Where a run is cut by one, it has to be cut at the same row on every machine and
// in every replay, so the clock must not have a say in which of the two runs it.
//
// Why is it in no snapshot? It follows from values outside of the function, of which some are in no
// snapshot either. So a world that is restored may have it at another tick than the first time, not
// later than it might have been, see left: again with the same bytes, unless a limit cuts a call.
type comingKernel struct {
	Compilation
	arrival
}

// arrival is when the system has a kernel.
type arrival struct {
	until uint64 // the tick of the world
	ticks uint64 // from when it was begun up to then
}

const (
	// mostAtOnce is the most Work of kernels that are made in the tick which asks for them: about
	// two milliseconds of a slow machine, for twenty lines.
	mostAtOnce = 4000
	// mostAnew is the most Work of kernels that are made anew while the game runs, for some five hundred lines: the tick
	// that begins one reads its function, which takes a tenth of that and which no limit counts.
	mostAnew = 100_000
	// workPerTick is how much Work is expected to be done beside a tick. A tick of a sixtieth of a
	// second has four times as much, so that the compiler is nearly always early: then nobody waits.
	workPerTick = 12_000
)

// Begin begins to make a kernel, and notes how long that takes.
func (k *kernelState) Begin(compile func(KernelSource) (Compilation, *diag.Error), source KernelSource) (Compilation, *diag.Error) {
	begun, why := compile(source)
	if begun != nil {
		k.large, k.huge = begun.Work() > mostAtOnce, begun.Work() > mostAnew
	}
	return begun, why
}

// beside begins to compile a kernel beside the ticks, after those that were begun before.
func (m *Executor) beside(c Compilation) *comingKernel {
	a := arrival{ticks: m.last.left(m) + 2 + uint64(c.Work())/workPerTick}
	_, now := m.World.Time()
	a.until = now + a.ticks
	m.last = a
	c.Begin()
	return &comingKernel{c, a}
}

// Postpone reports whether the kernel of a new system is compiled beside the ticks, from its Commence on: one
// that takes long, or for which this tick has no time any more, see renews; of a function that has the same results
// without it.
func (m *Executor) Postpone(s *System, c Compilation) bool {
	k := &s.Compiled
	if !c.Waits() || k.Single || !k.large && m.renews() {
		return false
	}
	k.postponed = c
	return true
}

// Commence begins to compile the kernel that was postponed, if there is one.
func (m *Executor) Commence(s *System) {
	if k := &s.Compiled; k.postponed != nil {
		k.coming, k.postponed = m.beside(k.postponed), nil
	}
}

// left returns how many ticks there are left. A world that was restored to an earlier tick waits
// no longer than one that was not.
func (a *arrival) left(m *Executor) uint64 {
	_, now := m.World.Time()
	a.until = min(a.until, now+a.ticks)
	return max(a.until, now) - now
}
