//go:build !machine

package stdlib

import (
	"cmp"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/scripting/internal/library/notes"
	lua "github.com/yuin/gopher-lua"
)

// The budget of a call from the host: instructions and bytes, counted down, and the
// points at which the clock, the heap and the tables are looked at. loop.go asks it at
// each instruction; weigh.go says which instructions are more than one step.

// A Meter counts work that is done outside the VM. The meter of a call is the context of
// its Lua thread, if that implements Meter.
type Meter interface {
	// Charge counts steps, each about as much work as one VM instruction. It
	// raises a Lua error in L when too many were counted.
	Charge(L *lua.LState, steps int)
	// Alloc counts bytes, before they are allocated, and raises a Lua error in
	// L when they are too many.
	Alloc(L *lua.LState, bytes int)
	// LongestText is how many bytes one text may have; zero or less means any
	// number.
	LongestText() int
}

const (
	// watchEvery is how many steps pass between two calls of Watch.
	watchEvery = 8192

	// lookEvery is how many steps pass between two looks at the clock. If they took longer
	// than slow, something takes longer than it is charged for: Watch is called at once,
	// and the next look is after lookOften steps.
	lookEvery = 1024
	lookOften = 4
	slow      = time.Millisecond
)

// A Budget is a context that ends a call after a number of instructions, or of bytes. Set
// it with Attach. It may be used again after Reset, but not by two goroutines at the same
// time. The zero Budget allows nothing.
//
// Invariant: limit − left() is the number of instructions used. ahead counts down with each
// instruction, and is below zero when something is due: the clock, Inspect, or the end.
//
// Why two numbers for what is left? Each instruction must ask whether anything is due. With
// ahead that is one access to memory and one comparison with zero.
type Budget struct {
	// Watch, if set, is called while a script runs: every 8,192 steps, and sooner when
	// they are slow. An error that it returns stops the script. It is for limits on the
	// clock and the heap, which stop a script at another place in each run.
	Watch func() error

	// Inspect, if set, is called about every 4,000 instructions. The points depend only on
	// the number of instructions, so a script that it stops is stopped at the same place on
	// every machine. The distances vary, so that no loop can have the same rhythm.
	Inspect func() error

	// Name is the limit of instructions as scripting.Limits calls it. Empty means
	// "Instructions".
	Name string

	// BytesName is that of the limit of bytes. Empty means "Bytes".
	BytesName string

	// Wary has Watch called every few instructions, for a script that may use next to
	// nothing more.
	Wary bool

	// MaxText is how many bytes one text may have that a script makes. Zero or
	// less means any number.
	MaxText int

	ahead    int64         // steps until due must be called; below zero: now
	check    int64         // the value of left at which it must be
	limit    int64         // steps in all; the script stops when left falls below zero
	inspect  int64         // the value of left at which Inspect is due
	rhythm   uint32        // state of the generator of the distances between two calls of Inspect
	every    int64         // instructions between two looks at the clock
	looks    int           // since the last Watch
	base     time.Time     // when this budget was first used; a duration since it needs one clock, not two
	looked   time.Duration // since base: the last look at the clock
	began    time.Duration // since base: the last Reset
	bytes    int64         // that may still be made; only meaningful if capped
	maxBytes int64
	capped   bool          // bytes are limited
	cause    error         // why the script must stop; nil: it may go on
	closed   chan struct{} // made once, returned by Done when the script must stop
	spots    notes.Spots
}

// left returns the steps that are left, below zero when there were too many.
func (b *Budget) left() int64 { return b.ahead + b.check }

// checkAt sets the value of left at which due must be called, and keeps left as it is.
// Everything but Reset that changes check goes through here, which keeps the
// invariant above.
func (b *Budget) checkAt(left int64) {
	b.ahead += b.check - left
	b.check = left
}

// stop makes due be called at every instruction from now on.
// left is never above limit, so ahead is below zero until Reset, whatever the script
// catches.
func (b *Budget) stop() { b.checkAt(b.limit + 1) }

// Reset begins a new count. If bytes is not positive, bytes are not limited.
// The host calls it before each call into a script. It allocates nothing.
func (b *Budget) Reset(steps, bytes int64) {
	b.ahead, b.check, b.limit = steps, 0, steps
	b.bytes, b.maxBytes, b.capped = bytes, bytes, bytes > 0
	b.cause = nil
	b.rhythm = 0
	b.spots.Reset()
	b.planInspect()
	b.looks, b.every = 0, lookEvery
	if b.Wary {
		b.every = lookOften
	}
	if b.Watch != nil {
		if b.base.IsZero() {
			b.base = time.Now()
		}
		b.looked = time.Since(b.base)
		b.began = b.looked
	}
	b.plan()
}

// plan computes when due must be called next: for the clock or for Inspect, whichever
// comes first.
// Without Watch and Inspect that is zero: nothing is due before the end.
func (b *Budget) plan() {
	next := b.inspect
	if left := b.left(); b.Watch != nil && left > b.every {
		next = max(next, left-b.every)
	}
	b.checkAt(next)
}

// inspectEvery is the mean distance between two calls of Inspect.
const inspectEvery = 4096

// planInspect computes when to inspect next: after half to one and a half of the mean
// distance. The generator begins anew in each call of the host, so the same call is
// inspected at the same instructions in each run.
func (b *Budget) planInspect() {
	b.inspect = 0
	if b.Inspect != nil {
		b.rhythm = b.rhythm*1664525 + 1013904223
		b.inspect = max(b.left()-inspectEvery/2-int64(b.rhythm>>20), 0)
	}
}

// watch looks at the clock, and calls Watch if enough steps have passed or if the last
// ones were slow.
// It is reached after b.every steps, so a fast script reads the clock once in
// lookEvery steps and asks Watch at each eighth of these looks.
func (b *Budget) watch() {
	now := time.Since(b.base)
	b.looks++
	b.every = lookEvery
	if now-b.looked > slow || b.Wary {
		b.every = lookOften
		b.looks = watchEvery
	}
	if b.looks >= watchEvery/lookEvery {
		b.cause = b.Watch()
		b.looks = 0
	}
	b.looked = now
	b.plan()
}

// look has Watch look at once, after steps that were counted in one sum, such as those of
// a function that ran beside the VM.
func (b *Budget) look() {
	if b.Watch != nil && b.cause == nil {
		b.watch()
	}
	if b.cause != nil {
		b.stop()
	}
}

// Clock returns the time of the last look at the clock, since the first one. Without Watch
// it is always zero.
func (b *Budget) Clock() time.Duration { return b.looked }

// Refuse stops the script at its next instruction, with an error.
// Whoever counts a limit of its own, outside of this package, ends the script by it.
func (b *Budget) Refuse(err error) {
	b.cause = err
	b.stop()
}

// Began returns when the count began. It has a meaning only with Watch.
func (b *Budget) Began() time.Time { return b.base.Add(b.began) }

// Used returns how many steps were used since Reset.
func (b *Budget) Used() int64 { return b.limit - b.left() }

// Left returns how many steps may still be used: 0 if the script must stop.
func (b *Budget) Left() int64 {
	if b.cause != nil {
		return 0
	}
	return max(b.left(), 0)
}

// Spend counts steps that were taken outside of the VM. It raises no error: if they were
// too many, or took too long, the next instruction does.
func (b *Budget) Spend(steps int64) {
	if steps > 0 {
		b.ahead -= steps
		b.look()
	}
}

// Take counts steps that were taken outside of the VM, and does nothing else. If something
// becomes due by that, Attend or the next instruction does it.
func (b *Budget) Take(steps int64) { b.ahead -= steps }

// Room returns how many bytes may still be made.
func (b *Budget) Room() int64 {
	if !b.capped {
		return endlessRoom
	}
	return max(b.bytes, 0)
}

// endlessRoom stands for no limit of bytes.
const endlessRoom = int64(1) << 62

// TakeBytes counts bytes of small values that were made outside of the VM. The steps to
// make them are counted by Take.
func (b *Budget) TakeBytes(n int64) {
	if b.capped {
		b.bytes -= n
	}
}

// Attend does what is due. It raises no error: if the script must stop, the next
// instruction raises it.
// Code that runs a function beside the VM calls it between steps of its own.
func (b *Budget) Attend() {
	if b.ahead < 0 {
		b.due()
	}
}

// Spent reports whether the budget has stopped a script since Reset.
func (b *Budget) Spent() bool { return b.cause != nil }

// Done counts one instruction: the VM asks the context for it before each one. It returns
// nil while the script may go on, and a closed channel when it must stop. A nil channel
// never delivers, and costs no memory.
func (b *Budget) Done() <-chan struct{} {
	if b.ahead--; b.ahead >= 0 {
		return nil
	}
	return b.due()
}

// due does what is due, and returns a closed channel if the script must stop. It is the
// slow path of Done, about once in a thousand instructions.
func (b *Budget) due() <-chan struct{} {
	if b.cause == nil && b.left() >= 0 {
		b.attend()
	}
	if b.cause == nil && b.left() < 0 {
		b.cause = b.tooLong()
	}
	if b.cause == nil {
		return nil
	}
	b.stop()
	if b.closed == nil {
		b.closed = make(chan struct{})
		close(b.closed)
	}
	return b.closed
}

// tooLong is the error of a script that has used up its instructions; it names the lines
// that used most of them.
func (b *Budget) tooLong() error {
	name := cmp.Or(b.Name, "Instructions")
	if b.limit <= 0 {
		return diag.Reached(name, "script ran too long: no instructions are left for it")
	}
	return diag.Reached(name, "script ran too long: used %s of %s instructions", diag.Grouped(b.Used()), diag.Grouped(b.limit)).And(b.where())
}

// where says which lines have used most of the instructions.
func (b *Budget) where() string {
	if b.limit < notes.ManySteps {
		return ""
	}
	return b.spots.Where()
}

// spotted takes a sample: the line that a thread is at.
func (b *Budget) spotted(L *lua.LState) {
	f := stateOf(L).CurrentFrame
	if f == nil || f.Fn.IsG || f.Pc == 0 || f.Fn.Proto.SourceName == "" {
		return
	}
	b.spots.Add(f.Fn.Proto.SourceName, f.Fn.Proto.DbgSourcePositions[f.Pc-1], b.Used())
}

// attend calls Inspect and Watch if they are due, and plans the next calls.
func (b *Budget) attend() {
	if b.Inspect != nil && b.left() < b.inspect {
		b.cause = b.Inspect()
		b.planInspect()
	}
	if b.cause == nil && b.Watch != nil {
		b.watch()
	}
	if b.cause == nil {
		b.plan()
	}
}

// Err returns why the script must stop, or nil.
func (b *Budget) Err() error { return b.cause }

// Charge implements Meter. The error has the place of the function that called the
// library, because the steps were taken inside of it.
func (b *Budget) Charge(L *lua.LState, steps int) {
	b.ahead -= int64(max(steps, 0))
	if b.ahead < 0 && b.due() != nil {
		raiseAt(L, 1, fault.Caught(b.cause, nil))
	}
}

// Alloc implements Meter. To fill bytes takes time, too: they are charged as steps.
func (b *Budget) Alloc(L *lua.LState, bytes int) {
	// The first reason to stop stays the one that is reported.
	if b.capped && b.cause == nil {
		if b.bytes -= int64(max(bytes, 0)); b.bytes < 0 {
			b.tooMuch()
		}
	}
	b.Charge(L, bytes/bytesPerStep)
}

// bytesPerStepGrown is how many bytes of small values take as long as a step. That is fewer
// than bytesPerStep, because each value has to be allocated and collected.
const bytesPerStepGrown = 16

// grow counts bytes of small values. It raises no error: if they were too many, the next
// instruction does.
func (b *Budget) grow(bytes int64) {
	b.ahead -= bytes / bytesPerStepGrown
	if b.capped {
		if b.bytes -= bytes; b.bytes < 0 && b.cause == nil {
			b.tooMuch()
		}
	}
}

// tooMuch stops the script because it has made too many bytes.
func (b *Budget) tooMuch() {
	b.cause = diag.Reached(cmp.Or(b.BytesName, "Bytes"), "script needs too much memory: made %s of %s bytes",
		diag.Grouped(b.maxBytes-b.bytes), diag.Grouped(b.maxBytes))
	b.stop()
}

// Grow counts the bytes of small values before they are made, and raises an error in L
// when they are too many.
func (b *Budget) Grow(L *lua.LState, bytes int) {
	b.grow(int64(max(bytes, 0)))
	b.Charge(L, 0)
}

// LongestText implements Meter.
func (b *Budget) LongestText() int { return b.MaxText }

// Deadline implements context.Context: a budget has no deadline, because the clock is read
// by Watch.
func (b *Budget) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context: a budget holds no values.
func (b *Budget) Value(any) any { return nil }

// Charge counts steps that the host has taken for a script, on the meter of L if it has
// one.
func Charge(L *lua.LState, steps int) { charge(L, steps) }

// charge counts steps on the meter of L, if it has one.
func charge(L *lua.LState, steps int) {
	if meter, ok := L.Context().(Meter); ok {
		meter.Charge(L, steps)
	}
}

// longest is how many bytes a text may have without a meter. A longer one is a mistake, and
// might not fit into memory.
const longest = 1 << 30

// fits raises an error in L if one text must not have so many bytes.
func fits(L *lua.LState, bytes int) {
	limit := longest
	if meter, ok := L.Context().(Meter); ok && meter.LongestText() > 0 {
		limit = min(meter.LongestText(), longest)
	}
	if bytes > limit || bytes < 0 {
		raiseAt(L, 1, diag.Reached("String", "string too long: %s of %s bytes", diag.Grouped(int64(bytes)), diag.Grouped(int64(limit))))
	}
}

// newText counts the bytes of a text before it is made, so that a script which may not
// have it does not take the memory for a moment.
func newText(L *lua.LState, bytes int) {
	fits(L, bytes)
	alloc(L, bytes)
}

// alloc counts bytes on the meter of L, if it has one.
func alloc(L *lua.LState, bytes int) {
	if meter, ok := L.Context().(Meter); ok {
		meter.Alloc(L, bytes)
	}
}
