package wasm

import (
	"cmp"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/vector"
)

// This file writes a plan of package vector: the loop over rows that go by it, and each of
// its values. Loads and stores of vectors are in lanes.go, and plans with a guard have a loop
// of their own in vector_guard.go.

// vectorised writes the loop over rows that go by the plan. It leaves the rest,
// less than a turn, to the loop over single rows, and all of them where the rows
// lack a column that the plan needs.
//
// The first turn needs no test, as enter has asked whether there are enough rows; the test
// is at the end of each turn.
func (c *code) vectorised() {
	turn := c.plan.Rows * c.plan.Turns
	c.bound(int64(turn))
	c.open(opBlock, restLabel, typeNone)
	c.enter()
	c.constants()
	c.open(opBlock, doneLabel, typeNone)
	c.open(opLoop, rowsLabel, typeNone)
	c.touch(turn)
	// The highest addresses first; rows of a turn have nothing to do with each other.
	for i := c.plan.Turns - 1; i >= 0; i-- {
		c.ahead = i * c.plan.Rows
		c.unit()
	}
	c.advance(int64(turn))
	c.beyond()
	c.jump(opBrIf, doneLabel)
	c.jump(opBr, rowsLabel)
	c.end()
	c.end()
	c.end()
}

// enter goes after the vectors where they can do nothing.
//
// It is also asked for each new attempt of a plan with a guard, after rows that went one by
// one.
func (c *code) enter() {
	for _, column := range c.plan.Needs {
		c.get(c.flags[column])
		c.op(opI32Eqz)
		c.jump(opBrIf, restLabel)
	}
	c.beyond()
	c.jump(opBrIf, restLabel)
}

// constants computes the vectors that are the same for all rows, once for each call. They
// stand before the loop, so what they are made of may only be what Once has computed,
// inputs and parameters.
func (c *code) constants() {
	for _, m := range c.masks {
		c.with(opVConst, int64(m.bits))
		c.set(m.local)
	}
	// 0 has a mask already, and needs no local of its own.
	for i := range c.plan.Values {
		if v := &c.plan.Values[i]; v.Form == vector.Once && v.Uses > 0 && !isZero(v) {
			c.once(v)
			c.set(c.vectors + i)
		}
	}
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
	// In the order of the plan, so that operands are there before what is made of them.
	for i := range values {
		switch v := &values[i]; {
		case v.Pair > i:
			c.both(v)
		case v.Pair == 0 && v.Form >= vector.Plain && v.Uses > 1:
			c.compute(v)
			c.set(c.vectors + i)
		}
	}
}

// both computes a sine and a cosine by one call, which leaves the sine first.
func (c *code) both(v *vector.Vector) {
	sine, cosine := v.Pair, c.plan.Values[v.Pair].Pair
	if v.Name == ir.Sine {
		sine, cosine = cosine, sine
	}
	c.value(v.Args[0])
	c.with(opCall, int64(c.calls[vectorFormula(c.plan, v).vectors().Label]))
	c.set(c.vectors + cosine)
	c.set(c.vectors + sine)
}

// loads lists the values that come from memory, the highest address of a column
// first.
//
// The order is by column first, and touch has checked the highest address of each.
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

// value leaves the i-th value of the plan on the stack: from its local, or computed here
// where this is its only use. So a chain of values that are used once is one expression,
// without a local in between.
func (c *code) value(i int) {
	switch v := &c.plan.Values[i]; {
	case isZero(v):
		c.mask(0)
	case v.Form >= vector.Plain && v.Uses == 1 && v.Pair == 0:
		c.compute(v)
	default:
		c.get(c.vectors + i)
	}
}

// isZero reports whether all bits of a value are known to be 0.
func isZero(v *vector.Vector) bool {
	return v.Form == vector.Once && len(v.Scalars) == 1 && v.Scalars[0].Op == ir.Const && math.Float64bits(v.Scalars[0].Value) == 0
}

// mask leaves a vector on the stack of which both halves have these bits.
//
// One that masksOf has not listed is written out where it is needed.
func (c *code) mask(bits uint64) {
	for _, m := range c.masks {
		if m.bits == bits {
			c.get(m.local)
			return
		}
	}
	c.with(opVConst, int64(bits))
}

// masksOf lists the masks that a plan computes with. Each is a constant of 128 bits, which
// the engine would load from memory at every use.
func masksOf(plan *vector.Plan) []uint64 {
	var all []uint64
	for i := range plan.Values {
		v := &plan.Values[i]
		switch {
		case v.Uses == 0:
		case isZero(v), v.Op == ir.Zero, v.Form == vector.Memory && v.Type == ir.Bool:
			all = append(all, 0)
		case v.Form == vector.Flip, v.Op == ir.Neg:
			all = append(all, signOf(v.Lanes))
		case v.Op == ir.Abs:
			all = append(all, ^signOf(v.Lanes))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// signOf has the bits of the signs of all lanes, in half a vector.
func signOf(lanes int) uint64 {
	if lanes == 4 {
		return 0x8000000080000000
	}
	return 1 << 63
}

// laneOps is what depends on the width of a vector's lanes: to fill all lanes with one number,
// to put a number into one, and to take it out.
type laneOps struct {
	splat, replace, extract opcode
}

// lanesOf returns the instructions of two or four lanes.
func lanesOf(lanes int) laneOps {
	if lanes == 4 {
		return laneOps{opF32Splat, opF32Replace, opF32Lane}
	}
	return laneOps{opF64Splat, opF64Replace, opF64Lane}
}

// vectorOps are the operations that are one instruction after their operands, on
// two lanes and on four.
var vectorOps = map[ir.Op][2]opcode{
	ir.Add: {opVF64Add, opVF32Add}, ir.Sub: {opVF64Sub, opVF32Sub}, ir.Mul: {opVF64Mul, opVF32Mul}, ir.Div: {opVF64Div, opVF32Div},
	ir.Ceil: {opVF64Ceil, opVF32Ceil}, ir.Floor: {opVF64Floor, opVF32Floor}, ir.Sqrt: {opVF64Sqrt, opVF32Sqrt},
	ir.Lt: {opVF64Lt, opVF32Lt}, ir.Le: {opVF64Le, opVF32Le}, ir.Eq: {opVF64Eq, opVF32Eq}, ir.Ne: {opVF64Ne, opVF32Ne},
	ir.And: {opVAnd, opVAnd}, ir.Or: {opVOr, opVOr}, ir.Not: {opVNot, opVNot}, ir.Pick: {opVSelect, opVSelect},
}

// lanewise is an operation on two vectors of so many lanes. Lanes are 2 or 4, and so
// lanes/4 is the index.
func (c *code) lanewise(op ir.Op, lanes int) { c.op(vectorOps[op][lanes/4]) }

// compute leaves what a value is made of on the stack, and makes it.
//
// Operands are left on the stack in the order of Args, but where the instruction wants
// another. A value with a form of its own is one that the IR has no operation for.
func (c *code) compute(v *vector.Vector) {
	sign := signOf(v.Lanes)
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
		// Only the sign of the lanes in which the condition holds is turned.
		c.value(v.Args[0])
		c.value(v.Args[1])
		c.mask(sign)
		c.op(opVAnd, opVXor)
		return
	case vector.Whole:
		c.value(v.Args[0])
		c.value(v.Args[1])
		c.lanewise(ir.Add, v.Lanes)
		return
	case vector.Low, vector.High, vector.Join:
		c.convert(v)
		return
	case vector.Less: // where it does not hold, 0
		c.value(v.Args[0])
		c.value(v.Args[1])
		c.value(v.Args[2])
		c.op(opVAnd)
		c.lanewise(ir.Sub, v.Lanes)
		return
	}
	if v.Op == ir.Pick && c.nothing(v) {
		return
	}
	for _, a := range v.Args {
		c.value(a)
	}
	if f := vectorFormula(c.plan, v); f != "" {
		c.with(opCall, int64(c.calls[f.vectors().Label]))
		return
	}
	switch masks := c.plan.Values[v.Args[0]].Type == ir.Bool; {
	case v.Op == ir.Neg: // five instructions, were it f64x2.neg
		c.mask(sign)
		c.op(opVXor)
	case v.Op == ir.Abs:
		c.mask(^sign)
		c.op(opVAnd)
	case v.Op == ir.Zero:
		c.mask(0)
		c.lanewise(ir.Add, v.Lanes)
	case masks && v.Op == ir.Ne: // of truths: masks are compared bit by bit
		c.op(opVXor)
	case masks && v.Op == ir.Eq:
		c.op(opVXor, opVNot)
	default:
		c.lanewise(v.Op, v.Lanes)
	}
}

// nothing makes a choice one of whose sides has no bits; false: it is not such a one.
func (c *code) nothing(v *vector.Vector) bool {
	a, b, cond := v.Args[0], v.Args[1], v.Args[2]
	switch {
	case isZero(&c.plan.Values[b]):
		c.value(a)
		c.value(cond)
		c.op(opVAnd)
	case isZero(&c.plan.Values[a]):
		c.value(b)
		c.value(cond)
		c.op(opVAndNot)
	default:
		return false
	}
	return true
}

// once leaves a vector on the stack that is the same for all rows. A Bool, 0 or 1, becomes a
// mask by being taken from 0.
func (c *code) once(v *vector.Vector) {
	if v.Type == ir.Bool {
		c.i32(0)
		c.expr(v.Scalars[0])
		c.op(opI32Sub, opI32Splat)
		return
	}
	// One for all lanes, or one for each: the first fills them all.
	c.expr(v.Scalars[0])
	c.op(lanesOf(v.Lanes).splat)
	for i := 1; i < len(v.Scalars); i++ {
		c.expr(v.Scalars[i])
		c.with(lanesOf(v.Lanes).replace, int64(i))
	}
}

// convert changes the width of lanes. Of masks, parts of 32 bits are all alike: they
// are cut to 16 bits, two for each lane that becomes one, without a change.
//
// Join makes one vector of two with half as many lanes each, Low and High are its halves
// again.
func (c *code) convert(v *vector.Vector) {
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
