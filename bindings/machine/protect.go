package machine

import (
	"fmt"
	"runtime/debug"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// Protected calls, and the border between the loop and Go. A protected call is a mark on
// the stack of frames; what is raised goes down to the nearest mark, through coroutines,
// and ends at the last call from Go. Only that uses Go's panics.

// Primitive names a function of Lua that the loop itself carries out, without a call of Go.
type Primitive string

// The primitives. Concat joins all its arguments, Pop takes the last item off a list.
const (
	Protect        Primitive = "pcall"
	ProtectHandled Primitive = "xpcall"
	Resume         Primitive = "resume"
	Wrap           Primitive = "wrap"
	Yield          Primitive = "yield"
	Next           Primitive = "next"
	Concat         Primitive = "concat"
)

// duty names what the loop does itself when a native is called.
type duty uint8

const (
	noDuty duty = iota
	steps       // what ipairs returns: a native, too
	walks       // next: a native, too
	protects
	protectsHandled
	resumes
	resumesWrapped
	yields
	concatenates
)

var duties = map[Primitive]duty{
	Protect: protects, ProtectHandled: protectsHandled, Resume: resumes, Yield: yields, Next: walks, Concat: concatenates,
}

// builtin calls a primitive.
func (th *Thread) builtin(fn *Function, c callee) outcome {
	switch fn.native.duty {
	case protects:
		return th.protect(fn, c)
	case protectsHandled:
		return th.protectHandled(fn, c)
	case resumes:
		return th.resume(fn, c)
	case resumesWrapped:
		return th.resumeWrapped(fn, c)
	case yields:
		return th.yield(fn, c)
	}
	return th.concat(c)
}

// protect is pcall(f, …).
func (th *Thread) protect(fn *Function, c callee) outcome {
	if c.args == 0 {
		return th.failArgument(c, fn, 1, "value expected")
	}
	if out, deep := th.tooNested(c); deep {
		return out
	}
	th.beginProtected(fn, c)
	return th.begin(callee{at: c.at + 1, args: c.args - 1, ret: c.at + 1, want: -1, mode: modeOf(ofLua, completes)})
}

// protectHandled is xpcall(f, handler). The handler stays where xpcall was.
func (th *Thread) protectHandled(fn *Function, c callee) outcome {
	if c.args < 2 {
		return th.failArgument(c, fn, 2, "value expected")
	}
	if out, deep := th.tooNested(c); deep {
		return out
	}
	th.beginProtected(fn, c).extra = 1
	th.stack[c.at] = th.stack[c.at+2]
	return th.begin(callee{at: c.at + 1, ret: c.at + 1, want: -1, mode: modeOf(ofLua, completes)})
}

// beginProtected pushes the mark of a protected call.
func (th *Thread) beginProtected(fn *Function, c callee) *frame {
	f := th.pushMark(ofProtected, fn, c.at, c)
	th.nested++
	th.vm.nested++
	return f
}

// endProtected counts a protected call that is over.
func (th *Thread) endProtected() {
	th.nested--
	th.vm.nested--
}

// tooNested ends a protected call, or a resume, with an error if too many stand around it.
func (th *Thread) tooNested(c callee) (outcome, bool) {
	if th.vm.nested < th.vm.Nesting {
		return proceeds, false
	}
	r := th.raised(th.tooDeep())
	th.vm.caught(r)
	th.pushMark(ofLua, nil, c.at, c)
	return th.failWith(c.at, r.Value), true
}

// unwind ends frames of the running thread, and of those that have resumed it, down to
// the mark that catches what was raised. left is what goes on to the last call from Go where
// no mark above it catches that: a coroutine on the way passes on more than it got.
func (vm *VM) unwind(r *Raised) (out outcome, left *Raised) {
	th := vm.running
	for {
		i := len(th.frames) - 1
		for ; i >= 0 && th.frames[i].kind() == ofLua; i-- {
		}
		if i < 0 {
			return leaves, r
		}
		f := &th.frames[i]
		th.cut(i + 1)
		switch f.kind() {
		case ofEntry, ofTurns:
			return leaves, r
		case ofProtected:
			vm.caught(r)
			return th.catch(f, r), nil
		case ofHandler:
			th.endProtected()
			return th.failWith(int(f.base), vm.text("error in error handling")), nil
		case ofResume:
			vm.caught(r)
			return th.failWith(int(f.base), r.Value), nil
		case ofWrapped:
			r = th.passOn(r)
			th.cut(i)
		case ofYield, ofConcat:
			th.cut(i)
		case ofThread:
			th.cut(0)
			th = th.fail()
		}
	}
}

// raise raises an error from within the loop: without a panic, if a mark catches it.
func (th *Thread) raise(r *Raised) outcome {
	out, left := th.vm.unwind(r)
	if left != nil {
		panic(th.vm.kept(left))
	}
	return out
}

// protected reports whether a protected call catches what this thread raises now.
func (th *Thread) protected() bool {
	for i := len(th.frames) - 1; i >= 0; i-- {
		switch th.frames[i].kind() {
		case ofProtected:
			return true
		case ofTurns:
			if i < len(th.frames)-1 || !th.repeated.moves {
				return false // else the native itself raises it, between two calls
			}
		case ofEntry, ofHandler, ofThread:
			return false
		}
	}
	return false
}

// argument returns the nth argument of a primitive.
func (th *Thread) argument(c callee, n int) Value {
	if n > c.args {
		return Nil
	}
	return th.stack[c.at+n]
}

// failArgument raises the error of a primitive's argument.
func (th *Thread) failArgument(c callee, fn *Function, n int, what string) outcome {
	th.pushMark(ofYield, fn, c.at, c) // so that the primitive is the innermost call
	at := th.Level(1)
	e := diag.New("bad argument #%d to %q (%s)", n, fn.Name(), what)
	if e.Put(at); at.Line == 0 {
		e.Put(th.Here())
	}
	return th.raise(&Raised{th.vm.text(Prefix(at) + e.Message), th.traced(e)})
}

// cut ends all frames from the nth on, with the natives that were called above them.
func (th *Thread) cut(n int) {
	if n < len(th.frames) {
		th.closeFrom(int(th.frames[n].base))
	}
	th.frames = th.frames[:n]
	for th.call.depth >= n && th.call.outer != nil {
		th.call = th.call.outer
	}
}

// catch ends a protected call that has failed, or begins its handler.
func (th *Thread) catch(f *frame, r *Raised) outcome {
	base := int(f.base)
	if f.extra == 0 {
		th.endProtected()
		return th.failWith(base, r.Value)
	}
	f.mode = f.mode&^0xff | uint32(ofHandler)
	th.reserve(base + 3)
	th.stack[base+1], th.stack[base+2] = th.stack[base], r.Value
	return th.begin(callee{at: base + 1, args: 1, ret: base + 1, want: -1, mode: modeOf(ofLua, completes)})
}

// execute begins a call of Go's, runs the loop until it is done, and returns what was
// raised there and not caught.
func (vm *VM) execute(c callee) *Raised {
	r := vm.attempt(c, true)
	for r != nil {
		out, left, again := vm.unwindSafely(r)
		switch {
		case again != nil:
			r = again
		case left != nil:
			return left
		case out == leaves:
			return nil
		default:
			r = vm.attempt(c, false)
		}
	}
	return nil
}

// attempt begins a call, or goes on, and returns what was raised.
func (vm *VM) attempt(c callee, first bool) (r *Raised) {
	inGo := vm.inGo
	defer func() {
		if cause := recover(); cause != nil {
			vm.inGo = inGo
			r = vm.running.ofPanic(cause)
		}
	}()
	if first && vm.finish(vm.running.start(c)) == leaves {
		return nil
	}
	vm.loop()
	return nil
}

// unwindSafely is unwind, which may call a handler that raises an error itself.
func (vm *VM) unwindSafely(r *Raised) (out outcome, left, again *Raised) {
	inGo := vm.inGo
	defer func() {
		if cause := recover(); cause != nil {
			vm.inGo = inGo
			again = vm.running.ofPanic(cause)
		}
	}()
	if out, left = vm.unwind(r); left == nil {
		out = vm.finish(out)
	}
	return out, left, nil
}

// ofPanic makes an error of what a native has panicked with.
func (th *Thread) ofPanic(cause any) *Raised {
	if r, ok := cause.(*Raised); ok {
		return r
	}
	e := &diag.Error{Kind: diag.Panic, Message: "panic in Go: " + fmt.Sprint(cause), GoStack: string(debug.Stack())}
	if c := th.call; c.fn != nil && c.fn.Name() != "" {
		e.Message = c.fn.Name() + ": " + e.Message
	}
	e.Err, _ = cause.(error)
	return th.raised(e)
}

// Call calls a value from a native, with what it has raised going through. The results are
// good until the next call, or push, on the thread.
func (th *Thread) Call(f Value, args ...Value) []Value {
	from, n, r := th.enterFromGo(f, args)
	if r != nil {
		panic(r)
	}
	results := th.stack[from : from+n]
	for i := range results {
		results[i] = clean(results[i])
	}
	return results
}

// Call1 is Call for the first result, nil if there is none.
func (th *Thread) Call1(f Value, args ...Value) Value {
	from, n, r := th.enterFromGo(f, args)
	if r != nil {
		panic(r)
	}
	if n == 0 {
		return Nil
	}
	return clean(th.stack[from])
}

// Run calls a function from the host. It never panics: what was raised is returned. The
// thread need not be the one that runs; it is afterwards as it was before.
func (th *Thread) Run(f Value, args ...Value) (results []Value, r *Raised) {
	outer, status, inGo := th.vm.running, th.status, th.vm.inGo
	th.vm.running, th.status = th, Running
	defer func() {
		if cause := recover(); cause != nil {
			results, r = nil, th.ofPanic(cause)
		}
		th.vm.running, th.status, th.vm.inGo = outer, status, inGo
	}()
	from, n, r := th.enterFromGo(f, args)
	if r != nil {
		return nil, r
	}
	results = make([]Value, n)
	for i := range results {
		results[i] = clean(th.stack[from+i])
	}
	th.tidy()
	return results, nil
}

// Protect calls f, and returns what it has raised. Calls that f has begun on this thread
// are ended then.
func (th *Thread) Protect(f func()) (r *Raised) {
	frames, call, top, entries, nested, all := len(th.frames), th.call, th.call.top, th.entries, th.nested, th.vm.nested
	running, inGo := th.vm.running, th.vm.inGo
	defer func() {
		if cause := recover(); cause != nil {
			r = th.ofPanic(cause)
			th.closeFrom(top)
			th.frames, th.call, th.entries = th.frames[:frames], call, entries
			th.nested, th.vm.nested, th.vm.running, th.vm.inGo = nested, all, running, inGo
			call.top = top
		}
	}()
	f()
	return nil
}

// callTop is [Call.CallTop].
func (th *Thread) callTop(c *Call, n, results int) {
	at := c.top - n - 1
	from, count, r := th.enterAt(at, n)
	if r != nil {
		panic(r)
	}
	th.reserve(at + max(count, results) + 1)
	th.place(from, count, at, results)
	if results < 0 {
		results = count
	}
	c.top = at + results
	th.tidy()
}

// enterFromGo calls a value above the values of the running native, or of the host.
func (th *Thread) enterFromGo(f Value, args []Value) (from, n int, r *Raised) {
	at := th.call.top
	if at+len(args)+spare > len(th.stack) {
		th.reserve(at + len(args) + spare)
	}
	th.stack[at] = f
	copy(th.stack[at+1:], args)
	return th.enterAt(at, len(args))
}

// enterAt calls what stands on the stack, and returns where its results are.
func (th *Thread) enterAt(at, args int) (from, n int, r *Raised) {
	vm := th.vm
	th.enterGo()
	outer := vm.running
	if outer != th {
		within := th.within
		vm.running, th.within = th, outer
		defer func() { vm.running, th.within = outer, within }()
	}
	if x := &th.stack[at]; x.n == tagFunc && (*Function)(x.p).proto == nil && (*Function)(x.p).native.duty <= walks {
		from, n = th.native((*Function)(x.p), at+1, args)
		if vm.inGo--; n < 0 {
			return 0, 0, vm.kept(vm.pending)
		}
		return from, n, nil
	}
	c := callee{at: at, args: args, ret: at, want: -1, mode: modeOf(ofLua, completes)}
	call, depth := th.call, len(th.frames)
	th.pushMark(ofEntry, nil, at, c)
	th.entries++
	r = vm.execute(c)
	if vm.inGo--; r != nil {
		th.cut(depth)
		th.entries--
		th.call = call
		vm.running = th
		return 0, 0, r
	}
	return vm.from, vm.count, nil
}

// enterGo counts one more call from Go, or raises an error if there are too many. Who catches a
// panic sets the count back.
//
// Why is there one count for all threads? Each of these calls holds a part of the one stack of
// Go, whose overflow ends the process.
func (th *Thread) enterGo() {
	if th.vm.inGo > th.vm.Callbacks { // the first one is the host's own
		th.Fail(th.tooManyCallbacks())
	}
	th.vm.inGo++
}

// tidy lets go of what calls of the host have left in registers that nobody uses, now and
// then: a thread with many of them is tidied as much more rarely, up to a bound. So a room does
// not keep for long what one deep recursion has needed.
func (th *Thread) tidy() {
	if th.call != &th.root || len(th.frames) > 0 {
		return
	}
	if th.untidy++; th.untidy*tidied < min(len(th.stack), mostTidied) {
		return
	}
	th.untidy = 0
	if top := th.root.top; len(th.stack) > mostKept && top < mostKept/2 {
		kept := make([]Value, mostKept)
		copy(kept, th.stack[:top])
		th.stack = kept
		th.frames = make([]frame, 0, firstFrames)
		th.room = min(firstFrames, th.vm.Depth)
		return
	}
	clear(th.stack[th.root.top:])
	clear(th.frames[:cap(th.frames)])
}

const (
	// tidied is how many registers are tidied for one call of the host, in the mean.
	tidied = 8
	// mostTidied is how many registers make it wait longest.
	mostTidied = 1 << 14
	// mostKept is how many registers a thread keeps between two calls of the host.
	mostKept = 1 << 10
	// firstFrames is how many frames there is memory for at first.
	firstFrames = 4
)

// used returns how many registers of the thread may be in use. It looks at few frames: each
// begins no earlier than the one below it, and is not large.
func (th *Thread) used() int {
	n := 1
	for c := th.call; c != nil; c = c.outer {
		n = max(n, c.top)
	}
	for i := len(th.frames) - 1; i >= 0; i-- {
		f := &th.frames[i]
		if int(f.base)+mostRegisters <= n {
			break // those below begin no later
		}
		if n = max(n, int(f.base)+scratch); f.kind() == ofLua && f.fn != nil {
			n = max(n, int(f.base)+f.fn.proto.size)
		}
	}
	return min(n, len(th.stack))
}
