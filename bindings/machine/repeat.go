package machine

// A function that is called again and again for the host. Between two of its calls the loop
// asks the host for the next arguments, and goes on: no call of Go stands between them.

// Turns is asked before each call of a function that is repeated.
type Turns interface {
	// Turn gets the results of the last call, none before the first one, and sets the
	// arguments of the next one, all of them: as many as the function has parameters. It
	// returns false to end it. The results are where the arguments are: it reads them first.
	// It may panic with what it raises, and calls no function on the thread.
	Turn(results, args []Value) bool
}

// repeated is a function that is repeated on a thread.
type repeated struct {
	fn    *Function
	turns Turns
	at    int  // index of the function on the stack
	given int  // registers that turns sets
	moves bool // results are counted as those of any call
	outer *repeated
}

// Repeat calls a function until turns ends it. One that takes any number of arguments gets n.
// What the function raises goes through the
// native, and so does what turns raises, for which the function does not run any more.
func (c *Call) Repeat(fn *Function, n int, turns Turns) { c.repeat(fn, n, turns, false) }

// Each is Repeat for a function of a script's, as gsub calls one: each call counts what a call
// by [Call.Call] counts. It is a function of Lua without "…".
func (c *Call) Each(fn *Function, turns Turns) { c.repeat(fn, 0, turns, true) }

// Fixed reports whether a function is one of Lua without "…".
func (f *Function) Fixed() bool { return f.proto != nil && !f.proto.vararg }

func (c *Call) repeat(fn *Function, n int, turns Turns, moves bool) {
	th := c.th
	if fn.proto == nil || fn.proto.vararg {
		th.repeatEach(fn, n, turns)
		return
	}
	at := th.call.top
	th.reserve(at + 1 + fn.proto.size + spare)
	th.stack[at] = OfFunction(fn)
	r := th.idle
	if th.idle = nil; r == nil {
		r = new(repeated)
	}
	*r = repeated{fn: fn, turns: turns, at: at, given: fn.proto.params, moves: moves, outer: th.repeated}
	th.repeated = r
	defer func() {
		th.repeated = r.outer
		*r = repeated{}
		th.idle = r
	}()
	if raised := th.repeat(r); raised != nil {
		panic(raised)
	}
}

// repeatEach is Repeat for a function that is called by itself each time.
func (th *Thread) repeatEach(fn *Function, n int, turns Turns) {
	args := make([]Value, n)
	var results []Value
	for turns.Turn(results, args) {
		results = th.Call(OfFunction(fn), args...)
	}
}

// start begins what Go has asked for: a call, or the first one of many.
func (th *Thread) start(c callee) outcome {
	if after(c.mode>>8) != repeats {
		return th.begin(c)
	}
	if th.again(0, 0) {
		return enters
	}
	return leaves
}

// repeat runs the loop for all calls, and returns what was raised.
func (th *Thread) repeat(r *repeated) *Raised {
	vm := th.vm
	th.enterGo()
	outer := vm.running
	vm.running = th
	defer func() { vm.running = outer }()
	call, depth := th.call, len(th.frames)
	th.pushMark(ofTurns, nil, r.at, callee{})
	th.entries++
	raised := vm.execute(callee{mode: modeRepeats})
	if vm.inGo--; raised != nil {
		th.cut(depth)
		th.entries--
		th.call = call
	}
	return raised
}

// again gives the results of the last call to the host, and begins the next one. It returns
// false, and takes the mark away, if that was the last one. The mark is on top of the frames.
func (th *Thread) again(from, n int) bool {
	r := th.repeated
	p := r.fn.proto
	first := r.at + 1
	if len(th.stack) < first+p.size || len(th.frames) >= th.room {
		th.reserve(first + p.size)
		if len(th.frames) >= th.room {
			th.makeRoom()
		}
	}
	if !r.turns.Turn(th.stack[from:from+n], th.stack[first:first+r.given]) {
		th.frames = th.frames[:len(th.frames)-1]
		th.entries--
		return false
	}
	mode := modeRepeats
	if r.moves {
		mode = modeCounted
	}
	th.push(r.fn, first, r.at, -1, mode)
	return true
}
