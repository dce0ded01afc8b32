package ecs

// Mark is a place in the record of a buffer of commands; see [Commands.Mark].
type Mark struct{ ops, values, data, kept, reserved, large int }

// Mark returns the end of the record as it is now, for Rewind. It costs some
// nanoseconds, so that a caller may take one before each entity it works on.
// A mark is good until the commands are applied or dropped.
func (c *Commands) Mark() Mark {
	return Mark{len(c.ops), len(c.values), len(c.data), len(c.kept), len(c.reserved), c.large.bytes}
}

// Rewind forgets what was recorded since a mark; entities that Spawn reserved
// since then die. It is how the part of a system's work that failed is left out
// while the rest goes on. O(commands forgotten); a [Preview] that has seen them begins again.
func (c *Commands) Rewind(m Mark) {
	released := len(c.reserved) > m.reserved
	for _, e := range c.reserved[m.reserved:] {
		c.release(e)
	}
	if c.preview != nil && c.preview.seen > m.ops {
		c.preview.forget()
	}
	c.sets.rewind(c.ops, m.ops)
	c.large.rewind(m)
	clear(c.kept[m.kept:])
	c.ops, c.values, c.data = c.ops[:m.ops], c.values[:m.values], c.data[:m.data]
	c.kept, c.reserved = c.kept[:m.kept], c.reserved[:m.reserved]
	if released && !c.world.frozen.on {
		c.world.committed("rewinding commands", 0)
	}
}

// release ends an entity that was reserved and not placed; while the world stands
// still it is not alive yet, and dies as soon as it would be.
func (c *Commands) release(e Entity) {
	if !c.slot.Zero() {
		c.lost = append(c.lost, e)
		return
	}
	if r := c.world.slots.Record(uint64(e)); r != nil && r.Table == limbo {
		c.world.slots.Release(uint64(e))
	}
}
