//go:build !machine

package unboxed

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/vm"
	lua "github.com/yuin/gopher-lua"
)

// variant is a copy of the function with other code, some of which is chosen anew before
// each call. It is made once: one for each place would take memory by the square of the code.
type variant struct {
	*lua.LFunction
	origin []int // by instruction, that of the original which has its line
	at     int   // the instruction of the original that was chosen last; 0: none, or the first
}

// variant makes a variant of so many instructions with their origins. Names of calls are
// found by place, too.
func (f *Evaluator) variant(code []uint32, origin []int) variant {
	p := *f.fn.Proto
	p.Code, p.NumParameters = code, p.NumUsedRegisters
	p.DbgSourcePositions = make([]int, len(code))
	p.DbgCalls, p.DbgLocals = nil, nil
	v := variant{LFunction: &lua.LFunction{Env: f.fn.Env, Proto: &p, Upvalues: f.fn.Upvalues}, origin: origin}
	for at, pc := range origin {
		p.DbgSourcePositions[at] = f.fn.Proto.DbgSourcePositions[pc]
		if name, called := f.callee(pc); called {
			p.DbgCalls = append(p.DbgCalls, lua.DbgCall{Name: name, Pc: at})
		}
	}
	if f.variants != nil {
		f.variants(&p, f.fn.Proto, origin)
	}
	return v
}

// callee returns the name of what an instruction calls, as the compiler has noted it: in the
// order of the code.
func (f *Evaluator) callee(pc int) (name string, called bool) {
	list := f.fn.Proto.DbgCalls
	at, called := slices.BinarySearchFunc(list, pc, func(call lua.DbgCall, pc int) int { return call.Pc - pc })
	if called {
		name = list[at].Name
	}
	return name, called
}

// original returns an instruction as the VM is to execute it: a call with the
// number of its arguments, where that was whatever the one before it gave.
func (f *Evaluator) original(pc int) uint32 {
	op, a, b, c := bytecode.Parts(f.fn.Proto.Code[pc])
	if op == lua.OP_CALL && b == 0 {
		return bytecode.Make(op, a, int(f.code[pc].b)+1, c)
	}
	return f.fn.Proto.Code[pc]
}

// step has the VM execute the instruction at a place, and takes the registers that
// it sets. It raises what that raises.
//
// One instruction of the VM may take any number of steps: a metatable has functions,
// and a store far after the end of a list fills the list. So whoever goes on asks first
// whether there are instructions left.
func (f *Evaluator) step(L *lua.LState, pc int) {
	in := &f.code[pc]
	n := in.sets()
	f.single(pc, n)
	from, to := 0, f.frame
	if int(in.op) == lua.OP_CALL { // needs no others
		from, to = int(in.a), int(in.a)+1+int(in.b)
	}
	f.tell()
	L.Push(f.stepping.LFunction)
	for range from {
		L.Push(lua.LNil)
	}
	for i := from; i < to; i++ {
		if _, lazy := f.regs[i].Value.(*vm.LazyTable); lazy && in.ignores(uint16(i)) {
			L.Push(lua.LNil) // and no table is made
		} else {
			L.Push(f.box(&f.regs[i]))
		}
	}
	f.onMachine(L, to, n)
	f.taken-- // the return
	f.takeResults(L, int(in.a), n)
}

// single makes the function that executes the instruction at a place and returns the n
// registers that it sets. Where the budget ends before the return, it would before the next
// instruction.
func (f *Evaluator) single(pc, n int) {
	if f.stepping.LFunction == nil {
		f.stepping = f.variant(make([]uint32, 2), make([]int, 2))
	}
	p := f.stepping.Proto
	if f.stepping.at == pc && pc > 0 {
		return
	}
	f.stepping.at = pc
	p.Code[0], p.Code[1] = f.original(pc), bytecode.Make(lua.OP_RETURN, int(f.code[pc].a), n+1, 0)
	p.DbgCalls = p.DbgCalls[:0]
	for at := range 2 {
		f.stepping.origin[at], p.DbgSourcePositions[at] = pc+at, f.fn.Proto.DbgSourcePositions[pc+at]
	}
	if name, called := f.callee(pc); called {
		p.DbgCalls = append(p.DbgCalls, lua.DbgCall{Name: name})
	}
}

// takeResults moves n results from the stack into registers.
func (f *Evaluator) takeResults(L *lua.LState, first, n int) {
	for i := range n {
		f.regs[first+i].Put(L.Get(i - n))
	}
	if n > 0 {
		L.Pop(n)
	}
}

// leave has the VM go on at a place to the end of the function, and returns the
// function's results.
func (f *Evaluator) leave(L *lua.LState, pc int) []vm.Register {
	if f.leaving.LFunction == nil {
		f.leaving = f.rest()
	}
	code, of := f.leaving.Proto.Code, f.fn.Proto.Code
	code[0] = bytecode.Jump(0, 1+pc)
	if last := f.leaving.at; last > 0 {
		code[1+last], f.leaving.at = of[last], 0
	}
	if call := f.original(pc); call != of[pc] {
		code[1+pc], f.leaving.at = call, pc
	}
	f.taken-- // the jump
	f.tell()
	return f.machine(L, f.leaving.LFunction, f.frame)
}

// rest makes the function that goes on at a place: a jump, which leave chooses, and then all
// of the code. The code stands there twice, and all jumps back lead into the second one: the
// instruction at which leave begins is another one than the original's in the first turn of
// a loop alone, see original.
func (f *Evaluator) rest() variant {
	of := f.fn.Proto.Code
	code, origin := slices.Concat([]uint32{0}, of, of), []int{0}
	for range 2 {
		for pc := range of {
			origin = append(origin, pc)
		}
	}
	for pc, word := range of {
		switch op := bytecode.Op(word); op {
		case lua.OP_JMP, lua.OP_FORLOOP:
			if to := bytecode.Target(pc, word); to <= pc {
				code[1+pc] = word + uint32(len(of))
			}
		}
	}
	return f.variant(code, origin)
}

// machine calls a function on the VM with the first registers as arguments.
func (f *Evaluator) machine(L *lua.LState, fn *lua.LFunction, args int) []vm.Register {
	L.Push(fn)
	for i := range args {
		L.Push(f.box(&f.regs[i]))
	}
	f.onMachine(L, args, f.want)
	f.out = slices.Grow(f.out[:0], f.want)[:f.want]
	for i := range f.want {
		f.out[i].Put(L.Get(i - f.want))
	}
	if f.want > 0 {
		L.Pop(f.want)
	}
	return f.out
}
