package bindings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/kept"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// Kept is what scripts keep between two ticks, beside what is in the world: state tables, what
// on_save has returned, timers, which events their systems have begun to read, entities that rest.
// The zero Kept is empty and ready for [Keeper.Take].
//
// Invariant: the roots of data are what saved, handed and timers say; those of states are the state
// tables of names, in their order, each a table.
type Kept struct {
	home    *Binding // in which the tables of states are; nil: it was read
	written uint64   // of home, when states were taken
	states  *stateCopies
	spare   *stateCopies // whose memory the next Take uses; nil for none
	names   []string
	data    kept.Copies
	shown   uint64 // the last number in the text of a value
	keptRest
}

// stateCopies are copies of state tables, which several Kept may share.
//
// Invariant: holders is how many Kept have them. Those of more than one are never taken anew.
type stateCopies struct {
	kept.Copies
	holders int
}

// keptRest is what is copied as it is.
type keptRest struct {
	saved     []keptValue // what on_save has returned
	handed    []keptValue // what on_unload has handed over, and an on_reload has failed to take
	offered   []keptValue // what on_unload has handed over to a version without an on_reload
	timers    []tx.KeptTimer
	last      uint64 // id of a timer
	now       float64
	readers   []keptReader
	resting   []keptResting
	failed    []keptEvent
	reactions []keptReaction
	settling  []ecs.Entity
	switches  switches
	sets      []tx.KeptSets // that count for Limits.Archetypes
}

// Handover is what on_unload of a script has handed over and no on_reload has taken yet.
type Handover struct {
	Value  lua.LValue
	Failed bool // an on_reload function has failed to take it; else the version had no such function
}

type (
	// keptValue is a value of a script, by the number of its root.
	keptValue struct {
		script string
		root   int
	}
	// keptReader is a reader that a system, or a callback, has.
	keptReader struct{ system, event string }
	// keptResting is an entity that a system, or a kernel, passes over.
	keptResting struct {
		kernel bool
		name   string
		exec.Resting
	}
	// keptEvent is the number of an event that an on system passes over.
	keptEvent struct {
		system string
		number uint64
	}
	// keptReaction is an on_error function that has failed, by its number in its script.
	keptReaction struct {
		script string
		number int
	}
)

// Keeper captures and restores what the scripts of a binding keep. It has what Look finds and Take
// copies, which is used again.
type Keeper struct {
	*Binding
	tables, data kept.Survey
	same         bool // the state tables are those that the Kept has
	names        []string
	rest         keptRest
	places       []diag.Place // of the roots of data
}

// saveName and loadName are how messages call the functions.
const saveName, loadName = "ecs.on_save", "ecs.on_load"

// alone returns which of the two is running, "" for none.
func (c *core) alone() string {
	switch name, _, _ := strings.Cut(c.tx.Alone(), " "); name {
	case "on_save":
		return saveName
	case "on_load":
		return loadName
	}
	return ""
}

// declareSave is ecs.on_save(function() … return value end).
func declareSave(a *args) int {
	s := a.declares()
	a.once(&s.onSave, "only one value of a file is kept")
	return 0
}

// declareLoad is ecs.on_load(function(value) … end).
func declareLoad(a *args) int {
	s := a.declares()
	a.once(&s.onLoad, "there is one value to take")
	return 0
}

// once declares the hook of a file that may have one.
func (a *args) once(hook **swapHook, why string) {
	f := &swapHook{fn: a.function(1), at: fault.Here(a.L)}
	if *hook != nil {
		a.problem("ecs.%s is declared twice, first in %s: %s", a.name, (*hook).at.String(), why)
	}
	*hook = f
}

// Look goes through all that scripts keep, on_save functions included, and says what cannot be
// kept: then nothing is to be taken. handed are values of scripts that wait for an on_reload, unloaded
// those that wait for an on_load. It copies nothing yet, and may be followed by [Keeper.Take] for the same Kept.
func (m *Keeper) Look(k *Kept, scripts []*Declarations, handed map[string]Handover, unloaded map[string]lua.LValue) error {
	w, most := m, m.opts.Limits.Saved
	k.begin()
	last := m.numbers.LastNumber()
	defer m.numbers.RewindNumbers(last, last) // a capture gives none
	if w.same = k.home == m.Binding && k.written == m.states.written && k.shown == last; !w.same {
		if err := m.lookAtStates(scripts, most); err != nil {
			return err
		}
	}
	if most > 0 {
		used := k.states.Bytes()
		if !w.same {
			used = w.tables.Bytes()
		}
		most = max(most-used, 1)
	}
	r := &w.rest
	clear(r.timers) // so that nothing of old scripts lives on
	w.data.Begin(false, most)
	w.places, r.saved, r.handed, r.offered, r.timers = w.places[:0], r.saved[:0], r.handed[:0], r.offered[:0], r.timers[:0]
	var failed []error
	for _, s := range scripts {
		if err := m.save(s); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	if len(unloaded) > 0 {
		w.unloaded(unloaded)
	}
	if len(handed) > 0 {
		w.handed(handed)
	}
	first := len(w.places)
	r.timers = m.tx.Timers.Keep(r.timers, func(x *tx.Timer) int { return w.root("data", x.Data, x.Ordered) })
	e := w.data.Run()
	if e == nil {
		return nil
	}
	faulty := w.data.Fault()
	if faulty >= first {
		i := slices.IndexFunc(r.timers, func(x tx.KeptTimer) bool { return x.Data == faulty })
		e.Message = fmt.Sprintf("the timer for %q: %s", diag.Cut(r.timers[i].Handler), e.Message)
	}
	return e.On(w.places[faulty])
}

// begin gives the zero Kept room for state tables.
func (k *Kept) begin() {
	if k.states == nil {
		k.states = &stateCopies{holders: 1}
	}
}

// Share makes the state tables of the Kept those of another one, which was taken before: a Take
// then copies them only if a script has written one since. Both stay what they are when the other one
// is taken anew.
func (k *Kept) Share(of *Kept) {
	if of.states == nil || of.home == nil || k.states == of.states {
		return
	}
	if k.states != nil {
		if k.states.holders--; k.states.holders == 0 {
			k.spare = k.states
		}
	}
	k.home, k.written, k.states, k.shown = of.home, of.written, of.states, of.shown
	k.states.holders++
	k.names = append(k.names[:0], of.names...)
}

// own gives a Kept that shares state tables copies of its own, which are to be taken.
func (k *Kept) own() {
	if k.states.holders == 1 {
		return
	}
	k.states.holders--
	if k.states = k.spare; k.states == nil {
		k.states = &stateCopies{}
	}
	k.states.holders = 1
}

// Bytes returns about how much memory the Kept takes, without state tables that it shares.
func (k *Kept) Bytes() int64 {
	n := k.data.Bytes() + int64(len(k.timers))*timerBytes + int64(len(k.resting)+len(k.failed)+len(k.settling)+len(k.switches))*restingBytes
	if k.states != nil && k.states.holders == 1 {
		n += k.states.Bytes()
	}
	return n
}

// Time returns the simulation time at the capture.
func (k *Kept) Time() float64 { return k.now }

// timerBytes and restingBytes are about how much memory a timer takes, and an entity or event that
// systems pass over, or a switch.
const timerBytes, restingBytes = 160, 80

// root adds a value to the data, and returns the number of its root.
func (w *Keeper) root(name string, v lua.LValue, at diag.Place) int {
	w.data.Root(name, lua.ToValue(v))
	w.places = append(w.places, at)
	return len(w.places) - 1
}

// unloaded adds what no on_load has taken of scripts that have saved nothing else now.
func (w *Keeper) unloaded(values map[string]lua.LValue) {
	for _, script := range slices.Sorted(maps.Keys(values)) {
		if slices.ContainsFunc(w.rest.saved, func(v keptValue) bool { return v.script == script }) {
			continue
		}
		w.rest.saved = append(w.rest.saved, keptValue{script, w.root("what on_save has returned", values[script], diag.Place{Script: script})})
	}
}

// handed adds what no on_reload has taken.
func (w *Keeper) handed(values map[string]Handover) {
	for _, script := range slices.Sorted(maps.Keys(values)) {
		list, v := &w.rest.offered, values[script]
		if v.Failed {
			list = &w.rest.handed
		}
		*list = append(*list, keptValue{script, w.root("what on_unload has handed over", v.Value, diag.Place{Script: script})})
	}
}

// lookAtStates goes through the state tables.
func (m *Keeper) lookAtStates(scripts []*Declarations, most int64) error {
	w := m
	w.tables.Begin(true, most)
	w.names = w.names[:0]
	for name := range m.states.tables {
		w.names = append(w.names, name)
	}
	slices.Sort(w.names)
	for _, name := range w.names {
		w.tables.Root("ecs.state", machine.OfTable((*machine.Table)(m.states.tables[name])))
	}
	e := w.tables.Run()
	if e == nil {
		return nil
	}
	name := w.names[w.tables.Fault()]
	e.Message = fmt.Sprintf("the state table %q: %s", diag.Cut(name), e.Message)
	for _, s := range scripts {
		if slices.Contains(s.stateNames, name) {
			e.Put(diag.Place{Script: s.Name})
		}
	}
	if of := m.states.defaults[name]; len(of) > 0 {
		e.Put(of[0].at)
	}
	return e
}

// save runs the on_save function of a script, and adds what it returns to the data.
func (m *Keeper) save(s *Declarations) error {
	if s.onSave == nil {
		return nil
	}
	w := m
	more := lua.LValue(lua.LNil)
	err := m.tx.RunAlone(s.Name, "on_save "+s.Name, func(L *lua.LState) {
		base := L.GetTop()
		L.Push(s.onSave.fn)
		L.Call(0, lua.MultRet)
		v := lua.LValue(lua.LNil)
		for i := base + 1; i <= L.GetTop(); i++ {
			if i == base+1 {
				v = L.Get(i)
			} else if more == lua.LNil {
				more = L.Get(i)
			}
		}
		w.rest.saved = append(w.rest.saved, keptValue{s.Name, w.root(saveName+": value", v, s.onSave.at)})
		L.SetTop(base)
	})
	if err == nil && more != lua.LNil {
		return diag.New("%s: one value is kept, and the function returns %s after it as well: return one table with all of them", saveName, value.Describe(more)).On(s.onSave.at)
	}
	return err
}

// Take copies what Look has found for the same Kept and the same scripts. It needs new memory only
// for what has grown. O(state tables, if one was written since; timers, data, readers).
func (m *Keeper) Take(k *Kept, scripts []*Declarations) {
	w, r := m, &k.keptRest
	var numbered func(func(*machine.Table, uint64))
	if k.shown = min(m.numbers.LastNumber(), kept.MostNumber); k.shown > 0 {
		numbered = m.numbers.NumberedTables
	}
	if !w.same {
		k.own()
		k.states.Take(&w.tables, numbered)
		k.home, k.written = m.Binding, m.states.written
		k.names = append(k.names[:0], w.names...)
	}
	k.spare = nil
	k.data.Take(&w.data, numbered)
	r.saved, r.handed = append(r.saved[:0], w.rest.saved...), append(r.handed[:0], w.rest.handed...)
	r.offered = append(r.offered[:0], w.rest.offered...)
	r.timers, r.last = append(r.timers[:0], w.rest.timers...), m.tx.Timers.Last
	r.now, _ = m.world.Time()
	r.readers = m.readers.keep(r.readers[:0])
	r.resting, r.failed = r.resting[:0], r.failed[:0]
	for _, s := range scripts {
		r.takeOf(s)
	}
	r.reactions = m.callbacks.keep(r.reactions[:0])
	r.settling = m.exec.KeepSettling(r.settling[:0])
	m.tx.SettleSets(m.world.Raw().Sets()) // of a step without the host
	r.sets = m.tx.KeepSets(r.sets[:0])
	r.switches = m.switches.appendTo(r.switches[:0], m.world.Schedule(), scripts)
}

// takeOf copies what the systems and kernels of a script have noted.
func (r *keptRest) takeOf(s *Declarations) {
	s.forEachSystem(func(sys *exec.System, kernel bool) {
		for _, x := range sys.KeepResting(nil) {
			r.resting = append(r.resting, keptResting{kernel, sys.Name, x})
		}
		for _, n := range sys.KeepFailedEvents() {
			r.failed = append(r.failed, keptEvent{sys.Name, n})
		}
	})
}

// forEachSystem visits the systems and the kernels of a script.
func (s *Declarations) forEachSystem(visit func(sys *exec.System, kernel bool)) {
	for _, sys := range s.Systems {
		visit(sys, false)
	}
	for _, k := range s.kernels {
		visit(k.System, true)
	}
}

// keep appends the readers to a list, in the order of their names.
func (m *readers) keep(to []keptReader) []keptReader {
	for key := range m.open {
		to = append(to, keptReader{key.system, m.world.Raw().EventSchema(key.event).Name})
	}
	slices.SortFunc(to, func(a, b keptReader) int {
		return cmp.Or(cmp.Compare(a.system, b.system), cmp.Compare(a.event, b.event))
	})
	return to
}

// keep appends the on_error functions that have failed to a list.
func (m *callbacks) keep(to []keptReaction) []keptReaction {
	number, script := 0, ""
	for _, r := range m.reactions { // in the order of the scripts' names
		if r.script != script {
			number, script = 0, r.script
		}
		if r.failed {
			to = append(to, keptReaction{script, number})
		}
		number++
	}
	return to
}

// bring makes these the on_error functions that have failed, but for those of scripts with another text.
func (m *callbacks) bring(list []keptReaction, changed func(script string) bool) {
	number, script := 0, ""
	for _, r := range m.reactions {
		if r.script != script {
			number, script = 0, r.script
		}
		r.failed = slices.Contains(list, keptReaction{script, number}) && !changed(script)
		number++
	}
}

// OpenReaders opens the readers that the Kept knows and that are not open, for the world to say how
// far they have come. undo closes them again.
func (m *Keeper) OpenReaders(k *Kept) (undo func()) {
	var opened []readerKey
	for _, x := range k.readers {
		id, known := m.world.Raw().EventNamed(x.event)
		key := readerKey{x.system, id}
		if known && m.readers.open[key] == nil && m.lives(x.system) {
			m.readers.reader(x.system, id)
			opened = append(opened, key)
		}
	}
	return func() {
		for _, key := range opened {
			m.readers.end(key)
		}
	}
}

// SetTime says what time it is before a step: that of the world, also after steps without the host and steps that
// were cut short.
func (m *Keeper) SetTime(now float64) { m.tx.Timers.Now = now }

// Reads reports whether a reader that the Kept knows would be opened by OpenReaders. It is true for others.
func (m *Keeper) Reads(k *Kept, reader string) bool {
	return m.lives(reader) || !slices.ContainsFunc(k.readers, func(x keptReader) bool { return x.system == reader })
}

// closeLate closes the readers that were opened by asking after the capture. Those of on systems
// are there as long as these.
func (m *Keeper) closeLate(k *Kept, scripts []*Declarations) {
	stay := map[readerKey]bool{}
	for _, x := range k.readers {
		if id, known := m.world.Raw().EventNamed(x.event); known {
			stay[readerKey{x.system, id}] = true
		}
	}
	for _, s := range scripts {
		for _, sys := range s.Systems {
			if sys.On != nil {
				stay[readerKey{sys.Name, sys.On.ID}] = true
			}
		}
	}
	for key := range m.readers.open {
		if !stay[key] {
			m.readers.end(key)
		}
	}
}

// Bring makes all that scripts keep what it was. The world is what it was already. changed says
// whether a script has another text since: its entities, events and on_error functions begin anew,
// its timers that have failed are due at once, and its state tables get the keys that are new, as
// in a reload. It returns what on_save has
// returned, and what on_unload has handed over in vain, by script. Nothing can fail.
func (m *Keeper) Bring(k *Kept, scripts []*Declarations, changed func(script string) bool) (saved map[string]lua.LValue, handed map[string]Handover) {
	heap := lua.VM(m.main).Heap
	taken := heap.Taken
	defer func() { heap.Taken = taken }() // no call pays for it
	m.bringNumbers(k)
	m.bringStates(k, scripts, changed)
	laid := k.data.Lay(func(int, *machine.Table, machine.Value) (table, content *machine.Table) {
		t := heap.NewTable(0, 0)
		return t, t
	})
	laid.Number(m.numbers.NumberTable)
	root := func(i int) lua.LValue { return lua.FromValue(laid.Value(k.data.Root(i))) }
	m.tx.Timers.Bring(k.timers, root)
	m.tx.Timers.Last, m.tx.Timers.Now = k.last, k.now
	m.tx.Timers.Belong(m.timers.ownerOf, m.timers.of(changed))
	m.bringResting(k, scripts, changed)
	m.callbacks.bring(k.reactions, changed)
	m.switches = slices.Clone(k.switches)
	m.switches.apply(m.world.Schedule(), scripts)
	m.closeLate(k, scripts)
	m.tx.BringSets(k.sets, m.world.Raw().Sets())
	saved, handed = map[string]lua.LValue{}, map[string]Handover{}
	for _, v := range k.saved {
		saved[v.script] = root(v.root)
	}
	for _, v := range k.offered {
		handed[v.script] = Handover{Value: root(v.root)}
	}
	for _, v := range k.handed {
		handed[v.script] = Handover{Value: root(v.root), Failed: true}
	}
	return saved, handed
}

// bringNumbers takes back the numbers in texts that were given since. In another process these are those since
// the files were loaded; there, what only variables of files lead to gets others.
func (m *Keeper) bringNumbers(k *Kept) {
	m.begun()
	known := k.shown
	if k.home != m.Binding {
		known = min(known, m.loaded)
	}
	m.numbers.RewindNumbers(known, k.shown)
}

// of lists the handlers of scripts that have another text.
func (m *timers) of(changed func(script string) bool) map[string]bool {
	list := map[string]bool{}
	for name, h := range m.handlers {
		if changed(h.at.Script) {
			list[name] = true
		}
	}
	return list
}

// bringStates makes state tables what they were: where they are, so that whoever holds one has the
// same table. A table that is not in the Kept begins anew.
func (m *Keeper) bringStates(k *Kept, scripts []*Declarations, changed func(script string) bool) {
	s := m.states
	k.begin()
	s.written++
	before := s.written
	if k.home == m.Binding {
		k.states.Put()
		k.states.Number(m.numbers.NumberTable)
		for i, name := range k.names {
			s.tables[name] = (*lua.LTable)(k.states.Root(i).Table())
		}
	} else {
		s.lay(k, m.numbers.NumberTable)
	}
	for _, name := range slices.Sorted(maps.Keys(s.tables)) {
		t := s.tables[name]
		if !slices.Contains(k.names, name) {
			s.clear(t)
			for _, d := range s.defaults[name] {
				s.mergeDefaults(m.main, t, d.defaults)
			}
			s.written++
		}
	}
	for _, x := range scripts {
		for _, d := range x.states {
			if changed(x.Name) {
				s.mergeDefaults(m.main, d.table, d.defaults)
			}
		}
	}
	if k.home == m.Binding && s.written == before {
		k.written = before
	}
}

// lay makes the state tables what they were in another machine. A table takes the place of the one
// that is there now under the same name, or under the same key of the same table.
func (s *states) lay(k *Kept, number func(t *machine.Table, n uint64)) {
	used := map[*lua.LTable]bool{}
	laid := k.states.Lay(func(root int, parent *machine.Table, key machine.Value) (table, content *machine.Table) {
		var t *lua.LTable
		if parent == nil {
			t = s.tables[k.names[root]]
		} else if inner, ok := lua.FromValue(lua.RawGet(proxy.Unwrap((*lua.LTable)(parent)), key)).(*lua.LTable); ok && s.isState(inner) {
			t = inner
		}
		if t == nil || used[t] {
			t = s.newState()
		}
		if used[t] = true; parent == nil {
			s.tables[k.names[root]] = t
		}
		return (*machine.Table)(t), (*machine.Table)(proxy.Unwrap(t))
	})
	laid.Number(number)
}

// bringResting says which entities and events systems pass over. An entity of which no system knows
// any more loses its ScriptError.
func (m *Keeper) bringResting(k *Kept, scripts []*Declarations, changed func(script string) bool) {
	type of struct {
		kernel bool
		name   string
	}
	resting, failed := map[of][]exec.Resting{}, map[string][]uint64{}
	for _, x := range k.resting {
		key := of{x.kernel, x.name}
		resting[key] = append(resting[key], x.Resting)
	}
	for _, x := range k.failed {
		failed[x.system] = append(failed[x.system], x.number)
	}
	for _, s := range scripts {
		if changed(s.Name) {
			s.forEachSystem(func(sys *exec.System, _ bool) { sys.BringResting(nil); sys.BringFailedEvents(nil) })
			continue
		}
		s.forEachSystem(func(sys *exec.System, kernel bool) {
			key := of{kernel, sys.Name}
			sys.BringResting(resting[key])
			delete(resting, key)
			if !kernel {
				sys.BringFailedEvents(failed[sys.Name])
			}
		})
	}
	settling := slices.Clone(k.settling)
	for _, x := range k.resting {
		if resting[of{x.kernel, x.name}] != nil {
			settling = append(settling, x.Entity)
		}
	}
	m.exec.BringSettling(settling)
}

// Attempt does something in which migrate functions of scripts run for values of a save. What these write into state tables, the
// random numbers that they draw and the numbers in texts are taken back if it returns an error, or only tries.
func (m *Keeper) Attempt(tries bool, do func() error) error {
	random, last, done := m.world.Random().State(), m.numbers.LastNumber(), false
	defer func() {
		if !done {
			m.states.wrote.Undo()
			m.world.Random().Seed(random)
			m.numbers.RewindNumbers(last, last)
		}
		m.states.wrote = tx.StateWrites{}
	}()
	err := do()
	done = err == nil && !tries
	return err
}

// Loads reports whether a script has an on_load function.
func (s *Declarations) Loads() bool { return s.onLoad != nil }

// Load runs the on_load function of a script with what its on_save has returned. What it has written
// into state tables is taken back if it fails.
func (m *Keeper) Load(s *Declarations, v lua.LValue) error {
	last := m.numbers.LastNumber()
	defer m.numbers.RewindNumbers(last, last) // a game that was never stopped calls none
	failed := true
	defer func() {
		if failed {
			m.states.wrote.Undo()
		}
		m.states.wrote = tx.StateWrites{}
	}()
	err := m.tx.RunAlone(s.Name, "on_load "+s.Name, func(L *lua.LState) {
		L.Push(s.onLoad.fn)
		L.Push(v)
		L.Call(1, 0)
	})
	failed = err != nil
	return err
}
