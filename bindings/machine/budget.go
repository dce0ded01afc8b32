package machine

import (
	"errors"
	"math"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// Overseer is who bounds what a machine does. The machine counts by itself, and asks the
// overseer at points that depend on nothing but the count.
type Overseer interface {
	// Look is called after about so many steps as the last call has returned, at the next
	// jump, call or return. An error stops the script, and every attempt to go on.
	Look(th *Thread) (steps int64, err error)
	// Glance is called inside of a native that works longer than a Look may be late, again
	// after about so many steps. An error stops the script.
	Glance() (steps int64, err error)
	// Spent returns the error of a script that has used up its steps, or its bytes.
	Spent(th *Thread, bytes bool) error
	// Made is called when the call has made as many bytes as it was to be called at. It returns
	// at how many it is to be called next; 0: never.
	Made(th *Thread) (bytes int64, err error)
}

// budget counts the steps and the bytes of a call from the host: one for each instruction of
// the bytecode that is executed, and what natives and large values add.
//
// Invariants: soft ≤ limit, and below it by as much as can be executed between two looks at
// it, unless the machine looks before each instruction. Once cause is set, soft is below
// taken: the script stops at once, whatever it catches. soonest is the lower one of maxBytes and
// askBytes.
type budget struct {
	taken    int64
	limit    int64 // the instruction that would be number limit + 1 is not executed
	soft     int64 // the count at which attend is called
	look     int64 // the count at which the overseer looks
	due      int64 // the count beyond which a native is stopped, or the overseer glances
	began    int64 // of bytes
	maxBytes int64 // the value of Heap.Taken beyond which the script stops
	askBytes int64 // the same, beyond which the overseer is told
	soonest  int64 // the lower one of the two
	longest  int64 // instructions of the longest function
	overseer Overseer
	cause    *diag.Error // why the script must stop; nil: it may go on
}

const endless = math.MaxInt64 / 2

// What work costs, in steps of about ten nanoseconds.
const (
	bytesPerStep  = 64 // to fill or copy
	readPerStep   = 8  // to read one by one
	valuesPerStep = 8  // to move
	errorSteps    = 500
	frameSteps    = 250
	short         = 64 // bytes up to which a text costs nothing extra
)

// glanceAfter is by how many steps a native makes a look late before the overseer glances.
const glanceAfter = 1024

// Start begins a new count. The script stops before the instruction that would be number
// steps + 1. Neither is bounded where it is below 0, nor bytes where they are 0.
func (vm *VM) Start(steps, bytes int64, o Overseer) {
	b := &vm.budget
	vm.placed = placed{}
	if steps < 0 {
		steps = endless
	}
	b.taken, b.limit, b.look, b.overseer, b.cause = 0, steps, endless, o, nil
	b.began, b.maxBytes, b.askBytes = vm.Heap.Taken, endless, endless
	if bytes > 0 {
		b.maxBytes = b.began + bytes
	}
	b.soonest = b.maxBytes
	if o != nil {
		b.look = 0 // it says at once when it wants to look
	}
	b.soft, b.due = 0, steps
}

// Ask has the overseer told when the call has made so many bytes, at the next jump, call or return
// after that. It depends on nothing but the count.
func (vm *VM) Ask(bytes int64) {
	vm.askAt(bytes)
	vm.noteBytes()
}

// askAt says when the overseer is told next; 0: never.
func (vm *VM) askAt(bytes int64) {
	if vm.askBytes = endless; bytes > 0 {
		vm.askBytes = vm.began + bytes
	}
	vm.soonest = min(vm.maxBytes, vm.askBytes)
}

// Stop ends the count of a call: nothing is bounded until the next one.
func (vm *VM) Stop() {
	taken := vm.taken
	vm.Start(-1, 0, nil)
	vm.taken = taken
}

// Refuse stops the script that runs, or that is about to run, with an error.
func (vm *VM) Refuse(err error) {
	if vm.cause == nil {
		if vm.cause = asError(err); vm.running.Here().Line != 0 {
			vm.cause = vm.running.first(vm.cause)
		}
	}
	vm.soft = 0
}

// Refused returns why the script must stop, nil if it may go on.
func (vm *VM) Refused() error {
	if vm.cause == nil {
		return nil
	}
	return vm.cause
}

// asError returns an error as a fault of a script.
func asError(err error) *diag.Error {
	var e *diag.Error
	if errors.As(err, &e) {
		return e
	}
	return &diag.Error{Message: err.Error(), Err: err}
}

// Steps returns how many were counted since Start.
func (vm *VM) Steps() int64 { return vm.taken }

// Left returns how many steps may still be used; 0 if the script must stop.
func (vm *VM) Left() int64 {
	if vm.cause != nil {
		return 0
	}
	return max(vm.limit-vm.taken, 0)
}

// Take counts steps, and raises nothing: if they were too many, the next instruction does.
func (vm *VM) Take(steps int64) {
	if steps > 0 {
		vm.taken += steps
	}
}

// Bytes returns how many were counted since Start.
func (vm *VM) Bytes() int64 { return vm.Heap.Taken - vm.began }

// BytesLeft returns how many bytes may still be made.
func (vm *VM) BytesLeft() int64 { return max(vm.maxBytes-vm.Heap.Taken, 0) }

// TakeBytes counts bytes, and raises nothing: if they were too many, the next instruction
// that looks at the budget does.
func (vm *VM) TakeBytes(n int64) {
	vm.Heap.Taken += n
	vm.noteBytes()
}

// Charge counts steps of a native, and raises the error of a spent budget.
func (vm *VM) Charge(th *Thread, steps int) { vm.charge(th, max(steps, 0)) }

func (vm *VM) charge(th *Thread, steps int) {
	if vm.taken += int64(steps); vm.taken > vm.due || vm.cause != nil {
		vm.overdue(th)
	}
}

// overdue raises the error of a script that must stop, or has the overseer glance at it.
func (vm *VM) overdue(th *Thread) {
	if vm.taken > vm.limit || vm.cause != nil {
		vm.spend(th, false)
	}
	steps, why := vm.overseer.Glance()
	if why != nil {
		vm.cause = th.first(asError(why))
		vm.spend(th, false)
	}
	vm.due = min(vm.limit, vm.taken+max(steps, 1))
}

// Alloc counts bytes of a text, with the steps to fill them.
func (vm *VM) Alloc(th *Thread, bytes int) {
	vm.Grow(th, int64(bytes))
	vm.charge(th, bytes/bytesPerStep)
}

// Grow counts bytes of small values.
func (vm *VM) Grow(th *Thread, bytes int64) {
	if vm.Heap.Taken += bytes; vm.Heap.Taken > vm.soonest {
		if vm.Heap.Taken > vm.maxBytes {
			vm.spend(th, true)
		}
		vm.soft = 0
	}
}

// noteBytes stops the script at its next instruction if it has made too many bytes, or the
// overseer is to be told.
func (vm *VM) noteBytes() {
	if vm.Heap.Taken > vm.soonest {
		vm.soft = 0
	}
}

// moved counts values that are copied or cleared. A few are part of the instruction.
func (vm *VM) moved(n int) {
	if n > 2*valuesPerStep {
		vm.taken += int64(n / valuesPerStep)
	}
}

// moving counts values that one thread gives to another, which may keep them.
func (vm *VM) moving(th *Thread, n int) {
	if n > 2*valuesPerStep {
		vm.charge(th, n)
		vm.Grow(th, int64(n)*4*int64(valueSize))
	}
}

// hashing counts the steps to look up a key: a long text is hashed byte by byte.
func (vm *VM) hashing(th *Thread, k *Value) {
	if k.n == tagStr {
		if n := len((*Str)(k.p).s); n > short {
			vm.charge(th, n/bytesPerStep)
		}
	}
}

// comparing counts the steps to compare two texts in order. It goes on as long as they are
// equal, so texts that soon differ cost nothing extra.
func (vm *VM) comparing(th *Thread, x, y string) {
	if n := min(len(x), len(y)); n > short && x[:short] == y[:short] {
		vm.charge(th, n/readPerStep)
	}
}

// spend raises the error of a script that has used too much. It raises it at each
// instruction from now on.
func (vm *VM) spend(th *Thread, bytes bool) {
	if vm.cause == nil {
		vm.cause = th.first(vm.spent(th, bytes))
	}
	vm.soft = 0
	th.Fail(vm.cause)
}

// first returns an error with the place and the calls at which it is raised first: it is raised
// again wherever a script catches it.
func (th *Thread) first(e *diag.Error) *diag.Error {
	here := th.traced(e)
	if here.Trace == nil {
		here.Trace = th.Trace()
	}
	return here
}

func (vm *VM) spent(th *Thread, bytes bool) *diag.Error {
	switch {
	case vm.overseer != nil:
		return asError(vm.overseer.Spent(th, bytes))
	case bytes:
		return diag.Reached("Bytes", "script needs too much memory: made %s of %s bytes", diag.Grouped(vm.Bytes()), diag.Grouped(vm.maxBytes-vm.began))
	}
	return diag.Reached("Instructions", "script ran too long: used %s of %s instructions", diag.Grouped(vm.taken), diag.Grouped(vm.limit))
}

// tell tells the overseer how much the call has made.
func (vm *VM) tell(th *Thread) {
	bytes, why := vm.overseer.Made(th)
	if why != nil {
		vm.cause, vm.soft = th.first(asError(why)), 0
		th.Fail(vm.cause)
	}
	if bytes > 0 {
		bytes = max(bytes, vm.Bytes()+1)
	}
	vm.askAt(bytes)
}

// attend does what is due before the next instruction of a thread, and says when it is to
// be called again.
func (vm *VM) attend(th *Thread) {
	switch {
	case vm.cause != nil:
		vm.soft = 0
		th.Fail(vm.cause)
	case vm.Heap.Taken > vm.maxBytes:
		vm.spend(th, true)
	case vm.taken >= vm.limit:
		vm.taken = max(vm.taken, vm.limit+1) // the instruction that would be one too many counts
		vm.spend(th, false)
	}
	if vm.Heap.Taken > vm.askBytes {
		vm.tell(th)
	}
	if vm.taken >= vm.look {
		steps, why := vm.overseer.Look(th)
		if why != nil {
			vm.cause, vm.soft = th.first(asError(why)), 0
			th.Fail(vm.cause)
		}
		vm.look = vm.taken + max(steps, 1)
		vm.due = min(vm.limit, vm.look+glanceAfter)
	}
	f := th.innermost()
	p, i := f.fn.proto, f.pc()
	if vm.limit-vm.taken <= vm.longest+2 {
		vm.soft = 0
		th.careful = min(th.careful, len(th.frames)-1)
		f.code = p.carefulAt(i)
		return
	}
	vm.soft = min(vm.limit-vm.longest-2, vm.look)
	f.code = p.at(i)
}
