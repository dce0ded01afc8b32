package tx

import (
	"math"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
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
	FieldText              int   // bytes of a text in a field of the host, and
	FieldTexts             int64 // of all texts in components of the host
	EventBytes             int64 // of events that wait for those who read them, of all scripts

	Saved int64 // bytes of what scripts keep in a snapshot; zero and less is no limit

	Converted int64 // bytes of values that one reload may convert, move and take away, by the count of bindings

	// Archetypes is how many sets of components one script may bring about, and
	// ArchetypesTotal how many there may be in the world for scripts to go on.
	Archetypes, ArchetypesTotal int

	// Declarations and Declared are what the top level of one file may declare,
	// things and bytes; DeclaredTotal is for the bytes of all files together.
	Declarations            int
	Declared, DeclaredTotal int64
	Systems                 int // of all files together, with the observers
}

// usage sums up what the calls of one tick have recorded.
//
// Invariant: a call that failed is not in it, for its commands are dropped.
type usage struct {
	tick uint64
	All  recorded
	By   map[string]recorded // by script
	mine recorded            // of By, for the script of the call that runs
	of   int                 // scripts; 0: nobody says how many there are
	sets sets
}

// recorded is how much was recorded.
type recorded struct{ Commands, Spawned, Bytes int }

func (r recorded) Plus(o recorded) recorded {
	return recorded{r.Commands + o.Commands, r.Spawned + o.Spawned, r.Bytes + o.Bytes}
}

func (r recorded) minus(o recorded) recorded {
	return recorded{r.Commands - o.Commands, r.Spawned - o.Spawned, r.Bytes - o.Bytes}
}

// recordedBy returns what the commands of a tick have in them.
func recordedBy(c *Call) recorded {
	commands := c.Tick.Commands
	return recorded{commands.Changes(), commands.Spawned(), commands.Bytes()}
}

// begin notes what is recorded before a call; a new tick starts from nothing.
func (s *usage) begin(c *Call) {
	if c.Tick.N != s.tick {
		clear(s.By)
		s.tick, s.All = c.Tick.N, recorded{}
	}
	c.before, s.mine = recordedBy(c), s.By[c.Script]
	if c.Tick.World != nil {
		s.sets.settle(c.Tick.World.Raw().Sets())
	}
}

// NewTick begins a tick: what the calls of the last one have recorded counts no more.
func (r *Runner) NewTick() {
	clear(r.Usage.By)
	r.Usage.All = recorded{}
}

// commit adds what a call has recorded.
func (s *usage) commit(c *Call) {
	now := c.Since()
	if now.Commands > 0 {
		s.sets.commit(c)
	}
	if now == (recorded{}) {
		return
	}
	if s.By == nil {
		s.By = map[string]recorded{}
	}
	s.All = s.All.Plus(now)
	s.By[c.Script] = s.By[c.Script].Plus(now)
}

// Since is what a call has recorded so far.
func (c *Call) Since() recorded {
	return recordedBy(c).minus(c.before)
}

// share is what a script may still record when the limit of the tick is used
// up, as a part of what one system may: scripts without fault run on beside those
// that took everything.
const share = 50

// Part is that share of a limit for one system. All scripts together get no more than half
// of what all may, however many they are.
func (s *usage) Part(one, all int) int {
	if one /= share; s.of > 0 && all > 0 {
		return min(one, max(all/(2*s.of), 1))
	}
	return one
}

// Ample reports whether a call with n more changes, and as many bytes, is below all limits, without a
// look at each. It is sure of that for most.
func (s *usage) Ample(c *Call, limits *Limits, n int) bool {
	if !c.judged {
		c.judged = true
		c.ample = recorded{
			Commands: c.before.Commands + s.left(limits.Commands, limits.TickCommands, s.mine.Commands, s.All.Commands),
			Bytes:    c.before.Bytes + s.left(int(limits.CommandBytes), int(limits.TickCommandBytes), s.mine.Bytes, s.All.Bytes),
		}
		if limits.Commands > 0 {
			c.ample.Commands = min(c.ample.Commands, limits.Commands)
		}
		if limits.CommandBytes > 0 {
			c.ample.Bytes = min(c.ample.Bytes, int(limits.CommandBytes))
		}
	}
	return c.Tick.Commands.Changes()+n <= c.ample.Commands && c.Bytes()+n <= c.ample.Bytes
}

// left returns how much of something a call may have before [usage.ofTick] returns a limit that
// is reached.
func (s *usage) left(one, all, mine, total int) int {
	if all <= 0 {
		return math.MaxInt32
	}
	return max(s.Part(one, all)-mine, all-total)
}

// CommandsOfTick returns how many commands all scripts have recorded, and how many they may:
// any number while the script has not had its share.
func (s *usage) CommandsOfTick(c *Call, limits *Limits, more int) (used, limit int) {
	return s.ofTick(c, more, limits.Commands, limits.TickCommands, func(r recorded) int { return r.Commands })
}

// SpawnedInTick is the same for entities, with so many more by this call.
func (s *usage) SpawnedInTick(c *Call, limits *Limits, more int) (used, limit int) {
	return s.ofTick(c, more, limits.Spawned, limits.TickSpawned, func(r recorded) int { return r.Spawned })
}

// BytesOfTick is the same for the bytes of the commands.
func (s *usage) BytesOfTick(c *Call, limits *Limits, more int) (used, limit int) {
	return s.ofTick(c, more, int(limits.CommandBytes), int(limits.TickCommandBytes), func(r recorded) int { return r.Bytes })
}

// ofTick returns how much of something all scripts have, with what this call has, and the
// limit for all; no limit while the script has less than its share. one is the limit for a
// system.
func (s *usage) ofTick(c *Call, more, one, all int, of func(recorded) int) (used, limit int) {
	now := of(c.Since()) + more
	if of(s.mine)+now < s.Part(one, all) {
		return 0, 0
	}
	return of(s.All) + now, all
}

// NoCommand returns the limit that leaves a call no room for n more changes, nil if there is
// none: with 0 it says whether there are too many already.
func (r *Runner) NoCommand(c *Call, n int) *diag.Error {
	limits, s := r.Limits, &r.Usage
	if s.Ample(c, limits, n) {
		return nil
	}
	if e := Within(c.Tick.Commands.Changes()+n-1, limits.Commands, "changes in one tick of a system", "Commands"); e != nil {
		return e
	}
	if e := Within(c.Bytes()+n-1, int(limits.CommandBytes), BytesOfChanges, "CommandBytes"); e != nil {
		return e
	}
	used, all := s.CommandsOfTick(c, limits, n-1)
	if e := Within(used, all, "changes in one tick of all scripts", "TickCommands"); e != nil {
		return e
	}
	used, all = s.BytesOfTick(c, limits, n-1)
	return Within(used, all, "bytes of changes in one tick of all scripts", "TickCommandBytes")
}

// ChangesLeft returns how many changes a call may make besides those that it has made, and one more:
// a count beyond that is refused whatever it is.
func (r *Runner) ChangesLeft(c *Call) int {
	if r.Limits.Commands <= 0 {
		return math.MaxInt32
	}
	return max(r.Limits.Commands-c.Tick.Commands.Changes(), 0) + 1
}

// NoEvent returns the limit that leaves no room for one more event of a type, nil if there is none. A type of
// which few bytes wait is not refused because of others.
func (r *Runner) NoEvent(id ecs.EventID) *diag.Error {
	limit := r.Limits.EventBytes
	if limit <= 0 || r.World == nil || r.World.Raw().EventBytes() < limit {
		return nil
	}
	raw := r.World.Raw()
	st := raw.EventStats(id)
	bytes := int64(st.Waiting) * int64(raw.EventSchema(id).Size)
	if bytes < limit/share {
		return nil
	}
	e := diag.Reached("EventBytes", "too much: events that wait take %s of %s bytes, and %s of them are %q", diag.Grouped(raw.EventBytes()), diag.Grouped(limit), diag.Grouped(int64(st.Waiting)), st.Event)
	if st.Slowest != "" {
		e.And(diag.Format(", which %q does not read: let it run more often, or emit less", st.Slowest))
	}
	return e
}

// NoSpawn is NoCommand for n more entities.
func (r *Runner) NoSpawn(c *Call, n int) *diag.Error {
	if e := Within(c.Tick.Commands.Spawned()+n-1, r.Limits.Spawned, "entities spawned in one tick of a system", "Spawned"); e != nil {
		return e
	}
	used, all := r.Usage.SpawnedInTick(c, r.Limits, n-1)
	return Within(used, all, "entities spawned in one tick of all scripts", "TickSpawned")
}

// Within returns the error for one more than there are, if that is above a limit.
func Within(used, limit int, what, name string) *diag.Error {
	if !Reached(used, limit) {
		return nil
	}
	return diag.Reached(name, "too much: used %s of %s %s", diag.Grouped(int64(used)+1), diag.Grouped(int64(limit)), what)
}

// Reached reports whether a limit leaves room for no more.
func Reached(used, limit int) bool { return limit > 0 && used >= limit }
