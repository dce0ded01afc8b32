package machine

import (
	"cmp"

	"github.com/perigee-ecs/perigee/bindings/diag"
	lua "github.com/yuin/gopher-lua"
)

// VM is a virtual machine: what the threads of one state share. It belongs to one goroutine
// at a time.
type VM struct {
	Options
	Heap *Heap
	Host any // free for the host

	main       *Thread
	running    *Thread
	nested     int // protected calls, and coroutines that were resumed, around what runs
	inGo       int // calls from Go around what runs, on all threads: each has its part of Go's stack
	from       int // where the results of the last call from Go are, on the thread that runs
	count      int
	endFrom    int // where the results of the frame are that ends next, and how many, see finish
	endCount   int
	natives    int64   // calls of natives so far
	epoch      uint32  // of coroutines: how often Shut was called
	shut       bool    // those of other epochs cannot be resumed
	pending    *Raised // what the last native has ended with
	ended      Raised  // the same, with fault as its error
	fault      diag.Error
	metas      [KindUserdata + 1]*Table
	methods    *Table // of texts; nil if they have none, or ask a function
	primitives map[Primitive]*Function
	argCount   *Str
	buffer     [512]byte   // for joining short texts
	vectors    []vector    // of blocks
	operands   [][]float64 // the same, for the turns of the block at hand
	noBlocks   bool        // for tests: there are no blocks
	budget
	placed     placed
	usedStacks freeStacks[Value]
	usedFrames freeStacks[frame]
	wrapped    native // what functions of wrap have in common
}

// Options say how a machine is limited, and what it asks its host. The zero Options are
// useful.
type Options struct {
	Depth       int                         // calls in each other on one thread; 0: 20,000
	Callbacks   int                         // calls from Go in each other, on all threads together; 0: 200
	Nesting     int                         // protected calls and running coroutines in each other; 0: 150
	Registers   int                         // values that the calls of one thread may hold; 0: 1 << 19
	LongestText int                         // bytes of one text; 0: 1 << 30
	HoldText    func(bytes int) *diag.Error // asked before a field of the host takes a text; nil: it may be any

	// Source knows the texts. Nil: errors have lines only.
	Source Source
	// Constant returns what a constant of a prototype stands for that is no value of Lua's
	// text, such as a function that a compiler has put there.
	Constant func(lua.LValue) Value
	// Caught is called with what a protected call, or a resume, gives to a script. It must
	// not be kept.
	Caught func(*Raised)
	// Ended is called with a coroutine that has become dead.
	Ended func(*Thread)
	// Meant returns what a script may have meant by a field that is nil, and how many steps it
	// took to find that: a function, where it calls the field, and anything else where it does not.
	Meant func(t *Table, field string, called bool) (words string, steps int)
	// MeantOfText returns the same of a method that texts do not have. It takes no longer than
	// the error itself.
	MeantOfText func(method string) (words string)
	// MeantOfNumber returns the same of a field that is looked for in a number.
	MeantOfNumber func(n float64) (words string)
	// WhyNil returns why a function of the host gives nil, by the words with which a script calls
	// it; "" for any other.
	WhyNil func(called string) (words string)
	// WhyMissing returns why a table has nothing under a key, where it has no name that is near; nil: nobody knows.
	WhyMissing func(t *Table, key string) (words string)
}

// New makes a machine.
func New(o Options) *VM {
	o.Depth = cmp.Or(o.Depth, 20_000)
	o.Callbacks = cmp.Or(o.Callbacks, 200)
	o.Nesting = cmp.Or(o.Nesting, 150)
	o.Registers = cmp.Or(o.Registers, 1<<19)
	o.LongestText = cmp.Or(o.LongestText, 1<<30)
	vm := &VM{wrapped: native{f: next, duty: resumesWrapped, name: "wrap"}, Options: o, Heap: NewHeap(), primitives: map[Primitive]*Function{}, argCount: NewStr("n")}
	vm.main = vm.NewThread(nil)
	vm.main.status = Running
	vm.running = vm.main
	vm.Stop()
	return vm
}

// SetDepth changes how many calls there may be in each other. A coroutine that has been deeper
// may be as deep again.
func (vm *VM) SetDepth(most int) {
	vm.Depth = most
	vm.main.room = min(cap(vm.main.frames), most)
}

// Main returns the main thread.
func (vm *VM) Main() *Thread { return vm.main }

// Running returns the thread that runs, or the main thread.
func (vm *VM) Running() *Thread { return vm.running }

// Load makes a function of a compiled text, with its globals.
func (vm *VM) Load(p *lua.FunctionProto, env *Table) *Function {
	translated := vm.newProto(p)
	translated.translate()
	for range p.NumUpvalues {
		translated.captures = append(translated.captures, capture{})
	}
	fn := newClosure(translated, env)
	for i := range fn.up {
		fn.up[i] = NewUpvalue(Nil)
	}
	return fn
}

// Builtin returns a native that the loop itself carries out.
func (vm *VM) Builtin(name Primitive) *Function {
	fn := vm.primitives[name]
	if fn == nil {
		fn = &Function{native: &native{name: string(name), duty: duties[name], f: next}}
		vm.primitives[name] = fn
	}
	return fn
}

// Wrap returns a function that resumes a coroutine.
func (vm *VM) Wrap(co *Thread) *Function {
	x := &struct {
		Function
		up   [1]*Upvalue
		cell Upvalue
	}{}
	x.cell.own = OfThread(co)
	x.cell.v = &x.cell.own
	x.up[0] = &x.cell
	x.native, x.Function.up = &vm.wrapped, x.up[:]
	return &x.Function
}

// next is the function next: the key after another one, with its value.
func next(c *Call) {
	t := c.Arg(1).Table()
	if t == nil {
		e := diag.New("bad argument #1 to %q (table expected, got %s)", c.fn.Name(), typeOf(c.args >= 1, c.Arg(1)))
		at := c.th.Level(1)
		e.Put(at)
		c.th.Throw(e, String(Prefix(at)+e.Message))
	}
	after := c.Arg(2)
	key, value, passed := t.next(&after)
	if passed < 0 {
		c.th.Fail(NoNext(after))
	}
	c.Charge(passed / valuesPerStep)
	c.Push(key)
	if key.n != tagNil {
		c.Push(value)
	}
}

// NoNext is the error of next for a key that the table does not have, or has lost.
func NoNext(key Value) *diag.Error {
	return diag.New("next: the key %q is not in the table: a loop with pairs may change fields and remove them, and new ones are added after it", diag.Cut(Written(key)))
}

// walk writes the key after another one, and its value, into the registers of a loop with n
// variables. It returns how many places it has passed, below 0 for a key that never was one.
func walk(t *Table, after, to *Value, n int) int {
	key, value, passed := t.next(after)
	if passed < 0 {
		return passed
	}
	*to = key
	if n > 1 {
		*behind(to, 1) = value
		for i := 2; i < n; i++ {
			behind(to, i).n = tagNil
		}
	}
	return passed
}

// step puts the next item of a list and its index to a place, for n variables. It returns
// false, and does nothing, if that is not so simple.
func step(t *Table, after, to *Value, n int) bool {
	index := after.Float() + 1
	i := int(index)
	if after.n >= tagBase || t.meta != nil && !t.meta.lacks(evIndex) || float64(i) != index {
		return false
	}
	v := t.getInt(i)
	if v.n == tagNil {
		to.n = tagNil
		return true
	}
	to.n = Number(index).n
	if n > 1 {
		*behind(to, 1) = v
		for i := 2; i < n; i++ {
			behind(to, i).n = tagNil
		}
	}
	return true
}

// typeOf is what messages say an argument is.
func typeOf(given bool, v Value) string {
	if !given {
		return "no value"
	}
	return TypeName(v)
}

// SetMeta sets the metatable of all values of a kind, which has none of its own for each.
// The metatable of texts and the table of their methods, its __index, must stay as they are.
func (vm *VM) SetMeta(k Kind, meta *Table) {
	if vm.metas[k] = meta; k != KindString {
		return
	}
	if vm.methods = nil; meta != nil {
		vm.methods = meta.GetString("__index").Table()
	}
}

// Meta returns the metatable of a value, nil if it has none.
func (vm *VM) Meta(v Value) *Table {
	switch v.n {
	case tagTable:
		return behindGate((*Table)(v.p).meta)
	case tagUser:
		return behindGate((*Userdata)(v.p).meta)
	}
	return vm.metas[v.Kind()]
}

// text makes a text of the machine's.
func (vm *VM) text(s string) Value { return String(s) }

// Natives returns how many times a native was called so far.
func (vm *VM) Natives() int64 { return vm.natives }
