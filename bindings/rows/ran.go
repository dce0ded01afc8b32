package rows

import "time"

// Ran says what ran where: of one system, or of one kernel that scripts call. A reload
// goes on counting where the version before has ended.
type Ran struct {
	Kernel  Effort // rows that a kernel has run
	VM      Effort // what the VM has run; its time has that of Foreign in it, and of when functions
	Foreign Effort // functions of the host that were called meanwhile: they have no rows
	// Callees is the part of all three that kernels of ecs.kernel have done, which the system
	// has called: they have records of their own, too. Its time of Kernel is in that of VM, too.
	Callees Callees
	// Refused are runs of a system that were left out: the limits of their tick had left nothing
	// for its script, or that held too much.
	Refused uint64
}

// Callees is the part that kernels have in the [Ran] of a system that calls them.
type Callees struct{ Kernel, VM, Foreign Effort }

// AddCallee adds what a kernel has done since its record was before: the system of r has called it.
func (r *Ran) AddCallee(before, now *Ran) {
	kernel, vm := now.Kernel.Since(before.Kernel), now.VM.Since(before.VM)
	r.Kernel.Add(kernel)
	r.VM.Rows += vm.Rows // the time is in that of the system's function
	r.VM.Calls += vm.Calls
	r.Callees.Kernel.Add(kernel)
	r.Callees.VM.Add(vm)
	r.Callees.Foreign.Add(now.Foreign.Since(before.Foreign))
}

// Own returns the record without what kernels have done that the system has called: of the records
// of a game, these can be added up. Short runs are not measured each, so that a time may be
// less than that of a part of it: it is 0 then.
func (r Ran) Own() Ran {
	r.Kernel = r.Kernel.Since(r.Callees.Kernel)
	r.VM = r.VM.Since(r.Callees.VM)
	r.Foreign = r.Foreign.Since(r.Callees.Foreign)
	r.Callees = Callees{}
	return r
}

// Turns counts what the system itself has run so far: rows, and calls of the script's function. What
// kernels have done that its condition has called is no work that it has found.
func (r *Ran) Turns() uint64 {
	c := &r.Callees
	return r.Kernel.Rows + r.VM.Rows + r.VM.Calls - c.Kernel.Rows - c.VM.Rows - c.VM.Calls
}

// Effort is the part of one path in a [Ran].
type Effort struct {
	Rows  uint64
	Calls uint64 // of a kernel, of the script's function, or of functions of the host
	// Time is by the clock. Runs and calls that are short are not measured each: one of
	// some stands for the others.
	Time time.Duration
}

// Add adds another effort.
func (e *Effort) Add(o Effort) {
	e.Rows += o.Rows
	e.Calls += o.Calls
	e.Time += o.Time
}

// Since returns what has come to an effort since it was before.
func (e Effort) Since(before Effort) Effort {
	return Effort{e.Rows - before.Rows, e.Calls - before.Calls, max(e.Time-before.Time, 0)}
}
