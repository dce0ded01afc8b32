package wasm

import (
	"math"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file writes expressions that depend on locals alone. external.go, handles.go and
// changes.go write those that look outside of the kernel.

// direct are the operations that are one instruction after their operands. What needs more
// has a case in expr, or is External.
var direct = map[ir.Op]opcode{
	ir.Add: opF64Add, ir.Sub: opF64Sub, ir.Mul: opF64Mul, ir.Div: opF64Div, ir.Neg: opF64Neg, ir.Abs: opF64Abs,
	ir.Ceil: opF64Ceil, ir.Floor: opF64Floor, ir.Sqrt: opF64Sqrt, ir.Lt: opF64Lt, ir.Le: opF64Le,
	ir.Not: opI32Eqz, ir.And: opI32And, ir.Or: opI32Or, ir.Pick: opSelect, ir.Widen: opF64Promote, ir.Narrow: opF32Demote, ir.Number: opF64ConvU64,
}

// direct32 are those that are another instruction for float32: the operands say which, for
// a comparison gives a Bool in either case.
var direct32 = map[ir.Op]opcode{
	ir.Add: opF32Add, ir.Sub: opF32Sub, ir.Mul: opF32Mul, ir.Div: opF32Div, ir.Neg: opF32Neg, ir.Abs: opF32Abs,
	ir.Ceil: opF32Ceil, ir.Floor: opF32Floor, ir.Sqrt: opF32Sqrt, ir.Lt: opF32Lt, ir.Le: opF32Le,
}

// expr leaves the value of an expression, operands first and in the order of Args. Bools are
// i32, 0 or 1, and places i32, too; the rest is as valueType says.
func (c *code) expr(e *ir.Expr) {
	if e.Lazy {
		c.lazy(e)
		return
	}
	switch { // what is more than its operands and one instruction
	case e.Op == ir.Pick && (e.Type == ir.Num || e.Type == ir.Num32):
		c.choose(e)
		return
	case e.Op == ir.Item:
		c.pickItem(e)
		return
	case e.External():
		c.external(e)
		return
	case (e.Op == ir.Eq || e.Op == ir.Ne) && e.Args[0].Type == ir.Handle:
		if c.same(e); e.Op == ir.Ne {
			c.op(opI32Eqz)
		}
		return
	}
	for _, a := range e.Args {
		if a.Op != ir.Const || !c.number(a.Value, e) {
			c.expr(a)
		}
	}
	switch e.Op {
	case ir.Const:
		c.constant(e.Type, e.Value)
	case ir.Get:
		c.get(c.local(e.Local))
	case ir.Tee:
		c.with(opLocalTee, int64(c.local(e.Local)))
	case ir.DT, ir.Time, ir.Tick:
		c.get(c.uniform(e.Op))
	case ir.Present:
		c.get(c.flags[e.Column])
	case ir.Mod, ir.Call:
		im, _ := importOf(e)
		c.with(opCall, int64(c.calls[im.Label]))
	case ir.Sincos:
		im, _ := importOf(e)
		c.with(opCall, int64(c.calls[im.Label]))
		c.set(c.local(e.Cosine))
		c.set(c.local(e.Local))
		c.get(c.local(map[string]int{ir.Sine: e.Local, ir.Cosine: e.Cosine}[e.Name]))
	case ir.Zero:
		if !c.number(0, e) {
			c.constant(e.Type, 0)
		}
		c.op(addition[e.Type]) // changes nothing but -0
	case ir.Eq, ir.Ne:
		c.op(equality(e))
	default:
		op := direct[e.Op]
		if e.Args[0].Type == ir.Num32 && direct32[e.Op] != 0 {
			op = direct32[e.Op]
		}
		c.op(op)
	}
}

// addition is what makes 0 of -0: 0 + -0 is 0, and any other number plus 0 is itself.
var addition = map[ir.Type]opcode{ir.Num: opF64Add, ir.Num32: opF32Add}

// constant leaves a constant of a type on the stack.
//
// Bools and places share the default, since both are i32; the two places that are constants
// are below 0, see ir.Nowhere.
func (c *code) constant(t ir.Type, v float64) {
	switch t {
	case ir.Num:
		c.f64(v)
	case ir.Num32:
		c.list = append(c.list, instr{op: opF32Const, float: v})
	case ir.Handle:
		c.with(opI64Const, int64(v))
	default:
		c.i32(int64(v))
	}
}

// number leaves a number on the stack that has a local, for an operation that takes it from
// there. It reports whether it has. Before numbers has run, the locals hold nothing, which
// rows says: what runs once, in front of the loop, makes its numbers itself.
func (c *code) number(v float64, operation *ir.Expr) bool {
	if !c.rows || !fromLocals(operation) {
		return false
	}
	for _, k := range c.consts {
		if k.bits == math.Float64bits(v) {
			c.get(k.local)
			return true
		}
	}
	return false
}

// fromLocals reports whether an operation takes its numbers from locals where they
// have one. A number that is assigned is made anew instead: to copy the lower half
// of a register, as wazero's compiler does, waits for what the upper half was.
func fromLocals(e *ir.Expr) bool {
	switch e.Op {
	case ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Zero, ir.Lt, ir.Le, ir.Eq, ir.Ne:
		return e.Args[0].Type == ir.Num
	}
	return false
}

// choose is a select on numbers, by way of their bits.
//
// Why not select them as they are? The compiler of wazero 1.12.0 for amd64 does
// not know that its conditional move of floats leaves the old value in place
// when the condition fails, and may give the register to the other operand: one
// random program in a thousand computed something else.
//
// The way by the bits costs two moves. Places, handles and booleans are integers already,
// and are selected as they are.
func (c *code) choose(e *ir.Expr) {
	bits, back := opI64Bits, opF64Bits
	if e.Type == ir.Num32 {
		bits, back = opI32Bits, opF32Bits
	}
	c.expr(e.Args[0])
	c.op(bits)
	c.expr(e.Args[1])
	c.op(bits)
	c.expr(e.Args[2])
	c.op(opSelect, back)
}

// equalities are Eq and Ne by the type of the operands.
var equalities = map[ir.Type][2]opcode{
	ir.Num: {opF64Eq, opF64Ne}, ir.Num32: {opF32Eq, opF32Ne}, ir.Bool: {opI32Eq, opI32Ne}, ir.Place: {opI32Eq, opI32Ne},
}

// equality is the instruction of Eq or Ne for the type of the operands. Handles have none, see
// same.
func equality(e *ir.Expr) opcode {
	pair := equalities[e.Args[0].Type]
	if e.Op == ir.Eq {
		return pair[0]
	}
	return pair[1]
}

// lazy evaluates operands only where they are needed: a jump in the place of an instruction
// that would need both. Passes mark an operation as lazy where that is the cheaper one.
//
// The condition of a Pick is its last operand and evaluated first here. So a lazy Pick must
// not have a condition that reads what another operand leaves; see lower, library.go.
func (c *code) lazy(e *ir.Expr) {
	result := valueType(e.Type)
	switch e.Op {
	case ir.And:
		c.expr(e.Args[0])
		c.open(opIf, otherLabel, result)
		c.expr(e.Args[1])
		c.op(opElse)
		c.i32(0)
	case ir.Or:
		c.expr(e.Args[0])
		c.open(opIf, otherLabel, result)
		c.i32(1)
		c.op(opElse)
		c.expr(e.Args[1])
	default: // Pick
		c.expr(e.Args[2])
		c.open(opIf, otherLabel, result)
		c.expr(e.Args[0])
		c.op(opElse)
		c.expr(e.Args[1])
	}
	c.end()
}

// valueType is the type of a value in the module.
//
// The locals of the IR, the inputs and what blocks leave have their types by it.
func valueType(t ir.Type) byte {
	switch t {
	case ir.Num:
		return typeF64
	case ir.Num32:
		return typeF32
	case ir.Handle:
		return typeI64
	}
	return typeI32
}
