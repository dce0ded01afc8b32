package machine

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// Native is a function of Go that scripts can call. Its results are what it has pushed, or
// what [Call.Return] says. It may panic with what it raises, see [Thread.Throw].
type Native func(c *Call)

// Function is a function of Lua with the locals that it captures, or one of Go.
//
// Invariant: exactly one of proto and native is set.
type Function struct {
	proto  *proto
	env    *Table
	native *native
	up     []*Upvalue // the locals that it captures; what a function of Go keeps
	mark   uint32
}

// native is what a function of Go is made of.
type native struct {
	f    Native
	pure *Pure // what it does with numbers, if that is all; else nil
	duty duty  // what the loop does itself in place of f
	name string
}

// NewNative makes a function of Go. Its name is for tracebacks. The values that it keeps
// count as held by whoever holds the function.
func NewNative(name string, f Native, kept ...Value) *Function {
	if n := len(kept); n > 0 && n <= mostKeptBeside {
		return newKeeping(native{f: f, name: name}, kept)
	}
	fn := newNative(native{f: f, name: name})
	for _, v := range kept {
		fn.up = append(fn.up, NewUpvalue(v))
	}
	return fn
}

// newNative makes a function of Go in one piece.
func newNative(n native) *Function {
	x := &struct {
		Function
		native
	}{native: n}
	x.Function.native = &x.native
	return &x.Function
}

// mostKeptBeside is how many values a function of Go keeps at most that is made in one piece with
// them, as iterators are.
const mostKeptBeside = 2

// newKeeping makes a function of Go that keeps values, in one piece.
func newKeeping(n native, kept []Value) *Function {
	x := &struct {
		Function
		native
		up    [mostKeptBeside]*Upvalue
		cells [mostKeptBeside]Upvalue
	}{native: n}
	for i, v := range kept {
		c := &x.cells[i]
		c.own = clean(v)
		c.v = &c.own
		x.up[i] = c
	}
	x.Function.native, x.Function.up = &x.native, x.up[:len(kept):len(kept)]
	return &x.Function
}

// Pure is what a function of Go computes of numbers if it does nothing else: of one, of two, and
// of more, where it computes the first two and then each further one with what it has so far.
type Pure struct {
	One  func(x float64) float64    // nil: it takes more than one
	Two  func(x, y float64) float64 // nil: it takes no more than one
	More bool
}

// NewPure makes a function of Go that computes a number of numbers, and does nothing else. The
// machine calls pure by itself where it has numbers; f is for all other arguments.
func NewPure(name string, pure Pure, f Native) *Function {
	return newNative(native{f: f, pure: &pure, name: name})
}

// call calls the function with n arguments from a place on, if they are numbers of which it
// computes one.
func (p *Pure) call(args *Value, n int) (Value, bool) {
	if n < 1 || n > 2 || args.n >= tagBase {
		return Nil, false
	}
	if n == 1 {
		if p.One == nil {
			return Nil, false
		}
		return Number(p.One(args.Float())), true
	}
	y := behind(args, 1)
	if p.Two == nil || y.n >= tagBase {
		return Nil, false
	}
	return Number(p.Two(args.Float(), y.Float())), true
}

// NewStepper makes the function of Go that ipairs returns: of a table and an index it gives
// the next index with its item, or nil. The loop does that itself where the table has no
// metatable.
func NewStepper(name string, f Native) *Function {
	return newNative(native{f: f, duty: steps, name: name})
}

// IsNative reports whether it is a function of Go.
func (f *Function) IsNative() bool { return f.proto == nil }

// Name returns the name of a function of Go.
func (f *Function) Name() string {
	if f.native == nil {
		return ""
	}
	return f.native.name
}

// Proto returns what a function of Lua was compiled to, nil for one of Go.
func (f *Function) Proto() *lua.FunctionProto {
	if f.proto == nil {
		return nil
	}
	return f.proto.source
}

// Env returns the table of the function's globals, nil for a function of Go without any.
func (f *Function) Env() *Table { return f.env }

// SetEnv gives the function another table of globals.
func (f *Function) SetEnv(env *Table) { f.env = env }

// Captures returns how many locals of functions around it the function captures.
func (f *Function) Captures() int { return len(f.up) }

// Captured returns the ith captured local, counted from 0. Functions that share the local
// share the cell.
func (f *Function) Captured(i int) *Upvalue { return f.up[i] }

// SetCaptured has the function share another local.
func (f *Function) SetCaptured(i int, c *Upvalue) { f.up[i] = c }

// Upvalue is a captured local. While the function that it belongs to runs, v points to
// a register, and own.p to the open one below; after that v points to own.
type Upvalue struct {
	v    *Value
	own  Value
	at   int32 // index of the register while it is open
	mark uint32
}

// next is where an open one keeps the open one below.
func (u *Upvalue) next() **Upvalue { return (**Upvalue)(unsafe.Pointer(&u.own.p)) }

// NewUpvalue makes a captured local of no function.
func NewUpvalue(v Value) *Upvalue {
	c := &Upvalue{own: clean(v)}
	c.v = &c.own
	return c
}

// Get returns the value.
func (c *Upvalue) Get() Value { return clean(*c.v) }

// Set changes it, for all functions that share it.
func (c *Upvalue) Set(v Value) { store(c.v, &v) }
