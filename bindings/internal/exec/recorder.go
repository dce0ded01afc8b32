package exec

import (
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
)

// Recorder keeps the record of a system while it runs.
//
// Why is not each run measured? To look at the clock twice takes as long as a kernel takes for
// a hundred rows.
type Recorder struct {
	*rows.Ran
	foreign *rows.Effort // what all calls of scripts have called of the host's
	before  rows.Effort  // the same, when the VM began
	world   *ecs.World   // whose schedule measures all runs of the system; nil for a kernel of ecs.kernel

	timed    bool          // this run is measured
	compiled bool          // it is one of a kernel
	passed   bool          // the condition has said no
	began    time.Time     // when it did
	vm       time.Duration // by the VM in it, if it is one of a kernel
	last     time.Duration // by the last run that was measured, for which the condition has said yes
	waiting  int           // runs since one was measured, for which the next one stands, too
	taken    time.Duration // what runs had taken up to the last one that is in the record, by the schedule
	known    bool          // taken is
}

// A run is measured if the one before took long, and one of so many in any case. Where runs for which
// the condition says no are between long ones, all are.
const (
	longRun  = 20 * time.Microsecond
	mostRuns = 16
)

// NewRecorder makes the recorder of a system. It goes on with the record of the one that had
// its name before.
func (m *Executor) NewRecorder(s *System) Recorder {
	if s.Ran = m.Records.named[recordName{s.Name, s.OnDemand}]; s.Ran == nil {
		s.Ran = &rows.Ran{}
	}
	r := Recorder{Ran: s.Ran, foreign: &m.Tx.Foreign, last: longRun}
	if !s.OnDemand {
		r.world = m.World
	}
	return r
}

// Records are those of systems and kernels, by name, also of those that are gone.
//
// Invariant: Gone has no name twice and none that is loaded, and at most mostGone in all: the one
// that went first leaves its place. So scripts that load and drop systems without end take no more
// memory.
type Records struct {
	named map[recordName]*rows.Ran
	Gone  []GoneSystem // those that went first come first
}

// recordName tells a kernel from a system of the same name.
type recordName struct {
	name   string
	called bool
}

// GoneSystem is a system, or a kernel of ecs.kernel, that a load has removed.
type GoneSystem struct {
	Script, Name string
	Called       bool
	Ran          *rows.Ran
}

// mostGone is how many records are kept of systems that are gone.
const mostGone = 1000

// Take follows a load that was accepted: the records of what has gone are kept, and what has
// come has those of its names. O(systems that go and come, those that are gone).
func (r *Records) Take(gone, come []*System) {
	if r.named == nil {
		r.named = map[recordName]*rows.Ran{}
	}
	here := map[recordName]bool{}
	for _, s := range come {
		if s.Ran != nil {
			name := recordName{s.Name, s.OnDemand}
			here[name], r.named[name] = true, s.Ran
		}
	}
	r.Gone = slices.DeleteFunc(r.Gone, func(g GoneSystem) bool { return here[recordName{g.Name, g.Called}] })
	for _, s := range gone {
		if name := (recordName{s.Name, s.OnDemand}); !here[name] && s.Ran != nil {
			here[name] = true
			r.Gone = append(r.Gone, GoneSystem{s.Script, s.Name, s.OnDemand, s.Ran})
		}
	}
	excess := max(len(r.Gone)-mostGone, 0)
	for _, g := range r.Gone[:excess] {
		delete(r.named, recordName{g.Name, g.Called})
	}
	r.Gone = slices.Delete(r.Gone, 0, excess)
}

// due begins a run of the VM, or of a kernel if compiled is set then, and reports whether it is
// to be measured.
func (r *Recorder) due() bool {
	r.waiting++
	r.timed, r.compiled, r.passed = r.last >= longRun || r.waiting >= mostRuns, false, false
	r.vm = 0 // that of a run which has failed is no part of this one
	return r.timed
}

// took ends a run that has not failed.
func (r *Recorder) took() {
	if !r.timed {
		return
	}
	now := time.Since(r.began)
	if !r.compiled {
		r.vm = now
	}
	all := now + r.others(now)
	vm := time.Duration(float64(all) * (float64(r.vm) / float64(max(now, 1))))
	r.Kernel.Time += all - vm
	r.VM.Time += vm
	if r.waiting = 0; !r.passed {
		r.last = now
	}
}

// others returns how long the runs took that were not measured since the last one that was, if each was
// as long as one that took now.
//
// Why not always as long as that? A busy machine, or the collection of garbage, holds up one run of many for
// milliseconds: it does not stand for others. All runs of a system are no longer than the schedule
// says; of those of a kernel that scripts call only so much is known that the one before them was short.
func (r *Recorder) others(now time.Duration) (others time.Duration) {
	n := time.Duration(r.waiting - 1)
	if r.world == nil {
		return n * min(now, longRun)
	}
	spent := r.world.Raw().Spent()
	if !r.known {
		r.taken, r.known = spent, true // with what versions before this one have taken
	}
	others = min(n*now, spent-r.taken)
	r.taken += others + now
	return others
}

// Begin begins a run of the VM. End ends it, also when it fails.
func (r *Recorder) Begin() {
	r.before = *r.foreign
	if r.due() {
		r.began = time.Now()
	}
}

func (r *Recorder) End() {
	r.abroad()
	r.took()
}

// abroad takes over what the VM has called of the host.
func (r *Recorder) abroad() {
	r.Foreign.Calls += r.foreign.Calls - r.before.Calls
	r.Foreign.Time += r.foreign.Time - r.before.Time
}

// part measures what the VM does in a run of a kernel, if that is measured.
func (r *Recorder) part(work func()) {
	if !r.timed {
		work()
		return
	}
	began := time.Now()
	work()
	r.vm += time.Since(began)
}

// ByVM notes that the VM runs so many rows in so many calls.
func (r *Recorder) ByVM(rows, calls int) {
	r.VM.Rows += uint64(rows)
	r.VM.Calls += uint64(calls)
}

// byKernel is ByVM for a kernel.
func (r *Recorder) byKernel(rows, calls int) {
	r.Kernel.Rows += uint64(rows)
	r.Kernel.Calls += uint64(calls)
}
