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
	before  rows.Effort  // the same, when the run began

	began    time.Time
	timed    bool          // this run is measured
	compiled bool          // it is one of a kernel
	skipped  time.Duration // how many runs the next measured one stands for
	last     time.Duration // by the last one that was
	vm       time.Duration // by the VM in a run of a kernel
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

// Begin begins a run on the VM, or with compiled, of a kernel. End ends it, also when it fails.
func (r *Recorder) Begin(compiled bool) {
	r.before, r.vm, r.compiled = *r.foreign, 0, compiled
	r.skipped++
	if r.timed = r.last >= longRun || r.skipped >= mostRuns; r.timed {
		r.began = time.Now()
	}
}

func (r *Recorder) End() {
	r.Foreign.Calls += r.foreign.Calls - r.before.Calls
	r.Foreign.Time += r.foreign.Time - r.before.Time
	if !r.timed {
		return
	}
	r.last = time.Since(r.began)
	if !r.compiled {
		r.vm = r.last
	}
	r.Kernel.Time += (r.last - r.vm) * r.skipped
	r.VM.Time += r.vm * r.skipped
	r.skipped = 0
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
