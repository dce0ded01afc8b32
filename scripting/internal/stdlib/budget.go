package stdlib

import (
	"cmp"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
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
	// LongestText is how many bytes one text may have; zero or less means any
	// number.
	LongestText() int
}

const (
	// watchEvery is how many steps pass between two calls of Watch.
	watchEvery = 8192

	// lookEvery is how many pass between two looks at the clock, which bring the
	// next call of Watch forward when so few took longer than slow: then something
	// takes longer than it is charged for.
	lookEvery = 1024
	lookOften = 4 // after slow ones
	slow      = time.Millisecond
)

// A Budget is a context that ends a call after a number of instructions and of
// bytes. Set it with (*lua.LState).SetContext. It may be used again after Reset
// but not by two goroutines at the same time. The zero Budget allows nothing.
//
// Invariant: limit − left() is the number of instructions used. ahead counts down
// with each instruction and is below zero where check is passed: one number, so
// that an instruction costs one access to memory.
type Budget struct {
	// Watch, if set, is called now and then while a script runs: every 8,192
	// steps, and sooner when they are slow. An error stops the script with its
	// text. It is the place to look at the clock or the heap, for faults of the
	// host: where a script that it stops stops is not the same every time.
	Watch func() error

	// Inspect, if set, is called about every 4,000 instructions, at points that
	// depend on the number of instructions alone: what it stops, it stops at the
	// same place on every machine. The distances vary, so that no loop escapes it
	// by its rhythm.
	Inspect func() error

	// Name is the limit of instructions as scripting.Limits calls it. Empty means
	// "Instructions".
	Name string

	// BytesName is that of the limit of bytes. Empty means "Bytes".
	BytesName string

	// Wary has Watch called every few instructions, for one that allows a script next
	// to nothing.
	Wary bool

	// MaxText is how many bytes one text may have that a script makes. Zero or
	// less means any number.
	MaxText int

	ahead    int64 // steps before due is due
	check    int64 // the value of left at which it is
	limit    int64 // steps; the script stops when left falls below zero
	inspect  int64 // the value of left at which Inspect is due
	rhythm   uint32
	every    int64     // instructions until the next look at the clock
	looks    int       // since the last Watch
	base     time.Time // since which looked is counted: to read one clock is cheaper than both
	looked   time.Duration
	began    time.Duration
	bytes    int64 // left; only meaningful if capped
	maxBytes int64
	capped   bool
	cause    error
	closed   chan struct{}
	spots    map[spot]int64 // steps by where they went
	placed   int64          // how many of them that are
}

// left returns the steps that are left, below zero when there were too many.
func (b *Budget) left() int64 { return b.ahead + b.check }

// checkAt sets the value of left at which due is due.
func (b *Budget) checkAt(left int64) {
	b.ahead += b.check - left
	b.check = left
}

// stop makes every instruction from now on a due one.
func (b *Budget) stop() { b.checkAt(b.limit + 1) }

// Reset starts a new count. Without a positive number of bytes they are not
// limited.
func (b *Budget) Reset(steps, bytes int64) {
	b.ahead, b.check, b.limit = steps, 0, steps
	b.bytes, b.maxBytes, b.capped = bytes, bytes, bytes > 0
	b.cause = nil
	b.rhythm = 0
	if b.placed > 0 {
		clear(b.spots)
		b.placed = 0
	}
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

// plan computes when to look at the clock next, or to inspect.
func (b *Budget) plan() {
	next := b.inspect
	if left := b.left(); b.Watch != nil && left > b.every {
		next = max(next, left-b.every)
	}
	b.checkAt(next)
}

// inspectEvery is the mean distance between two calls of Inspect.
const inspectEvery = 4096

// planInspect computes when to inspect next: after half to one and a half of
// the mean distance, by a generator that starts anew with each call.
func (b *Budget) planInspect() {
	b.inspect = 0
	if b.Inspect != nil {
		b.rhythm = b.rhythm*1664525 + 1013904223
		b.inspect = max(b.left()-inspectEvery/2-int64(b.rhythm>>20), 0)
	}
}

// watch calls Watch if it is time.
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

// look has Watch look, for steps that nothing counts as they are taken.
func (b *Budget) look() {
	if b.Watch != nil && b.cause == nil {
		b.watch()
	}
	if b.cause != nil {
		b.stop()
	}
}

// Clock returns when the budget last looked at the clock, since its first look. It
// stands still without Watch.
func (b *Budget) Clock() time.Duration { return b.looked }

// Refuse stops the script at its next instruction, with the text of the error.
func (b *Budget) Refuse(err error) {
	b.cause = err
	b.stop()
}

// Began returns when the count began; only meaningful with Watch.
func (b *Budget) Began() time.Time { return b.base.Add(b.began) }

// Used returns how many steps were used since Reset.
func (b *Budget) Used() int64 { return b.limit - b.left() }

// Left returns how many steps may still be used: none when the script is to stop.
func (b *Budget) Left() int64 {
	if b.cause != nil {
		return 0
	}
	return max(b.left(), 0)
}

// Spend counts steps that were taken outside of the VM. It stops nothing: if
// they were too many, or took too long, the next instruction does.
func (b *Budget) Spend(steps int64) {
	if steps > 0 {
		b.ahead -= steps
		b.look()
	}
}

// Take counts steps that were taken outside of the VM, and does nothing else: what
// is due then is done by Attend, or by the next instruction.
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

// TakeBytes counts bytes of small values that were made outside of the VM, without
// their steps.
func (b *Budget) TakeBytes(n int64) {
	if b.capped {
		b.bytes -= n
	}
}

// Attend does what is due, if anything is. It stops nothing: if there is a reason
// to, the next instruction does.
func (b *Budget) Attend() {
	if b.ahead < 0 {
		b.due()
	}
}

// Spent tells whether the budget stopped a script since Reset.
func (b *Budget) Spent() bool { return b.cause != nil }

// Done counts one instruction. It returns a closed channel when the script must
// stop, and nil, which never delivers, until then.
func (b *Budget) Done() <-chan struct{} {
	if b.ahead--; b.ahead >= 0 {
		return nil
	}
	return b.due()
}

// due looks at the clock, or stops the script when nothing is left.
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

func (b *Budget) tooLong() error {
	name := cmp.Or(b.Name, "Instructions")
	if b.limit <= 0 {
		return diag.Reached(name, "script ran too long: no instructions are left for it")
	}
	return diag.Reached(name, "script ran too long: used %s of %s instructions", diag.Grouped(b.Used()), diag.Grouped(b.limit)).And(b.where())
}

// attend does what is due while there is something left.
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

// Charge implements Meter.
func (b *Budget) Charge(L *lua.LState, steps int) {
	b.ahead -= int64(max(steps, 0))
	if b.ahead < 0 && b.due() != nil {
		raiseAt(L, 1, fault.Caught(b.cause, nil))
	}
}

// Alloc implements Meter.
func (b *Budget) Alloc(L *lua.LState, bytes int) {
	if b.capped && b.cause == nil {
		if b.bytes -= int64(max(bytes, 0)); b.bytes < 0 {
			b.tooMuch()
		}
	}
	b.Charge(L, bytes/bytesPerStep)
}

// bytesPerStepGrown is how many bytes of small values take as long as a step: to find
// room for each, and to collect it, takes longer than to fill it.
const bytesPerStepGrown = 16

// grow counts bytes of small values. It stops nothing: if they were too many, the next
// instruction does.
func (b *Budget) grow(bytes int64) {
	b.ahead -= bytes / bytesPerStepGrown
	if b.capped {
		if b.bytes -= bytes; b.bytes < 0 && b.cause == nil {
			b.tooMuch()
		}
	}
}

// tooMuch stops the script because of the bytes.
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

// Deadline implements context.Context: there is none.
func (b *Budget) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context: there are none.
func (b *Budget) Value(any) any { return nil }

// Charge counts steps that the host took for a script on the meter of L, if any.
func Charge(L *lua.LState, steps int) { charge(L, steps) }

// charge counts steps on the meter of L, if any.
func charge(L *lua.LState, steps int) {
	if meter, ok := L.Context().(Meter); ok {
		meter.Charge(L, steps)
	}
}

// longest is how many bytes a text may have where no meter says so; more would
// be a slip.
const longest = 1 << 30

// fits raises an error in L when one text is not to have so many bytes.
func fits(L *lua.LState, bytes int) {
	limit := longest
	if meter, ok := L.Context().(Meter); ok && meter.LongestText() > 0 {
		limit = min(meter.LongestText(), longest)
	}
	if bytes > limit || bytes < 0 {
		raiseAt(L, 1, diag.Reached("String", "string too long: %s of %s bytes", diag.Grouped(int64(bytes)), diag.Grouped(int64(limit))))
	}
}

// newText counts the bytes of a text that is about to be made.
func newText(L *lua.LState, bytes int) {
	fits(L, bytes)
	alloc(L, bytes)
}

// alloc counts bytes on the meter of L, if any.
func alloc(L *lua.LState, bytes int) {
	if meter, ok := L.Context().(Meter); ok {
		meter.Alloc(L, bytes)
	}
}
