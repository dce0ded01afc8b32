package wasm

import (
	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file writes how a row asks for a change of the world: it appends a note to scratch
// memory, after it has checked what Lua would check, and marks the entity.

// Changes are noted one after the other, from cmd up to end: the number of the
// host call in 8 bytes, then 8 bytes for each value, as a float64. The host makes them
// when the kernel has stopped. Those of a row count once it is finished: then the
// parameter cmd, which is a result, moves after them.
//
// A row that finds no room stops with full set to 1, as if it had not begun.

// note leaves whether a change was noted. It was not where Lua might refuse it:
// the entity is not alive, or a field cannot hold its value.
//
// The note becomes one by the move of noted at the end. Whatever leaves before that, by a
// refusal or a stop, leaves noted where it was, so a note is either whole or not there.
//
// The mark is written before the values are checked. If the change is refused after that,
// the row is the VM's, and its entity is marked in vain.
func (c *code) note(e *ir.Expr) {
	size, call := int64(ir.NoteSize(len(e.Args))), &c.f.HostCalls[e.HostCall]
	// Room first: a row that does not fit must not have marked anything. The marks of one
	// that stops later stay, which only makes more rows the VM's.
	c.get(c.limit)
	c.get(c.noted)
	c.op(opI32Sub)
	c.i32(size)
	c.op(opI32LtU)
	c.open(opIf, otherLabel, typeNone)
	c.i32(1)
	c.set(c.full)
	c.jump(opBr, stopLabel)
	c.end()
	if call.Op == "despawn" {
		c.alone(e)
	}
	if c.marks && call.AboutEntity() {
		c.locate(e.Args[0])
		c.marked()
		c.get(c.markParam)
		c.mem(opI32Store8, 0, c.f.Memory.Marks)
	}
	if e.Sure {
		c.given(e)
	} else {
		c.open(opBlock, otherLabel, typeI32)
		c.values(e)
	}
	c.get(c.noted)
	c.with(opI64Const, int64(e.HostCall))
	c.mem(opI64Store, 3, 0)
	c.get(c.noted)
	c.i32(size)
	c.op(opI32Add)
	c.set(c.noted)
	c.i32(1)
	if !e.Sure {
		c.end()
	}
}

// alone leaves the row to Lua if others may die with the entity that it ends: the host
// has marked whom they have something to do with, and those that the run has changed.
//
// Why does it not ask the host? A call, be it one that nobody makes, takes registers
// from all that the rows do.
//
// It runs before the entity gets its mark, since it asks for the mark that the entity has.
func (c *code) alone(e *ir.Expr) {
	c.get(c.markParam) // nobody stands in a relation: nobody else dies
	c.i32(kinMark)
	c.op(opI32And)
	c.open(opIf, otherLabel, typeNone)
	c.locate(e.Args[0])
	c.marked()
	c.mem(opI32Load8U, 0, c.f.Memory.Marks)
	c.i32(runMark)
	c.op(opI32And)
	c.get(c.markParam)
	c.i32(runMark)
	c.op(opI32And, opI32Eq)
	c.jumpIf(stopLabel)
	c.end()
}

// given stores the values of a change that cannot be refused: passes have proven of each
// that its field holds it, and of the entity that it is the row's own.
//
// The conversion of a handle is exact: one that a world gives out has 52 bits.
func (c *code) given(e *ir.Expr) {
	for i, a := range e.Args {
		c.get(c.noted)
		if c.expr(a); a.Type == ir.Handle {
			c.op(opF64ConvI64)
		}
		c.mem(opF64Store, 3, uint32(ir.NoteSize(i)))
	}
}

// values stores the values of a change; it leaves the block around with 0 where
// one is refused.
//
// The first value of a change of an entity is its handle, which identify has left in hand
// as an integer. All others are checked by the kinds of the fields that they go to; the
// list of kinds is aligned at its end.
func (c *code) values(e *ir.Expr) {
	call := &c.f.HostCalls[e.HostCall]
	kinds := call.Kinds()
	for i, a := range e.Args {
		switch {
		case i == 0 && call.AboutEntity():
			c.identify(a)
			c.op(opI32Eqz)
			c.refuse()
			c.get(c.hand)
			c.op(opF64ConvI64)
			c.set(c.num)
		default:
			c.expr(a)
			c.set(c.num)
			c.fits(kinds[i-len(e.Args)+len(kinds)])
		}
		c.get(c.noted)
		c.get(c.num)
		c.mem(opF64Store, 3, uint32(ir.NoteSize(i)))
	}
}

// refuse leaves the block around with 0 if there is something else on the stack. The note is
// begun then and not ended: the next one is written over it.
func (c *code) refuse() {
	c.open(opIf, otherLabel, typeNone)
	c.i32(0)
	c.with(opBr, 1)
	c.end()
}

// fits refuses a value in num that a field of the kind cannot hold: what
// schema.Kind.Fit says. The compiler sees to what bools and enums get.
func (c *code) fits(k schema.Kind) {
	low, high := float64(0), float64(0)
	switch k {
	case schema.F32, schema.F64, schema.Bool, schema.Enum:
		return
	default:
		low, high = k.Range()
	}
	// Not-a-number is in no order, so it fails the comparisons as a number out of range does.
	c.get(c.num)
	c.f64(low)
	c.op(opF64Ge)
	c.get(c.num)
	c.f64(high)
	c.op(opF64Le, opI32And)
	c.get(c.num)
	c.op(opF64Trunc)
	c.get(c.num)
	c.op(opF64Eq, opI32And, opI32Eqz)
	c.refuse()
}
