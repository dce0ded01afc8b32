//go:build !machine

package unboxed

import (
	"github.com/perigee-ecs/perigee/bindings/bytecode"
	"github.com/perigee-ecs/perigee/bindings/vm"
	lua "github.com/yuin/gopher-lua"
)

// instruction is one of the VM's, taken apart. Its index is that of the
// original. Operands are indices of registers; a constant has one, too.
type instruction struct {
	op      uint8
	alone   bool // A is what EQ, LT, LE compare with; for others see decode
	a, b, c uint16
	x       int64 // where a jump leads, or a number of values; makes the size a power of two
}

// sets returns how many registers an instruction sets, from its first operand on. It is for
// those that the VM may execute for this package.
func (in *instruction) sets() int {
	switch int(in.op) {
	case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
		return 0
	case lua.OP_SELF:
		return 2
	case lua.OP_CALL:
		return int(in.x)
	}
	return 1
}

// ignores reports whether an instruction does not read a register. False for those of which
// that is not known.
func (in *instruction) ignores(register uint16) bool {
	switch int(in.op) {
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS, lua.OP_SELF:
		return register != in.b && register != in.c
	case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
		return register != in.a && register != in.b && register != in.c
	}
	return false
}

// opLeave hands over to the VM, which has no such operation.
const opLeave = 63

// decoder takes apart one function.
type decoder struct {
	proto  *lua.FunctionProto
	places []int // of constants
}

// decode takes the code of a function apart and puts its constants behind its
// registers.
func decode(p *lua.FunctionProto, regs *[]vm.Register) []instruction {
	d := decoder{p, constants(p, regs)}
	code := make([]instruction, len(p.Code))
	for pc := range code {
		code[pc] = d.instruction(pc)
	}
	return code
}

// operand returns the register of an operand that may be a constant.
func (d *decoder) operand(rk int) uint16 {
	if constant, ok := bytecode.Constant(rk); ok {
		return uint16(d.places[constant])
	}
	return uint16(rk)
}

// instruction decodes one. What the switch does not list the VM does.
func (d *decoder) instruction(pc int) instruction {
	word := d.proto.Code[pc]
	op, a, b, c := bytecode.Parts(word)
	bx := bytecode.Bx(word)
	in := instruction{op: uint8(op), a: uint16(a), b: uint16(b), c: uint16(c)}
	leave := instruction{op: opLeave}
	switch op {
	case lua.OP_MOVE, lua.OP_MOVEN, lua.OP_LOADNIL, lua.OP_GETUPVAL, lua.OP_SETUPVAL, lua.OP_NOT, lua.OP_CLOSE, lua.OP_NOP:
	case lua.OP_LOADBOOL, lua.OP_NEWTABLE:
	case lua.OP_LOADK, lua.OP_GETGLOBAL:
		if d.places[bx] > 0xffff {
			return leave
		}
		in.b = uint16(d.places[bx])
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS, lua.OP_SELF:
		in.c = d.operand(c)
	case lua.OP_SETTABLE, lua.OP_SETTABLEKS, lua.OP_ADD, lua.OP_SUB, lua.OP_MUL, lua.OP_DIV, lua.OP_MOD, lua.OP_POW:
		in.b, in.c = d.operand(b), d.operand(c)
	case lua.OP_UNM, lua.OP_LEN:
		in.b = d.operand(b)
	case lua.OP_JMP, lua.OP_FORLOOP, lua.OP_FORPREP:
		in.x = int64(bytecode.Target(pc, word))
	case lua.OP_EQ, lua.OP_LT, lua.OP_LE, lua.OP_TEST, lua.OP_TESTSET:
		return d.question(pc, in)
	case lua.OP_CALL:
		return d.call(pc, in)
	case lua.OP_RETURN:
		if b == 0 {
			return leave
		}
		in.x = int64(b - 1)
	default:
		return leave
	}
	return in
}

// question decodes what executes the jump behind it or passes it over.
func (d *decoder) question(pc int, in instruction) instruction {
	if pc+1 == len(d.proto.Code) || bytecode.Op(d.proto.Code[pc+1]) != lua.OP_JMP {
		return instruction{op: opLeave}
	}
	in.x = int64(bytecode.Target(pc+1, d.proto.Code[pc+1]))
	if op := int(in.op); op == lua.OP_TEST || op == lua.OP_TESTSET {
		in.alone = in.c != 0
		return in
	}
	in.alone = in.a != 0
	in.b, in.c = d.operand(int(in.b)), d.operand(int(in.c))
	return in
}

// call decodes a call: b is the number of arguments, x that of results. Where those
// are all that there are, only one is known of: that the call of a GoFunc whose
// result is the last argument of the call behind it gives one.
func (d *decoder) call(pc int, in instruction) instruction {
	_, a, b, c := bytecode.Parts(d.proto.Code[pc])
	if in.b = uint16(b - 1); b == 0 {
		if pc == 0 || !d.givesAll(pc-1) {
			return instruction{op: opLeave}
		}
		_, last, _, _ := bytecode.Parts(d.proto.Code[pc-1])
		in.b = uint16(last - a)
	}
	in.x, in.alone = int64(c-1), c == 0
	if in.alone && (pc+1 == len(d.proto.Code) || !d.takesAll(pc+1)) {
		in.op = opLeave
	}
	return in
}

// takesAll reports whether the instruction is a call whose last arguments are all
// values that the one before it has given.
func (d *decoder) takesAll(pc int) bool {
	op, _, b, _ := bytecode.Parts(d.proto.Code[pc])
	return op == lua.OP_CALL && b == 0
}

func (d *decoder) givesAll(pc int) bool {
	op, _, _, c := bytecode.Parts(d.proto.Code[pc])
	return op == lua.OP_CALL && c == 0
}
