package wasm

import (
	"cmp"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// The locals of run: a pointer per column, then these, then those of the IR.
const (
	rowsParam = iota // number of rows
	nextParam        // the row to begin with, then the row at hand
	fuelParam
	dtParam
	timeParam
	tickParam
	params
)

func (c *code) param(i int) int     { return len(c.f.Columns) + i }
func (c *code) fuel() int           { return c.param(fuelParam) }
func (c *code) local(i int) int     { return c.param(params) + i }
func (c *code) uniform(o ir.Op) int { return c.param(dtParam) + int(o-ir.DT) }

// frame writes the loop over the rows around the kernel's body.
func (c *code) frame() {
	next, rows := c.param(nextParam), c.param(rowsParam)
	c.start()
	c.stmts(c.f.Once)
	c.open(opBlock, stopLabel, typeNone)
	if unrolls(c.f) {
		c.groups()
	}
	c.get(next)
	c.get(rows)
	c.op(opI32GeU)
	c.jump(opBrIf, stopLabel)
	c.open(opLoop, rowsLabel, typeNone)
	c.row()
	c.advance(1)
	c.get(next)
	c.get(rows)
	c.op(opI32LtU)
	c.jump(opBrIf, rowsLabel)
	c.end()
	c.end()
	c.get(next)
	c.get(c.fuel())
	c.op(opEnd)
}

// start moves the pointers to the first row.
func (c *code) start() {
	for i := range c.f.Columns {
		c.get(i)
		c.get(c.param(nextParam))
		c.i32(int64(c.f.Columns[i].Stride))
		c.op(opI32Mul, opI32Add)
		c.set(i)
	}
}

// group is how many rows of a small kernel one turn of its loop works on.
const group = 4

// unrolls reports whether rows go in groups: where none can stop, and where the
// body is so small that the loop around it costs as much.
func unrolls(f *ir.Func) bool {
	const smallest = 48 // expressions
	n := 0
	ir.Exprs(f.Body, func(*ir.Expr) { n++ })
	loops := false
	ir.Walk(f.Body, func(s *ir.Stmt) { loops = loops || s.Kind == ir.Loop })
	return f.Safe() && !loops && n <= smallest
}

// groups writes the loop over whole groups. The last row of a group goes first:
// the compiler behind us checks an address once, and finds that what is good for
// the highest is good for those below.
func (c *code) groups() {
	next, rows := c.param(nextParam), c.param(rowsParam)
	c.open(opBlock, restLabel, typeNone)
	c.open(opLoop, rowsLabel, typeNone)
	c.get(rows)
	c.get(next)
	c.op(opI32Sub)
	c.i32(group)
	c.op(opI32LtU)
	c.jump(opBrIf, restLabel)
	for c.ahead = group - 1; c.ahead >= 0; c.ahead-- {
		c.row()
	}
	c.ahead = 0
	c.advance(group)
	c.jump(opBr, rowsLabel)
	c.end()
	c.end()
}

// advance moves the pointers, and the number of the row, by so many rows.
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

// offset is where a field lies behind its pointer.
func (c *code) offset(f *ir.Field) uint32 {
	return f.Offset + uint32(c.ahead)*c.f.Columns[f.Column].Stride
}

// row loads, runs the body, checks, and stores.
func (c *code) row() {
	order := c.order()
	for _, i := range order {
		c.load(i)
		c.set(c.local(i))
	}
	c.open(opBlock, ir.Row, typeNone)
	c.stmts(c.f.Body)
	c.end()
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
}

// order lists the fields, those at the end of a struct first: the compiler
// behind us finds that a pointer good for the last field is good for all.
func (c *code) order() []int {
	order := make([]int, len(c.f.Fields))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &c.f.Fields[a], &c.f.Fields[b]
		return cmp.Or(cmp.Compare(x.Column, y.Column), -cmp.Compare(x.Offset, y.Offset))
	})
	return order
}

// access says how a kind of field is read and written.
type access struct {
	load, toNum    opcode
	fromNum, store opcode
	align          uint8
}

// accesses of all kinds but Bool.
var accesses = map[ecs.Kind]access{
	ecs.I8:  {opI32Load8S, opF64ConvI32, opI32SatS, opI32Store8, 0},
	ecs.U8:  {opI32Load8U, opF64ConvU32, opI32SatU, opI32Store8, 0},
	ecs.I16: {opI32Load16S, opF64ConvI32, opI32SatS, opI32Store16, 1},
	ecs.U16: {opI32Load16U, opF64ConvU32, opI32SatU, opI32Store16, 1},
	ecs.I32: {opI32Load, opF64ConvI32, opI32SatS, opI32Store, 2},
	ecs.U32: {opI32Load, opF64ConvU32, opI32SatU, opI32Store, 2},
	ecs.I64: {opI64Load, opF64ConvI64, opI64SatS, opI64Store, 3},
	ecs.U64: {opI64Load, opF64ConvU64, opI64SatU, opI64Store, 3},
	ecs.F32: {opF32Load, opF64Promote, opF32Demote, opF32Store, 2},
	ecs.F64: {opF64Load, 0, 0, opF64Store, 3},
}

// load leaves a field's value on the stack.
func (c *code) load(i int) {
	f := &c.f.Fields[i]
	c.get(f.Column)
	if f.Kind == ecs.Bool {
		c.mem(opI32Load8U, 0, c.offset(f))
		c.i32(0)
		c.op(opI32Ne)
		return
	}
	a := accesses[f.Kind]
	c.mem(a.load, a.align, c.offset(f))
	if a.toNum != 0 {
		c.op(a.toNum)
	}
}

// store writes a field back. A 64-bit integer that was left alone is not
// touched: it may be one that a float64 cannot tell from its neighbours.
func (c *code) store(i int) {
	f := &c.f.Fields[i]
	wide := f.Kind == ecs.I64 || f.Kind == ecs.U64
	if wide {
		c.changed(i)
		c.open(opIf, otherLabel, typeNone)
	}
	c.get(f.Column)
	c.get(c.local(i))
	if f.Kind == ecs.Bool {
		c.mem(opI32Store8, 0, c.offset(f))
	} else {
		a := accesses[f.Kind]
		if a.fromNum != 0 {
			c.op(a.fromNum)
		}
		c.mem(a.store, a.align, c.offset(f))
	}
	if wide {
		c.end()
	}
}

// changed tells whether a field's local differs from what is in memory.
func (c *code) changed(i int) {
	c.load(i)
	c.get(c.local(i))
	c.op(opF64Ne)
}

// check stops the kernel when an integer field cannot hold its value.
func (c *code) check(i int) {
	switch k := c.f.Fields[i].Kind; k {
	case ecs.I64:
		c.checkWide(i, -1<<53)
	case ecs.U64:
		c.checkWide(i, 0)
	default:
		c.checkNarrow(i, k)
	}
	c.jump(opBrIf, stopLabel)
}

// checkNarrow tells whether a value is another one after being an integer of the
// kind: a fraction, not-a-number, or out of range.
func (c *code) checkNarrow(i int, k ecs.Kind) {
	a := accesses[k]
	c.get(c.local(i))
	c.op(a.fromNum)
	switch k {
	case ecs.I8:
		c.op(opI32Ext8S)
	case ecs.I16:
		c.op(opI32Ext16S)
	case ecs.U8:
		c.i32(0xFF)
		c.op(opI32And)
	case ecs.U16:
		c.i32(0xFFFF)
		c.op(opI32And)
	}
	c.op(a.toNum)
	c.get(c.local(i))
	c.op(opF64Ne)
}

// checkWide tells whether a value was changed to what is no whole number from
// low to 2⁵³.
func (c *code) checkWide(i int, low float64) {
	v := c.local(i)
	c.changed(i)
	c.get(v)
	c.f64(low)
	c.op(opF64Ge)
	c.get(v)
	c.f64(1 << 53)
	c.op(opF64Le, opI32And)
	c.get(v)
	c.get(v)
	c.op(opF64Trunc, opF64Eq, opI32And, opI32Eqz, opI32And)
}
