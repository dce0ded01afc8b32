package library

import (
	"cmp"
	"math"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/scripting/internal/library/notes"
)

const (
	// watchEvery is how many steps pass between two calls of Watch.
	watchEvery = 8192

	// lookEvery is how many steps pass between two looks at the clock. If they took longer
	// than slow, something takes longer than it is charged for: Watch is called at once,
	// and the next look is after lookOften steps.
	lookEvery = 1024
	lookOften = 4
	slow      = time.Millisecond

	// step is what a step is meant to take, and slowestStep the most that counts as the time
	// of one. The clock is not read for fewer than fewSteps.
	step        = 10 * time.Nanosecond
	slowestStep = 10 * step
	fewSteps    = 32

	// sampleEvery is the mean distance between two samples of the line that runs.
	sampleEvery = 4096
)

// A Budget bounds the calls of a host on one machine: after a number of instructions, or of
// bytes, a call ends. The machine counts; the budget has the words of the errors, looks at
// the clock, and samples the lines that use most. The zero Budget works after Reset.
type Budget struct {
	// Watch, if set, is called while a script runs: every 8,192 steps, and sooner when
	// they are slow. An error that it returns stops the script. It is for limits on the
	// clock and the heap, which stop a script at another place in each run.
	Watch func() error

	// Weigh, if set, is called when a call has made First bytes, and returns at how many it is
	// to be called next, 0 for never. An error that it returns stops the script. It is for limits
	// that are too costly to look at more often, and stops a script at the same place in each run.
	Weigh func(made int64) (next int64, err error)
	First int64

	// Name is the limit of instructions as scripting.Limits calls it. Empty means
	// "Instructions".
	Name string

	// BytesName is that of the limit of bytes. Empty means "Bytes".
	BytesName string

	// Wary has Watch called every few instructions, for a script that may use next to
	// nothing more.
	Wary bool

	// Longest is how long the steps of a call may take by the clock, and LongestName that limit.
	// Zero or less means any time. It counts only with Watch.
	Longest     time.Duration
	LongestName string

	// Stretch is the most that the time between two looks at the clock counts in [Budget.Passed]. Zero or
	// less means any time.
	Stretch time.Duration

	// Now is the clock, as a duration since any moment. Nil means the clock of the machine.
	Now func() time.Duration

	vm       *machine.VM
	limit    int64         // steps in all
	maxBytes int64         // 0: any number
	sample   int64         // the number of steps at which the next sample is due
	rhythm   uint32        // state of the generator of the distances between samples
	look     int64         // the number of steps at which the clock is looked at next
	looks    int           // at the clock, since the last Watch
	base     time.Time     // when this budget was first used; a duration since it needs one clock, not two
	looked   time.Duration // since base: the last look at the clock
	timed    int64         // the number of steps whose time is counted
	took     time.Duration // what these have taken
	passed   time.Duration // since the last Reset, see Passed
	late     bool          // Longest has stopped the script
	cause    error         // why the script must stop; nil: it may go on
	spots    notes.Spots
}

// Reset begins a new count on a machine. If bytes is not positive, bytes are not limited.
// The host calls it before each call into a script.
func (b *Budget) Reset(vm *machine.VM, steps, bytes int64) {
	b.vm, b.limit, b.maxBytes, b.cause = vm, steps, max(bytes, 0), nil
	b.timed, b.took, b.passed, b.late = 0, 0, 0, false
	b.rhythm, b.looks, b.look = 0, 0, b.every(false)
	b.spots.Reset()
	b.sample = 0
	b.planSample()
	if b.Watch != nil {
		if b.base.IsZero() {
			b.base = time.Now()
		}
		b.looked = b.now()
	}
	vm.Start(steps, b.maxBytes, b)
	if b.Weigh != nil {
		vm.Ask(b.First)
	}
}

// now reads the clock.
func (b *Budget) now() time.Duration {
	if b.Now != nil {
		return b.Now()
	}
	return time.Since(b.base)
}

// every returns how many steps pass until the next look at the clock: fewer where hardly any
// time is left.
func (b *Budget) every(late bool) int64 {
	if b.Wary || late {
		return lookOften
	}
	if b.Longest <= 0 {
		return lookEvery
	}
	return min(lookEvery, max(fewSteps, int64((b.Longest-b.took)/slowestStep)))
}

// planSample computes when the next sample is due: after half to one and a half of the mean
// distance. The generator begins anew in each call of the host.
func (b *Budget) planSample() {
	b.rhythm = b.rhythm*1664525 + 1013904223
	b.sample += sampleEvery/2 + int64(b.rhythm>>20)
}

// Look implements machine.Overseer: it takes the samples and looks at the clock.
func (b *Budget) Look(th *machine.Thread) (steps int64, err error) {
	used := b.vm.Steps()
	if used >= b.sample {
		if at := th.Here(); at.Line > 0 {
			b.spots.Add(at.Script, at.Line, used)
		}
		for b.sample <= used {
			b.planSample()
		}
	}
	if b.Watch == nil {
		return b.sample - used, b.cause
	}
	if used >= b.look {
		b.watch(used)
	}
	return min(b.sample, b.look) - used, b.cause
}

// Glance implements machine.Overseer: it looks at the clock, and asks nobody, for a native is
// in the middle of its work.
func (b *Budget) Glance() (steps int64, err error) {
	if b.Watch == nil || b.Longest <= 0 {
		return endlessRoom, b.cause
	}
	b.glance()
	return b.every(false), b.cause
}

// glance looks at the clock, and returns the time since the last look.
func (b *Budget) glance() (took time.Duration) {
	now := b.now()
	took = now - b.looked
	b.clock(now, b.vm.Steps())
	b.pass(now)
	b.looked = now
	return took
}

// Lose is Glance for one who has worked outside of the machine, and has done so many steps for nothing: they take time, and
// count as no steps. It returns the time since the last look, and how much of Longest is left.
func (b *Budget) Lose(steps int64) (took, left time.Duration) {
	if b.Watch == nil || b.Longest <= 0 {
		return 0, math.MaxInt64
	}
	b.timed -= steps // so that clock counts their time
	took = b.glance()
	return took, b.Longest - b.took
}

// pass counts the time since the last look.
func (b *Budget) pass(now time.Duration) {
	stretch := now - b.looked
	if b.Stretch > 0 {
		stretch = min(stretch, b.Stretch)
	}
	b.passed += stretch
}

// watch looks at the clock, and calls Watch if enough steps have passed or if the last
// ones were slow.
func (b *Budget) watch(used int64) {
	now := b.now()
	late := now-b.looked > slow
	if b.looks++; b.Longest > 0 {
		b.clock(now, used)
	}
	b.pass(now)
	if late || b.Wary || b.looks >= watchEvery/lookEvery {
		if err := b.Watch(); err != nil && b.cause == nil {
			b.cause = err
		}
		b.looks = 0
	}
	b.looked, b.look = now, used+b.every(late)
}

// clock counts the time of the steps since the last look, and stops the script after Longest.
//
// Why is there a most for a step? The clock goes on while the machine runs another program, and
// while a function of the host works. Neither takes steps. So a script that takes few is never
// stopped by the clock, whatever happens beside it.
func (b *Budget) clock(now time.Duration, used int64) {
	b.took += min(now-b.looked, time.Duration(used-b.timed)*slowestStep)
	if b.timed = used; b.took <= b.Longest || b.cause != nil {
		return
	}
	e := diag.Reached(b.LongestName, "script ran too long: its %s instructions took %v of %v", diag.Grouped(used), b.took.Round(time.Microsecond), b.Longest)
	e.And(b.spots.Where())
	b.cause, b.late = e, true
}

// End counts the time of the last steps, which have ended.
func (b *Budget) End() {
	if b.Longest <= 0 || b.Watch == nil {
		return
	}
	if used := b.vm.Steps(); used-b.timed < fewSteps {
		b.took += time.Duration(used-b.timed) * step
	} else {
		b.took += min(b.now()-b.looked, time.Duration(used-b.timed)*slowestStep)
	}
	b.timed = b.vm.Steps()
}

// Took returns how long the steps since Reset have taken by the clock, where Longest is set.
func (b *Budget) Took() time.Duration { return b.took }

// Late reports whether Longest has stopped the script since Reset.
func (b *Budget) Late() bool { return b.late }

// Spent implements machine.Overseer: the error of a script that has used up its steps or its
// bytes.
func (b *Budget) Spent(th *machine.Thread, bytes bool) error {
	if b.cause != nil {
		return b.cause
	}
	if bytes {
		e := diag.Reached(cmp.Or(b.BytesName, "Bytes"), "script needs too much memory: made %s of %s bytes",
			diag.Grouped(b.vm.Bytes()), diag.Grouped(b.maxBytes))
		if th.Joins() {
			e.And(": a text that grows by .. is copied each time; put the pieces into a table, and join them with table.concat")
		}
		b.cause = e
		return b.cause
	}
	name := cmp.Or(b.Name, "Instructions")
	if b.limit <= 0 {
		b.cause = diag.Reached(name, "script ran too long: no instructions are left for it")
		return b.cause
	}
	used := max(b.vm.Steps(), b.limit+1) // with the instruction that is not executed any more
	e := diag.Reached(name, "script ran too long: used %s of %s instructions", diag.Grouped(used), diag.Grouped(b.limit))
	if b.limit >= notes.ManySteps {
		e.And(b.spots.Where())
	}
	b.cause = e
	return b.cause
}

// Made implements machine.Overseer.
func (b *Budget) Made(*machine.Thread) (next int64, err error) {
	next, err = b.Weigh(b.vm.Bytes())
	if err != nil && b.cause == nil {
		b.cause = err
	}
	return next, err
}

// Refuse stops the script at its next instruction, with an error.
// Whoever counts a limit of its own, outside of this package, ends the script by it.
func (b *Budget) Refuse(err error) {
	b.cause = err
	b.vm.Refuse(err)
}

// Stopped reports whether the budget has stopped a script since Reset.
func (b *Budget) Stopped() bool { return b.cause != nil }

// Err returns why the script must stop, or nil.
func (b *Budget) Err() error { return b.cause }

// Used returns how many steps were used since Reset.
func (b *Budget) Used() int64 { return b.vm.Steps() }

// Left returns how many steps may still be used: 0 if the script must stop.
func (b *Budget) Left() int64 {
	if b.cause != nil {
		return 0
	}
	return max(b.limit-b.vm.Steps(), 0)
}

// BytesLeft returns how many bytes may still be made.
func (b *Budget) BytesLeft() int64 {
	if b.maxBytes == 0 {
		return endlessRoom
	}
	return max(b.maxBytes-b.vm.Bytes(), 0)
}

// endlessRoom stands for no limit of bytes.
const endlessRoom = int64(1) << 62

// Clock returns the time of the last look at the clock, since the first one. Without Watch
// it is always zero.
func (b *Budget) Clock() time.Duration { return b.looked }

// Passed returns how much time has passed from Reset to the last look at the clock, a long time between two looks
// counting as Stretch: within it, the program may not have run at all. It has a meaning only with Watch.
func (b *Budget) Passed() time.Duration { return b.passed }
