package wasm

// shortest is how many rows go one by one after a guard has held.
const shortest = 8

// alternate writes the loop over vectors with a guard, and over single rows. A
// turn in which a guard holds has stored nothing yet. Its rows go one by one, and
// some behind them: at first few, and each time twice as many if the next turn
// comes to nothing, too. So a guard that always holds costs little.
func (c *code) alternate() {
	next, rows := c.param(nextParam), c.param(rowsParam)
	turn := int64(c.plan.Rows * c.plan.Turns)
	c.bound(turn)
	c.constants()
	c.i32(shortest)
	c.set(c.stretch)
	c.open(opLoop, againLabel, typeNone)
	c.get(rows)
	c.set(c.until)
	c.open(opBlock, restLabel, typeNone)
	c.enter()
	c.open(opBlock, slowLabel, typeNone)
	c.open(opBlock, doneLabel, typeNone)
	c.open(opLoop, rowsLabel, typeNone)
	c.attempt()
	c.advance(turn)
	c.i32(shortest)
	c.set(c.stretch)
	c.beyond()
	c.jump(opBrIf, doneLabel)
	c.jump(opBr, rowsLabel)
	c.end()
	c.end()
	c.jump(opBr, restLabel)
	c.end()
	c.slow()
	c.end()
	c.single(c.until)
	c.get(next)
	c.get(rows)
	c.op(opI32LtU)
	c.jump(opBrIf, againLabel)
	c.end()
}

// attempt writes a turn: all that is to be stored, the question whether it may be,
// and the stores.
func (c *code) attempt() {
	units, stores := c.plan.Turns, c.plan.Stores
	c.touch(units * c.plan.Rows)
	for u := units - 1; u >= 0; u-- {
		c.ahead = u * c.plan.Rows
		c.prepare()
		for i := range stores {
			c.value(stores[i].Value)
			c.set(c.kept + u*len(stores) + i)
		}
		c.value(c.plan.Guard)
		if u < units-1 {
			c.get(c.any)
			c.op(opVOr)
		}
		c.set(c.any)
	}
	c.get(c.any)
	c.op(opVAny)
	c.jump(opBrIf, slowLabel)
	for u := units - 1; u >= 0; u-- {
		c.ahead = u * c.plan.Rows
		for i := len(stores) - 1; i >= 0; i-- {
			c.scatter(&stores[i], func() { c.get(c.kept + u*len(stores) + i) })
		}
	}
	c.ahead = 0
}

// slow has the next stretch of rows go one by one, and all of them if there are
// no more.
func (c *code) slow() {
	next, rows := c.param(nextParam), c.param(rowsParam)
	c.get(c.stretch)
	c.get(rows)
	c.get(next)
	c.op(opI32Sub, opI32LtU)
	c.open(opIf, otherLabel, typeNone)
	c.get(next)
	c.get(c.stretch)
	c.op(opI32Add)
	c.set(c.until)
	c.get(c.stretch)
	c.get(c.stretch)
	c.op(opI32Add)
	c.set(c.stretch)
	c.end()
}
