package ecs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// Stats is a picture of a world at one moment. Print it for people; its
// Warnings say what looks wrong.
type Stats struct {
	Entities    int
	EntityLimit int
	Retired     int // slots that used up their generations
	Free        int // slots of entities that have died, which wait to be used again
	Archetypes  []ArchetypeStats
	Components  []ComponentStats // by number
	Pools       []PoolStats
	Chunks      int
	Utilization float64 // rows used of rows available in the chunks, 0 to 1
	ArenaBytes  int     // handed out by the arena
	ArenaSpare  int     // free in the arena and not given back to the system yet
	ArenaLimit  int     // bytes that it can hand out, 0 once the world is closed
	Transitions uint64  // moves between archetypes since the world began
	TickMoves   uint64  // those of the last tick, and of what came between it and the one before
	Dropped     uint64  // events that were not read in time
	Unchecked   int     // invariants that steps are behind with, see Schedule.LimitChecks
	Events      []EventStats
	Systems     []SystemStats
}

// ArchetypeStats describes one set of components that have columns.
type ArchetypeStats struct {
	Components []string
	Entities   int
	Chunks     int
	Capacity   int // rows for which the chunks have room
	Bytes      int // of the chunks in the arena
}

// ComponentStats describes the memory of one component type.
type ComponentStats struct {
	Component string
	Entities  int
	Used      int // bytes of the values
	Reserved  int // bytes that the columns or the pool take, places and handles of a pool included
	Tracked   int // bytes on Go's heap that the option Tracked takes
}

// PoolStats describes one sparse-set pool.
type PoolStats struct {
	Component string
	Entities  int
	Bytes     int // rows, places and handles; 0 when a storage of one's own does not say
}

// SystemStats describes one system and its runs.
type SystemStats struct {
	Name     string
	Phase    Phase
	Priority int
	Enabled  bool
	Health   Health
	Since    float64 // when its own health became what it is, in seconds of the simulation
	Blocker  string  // the required system that does not run, "" if all do
	Runs     uint64
	Skipped  uint64 // turns in which it was not called, because nothing had changed: see Query.Changed
	Failures uint64
	Last     time.Duration // of the last run, observers that it triggered included
	Total    time.Duration
	Reads    []string // components its queries read; a condition of a query reads, too
	Writes   []string // components its queries write
	Before   []string // systems that it is to precede, as System.Before has them
	After    []string // and those that it is to follow
	Event    string   // the event that it reads, see System.Event
	Parallel bool     // see System.Parallel
	Serial   string   // why it is not, if the program has said so
}

// Stats takes the picture. It allocates; call it for people, not per entity.
// O(archetypes × components + chunks).
func (w *World) Stats() Stats {
	s := Stats{
		Entities: w.slots.Live(), EntityLimit: w.entityLimit(), Retired: w.slots.Retired(), Free: w.slots.Free(),
		ArenaBytes: w.arena.Used(), ArenaSpare: w.arena.Spare(), ArenaLimit: w.arena.Capacity(),
		Transitions: w.moves, TickMoves: w.clock.moves, Unchecked: w.invariants.unchecked(),
	}
	for _, c := range w.components {
		s.Components = append(s.Components, ComponentStats{Component: c.schema.Name, Tracked: c.trackedBytes()})
	}
	rows, room := 0, 0
	for _, a := range w.archetypes[limbo+1:] {
		s.Archetypes = append(s.Archetypes, ArchetypeStats{w.nameAll(a.ids), a.count, len(a.chunks), a.room(), a.units * arena.Unit})
		s.Chunks += len(a.chunks)
		rows, room = rows+a.count, room+a.room()
		s.columns(w, a)
	}
	if room > 0 {
		s.Utilization = float64(rows) / float64(room)
	}
	for _, p := range w.pools {
		s.pool(p)
	}
	for _, t := range w.events.streams {
		s.Dropped += t.dropped
		s.Events = append(s.Events, t.stats())
	}
	s.Systems = w.schedule.Stats(nil)
	return s
}

// columns adds an archetype's share to the bytes of its components.
func (s *Stats) columns(w *World, a *archetype) {
	for _, id := range a.ids {
		c, size := &s.Components[id], int(w.components[id].size)
		c.Entities += a.count
		c.Used += a.count * size
		c.Reserved += a.room() * size
	}
}

// pool adds a pool to the pools, and to the bytes of its component.
func (s *Stats) pool(p pool) {
	of, bytes := p.of(), 0
	if p, ok := p.(interface{ bytes() int }); ok {
		bytes = p.bytes()
	}
	s.Pools = append(s.Pools, PoolStats{of.schema.Name, p.len(), bytes})
	c := &s.Components[of.id]
	c.Entities, c.Used, c.Reserved = p.len(), p.len()*int(of.size), bytes
}

// entityLimit is how many entities can be alive at once.
func (w *World) entityLimit() int {
	if w.arena.Base() != nil || w.arena.Size() == 0 {
		return max(w.slots.Limit(), 0)
	}
	limit := min(w.arena.Slots(), slots.MaxSlots) - 1
	if w.options.MaxEntities > 0 {
		limit = min(limit, w.options.MaxEntities)
	}
	return limit
}

// Stats appends the systems in running order to dst.
func (s *Schedule) Stats(dst []SystemStats) []SystemStats {
	for _, o := range s.order {
		st := SystemStats{
			Name: o.Name, Phase: o.Phase, Priority: o.Priority, Enabled: !o.Disabled,
			Health: o.state(), Since: o.health.since, Blocker: o.blocked, Runs: o.runs - o.skipped, Skipped: o.skipped, Failures: o.health.total, Last: o.last, Total: o.total,
			Reads: s.world.nameOnce(o.access.reads), Writes: s.world.nameOnce(o.access.writes), Before: slices.Clone(o.Before), After: slices.Clone(o.After),
			Event: o.Event, Parallel: o.Parallel, Serial: o.Serial,
		}
		dst = append(dst, st)
	}
	return dst
}

// nameOnce returns the names of components, each once.
func (w *World) nameOnce(ids []ComponentID) (names []string) {
	for i, id := range ids {
		if !slices.Contains(ids[:i], id) {
			names = append(names, w.components[id].schema.Name)
		}
	}
	return names
}

// nameAll returns the names of components.
func (w *World) nameAll(ids []ComponentID) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = w.components[id].schema.Name
	}
	return names
}

// ChunkBytes is the size of an archetype's first chunks. Later ones are longer,
// up to 32 times as long, and so are those of rows wider than a kilobyte.
const ChunkBytes = arena.Unit

// Warning says what looks wrong in a world, in words and in numbers.
type Warning struct {
	// Name is the kind, for programs: "archetypes", "thin archetypes", "chunks",
	// "events", "entities" or "memory".
	Name string
	// Value is what was found, Limit what it should stay below, or above for
	// "chunks": counts, or parts of one.
	Value, Limit float64
	// Text says it to people, and what could be done.
	Text string
}

// String returns the text.
func (w Warning) String() string { return w.Text }

const (
	// manyArchetypes is when sets of components have exploded.
	manyArchetypes = 1000
	// thinEntities is how few entities make an archetype a bad bargain, and thinArchetypes
	// how many archetypes there must be before that matters.
	thinEntities, thinArchetypes = 10, 32
	// wellUsed is the part of the room in chunks that should be used, and
	// unusedFrom the unused bytes from which on it matters.
	wellUsed, unusedFrom = 0.5, 1 << 20
	// nearLimit is the part of a limit at which it is time to speak.
	nearLimit = 0.9
)

// Warnings returns what looks wrong, in the order of the names in Warning; nil
// when nothing does.
//
// More than 1,000 archetypes, or at least 32 of which more than half hold 1 to 9
// entities; chunks of more than a mebibyte unused and less than half used; events
// that were dropped; 90 % of the entities or of the memory in use.
func (s Stats) Warnings() []Warning {
	var all []Warning
	say := func(wrong bool, name string, value, limit float64, format string, args ...any) {
		if wrong {
			all = append(all, Warning{name, value, limit, fmt.Sprintf(format, args...)})
		}
	}
	used, sparse := s.inhabited()
	n := len(s.Archetypes)
	say(n > manyArchetypes, "archetypes", float64(n), manyArchetypes,
		"%d archetypes exist: components that come in many combinations, or often come and go, are better registered as sparse", n)
	say(used >= thinArchetypes && 2*sparse > used, "thin archetypes", float64(sparse), float64(used)/2,
		"%d of %d archetypes in use hold fewer than %d entities: a query visits each of them for little", sparse, used, thinEntities)
	unused := s.unused()
	say(s.Utilization < wellUsed && unused >= unusedFrom, "chunks", s.Utilization, wellUsed,
		"chunks are %.0f %% used, %s lie idle: Raw.Compact shortens what is too long, fewer archetypes need fewer", 100*s.Utilization, sizeText(unused))
	say(s.Dropped > 0, "events", float64(s.Dropped), 0,
		"%d events were dropped because a reader does not read%s", s.Dropped, s.droppers())
	say(fraction(s.Entities, s.EntityLimit) >= nearLimit, "entities", fraction(s.Entities, s.EntityLimit), nearLimit,
		"%d entities are alive, %d can be", s.Entities, s.EntityLimit)
	say(fraction(s.ArenaBytes, s.ArenaLimit) >= nearLimit, "memory", fraction(s.ArenaBytes, s.ArenaLimit), nearLimit,
		"%s of %s are in use", sizeText(s.ArenaBytes), sizeText(s.ArenaLimit))
	return all
}

// droppers names the events that were dropped, and who has read least of them.
func (s Stats) droppers() string {
	var list []string
	for _, e := range s.Events {
		switch {
		case e.Dropped > 0 && e.Slowest != "":
			list = append(list, fmt.Sprintf("%d of %q, which waits for %q", e.Dropped, e.Event, e.Slowest))
		case e.Dropped > 0:
			list = append(list, fmt.Sprintf("%d of %q", e.Dropped, e.Event))
		}
	}
	return ": " + strings.Join(list, ", ")
}

// fraction returns n as a fraction of limit, 0 without one.
func fraction(n, limit int) float64 {
	return float64(n) / float64(max(limit, 1)) * float64(min(limit, 1))
}

// inhabited counts the archetypes that hold entities, and those that hold few.
func (s Stats) inhabited() (used, sparse int) {
	for _, a := range s.Archetypes {
		if a.Entities > 0 {
			used++
			if a.Entities < thinEntities {
				sparse++
			}
		}
	}
	return used, sparse
}

// unused returns the bytes of chunks that hold no row.
func (s Stats) unused() int {
	n := 0
	for _, a := range s.Archetypes {
		if a.Capacity > 0 {
			n += a.Bytes / a.Capacity * (a.Capacity - a.Entities)
		}
	}
	return n
}

// Largest returns the n archetypes with most entities, most first; fewer when
// there are not so many with any.
func (s Stats) Largest(n int) []ArchetypeStats {
	all := slices.DeleteFunc(slices.Clone(s.Archetypes), func(a ArchetypeStats) bool { return a.Entities == 0 })
	slices.SortStableFunc(all, func(a, b ArchetypeStats) int { return cmp.Compare(b.Entities, a.Entities) })
	return all[:min(max(n, 0), len(all))]
}

// String returns a table: totals, the largest archetypes, the memory of each
// component, the warnings.
func (s Stats) String() string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%d of %d entities, %d archetypes, %d chunks %.0f %% used, %s of %s (and %s to give back), %d transitions in the last tick\n",
		s.Entities, s.EntityLimit, len(s.Archetypes), s.Chunks, 100*s.Utilization,
		sizeText(s.ArenaBytes), sizeText(s.ArenaLimit), sizeText(s.ArenaSpare), s.TickMoves)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nentities\tchunks\tbytes\tlargest archetypes")
	for _, a := range s.Largest(5) {
		fmt.Fprintf(t, "%d\t%d\t%s\t%s\n", a.Entities, a.Chunks, sizeText(a.Bytes), shown(a.Components, " "))
	}
	fmt.Fprintln(t, "\nentities\tused\treserved\tcomponent")
	for _, c := range s.Components {
		if c.Entities > 0 {
			fmt.Fprintf(t, "%d\t%s\t%s\t%s\n", c.Entities, sizeText(c.Used), sizeText(c.Reserved), shown([]string{c.Component}, ""))
		}
	}
	t.Flush() // into a builder, which takes everything
	for _, w := range s.Warnings() {
		fmt.Fprintf(b, "\nwarning: %s", w)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// sizeText writes bytes for people: "1.5 MiB".
func sizeText(n int) string {
	v, unit := float64(n), 0
	for v >= 1024 && unit < 3 {
		v, unit = v/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, [...]string{"B", "KiB", "MiB", "GiB"}[unit])
}

// shown joins names for people. One that would steer a terminal, or look like
// another line, is quoted.
func shown(names []string, between string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	list := slices.Clone(names)
	for i, name := range list {
		if strings.ContainsFunc(name, odd) {
			list[i] = strconv.Quote(name)
		}
	}
	return strings.Join(list, between)
}

// TickReport says how one tick went, to the functions of [Schedule.OnTick]. It is good
// during the call only: the next tick overwrites it, with its list of systems.
type TickReport struct {
	World      *World
	N          uint64    // number of the tick
	DT         float64   // seconds of simulation time that it was long
	Time       float64   // seconds of simulation time since the world began
	Began      time.Time // when the step began
	Took       time.Duration
	Inputs     time.Duration // of Took: what came before the systems: observers of the host's changes, messages of inboxes
	Despawns   time.Duration // of Took: what DespawnLater had named, with observers of that
	FixedSteps int
	Entities   int    // alive at the end
	Moves      uint64 // between archetypes, as Stats.TickMoves
	Dropped    uint64 // events that were dropped since the last report because they were not read in time
	Violations int    // rows that broke invariants, also those that no function of OnViolation got
	Unchecked  int    // invariants that are checked in later steps, see Schedule.LimitChecks
	Cut        bool   // the step's context has ended before all systems had run
	Err        error  // what the step returns
	// Runs are what World.Run has run since the last report, inside of no tick, by name in the
	// order of their first runs: timers and on_start functions of scripts are among them. Those of
	// more than 1,000 names are added to the last. RunsTook is the time of them all, and no part of Took.
	Runs     []RunReport
	RunsTook time.Duration
	// Systems are all systems of the schedule in running order, those that have not run
	// with Runs 0.
	Systems []SystemReport
	// Spans are the runs of the systems, in the order in which they have ended: one for each run, also where a system runs
	// several times in fixed steps. Of more than 65,536 in a tick the first ones.
	Spans []Span
}

// mostSpans bounds the spans of a report.
const mostSpans = 1 << 16

// Span is one run of a system in a TickReport: when it was, how long it took, and on which worker.
type Span struct {
	System    string
	Worker    int           // that ran its function: 0 is the goroutine of the step, 1 and more are helpers
	Began     time.Duration // when the function began, since the step began
	Took      time.Duration // of the function
	Settled   time.Duration // when its commands began to be applied, since the step began: of a parallel system after all of its stage have run
	Commands  time.Duration // of what it had recorded, from Settled on
	Observers time.Duration // that its changes have triggered, after the commands
	Rows      int           // of the chunks that loops over its Queries got
	Passed    bool          // see Tick.Pass
}

// RunReport is the part of one name of World.Run in a TickReport: sums since the last report.
type RunReport struct {
	Name     string
	Runs     int
	Failures int           // runs that returned an error
	Took     time.Duration // with what was recorded and the observers of that
}

// SystemReport is the part of one system in a TickReport. Where a system has run several
// times, in fixed steps, its figures are sums.
type SystemReport struct {
	Name      string
	Phase     Phase
	Fixed     bool
	Parallel  bool
	Health    Health        // at the end of the tick
	Runs      int           // but for those that have passed, see Tick.Pass
	Failures  int           // runs and run conditions that failed
	Rows      int           // of the chunks that loops over its Queries got
	Began     time.Duration // of its first run or pass, since the step began
	Took      time.Duration // of its function in Runs; functions of a parallel stage run at the same time
	Commands  time.Duration // of what it had recorded
	Observers time.Duration // that its changes have triggered

	Passed     int           // runs that have passed
	PassedTook time.Duration // of its function in those: what its condition takes, if it has one
}

// Total returns all the time that the system took in the tick.
func (r *SystemReport) Total() time.Duration {
	return r.Took + r.PassedTook + r.Commands + r.Observers
}
