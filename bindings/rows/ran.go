package rows

import "time"

// Ran says what ran where: of one system, or of one kernel that scripts call. A reload
// goes on counting where the version before has ended.
type Ran struct {
	Kernel  Effort // rows that a kernel has run
	VM      Effort // what the VM has run; its time has that of Foreign in it
	Foreign Effort // functions of the host that were called meanwhile: they have no rows
	// Refused are runs of a system that were left out: the limits of their tick had left nothing
	// for its script, or that held too much.
	Refused uint64
}

// Turns counts what has been run so far: rows, and calls of the script's function.
func (r *Ran) Turns() uint64 { return r.Kernel.Rows + r.VM.Rows + r.VM.Calls }

// Effort is the part of one path in a [Ran].
type Effort struct {
	Rows  uint64
	Calls uint64 // of a kernel, of the script's function, or of functions of the host
	// Time is by the clock. Runs and calls that are short are not measured each: one of
	// some stands for the others.
	Time time.Duration
}
