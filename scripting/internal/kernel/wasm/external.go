package wasm

import (
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file writes what a kernel reads from outside: random numbers, items of lists, memory
// at an address that was computed, and calls of the host.

// external writes what reads or changes things that are not the kernel's own.
//
// A Find is not among these: it is always the value of a Set, which lookup recognises and
// search writes.
func (c *code) external(e *ir.Expr) {
	switch e.Op {
	case ir.Random:
		// The upper 53 bits as a fraction: each is a float64, and 1 is not reached.
		c.draw()
		c.with(opI64Const, 11)
		c.op(opI64ShrU, opF64ConvU64)
		c.f64(1.0 / (1 << 53))
		c.op(opF64Mul)
	case ir.Draw:
		c.whole(e.Args[0], e.Args[1])
	case ir.Load:
		c.expr(e.Args[0])
		c.fetch(e.Kind, e.Type, e.Offset)
	case ir.Step:
		c.expr(e.Args[0])
		c.expr(e.Args[1])
		c.op(opI32SatU, opI32Add)
	case ir.Here: // the pointer is that of the turn's first row, see groups
		c.get(e.Column)
		if ahead := int64(c.ahead) * int64(c.f.Columns[e.Column].Stride); ahead > 0 {
			c.i32(ahead)
			c.op(opI32Add)
		}
	case ir.Touched:
		c.touched(e.Args[0])
	case ir.Alive:
		c.alive(e.Args[0])
	case ir.Record:
		c.record(e.Args[0])
	case ir.Fetch, ir.Ask:
		c.i32(int64(e.HostCall))
		c.expr(e.Args[0])
		c.with(opCall, int64(c.calls[e.Op.String()]))
	case ir.Invoke:
		c.i32(int64(e.HostCall))
		for _, arg := range e.Args {
			c.expr(arg)
		}
		c.with(opCall, int64(c.calls[e.Op.String()]))
	case ir.Do:
		c.note(e)
	}
}

// pickItem leaves the item of a list. An index of none leads to the first one, so
// that it makes no difference where it is evaluated.
func (c *code) pickItem(e *ir.Expr) {
	// The index less 1, without a sign: 0 and what lies below 1 becomes the greatest number,
	// so that one comparison with the length finds all that lead nowhere.
	c.expr(e.Args[0])
	c.op(opI32SatU)
	c.i32(1)
	c.op(opI32Sub)
	c.with(opLocalTee, int64(c.item))
	c.i32(0)
	c.get(c.item)
	c.i32(int64(c.f.Lists[e.List].Len))
	c.op(opI32LtU, opSelect)
	c.i32(8)
	c.op(opI32Mul)
	c.mem(opF64Load, 3, c.f.ListAt(e.List))
}

// draw leaves the next 64 random bits on the stack: SplitMix64, as the world's
// generator has it (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number
// generators, OOPSLA 2014): a sum, and three foldings with two products. It is written into
// the kernel because a call of the host would take longer than all of it.
func (c *code) draw() {
	// The constants are those of the paper, as signed numbers, which LEB128 takes.
	c.get(c.state)
	c.with(opI64Const, -0x61C8864680B583EB)
	c.op(opI64Add)
	c.with(opLocalTee, int64(c.state))
	c.set(c.scratch)
	for _, step := range []struct {
		shift int64
		times int64
	}{{30, -0x40A7B892E31B1A47}, {27, -0x6B2FB644ECCEEE15}} {
		c.fold(step.shift)
		c.with(opI64Const, step.times)
		c.op(opI64Mul)
		c.set(c.scratch)
	}
	c.fold(31)
}

// fold leaves z ^ z>>shift on the stack, where z is in scratch.
//
// It leaves scratch as it is.
func (c *code) fold(shift int64) {
	c.get(c.scratch)
	c.get(c.scratch)
	c.with(opI64Const, shift)
	c.op(opI64ShrU, opI64Xor)
}

// whole draws a whole number from low to high, which are plain: evaluating them
// twice changes nothing. lower has stopped at rows where low is above high, or where the
// difference has no exact number. The remainder of 64 random bits is what the world's
// generator gives, too, bias included: it is far below what a game could see.
func (c *code) whole(low, high *ir.Expr) {
	c.expr(low)
	c.draw()
	c.expr(high)
	c.expr(low)
	c.op(opF64Sub)
	c.f64(1)
	c.op(opF64Add, opI64SatU, opI64RemU, opF64ConvU64, opF64Add)
}
