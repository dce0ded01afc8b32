package machine

import (
	"math"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// Coroutines. The thread that resumes another one has a mark on top of its frames, and so
// has the one that yields: to switch means to go on with the frames of the other.

// firstRegisters is how many values a new coroutine has room for, beyond its function's.
const firstRegisters = 16

// threadBytes is about how much memory a coroutine takes, without its registers.
const threadBytes = 512

// noFrame is the index of no frame.
const noFrame = math.MaxInt

// NewThread makes a coroutine that begins with a function.
func (vm *VM) NewThread(body *Function) *Thread {
	size := firstRegisters
	if body != nil && body.proto != nil {
		size += body.proto.size + body.proto.params
	}
	vm.Heap.Grow(threadBytes + size*int(valueSize))
	th := &Thread{vm: vm, body: body, careful: noFrame, epoch: vm.epoch}
	th.stack, th.frames = vm.usedStacks.get(size), vm.usedFrames.get(firstFrames)[:0]
	th.call = &th.root
	th.root.th = th
	if body != nil {
		th.stack[0] = OfFunction(body)
	}
	th.room = min(cap(th.frames), vm.Depth)
	return th
}

// freeStacks are stacks of coroutines that need them no more, for the next ones. They are few and
// small, and hold nothing.
type freeStacks[T any] struct {
	list [8][]T
	n    int
	next int // which one another takes the place of, where there are so many
}

// mostReused is how many values or frames a stack has at most that is used again.
const mostReused = 128

// get returns a stack of so many elements. One that is used again has the very size that a new
// one would have: a script holds as much, whatever others have done.
func (u *freeStacks[T]) get(size int) []T {
	for i := u.n - 1; i >= 0; i-- {
		if s := u.list[i]; len(s) == size {
			u.n--
			u.list[i] = u.list[u.n]
			u.list[u.n] = nil
			return s
		}
	}
	return make([]T, size)
}

// keep keeps a stack.
func (u *freeStacks[T]) keep(s []T) {
	if len(s) > mostReused {
		return
	}
	clear(s)
	if u.n < len(u.list) {
		u.list[u.n] = s
		u.n++
		return
	}
	u.list[u.next] = s
	u.next = (u.next + 1) % len(u.list)
}

// resume is coroutine.resume(co, …).
func (th *Thread) resume(fn *Function, c callee) outcome {
	co := th.argument(c, 1).Thread()
	if co == nil {
		return th.failArgument(c, fn, 1, "coroutine expected, got "+typeOf(c.args >= 1, th.argument(c, 1)))
	}
	if out, deep := th.tooNested(c); deep {
		return out
	}
	if co.status != Suspended {
		th.pushMark(ofLua, nil, c.at, c)
		return th.failWith(c.at, th.vm.text(co.notResumable()))
	}
	if co.isShut() {
		th.Failf("%s", shutOut)
	}
	th.pushMark(ofResume, fn, c.at, c)
	return th.switchTo(co, c.at+2, c.args-1)
}

// resumeWrapped is the call of a function that wrap has made.
func (th *Thread) resumeWrapped(fn *Function, c callee) outcome {
	co := fn.up[0].Get().Thread()
	if th.vm.nested >= th.vm.Nesting {
		th.Fail(th.tooDeep())
	}
	if co.status != Suspended {
		th.Failf("%s", co.notResumable())
	}
	if co.isShut() {
		th.Failf("%s", shutOut)
	}
	th.pushMark(ofWrapped, fn, c.at, c)
	return th.switchTo(co, c.at+1, c.args)
}

// shutOut is what is said of a coroutine that is shut.
const shutOut = "cannot resume a coroutine that was made before this text: nothing could take back what it does"

// Shut has all coroutines that there are be such that they cannot be resumed, until Open. New ones can.
func (vm *VM) Shut() {
	vm.epoch++
	vm.shut = true
}

// Open ends Shut.
func (vm *VM) Open() { vm.shut = false }

// isShut reports whether a coroutine may not be resumed now.
func (th *Thread) isShut() bool { return th.vm.shut && th.epoch != th.vm.epoch }

// notResumable says why a thread cannot be resumed that is not suspended.
func (th *Thread) notResumable() string {
	if th.cancelled != "" {
		return "cannot resume dead coroutine: " + th.cancelled
	}
	return "cannot resume " + th.status.String() + " coroutine"
}

// switchTo goes on with a suspended coroutine, which gets n values.
func (th *Thread) switchTo(co *Thread, from, n int) outcome {
	vm := th.vm
	vm.moving(th, n)
	co.resumer, co.status = th, Running
	if th.status = Normal; th == vm.main {
		th.status = Running
	}
	vm.nested += 1 + co.nested
	vm.running = co
	if len(co.frames) == 0 {
		co.widen(1 + n + spare)
		copy(co.stack[1:], th.stack[from:from+n])
		co.pushMark(ofThread, nil, 0, callee{})
		return co.begin(callee{at: 0, args: n, ret: 0, want: -1, mode: modeOf(ofLua, completes)})
	}
	co.widen(int(co.innermost().base) + n + spare)
	if co.careful != noFrame {
		co.uncareful()
	}
	return co.receive(th.stack[from : from+n])
}

// widen is reserve for a coroutine that waits. No function of Go runs on it, so nothing else leads
// to the stack that it had.
func (th *Thread) widen(n int) {
	if old := th.stack; n > len(old) {
		th.reserve(n)
		th.vm.usedStacks.keep(old)
	}
}

// receive ends the mark on top of a thread, of a resume or a yield, with values of another one.
//
// Where their number is known and the function of Lua below goes on, they are written where they
// belong at once, as done and complete would: that is what nearly all coroutines do.
func (th *Thread) receive(values []Value) outcome {
	f := th.innermost()
	base, n := int(f.base), len(values)
	th.reserve(base + n + spare)
	a := f.after()
	if f.want < 0 || a != goesOn && a != tests {
		copy(th.stack[base+1:], values)
		if f.kind() == ofResume {
			return th.succeed(base, base+1, n)
		}
		return th.vm.endWith(base+1, n)
	}
	ret := int(f.ret)
	to := th.stack[ret : ret+int(f.want)]
	th.frames = th.frames[:len(th.frames)-1]
	if f.kind() == ofResume && len(to) > 0 {
		to[0].n, to = tagTrue, to[1:]
	}
	for i := range to {
		if i >= n {
			to[i].n = tagNil
		} else if v := &values[i]; v.n < tagBase {
			to[i].n = v.n
		} else {
			to[i] = *v
		}
	}
	if a == tests {
		return th.turn(ret)
	}
	th.innermost().skip(1)
	return enters
}

// uncareful has the frames of a thread go on without looking at the budget before each
// instruction. Why here? It may have yielded at the end of one call from the host, and go on
// in another. It takes no longer than the calls did that have made the frames careful.
func (th *Thread) uncareful() {
	for i := th.careful; i < len(th.frames); i++ {
		if f := &th.frames[i]; f.kind() == ofLua && f.fn.proto.step != nil {
			f.code = f.fn.proto.at(f.pc())
		}
	}
	th.careful = noFrame
}

// yield is coroutine.yield(…).
func (th *Thread) yield(fn *Function, c callee) outcome {
	switch {
	case th.resumer == nil:
		return th.cannotYield(th.notInCoroutine())
	case th.entries > 0:
		return th.cannotYield(th.notAcross())
	}
	th.pushMark(ofYield, fn, c.at, c)
	th.status = Suspended
	return th.handBack(c.at+1, c.args)
}

// cannotYield raises the error of a yield. What a script catches begins with no place, as in PUC Lua.
func (th *Thread) cannotYield(e *diag.Error) outcome {
	return th.raise(&Raised{th.vm.text(e.Message), th.traced(e)})
}

// mostWithin is how many threads are looked at for what an error says.
const mostWithin = 100

// notInCoroutine is the error of a yield on a thread that nobody has resumed.
func (th *Thread) notInCoroutine() *diag.Error {
	t := th.within
	for range mostWithin { // Go may enter two threads in turn: then they stand within each other
		if t == nil {
			break
		}
		if t.resumer != nil {
			return diag.New("attempt to yield across a function of the host, which calls this one and cannot wait for it: yield before that call, or after it")
		}
		t = t.within
	}
	return diag.New("attempt to yield from outside a coroutine: only a function that coroutine.create or coroutine.wrap was given can yield, and what it calls")
}

// notAcross is the error of a yield in a function that a native of the same thread has called.
func (th *Thread) notAcross() *diag.Error {
	e := diag.New("attempt to yield across a built-in function")
	if c := th.call; c.fn != nil && c.fn.Name() != "" {
		e = diag.New("attempt to yield across %q", c.fn.Name())
	}
	return e.And(", which calls this function and cannot wait for it: yield before that call, or after it")
}

// handBack gives n values to the thread that has resumed this one, which goes on.
func (th *Thread) handBack(from, n int) outcome {
	vm, to := th.vm, th.resumer
	vm.moving(th, n)
	vm.nested -= 1 + th.nested
	th.resumer, vm.running, to.status = nil, to, Running
	return to.receive(th.stack[from : from+n])
}

// end ends a coroutine whose function has returned n values.
func (th *Thread) end(from, n int) outcome {
	out := th.handBack(from, n)
	th.bury()
	return out
}

// fail ends a coroutine whose function has raised an error, and returns the thread that
// goes on.
func (th *Thread) fail() *Thread {
	to := th.resumer
	th.vm.nested -= 1 + th.nested
	th.resumer, th.vm.running, to.status = nil, to, Running
	th.bury()
	return to
}

// bury makes a coroutine dead: it lets go of all that it held. The host still sees its
// function.
func (th *Thread) bury() {
	th.closeFrom(0)
	th.status = Dead
	if th.vm.Ended != nil {
		th.vm.Ended(th)
	}
	th.body = nil
	th.vm.usedStacks.keep(th.stack)
	th.vm.usedFrames.keep(th.frames[:cap(th.frames)])
	th.stack, th.frames, th.open = nil, nil, nil
	th.nested, th.entries, th.room = 0, 0, 0
	th.call, th.root = &th.root, Call{th: th}
}

// Cancel makes a suspended coroutine dead. Who resumes it is told why.
func (th *Thread) Cancel(why string) {
	if th.status == Suspended {
		th.cancelled = why
		th.bury()
	}
}

// passOn makes of what a coroutine has raised what the function of wrap raises in turn: it
// keeps its place. A script that catches it sees a text with the place of the call of wrap
// before it.
func (th *Thread) passOn(r *Raised) *Raised {
	th.vm.caught(r)
	if r.Value.n >= tagBase && r.Value.n != tagStr {
		return &Raised{r.Value, again(th, r.Err)}
	}
	text := th.vm.textOf(&r.Value)
	return &Raised{th.vm.text(Prefix(th.Level(1)) + text), again(th, r.Err)}
}

// again returns an error with the calls of the thread that raises it once more, outside of
// those of the coroutine.
func again(th *Thread, e *diag.Error) *diag.Error {
	here := *e
	here.Trace = e.Trace.Within(th.Trace())
	return &here
}
