package wasm

import (
	"math"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/vector"
)

// code is the body of a function that is being written.
type code struct {
	f    *ir.Func
	plan *vector.Plan // nil: row by row
	layout
	calls  map[string]int // function numbers
	list   []instr
	labels []int              // of the blocks around this place, outermost first
	rows   bool               // numbers have been put into their locals
	ahead  int                // rows from the pointers to the row at hand
	late   map[*ir.Stmt][]int // fields that are loaded in front of a statement
	line   int                // of the statement that is being written

	private map[int]bool // locals of records that only lookups read
}

// Labels of the blocks that the kernel's frame has, beside those of the IR,
// which count from 0 up.
const (
	stopLabel  = -1  // behind the last row
	rowsLabel  = -2  // the loop over rows
	restLabel  = -3  // behind the whole groups of rows
	otherLabel = -4  // that nobody leaves
	slowLabel  = -5  // behind the stores of a turn that must not be made
	againLabel = -6  // the loop over vectors and the single rows behind them
	doneLabel  = -7  // behind a loop over rows
	missLabel  = -8  // where a component is not found
	anewLabel  = -9  // the begin of a search
	coldLabel  = -10 // where an entity is not what it mostly is
	foundLabel = -11 // behind what is done where a component is not found
)

func (c *code) op(ops ...opcode) {
	for _, op := range ops {
		c.list = append(c.list, instr{op: op})
	}
}

func (c *code) with(op opcode, imm int64) { c.list = append(c.list, instr{op: op, imm: imm}) }

func (c *code) get(local int) { c.with(opLocalGet, int64(local)) }
func (c *code) set(local int) { c.with(opLocalSet, int64(local)) }

func (c *code) f64(v float64) { c.list = append(c.list, instr{op: opF64Const, float: v}) }
func (c *code) i32(v int64)   { c.with(opI32Const, v) }

// mem is a load or store of 1<<align bytes.
func (c *code) mem(op opcode, align uint8, offset uint32) {
	c.list = append(c.list, instr{op: op, align: align, imm: int64(offset)})
}

// open begins a block, a loop or an if.
func (c *code) open(op opcode, label int, result byte) {
	c.with(op, int64(result))
	c.labels = append(c.labels, label)
}

func (c *code) end() {
	c.op(opEnd)
	c.labels = c.labels[:len(c.labels)-1]
}

// jump writes a branch to a label.
func (c *code) jump(op opcode, label int) {
	for i := len(c.labels) - 1; i >= 0; i-- {
		if c.labels[i] == label {
			c.with(op, int64(len(c.labels)-1-i))
			return
		}
	}
}

// jumpIf writes a branch to a label that is taken if what is on the stack is not 0.
//
// Why not br_if? The compiler of wazero 1.12.0 puts a block of its own on the way to a
// place that is reached by several ways, and then makes a number of the comparison
// and tests that: five instructions in the place of two.
func (c *code) jumpIf(label int) {
	c.open(opIf, otherLabel, typeNone)
	c.jump(opBr, label)
	c.end()
}

func (c *code) stmts(stmts []*ir.Stmt) {
	for i := 0; i < len(stmts); {
		for _, field := range c.late[stmts[i]] {
			c.load(field)
			c.set(c.local(c.f.Fields[field].Local))
		}
		if l := c.lookup(stmts[i:]); l != nil {
			c.search(l)
			i += l.length
			continue
		}
		c.stmt(stmts[i])
		i++
	}
}

func (c *code) stmt(s *ir.Stmt) {
	c.line = s.Line
	switch s.Kind {
	case ir.Set:
		c.expr(s.Value)
		c.set(c.local(s.Local))
	case ir.If:
		c.branch(s)
	case ir.Block:
		c.open(opBlock, s.Label, typeNone)
		c.stmts(s.Body)
		c.end()
	case ir.Loop:
		c.open(opLoop, otherLabel, typeNone)
		c.burn(s.Cost)
		c.stmts(s.Body)
		c.with(opBr, 0)
		c.end()
	case ir.Leave:
		c.jump(opBr, s.Label)
	case ir.Stop:
		c.jump(opBr, stopLabel)
	}
}

// branch is an if. A condition that is turned around turns its arms around.
func (c *code) branch(s *ir.Stmt) {
	if len(s.Else) == 0 && jumps(s.Value) {
		c.stepwise(s)
		return
	}
	cond, then, otherwise := s.Value, s.Body, s.Else
	for cond.Op == ir.Not {
		cond, then, otherwise = cond.Args[0], otherwise, then
	}
	c.expr(cond)
	c.open(opIf, otherLabel, typeNone)
	c.stmts(then)
	if len(otherwise) > 0 {
		c.op(opElse)
		c.stmts(otherwise)
	}
	c.end()
}

// jumps reports whether a condition is a pair of which the second may be left
// out: nobody reads what it sets.
func jumps(e *ir.Expr) bool {
	if e.Op != ir.And && e.Op != ir.Or {
		return false
	}
	sets := false
	e.Args[1].Walk(func(e *ir.Expr) { sets = sets || e.Op == ir.Tee })
	return !sets
}

// stepwise tests the operands one after the other: a comparison and a jump are
// two instructions, its outcome as a number is four.
func (c *code) stepwise(s *ir.Stmt) {
	first, second := *s, *s
	first.Value, second.Value = s.Value.Args[0], s.Value.Args[1]
	if s.Value.Op == ir.And {
		first.Body = []*ir.Stmt{&second}
		c.branch(&first)
		return
	}
	c.open(opBlock, otherLabel, typeNone)
	c.open(opBlock, otherLabel, typeNone)
	for _, e := range s.Value.Args {
		c.expr(e)
		c.open(opIf, otherLabel, typeNone)
		c.with(opBr, 1)
		c.end()
	}
	c.with(opBr, 1)
	c.end()
	c.stmts(s.Body)
	c.end()
}

// burn takes fuel and stops when there is none.
func (c *code) burn(cost int) {
	if cost == 0 {
		return
	}
	c.get(c.fuel())
	c.with(opI64Const, int64(cost))
	c.op(opI64Sub)
	c.with(opLocalTee, int64(c.fuel()))
	c.with(opI64Const, 0)
	c.op(opI64LtS)
	c.jumpIf(stopLabel)
}

// direct are the operations that are one instruction behind their operands.
var direct = map[ir.Op]opcode{
	ir.Add: opF64Add, ir.Sub: opF64Sub, ir.Mul: opF64Mul, ir.Div: opF64Div, ir.Neg: opF64Neg, ir.Abs: opF64Abs,
	ir.Ceil: opF64Ceil, ir.Floor: opF64Floor, ir.Sqrt: opF64Sqrt, ir.Lt: opF64Lt, ir.Le: opF64Le,
	ir.Not: opI32Eqz, ir.And: opI32And, ir.Or: opI32Or, ir.Pick: opSelect, ir.Widen: opF64Promote, ir.Narrow: opF32Demote, ir.Number: opF64ConvU64,
}

// direct32 are those that are another instruction for float32.
var direct32 = map[ir.Op]opcode{
	ir.Add: opF32Add, ir.Sub: opF32Sub, ir.Mul: opF32Mul, ir.Div: opF32Div, ir.Neg: opF32Neg, ir.Abs: opF32Abs,
	ir.Ceil: opF32Ceil, ir.Floor: opF32Floor, ir.Sqrt: opF32Sqrt, ir.Lt: opF32Lt, ir.Le: opF32Le,
}

func (c *code) expr(e *ir.Expr) {
	if e.Lazy {
		c.lazy(e)
		return
	}
	switch {
	case e.Op == ir.Pick && (e.Type == ir.Num || e.Type == ir.Num32):
		c.choose(e)
		return
	case e.Op == ir.Item:
		c.pickItem(e)
		return
	case e.Outside():
		c.outside(e)
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
	case ir.Mod:
		c.with(opCall, int64(c.calls[modulo]))
	case ir.Call:
		c.with(opCall, int64(c.calls[e.Name]))
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

var addition = map[ir.Type]opcode{ir.Num: opF64Add, ir.Num32: opF32Add}

// constant leaves a constant of a type on the stack.
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

// number leaves a number on the stack that has a local, for an operation that takes
// it from there.
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
// of a register, as the compiler behind us does, waits for what the upper half was.
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

func equality(e *ir.Expr) opcode {
	pair := equalities[e.Args[0].Type]
	if e.Op == ir.Eq {
		return pair[0]
	}
	return pair[1]
}

// lazy evaluates operands only where they are needed.
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
