package wasm

import "github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"

// This file writes how an entity is found by its handle, with a few instructions and no call:
// from the handle to its record, and from there whether it lives. lookup.go goes on from the
// record to a component.

// Handles are followed through the tables that ecs.MemoryMap describes. One is that
// of an entity here if its slot exists and its life, which is all above the slot's
// number, is the one in the slot's record: then it was issued by this world and
// nothing since has ended it. Only where that fails does it matter what else it is.

const (
	slotBits   = 24
	tagBits    = 8
	handleBits = 52
	lowest     = 1 << slotBits             // of all that have a life
	first      = 1 << (slotBits + tagBits) // of all handles: generations count from 1
	// A record is life, table, chunk and row, 1<<recordShift bytes in all.
	recordShift             = 4
	tableOf, chunkOf, rowOf = 4, 8, 12
)

// follows reports whether a kernel looks at records, or compares entities, which changes do
// besides.
func follows(f *ir.Func) bool {
	return ir.Any(f.Body, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.Touched, ir.Alive, ir.Record, ir.Find:
			return true
		case ir.Eq, ir.Ne:
			return e.Args[0].Type == ir.Handle
		}
		return false
	})
}

// locate makes hand the handle that an expression gives, and at the offset of its
// record, counted from that of slot 0; of a slot that does not exist, that of slot
// 0, which is nobody's. A number that is no whole one becomes a handle that no
// world gives out.
func (c *code) locate(e *ir.Expr) {
	c.expr(e)
	if e.Type == ir.Num {
		// There and back again: a number that is not the same afterwards has a fraction, is
		// not-a-number, or is too large, and -1 has a life that no record has.
		c.with(opLocalTee, int64(c.num))
		c.op(opI64SatS)
		c.with(opLocalTee, int64(c.hand))
		c.with(opI64Const, -1)
		c.get(c.hand)
		c.op(opF64ConvI64)
		c.get(c.num)
		c.op(opF64Eq, opSelect)
	}
	c.set(c.hand)
	c.reach()
}

// reach makes at the offset of the record of hand.
func (c *code) reach() {
	// The slot's number is in the lowest bits of the handle, and a record is a power of two
	// long: one shift and one mask are the way to it.
	c.get(c.hand)
	c.op(opI32Wrap)
	c.i32(recordShift)
	c.op(opI32Shl)
	c.i32((1<<slotBits - 1) << recordShift)
	c.op(opI32And)
	c.set(c.at)
	if c.f.Memory.Slots < 1<<slotBits { // no load from behind the table, whatever the handle
		c.get(c.at)
		c.i32(0)
		c.get(c.at)
		c.i32(int64(c.f.Memory.Slots << recordShift))
		c.op(opI32LtU, opSelect)
		c.set(c.at)
	}
}

// identify leaves whether an expression gives the handle of a living entity. After
// it, hand and at are what locate makes of them.
//
// Whatever hand holds, the load of the record is inside of the table of records: reach has
// seen to it.
func (c *code) identify(e *ir.Expr) {
	c.locate(e)
	c.alike()
}

// alike leaves whether hand has the life of the record at at, and has one.
func (c *code) alike() {
	c.bothLives()
	c.op(opI64Eq)
	c.get(c.hand)
	c.with(opI64Const, lowest-1)
	c.op(opI64GtU, opI32And)
}

// bothLives leaves the life of hand and that of the record at at. They are the same,
// too, for handles without a life and slots without a living entity.
func (c *code) bothLives() {
	c.get(c.hand)
	c.with(opI64Const, slotBits)
	c.op(opI64ShrU)
	c.get(c.at)
	c.mem(opI64Load32U, 2, c.f.Memory.Records)
}

// recordWord leaves a word of the record at at, which lies so many bytes after its begin.
func (c *code) recordWord(offset uint32) {
	c.get(c.at)
	c.mem(opI32Load, 2, c.f.Memory.Records+offset)
}

// record leaves the place of an entity's record. That of slot 0 stands for those
// who are dead, and for none: it leads to no component.
//
// Where genuine does not hold, the place is Unclear, and lower has written a stop for that.
func (c *code) record(n *ir.Expr) {
	c.identify(n)
	c.open(opIf, otherLabel, typeI32)
	c.get(c.at)
	c.i32(int64(c.f.Memory.Records))
	c.op(opI32Add)
	if c.f.Spawns() { // table 0: it has its handle and is not there yet
		c.i32(ir.Unclear)
		c.recordWord(tableOf)
		c.op(opSelect)
	}
	c.op(opElse)
	c.i32(int64(c.f.Memory.Records))
	c.i32(ir.Unclear)
	c.genuine()
	c.op(opSelect)
	c.end()
}

// genuine leaves whether hand is 0 or could be a handle of this world, dead by now, and
// is not one that an earlier row has been promised.
//
// It needs hand and at. The record of slot 0 says which bits of a life are the tag of the world.
// They are read and not written into the code, so that worlds can share it.
func (c *code) genuine() {
	c.life()
	c.worldWord(chunkOf) // which bits are those of the world that gave it out
	c.op(opI64And)
	c.worldWord(rowOf)
	c.op(opI64Eq)
	c.life() // generations count from 1
	c.worldWord(chunkOf)
	c.op(opI64Or)
	c.worldWord(chunkOf)
	c.op(opI64Ne, opI32And)
	c.get(c.hand)
	c.with(opI64Const, 1<<handleBits)
	c.op(opI64LtU, opI32And)
	c.get(c.hand)
	c.op(opI64Eqz, opI32Or)
	if c.f.Spawns() {
		c.promised()
		c.op(opI32Eqz, opI32And)
	}
}

// life leaves the life of hand.
func (c *code) life() {
	c.get(c.hand)
	c.with(opI64Const, slotBits)
	c.op(opI64ShrU)
}

// worldWord leaves a word of the record of slot 0.
func (c *code) worldWord(offset uint32) {
	c.i32(0)
	c.mem(opI64Load32U, 2, c.f.Memory.Records+offset)
}

// promised leaves whether a handle may be one that a spawn of an earlier row will be
// given: it is higher than any that its slot has had, and nobody lives there.
//
// Such entities are alive in Lua already, and here not yet, because those spawns are
// only noted. A script can come by such a number only by arithmetic. The row is Lua's
// then. So it is for entities that have their handle and no table yet.
func (c *code) promised() {
	c.recordWord(0)
	c.op(opI32Eqz)
	c.recordWord(rowOf) // the last life
	c.op(opI64ExtendU)
	c.get(c.hand)
	c.with(opI64Const, slotBits)
	c.op(opI64ShrU, opI64LtU, opI32And)
}

// alive leaves whether a number is the handle of a living entity. Where the kernel may
// spawn, one that could be promised to an entity of an earlier row stops the row.
func (c *code) alive(n *ir.Expr) {
	c.identify(n)
	if !c.f.Spawns() {
		return
	}
	c.open(opIf, otherLabel, typeI32)
	c.i32(1)
	c.op(opElse)
	c.promised()
	c.jump(opBrIf, stopLabel)
	c.i32(0)
	c.end()
}

// marked leaves the address of an entity's mark, less where the marks begin. It needs
// what locate leaves.
func (c *code) marked() {
	c.get(c.at)
	c.i32(recordShift)
	c.op(opI32ShrU)
}

// touched leaves whether the run has done something to an entity: its mark is the one
// of the run.
func (c *code) touched(e *ir.Expr) {
	c.locate(e)
	c.marked()
	c.mem(opI32Load8U, 0, c.f.Memory.Marks)
	c.get(c.markParam)
	c.i32(anyMark)
	c.op(opI32And, opI32Eq)
}

// same leaves whether two entities are one in Lua, to which they are float64: those
// above 2^53, which no world gives out, may be without being the same here.
func (c *code) same(e *ir.Expr) {
	c.expr(e.Args[0])
	c.expr(e.Args[1])
	if c.isSmall(e.Args[0]) || c.isSmall(e.Args[1]) {
		c.op(opI64Eq)
		return
	}
	c.set(c.other)
	c.with(opLocalTee, int64(c.hand))
	c.get(c.other)
	c.op(opI64Eq)
	c.open(opIf, otherLabel, typeI32)
	c.i32(1)
	c.op(opElse)
	// They are not the same bits. If both are below 2^53, that decides; only otherwise are
	// they compared as the numbers that Lua has for them.
	c.get(c.hand)
	c.get(c.other)
	c.op(opI64Or)
	c.with(opI64Const, 53)
	c.op(opI64ShrU, opI64Eqz)
	c.open(opIf, otherLabel, typeI32)
	c.i32(0)
	c.op(opElse)
	c.get(c.hand)
	c.op(opF64ConvU64)
	c.get(c.other)
	c.op(opF64ConvU64, opF64Eq)
	c.end()
	c.end()
}

// isSmall reports whether an entity is surely below 2^53.
func (c *code) isSmall(e *ir.Expr) bool {
	switch e.Op {
	case ir.Const:
		return true
	case ir.Get:
		f := c.f.FieldOf(e.Local)
		return f != nil && c.f.Columns[f.Column].Term == ir.Entities
	case ir.Pick:
		return c.isSmall(e.Args[0]) && c.isSmall(e.Args[1])
	}
	return false
}
