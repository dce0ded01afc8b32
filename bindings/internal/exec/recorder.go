package exec

import (
	"time"

	"github.com/perigee-ecs/perigee/bindings/rows"
)

// Recorder keeps the record of a system while it runs.
//
// Why is not each run measured? To look at the clock twice takes as long as a kernel takes for
// a hundred rows.
type Recorder struct {
	*rows.Ran
	foreign *rows.Effort // what all calls of scripts have called of the host's
	before  rows.Effort  // the same, when the VM began

	timed    bool          // this run is measured
	compiled bool          // it is one of a kernel
	began    time.Time     // when it did
	vm       time.Duration // by the VM in it, if it is one of a kernel
	last     time.Duration // by the last run that was measured
	waiting  time.Duration // runs since then, for which the next one that is measured stands, too
}

// A run is measured if the one before took long, and one of so many in any case.
const (
	longRun  = 20 * time.Microsecond
	mostRuns = 16
)

// NewRecorder makes the recorder of a system. It goes on with the record of the one that had
// its name before.
func (m *Executor) NewRecorder(s *System) Recorder {
	if m.Ran == nil {
		m.Ran = map[string]*rows.Ran{}
	}
	name := s.Name
	if s.OnDemand {
		name = "kernel " + name // a system may be called so, too
	}
	r := m.Ran[name]
	if r == nil {
		r = &rows.Ran{}
		m.Ran[name] = r
	}
	s.Ran = r
	return Recorder{Ran: r, foreign: &m.Tx.Foreign, last: longRun}
}

// due begins a run of the VM, or of a kernel if compiled is set then, and reports whether it is
// to be measured.
func (r *Recorder) due() bool {
	r.waiting++
	r.timed, r.compiled = r.last >= longRun || r.waiting >= mostRuns, false
	return r.timed
}

// took ends a run that was measured.
func (r *Recorder) took() {
	r.last = time.Since(r.began)
	if !r.compiled {
		r.vm = r.last
	}
	r.Kernel.Time += (r.last - r.vm) * r.waiting
	r.VM.Time += r.vm * r.waiting
	r.waiting, r.vm = 0, 0
}

// Begin begins a run of the VM. End ends it, also when it fails.
func (r *Recorder) Begin() {
	r.before = *r.foreign
	if r.due() {
		r.began = time.Now()
	}
}

func (r *Recorder) End() {
	if r.abroad(); r.timed {
		r.took()
	}
}

// abroad takes over what the VM has called of the host.
func (r *Recorder) abroad() {
	r.Foreign.Calls += r.foreign.Calls - r.before.Calls
	r.Foreign.Time += r.foreign.Time - r.before.Time
}

// part measures what the VM does in a run of a kernel.
func (r *Recorder) part(work func()) {
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
