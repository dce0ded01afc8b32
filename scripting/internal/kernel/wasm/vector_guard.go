package wasm

// This file writes the loop of a plan with a guard. What would be stored waits in locals
// until it is known that no row of the turn needs what vectors cannot do; memory is never
// written twice, and never put back.

// alternate writes the loop over vectors with a guard, and over single rows. A
// turn in which a guard holds has stored nothing yet. It is tried again in steps of
// as few rows as the plan has, up to the step in which the guard holds: only the
// rows of that one go one by one. If the next turn comes to nothing, too, some more
// after them do, each time twice as many. So a guard that seldom holds costs the
// rows around it little, and so does one that always holds.
//
// The stretch is at least one step and doubles with each turn that fails, so where every
// turn fails, those that are tried in vain grow with the logarithm of the rows.
func (c *code) alternate() {
	next, rows := c.param(nextParam), c.param(rowsParam)
	step, turn := c.plan.Rows, c.plan.Rows*c.plan.Turns
	c.bound(int64(turn))
	c.constants()
	c.i32(int64(step))
	c.set(c.stretch)
	c.open(opLoop, againLabel, typeNone)
	c.get(rows)
	c.set(c.until)
	c.open(opBlock, restLabel, typeNone)
	c.enter()
	c.open(opBlock, slowLabel, typeNone)
	c.attempts(c.plan.Turns, func() {
		c.i32(int64(step))
		c.set(c.stretch)
		c.beyond()
	})
	c.jump(opBr, restLabel)
	c.end()
	if turn > step {
		c.open(opBlock, slowLabel, typeNone)
		c.attempts(1, c.closing)
		c.end()
	}
	c.slow()
	c.end()
	c.single(c.until)
	c.get(next)
	c.get(rows)
	c.op(opI32LtU)
	c.jump(opBrIf, againLabel)
	c.end()
}

// attempts writes a loop over turns of so many steps, up to one in which a guard
// holds, or until what over leaves on the stack holds.
//
// A turn whose guard holds jumps to slowLabel from within, before it has moved the
// pointers.
func (c *code) attempts(units int, over func()) {
	c.open(opBlock, doneLabel, typeNone)
	c.open(opLoop, rowsLabel, typeNone)
	c.attempt(units)
	c.advance(int64(c.plan.Rows * units))
	over()
	c.jump(opBrIf, doneLabel)
	c.jump(opBr, rowsLabel)
	c.end()
	c.end()
}

// closing leaves on the stack whether there are too few rows for another step. Rows are
// counted, and not compared with the last turn: steps are shorter than turns.
func (c *code) closing() {
	c.get(c.param(rowsParam))
	c.get(c.param(nextParam))
	c.op(opI32Sub)
	c.i32(int64(c.plan.Rows))
	c.op(opI32LtU)
}

// attempt writes a turn: all that is to be stored, the question whether it may be,
// and the stores.
//
// All values of all steps are computed before the first store. So the guard may be one
// jump, and the vectors that wait need a local for each store of each step, which planned
// has made.
func (c *code) attempt(units int) {
	stores := c.plan.Stores
	c.touch(units * c.plan.Rows)
	for u := units - 1; u >= 0; u-- {
		c.ahead = u * c.plan.Rows
		c.prepare()
		for i := range stores {
			c.value(stores[i].Value)
			c.set(c.kept + u*len(stores) + i)
		}
		c.value(c.plan.Guard) // of all rows of the turn, joined: one jump for all
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
	c.get(c.stretch) // twice as many the next time; a turn that succeeds begins anew
	c.get(c.stretch)
	c.op(opI32Add)
	c.set(c.stretch)
	c.end()
}
