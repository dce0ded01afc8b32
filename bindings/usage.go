package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
)

// Limits bound what scripts record. Commands and Spawned count what one system
// has recorded in one tick, those that begin with Tick what all scripts have
// in one tick together. Zero or less means no limit.
type Limits struct {
	Commands, TickCommands int
	Spawned, TickSpawned   int
	CommandBytes           int64 // of one system in one tick, and
	TickCommandBytes       int64 // of all scripts
	Timers                 int   // that wait at the same time

	// Archetypes is how many sets of components one script may bring about, and
	// ArchetypesTotal how many there may be in the world for scripts to go on.
	Archetypes, ArchetypesTotal int

	// Declarations and Declared are what the top level of one file may declare,
	// things and bytes; DeclaredTotal is for the bytes of all files together.
	Declarations            int
	Declared, DeclaredTotal int64
}

// usage sums up what the calls of one tick have recorded.
//
// Invariant: a call that failed is not in it, for its commands are dropped.
type usage struct {
	tick uint64
	all  recorded
	by   map[string]recorded // by script
	of   int                 // scripts; 0: nobody says how many there are
	sets sets
}

// recorded is how much was recorded.
type recorded struct{ commands, spawned, bytes int }

func (r recorded) plus(o recorded) recorded {
	return recorded{r.commands + o.commands, r.spawned + o.spawned, r.bytes + o.bytes}
}

func (r recorded) minus(o recorded) recorded {
	return recorded{r.commands - o.commands, r.spawned - o.spawned, r.bytes - o.bytes}
}

// recordedBy returns what the commands of a tick have in them.
func recordedBy(c *call) recorded {
	commands := c.tick.Commands
	return recorded{commands.Len(), commands.Spawned(), commands.Bytes()}
}

// begin notes what is recorded before a call; a new tick starts from nothing.
func (s *usage) begin(c *call) {
	if c.tick.N != s.tick {
		clear(s.by)
		s.tick, s.all = c.tick.N, recorded{}
	}
	c.before = recordedBy(c)
	s.sets.settle(c)
}

// commit adds what a call has recorded.
func (s *usage) commit(c *call) {
	now := c.since()
	if now.commands > 0 {
		s.sets.commit(c)
	}
	if now == (recorded{}) {
		return
	}
	if s.by == nil {
		s.by = map[string]recorded{}
	}
	s.all = s.all.plus(now)
	s.by[c.script] = s.by[c.script].plus(now)
}

// since is what a call has recorded so far.
func (c *call) since() recorded {
	return recordedBy(c).minus(c.before)
}

// share is what a script may still record when the limit of the tick is used
// up, as a part of what one system may: scripts without fault run on beside those
// that took everything.
const share = 50

// part is that share of a limit for one system. All scripts together get no more than half
// of what all may, however many they are.
func (s *usage) part(one, all int) int {
	if one /= share; s.of > 0 && all > 0 {
		return min(one, max(all/(2*s.of), 1))
	}
	return one
}

// spend raises an error when one more command would be too many.
func (a *args) spend(c *call) {
	limits := &a.m.opts.Limits
	a.within(c.tick.Commands.Len(), limits.Commands, "changes in one tick of a system", "Commands")
	a.within(c.bytes(), int(limits.CommandBytes), bytesOfChanges, "CommandBytes")
	used, limit := a.m.tx.usage.commandsOfTick(c, limits, 0)
	a.within(used, limit, "changes in one tick of all scripts", "TickCommands")
	used, limit = a.m.tx.usage.bytesOfTick(c, limits)
	a.within(used, limit, "bytes of changes in one tick of all scripts", "TickCommandBytes")
}

// spendSpawn raises an error when n more entities would be too many.
func (a *args) spendSpawn(c *call, n int) {
	limits := &a.m.opts.Limits
	a.within(c.tick.Commands.Spawned()+n-1, limits.Spawned, "entities spawned in one tick of a system", "Spawned")
	used, limit := a.m.tx.usage.spawnedInTick(c, limits, n-1)
	a.within(used, limit, "entities spawned in one tick of all scripts", "TickSpawned")
}

// commandsOfTick returns what all scripts have recorded, with so many more by this
// one, and how much they may: any number while the script has not had its share.
func (s *usage) commandsOfTick(c *call, limits *Limits, more int) (used, limit int) {
	now := c.since()
	now.commands += more
	if s.by[c.script].commands+now.commands < s.part(limits.Commands, limits.TickCommands) {
		return 0, 0
	}
	return s.all.commands + now.commands, limits.TickCommands
}

// spawnedInTick is the same for entities.
func (s *usage) spawnedInTick(c *call, limits *Limits, more int) (used, limit int) {
	now := c.since()
	now.spawned += more
	if s.by[c.script].spawned+now.spawned < s.part(limits.Spawned, limits.TickSpawned) {
		return 0, 0
	}
	return s.all.spawned + now.spawned, limits.TickSpawned
}

// bytesOfTick is the same for the bytes of the commands.
func (s *usage) bytesOfTick(c *call, limits *Limits) (used, limit int) {
	now := c.since()
	if s.by[c.script].bytes+now.bytes < s.part(int(limits.CommandBytes), int(limits.TickCommandBytes)) {
		return 0, 0
	}
	return s.all.bytes + now.bytes, int(limits.TickCommandBytes)
}

func reached(used, limit int) bool { return limit > 0 && used >= limit }

// within raises an error when one more than there are would be above a limit.
func (a *args) within(used, limit int, what, name string) {
	if reached(used, limit) {
		a.fail("too much: used %s of %s %s (Limits.%s)", diag.Grouped(int64(used)+1), diag.Grouped(int64(limit)), what, name)
	}
}
