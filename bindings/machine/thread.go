package machine

// Thread is a coroutine, or the main thread of a machine: a stack of values and one of
// frames. It needs no goroutine, so one that is never finished costs nothing but its memory.
//
// Lifetimes: a thread belongs to its VM, and with it to one goroutine at a time.
type Thread struct {
	vm      *VM
	stack   []Value
	frames  []frame
	open    *Upvalue // captured registers, the highest first
	top     int      // behind the last of the values where their number is open
	root    Call     // the outermost level
	call    *Call    // the innermost native that runs, or root
	status  Status
	body    *Function
	resumer *Thread
	entries int // calls from Go into the loop that stand on this thread: none may be yielded across
	wrapped bool
	mark    uint32
	// Host is free for the host.
	Host any
}

// Status says what a thread does.
type Status uint8

// What a thread can be at.
const (
	Suspended Status = iota
	Running
	Normal // it has resumed another one, and waits for it
	Dead
)

// String returns the status in the words of coroutine.status.
func (s Status) String() string { return [...]string{"suspended", "running", "normal", "dead"}[s] }

// VM returns the machine of the thread.
func (th *Thread) VM() *VM { return th.vm }

// Status returns what the thread does.
func (th *Thread) Status() Status { return th.status }

// Body returns the function that a coroutine began with, nil for the main thread and for one
// that has ended.
func (th *Thread) Body() *Function { return th.body }

// Current returns the call of the innermost native that runs on the thread, or its outermost
// level.
func (th *Thread) Current() *Call { return th.call }

// Run calls a function from the host. It never panics: what was raised is returned.
func (th *Thread) Run(f Value, args ...Value) ([]Value, *Raised) { panic("to be written") }

// Protect calls f as a protected call does, with all that f calls on this thread: what is
// raised inside is returned, and the thread is as it was before.
func (th *Thread) Protect(f func()) *Raised { panic("to be written") }

// Call calls a value from a native.
func (th *Thread) Call(f Value, args ...Value) []Value { panic("to be written") }

// Call1 is Call for one result.
func (th *Thread) Call1(f Value, args ...Value) Value { panic("to be written") }

// Resume runs a coroutine until it yields, ends or fails, from Go.
func (th *Thread) Resume(co *Thread, args ...Value) ([]Value, *Raised) { panic("to be written") }

// Index is t[k] with metamethods.
func (th *Thread) Index(t, k Value) Value { panic("to be written") }

// SetIndex is t[k] = v with metamethods.
func (th *Thread) SetIndex(t, k, v Value) { panic("to be written") }

// Equal is a == b with metamethods.
func (th *Thread) Equal(a, b Value) bool { panic("to be written") }

// Less is a < b with metamethods.
func (th *Thread) Less(a, b Value) bool { panic("to be written") }

// Length is #v with metamethods.
func (th *Thread) Length(v Value) Value { panic("to be written") }

// Concat is a .. b with metamethods.
func (th *Thread) Concat(a, b Value) Value { panic("to be written") }

// reserve makes room for n values in all.
func (th *Thread) reserve(n int) { panic("to be written") }

func (th *Thread) callTop(c *Call, n, results int) { panic("to be written") }

// frame is a call of a function of Lua, or what the loop has to do when such a call is done.
type frame struct {
	fn   *Function
	base int
}
