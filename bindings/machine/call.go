package machine

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	lua "github.com/yuin/gopher-lua"
)

// Call is one call of a native, or the outermost level of a thread, on which a host pushes
// what it calls. Its values are counted from 1: first the arguments, then what was pushed.
//
// Invariant: base ≤ top; args is the number of arguments that the caller gave. A Call is
// good until the native returns.
type Call struct {
	th     *Thread
	fn     *Function
	base   int // index of value 1 in the thread's stack
	top    int // behind the last value
	args   int
	count  int     // of results, from the top; -1: all that was pushed after the arguments
	depth  int     // how many frames of the thread stood when the native was called
	outer  *Call   // the call around it on the same thread
	raised *Raised // with what the native ends; nil: with results
	inner  *Call   // kept for the next call inside of it
}

// Thread returns the thread that the call runs on.
func (c *Call) Thread() *Thread { return c.th }

// VM returns the virtual machine.
func (c *Call) VM() *VM { return c.th.vm }

// Function returns the native that is called, nil at the outermost level.
func (c *Call) Function() *Function { return c.fn }

// Caller returns the instruction CALL of the function of Lua which has called the native; nil if
// it was called in another way.
func (c *Call) Caller() (p *lua.FunctionProto, pc int) {
	if c.depth == 0 || c.outer.depth >= c.depth {
		return nil, 0
	}
	f := &c.th.frames[c.depth-1]
	if f.kind() != ofLua || f.fn == nil {
		return nil, 0
	}
	p, pc = f.fn.proto.source, f.pc()
	if word := p.Code[pc]; int(word>>26) != lua.OP_CALL || int(f.base)+int(word>>18)&0xff+1 != c.base {
		return nil, 0
	}
	return p, pc
}

// Len returns how many arguments the caller has given.
func (c *Call) Len() int { return c.args }

// Arg returns the ith argument, counted from 1, and nil for one that was not given.
func (c *Call) Arg(i int) Value {
	if uint(i-1) >= uint(c.args) {
		return Nil
	}
	return clean(c.th.stack[c.base+i-1])
}

// Push adds a value.
func (c *Call) Push(v Value) {
	if c.top >= len(c.th.stack) {
		c.th.reserve(c.top + 1)
	}
	c.th.stack[c.top] = v
	c.top++
}

// Top returns how many values there are: the arguments and what was pushed.
func (c *Call) Top() int { return c.top - c.base }

// Get returns the ith value, counted from 1, or from −1 downwards from the top; nil where
// there is none.
func (c *Call) Get(i int) Value {
	at := c.base + i - 1
	if i < 0 {
		at = c.top + i
	}
	if at < c.base || at >= c.top {
		return Nil
	}
	return clean(c.th.stack[at])
}

// Set sets the ith value, counted as in Get, for which there must be one.
func (c *Call) Set(i int, v Value) {
	at := c.base + i - 1
	if i < 0 {
		at = c.top + i
	}
	if at >= c.base && at < c.top {
		c.th.stack[at] = v
	}
}

// SetTop makes it n values: it drops those above, or adds nil.
func (c *Call) SetTop(n int) {
	if n < 0 {
		n = max(c.Top()+n+1, 0)
	}
	c.th.reserve(c.base + n)
	for c.top < c.base+n {
		c.th.stack[c.top] = Nil
		c.top++
	}
	clear(c.th.stack[c.base+n : c.top])
	c.top = c.base + n
}

// Pop drops the last n values.
func (c *Call) Pop(n int) { c.SetTop(max(c.Top()-n, 0)) }

// Forget clears what stands above the values of the call: results that nobody has taken, and
// values of calls that are over. The collector would take them for used.
func (c *Call) Forget() { clear(c.th.stack[c.top:]) }

// Return says that the results are the last n values.
func (c *Call) Return(n int) { c.count = n }

// Call calls a value and returns all that it returns. The results are good until the next
// call or push. What the function raises goes through the native.
func (c *Call) Call(f Value, args ...Value) []Value { return c.th.Call(f, args...) }

// Call1 is Call of two arguments at most for one result, as sort and gsub need it.
func (c *Call) Call1(f Value, args ...Value) Value { return c.th.Call1(f, args...) }

// CallTop calls the value below the last n values with these, and puts so many results in
// the place of all of them; all results where results is −1.
func (c *Call) CallTop(n, results int) { c.th.callTop(c, n, results) }

// Charge counts steps on the budget of the running call, and raises its error when they
// were too many.
func (c *Call) Charge(steps int) { c.th.vm.Charge(c.th, steps) }

// Alloc counts bytes of a text, and the steps to fill them, before it is made.
func (c *Call) Alloc(bytes int) { c.th.vm.Alloc(c.th, bytes) }

// Grow counts bytes of small values before they are made.
func (c *Call) Grow(bytes int64) { c.th.vm.Grow(c.th, bytes) }

// Raise raises a value.
func (c *Call) Raise(v Value) { c.th.Raise(v) }

// End has the native end with an error, as Throw does, when it returns: it must do nothing
// else then. An error that a script catches costs much less than by a panic.
func (c *Call) End(e *diag.Error, v Value) { c.raised = c.th.ending(e, v) }
