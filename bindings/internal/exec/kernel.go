package exec

import (
	"bytes"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/diag"
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
	// VM must not run.
	Ready() bool
	Done()
	// Run runs the rows from next on and returns the row at which it stopped, or
	// end. A row at which it stops is as it was: the VM
	// must run it, and has the last word about it.
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
	Required bool           // kernel = "require": no branch may be left to the VM
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
	Mode   KernelMode
	Single bool
	Made   Kernel
	Why    *diag.Error // there is none
}

func (k *kernelState) Close() {
	if k.Made != nil {
		k.Made.Close()
		k.Made = nil
	}
}

// OnHeap says why a kernel cannot reach some components.
const OnHeap = "a component with Go pointers"

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

// certain reports whether the run that begins cannot fail, so that nothing needs to
// be kept for its undo. Rows that are run by Lua may end the call: those of parked
// entities, and those to which the condition of the system has done something. Of a
// callable kernel, the call around it may fail later.
func (x *EachRun) certain() bool {
	if !x.kernel.Safe() || x.s.OnDemand || x.m.Marks.Careful || len(x.faults.parked) > 0 || x.kernel.Ends() && x.m.Related() {
		return false
	}
	return x.kernel.Fits(x.m.World.Len()) || x.kernel.Fits(x.Query.Count())
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
func (k *kernelRun) prepare(m *Executor, v *view.View) bool {
	if !k.sure && !m.Tx.Affords(k.undoOf(v)) {
		return false
	}
	for i := range k.opens {
		t := &k.opens[i]
		c := &v.Columns[t.term]
		if t.old = -1; c.Base == nil {
			continue // the rows lack it
		}
		if c.Saved = true; t.compare || !k.sure {
			t.old = len(m.Tx.Call.Undo.List)
			v.Keep(m.Tx, c)
		}
		if !t.compare {
			v.Stamp(m.Tx, c)
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
// the VM would not have kept that either. A run that cannot fail needs none of it.
func (k *kernelRun) finish(m *Executor, v *view.View) {
	u := &m.Tx.Call.Undo
	for i := len(k.opens) - 1; i >= 0; i-- {
		t := &k.opens[i]
		if t.old < 0 {
			continue
		}
		changed := true
		if t.compare {
			c := &v.Columns[t.term]
			if changed = !bytes.Equal(u.Old(t.old), value.BytesAt(c.Base, uintptr(len(v.Entities))*c.Stride)); changed {
				v.Stamp(m.Tx, c)
			}
		}
		if k.sure || !changed {
			u.Release(t.old)
		}
	}
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
func (x *EachRun) compiled(L *lua.LState, v *view.View) {
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
			if idle = min(2*idle+1, mostIdle); next > first || x.s.Compiled.Single {
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

// instead has the VM work on rows while the kernel waits.
func (x *EachRun) instead(L *lua.LState, v *view.View) {
	x.kernel.end()
	recorded := x.m.Tx.Call.Tick.Commands.Len()
	x.byLua(L, v)
	careful := &x.m.Marks.Careful
	*careful = *careful || x.m.Tx.Call.Tick.Commands.Len() > recorded
	x.ready = x.ready && !(*careful && x.kernel.Blind()) && x.kernel.begin()
}

// heeds begins a run of the kernel, unless that knows nothing of what has been done
// already and has to.
func (x *EachRun) heeds() bool {
	k := &x.m.Marks
	k.begin(x.m)
	k.Careful = x.m.Tx.Ahead() != nil
	return !(k.Careful && x.kernel.Blind())
}

// nextConcerned returns the first row from i on, before stop, for whose entity
// something has been done that the row would show, or stop. What kernels do to other
// rows these ask about themselves.
func (x *EachRun) nextConcerned(list []ecs.Entity, i, stop int) int {
	if !x.m.Marks.Careful {
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
