package wasm

import "github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"

// Handles are followed through the tables that ecs.MemoryMap describes. A number
// is one of an entity here if it is whole, its slot exists, and its stamp, which
// is all above the slot's number, is the one in the slot's record: then it was
// issued by this world and nothing since has ended it. Only where that fails does
// it matter what else it is.

const (
	slotBits    = 24
	stampBits   = 28      // above the slot
	firstStamp  = 1 << 8  // generations count from 1, above the tag
	lowestStamp = 1 << 24 // of a handle
	// recordSize is that of a record: stamp, table, chunk, row.
	recordSize              = 16
	tableOf, chunkOf, rowOf = 4, 8, 12
)

// follows reports whether a kernel looks at records.
func follows(f *ir.Func) bool {
	found := false
	ir.Exprs(f.Body, func(e *ir.Expr) {
		found = found || e.Op == ir.Alive || e.Op == ir.Record || e.Op == ir.Find || e.Op == ir.Do && f.Sites[e.Site].About()
	})
	return found
}

// identify leaves whether a number is the handle of a living entity. After it,
// num is the number, hand its stamp and at the offset of its record, counted from
// that of slot 0; of a slot that does not exist, that of slot 0, which is nobody's.
func (c *code) identify(n *ir.Expr) {
	c.expr(n)
	c.with(opLocalTee, int64(c.num))
	c.op(opI64SatS)
	c.with(opLocalTee, int64(c.hand))
	c.op(opF64ConvI64)
	c.get(c.num)
	c.op(opF64Eq)
	c.get(c.hand)
	c.op(opI32Wrap)
	c.i32(1<<slotBits - 1)
	c.op(opI32And)
	c.set(c.at)
	c.get(c.at)
	c.i32(recordSize)
	c.op(opI32Mul)
	c.i32(0)
	c.get(c.at)
	c.i32(int64(c.f.Memory.Slots))
	c.op(opI32LtU, opSelect)
	c.set(c.at)
	c.get(c.hand)
	c.with(opI64Const, slotBits)
	c.op(opI64ShrU)
	c.with(opLocalTee, int64(c.hand))
	c.recordWord(0)
	c.op(opI64ExtendU, opI64Eq, opI32And)
	c.get(c.hand)
	c.op(opI64Eqz, opI32Eqz, opI32And)
}

// recordWord leaves a word of the record that identify has found.
func (c *code) recordWord(offset uint32) {
	c.get(c.at)
	c.mem(opI32Load, 2, c.f.Memory.Records+offset)
}

// record leaves the place of an entity's record. That of slot 0 stands for those
// who are dead, and for none: it leads to no component.
func (c *code) record(n *ir.Expr) {
	c.identify(n)
	c.open(opIf, otherLabel, typeI32)
	c.get(c.at)
	c.i32(int64(c.f.Memory.Records))
	c.op(opI32Add, opElse)
	c.i32(int64(c.f.Memory.Records))
	c.i32(ir.Unclear)
	c.genuine()
	c.op(opSelect)
	c.end()
}

// genuine leaves whether the number that identify was about is 0 or could be a
// handle of this world, dead by now.
func (c *code) genuine() {
	c.get(c.num)
	c.op(opF64Trunc)
	c.get(c.num)
	c.op(opF64Eq)
	c.get(c.hand)
	c.with(opI64Const, 1<<8-1)
	c.op(opI64And)
	c.with(opI64Const, int64(c.f.Memory.Tag))
	c.op(opI64Eq)
	c.get(c.hand)
	c.with(opI64Const, firstStamp)
	c.op(opI64Sub)
	c.with(opI64Const, 1<<stampBits-firstStamp)
	c.op(opI64LtU, opI32And, opI32And)
	c.get(c.num)
	c.f64(0)
	c.op(opF64Eq, opI32Or)
}

// alive leaves whether a number is the handle of a living entity.
//
// Handles that spawns of earlier rows will be given are alive in Lua already, and
// here not yet, because those spawns are only noted. A script can come by such a
// number only by arithmetic: it is higher than any that its slot has had. The row
// is Lua's then.
func (c *code) alive(n *ir.Expr) {
	c.identify(n)
	if !c.f.Spawns() {
		return
	}
	c.open(opIf, otherLabel, typeI32)
	c.i32(1)
	c.op(opElse)
	c.recordWord(0)
	c.op(opI32Eqz)
	c.recordWord(rowOf) // the last stamp
	c.op(opI64ExtendU)
	c.get(c.hand)
	c.op(opI64LtU, opI32And)
	c.jump(opBrIf, stopLabel)
	c.i32(0)
	c.end()
}

// find leaves the place of a component of the entity with a record, Nowhere if it
// has none.
func (c *code) find(e *ir.Expr) {
	thing := &c.f.Things[e.Thing]
	c.open(opBlock, otherLabel, typeI32)
	c.i32(ir.Nowhere)
	c.get(c.things + e.Thing)
	c.expr(e.Args[0])
	c.with(opLocalTee, int64(c.at))
	c.mem(opI32Load, 2, tableOf)
	c.i32(4)
	c.op(opI32Mul)
	c.mem(opI32Load, 2, c.f.Memory.Directory)
	c.with(opLocalTee, int64(c.table))
	c.mem(opI32Load, 2, 0) // how many it knows
	c.op(opI32GeU)
	c.with(opBrIf, 0)
	c.get(c.table)
	c.get(c.things + e.Thing)
	c.i32(4)
	c.op(opI32Mul, opI32Add)
	c.mem(opI32Load, 2, 4)
	c.with(opLocalTee, int64(c.table))
	c.op(opI32Eqz)
	c.with(opBrIf, 0)
	c.op(opDrop)
	c.get(c.table)
	c.get(c.at)
	c.mem(opI32Load, 2, chunkOf)
	c.i32(int64(c.f.Memory.Unit))
	c.op(opI32Mul, opI32Add)
	c.get(c.at)
	c.mem(opI32Load, 2, rowOf)
	c.i32(int64(thing.Size))
	c.op(opI32Mul, opI32Add)
	c.end()
}
