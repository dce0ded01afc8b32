package bindings

import (
	"bytes"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/internal/view"
	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// Kernel is an each function that was compiled. It leaves the same bytes behind
// as the function would, called row by row.
type Kernel interface {
	// Ready reports whether the kernel can run now: the values that the function
	// captures are still of the kinds that it was compiled for. It looks at captured
	// variables; Done writes back what rows have made of them. Between the two the
	// Lua machine must not run.
	Ready() bool
	Done()
	// Run runs the rows from next on and returns the row at which it stopped, or
	// end. A row at which it stops is as it was: the Lua
	// machine must run it, and has the last word about it.
	Run(t *ecs.Tick, rows *KernelRows, next, end int) int
	// Metered reports that Run counts instructions, for which the limits of the call
	// must be set.
	Metered() bool
	// Safe reports that Run never stops before the end, as long as there is room for
	// the changes that the rows make, and for the rows in the limits of the tick. Fits
	// reports that there is, for so many rows of a safe kernel and whatever they do.
	// With both, a call that does nothing else needs no copy of what it writes.
	Safe() bool
	Fits(rows int) bool
	// Parallel reports that rows have nothing to do with each other. Then RunApart may
	// be called for several views at the same time, by a goroutine each, once the
	// kernel was Ready: it is Run for n rows, returns how many instructions it has
	// used as well, and spends none. Afford spends them afterwards, for so many rows, if
	// it is certain that Run would have had enough.
	Parallel() bool
	RunParallel(t *ecs.Tick, rows *KernelRows, n int) (stopped int, used int64)
	Afford(used int64, rows int) bool
	// Blind reports that rows look at other entities as these were before the run: once
	// the run has done something, they must be run by Lua. Ends reports that rows
	// despawn entities; those with which others die are then run by Lua.
	Blind() bool
	Ends() bool
	// Writes lists the terms of which it may write a field.
	Writes() []int
	// Close ends the kernel.
	Close()
}

// KernelRows are the rows of one view.
type KernelRows struct {
	Columns  []unsafe.Pointer // by term: the first value, nil where the rows lack it
	Entities []ecs.Entity
}

// KernelSource is what a kernel is made of.
type KernelSource struct {
	System   string
	Line     int            // of the system
	Closure  *lua.LFunction // for its captured values
	Single   bool           // precision = "f32": arithmetic on f32 fields is float32
	Required bool           // kernel = "require": no branch may be left to the Lua machine
	Terms    []KernelTerm   // the parameters after the entity
	Filters  []string       // the components that the query names besides
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
	mode   KernelMode
	single bool
	made   Kernel
	why    *diag.Error // there is none
}

func (k *kernelState) close() {
	if k.made != nil {
		k.made.Close()
		k.made = nil
	}
}

// Kernel returns the system's kernel or, where it could have one, why it has
// none. Systems with kernel = "off" and those without an each function over a
// query have neither.
func (s *System) Kernel() (Kernel, *diag.Error) { return s.kernel.made, s.kernel.why }

// kernel reads the option.
func (r *optionReader) kernel(v lua.LValue) {
	modes := []string{string(KernelAuto), string(KernelRequire), string(KernelOff)}
	if s, ok := v.(lua.LString); ok && slices.Contains(modes, string(s)) {
		r.s.kernel.mode = KernelMode(s)
		return
	}
	r.complain("kernel: expected one of %q, got %s", modes, value.Describe(v))
}

// precision reads the option. It is about kernels alone: the Lua machine has one
// kind of numbers.
func (r *optionReader) precision(v lua.LValue) {
	widths := []string{"f64", "f32"}
	if s, ok := v.(lua.LString); ok && slices.Contains(widths, string(s)) {
		r.s.kernel.single = s == "f32"
		return
	}
	r.complain("precision: expected one of %q, got %s", widths, value.Describe(v))
}

// compile makes the kernels of a load. The problems are those of systems that
// must have one.
func (m *Module) compile(fresh []*Script) []*diag.Error {
	var problems []*diag.Error
	for _, s := range fresh {
		for _, sys := range append(s.Kernels(), s.Systems...) {
			if len(s.Problems) > 0 || sys.shape == nil || sys.kernel.mode == KernelOff || m.opts.Compile == nil {
				continue
			}
			k := &sys.kernel
			if k.made, k.why = m.kernelOf(sys); k.made != nil {
				m.staged.kernels = append(m.staged.kernels, k.made)
			} else if k.mode == KernelRequire {
				refused := *k.why
				problems = append(problems, sys.own(&refused))
			}
		}
	}
	return problems
}

// KernelSource returns what the system's kernel is made of, whether it has one or
// not; false when it has no each function over a query.
func (s *System) KernelSource() (KernelSource, bool) {
	if s.shape == nil {
		return KernelSource{}, false
	}
	source := KernelSource{System: s.Name, Line: s.Line, Closure: s.each, Single: s.kernel.single, Required: s.kernel.mode == KernelRequire}
	for _, c := range s.query.Terms() {
		term := KernelTerm{Schema: c.Schema, Optional: slices.Contains(s.query.Optional, c)}
		if c.Heap {
			term.Unreachable = onHeap
		}
		source.Terms = append(source.Terms, term)
	}
	for _, list := range [][]*decl.Component{s.query.With, s.query.Without, s.query.Either} {
		for _, c := range list {
			source.Filters = append(source.Filters, c.Name)
		}
	}
	return source, true
}

// kernelOf makes the kernel of one system.
func (m *Module) kernelOf(s *System) (Kernel, *diag.Error) {
	source, _ := s.KernelSource()
	made, why := m.opts.Compile(source)
	if why != nil {
		why.Script = s.Script
	}
	return made, why
}

// onHeap says why a kernel cannot reach some components.
const onHeap = "a component with Go pointers"

// kernelRun is what a run of a system keeps for its kernel.
type kernelRun struct {
	Kernel
	rows  KernelRows
	opens []kernelTerm
	sure  bool // this run cannot fail
	begun bool // it was Ready, and not Done
}

// renew begins a run, whatever became of the one before.
func (k *kernelRun) renew() bool {
	k.begun = false
	return k.begin()
}

// begin makes the kernel Ready, if it can run, and end is its Done.
func (k *kernelRun) begin() bool {
	k.begun = k.begun || k.Ready()
	return k.begun
}

func (k *kernelRun) end() {
	if k.begun {
		k.begun = false
		k.Done()
	}
}

// kernelTerm is a term that the kernel or the function may write. Where the
// function gets the row as a table, a column counts as changed only if a value
// has: then its bytes are compared with those of the piece old of the undo; -1: there is none.
type kernelTerm struct {
	term    int
	compare bool
	old     int
}

// kernelRun makes one for a system.
func (s *System) kernelRun() *kernelRun {
	k := &kernelRun{Kernel: s.kernel.made, rows: KernelRows{Columns: make([]unsafe.Pointer, len(s.query.Terms()))}}
	add := func(term int, compare bool) {
		if !slices.ContainsFunc(k.opens, func(t kernelTerm) bool { return t.term == term }) {
			k.opens = append(k.opens, kernelTerm{term: term, compare: compare})
		}
	}
	for _, arg := range s.shape.results {
		add(arg.term, false)
	}
	for _, term := range k.Writes() {
		add(term, true)
	}
	return k
}

// certain reports whether the run that begins cannot fail, so that nothing needs to
// be kept for its undo. Rows that are run by Lua may end the call: those of parked
// entities, and those to which the condition of the system has done something. Of a
// callable kernel, the call around it may fail later.
func (x *eachRun) certain() bool {
	if !x.kernel.Safe() || x.s.called || x.m.marks.careful || len(x.faults.parked) > 0 || x.kernel.Ends() && x.m.related() {
		return false
	}
	return x.kernel.Fits(x.m.world.Len()) || x.kernel.Fits(x.query.Count())
}

// longest is how many rows a view may have: many where nothing is copied, neither
// for the undo nor to see what has changed.
func (k *kernelRun) longest() int {
	if !k.sure || slices.ContainsFunc(k.opens, func(t kernelTerm) bool { return t.compare }) {
		return view.Longest
	}
	return view.LongestSure
}

// prepare makes the columns of a view ready for being written. It does nothing and
// returns false when there is no room to keep what is in them.
func (k *kernelRun) prepare(m *executor, v *view.View) bool {
	if !k.sure && !m.tx.Affords(k.undoOf(v)) {
		return false
	}
	for i := range k.opens {
		t := &k.opens[i]
		c := &v.Columns[t.term]
		if t.old = -1; c.Base == nil {
			continue // the rows lack it
		}
		if c.Saved = true; t.compare || !k.sure {
			t.old = len(m.tx.Call.Undo.List)
			v.Keep(m.tx, c)
		}
		if !t.compare {
			v.Stamp(m.tx, c)
		}
	}
	for i := range k.rows.Columns {
		k.rows.Columns[i] = v.Columns[i].At(0)
	}
	k.rows.Entities = v.Entities
	return true
}

// undoOf returns how many bytes it takes to keep the columns of a view.
func (k *kernelRun) undoOf(v *view.View) (n int) {
	for i := range k.opens {
		if c := &v.Columns[k.opens[i].term]; c.Base != nil {
			n += v.UndoOf(c)
		}
	}
	return n
}

// finish stamps columns in which something has changed, and forgets what the others were:
// the Lua machine would not have kept that either. A run that cannot fail needs none of it.
func (k *kernelRun) finish(m *executor, v *view.View) {
	u := &m.tx.Call.Undo
	for i := len(k.opens) - 1; i >= 0; i-- {
		t := &k.opens[i]
		if t.old < 0 {
			continue
		}
		changed := true
		if t.compare {
			c := &v.Columns[t.term]
			if changed = !bytes.Equal(u.Old(t.old), value.BytesAt(c.Base, uintptr(len(v.Entities))*c.Stride)); changed {
				v.Stamp(m.tx, c)
			}
		}
		if k.sure || !changed {
			u.Release(t.old)
		}
	}
}

// compiled has the kernel work on a view. The rows at which it stops are the Lua
// machine's: to raise the error that they are, to take the time they need, or to do
// what kernels cannot. So are those of parked entities.
//
// What the Lua machine has done may be in the kernel's way from then on. And where
// the kernel does not get past its first row, several times one after the other,
// more and more rows are the Lua machine's, so that a kernel which is of no use
// costs next to nothing. Not so in single precision: there, who has run a row can be
// seen in it.
func (x *eachRun) compiled(L *lua.LState, v *view.View) {
	if !x.kernel.prepare(x.m, v) {
		x.instead(L, v)
		return
	}
	n, idle := len(v.Entities), 0
	for next := 0; next < n; {
		stop := x.nextConcerned(v.Entities, next, x.faults.next(v.Entities, next))
		if next < stop && x.ready {
			first := next
			next = x.kernel.Run(x.tick, &x.kernel.rows, next, stop)
			if idle = min(2*idle+1, mostIdle); next > first || x.s.kernel.single {
				idle = 0
			}
		}
		if next == n {
			break
		}
		rows := 1
		if next < stop {
			rows = min(1+idle/idleAfter, stop-next)
		}
		x.instead(L, v.Rows(next, rows, &x.few))
		next += rows
	}
	x.kernel.finish(x.m, v)
}

// instead has the Lua machine work on rows while the kernel waits.
func (x *eachRun) instead(L *lua.LState, v *view.View) {
	x.kernel.end()
	recorded := x.m.tx.Call.Tick.Commands.Len()
	x.byLua(L, v)
	careful := &x.m.marks.careful
	*careful = *careful || x.m.tx.Call.Tick.Commands.Len() > recorded
	x.ready = x.ready && !(*careful && x.kernel.Blind()) && x.kernel.begin()
}

// heeds begins a run of the kernel, unless that knows nothing of what has been done
// already and has to.
func (x *eachRun) heeds() bool {
	k := &x.m.marks
	k.begin(x.m)
	k.careful = x.m.tx.Ahead() != nil
	return !(k.careful && x.kernel.Blind())
}

// nextConcerned returns the first row from i on, before stop, for whose entity
// something has been done that the row would show, or stop. What kernels do to other
// rows these ask about themselves.
func (x *eachRun) nextConcerned(list []ecs.Entity, i, stop int) int {
	if !x.m.marks.careful {
		return stop
	}
	p := x.m.tx.Ahead()
	for ; p != nil && i < stop; i++ {
		if p.Concerns(list[i]) && x.s.query.Differs(p, list[i]) {
			return i
		}
	}
	return stop
}

// Each time in turn that a kernel does not get past its first row, idle doubles, up
// to mostIdle; the Lua machine takes that row, and one more for each idleAfter.
const idleAfter, mostIdle = 8, 512
