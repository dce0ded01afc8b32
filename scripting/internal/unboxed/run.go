//go:build !machine

package unboxed

import (
	"github.com/perigee-ecs/perigee/bindings/vm"
	"github.com/perigee-ecs/perigee/ecs/detmath"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
	lua "github.com/yuin/gopher-lua"
)

// zero is added to what operators and loops compute. The VM takes the numbers
// from 0 to 127 from a list of its own, in which there is no -0: only a sign, a constant
// and a function of the host make one.
const zero = 0.0

// run executes the code from its beginning and returns the results. It is one function
// because a call for each instruction would cost more than most of them.
//
// Instructions are counted by the distances between jumps: f.base is where the last one
// led, plus what was passed over since. It is no local variable: one that most
// instructions do not use would be moved and spilled by each of them.
func (f *Evaluator) run(L *lua.LState) []vm.Register {
	code, regs := f.code, f.regs
	pc := 0
	f.base = 0
	for {
		in := &code[pc]
		switch int(in.op) {
		case lua.OP_MOVE:
			if from := &regs[in.b]; from.Value == nil {
				regs[in.a].Set(from.Number)
			} else {
				regs[in.a] = *from
			}
		case lua.OP_MOVEN: // with those behind it
			n := int(in.c)
			regs[in.a] = regs[in.b]
			for _, in := range code[pc+1 : pc+1+n] {
				regs[in.a] = regs[in.b]
			}
			pc += n
			f.base += n
		case lua.OP_LOADK:
			if from := &regs[in.b]; from.Value == nil {
				regs[in.a].Set(from.Number)
			} else {
				regs[in.a] = *from
			}
		case lua.OP_ADD:
			x, y := &regs[in.b], &regs[in.c]
			if x.Value != nil || y.Value != nil {
				goto step
			}
			regs[in.a].Set(float64(x.Number+y.Number) + zero)
		case lua.OP_SUB:
			x, y := &regs[in.b], &regs[in.c]
			if x.Value != nil || y.Value != nil {
				goto step
			}
			regs[in.a].Set(float64(x.Number-y.Number) + zero)
		case lua.OP_MUL:
			x, y := &regs[in.b], &regs[in.c]
			if x.Value != nil || y.Value != nil {
				goto step
			}
			regs[in.a].Set(float64(x.Number*y.Number) + zero)
		case lua.OP_DIV:
			x, y := &regs[in.b], &regs[in.c]
			if x.Value != nil || y.Value != nil {
				goto step
			}
			regs[in.a].Set(float64(x.Number/y.Number) + zero)
		case lua.OP_MOD, lua.OP_POW:
			x, y := &regs[in.b], &regs[in.c]
			switch {
			case x.Value != nil || y.Value != nil:
				goto step
			case int(in.op) == lua.OP_MOD:
				regs[in.a].Set(detmath.Modulo(x.Number, y.Number) + zero)
			default:
				regs[in.a].Set(detmath.Pow(x.Number, y.Number) + zero)
			}
		case lua.OP_UNM:
			x := &regs[in.b]
			if x.Value != nil {
				goto step
			}
			regs[in.a].Set(-x.Number)
		case lua.OP_NOT:
			regs[in.a].Value = lua.LBool(!regs[in.b].Truth())
		case lua.OP_LOADBOOL:
			regs[in.a].Value = lua.LBool(in.b != 0)
			if in.c != 0 {
				pc++
				f.base++
			}
		case lua.OP_LOADNIL:
			for i := in.a; i <= in.b; i++ {
				regs[i].Value = lua.LNil
			}
		case lua.OP_LT:
			x, y := &regs[in.b], &regs[in.c]
			if x.Value != nil || y.Value != nil {
				return f.leaveAt(L, pc)
			}
			if (x.Number < y.Number) != in.alone {
				pc += 2
				f.base++
				continue
			}
			goto jump
		case lua.OP_LE:
			x, y := &regs[in.b], &regs[in.c]
			if x.Value != nil || y.Value != nil {
				return f.leaveAt(L, pc)
			}
			if (x.Number <= y.Number) != in.alone {
				pc += 2
				f.base++
				continue
			}
			goto jump
		case lua.OP_EQ:
			x, y := &regs[in.b], &regs[in.c]
			same := x.Number == y.Number
			if x.Value != nil || y.Value != nil {
				known := false
				if same, known = f.equal(x, y); !known {
					return f.leaveAt(L, pc)
				}
			}
			if same != in.alone {
				pc += 2
				f.base++
				continue
			}
			goto jump
		case lua.OP_TEST, lua.OP_TESTSET:
			from := in.a
			if int(in.op) == lua.OP_TESTSET {
				from = in.b
			}
			if regs[from].Truth() != in.alone {
				pc += 2
				f.base++
				continue
			}
			if int(in.op) == lua.OP_TESTSET {
				regs[in.a] = regs[in.b]
			}
			goto jump
		case lua.OP_JMP:
			f.taken += int64(pc + 1 - f.base)
			from := pc
			pc = int(in.x)
			f.base = pc
			if pc <= from && f.taken >= f.quota && !f.settle() {
				return f.leave(L, pc)
			}
			continue
		case lua.OP_FORPREP:
			start, limit, step := &regs[in.a], &regs[in.a+1], &regs[in.a+2]
			if start.Value != nil || limit.Value != nil || step.Value != nil {
				return f.leaveAt(L, pc)
			}
			start.Number = start.Number - step.Number + zero
			f.taken += int64(pc + 1 - f.base)
			pc = int(in.x)
			f.base = pc
			continue
		case lua.OP_FORLOOP:
			index, limit, step := &regs[in.a], &regs[in.a+1], &regs[in.a+2]
			if index.Value != nil || limit.Value != nil || step.Value != nil {
				return f.leaveAt(L, pc)
			}
			index.Number = index.Number + step.Number + zero
			if step.Number > 0 && index.Number <= limit.Number || step.Number <= 0 && index.Number >= limit.Number {
				regs[in.a+3].Set(index.Number)
				f.taken += int64(pc + 1 - f.base)
				pc = int(in.x)
				f.base = pc
				if f.taken >= f.quota && !f.settle() {
					return f.leave(L, pc)
				}
				continue
			}
		case lua.OP_GETUPVAL:
			regs[in.a].Put(f.fn.Upvalues[in.b].Value())
		case lua.OP_SETUPVAL:
			f.fn.Upvalues[in.b].SetValue(f.box(&regs[in.a]))
		case lua.OP_GETGLOBAL:
			if !f.global(in) {
				goto step
			}
		case lua.OP_GETTABLE:
			if p := place(&regs[in.b], &regs[in.c]); p != nil {
				regs[in.a].Set(*p)
			} else if !f.element(in) {
				goto step
			}
		case lua.OP_GETTABLEKS:
			if !f.field(pc, in) {
				goto step
			}
		case lua.OP_SELF:
			object := regs[in.b]
			if !f.field(pc, in) {
				goto step
			}
			regs[in.a+1] = object
		case lua.OP_SETTABLE:
			value := &regs[in.c]
			if p := openPlace(&regs[in.a], &regs[in.b]); p != nil && value.Value == nil {
				*p = value.Number
			} else if !f.setElement(in) {
				goto step
			}
		case lua.OP_SETTABLEKS:
			if !f.setField(pc, in) {
				goto step
			}
		case lua.OP_NEWTABLE:
			size := stdlib.NewTable(int(in.b), int(in.c))
			if !f.afford(size, 0) {
				goto step
			}
			f.spend(size, 0)
			regs[in.a].Value = L.CreateTable(int(in.b), int(in.c))
		case lua.OP_LEN:
			if !f.length(in) {
				goto step
			}
		case lua.OP_CALL:
			if f.goFunc(pc, in) {
				break
			}
			if in.alone { // what it returns nobody knows
				return f.leaveAt(L, pc)
			}
			goto step
		case lua.OP_RETURN:
			f.taken += int64(pc + 1 - f.base)
			return f.results(int(in.a), int(in.x))
		case lua.OP_CLOSE, lua.OP_NOP:
		default:
			return f.leaveAt(L, pc)
		}
		pc++
		continue
	step: // the VM executes the instruction, and may use up what was left
		f.taken += int64(pc - f.base)
		if f.step(L, pc); f.quota <= 0 && !f.settle() {
			return f.leave(L, pc+1)
		}
		pc++
		f.base = pc
		continue
	jump: // the one behind a question
		f.taken += int64(pc + 2 - f.base)
		from := pc
		pc = int(in.x)
		f.base = pc
		if pc <= from && f.taken >= f.quota && !f.settle() {
			return f.leave(L, pc)
		}
	}
}

// leaveAt is leave in the middle of a run.
func (f *Evaluator) leaveAt(L *lua.LState, pc int) []vm.Register {
	f.taken += int64(pc - f.base)
	return f.leave(L, pc)
}
