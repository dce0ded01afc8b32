package lualib

import (
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// A Meter is told about work done outside the VM. The meter of a call is the
// context of its Lua thread, if that implements Meter.
type Meter interface {
	// Charge counts steps, each about as much work as one VM instruction. It
	// raises a Lua error in L when too many were counted.
	Charge(L *lua.LState, steps int)
	// Alloc counts bytes, before they are allocated, and raises a Lua error in
	// L when they are too many.
	Alloc(L *lua.LState, bytes int)
}

// bytesPerStep is how many bytes cost as much as one instruction to fill.
const bytesPerStep = 64

const (
	// watchEvery is how many instructions pass between two calls of Watch.
	watchEvery = 1024

	// lookEvery is how many pass between two looks at the clock, which bring the
	// next call of Watch forward when so few took longer than slow. An
	// instruction may be slow: t[100000] = 1 fills an array.
	lookEvery = 64
	slow      = time.Millisecond
)

// A Budget is a context that ends a call after a number of instructions and of
// bytes. Set it with (*lua.LState).SetContext. It may be used again after Reset
// but not by two goroutines at the same time. The zero Budget allows nothing.
//
// Invariant: limit − left is the number of instructions used.
type Budget struct {
	// Watch, if set, is called now and then while a script runs: every 1,024
	// instructions, and sooner when they are slow. An error stops the script with
	// its text. It is the place to look at the clock or the heap, and the only
	// bound on instructions that take long or much memory each. Where a script
	// that it stops stops is not the same every time.
	Watch func() error

	left, limit int64 // steps; the script stops when left falls below zero
	check       int64 // the value of left at which due is due
	looks       int   // since the last Watch
	looked      time.Time
	spared      int64 // steps that were granted to go uncounted
	bytes       int64 // left; only meaningful if capped
	capped      bool
	cause       error
	closed      chan struct{}
}

// Reset starts a new count. Without a positive number of bytes they are not
// limited.
func (b *Budget) Reset(steps, bytes int64) {
	b.left, b.limit, b.spared = steps, steps, 0
	b.bytes, b.capped = bytes, bytes > 0
	b.cause = nil
	b.looks = 0
	if b.Watch != nil {
		b.looked = time.Now()
	}
	b.plan()
}

// plan computes when to look at the clock next.
func (b *Budget) plan() {
	b.check = 0
	if b.Watch != nil && b.left > lookEvery {
		b.check = b.left - lookEvery
	}
}

// watch calls Watch if it is time.
func (b *Budget) watch() {
	now := time.Now()
	b.looks++
	if b.looks >= watchEvery/lookEvery || now.Sub(b.looked) > slow {
		b.cause = b.Watch()
		b.looks = 0
	}
	b.looked = now
	b.plan()
}

// maxSpared is how many steps may go uncounted at once: about 10 ms in which
// nothing looks at the clock.
const maxSpared = 1 << 20

// Spare grants so many steps that will not be counted, because the caller knows
// that there will be no more. They come out of a second budget, as large as
// what is left of the first: grants are for the most that code might use, and
// charging those would stop scripts that use less.
func (b *Budget) Spare(steps int64) bool {
	if b.cause != nil || steps > maxSpared || steps > b.left-b.spared {
		return false
	}
	b.spared += steps
	b.look()
	return b.cause == nil
}

// look has Watch look, for steps that nothing counts as they are taken.
func (b *Budget) look() {
	if b.Watch != nil && b.cause == nil {
		b.watch()
	}
	if b.cause != nil {
		b.check = b.limit + 1 // the next instruction stops
	}
}

// Used returns how many steps were used since Reset.
func (b *Budget) Used() int64 { return b.limit - b.left }

// Left returns how many steps may still be used: none when the script is to stop.
func (b *Budget) Left() int64 {
	if b.cause != nil {
		return 0
	}
	return max(b.left, 0)
}

// Spend counts steps that were taken outside of the VM. It stops nothing: if
// they were too many, or took too long, the next instruction does.
func (b *Budget) Spend(steps int64) {
	if steps > 0 {
		b.left -= steps
		b.look()
	}
}

// Spent tells whether the budget stopped a script since Reset.
func (b *Budget) Spent() bool { return b.cause != nil }

// Done counts one instruction. It returns a closed channel when the script must
// stop, and nil, which never delivers, until then.
func (b *Budget) Done() <-chan struct{} {
	if b.left--; b.left >= b.check {
		return nil
	}
	return b.due()
}

// due looks at the clock, or stops the script when nothing is left.
func (b *Budget) due() <-chan struct{} {
	if b.cause == nil && b.left >= 0 && b.Watch != nil {
		b.watch()
	}
	if b.cause == nil && b.left < 0 {
		b.cause = fmt.Errorf("script ran too long: more than %d instructions", b.limit)
	}
	if b.cause == nil {
		return nil
	}
	b.check = b.limit + 1 // so that every later instruction stops, too
	if b.closed == nil {
		b.closed = make(chan struct{})
		close(b.closed)
	}
	return b.closed
}

// Err returns why the script must stop, or nil.
func (b *Budget) Err() error { return b.cause }

// Charge implements Meter.
func (b *Budget) Charge(L *lua.LState, steps int) {
	b.left -= int64(max(steps, 0))
	if b.left < b.check && b.due() != nil {
		raise(L, b.cause.Error())
	}
}

// Alloc implements Meter.
func (b *Budget) Alloc(L *lua.LState, bytes int) {
	if b.capped && b.cause == nil {
		if b.bytes -= int64(max(bytes, 0)); b.bytes < 0 {
			b.cause = fmt.Errorf("script needs too much memory")
			b.check = b.limit + 1
		}
	}
	b.Charge(L, bytes/bytesPerStep)
}

// Deadline implements context.Context: there is none.
func (b *Budget) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context: there are none.
func (b *Budget) Value(any) any { return nil }

// charge counts steps on the meter of L, if any.
func charge(L *lua.LState, steps int) {
	if meter, ok := L.Context().(Meter); ok {
		meter.Charge(L, steps)
	}
}

// alloc counts bytes on the meter of L, if any.
func alloc(L *lua.LState, bytes int) {
	if meter, ok := L.Context().(Meter); ok {
		meter.Alloc(L, bytes)
	}
}
