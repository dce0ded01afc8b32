package machine

import lua "github.com/yuin/gopher-lua"

// VM is a virtual machine: what the threads of one state share. It belongs to one goroutine
// at a time.
type VM struct {
	Options
	Heap    *Heap
	Host    any // free for the host
	main    *Thread
	running *Thread
	budget
}

// Options say how a machine is limited, and what it asks its host. The zero Options are
// useful.
type Options struct {
	Depth       int // calls in each other on one thread, metamethods included; 0: 200
	Nesting     int // protected calls and running coroutines in each other; 0: 150
	Registers   int // values that the calls of one thread may hold; 0: 1 << 16
	LongestText int // bytes of one text; 0: 1 << 30

	// Constant returns what a constant of a prototype stands for that is no value of Lua's
	// text, such as a function that a compiler has put there.
	Constant func(lua.LValue) Value
}

// New makes a machine.
func New(o Options) *VM { panic("to be written") }

// Main returns the main thread.
func (vm *VM) Main() *Thread { return vm.main }

// Running returns the thread that runs, or the main thread.
func (vm *VM) Running() *Thread { return vm.running }

// Load makes a function of a compiled text, with its globals.
func (vm *VM) Load(p *lua.FunctionProto, env *Table) *Function { panic("to be written") }

// NewThread makes a coroutine that begins with a function.
func (vm *VM) NewThread(body *Function) *Thread { panic("to be written") }

// Builtin returns a native that the loop itself carries out, without a Go call: pcall,
// xpcall, resume, wrap, yield, concat.
func (vm *VM) Builtin(name string) *Function { panic("to be written") }

// SetMeta sets the metatable of all texts, numbers, booleans, functions, threads, or of nil:
// that of the values with the same Kind as v.
func (vm *VM) SetMeta(v Value, meta *Table) { panic("to be written") }

// Meta returns the metatable of a value, nil if it has none.
func (vm *VM) Meta(v Value) *Table { panic("to be written") }
