//go:build !machine

// Package unboxed runs functions of the VM with their numbers in plain
// registers.
//
// The VM keeps every number behind an interface: an addition reads two,
// allocates one, and costs ten times what it would over float64. What is not
// compiled to a kernel spends nearly all of its time on that. A [Evaluator] runs the
// code that the VM's compiler has made of a function, unchanged, over registers
// that hold a number as it is. It knows what scripts do most: arithmetic,
// comparisons, jumps and loops, plain tables, outer locals, and calls of those
// functions of the host for which it gets GoFuncs.
//
// # All else is the VM's
//
// What it does not know, and what would be an error, the VM does, in one of two
// ways. A step has the VM execute one instruction and comes back: a call of any
// other function, an index that a metatable answers, the addition of a text. To leave
// is to hand over for good: the VM goes on at the instruction, with all
// registers, to the end of the function. Either way what runs is a copy of the
// function's prototype with a few instructions around it and the same lines, so that
// places, names and tracebacks are those of the function itself. Nothing is ever done
// twice: what cannot be done here is not begun here.
//
// # Instructions
//
// They are counted one by one, as the VM counts them, and taken off the budget
// of the call, which looks at the clock every thousand. Where the budget comes to
// its end, the VM executes the last ones, and so stops at the same
// instruction as without this package.
//
// # Equality
//
// Arithmetic on numbers is the VM's own, bit for bit. Tests run random programs
// in both ways, and poison the registers that a call does not set: the compiler sets
// each before it reads it.
package unboxed

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/vm"
	lua "github.com/yuin/gopher-lua"
)

// Evaluator is one Lua function, ready to be called again and again. It belongs to
// the state of its function and runs one call at a time.
type Evaluator struct {
	fn      *lua.LFunction
	code    []instruction
	regs    []vm.Register // the VM's, then the constants that instructions name
	params  int
	frame   int // registers of the VM
	want    int // results
	caches  []inlineCache
	goFuncs map[*lua.LFunction]vm.GoFunc

	stepping, leaving variant  // copies of the function, see step and leave
	variants          Variants // may be nil

	alone   bool // the call has done nothing but its own instructions so far
	meter   vm.Meter
	base    int   // see run
	taken   int64 // instructions that the meter does not know of yet
	quota   int64 // how many there may be
	made    int64 // bytes that the meter does not know of yet
	out     []vm.Register
	index   [3]vm.Register // scratch: the call of a GoFunc for a metatable
	numbers vm.Numbers     // see box

	thread *lua.LState     // that it runs on
	lazy   []*vm.LazyTable // all that GoFuncs were given
	spare  []*vm.LazyTable // those of them that no register holds
	held   []*vm.LazyTable // scratch
}

// inlineCache keeps what an instruction has looked up, for its next run: most look the same
// thing up each time.
type inlineCache struct {
	callee *lua.LFunction // that was called last
	goFunc vm.GoFunc
	fields vm.FieldCache
}

// Variants gets each prototype that is made of another one, for the VM to execute a part
// of it: origin says which instruction of the other one each of its own is.
type Variants func(made, of *lua.FunctionProto, origin []int)

// New prepares calls of fn that take so many results. goFuncs says what stands for a
// function of the host, or nil. New returns nil for a function with a variable number of
// parameters. O(instructions).
func New(fn *lua.LFunction, results int, goFuncs map[*lua.LFunction]vm.GoFunc, variants Variants) *Evaluator {
	p := fn.Proto
	if fn.IsG || p.IsVarArg != 0 {
		return nil
	}
	f := &Evaluator{
		fn: fn, params: int(p.NumParameters), frame: int(p.NumUsedRegisters), want: results, goFuncs: goFuncs, variants: variants,
	}
	f.regs = make([]vm.Register, f.frame)
	f.code = decode(p, &f.regs)
	f.caches = make([]inlineCache, len(f.code))
	f.clear()
	return f
}

// clear forgets what the last calls have left.
func (f *Evaluator) clear() {
	for i := range f.frame {
		f.regs[i] = vm.Register{Value: lua.LNil}
	}
}

// Begin starts a series of calls on a thread, whose context counts their instructions
// if it has one.
func (f *Evaluator) Begin(L *lua.LState) {
	f.thread, f.meter, f.taken, f.quota = L, nil, 0, endless
	if m, ok := L.Context().(vm.Meter); ok {
		f.meter = m
		f.settle()
	}
}

// End ends a series of calls: their instructions are told to the meter, and nothing
// keeps what they have left in registers from the collector.
func (f *Evaluator) End() {
	f.tell()
	f.thread, f.meter = nil, nil
	f.clear()
}

// Args returns the registers of the parameters, to be set before each call.
func (f *Evaluator) Args() []vm.Register { return f.regs[:f.params] }

// Call calls the function. The results are good until the next call. It raises what
// the function raises. alone means that neither the VM nor a GoFunc was asked for
// anything.
func (f *Evaluator) Call(L *lua.LState) (results []vm.Register, alone bool) {
	f.alone = true
	if f.taken >= f.quota && !f.settle() {
		f.tell()
		return f.machine(L, f.fn, f.params), false
	}
	results = f.run(L)
	return results, f.alone
}

// results returns n registers from the first one on as the results of the call.
func (f *Evaluator) results(first, n int) []vm.Register {
	if n >= f.want {
		return f.regs[first : first+f.want]
	}
	f.out = append(f.out[:0], f.regs[first:first+n]...)
	for len(f.out) < f.want {
		f.out = append(f.out, vm.Register{Value: lua.LNil})
	}
	return f.out
}

// constants puts the constants of a prototype behind its registers and returns where.
func constants(p *lua.FunctionProto, regs *[]vm.Register) []int {
	at := make([]int, len(p.Constants))
	for i, v := range p.Constants {
		at[i] = len(*regs)
		var r vm.Register
		r.Put(v)
		*regs = append(*regs, r)
	}
	*regs = slices.Clip(*regs)
	return at
}
