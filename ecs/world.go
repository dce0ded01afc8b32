package ecs

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"runtime"
	"time"
	"weak"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
	"github.com/perigee-ecs/perigee/ecs/internal/work"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// World owns entities, components, systems and the memory they live in. Use
// NewWorld or Open. The zero World has no memory: what would declare something in it, fill it
// or run it does what it does with a closed world, with an error that says so.
type World struct {
	store      // first, for its address is the world's
	options    Options
	types      map[reflect.Type]ComponentID
	names      map[string]ComponentID
	locks      int         // queries being iterated
	countsRows bool        // that loops get, for reports on ticks
	moves      uint64      // archetype transitions so far
	lastSpawn  lastSpawn   // where the last new entity went
	frozen     frozenState // set while systems run at the same time
	workers    *work.Pool  // nil until there is something for them to do
	worth      time.Duration
	ranks      []sortKey // of the pool that is being sorted; kept for the next time

	relations []*Relation // by index; the hierarchy is the first
	cascade   cascadeSearch
	walks     lists[Entity] // for breadth-first walks

	list       []Entity // what batches work through; see takeList
	values     lists[Value]
	strings    []uintptr // offsets in the values whose texts are being counted
	batchMoves []batchMove
	goals      []*archetype
	reservedIn []reservedIn

	dueHooks       []dueHook
	hasRemoveHooks bool // a component has a hook for its removal

	lookers     []weak.Pointer[Query] // with Changed or Added, in the order of their numbers
	lookersMade uint64
	restores    uint64 // snapshots that were restored: commands recorded before are void
	migrations  int    // that are prepared, and neither committed nor dropped

	deferred   deferredDespawns
	resources  resources
	events     events
	invariants *invariants // nil while none is declared
	notices    notices
	reports    changeReports
	reported   reportedChanges
	schedule   Schedule
	clock      clock
	random     Random

	tagged runtime.Cleanup // gives the tag back
}

// worldTags gives out the tags of the worlds of this process: a handle cannot
// tell its world apart without a number that no two worlds share.
var worldTags slots.Tags

// NewWorld opens a world with default options, which cannot fail.
func NewWorld() *World {
	w, err := Open(Options{})
	if err != nil {
		panic(err)
	}
	return w
}

// Open makes a world. The error wraps ErrRange and says which option makes no
// sense. The arena's addresses are taken when the first entity, the first set of
// components or the first look at Memory needs them: if the system refuses them
// then, that call returns an error that wraps ErrArenaFull, and a later one
// tries again.
//
// An empty world costs some allocations and no system call.
func Open(options Options) (*World, error) {
	if err := options.check(); err != nil {
		return nil, fmt.Errorf("ecs.Open: %w", err)
	}
	tag, ok := worldTags.Take(options.Tag)
	if !ok {
		return nil, fmt.Errorf("ecs.Open: %w: there are tags for %d worlds, and all are open; close those that nobody needs", ErrRange, slots.LastTag)
	}
	options.Tag = tag
	options.fill()
	w := &World{
		store:   makeStore(options.MaxBytes, slotLimits{options.MaxEntities, options.ReuseAfter, options.Tag}),
		options: options, worth: worthwhile, random: *NewRandom(options.Seed),
		types: map[reflect.Type]ComponentID{}, names: map[string]ComponentID{},
	}
	w.tagged = runtime.AddCleanup(w, worldTags.Release, tag)
	w.events.limit = options.MaxUnread
	w.resources.init()
	w.schedule.world, w.schedule.scopes.Labels = w, options.ProfileLabels
	if _, err := w.Relation(childOf, RelationOptions{OnDespawn: Cascade, Acyclic: true}); err != nil {
		return nil, err
	}
	return w, nil
}

// Close ends the world and returns its memory to the system at once. Every
// slice and pointer borrowed from it must be gone: touching one afterwards is a
// fault that cannot be recovered from. Without Close, a world that becomes
// unreachable gives its memory back but keeps its addresses. A world cannot be
// closed inside of a step, a run or a loop over a query: the error wraps ErrIterating
// then, nothing has happened, and it can be closed after that. Closing twice is harmless, and so is using a closed world: it is empty, all its handles
// are dead, and methods that would change it, run it or declare something return an error
// that wraps ErrClosed; so does Commands.Apply. The few that would do so and have no error
// (Spawn, Register, RegisterEvent, Provide) panic, as they say, and all others that have none
// do nothing. Events that nobody has read are gone. Names, numbers, schemas, the plan of
// the systems and statistics stay readable.
//
// The systems are shut down first (System.Shutdown), the last in running order first. If
// one of them fails the world is closed all the same, and Close returns the error: a
// *[SystemError].
func (w *World) Close() error {
	if w.clock.running.bits.Load() != 0 || w.locks > 0 {
		return refusedClose{}
	}
	if w.closed() {
		return nil
	}
	errs := append(w.schedule.shutdown(w.schedule.order), w.schedule.takeLate()...)
	if w.workers != nil {
		w.workers.Close()
	}
	for _, r := range w.relations {
		r.count = 0
	}
	w.lastSpawn, w.deferred = lastSpawn{}, deferredDespawns{}
	w.notices.forget()
	w.notices.held = nil
	w.events.close()
	for _, b := range w.schedule.inboxes {
		b.shut()
	}
	w.tagged.Stop()
	worldTags.Release(w.tag())
	return errors.Join(append(errs, w.store.close())...)
}

// refusedClose is the error of a Close while the world is at work. To errors.Is it is ErrIterating,
// whose words are about changes: nobody can record a Close.
type refusedClose struct{}

// Error says when the world can be closed.
func (refusedClose) Error() string {
	return "the world cannot be closed inside of a step, a run or a loop over a query: close it after that"
}

// Unwrap returns ErrIterating.
func (refusedClose) Unwrap() error { return ErrIterating }

// refuseChange says why the structure of the world cannot change now, or returns nil.
func (w *World) refuseChange() error {
	switch {
	case w.closed():
		return w.closedError()
	case w.locks > 0:
		return ErrIterating
	}
	return nil
}

// refuseDeclaring says why nothing can be declared in the world, or returns nil.
func (w *World) refuseDeclaring(what string) error {
	switch {
	case w == nil:
		return fmt.Errorf("%w: %s is declared in a nil world", ErrConflict, what)
	case w.closed():
		return fmt.Errorf("%s: %w", what, w.closedError())
	}
	return nil
}

// tag is Raw.Tag.
func (w *World) tag() uint16 { return w.options.Tag }

// Options configure a world. The zero value is the documented default.
type Options struct {
	// Seed of the world's random numbers. Zero is a seed like any other.
	Seed uint64
	// MaxBytes limits the arena, at most 4 GiB − 64 KiB and no less than a
	// mebibyte: fewer bytes mean that. Zero means the most, addresses that cost
	// nothing until they are used: 1 GiB on Windows, and 64 MiB where an int has 32 bits,
	// which have at most 1 GiB, or where no such range exists.
	MaxBytes int64
	// MaxEntities limits the entities alive at once, at most 16,777,215 and, in an
	// arena of MaxBytes, one for each 256 bytes; zero means as many as that.
	MaxEntities int
	// ReuseAfter is how many freed slots must wait before the oldest is issued
	// again; zero means 1,024. Negative means at once.
	ReuseAfter int
	// Tag marks the world's handles, 1 to 32,895; zero takes one that no open world of this
	// process has. Give one to compare handles of two runs in one process. Slots of worlds
	// with tags up to 127 have more generations: see [Entity].
	Tag uint16
	// FixedStep is the length of a fixed step in seconds, from a microsecond on;
	// zero means 1/60.
	FixedStep float64
	// MaxFixedSteps is how many fixed steps one tick makes at most, so that a
	// slow tick does not cause a slower one; zero means 8.
	MaxFixedSteps int
	// MaxUnread is how many events of one type wait for a reader that does not
	// read, before the oldest are dropped; zero means MaxUnread, the most is
	// 16,777,216.
	MaxUnread int
	// Breaker says when a failing system is parked.
	Breaker Breaker
	// MaxViolations is how many violations of one invariant a check reports, the others being
	// counted; zero means 8, the most is 1,000.
	MaxViolations int
	// StrictInvariants has World.Step return each [Violation] that is reported, as an error that wraps
	// ErrInvariant. The tick has been done all the same.
	StrictInvariants bool
	// Workers is how many goroutines work at the same time on parallel systems
	// and in Tick.Parallel, the caller of Step included; zero means 1. It changes
	// how long a step takes and nothing else: neither a byte, nor an error, nor
	// the order of anything. At most 1,024.
	Workers int
	// ProfileLabels has goroutines carry the name of the system that they run, as the label
	// "system" of package runtime/pprof: so a CPU profile says which system a sample is of,
	// those of compiled kernels included (go tool pprof -tags). Observers, messages of inboxes
	// and World.Run have their names, too. Outside of systems a goroutine has the labels of the
	// context of StepContext, and none after Step. A run costs some ten nanoseconds more. While
	// an execution trace is taken, it shows systems as regions, with or without this.
	ProfileLabels bool
}

// maxWorkers bounds goroutines: more than there are cores are of no use.
const maxWorkers = 1024

// mostUnread bounds the events that wait: a host that keeps more needs a file.
const mostUnread = 1 << 24

// check refuses what is neither a value nor a request for the default, and what
// the world could not keep to.
func (o *Options) check() error {
	switch {
	case o.MaxBytes < 0 || o.MaxBytes > arena.MaxBytes:
		return fmt.Errorf("%w: MaxBytes is %d, it can be up to %d", ErrRange, o.MaxBytes, int64(arena.MaxBytes))
	case o.MaxEntities < 0 || o.MaxEntities > o.mostEntities():
		return fmt.Errorf("%w: MaxEntities is %d, in this arena it can be up to %d", ErrRange, o.MaxEntities, o.mostEntities())
	case o.MaxFixedSteps < 0:
		return fmt.Errorf("%w: MaxFixedSteps is %d", ErrRange, o.MaxFixedSteps)
	case o.Tag > slots.LastTag:
		return fmt.Errorf("%w: Tag is %d, it can be up to %d", ErrRange, o.Tag, slots.LastTag)
	case o.MaxUnread < 0 || o.MaxUnread > mostUnread:
		return fmt.Errorf("%w: MaxUnread is %d, it can be up to %d", ErrRange, o.MaxUnread, mostUnread)
	case o.MaxViolations < 0 || o.MaxViolations > mostViolations:
		return fmt.Errorf("%w: MaxViolations is %d, it can be up to %d", ErrRange, o.MaxViolations, mostViolations)
	case o.Workers < 0 || o.Workers > maxWorkers:
		return fmt.Errorf("%w: Workers is %d, it can be up to %d", ErrRange, o.Workers, maxWorkers)
	case o.FixedStep != 0 && !(o.FixedStep >= 1e-6) || math.IsInf(o.FixedStep, 1):
		return fmt.Errorf("%w: FixedStep is %v seconds", ErrRange, o.FixedStep)
	}
	return o.Breaker.check()
}

// mostEntities is how many an arena of MaxBytes has records for. What the default
// offers may differ between builds, and is no reason to refuse a limit in one of
// them.
func (o *Options) mostEntities() int {
	if o.MaxBytes == 0 {
		return slots.MaxSlots - 1
	}
	return min(arena.New(o.MaxBytes).Slots(), slots.MaxSlots) - 1 // slot 0 is never issued
}

// fill puts the defaults in.
func (o *Options) fill() {
	if o.ReuseAfter == 0 {
		o.ReuseAfter = 1024
	}
	o.ReuseAfter = max(o.ReuseAfter, 0)
	if o.FixedStep == 0 {
		o.FixedStep = 1.0 / 60
	}
	if o.MaxFixedSteps == 0 {
		o.MaxFixedSteps = 8
	}
	if o.MaxUnread == 0 {
		o.MaxUnread = MaxUnread
	}
	if o.MaxViolations == 0 {
		o.MaxViolations = 8
	}
	o.Workers = max(o.Workers, 1)
	o.Breaker.fill()
}

// committed ends a structural change: of an entity, or with e 0 of many. A debugging
// build checks the world after it.
func (w *World) committed(change string, e Entity) {
	if debugging {
		w.checkAfter(change, e)
	}
}

// checkAfter panics if an invariant is broken after a change. It looks at every change of
// a small world, and at some of a large one.
func (w *World) checkAfter(change string, e Entity) {
	if e != 0 {
		change = fmt.Sprintf("%s of %v", change, e)
	}
	if !w.debug.changeEnded(change, w.slots.Live()) {
		return
	}
	if err := w.Check(); err != nil {
		panic(fmt.Errorf("ecs: after %s an invariant is broken: %w: either a bug in package ecs, or memory of the world was "+
			"written through something borrowed too long; it was whole after the change before this one", change, err))
	}
}

// room is Raw.Room.
func (w *World) room() int {
	if w.arena.Base() == nil {
		return w.entityLimit() // none was ever here
	}
	return w.slots.Room()
}

// Alive reports whether e was issued by this world and not despawned since.
func (w *World) Alive(e Entity) bool { return w.slots.Alive(uint64(e)) }

// Len returns the number of living entities, those reserved by commands included.
func (w *World) Len() int { return w.slots.Live() }

// Entities iterates the living entities in slot order. Entities despawned by
// the loop body are not visited; those spawned by it may be.
func (w *World) Entities() iter.Seq[Entity] { return w.store.entities() }

// at is Raw.At.
func (w *World) at(index uint32) Entity {
	if uint(index) >= uint(w.slots.Used()) {
		return 0
	}
	if life := w.slots.Records()[index].Life; life != 0 {
		return Entity(life)<<slots.IndexBits | Entity(index)
	}
	return 0
}

// deadError is the error for an entity that is not alive here. It says when the entity is
// zero, of another world, or of a closed one; which has its slot now, with another
// generation; and in which tick it died, if none that had the slot later has died: what dies
// between two ticks counts to the one before.
func (w *World) deadError(e Entity) error {
	switch {
	case w.closed():
		return fmt.Errorf("%w: %v: %w", ErrDead, e, ErrClosed)
	case e == 0:
		return fmt.Errorf("%w: it is the zero Entity", ErrDead)
	case e.Tag() != w.tag():
		return &strayHandle{fmt.Sprintf("%v is a handle of the world with tag %d, this one has %d", e, e.Tag(), w.tag())}
	case !w.slots.Issued(uint64(e)):
		return &strayHandle{fmt.Sprintf("%v was never issued here", e)}
	}
	says := ""
	if now := w.at(e.Index()); now != 0 {
		says = fmt.Sprintf(": its slot has %v now", now)
	}
	if tick, ok := w.slots.Died(uint64(e)); ok {
		says += fmt.Sprintf(": it died in tick %d", tick)
	}
	return fmt.Errorf("%w: %v%s", ErrDead, e, says)
}

// strayHandle is the error for a handle that this world has never issued. It wraps ErrDead.
type strayHandle struct{ text string }

func (e *strayHandle) Error() string { return ErrDead.Error() + ": " + e.text }

// Unwrap returns ErrDead.
func (e *strayHandle) Unwrap() error { return ErrDead }

// Sentinels: an error of this package wraps one of them. ErrTransient and ErrCritical are
// for errors of systems.
var (
	// ErrTransient says that a system has failed for a reason that will pass. Its commands
	// are dropped, as for any error; but it is not counted as a failure in a row, nor for
	// Breaker.Burst, and so never parks the system.
	ErrTransient = errors.New("for the time being")
	// ErrCritical says that a system must not be tried again. It is parked at once, and for
	// good: until it is replaced by Schedule.Change.
	ErrCritical = errors.New("critical")
	// ErrIterating refuses a structural change while a query is being iterated, a
	// script runs, or the lock was taken by Raw.Hold.
	ErrIterating = errors.New("a query is being iterated or a script is running: record the change in Commands")
	// ErrClosed is the error of a closed world that is asked for a change or given an order.
	ErrClosed = errors.New("the world is closed")
	// ErrDead is the error for an entity that is dead, foreign or was never issued. The text
	// names the entity, that which has its slot now, and the tick of its death: 0 is before the
	// first, and between two ticks is the one before.
	ErrDead = errors.New("entity is not alive")
	// ErrArenaFull says that the world's memory limit is reached.
	ErrArenaFull = arena.ErrFull
	// ErrEntityLimit says that the world's entity limit is reached.
	ErrEntityLimit = errors.New("entity limit reached")
	// ErrUnknown is the error for a name or number that nothing is registered under.
	ErrUnknown = errors.New("unknown")
	// ErrConflict is the error for a name that is taken, and for parts that contradict
	// each other or belong to different worlds.
	ErrConflict = schema.ErrConflict
	// ErrRange refuses a number that a field cannot hold, or an option cannot be.
	ErrRange = schema.ErrRange
	// ErrInvariant is the error for values that break an [Invariant]: each [Violation] wraps it.
	ErrInvariant = errors.New("an invariant is broken")
	// ErrCycle refuses an order, or a parent, that would lead back to itself.
	ErrCycle = errors.New("cycle")
	// ErrNotOne is the error when exactly one entity should match, and none or several do.
	ErrNotOne = errors.New("not exactly one entity matches")
	// ErrStorm ends observers that keep triggering each other.
	ErrStorm = errors.New("observers trigger each other without end")
)
