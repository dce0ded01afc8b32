package wasm

import (
	"cmp"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/vector"
)

// vectorised writes the loop over rows that go by the plan. It leaves the rest,
// less than a turn, to the loop over single rows, and all of them where the rows
// lack a column that the plan needs.
//
// The last rows of a turn go first, as in groups, and in each column what lies
// highest: then there is one check of an address per column and turn.
func (c *code) vectorised() {
	turn := int64(c.plan.Rows * c.plan.Turns)
	c.open(opBlock, restLabel, typeNone)
	c.enter(turn)
	c.constants()
	c.open(opLoop, rowsLabel, typeNone)
	for i := c.plan.Turns - 1; i >= 0; i-- {
		c.ahead = i * c.plan.Rows
		c.unit()
	}
	c.ahead = 0
	c.advance(turn)
	c.left(turn, opI32GeU)
	c.jump(opBrIf, rowsLabel)
	c.end()
	c.end()
}

// enter goes behind the vectors where they can do nothing.
func (c *code) enter(turn int64) {
	for _, column := range c.plan.Needs {
		c.get(c.flags[column])
		c.op(opI32Eqz)
		c.jump(opBrIf, restLabel)
	}
	c.left(turn, opI32LtU)
	c.jump(opBrIf, restLabel)
}

// constants computes the vectors that are the same for all rows.
func (c *code) constants() {
	for i := range c.plan.Values {
		if v := &c.plan.Values[i]; v.Form == vector.Once && v.Uses > 0 && !isZero(v) {
			c.once(v)
			c.set(c.vectors + i)
		}
	}
}

// left compares how many rows are left with those of a turn.
func (c *code) left(turn int64, comparison opcode) {
	c.get(c.param(rowsParam))
	c.get(c.param(nextParam))
	c.op(opI32Sub)
	c.i32(turn)
	c.op(comparison)
}

// unit writes the plan once: all loads, then what is used more than once, then
// the stores with what is left. No store comes before a load, which might be of
// the same field.
func (c *code) unit() {
	c.prepare()
	for i := len(c.plan.Stores) - 1; i >= 0; i-- {
		c.scatter(&c.plan.Stores[i], func() { c.value(c.plan.Stores[i].Value) })
	}
}

// prepare writes the loads and what is used more than once.
func (c *code) prepare() {
	values := c.plan.Values
	for _, i := range c.loads() {
		c.gather(&values[i])
		c.set(c.vectors + i)
	}
	for i := range values {
		if v := &values[i]; v.Form >= vector.Plain && v.Uses > 1 {
			c.compute(v)
			c.set(c.vectors + i)
		}
	}
}

// loads lists the values that come from memory, the highest address of a column
// first.
func (c *code) loads() []int {
	var list []int
	for i := range c.plan.Values {
		if v := &c.plan.Values[i]; v.Form == vector.Memory && v.Uses > 0 {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		x, y := c.plan.Values[a].Places, c.plan.Values[b].Places
		last, other := x[len(x)-1], y[len(y)-1]
		return cmp.Or(cmp.Compare(c.f.Fields[last.Field].Column, c.f.Fields[other.Field].Column),
			-cmp.Compare(vector.Address(c.f, last), vector.Address(c.f, other)))
	})
	return list
}

// value leaves the i-th value of the plan on the stack.
func (c *code) value(i int) {
	switch v := &c.plan.Values[i]; {
	case isZero(v):
		c.with(opVConst, 0)
	case v.Form >= vector.Plain && v.Uses == 1:
		c.compute(v)
	default:
		c.get(c.vectors + i)
	}
}

// isZero reports whether all bits of a value are known to be 0: the machine makes
// such a one from nothing, and a local would only take a register.
func isZero(v *vector.Value) bool {
	return v.Form == vector.Once && len(v.Scalars) == 1 && v.Scalars[0].Op == ir.Const && math.Float64bits(v.Scalars[0].Value) == 0
}

// shape is what depends on the width of a vector's lanes.
type shape struct {
	splat, replace, extract opcode
	sign                    uint64 // bits of all lanes, in half a vector
}

func shapeOf(lanes int) shape {
	if lanes == 4 {
		return shape{opF32Splat, opF32Replace, opF32Lane, 0x8000000080000000}
	}
	return shape{opF64Splat, opF64Replace, opF64Lane, 1 << 63}
}

// vectorOps are the operations that are one instruction behind their operands, on
// two lanes and on four.
var vectorOps = map[ir.Op][2]opcode{
	ir.Add: {opVF64Add, opVF32Add}, ir.Sub: {opVF64Sub, opVF32Sub}, ir.Mul: {opVF64Mul, opVF32Mul}, ir.Div: {opVF64Div, opVF32Div},
	ir.Ceil: {opVF64Ceil, opVF32Ceil}, ir.Floor: {opVF64Floor, opVF32Floor}, ir.Sqrt: {opVF64Sqrt, opVF32Sqrt},
	ir.Lt: {opVF64Lt, opVF32Lt}, ir.Le: {opVF64Le, opVF32Le}, ir.Eq: {opVF64Eq, opVF32Eq}, ir.Ne: {opVF64Ne, opVF32Ne},
	ir.And: {opVAnd, opVAnd}, ir.Or: {opVOr, opVOr}, ir.Not: {opVNot, opVNot}, ir.Pick: {opVSelect, opVSelect},
}

func (c *code) lanewise(op ir.Op, lanes int) { c.op(vectorOps[op][lanes/4]) }

// compute leaves what a value is made of on the stack, and makes it.
func (c *code) compute(v *vector.Value) {
	sign := int64(shapeOf(v.Lanes).sign)
	switch v.Form {
	case vector.Least, vector.Greatest: // the machine's take what they may keep second
		c.value(v.Args[1])
		c.value(v.Args[0])
		pair := [2]opcode{opVF64Min, opVF32Min}
		if v.Form == vector.Greatest {
			pair = [2]opcode{opVF64Max, opVF32Max}
		}
		c.op(pair[v.Lanes/4])
		return
	case vector.Flip:
		c.value(v.Args[0])
		c.value(v.Args[1])
		c.with(opVConst, sign)
		c.op(opVAnd, opVXor)
		return
	case vector.Low, vector.High, vector.Join:
		c.convert(v)
		return
	}
	for _, a := range v.Args {
		c.value(a)
	}
	switch masks := c.plan.Values[v.Args[0]].Type == ir.Bool; {
	case v.Op == ir.Neg: // five instructions, were it f64x2.neg
		c.with(opVConst, sign)
		c.op(opVXor)
	case v.Op == ir.Abs:
		c.with(opVConst, ^sign)
		c.op(opVAnd)
	case v.Op == ir.Zero:
		c.with(opVConst, 0)
		c.lanewise(ir.Add, v.Lanes)
	case masks && v.Op == ir.Ne:
		c.op(opVXor)
	case masks && v.Op == ir.Eq:
		c.op(opVXor, opVNot)
	default:
		c.lanewise(v.Op, v.Lanes)
	}
}

// once leaves a vector on the stack that is the same for all rows.
func (c *code) once(v *vector.Value) {
	if v.Type == ir.Bool {
		c.i32(0)
		c.expr(v.Scalars[0])
		c.op(opI32Sub, opI32Splat)
		return
	}
	c.expr(v.Scalars[0])
	c.op(shapeOf(v.Lanes).splat)
	for i := 1; i < len(v.Scalars); i++ {
		c.expr(v.Scalars[i])
		c.with(shapeOf(v.Lanes).replace, int64(i))
	}
}

// convert changes the width of lanes. Of masks, parts of 32 bits are all alike: they
// are cut to 16 bits, two for each lane that becomes one, without a change.
func (c *code) convert(v *vector.Value) {
	for i, a := range v.Args {
		c.value(a)
		switch {
		case v.Form == vector.Join && v.Type != ir.Bool:
			c.op(opVDemote)
			if i == 1 {
				c.with(opF64Lane, 0)
				c.with(opF64Replace, 1)
			}
		case v.Form == vector.Join && i == 1:
			c.op(opVNarrow)
		case v.Form == vector.Low && v.Type == ir.Bool:
			c.op(opVExtendLow)
		case v.Form == vector.High && v.Type == ir.Bool:
			c.op(opVExtendHigh)
		case v.Form == vector.High:
			c.with(opF64Lane, 1)
			c.op(opF64Splat, opVPromote)
		case v.Form == vector.Low:
			c.op(opVPromote)
		}
	}
}
