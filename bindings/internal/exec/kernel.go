package exec

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// KernelSource is what a kernel is made of.
type KernelSource struct {
	System     string
	diag.Place                // of the system
	Closure    *lua.LFunction // for its captured values
	Single     bool           // precision = "f32": arithmetic on f32 fields is float32
	Required   bool           // kernel = "require": no branch may be left to the VM
	Growing    bool           // lists outside of the function become longer and shorter
	Ample      bool           // and have all the room that there is for them, since another kernel would take long
	Terms      []KernelTerm   // the parameters after the entity
	Filters    []string       // the components that the query names besides
}

// KernelTerm is one component of the query.
type KernelTerm struct {
	Schema      *ecs.Schema
	Optional    bool   // rows may lack it
	Unreachable string // why a kernel cannot reach it; empty: it can
}

// KernelMode is what a system's option kernel says.
type KernelMode string

// The modes.
const (
	KernelAuto    KernelMode = "auto"    // where possible; the zero mode means the same
	KernelRequire KernelMode = "require" // or the load is refused
	KernelOff     KernelMode = "off"     // never: for comparing, and for finding faults
)

// kernelState is what a system knows about its kernel.
type kernelState struct {
	Mode   KernelMode
	Single bool
	Made   rows.Kernel
	Why    *diag.Error   // there is none
	coming *comingKernel // another one, that is compiled beside the ticks; nil: there is none
	large  bool          // the one that was begun last takes long to make
	huge   bool          // so long that it is not made anew in a game

	postponed Compilation // that of a new system, see Postpone; nil: there is none
}

// Close ends the kernel, if there is one, and those which are being compiled or are to be.
func (k *kernelState) Close() {
	if k.postponed != nil {
		k.postponed.Drop()
		k.postponed = nil
	}
	if k.coming != nil {
		k.coming.Drop()
		k.coming = nil
	}
	if k.Made != nil {
		_ = k.Made.Close() // memory that the engine cannot give back: there is nothing to be done about it
		k.Made = nil
	}
}

// OnHeap says why a kernel cannot reach some components.
const OnHeap = "a component with Go pointers"

// kernelRunner is what a run of a system keeps for its kernel. It runs the kernel within the
// limits of the call.
type kernelRunner struct {
	rows.Kernel
	facts    *rows.KernelFacts
	call     rows.KernelCall
	budget   tx.KernelBudget // nil: nothing is bounded
	script   string          // that the kernel is part of
	record   *Recorder       // of the system
	opens    []openedTerm
	sure     bool   // this run cannot fail
	watching int64  // nanoseconds that it counts at most to watch a row of a run that is sure
	begun    bool   // it was Ready, and not Done
	before   []byte // what the next rows have in columns that count as unchanged so far
	tempo    tempo
	size     int64 // of the next portion in this run; 0: it is the first one
}

// openedTerm is a term that the kernel or the function may write. A column counts as changed
// only if a value has: its bytes are compared with what they were, where somebody asks.
type openedTerm struct {
	term int
	old  int  // the piece of the undo that keeps the column, -1 for none
	same bool // nothing is kept, and no value of the view has changed so far
}

// kernelRunner makes one for a system.
func (s *System) kernelRunner(m *Executor, record *Recorder) *kernelRunner {
	k := &kernelRunner{Kernel: s.Compiled.Made, facts: s.Compiled.Made.Facts(), script: lua.Proto(s.Each).SourceName, record: record, tempo: tempo{clock: time.Now}}
	if m.Tx.Budget != nil {
		k.budget = m.Tx.Budget
	}
	for _, term := range k.facts.Writes {
		if !slices.ContainsFunc(k.opens, func(t openedTerm) bool { return t.term == term }) {
			k.opens = append(k.opens, openedTerm{term: term})
		}
	}
	return k
}

// again begins a run, whatever became of the one before.
func (k *kernelRunner) again() bool {
	k.begun, k.size = false, 0
	return k.begin()
}

// begin makes the kernel Ready, if it can run, and end is its Done. The lists that it copies for that count for the limit of
// the tick, which may be used up by that: then the call is ended with the next row.
func (k *kernelRunner) begin() bool {
	if k.begun {
		return true
	}
	if k.budget != nil && k.facts.Lists > 0 {
		if k.budget.LeftForRows(k.script) < k.facts.Lists {
			k.budget.EndForRows()
			return false
		}
		k.budget.SpendOnRows(k.script, k.facts.Lists)
	}
	k.begun = k.Ready()
	return k.begun
}

func (k *kernelRunner) end() {
	if k.begun {
		k.begun = false
		k.Done()
	}
}

const (
	// portion is how much fuel a kernel gets at a time at most, in instructions of the VM.
	portion = 1 << 20
	// firstPortion is how much it gets at first. Nothing can interrupt it in the meantime: that is some 0.1 ms, and 2 ms
	// where each turn of a loop has remainders and powers of unlucky numbers.
	firstPortion = 1 << 15
	// morePortion is by how much the portion grows for a row that needs more, and where so few rows were done with one that
	// the last one, which is begun anew, is a part of the work.
	morePortion, fewRows = 4, 16
)

// run runs rows of a view and returns the row at which the kernel has stopped, or end. Loops
// are paid for with the instructions that the call may use, for each turn no more than the VM
// would need at least. When those are gone, or one row alone needs more than a portion, the VM
// gets the row, as if the kernel had not begun it: it stops where it would have stopped
// anyway, or takes the time it needs. So it does with the first row for which nothing is left
// in this tick.
//
// Why never more? Then a call that the VM would finish is not cut by what the
// kernel has counted.
func (k *kernelRunner) run(m *Executor, t *ecs.Tick, v *rows.View, next, end int) int {
	for next < end {
		begin, stop := next, end
		if !k.sure { // of a sure run, all rows have room; what it takes to enter it comes on top
			stop = next + int(min(k.room(), int64(end-next)))
		}
		if begin == stop {
			k.budget.EndForRows()
			break
		}
		if k.tempo.spent && !k.sure {
			k.budget.EndBeyond()
			break
		}
		k.call.Outside = 0
		next = k.runPortions(m, t, v, next, stop)
		k.record.byKernel(next-begin, 1)
		if k.spend(next-begin, k.call.Outside); next < stop {
			break
		}
	}
	return next
}

// room is how many rows the limit of the tick leaves, if they need as much as they may. Most need
// less, so that there is room for others when they are done.
func (k *kernelRunner) room() int64 {
	if k.budget == nil {
		return math.MaxInt64
	}
	return k.budget.LeftForRows(k.script) / k.facts.Most
}

// spend counts rows against the limit of the tick, and the formulas in them that the host has
// computed.
func (k *kernelRunner) spend(n int, outside int64) {
	if k.budget == nil {
		return
	}
	work := int64(n)*k.facts.Work + outside*k.facts.Outside
	k.budget.SpendOnRows(k.script, work)
	if beyond := k.tempo.look(work); beyond > 0 && !k.budget.SpendBeyond(k.script, beyond) {
		k.tempo.exceed(k.sure)
	}
}

// runPortions gives the kernel one portion of fuel after another until the rows are done, or
// the kernel stops at a row that is the VM's.
func (k *kernelRunner) runPortions(m *Executor, t *ecs.Tick, v *rows.View, next, end int) int {
	c := &k.call
	c.View, c.Next, c.End = v, next, end
	c.DT, c.Time, c.Tick = t.DT, t.Time, float64(t.N)
	for c.Next < end {
		first, fuel := c.Next, k.fuel()
		c.Fuel, c.Random = fuel, t.Random().State()
		if k.facts.ReadsMarks || k.facts.Despawns {
			c.Mark, c.Kin = m.mark(k.facts.Despawns)
		}
		if err := k.Run(c); err != nil {
			panic(fmt.Errorf("a kernel failed: %w", err)) // becomes an error of the call
		}
		t.Random().Seed(c.Random)
		if k.facts.Fuelled && k.budget != nil {
			k.budget.Spend(fuel - c.Fuel)
		}
		if again := c.Full || c.Dry; !again || c.Next == first && !c.Dry {
			break
		}
		if c.Next > first && c.Full {
			continue
		}
		if !k.grow(fuel, c.Next-first) {
			break
		}
	}
	return c.Next
}

// grow makes the next portion larger, where the last one has not lasted or has lasted for few rows, and there is time
// at the pace so far. False means that the VM gets the row: the kernel has got as much as it may, or there is no time.
func (k *kernelRunner) grow(fuel int64, done int) bool {
	most, lost, more := int64(portion), int64(0), true
	if done == 0 {
		lost = fuel
	}
	if k.budget != nil {
		took, left := k.budget.Glance(lost)
		if left <= 0 {
			return false
		}
		most, more = min(most, k.budget.Left()), left >= morePortion*took
	}
	if more = more && done < fewRows && fuel < most; more {
		k.size = max(k.size, firstPortion) * morePortion
	}
	return more || done > 0
}

// fuel is how much there is now. For a kernel that needs none nobody is asked:
// the limits of the call may not even be set.
func (k *kernelRunner) fuel() int64 {
	size := min(max(k.size, firstPortion), portion)
	switch {
	case !k.facts.Fuelled:
		return 0
	case k.budget == nil:
		return size
	}
	return max(min(size, k.budget.Left()), 0)
}

// fits reports whether there is room for whatever so many rows of a safe kernel do.
func (k *kernelRunner) fits(n int) bool {
	return (k.budget == nil || int64(n) <= k.budget.LeftForRows(k.script)/(k.facts.Most+k.watching)) && k.Fits(n)
}

// fitsBeside is fits where so many nanoseconds are needed besides.
func (k *kernelRunner) fitsBeside(n int, work int64) bool {
	return k.budget == nil && k.Fits(n) || k.budget != nil && int64(n) <= (k.budget.LeftForRows(k.script)-work)/k.facts.Most && k.Fits(n)
}

// Perform is a run as a call of the script.
//
// A kernel needs nothing of the VM but for the rows at which it stops, so its run is
// outside of the VM until there is such a row.
func (x *EachRunner) Perform(t *ecs.Tick, name string) error {
	if x.kernel == nil || x.kernel.facts.Passing || x.s.Compiled.coming != nil {
		x.Renew()
	}
	if x.outside = x.kernel != nil && x.s.When == nil; !x.outside {
		if x.whole == nil {
			x.whole = x.m.Tx.Function(func(L *lua.LState) { x.Run(L, x.m.Tx.Call.Tick) })
		}
		return x.m.Tx.Perform(t, x.s.Script, name, x.whole)
	}
	return x.m.Tx.PerformOutside(t, x.s.Script, name, x.kernel.facts.Metered, x)
}

// byLua has the VM work on rows of a kernel.
func (x *EachRunner) byLua(L *lua.LState, v *rows.View) {
	r := &x.record
	r.ByVM(len(v.Entities), len(v.Entities))
	r.before = *r.foreign
	defer r.abroad()
	if r.compiled {
		r.part(func() { x.enterVM(L, v) })
	} else {
		x.enterVM(L, v)
	}
}

// enterVM enters the VM for rows, if it is not running already.
func (x *EachRunner) enterVM(L *lua.LState, v *rows.View) {
	if !x.outside {
		x.interpret(L, v)
		return
	}
	if x.hand = v; x.one == nil {
		x.one = x.m.Tx.Function(func(L *lua.LState) { x.interpret(L, x.hand) })
	}
	x.m.Tx.Inside(x.one)
}

// certain reports whether the run that begins cannot fail, so that nothing needs to
// be kept for its undo. Rows that are run by Lua may end the call: those of parked
// entities, and those to which the condition of the system has done something. Of a
// callable kernel, the call around it may fail later.
func (x *EachRunner) certain() bool {
	if !x.kernel.facts.Safe || x.s.OnDemand || x.m.marks.careful || len(x.faults.parked) > 0 || x.kernel.facts.Despawns && x.m.related() {
		return false
	}
	x.kernel.watching = x.watchingWork()
	return x.kernel.fits(x.m.World.Len()) || x.kernel.fits(x.Query.Count())
}

// prepare makes the columns of a view ready for being written. It does nothing and
// returns false when there is no room to keep what is in them, or no time.
func (k *kernelRunner) prepare(m *Executor, v *rows.View) bool {
	if !k.sure && !(m.Tx.Affords(k.undoOf(m, v)) && k.pay(k.keepingWork(v))) {
		return false
	}
	for i := range k.opens {
		t := &k.opens[i]
		c := &v.Columns[t.term]
		if t.old, t.same = -1, false; c.Base == nil {
			continue // the rows lack it
		}
		switch c.Saved = true; {
		case !k.sure:
			t.old = len(m.Tx.Call.Undo.List)
			m.Tx.KeepColumn(v, c)
		case m.asked(c):
			t.same = true
		default:
			m.Tx.Stamp(v, c, 0, len(v.Entities))
		}
	}
	return true
}

// asked reports whether any query asks for changes of a column. Where none does, a run that
// keeps nothing for its undo copies and compares nothing either, and stamps what it may write.
func (m *Executor) asked(c *rows.Column) bool {
	return m.World.Raw().ChangesAsked(c.ID)
}

// keeps reports whether a run keeps what is in a column that the rows have: to put it back, or to find
// out whether it has changed.
func (k *kernelRunner) keeps(m *Executor, c *rows.Column) bool { return !k.sure || m.asked(c) }

// undoOf returns how many bytes it takes to keep the columns of a view.
func (k *kernelRunner) undoOf(m *Executor, v *rows.View) (n int) {
	for i := range k.opens {
		if c := &v.Columns[k.opens[i].term]; c.Base != nil && k.keeps(m, c) {
			n += tx.UndoOf(v, c)
		}
	}
	return n
}

// finish stamps columns in which something has changed, and forgets what the others were:
// the VM would not have kept that either. A run that cannot fail has kept nothing.
func (k *kernelRunner) finish(m *Executor, v *rows.View) {
	u := &m.Tx.Call.Undo
	for i := len(k.opens) - 1; i >= 0; i-- {
		t := &k.opens[i]
		if t.old < 0 {
			continue
		}
		c := &v.Columns[t.term]
		if bytes.Equal(u.Old(t.old), bytesOf(c, 0, len(v.Entities))) {
			u.Release(t.old)
		} else {
			m.Tx.Stamp(v, c, 0, len(v.Entities))
		}
	}
}

// firstWatched is how many rows are watched at first. Nearly always one of them changes, and
// what is watched costs a copy.
const firstWatched = 16

// runWatched is run where columns are compared and nothing is kept: it watches a few rows, and
// more and more of them as long as nothing changes.
func (k *kernelRunner) runWatched(m *Executor, t *ecs.Tick, v *rows.View, next, stop int) int {
	for n := firstWatched; next < stop; n *= 2 {
		end := stop
		if k.watch(v, next, min(next+n, stop)) {
			end = min(next+n, stop)
		}
		begin := next
		next = k.run(m, t, v, next, end)
		k.look(m, v, begin, end)
		if next < end {
			break
		}
	}
	return next
}

// watch copies what rows have in the columns of which nothing has changed so far. It reports
// whether there are any.
func (k *kernelRunner) watch(v *rows.View, from, to int) bool {
	k.before = k.before[:0]
	work := int64(0)
	for i := range k.opens {
		if t := &k.opens[i]; t.same {
			c := &v.Columns[t.term]
			k.before = append(k.before, bytesOf(c, from, to)...)
			work += copyWork(c.Stride)
		}
	}
	if work > 0 && k.budget != nil { // a run that is sure has room for it
		k.budget.SpendOnRows(k.script, work*int64(to-from))
	}
	return len(k.before) > 0
}

// look stamps the columns in which something has changed since watch.
func (k *kernelRunner) look(m *Executor, v *rows.View, from, to int) {
	at := 0
	for i := range k.opens {
		t := &k.opens[i]
		if !t.same {
			continue
		}
		c := &v.Columns[t.term]
		now := bytesOf(c, from, to)
		if !bytes.Equal(k.before[at:at+len(now)], now) {
			m.Tx.Stamp(v, c, 0, len(v.Entities))
			t.same = false
		}
		at += len(now)
	}
}

// bytesOf returns what some rows have in a column.
func bytesOf(c *rows.Column, from, to int) []byte {
	return value.BytesAt(unsafe.Add(c.Base, uintptr(from)*c.Stride), uintptr(to-from)*c.Stride)
}

// compiled has the kernel work on a view. The rows at which it stops are the VM's:
// to raise the error that they are, to take the time they need, or to do
// what kernels cannot. So are those of parked entities.
//
// What the VM has done may be in the kernel's way from then on. And where
// the kernel does not get past its first row, several times one after the other,
// more and more rows are the VM's, so that a kernel which is of no use
// costs next to nothing. Not so in single precision: there, who has run a row can be
// seen in it.
func (x *EachRunner) compiled(L *lua.LState, v *rows.View) {
	if !x.kernel.prepare(x.m, v) {
		x.instead(L, v)
		return
	}
	n, idle := len(v.Entities), 0
	for next := 0; next < n; {
		stop := x.nextConcerned(v.Entities, next, x.faults.next(v.Entities, next))
		if next < stop && x.ready {
			first := next
			next = x.kernel.runWatched(x.m, x.tick, v, next, stop)
			if idle = min(2*idle+1, mostIdle); next > first || x.s.Compiled.Single {
				idle = 0
			}
		}
		if next == n {
			break
		}
		count := 1
		if next < stop {
			count = min(1+idle/idleAfter, stop-next)
		}
		x.kernel.watch(v, next, next+count)
		x.instead(L, v.Part(next, count, &x.few))
		x.kernel.look(x.m, v, next, next+count)
		next += count
	}
	x.kernel.finish(x.m, v)
}

// instead has the VM work on rows while the kernel waits.
func (x *EachRunner) instead(L *lua.LState, v *rows.View) {
	x.kernel.end()
	recorded := x.m.Tx.Call.Tick.Commands.Len()
	x.byLua(L, v)
	careful := &x.m.marks.careful
	*careful = *careful || x.m.Tx.Call.Tick.Commands.Len() > recorded
	x.ready = x.ready && !(*careful && x.kernel.facts.Blind) && x.kernel.begin()
}

// heeds begins a run of the kernel, unless that knows nothing of what has been done
// already and has to.
func (x *EachRunner) heeds() bool {
	k := &x.m.marks
	k.begin(x.m)
	k.careful = x.m.Tx.Ahead() != nil
	return !(k.careful && x.kernel.facts.Blind)
}

// nextConcerned returns the first row from i on, before stop, for whose entity
// something has been done that the row would show, or stop. What kernels do to other
// rows these ask about themselves.
func (x *EachRunner) nextConcerned(list []ecs.Entity, i, stop int) int {
	if !x.m.marks.careful {
		return stop
	}
	p := x.m.Tx.Ahead()
	for ; p != nil && i < stop; i++ {
		if p.Concerns(list[i]) && x.s.Query.Differs(p, list[i]) {
			return i
		}
	}
	return stop
}

// Each time in turn that a kernel does not get past its first row, idle doubles, up
// to mostIdle; the VM takes that row, and one more for each idleAfter.
const idleAfter, mostIdle = 8, 512

// marks tell kernels which entities the run has done something to: a byte for each
// slot in the world's memory is the number of the run. Kernels mark what they change;
// what Lua has changed is marked before the next call of a kernel. For kernels that
// despawn, the targets of relations are marked with the number and kin.
//
// A mark may stand without reason: of a row that was undone, or because the number has
// come round. Whoever finds one has Lua run the row, which makes no difference but for time.
type marks struct {
	bytes   []byte       // of all slots, nil until there is a kernel
	number  uint8        // of the run, from 1 to lastRun
	targets []*ecs.Query // those of each relation
	kin     bool         // they are marked
	epoch   int          // of the preview
	seen    int          // entities of it that are marked
	careful bool         // rows of the run, or what has called it, have done something by Lua
}

// The marks of a run, and what is added to them.
const lastRun, kin = 0x7F, 0x80

// mark returns the mark of the run. Before, it marks what Lua has done something to and, for a
// kernel that despawns, the targets of relations, if somebody is in one: they may die with
// whom it despawns. O(changes since, entities in relations once in a run).
func (m *Executor) mark(despawns bool) (mark uint8, related bool) {
	if m.marks.careful {
		if p := m.Tx.Ahead(); p != nil {
			m.marks.update(p)
		}
	}
	if related = despawns && m.related(); related {
		m.marks.relate(m.World)
	}
	return m.marks.number, related
}

// relate marks the targets of relations, once in a run. O(entities in relations).
func (k *marks) relate(w *ecs.World) {
	if k.kin {
		return
	}
	k.kin = true
	i := 0
	for r := range w.Raw().Relations() {
		if i == len(k.targets) {
			k.targets = append(k.targets, w.Query().Targets(r).Prefabs())
		}
		for c := range k.targets[i].Chunks() {
			for _, e := range c.Entities() {
				if at := &k.bytes[e.Index()]; *at != k.number {
					*at = k.number | kin
				}
			}
		}
		i++
	}
}

// begin begins a run of a kernel.
func (k *marks) begin(m *Executor) {
	if k.bytes == nil {
		at := m.World.Raw().MemoryMap()
		if memory := m.World.Raw().Memory(); memory != nil {
			k.bytes = memory[at.Marks:][:at.Slots]
		}
	}
	k.seen, k.kin = 0, false
	if k.number++; k.number > lastRun {
		clear(k.bytes[:min(m.World.Raw().Slots()+1, len(k.bytes))])
		k.number = 1
	}
}

// update marks what the running call has done something to.
func (k *marks) update(p *ecs.Preview) {
	if p.Epoch() != k.epoch {
		k.epoch, k.seen = p.Epoch(), 0
	}
	for ; k.seen < p.Len(); k.seen++ {
		k.bytes[p.At(k.seen).Index()] = k.number
	}
}

// related reports whether anybody is in a relation, or will be by what Lua has done.
// What kernels have done they know themselves: it would take time to look at it here.
func (m *Executor) related() bool {
	for r := range m.World.Raw().Relations() {
		if r.Len() > 0 {
			return true
		}
	}
	return m.marks.careful && m.Tx.Ahead() != nil
}
