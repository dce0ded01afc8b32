package machine

import "unsafe"

// frame is a call of a function of Lua, or a mark on the stack of frames that says what
// becomes of the values, or of the error, of the call above it.
type frame struct {
	fn    *Function      // of a mark: the primitive that has pushed it, or nil
	code  unsafe.Pointer // the instruction at which it is; while a mark is on top: the next one
	base  int32          // index of register 0; of a mark, from where on it owns the stack
	ret   int32          // where its results go
	want  int32          // how many; −1: all
	extra int32          // how many values of "…" stand below base; of a mark: what it puts back
	mode  uint32         // kind | after << 8 | tails << 16 | plain, counted
}

// kind says what a frame is.
type kind uint8

const (
	ofLua       kind = iota
	ofEntry          // Go has called, and waits
	ofTurns          // Go repeats a call, and waits
	ofProtected      // pcall, or xpcall with the handler in its first register: extra is 1 then
	ofHandler        // the handler of xpcall
	ofResume         // resume, which waits for the other thread
	ofWrapped        // the same of a function of wrap, which passes errors on
	ofYield          // yield, which waits to be resumed
	ofThread         // the bottom of a coroutine
	ofConcat         // a chain of the operator .., from base to extra, of which two are joined
)

// after says what the frame below does with the results, beyond going on after its call.
type after uint8

const (
	goesOn    after = iota
	decides         // a comparison, which jumps or does not
	inverts         // the same for a <= b, asked as not (b < a)
	tests           // a loop over an iterator ends at nil
	returns         // a tail call: it returns them
	completes       // a mark: its call is done
	repeats         // a mark: Go says whether it is called again
)

const (
	modePlain   = 1 << 24
	modeRepeats = uint32(ofLua) | uint32(repeats)<<8
	modeCounted = modeRepeats | 1<<25 // the same, and the loop has no shorter way for its results
)

func modeOf(k kind, a after) uint32  { return uint32(k) | uint32(a)<<8 }
func (f *frame) kind() kind          { return kind(f.mode) }
func (f *frame) after() after        { return after(f.mode >> 8) }
func (f *frame) tails() int          { return int(f.mode >> 16 & 0xff) }
func (f *frame) instruction() *ins   { return (*ins)(f.code) }
func (f *frame) pc() int             { return f.fn.proto.index(f.code) }
func (f *frame) skip(n int)          { f.code = unsafe.Add(f.code, n*int(insSize)) }
func (th *Thread) innermost() *frame { return &th.frames[len(th.frames)-1] }

// outcome says how the loop goes on.
type outcome uint8

const (
	proceeds outcome = iota // with the next instruction
	passes                  // over the jump after a test
	jumps                   // as that says
	enters                  // with what is on top of the frames of the running thread
	leaves                  // not at all: Go waits for it
	ends                    // when the topmost frame of the running thread has ended, see finish
)

// callee is a function on the stack with its arguments above it, and what becomes of its
// results.
type callee struct {
	at   int // index of the function
	args int
	ret  int
	want int
	mode uint32
}

// callFrom executes the instruction CALL of a frame.
//
// Why are two primitives called here and not by builtin alone? A switch between coroutines is
// short: by way of begin and builtin it takes an eighth longer. The same holds for forIn.
func (th *Thread) callFrom(f *frame, in *ins) outcome {
	c := callee{at: int(f.base) + int(in.a>>4), args: int(in.b) - 1, want: int(in.c) - 1}
	if in.b == 0 {
		c.args = th.top - c.at - 1
	}
	c.ret, c.mode = c.at, uint32(in.k)
	if x := &th.stack[c.at]; x.n == tagFunc && (*Function)(x.p).proto == nil {
		switch fn := (*Function)(x.p); fn.native.duty {
		case concatenates:
			if c.args < 2 || c.want != 1 {
				break
			}
			if s := th.joinFew(c.at+1, c.args); s != nil {
				th.stack[c.at] = Text(s)
				return proceeds
			}
		case resumesWrapped:
			return th.vm.finish(th.resumeWrapped(fn, c))
		case yields:
			return th.vm.finish(th.yield(fn, c))
		}
	}
	return th.vm.finish(th.begin(c))
}

// native calls a native with arguments on the stack, and returns where its results are; n is
// below 0 if it has ended with an error, which is pending then.
func (th *Thread) native(fn *Function, base, args int) (from, n int) {
	c := th.call.inner
	if c == nil {
		c = &Call{th: th, outer: th.call}
		th.call.inner = c
	}
	if base+args+spare > len(th.stack) {
		th.reserve(base + args + spare)
	}
	c.fn, c.base, c.top, c.args, c.count, c.depth = fn, base, base+args, args, -1, len(th.frames)
	th.call = c
	th.vm.natives++
	fn.native.f(c)
	th.vm.noteBytes()
	th.call = c.outer
	if c.raised != nil {
		th.vm.pending, c.raised = c.raised, nil
		return 0, -1
	}
	if c.count < 0 {
		return base + args, max(c.top-base-args, 0)
	}
	n = min(c.count, c.top-base)
	return c.top - n, n
}

// spare is how many values a native can push before the stack has to grow.
const spare = 24

// place moves n results to where they are wanted.
func (th *Thread) place(from, n, ret, want int) {
	if want < 0 {
		copy(th.stack[ret:ret+n], th.stack[from:from+n])
		th.top = ret + n
		return
	}
	if want == 1 && n > 0 {
		th.stack[ret] = th.stack[from]
		return
	}
	moved := copy(th.stack[ret:ret+want], th.stack[from:from+n])
	for ; moved < want; moved++ {
		th.stack[ret+moved].n = tagNil
	}
}

// begin calls what stands on the stack. It returns proceeds if the call is done already
// and its results are placed for the function of Lua on top; else how the loop goes on.
func (th *Thread) begin(c callee) outcome {
	x := &th.stack[c.at]
	if x.n != tagFunc {
		if r := th.callable(c.at, c.args); r != nil {
			return th.raise(r)
		}
		c.args++
		x = &th.stack[c.at]
	}
	fn := (*Function)(x.p)
	switch {
	case fn.proto != nil:
		th.enter(fn, c)
		return enters
	case fn.native.duty > walks:
		return th.builtin(fn, c)
	}
	from, n := th.native(fn, c.at+1, c.args)
	if n < 0 {
		return th.raise(th.vm.pending)
	}
	if after(c.mode>>8) == goesOn {
		th.place(from, n, c.ret, c.want)
		return proceeds
	}
	return th.complete(c.ret, c.want, after(c.mode>>8), from, n)
}

// callable puts the function __call of a value, which stands below so many arguments, below the
// value, which becomes the first argument. It returns what a value without one raises.
func (th *Thread) callable(at, args int) *Raised {
	v := th.stack[at]
	h := th.vm.event(&v, evCall)
	if h.n != tagFunc {
		return th.notCalled(v)
	}
	th.reserve(at + args + 2)
	values := th.stack[at : at+args+2]
	for i := len(values) - 1; i > 0; i-- { // they are few, and were stored just now, word by word
		values[i] = values[i-1]
	}
	values[0] = h
	return nil
}

// enter pushes the frame of a function of Lua.
func (th *Thread) enter(fn *Function, c callee) {
	p := fn.proto
	first, extra := c.at+1, 0
	if p.vararg {
		extra = max(c.args-p.params, 0)
		first = c.at + 1 + p.params + extra
	}
	if first+p.size+p.params > len(th.stack) {
		th.reserve(first + p.size + p.params)
	}
	if len(th.frames) >= th.room {
		th.makeRoom()
	}
	if p.vararg {
		th.vm.moved(2 * c.args)
		th.spread(p, c.at+1, first, c.args)
	} else {
		for i := c.args; i < p.params; i++ {
			th.stack[first+i].n = tagNil
		}
	}
	mode := c.mode
	if c.ret != first-1 {
		mode &^= modePlain
	}
	f := th.push(fn, first, c.ret, c.want, mode)
	f.extra = int32(extra)
}

// push pushes the frame of a function, for which there is room.
func (th *Thread) push(fn *Function, first, ret, want int, mode uint32) *frame {
	n := len(th.frames)
	th.frames = th.frames[:n+1]
	f := &th.frames[n]
	f.fn = fn
	f.code = fn.proto.begin()
	f.base, f.ret, f.want, f.extra, f.mode = int32(first), int32(ret), int32(want), 0, mode
	return f
}

// spread moves the parameters of a function with "…" behind all arguments, where its
// registers begin. Below them there is room for all parameters and the values of "…".
func (th *Thread) spread(p *proto, from, to, args int) {
	for i := range p.params {
		if i < args {
			th.stack[to+i] = th.stack[from+i]
		} else {
			th.stack[to+i].n = tagNil
		}
	}
	if p.arg {
		list := th.vm.Heap.NewTable(max(args-p.params, 0), 1)
		for i := p.params; i < args; i++ {
			list.setInt(i-p.params+1, &th.stack[from+i])
		}
		n := Number(float64(max(args-p.params, 0)))
		list.setStr(th.vm.argCount, &n)
		th.stack[to+p.params] = OfTable(list)
	}
}

// leave executes the instruction RETURN of the topmost frame. It reports whether Go gets
// the results.
func (th *Thread) leave(f *frame, in *ins) bool {
	from, n := int(f.base)+int(in.a>>4), int(in.b)-1
	if n < 0 {
		n = th.top - from
	}
	th.vm.moved(n)
	return th.vm.finish(th.done(from, n)) == leaves
}

// endWith has the topmost frame of the running thread end with n results, when the functions of Go
// have returned that have found out.
//
// Why not at once? The frame below may end with it, and so on: frames of Lua may be many, and
// each would take a part of Go's stack.
func (vm *VM) endWith(from, n int) outcome {
	vm.endFrom, vm.endCount = from, n
	return ends
}

// finish ends frames, as long as one after the other ends.
func (vm *VM) finish(out outcome) outcome {
	for out == ends {
		out = vm.running.done(vm.endFrom, vm.endCount)
	}
	return out
}

// done ends the topmost frame of the running thread, whose results are n values.
func (th *Thread) done(from, n int) outcome {
	f := th.innermost()
	ret, want, a := int(f.ret), int(f.want), f.after()
	th.frames = th.frames[:len(th.frames)-1]
	if a == goesOn {
		th.place(from, n, ret, want)
		th.innermost().skip(1)
		return enters
	}
	if out := th.complete(ret, want, a, from, n); out != proceeds {
		return out
	}
	th.innermost().skip(1)
	return enters
}

// complete does with n results what the frame on top had called for. Where it returns
// proceeds, the function of Lua on top goes on after its instruction.
func (th *Thread) complete(ret, want int, a after, from, n int) outcome {
	f := th.innermost()
	switch a {
	case decides, inverts:
		truth := n > 0 && th.stack[from].Truth()
		in := f.instruction()
		if truth != (a == inverts) == (in.a != 0) {
			th.vm.taken++
			f.code = unsafe.Add(f.code, int(in.k))
		} else {
			f.skip(2)
		}
		return enters
	case tests:
		th.place(from, n, ret, want)
		return th.turn(ret)
	case returns:
		return th.vm.endWith(from, n)
	case completes:
		return th.completeMark(f, from, n)
	case repeats:
		if th.again(from, n) {
			return enters
		}
		return leaves
	}
	th.place(from, n, ret, want)
	return proceeds
}

// turn goes on with a loop over an iterator, whose first value stands there.
func (th *Thread) turn(at int) outcome {
	if f := th.innermost(); th.stack[at].n != tagNil {
		th.stack[at-1] = th.stack[at]
		f.code = unsafe.Add(f.code, int(f.instruction().k))
	} else {
		f.skip(2)
	}
	return enters
}

// completeMark ends the call above a mark with n results.
func (th *Thread) completeMark(f *frame, from, n int) outcome {
	switch f.kind() {
	case ofEntry:
		th.vm.from, th.vm.count = from, n
		th.frames = th.frames[:len(th.frames)-1]
		th.entries--
		return leaves
	case ofProtected:
		th.endProtected()
		return th.succeed(int(f.base), from, n)
	case ofHandler:
		first := Nil
		if n > 0 {
			first = th.stack[from]
		}
		th.endProtected()
		return th.failWith(int(f.base), first)
	case ofThread:
		return th.end(from, n)
	case ofConcat:
		th.place(from, n, int(f.extra)-1, 1)
		f.extra--
		return th.joinOn(f)
	}
	return th.vm.endWith(from, n)
}

// succeed ends a mark with true and n results. Below them there is room for one value.
func (th *Thread) succeed(base, from, n int) outcome {
	if from <= base {
		th.reserve(base + n + 1)
		copy(th.stack[base+1:base+1+n], th.stack[from:from+n])
		from = base + 1
	}
	th.stack[from-1].n = tagTrue
	return th.vm.endWith(from-1, n+1)
}

// failWith ends a mark with false and a value.
func (th *Thread) failWith(base int, v Value) outcome {
	th.reserve(base + 2)
	th.stack[base].n = tagFalse
	th.stack[base+1] = v
	return th.vm.endWith(base, 2)
}

// pushMark pushes a mark that owns the stack from base on, with what becomes of its results.
// Where a primitive has pushed it, fn is that.
func (th *Thread) pushMark(k kind, fn *Function, base int, c callee) *frame {
	if len(th.frames) >= th.room {
		th.makeRoom()
	}
	n := len(th.frames)
	th.frames = th.frames[:n+1]
	f := &th.frames[n]
	f.fn = fn
	f.base, f.ret, f.want, f.extra, f.mode = int32(base), int32(c.ret), int32(c.want), 0, uint32(k)|c.mode&0xff00
	return f
}

// makeRoom makes room for one more frame, or raises an error if there are too many.
func (th *Thread) makeRoom() {
	n, most := len(th.frames), th.vm.Depth
	if n >= most {
		th.Fail(th.overflow())
	}
	if n >= cap(th.frames) {
		size := min(max(2*n, firstFrames), most)
		th.vm.Heap.Grow((size - n) * int(unsafe.Sizeof(frame{})))
		frames := th.vm.usedFrames.get(size)[:n]
		copy(frames, th.frames)
		th.frames = frames
	}
	th.room = min(cap(th.frames), most)
}

// findUpvalue returns the captured local that is a register.
func (th *Thread) findUpvalue(i int) *Upvalue {
	p := &th.open
	for *p != nil && int((*p).at) > i {
		p = (*p).next()
	}
	if *p != nil && int((*p).at) == i {
		return *p
	}
	u := &Upvalue{v: &th.stack[i], at: int32(i)}
	u.own = Value{p: unsafe.Pointer(*p), n: tagNil}
	*p = u
	return u
}

// closeFrom has the captured locals from a register on live on without it.
func (th *Thread) closeFrom(i int) {
	for th.open != nil && int(th.open.at) >= i {
		u := th.open
		th.open = *u.next()
		u.own = clean(*u.v)
		u.v = &u.own
	}
}

// reserve makes room for n values.
func (th *Thread) reserve(n int) {
	if n <= len(th.stack) {
		return
	}
	if n > th.vm.Registers {
		th.Fail(th.tooManyValues())
	}
	size := min(max(2*len(th.stack), n+spare), th.vm.Registers+spare)
	th.vm.Heap.Grow((size - len(th.stack)) * int(valueSize))
	old := th.stack
	th.stack = th.vm.usedStacks.get(size)
	copy(th.stack, old)
	for u := th.open; u != nil; u = *u.next() {
		u.v = &th.stack[u.at]
	}
}
