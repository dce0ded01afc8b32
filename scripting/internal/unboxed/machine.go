package unboxed

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/vm"
	lua "github.com/yuin/gopher-lua"
)

// variant returns a copy of the function with other code, each instruction of which
// has the line of the original at its place. Names of calls are found by place, too.
func (f *Evaluator) variant(code []uint32, origin []int, params int) *lua.LFunction {
	p := *f.fn.Proto
	p.Code, p.NumParameters = code, uint8(params)
	p.NumUsedRegisters = uint8(max(f.frame, params))
	p.DbgSourcePositions = make([]int, len(code))
	p.DbgCalls, p.DbgLocals = nil, nil
	for at, pc := range origin {
		p.DbgSourcePositions[at] = f.fn.Proto.DbgSourcePositions[pc]
		for _, call := range f.fn.Proto.DbgCalls {
			if call.Pc == pc {
				call.Pc = at
				p.DbgCalls = append(p.DbgCalls, call)
			}
		}
	}
	if f.variants != nil {
		f.variants(&p, f.fn.Proto, origin)
	}
	return &lua.LFunction{Env: f.fn.Env, Proto: &p, Upvalues: f.fn.Upvalues}
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
	fn, n := f.steps[pc], in.sets()
	if fn == nil {
		back := bytecode.Make(lua.OP_RETURN, int(in.a), n+1, 0)
		// Where the budget ends before the return, it would before the next one.
		fn = f.variant([]uint32{f.original(pc), back}, []int{pc, pc + 1}, f.frame)
		f.steps[pc] = fn
	}
	from, to := 0, f.frame
	if int(in.op) == lua.OP_CALL { // needs no others
		from, to = int(in.a), int(in.a)+1+int(in.b)
	}
	f.tell()
	L.Push(fn)
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
	fn := f.exits[pc]
	if fn == nil {
		fn = f.rest(pc)
		f.exits[pc] = fn
	}
	f.taken-- // the jump
	f.tell()
	return f.machine(L, fn, f.frame)
}

// rest makes the function that goes on at a place: a jump, and then all of the code.
func (f *Evaluator) rest(pc int) *lua.LFunction {
	origin := []int{pc}
	for at := range f.fn.Proto.Code {
		origin = append(origin, at)
	}
	code := slices.Insert(slices.Clone(f.fn.Proto.Code), 0, bytecode.Jump(0, pc+1))
	code[pc+1] = f.original(pc)
	return f.variant(code, origin, f.frame)
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
