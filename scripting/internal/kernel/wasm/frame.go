package wasm

import (
	"cmp"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// The parameters of run behind the columns' pointers.
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
func (c *code) local(i int) int     { return c.first + i }
func (c *code) uniform(o ir.Op) int { return c.param(dtParam) + int(o-ir.DT) }

// frame writes the loop over the rows around the kernel's body.
func (c *code) frame() {
	next, rows := c.param(nextParam), c.param(rowsParam)
	c.begin()
	c.start()
	c.stmts(c.f.Once)
	c.open(opBlock, stopLabel, typeNone)
	if c.plan != nil && c.plan.Guard >= 0 {
		c.alternate()
	} else {
		c.together()
		c.single(rows, stopLabel)
	}
	c.end()
	c.get(next)
	c.get(c.fuel())
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

// single writes the loop over single rows, up to the one in a local. Behind it is
// the end of the block with that label.
func (c *code) single(end, behind int) {
	next := c.param(nextParam)
	c.get(next)
	c.get(end)
	c.op(opI32GeU)
	c.jump(opBrIf, behind)
	c.open(opLoop, rowsLabel, typeNone)
	c.row()
	c.advance(1)
	c.get(next)
	c.get(end)
	c.op(opI32LtU)
	c.jump(opBrIf, rowsLabel)
	c.end()
}

// begin gives the locals that stand for parameters their values. The parameters
// themselves keep what held before the row at hand: they are the results.
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
	for i := range c.f.Columns {
		if c.f.Columns[i].Optional {
			c.get(i)
			c.i32(absent)
			c.op(opI32Ne)
			c.set(c.flags[i])
		}
	}
}

// commit keeps what a row that is finished has left in the results.
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
	return f.Safe() && !f.Ordered() && !loops && n <= smallest
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

// row loads, runs the body, checks, and stores.
func (c *code) row() {
	order := c.order()
	for _, i := range order {
		if !c.isLate(i) {
			c.load(i)
			c.set(c.local(c.f.Fields[i].Local))
		}
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
	c.commit()
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
