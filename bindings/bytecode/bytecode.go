// Package bytecode takes apart the instructions of gopher-lua's VM.
//
// An instruction is 32 bits: six of the operation, eight of the operand A, and then
// either nine bits each of B and C, or eighteen bits of one operand, Bx. Where an
// operation takes a register or a constant, the highest of the nine bits tells them
// apart. After a CLOSURE stands an instruction for each variable that the new function
// captures: it is executed as a part of the CLOSURE.
//
// It is public because packages of bindings and of scripting look at bytecode, and a
// host never has to.
package bytecode

import (
	"hash/maphash"

	lua "github.com/yuin/gopher-lua"
)

// isConstant is the bit of an operand that names a constant.
const isConstant = 1 << 8

// offset is what a jump's operand has added to it, so that it is never negative.
const offset = 1<<17 - 1

// Op returns the operation, one of lua.OP_….
func Op(code uint32) int { return int(code >> 26) }

// A returns the first operand, most often the register that gets the result.
func A(code uint32) int { return int(code>>18) & 0xff }

// B returns the second of three operands.
func B(code uint32) int { return int(code) & 0x1ff }

// C returns the third of three operands.
func C(code uint32) int { return int(code>>9) & 0x1ff }

// Bx returns the second of two operands: the index of a constant or of a function.
func Bx(code uint32) int { return int(code) & (1<<18 - 1) }

// Parts returns the operation and its three operands.
func Parts(code uint32) (op, a, b, c int) { return Op(code), A(code), B(code), C(code) }

// Make returns an instruction with three operands.
func Make(op, a, b, c int) uint32 {
	return uint32(op)<<26 | uint32(a)<<18 | uint32(c)<<9 | uint32(b)
}

// MakeBx returns an instruction with two operands.
func MakeBx(op, a, bx int) uint32 { return uint32(op)<<26 | uint32(a)<<18 | uint32(bx) }

// Jump returns the jump that leads from the index at which it stands to another.
func Jump(from, to int) uint32 {
	return uint32(lua.OP_JMP)<<26 | uint32(to-from-1+offset)
}

// Target returns the index of the instruction to which the jump at pc leads.
func Target(pc int, code uint32) int { return pc + 1 + Bx(code) - offset }

// Constant returns the index of the constant that an operand B or C names; false when
// it is a register.
func Constant(operand int) (index int, ok bool) {
	return operand &^ isConstant, operand&isConstant != 0
}

// Digest returns a number for what a function does: for two functions of the same text it is
// the same wherever they stand. It is for comparing within one process.
func Digest(p *lua.FunctionProto) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	digest(&h, p)
	return h.Sum64()
}

var seed = maphash.MakeSeed()

func digest(h *maphash.Hash, p *lua.FunctionProto) {
	maphash.WriteComparable(h, [3]int{len(p.Code), len(p.Constants), len(p.FunctionPrototypes)})
	for _, code := range p.Code {
		maphash.WriteComparable(h, code)
	}
	for _, constant := range p.Constants {
		maphash.WriteComparable(h, constant)
	}
	for _, inner := range p.FunctionPrototypes {
		digest(h, inner)
	}
}
