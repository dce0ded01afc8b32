package exec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// ScriptError is the component of an entity for which a script's system has
// failed. The system passes the entity over until RetryAt, then tries it again;
// the component goes when that succeeds, when the script is loaded anew, and when
// somebody removes it, which means to try again at once. When several systems
// have failed for an entity, it tells of the last one.
//
// Lua finds it as ecs.native("ScriptError").
type ScriptError struct {
	System  string
	Script  string  // path in the folder
	Line    int32   // 0 when unknown
	Message string  // lower case, no position, cut after 512 bytes
	Times   uint32  // failures in a row
	RetryAt float64 // seconds of simulation time
}

// maxFaulty is how many entities may fail in one run of a system. More, and the
// fault is the system's: its tick is undone as a whole and no entity is parked.
const maxFaulty = 32

// maxParked is how many entities may be parked by all systems together, an entity for
// each of them, and maxResting by one system, since passing over them counts in each run; the next one that
// fails is no longer parked, but its system's tick undone.
// longestParked is how many bytes of the message each of them keeps.
const (
	maxParked     = 1 << 16
	maxResting    = 1 << 10
	longestParked = 512
)

// parked is an entity that a system passes over.
type parked struct {
	ScriptError
	wait  float64 // seconds; doubles with each failure in a row
	shown bool    // the entity has its component
	met   bool    // the run at hand has come to it
}

// eachFaults are the entities for which one each function fails.
//
// Invariant: an entity in parked has a ScriptError from the end of the tick on,
// unless it has died or somebody has removed it.
type eachFaults struct {
	parked map[ecs.Entity]*parked
	Failed []ecs.Entity // in this run
	first  *diag.Error  // of this run
	others int          // parked by other systems when the first one failed
}

// begin starts a run: entities that have died are forgotten, and those whose
// component is gone are tried again. Where the query comes to what has changed only,
// they stay until it comes to them, as if they had not failed yet. O(parked entities), which is charged together with
// passing them over: each parts the rows of a kernel in two.
func (f *eachFaults) begin(m *Executor, changed bool) {
	f.Failed, f.first = f.Failed[:0], nil
	for e, p := range f.parked {
		switch p.met = false; {
		case !p.shown && m.World.Alive(e) || m.World.Raw().Has(e, m.ScriptError.ID()):
		case changed && m.World.Alive(e):
			*p = parked{}
		default:
			delete(f.parked, e)
		}
	}
	if rest := min(len(f.parked), maxResting); rest > 0 { // a save of before may have more
		m.Tx.Meter()
		m.Tx.Charge(rest * tx.StepsOfRest)
	}
}

// rests reports whether a parked entity is to be passed over.
func (f *eachFaults) rests(e ecs.Entity, now float64) bool {
	p := f.parked[e]
	if p != nil {
		p.met = true
	}
	return p != nil && now < p.RetryAt
}

// left returns the parked entities to which the run has not come and whose rest is
// over.
func (f *eachFaults) left(now float64) (list []ecs.Entity) {
	for e, p := range f.parked {
		if !p.met && now >= p.RetryAt {
			list = append(list, e)
		}
	}
	slices.Sort(list)
	return list
}

// next returns the first row from i on whose entity is parked, or how many there
// are.
func (f *eachFaults) next(list []ecs.Entity, i int) int {
	if len(f.parked) == 0 {
		return len(list)
	}
	for i < len(list) && f.parked[list[i]] == nil {
		i++
	}
	return i
}

// park notes that the call for an entity has failed.
func (f *eachFaults) park(m *Executor, e *diag.Error, now float64) {
	if f.first == nil {
		f.first, f.others = e, m.parkedBeside(f)
	}
	f.Failed = append(f.Failed, e.Entity)
	p := f.parked[e.Entity]
	if p == nil {
		p = &parked{}
		if f.parked == nil {
			f.parked = map[ecs.Entity]*parked{}
		}
		f.parked[e.Entity] = p
	}
	p.wait = min(max(2*p.wait, tx.FirstRetry), tx.LastRetry)
	p.shown = false
	p.ScriptError = ScriptError{
		System: e.System, Script: e.Script, Line: int32(e.Line), Message: strings.Clone(diag.CutAt(e.Message, longestParked)), Times: p.Times + 1, RetryAt: now + p.wait,
	}
}

// parkedBeside returns how many entities other systems have parked.
func (m *Executor) parkedBeside(f *eachFaults) (n int) {
	for _, other := range m.Faulty {
		if other != f {
			n += len(other.parked)
		}
	}
	return n
}

// full reports whether one entity too many is parked.
func (f *eachFaults) full() bool {
	return len(f.parked) > maxResting || f.others+len(f.parked) > maxParked
}

// tooMany is the fault of a system that fails for too many entities. They are
// not parked: nothing is wrong with them.
func (f *eachFaults) tooMany() *diag.Error {
	own := len(f.parked) > maxResting
	for _, e := range f.Failed {
		if p := f.parked[e]; p.Times <= 1 {
			delete(f.parked, e)
		}
	}
	whole := *f.first
	why := fmt.Sprintf("and so for %d entities", len(f.Failed))
	switch {
	case len(f.Failed) >= maxFaulty:
	case own:
		why = diag.Grouped(maxResting) + " entities rest already since it has failed for them"
	default:
		why = diag.Grouped(maxParked) + " entities rest already since systems have failed for them"
	}
	whole.Message = fmt.Sprintf("%s (%s: the whole tick of the system is undone)", diag.CutAt(whole.Message, diag.LongestPart), why)
	f.Failed = f.Failed[:0]
	return &whole
}

// failed takes back what the call for one row has done, and parks its entity.
func (x *EachRunner) failed(L *lua.LState, v *rows.View, i int, err error) {
	m, c, f := x.m, x.m.Tx.Call, &x.faults
	m.Tx.Charge(tx.StepsOfFailure)
	c.UndoRow(v, i)
	c.Rewind(x.mark)
	e := m.Tx.Blame(c, err)
	if e.Line == 0 { // a limit that was reached before the first instruction
		e.Put(fault.OfFunction(L, x.proto()))
	}
	if m.Tx.Cut(e) { // not for what the entity is or does
		fault.Raise(L, e)
	}
	f.park(m, e, x.tick.Time)
	m.settling = append(m.settling, e.Entity)
	switch {
	case m.Tx.Ends(L, err):
		fault.Raise(L, e)
	case len(f.Failed) >= maxFaulty || f.full():
		m.Reports = m.Reports[:x.reported]
		fault.Raise(L, f.tooMany())
	}
	m.Reports = append(m.Reports, e)
}

// succeeded frees a parked entity for which the function works again.
func (x *EachRunner) succeeded(e ecs.Entity) {
	if x.faults.parked[e] != nil {
		delete(x.faults.parked, e)
		x.m.settling = append(x.m.settling, e)
	}
}

// Faults returns what has failed since the last call without ending a system's
// run: the errors of entities, in order.
func (m *Executor) Faults() []*diag.Error {
	list := m.Reports
	m.Reports = nil
	return list
}

// Settle gives entities that have failed their ScriptError, and takes it from
// those that have not, or are free again. Call it between two ticks. O(entities that failed or
// went on, and those that rest).
func (m *Executor) Settle() {
	if len(m.settling) == 0 {
		return
	}
	last := m.latest()
	for _, e := range m.settling {
		p, due := last[e]
		delete(last, e) // it may be there twice
		switch {
		case !due || !m.World.Alive(e):
		case p != nil:
			_ = m.ScriptError.Set(e, p.ScriptError) // fails for want of memory only: then nothing is shown
		default:
			_ = m.ScriptError.Remove(e)
		}
	}
	m.settling = m.settling[:0]
}

// latest returns what the last system says that has parked each of the entities that settle, nil where none rests. Of
// each system it looks at these or at those that it has parked, whichever are fewer.
func (m *Executor) latest() map[ecs.Entity]*parked {
	all := make(map[ecs.Entity]*parked, len(m.settling))
	for _, e := range m.settling {
		all[e] = nil
	}
	see := func(e ecs.Entity, p *parked) {
		if p == nil || p.Times == 0 {
			return
		}
		p.shown = true
		if last := all[e]; last == nil || p.RetryAt-p.wait >= last.RetryAt-last.wait {
			all[e] = p
		}
	}
	for _, f := range m.Faulty {
		if len(all) < len(f.parked) {
			for e := range all {
				see(e, f.parked[e])
			}
			continue
		}
		for e, p := range f.parked {
			if _, settles := all[e]; settles {
				see(e, p)
			}
		}
	}
	return all
}

// Unpark forgets the parked entities of a system that ends.
func (m *Executor) Unpark(f *eachFaults) {
	m.settling = append(m.settling, slices.Sorted(maps.Keys(f.parked))...)
	f.parked = nil
	m.Faulty = slices.DeleteFunc(m.Faulty, func(x *eachFaults) bool { return x == f })
}
