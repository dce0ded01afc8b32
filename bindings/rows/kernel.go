package rows

import "errors"

// ErrNoCompiler is why a function has no kernel that could have one: there is no compiler for this
// platform, or the process may not have executable memory. The VM runs its rows, whatever
// the script says of kernels.
var ErrNoCompiler = errors.New("kernels cannot be compiled here")

// Kernel is an each function that was compiled. It leaves the same bytes
// as the function would, called row by row.
type Kernel interface {
	// Facts says what is so for all calls.
	Facts() *KernelFacts
	// Ready reports whether the kernel can run now: what the function names is what it was
	// compiled for, and the values that it captures are of the same kinds. It reads captured
	// variables; Done writes back what rows have made of them. Between the two the
	// VM must not run.
	Ready() bool
	Done()
	// Unready says why the kernel was not Ready when it was asked last: `"gates" has another
	// length`. It is empty when it was.
	Unready() string
	// Fits reports that there is room for whatever so many rows of a safe kernel note, if
	// nothing else is done meanwhile.
	Fits(rows int) bool
	// Run runs the rows of a view, and says in c how far it came. An error is one of the
	// engine, never of the script.
	Run(c *KernelCall) error
	// RunParallel is Run for kernels that are Independent. Several goroutines may call it
	// at the same time, each for rows of its own, once the kernel was Ready.
	RunParallel(c *KernelCall) error
	// Close ends the kernel. An error is about memory that the engine could not give back.
	Close() error
}

// KernelFacts are what is known of a kernel when it is made.
type KernelFacts struct {
	Writes      []int // the terms of which it may write a field
	Work        int64 // nanoseconds that a row needs at most, as the compiler counts, but for loops that use fuel, what is Outside, and long values that its changes copy
	Most        int64 // the same with all formulas for values for which they do not hold, and with these values; at least Work
	Outside     int64 // nanoseconds of such a formula, beyond what Work has of it
	Lists       int64 // nanoseconds that it takes at most to copy the lists of the script that it reads, before the rows of a run
	Safe        bool  // no row can stop it, as long as there is room for the changes that it notes
	Fuelled     bool  // rows use fuel
	Metered     bool  // rows use fuel, or call functions of the host's own, which charge instructions
	Independent bool  // rows have nothing to do with each other: they may run at the same time
	Despawns    bool  // rows despawn entities; while Kin, it may stop at such a row
	ReadsMarks  bool  // it asks which entities its run has done something to
	Passing     bool  // it leaves branches to the VM because of values that may be others later
	Blind       bool  // it looks at other entities without asking: it must not run once something was done
}

// KernelCall is one call of a kernel. The kernel runs the rows from Next up to End, and
// moves Next to the row at which it stopped, which is End when no row is left. A row at
// which it stops is as it was; what rows before it have noted is done.
type KernelCall struct {
	View      *View
	Next, End int

	Fuel           int64   // for loops, not negative; what the rows that are done have left of it
	Random         uint64  // the state of the random numbers, before and after
	DT, Time, Tick float64 // DT and Tick are not negative; of -0 the kernel sees 0
	Mark           uint8   // what marks entities to which the run has done something; not 0
	Kin            bool    // somebody is in a relation

	Outside int64 // calls of formulas, of the rows that were run, for values for which they do not hold

	Full bool // it has stopped because there was no room for a change; if it was not the first row, there is now
	Dry  bool // it has stopped because there was too little fuel
}
