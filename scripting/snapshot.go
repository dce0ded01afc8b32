package scripting

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/running"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting/internal/scene"
)

// Snapshot is a world and what its scripts keep, between two ticks: see [Host.Capture]. It belongs to
// one goroutine, and outlives its host. The zero Snapshot is empty: Update fills it, and
// [Host.Restore] refuses it.
type Snapshot struct {
	world   snapshot.Snapshot
	scripts Scripts
	full    bool
}

// Scripts are what the scripts of a host keep between two ticks beside what is in the world. A
// [Snapshot] has them; for a save they are written by [Scripts.Encode] and read by [ReadScripts].
//
// Invariant: list is in the order of names.
type Scripts struct {
	kept     bindings.Kept
	list     []keptScript
	gone     []goneScript // that have started, and are no longer loaded: they do not start again when they come back
	starting []string     // see Host.starting
	fresh    bool         // see Host.fresh
	faults   faultLog
	of       *Host // whose faults they are; nil: they were read
	tick     uint64
	typed    uint64         // the last text of the console that had run
	scenes   []*scene.Base  // that are loaded; nothing changes them
	asked    []sceneRequest // that a step without the host has left
	unseen   []bindings.Unseen
}

// keptScript is a script that was loaded.
type keptScript struct {
	name    string
	digest  [32]byte // of its text
	started int      // see Host.started
}

// goneScript is a script that was loaded once.
type goneScript struct {
	keptScript                 // the digest is zero where it is not known
	went       uint64          // which one it was to go, from 1; 0 in saves of earlier versions
	names      map[string]bool // see departed; nil in what was read
}

// Capture keeps what the world of the host and its scripts are now, between two steps: for rollback,
// for undo, and as the first half of a saved game. The world is kept as [snapshot.Capture] does it.
// Of the scripts it keeps
//
//   - all tables of ecs.state, with what leads from one to the other: cycles, one table in two
//     places, the order of pairs;
//   - timers, with their data, and when those that have failed are tried again;
//   - what the on_save function of each script returns;
//   - what an on_unload has handed over and no on_reload could take yet;
//   - how far each system and callback has read its events;
//   - entities and events that systems pass over because they have failed for them, and which
//     faults were reported, so that on_error functions get no fault twice;
//   - which on_start functions have run, also of the last thousand scripts that are gone, and the text that each of those had;
//   - which scenes are loaded, which entities are theirs, and what their files said;
//   - which numbers the texts of its tables have, and the last one that tostring has given;
//   - how many combinations of components each script has brought about, for Limits.Archetypes;
//   - which components and events have values that no script declares any more: see [Scripts.Unseen].
//
// It does not keep what belongs to the code, by the same rule as a reload: variables of files and
// tables in them, suspended coroutines, the text of the scripts. What only variables of files lead to gets another number
// in its text in another process, unless the top level has asked for it. A script that has more to keep
// declares ecs.on_save and ecs.on_load.
//
// What cannot be kept (a function in what on_save returns, a coroutine in the data of a timer) is an
// error, with the script, the line and the path in the table: an [*Error], or more of them joined. So
// is an on_save function that fails, and more than Limits.Saved ([ErrLimit]). The other errors are
// those of [snapshot.Capture], [ErrClosed], and [ecs.ErrConflict] while the world shows an earlier tick, see [Ring.Look]. A capture changes nothing, and a run with captures is
// the run without them.
func (h *Host) Capture() (*Snapshot, error) {
	s := &Snapshot{}
	if err := h.Update(s); err != nil {
		return nil, err
	}
	return s, nil
}

// Update is Capture into the memory of a snapshot. Of the world only what has changed since is copied
// again, if the snapshot was of it; state tables are copied if a script has written one. On an error
// the snapshot stays what it was.
func (h *Host) Update(s *Snapshot) error {
	if err := h.enter(capturing); err != nil {
		return err
	}
	defer h.leave()
	if s == nil {
		return fmt.Errorf("scripting: Capture: %w: the snapshot is nil", ecs.ErrConflict)
	}
	if err := h.look(&s.scripts); err != nil {
		return err
	}
	if err := s.world.Update(h.world); err != nil {
		return fmt.Errorf("scripting: Capture: %w", err)
	}
	s.full = true
	h.takeScripts(&s.scripts)
	return nil
}

// UpdateScripts is Update for what the scripts keep alone, without the world: for those who compare it from tick to
// tick.
func (h *Host) UpdateScripts(x *Scripts) error {
	if err := h.enter(capturing); err != nil {
		return err
	}
	defer h.leave()
	if x == nil {
		return fmt.Errorf("scripting: Capture: %w: there is nothing to capture into", ecs.ErrConflict)
	}
	if err := h.look(x); err != nil {
		return err
	}
	h.takeScripts(x)
	return nil
}

// look finds out what scripts keep, and what of it cannot be kept.
func (h *Host) look(x *Scripts) error {
	if err := h.world.Raw().Ready(); err != nil {
		return fmt.Errorf("scripting: Capture: %w", err)
	}
	if h.looking {
		return fmt.Errorf("scripting: Capture: %w: the world is that of an earlier tick, and what scripts keep is not: end the look first", ecs.ErrConflict)
	}
	random := h.world.Random().State()
	defer h.world.Random().Seed(random) // a capture draws nothing
	h.limiter.newTick(len(h.live))      // on_save functions have what calls of a tick have
	err := h.binding.Keeper.Look(&x.kept, h.declared(), h.untaken, h.unloaded)
	for _, e := range collect(err) {
		h.complete(e)
	}
	if err != nil {
		return fmt.Errorf("scripting: Capture: %w", err)
	}
	return nil
}

// declared lists what the live scripts have declared, in the order of their names.
func (h *Host) declared() []*bindings.Declarations {
	h.declarations = h.declarations[:0]
	for _, m := range h.live {
		h.declarations = append(h.declarations, m.script)
	}
	slices.SortFunc(h.declarations, func(a, b *bindings.Declarations) int { return cmp.Compare(a.Name, b.Name) })
	return h.declarations
}

// takeScripts copies what look has found.
func (h *Host) takeScripts(x *Scripts) {
	h.binding.Keeper.Take(&x.kept, h.declarations)
	x.list = x.list[:0]
	for _, d := range h.declarations {
		x.list = append(x.list, keptScript{d.Name, h.live[d.Name].digest(), h.started[d.Name]})
	}
	x.gone = x.gone[:0]
	for _, name := range h.left {
		if n := h.started[name]; h.live[name] == nil && n != 0 {
			d := h.departed[name]
			x.gone = append(x.gone, goneScript{keptScript{name, d.digest, n}, uint64(len(x.gone) + 1), d.names})
		}
	}
	slices.SortFunc(x.gone, func(a, b goneScript) int { return byName(a.keptScript, b.keptScript) })
	x.starting, x.fresh = append(x.starting[:0], h.starting...), h.fresh
	if x.of != h || x.faults.changes != h.faults.changes {
		x.of, x.faults = h, h.faults.clone()
	}
	_, x.tick = h.world.Time()
	x.typed = h.console.last()
	x.unseen = h.binding.Keeper.Unseen(x.unseen[:0], h.declarations)
	x.scenes, x.asked = append(x.scenes[:0], h.scenes.loaded...), append(x.asked[:0], h.scenes.queue...)
}

// World returns the world's part, which goes on to belong to the snapshot. It is empty when the snapshot is.
func (s *Snapshot) World() *snapshot.Snapshot {
	if s == nil {
		return nil
	}
	return &s.world
}

// Scripts returns the scripts' part, which goes on to belong to the snapshot; nil when the snapshot
// is empty.
func (s *Snapshot) Scripts() *Scripts {
	if s == nil || !s.full {
		return nil
	}
	return &s.scripts
}

// Tick returns the number of the tick after which the snapshot was taken, and the simulation time in
// seconds; zeros when it is empty.
func (s *Snapshot) Tick() (number uint64, seconds float64) {
	if s == nil {
		return 0, 0
	}
	return s.world.Tick()
}

// Tick returns the number of the tick after which this was, and the simulation time in seconds. The world
// that is restored with it has to be of the same tick and the same time.
func (x *Scripts) Tick() (number uint64, seconds float64) {
	if x == nil {
		return 0, 0
	}
	return x.tick, x.kept.Time()
}

// Names returns the scripts that were loaded, in alphabetical order.
func (x *Scripts) Names() (names []string) {
	if x == nil {
		return nil
	}
	for i := range x.list {
		names = append(names, x.list[i].name)
	}
	return names
}

// Restored says what was found of the scripts of a snapshot. All of it may well be so on purpose, as
// after a reload; a host that wants exactly what was captured demands that it is zero.
type Restored struct {
	Missing []string // scripts that the snapshot knows and the host has not loaded
	New     []string // scripts that the snapshot does not know: their on_start runs with the next step
	Changed []string // scripts with another text than at the capture
	// Notes are sentences about what was left behind: suspended coroutines, values that no on_load
	// takes, an on_load that has failed.
	Notes []string
}

// Restore makes the world and what the scripts keep what they were at a capture: in the same host, or
// in another one whose world can become that of the snapshot (see [snapshot.Restore]) and which has
// loaded its scripts. A game that was restored and gets the same inputs goes on as one that was never
// stopped. Functions of on_start, on_unload and on_reload do not run; on_load functions get what
// on_save has returned. A state table that a script has in hand stays the same table, and so do the
// tables in it.
//
// Variables of files stay what they are now, and so do suspended coroutines, which go on where they
// are. Scripts stay those that are loaded, whatever the snapshot knows: for one with another text it is as
// if it was captured and then reloaded. State tables get the keys that are new in its defaults, timers that have failed are
// due at once, entities that rested do not. A script that came after the capture starts anew, with
// its state tables. What is of a script that is gone waits, as after a reload. The scenes that are
// loaded are those of the capture. The next step brings one whose file says something else now to
// what it says, as if it had been saved.
//
// A snapshot does not convert values. One from before a reload that has changed the fields of a
// component or an event is refused with [ecs.ErrConflict], which names it, until scripts with the
// fields of then are loaded again. A game that is to outlive such changes keeps a file of package save.
//
// The errors are those of [snapshot.Restore], and [ErrClosed]; then nothing has changed. What an
// on_load function does wrong is a fault of its script: the next step reports it.
func (h *Host) Restore(s *Snapshot) (Restored, error) {
	if s == nil || !s.full {
		return Restored{}, fmt.Errorf("scripting: Restore: %w: the snapshot is empty", ecs.ErrConflict)
	}
	return h.RestoreScripts(&s.scripts, func() error { return snapshot.Restore(h.World(), &s.world) })
}

// RestoreScripts is Restore for a world that comes from elsewhere, such as a file. The function world
// makes the host's world what it was in the tick of the scripts; if it returns an error, that is
// returned and nothing of the scripts changes.
func (h *Host) RestoreScripts(x *Scripts, world func() error) (Restored, error) {
	if err := h.enter(restoring); err != nil {
		return Restored{}, err
	}
	defer h.leave()
	if x == nil || world == nil {
		return Restored{}, fmt.Errorf("scripting: Restore: %w: there is nothing to restore", ecs.ErrConflict)
	}
	if err := h.world.Raw().Ready(); err != nil {
		return Restored{}, fmt.Errorf("scripting: Restore: %w", err)
	}
	if err := h.restoreWorld(x, world); err != nil {
		return Restored{}, fmt.Errorf("scripting: Restore: %w", err)
	}
	r, changed := h.compare(x)
	saved, handed := h.binding.Keeper.Bring(&x.kept, h.declared(), func(name string) bool { return changed[name] })
	h.untaken = handed
	h.begin(x, changed)
	r.Notes = h.tasks()
	h.faults, h.newFaults = x.faults.successor(h.faults.changes+1), nil
	for name := range changed {
		h.faults.forget(name)
	}
	h.scenes.loaded, h.scenes.queue, h.scenes.stale = slices.Clone(x.scenes), slices.Clone(x.asked), true
	h.loadAll(saved, &r)
	h.console.rewound(x)
	return r, nil
}

// restoreWorld restores the world with the readers of events that the scripts had.
func (h *Host) restoreWorld(x *Scripts, world func() error) error {
	undo, done := h.binding.Keeper.OpenReaders(&x.kept), false
	defer func() {
		if !done {
			undo()
		}
	}()
	come := h.binding.Keeper.Adopting(x.unseen)
	err := h.binding.Keeper.Attempt(false, world)
	come()
	if done = err == nil; done {
		h.looking = false
	}
	return err
}

// compare holds the scripts of the host against those that were captured. changed has those whose
// notes of the capture are of another text, new ones included.
func (h *Host) compare(x *Scripts) (r Restored, changed map[string]bool) {
	changed = map[string]bool{}
	for _, s := range x.list {
		switch m := h.live[s.name]; {
		case m == nil:
			r.Missing = append(r.Missing, s.name)
		case m.digest() != s.digest:
			r.Changed = append(r.Changed, s.name)
			changed[s.name] = true
		}
	}
	for _, name := range h.Modules() {
		if x.find(name) == nil {
			r.New = append(r.New, name)
			changed[name] = true
		}
	}
	return r, changed
}

// find returns what was captured of a script, nil if it was not there.
func (x *Scripts) find(name string) *keptScript {
	return named(x.list, name)
}

// named finds a script in a list that has the order of names, or nil.
func named(list []keptScript, name string) *keptScript {
	i, found := slices.BinarySearchFunc(list, keptScript{name: name}, byName)
	if !found {
		return nil
	}
	return &list[i]
}

// byName is the order of such a list.
func byName(a, b keptScript) int { return cmp.Compare(a.name, b.name) }

// begin says which on_start functions have run: those that had at the capture.
func (h *Host) begin(x *Scripts, changed map[string]bool) {
	h.fresh = x.fresh
	h.starting = h.starting[:0]
	for _, name := range x.starting {
		if h.live[name] != nil {
			h.starting = append(h.starting, name)
		}
	}
	h.bringGone(x)
	for _, d := range h.declarations {
		if changed[d.Name] && h.started[d.Name] != everything && !slices.Contains(h.starting, d.Name) {
			h.starting = append(h.starting, d.Name)
		}
	}
}

// bringGone says which scripts have started, and which of them have gone, the one that went first first. Scripts that this host
// has not are gone as well: they may come.
func (h *Host) bringGone(x *Scripts) {
	clear(h.started)
	clear(h.departed)
	h.left = h.left[:0]
	gone := slices.Clone(x.gone)
	slices.SortStableFunc(gone, func(a, b goneScript) int { return cmp.Compare(a.went, b.went) })
	for _, s := range x.list {
		gone = append(gone, goneScript{keptScript: s})
	}
	for _, s := range gone {
		h.started[s.name] = s.started
		h.left = append(h.left, s.name)
		if h.live[s.name] == nil && s.started != 0 && s.digest != [32]byte{} {
			h.departed[s.name] = departed{s.digest, s.names}
		}
	}
	h.forgetFirst()
}

// tasks says which scripts have suspended coroutines, which go on where they are.
func (h *Host) tasks() (notes []string) {
	for _, d := range h.declarations {
		if n := h.library.Suspended(h.live[d.Name].env); n > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s", d.Name, suspended(n)))
		}
	}
	return notes
}

// suspended says that coroutines are as variables are.
func suspended(n int) string {
	if n == 1 {
		return "1 suspended coroutine goes on where it is"
	}
	return fmt.Sprintf("%s go on where they are", diag.Plural(n, "suspended coroutine"))
}

// loadAll runs the on_load functions of the scripts for which something was kept.
func (h *Host) loadAll(saved map[string]lua.LValue, r *Restored) {
	random := h.world.Random().State()
	defer h.world.Random().Seed(random)
	h.limiter.newTick(len(h.live))
	h.unloaded = saved
	for _, d := range slices.Clone(h.declarations) {
		v, kept := saved[d.Name]
		switch {
		case !kept:
		case !d.Loads():
			r.Notes = append(r.Notes, d.Name+": on_save has kept a value, and no on_load takes it: it waits for a version that has one")
		default:
			if err := h.loadSaved(d, v); err != nil {
				r.Notes = append(r.Notes, fmt.Sprintf("%s: on_load has failed: %v", d.Name, err))
			}
		}
	}
}

// Limits returns the limits that the host has, filled in.
func (h *Host) Limits() Limits {
	if !h.made() {
		return Limits{}
	}
	return h.opts.Limits
}

// Evolution returns what the script that declares a component says about values of an older schema, as
// a save has them: what its migrate function makes of one, nil where there is none, and the names of
// the fields that may be lost. The function may be called within [Host.RestoreScripts] only, or between two steps.
func (h *Host) Evolution(old, now *ecs.Schema) (convert ecs.Convert, drop []string) {
	if h.gone() || old == nil || now == nil {
		return nil, nil
	}
	return h.binding.Evolution(old, now)
}

// TryOut calls a function that tries what a load of values would do, with functions of [Host.Evolution], between two steps. These
// leave no trace then, whatever they write into state tables. The error is that of the function, or as of [Host.Capture].
func (h *Host) TryOut(do func() error) error {
	if err := h.enter(restoring); err != nil {
		return err
	}
	defer h.leave()
	if do == nil {
		return fmt.Errorf("scripting: TryOut: %w: there is nothing to try", ecs.ErrConflict)
	}
	return h.binding.Keeper.Attempt(true, do)
}

// Renamed returns the component whose declaration says that it was called so (was = "Old"), "" if none
// does.
func (h *Host) Renamed(old string) string {
	if h.gone() {
		return ""
	}
	return h.binding.Renamed(old)
}

// Reads reports whether a reader of events that scripts had, when they were kept, has its system, or its callback, in
// this host. It is true for readers of others.
func (h *Host) Reads(x *Scripts, reader string) bool {
	return h.gone() || x == nil || h.binding.Keeper.Reads(&x.kept, reader)
}

// SlotRequest is a save, or a load, that a script has asked for.
type SlotRequest = running.SlotRequest

// Asked returns the saves and loads that scripts have asked for since the last call, in the order in
// which they did; at most 64 wait, each once. Nothing is done with them: a host calls it between two
// steps, as a folder of package saves does.
func (h *Host) Asked() []SlotRequest {
	if h.gone() {
		return nil
	}
	return h.binding.Asked()
}

// loadSaved runs the on_load function of a script with a value. Until it succeeds, the value waits for the next
// version.
func (h *Host) loadSaved(d *bindings.Declarations, v lua.LValue) error {
	err := h.binding.Keeper.Load(d, v)
	if err == nil {
		delete(h.unloaded, d.Name)
		return nil
	}
	h.noteSwapError(err)
	var e *Error
	if errors.As(err, &e) {
		h.complete(e)
	}
	return err
}

// loadWaiting runs on_load functions of scripts that a reload has brought, with what waits for them. A file
// that was renamed has what waits for it under its old name.
func (h *Host) loadWaiting(l *loader, replaced map[string]*module) {
	if len(h.unloaded) == 0 {
		return
	}
	random := h.world.Random().State()
	defer h.world.Random().Seed(random)
	for _, m := range l.order {
		if old := replaced[m.name]; old != nil && old.name != m.name {
			if v, waits := h.unloaded[old.name]; waits {
				delete(h.unloaded, old.name)
				h.unloaded[m.name] = v
			}
		}
		if v, waits := h.unloaded[m.name]; waits && m.script.Loads() {
			h.loadSaved(m.script, v) // noted, and reported by the step
		}
	}
}
