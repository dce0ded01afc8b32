package wasm

// This file writes Lua's % as a function of the module beside run: some dozens of instructions that
// every place of the kernel shares.

// modulo is the name under which the module calls its own function for %, and
// under which the host offers the general case.
const modulo = "mod"

// modulus writes Lua's a % b: the remainder of Go's math.Mod, moved to the side
// of b. Whole numbers that an int64 divides exactly, and operands that are
// their own remainder, need no call of the host.
//
// The three locals after the parameters are its own, see Module.number.
func (c *code) modulus() {
	const a, b, r, ia, ib = 0, 1, 2, 3, 4
	// The remainder, by the cheapest of three ways: a itself where it is nearer to 0 than b,
	// a division of integers, or the host. math.Mod is exact, and so are the other two.
	c.get(a)
	c.op(opF64Abs)
	c.get(b)
	c.op(opF64Abs, opF64Lt)
	c.open(opIf, otherLabel, typeF64)
	c.get(a)
	c.op(opElse)
	c.wholes(a, b, ia, ib)
	c.open(opIf, otherLabel, typeF64)
	c.get(ia)
	c.get(ib)
	c.op(opI64RemS, opF64ConvI64)
	c.get(a)
	c.op(opF64CopySgn) // the remainder has the sign of a, even if it is zero
	c.op(opElse)
	c.get(a)
	c.get(b)
	c.with(opCall, int64(c.calls["host."+modulo]))
	c.end()
	c.end()
	// r has the sign of a. Lua's result has that of b: where they differ, and r is not 0, one
	// b is added. Comparisons with not-a-number are false, and r stays what it is.
	c.with(opLocalTee, r)
	c.f64(0)
	c.op(opF64Lt)
	c.get(b)
	c.f64(0)
	c.op(opF64Gt, opI32And)
	c.get(r)
	c.f64(0)
	c.op(opF64Gt)
	c.get(b)
	c.f64(0)
	c.op(opF64Lt, opI32And, opI32Or)
	c.open(opIf, otherLabel, typeF64)
	c.get(r)
	c.get(b)
	c.op(opF64Add)
	c.op(opElse)
	c.get(r)
	c.end()
	c.op(opEnd)
}

// wholes leaves whether a and b are integers, b is not zero, and both are small
// enough to survive the way through an int64 exactly. It leaves the integers in ia and ib.
// The conversion saturates where the number is not one of an int64, and the comparison finds
// that; i64.rem_s itself traps only for a divisor of 0, which is asked for last.
func (c *code) wholes(a, b, ia, ib int) {
	for i, v := range []int{a, b} {
		whole := []int{ia, ib}[i]
		c.get(v)
		c.op(opI64SatS)
		c.with(opLocalTee, int64(whole))
		c.op(opF64ConvI64)
		c.get(v)
		c.op(opF64Eq)
		c.get(v)
		c.op(opF64Abs)
		c.f64(1 << 53)
		c.op(opF64Le, opI32And)
		if i > 0 {
			c.op(opI32And)
		}
	}
	c.get(ib)
	c.op(opI64Eqz, opI32Eqz, opI32And)
}
