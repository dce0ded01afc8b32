package bindings

// Limits bound what scripts record. Commands and Spawned count what one system
// has recorded in one tick, TickCommands and TickSpawned what all scripts have
// in one tick together. Zero or less means no limit.
type Limits struct {
	Commands, TickCommands int
	Spawned, TickSpawned   int
}

// tally sums up what the calls of one tick have recorded.
//
// Invariant: a call that failed is not in it, for its commands are dropped.
type tally struct {
	tick              uint64
	commands, spawned int
}

// begin notes what is recorded before a call; a new tick starts from nothing.
func (s *tally) begin(c *call) {
	if c.tick.N != s.tick {
		*s = tally{tick: c.tick.N}
	}
	c.commands, c.spawned = c.tick.Commands.Len(), c.tick.Commands.Spawned()
}

// commit adds what a call has recorded.
func (s *tally) commit(c *call) {
	s.commands += c.tick.Commands.Len() - c.commands
	s.spawned += c.tick.Commands.Spawned() - c.spawned
}

// spend raises an error when one more command would be too many.
func (a *args) spend(c *call) {
	limits, commands := &a.m.opts.Limits, c.tick.Commands
	a.within(commands.Len(), limits.Commands, "changes by one system", "Commands")
	a.within(a.m.tally.commands+commands.Len()-c.commands, limits.TickCommands, "changes by all scripts", "TickCommands")
}

// spendSpawn raises an error when one more entity would be too many.
func (a *args) spendSpawn(c *call) {
	limits, commands := &a.m.opts.Limits, c.tick.Commands
	a.within(commands.Spawned(), limits.Spawned, "entities spawned by one system", "Spawned")
	a.within(a.m.tally.spawned+commands.Spawned()-c.spawned, limits.TickSpawned, "entities spawned by all scripts", "TickSpawned")
}

// full reports whether spend would raise an error.
func (m *Module) full(c *call) bool {
	limits, commands := &m.opts.Limits, c.tick.Commands
	return reached(commands.Len(), limits.Commands) ||
		reached(m.tally.commands+commands.Len()-c.commands, limits.TickCommands)
}

// crowded reports whether spendSpawn would raise an error.
func (m *Module) crowded(c *call) bool {
	limits, commands := &m.opts.Limits, c.tick.Commands
	return reached(commands.Spawned(), limits.Spawned) ||
		reached(m.tally.spawned+commands.Spawned()-c.spawned, limits.TickSpawned)
}

func reached(used, limit int) bool { return limit > 0 && used >= limit }

// within raises an error when one more than there are would be above a limit.
func (a *args) within(used, limit int, what, name string) {
	if reached(used, limit) {
		a.fail("too much in one tick: used %s of %s %s (Limits.%s)", Grouped(int64(used)+1), Grouped(int64(limit)), what, name)
	}
}
