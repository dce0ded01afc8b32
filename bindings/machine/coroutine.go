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
	th := &Thread{vm: vm, body: body, careful: noFrame}
	th.stack, th.frames = vm.stacks(size)
	th.call = &th.root
	th.root.th = th
	if body != nil {
		th.stack[0] = OfFunction(body)
	}
	th.room = min(cap(th.frames), vm.Depth)
	return th
}

// usedStacks are the stacks of coroutines that are dead, for the next ones. They are few and
// small, and hold nothing.
type usedStacks struct {
	list [8]struct {
		values []Value
		frames []frame
	}
	n int
}

// mostReused is how many values a stack has at most that is used again.
const mostReused = 64

// stacks returns a stack of so many values, and one of frames. Those that are used again have
// the very size that new ones would have: a script holds as much, whatever others have done.
func (vm *VM) stacks(size int) ([]Value, []frame) {
	u := &vm.used
	for i := u.n - 1; i >= 0; i-- {
		x := &u.list[i]
		if values, frames := x.values, x.frames; len(values) == size {
			u.n--
			*x = u.list[u.n]
			u.list[u.n].values, u.list[u.n].frames = nil, nil
			return values, frames
		}
	}
	return make([]Value, size), make([]frame, 0, firstFrames)
}

// keep keeps the stacks of a coroutine that is dead.
func (u *usedStacks) keep(values []Value, frames []frame) {
	if u.n == len(u.list) || len(values) > mostReused || cap(frames) != firstFrames {
		return
	}
	clear(values)
	clear(frames[:firstFrames])
	x := &u.list[u.n]
	x.values, x.frames = values, frames[:0]
	u.n++
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
	if why := co.notResumable(); why != "" {
		th.pushMark(ofLua, nil, c.at, c)
		return th.failWith(c.at, th.vm.text(why))
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
	if why := co.notResumable(); why != "" {
		th.Failf("%s", why)
	}
	th.pushMark(ofWrapped, fn, c.at, c)
	return th.switchTo(co, c.at+1, c.args)
}

// notResumable says why a thread cannot be resumed, "" if it can.
func (th *Thread) notResumable() string {
	switch {
	case th.status == Suspended:
		return ""
	case th.cancelled != "":
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
		co.reserve(1 + n + spare)
		copy(co.stack[1:], th.stack[from:from+n])
		co.pushMark(ofThread, nil, 0, callee{})
		return co.begin(callee{at: 0, args: n, ret: 0, want: -1, mode: modeOf(ofLua, completes)})
	}
	f := co.innermost() // the mark of yield
	co.reserve(int(f.base) + n + spare)
	copy(co.stack[f.base:], th.stack[from:from+n])
	co.uncareful()
	return vm.endWith(int(f.base), n)
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
		e := th.notInCoroutine()
		return th.raise(&Raised{th.vm.text(e.Message), th.traced(e)})
	case th.entries > 0:
		return th.raise(th.raised(th.notAcross()))
	}
	th.pushMark(ofYield, fn, c.at, c)
	th.status = Suspended
	return th.handBack(c.at+1, c.args)
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
	f := to.innermost()
	base := int(f.base)
	to.reserve(base + n + spare)
	copy(to.stack[base+1:], th.stack[from:from+n])
	if f.kind() == ofResume {
		return to.succeed(base, base+1, n)
	}
	return vm.endWith(base+1, n)
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
	th.vm.used.keep(th.stack, th.frames)
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
