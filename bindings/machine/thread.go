package machine

// Thread is a coroutine, or the main thread of a machine: a stack of values and one of
// frames. It needs no goroutine, so one that is never finished costs nothing but its memory.
//
// Lifetimes: a thread belongs to its VM, and with it to one goroutine at a time.
//
// Invariants: open lists the captured registers, the highest first. room is at most as many
// frames as there is memory for, and as the machine's Depth.
type Thread struct {
	vm       *VM
	stack    []Value
	frames   []frame
	open     *Upvalue
	top      int   // behind the last of the values where their number is open
	room     int   // how many frames there may be before makeRoom is asked
	call     *Call // the innermost native that runs, or root
	root     Call  // the outermost level
	entries  int   // calls from Go into the loop that stand on this thread: none may be yielded across
	nested   int   // protected calls on this thread
	status   Status
	body     *Function
	resumer  *Thread
	within   *Thread // the one that ran when Go has called a function on this one; nil: none, or this one
	mark     uint32
	repeated *repeated // what the host repeats on this thread, the innermost one
	idle     *repeated // one that is not in use, for the next time
	untidy   int       // calls of the host since tidy has done something
	epoch    uint32    // in which it was made, see VM.Shut
	careful  int       // no frame below this one looks at the budget before each instruction

	cancelled string // why it was made dead
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

// Coroutine returns the coroutine that runs, nil in the main program.
func (vm *VM) Coroutine() *Thread {
	if vm.running.resumer == nil {
		return nil
	}
	return vm.running
}

// Index is t[k] with metamethods.
func (th *Thread) Index(t, k Value) Value {
	v, owner, h, fieldless := th.find(t, &k)
	if fieldless {
		panic(th.notIndexed(owner, k))
	}
	if h != nil {
		return th.Call1(OfFunction(h), owner, k)
	}
	return clean(v)
}

// SetIndex is t[k] = v with metamethods.
func (th *Thread) SetIndex(t, k, v Value) {
	switch owner, h, fieldless := th.assign(t, &k, &v); {
	case fieldless:
		panic(th.notIndexed(owner, k))
	case h != nil:
		th.Call(OfFunction(h), owner, k, v)
	}
}

// Equal is a == b with metamethods.
func (th *Thread) Equal(a, b Value) bool {
	is, h := th.equal(a, b)
	if h.n == tagFunc {
		return th.Call1(h, a, b).Truth()
	}
	return is
}

// Less is a < b with metamethods.
func (th *Thread) Less(a, b Value) bool {
	is, h, _ := th.order(isLess, a, b)
	if h.n == tagFunc {
		return th.Call1(h, a, b).Truth()
	}
	return is
}

// Length is #v with metamethods.
func (th *Thread) Length(v Value) Value {
	if v.n == tagStr {
		return Number(float64(len((*Str)(v.p).s)))
	}
	if h := th.vm.event(&v, evLen); h.n == tagFunc {
		return th.Call1(h, v)
	}
	if v.n != tagTable {
		th.failLength(v)
	}
	return Number(float64((*Table)(v.p).Len()))
}

// Concat is a .. b with metamethods.
func (th *Thread) Concat(a, b Value) Value {
	if a.isText() && b.isText() {
		return Text(th.vm.joined(th, []Value{a, b}))
	}
	h := th.either(&a, &b, evConcat)
	if h.n != tagFunc {
		th.failConcat(1, a, b)
	}
	return th.Call1(h, a, b)
}

// Arithmetic is an operator on two values with metamethods; its event is __add and so on.
func (th *Thread) Arithmetic(name string, a, b Value) Value {
	for e := evAdd; e <= evUnm; e++ {
		if eventNames[e].s != name {
			continue
		}
		if v, ok := th.compute(e, a, b); ok {
			return v
		}
		h := th.either(&a, &b, e)
		if h.n != tagFunc {
			panic(th.notComputed(a, b))
		}
		return th.Call1(h, a, b)
	}
	return Nil
}
