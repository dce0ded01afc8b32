package wasm

import (
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/vector"
)

// This file writes statements. code is the one noun that all files of this package share: the
// list of instructions that is being written, with the layout of its locals. expr.go writes
// expressions, and row_loop.go the loop over rows around it all.

// code is the body of a function that is being written. Instructions are appended in the
// order in which they stand; nothing looks back at them. Every method that says that it
// leaves something leaves it on the stack of the WebAssembly machine.
//
// Methods trust the kernel, which Check has accepted, and never fail. A mistake here is a
// module that the engine refuses, or one that the judges of this package find.
type code struct {
	f    *ir.Func
	plan *vector.Plan // nil: row by row
	localLayout
	calls     map[string]int // function numbers
	list      []instr
	labels    []int              // of the blocks around this place, outermost first
	rows      bool               // numbers have been put into their locals
	ahead     int                // rows from the pointers to the row at hand
	lazyLoads map[*ir.Stmt][]int // fields that are loaded in front of a statement
	line      int                // of the statement that is being written

	private map[int]bool // locals of records that only lookups read
}

// Labels of the blocks that the loop over rows has, beside those of the IR,
// which count from 0 up. In the module there are no labels, only depths: jump counts them.
const (
	stopLabel  = -1  // after the last row
	rowsLabel  = -2  // the loop over rows
	restLabel  = -3  // after the whole groups of rows
	otherLabel = -4  // that nobody leaves
	slowLabel  = -5  // after the stores of a turn that must not be made
	againLabel = -6  // the loop over vectors and the single rows after them
	doneLabel  = -7  // after a loop over rows
	missLabel  = -8  // where a component is not found
	anewLabel  = -9  // the begin of a search
	coldLabel  = -10 // where an entity is not what it mostly is
	foundLabel = -11 // after what is done where a component is not found
)

// op appends instructions that have no more than their number.
func (c *code) op(ops ...opcode) {
	for _, op := range ops {
		c.list = append(c.list, instr{op: op})
	}
}

// with appends an instruction with an index, a type or an integer.
func (c *code) with(op opcode, imm int64) { c.list = append(c.list, instr{op: op, imm: imm}) }

// get and set append the transfer of a local of the module, not of the kernel: see local.
//
// They write one instruction each, and the caller counts the operands on the stack.
func (c *code) get(local int) { c.with(opLocalGet, int64(local)) }
func (c *code) set(local int) { c.with(opLocalSet, int64(local)) }

// f64 and i32 append a constant.
func (c *code) f64(v float64) { c.list = append(c.list, instr{op: opF64Const, float: v}) }
func (c *code) i32(v int64)   { c.with(opI32Const, v) }

// mem is a load or store of 1<<align bytes.
//
// The alignment is a hint. The offset is added to the address on the stack without
// wrapping.
func (c *code) mem(op opcode, align uint8, offset uint32) {
	c.list = append(c.list, instr{op: op, align: align, imm: int64(offset)})
}

// open begins a block, a loop or an if.
//
// result is the type of the value that the block leaves, or typeNone.
func (c *code) open(op opcode, label int, result byte) {
	c.with(op, int64(result))
	c.labels = append(c.labels, label)
}

// end ends what was opened last. Whoever opens something ends it in the same function, so that
// labels and instructions cannot come apart.
func (c *code) end() {
	c.op(opEnd)
	c.labels = c.labels[:len(c.labels)-1]
}

// jump writes a branch to a label. One to a label that is not there leads nowhere, and
// the engine refuses the module.
//
// Labels of the IR and of the loop over rows share one list, and the innermost block with
// the label is meant: otherLabel may be there many times, as nothing jumps to it. O(depth).
func (c *code) jump(op opcode, label int) {
	const nowhere = 1 << 20
	depth := nowhere
	for i, known := range c.labels {
		if known == label {
			depth = len(c.labels) - 1 - i
		}
	}
	c.with(op, int64(depth))
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

// stmts writes a list. Several statements that find a component are one lookup, and a field
// that only this list reads is loaded at its begin.
func (c *code) stmts(stmts []*ir.Stmt) {
	for i := 0; i < len(stmts); {
		for _, field := range c.lazyLoads[stmts[i]] {
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

// stmt writes one statement. A Stop jumps out of the loop over rows before the row has stored
// anything; that is all there is to leaving it as it was.
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
		c.stmts(s.Body)
		c.burn(s.Cost)
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
//
// A Tee or a Sincos in the second operand would not be assigned where the jump goes past it.
func jumps(e *ir.Expr) bool {
	return (e.Op == ir.And || e.Op == ir.Or) && !e.Args[1].Any(func(e *ir.Expr) bool { return e.Assigns() })
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
	// The inner block is left where one of the two holds, the outer one where neither does.
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

// burn takes fuel and stops when there is none: at the end of each turn, so that a loop that
// ends in its first turn is free, as it nearly is in Lua.
func (c *code) burn(cost int) {
	if cost == 0 {
		return
	}
	c.get(c.burnt)
	c.with(opI64Const, int64(cost))
	c.op(opI64Sub)
	c.with(opLocalTee, int64(c.burnt))
	c.with(opI64Const, 0)
	c.op(opI64LtS)
	c.jumpIf(stopLabel)
}
