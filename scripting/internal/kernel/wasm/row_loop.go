package wasm

import (
	"cmp"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file writes what is around the body: parameters into locals, the loop over rows, and
// results. A kernel has one of three loops over several rows at a time, followed by the one
// over single rows: that of a plan (vectors.go), that of a plan with a guard
// (vector_guard.go), or that of groups of rows, one after the other.

// The parameters of run after the columns' pointers.
const (
	rowsParam = iota // number of rows
	nextParam        // the row to begin with, then the row at hand
	fuelParam
	dtParam
	timeParam
	tickParam
	params
)

// param is the local of a fixed parameter; fuel, local and uniform are those of the fuel, of a
// local of the kernel, and of what is the same for all rows.
func (c *code) param(i int) int     { return len(c.f.Columns) + i }
func (c *code) fuel() int           { return c.param(fuelParam) }
func (c *code) local(i int) int     { return c.first + i }
func (c *code) uniform(o ir.Op) int { return c.param(dtParam) + int(o-ir.DT) }

// rowLoop writes the loop over the rows around the kernel's body.
//
// The order of what is left on the stack is that of the results: next, fuel, then those of
// the layout.
func (c *code) rowLoop() {
	next, rows := c.param(nextParam), c.param(rowsParam)
	// What runs once may read inputs, so it comes after begin; it cannot stop, so it stands
	// outside of the block.
	c.begin()
	c.start()
	c.stmts(c.f.Once)
	c.open(opBlock, stopLabel, typeNone)
	if c.plan != nil && c.plan.Guard >= 0 {
		c.alternate()
	} else {
		c.together()
		c.single(rows)
	}
	c.end()
	c.get(next)
	c.left()
	for _, l := range c.results {
		c.get(l)
	}
	c.op(opEnd)
}

// together writes the loops over several rows at a time, if there are any.
func (c *code) together() {
	switch {
	case c.plan != nil:
		c.vectorised()
	case unrolls(c.f):
		c.groups()
	}
}

// single writes the loop over single rows, up to the one in a local.
//
// Why does no loop end with a jump back to its begin if rows are left? To leave by
// a jump that nobody else takes is one instruction of the machine, with the
// comparison two: wazero's compiler makes a number of it otherwise, and tests
// that.
//
// The constants get their locals here, unless groups has put them there.
func (c *code) single(end int) {
	if !unrolls(c.f) || c.plan != nil {
		c.numbers()
	}
	c.open(opBlock, doneLabel, typeNone)
	c.open(opLoop, rowsLabel, typeNone)
	c.get(c.param(nextParam))
	c.get(end)
	c.op(opI32GeU)
	c.jump(opBrIf, doneLabel)
	c.row()
	c.advance(1)
	c.jump(opBr, rowsLabel)
	c.end()
	c.end()
}

// begin gives the locals that stand for parameters their values. The parameters
// themselves keep what held before the row at hand: they are the results. So a row that
// stops takes nothing back: what it has done to the locals is lost with them.
func (c *code) begin() {
	for i, in := range c.f.Inputs {
		c.get(c.inputs + i)
		c.set(c.local(in.Local))
	}
	if c.random >= 0 {
		c.get(c.random)
		c.set(c.state)
	}
	if c.f.Changes() {
		c.get(c.cmd)
		c.set(c.noted)
	}
	if c.burnt >= 0 {
		c.get(c.fuel())
		c.set(c.burnt)
	}
	c.forget()
	for i := range c.f.Columns {
		if c.f.Columns[i].Optional {
			c.get(i)
			c.i32(absent)
			c.op(opI32Ne)
			c.set(c.flags[i])
		}
	}
}

// left leaves on the stack what is left of the fuel after the last row that was
// finished; as the complement if the next one needs more.
//
// The complement is negative whatever is left, so one result says both how much there is
// and that it was too little.
func (c *code) left() {
	c.get(c.fuel())
	if c.burnt >= 0 { // burnt is below 0 where a loop ran dry: its sign in all bits is the mask
		c.get(c.burnt)
		c.with(opI64Const, 63)
		c.op(opI64ShrS, opI64Xor)
	}
}

// numbers puts the constants that have a local into it. To make one of nothing is
// two instructions of the machine each time, and wazero's compiler does so
// wherever it sees a number; in a part of a vector it sees none.
func (c *code) numbers() {
	for _, k := range c.consts { // the engine sees a vector here, and no number
		c.with(opVConst, int64(k.bits))
		c.with(opF64Lane, 0)
		c.set(k.local)
	}
	c.rows = true
}

// commit keeps what a row that is finished has left in the results. It comes after the
// stores, and nothing between the first store and here can stop.
func (c *code) commit() {
	for i, in := range c.f.Inputs {
		if in.Store {
			c.get(c.local(in.Local))
			c.set(c.inputs + i)
		}
	}
	if c.random >= 0 {
		c.get(c.state)
		c.set(c.random)
	}
	if c.f.Changes() {
		c.get(c.noted)
		c.set(c.cmd)
	}
	if c.burnt >= 0 {
		c.get(c.burnt)
		c.set(c.fuel())
	}
}

// start moves the pointers to the row to begin with, which is not 0 when the VM has run the
// one before.
func (c *code) start() {
	for i := range c.f.Columns {
		c.get(i)
		c.get(c.param(nextParam))
		c.i32(int64(c.f.Columns[i].Stride))
		c.op(opI32Mul, opI32Add)
		c.set(i)
	}
}

// group is how many rows of a small kernel one turn of its loop works on. The last is written
// first: the engine's compiler has then checked the highest address of a column, and leaves
// out the checks below it.
const group = 4

// unrolls reports whether rows go in groups: where none can stop, and where the
// body is so small that the loop around it costs as much.
//
// A plan does the same better, so the caller asks for groups only where there is no plan.
// O(expressions).
func unrolls(f *ir.Func) bool {
	const smallest = 48 // expressions
	n := 0
	ir.Exprs(f.Body, func(*ir.Expr) { n++ })
	return f.Safe() && !f.Ordered() && !loops(f) && n <= smallest // rows of a group run last to first
}

// loops reports whether a row may go around: then its time is in the loop, and neither
// groups of rows nor numbers in registers would show.
func loops(f *ir.Func) bool {
	found := false
	ir.Walk(f.Body, func(s *ir.Stmt) { found = found || s.Kind == ir.Loop })
	return found
}

// groups writes the loop over whole groups.
//
// What is left, fewer rows than a group, goes to the loop over single rows.
func (c *code) groups() {
	c.numbers()
	c.bound(group)
	c.open(opBlock, doneLabel, typeNone)
	c.open(opLoop, rowsLabel, typeNone)
	c.beyond()
	c.jump(opBrIf, doneLabel)
	c.touch(group)
	for c.ahead = group - 1; c.ahead >= 0; c.ahead-- {
		c.row()
	}
	c.ahead = 0
	c.advance(group)
	c.jump(opBr, rowsLabel)
	c.end()
	c.end()
}

// bound notes the last row with which a turn of so many can begin; below 0 there is none.
// The difference is signed, and so is the comparison in beyond: a view with fewer rows than
// a turn gives a number below 0.
func (c *code) bound(turn int64) {
	c.get(c.param(rowsParam))
	c.i32(turn)
	c.op(opI32Sub)
	c.set(c.last)
}

// beyond leaves on the stack whether the row at hand is after that.
func (c *code) beyond() {
	c.get(c.param(nextParam))
	c.get(c.last)
	c.op(opI32GtS)
}

// touch looks at the last byte of each column that the next rows have for sure,
// and does nothing with it: wazero's compiler leaves out the load, but not the
// check of its address, and it knows then that all that lies below is good, too. A
// check is as long as six instructions, one of them a jump that is taken.
//
// A column that the rows may lack has no address to look at, and neither has that of the
// handles, which a row in a pool lacks.
func (c *code) touch(rows int) {
	for i := range c.f.Columns {
		column := &c.f.Columns[i]
		if column.Optional || column.Term == ir.Entities {
			continue
		}
		end := uint32(0) // of the last field that the kernel has in this column
		for j := range c.f.Fields {
			if f := &c.f.Fields[j]; f.Column == i {
				end = max(end, f.Offset+uint32(f.Kind.Size()))
			}
		}
		if end > 0 {
			c.get(i)
			c.mem(opI32Load8U, 0, uint32(rows-1)*column.Stride+end-1)
			c.op(opDrop)
		}
	}
}

// advance moves the pointers, and the number of the row, by so many rows. A column that the
// rows lack has a pointer, too, which is moved and never used: flags were read before, and
// a row in a pool stands alone.
func (c *code) advance(n int64) {
	for i := range c.f.Columns {
		c.get(i)
		c.i32(n * int64(c.f.Columns[i].Stride))
		c.op(opI32Add)
		c.set(i)
	}
	c.get(c.param(nextParam))
	c.i32(n)
	c.op(opI32Add)
	c.set(c.param(nextParam))
}

// row loads, runs the body, checks, and stores. All checks come before the first store, and
// all loads before the body: that is what makes a row either done or as it was.
func (c *code) row() {
	order := c.order()
	for _, i := range order {
		if !c.isLazyLoad(i) {
			c.load(i)
			c.set(c.local(c.f.Fields[i].Local))
		}
	}
	c.open(opBlock, ir.Row, typeNone)
	c.stmts(c.f.Body)
	c.end()
	// From here on nothing but a check can stop the row, and from the first store on nothing.
	for _, i := range order {
		if c.f.Fields[i].Checked() {
			c.check(i)
		}
	}
	for _, i := range order {
		if c.f.Fields[i].Store {
			c.store(i)
		}
	}
	c.commit()
}

// order lists the fields, those at the end of a struct first: wazero's compiler
// finds that a pointer good for the last field is good for all.
func (c *code) order() []int {
	order := make([]int, len(c.f.Fields))
	for i := range order {
		order[i] = i
	}
	// By column, so that a pointer stays in its register; stable, so that the order is one.
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &c.f.Fields[a], &c.f.Fields[b]
		return cmp.Or(cmp.Compare(x.Column, y.Column), -cmp.Compare(x.Offset, y.Offset))
	})
	return order
}
