package scripting

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
)

// StepAll is Step, but returns the faults of scripts, too: all that has failed, joined, each
// an *Error; or why the step was refused.
func (h *Host) StepAll(dt float64) error {
	if h.noted == nil {
		h.noted = &faultList{}
	}
	list := h.noted.(*faultList)
	list.all = list.all[:0]
	if err := h.Step(dt); len(list.all) == 0 {
		return err
	}
	return errors.Join(list.all...)
}

// faultList is what gets every fault for StepAll. It is made once: benchmarks step so.
type faultList struct{ all []error }

func (l *faultList) note(e *Error) { l.all = append(l.all, e) }

// Replace swaps the scripts for those of another folder between two steps, as if its files
// had been saved over the old ones. The error is that of the verdict.
func (h *Host) Replace(folder fs.FS) error {
	changed, err := fs.Glob(folder, "*.lua")
	if err != nil {
		return err
	}
	removed := slices.DeleteFunc(h.Modules(), func(name string) bool { return slices.Contains(changed, name) })
	h.mu.Lock()
	h.folder = folder
	h.mu.Unlock()
	h.Stage(changed, removed)
	return h.verdict(h.take(), nil).Err
}

// LoadNext loads a folder as if it were the first, beside what is loaded: without the dry run
// of a Stage.
func (h *Host) LoadNext(folder fs.FS) error {
	h.loaded = false
	return h.Load(folder)
}

// FaultRecord is the record of a host.
type FaultRecord struct{ r faultRecord }

// Add counts a fault.
func (f *FaultRecord) Add(e *Error) { f.r.add(e, e.Entity != 0) }

// Systems returns how many systems it knows.
func (f *FaultRecord) Systems() int { return len(f.r.systems) }

// LoadedKernels returns how many different kernels the host's engine holds.
func (h *Host) LoadedKernels() int {
	if h.kernels.engine == nil {
		return 0
	}
	return h.kernels.engine.Modules()
}

// CompiledKernels returns how many kernels were compiled so far.
func (h *Host) CompiledKernels() int {
	if h.kernels.engine == nil {
		return 0
	}
	return h.kernels.engine.Made()
}

// ChooseVectors chooses among the plans of kernels from the next load on: below 0
// they work row by row, above 0 by the plan of that number.
func (h *Host) ChooseVectors(which int) { h.vectors = which }

// GrowLists has kernels read the lengths of lists in each run from the next load on, and not
// only when they have changed several times.
func (h *Host) GrowLists() { h.growing = true }

// KernelRows says for each compiled system how its rows go together.
func (h *Host) KernelRows() []string {
	var list []string
	for _, m := range h.live {
		for _, sys := range m.script.Systems {
			if made, _ := sys.Kernel(); made != nil {
				list = append(list, made.(*kernel.Kernel).Packing())
			}
		}
	}
	return list
}

// WithoutCompiler makes the host one of a platform that has no compiler for kernels.
func (h *Host) WithoutCompiler() { h.kernels.absent = true }

// Steps returns how many steps the last call of a script has used.
func (h *Host) Steps() int64 { return h.limiter.budget.Used() }

// Plant has the compiler call a function for each name that an each function
// captures, in rehearsals too.
func (h *Host) Plant(fails func(name string)) { h.onCapture = fails }

// Readings returns how many live scripts have their text's tree in memory.
func (h *Host) Readings() (n int) {
	for _, m := range h.live {
		if m.program.read != nil {
			n++
		}
	}
	return n
}

// Work returns what the limits have counted since the last step began: instructions of all
// calls, and nanoseconds of functions over rows.
func (h *Host) Work() (instructions, rows int64) { return h.limiter.tick, h.limiter.rows.used }

// SlowClock has the clock of the limits go on by so much with each instruction, and with nothing
// else.
func (h *Host) SlowClock(step time.Duration) {
	b, earlier, last := &h.limiter.budget, int64(0), int64(0)
	b.Now = func() time.Duration {
		now := b.Used()
		if now < last { // another call has begun
			earlier += last
		}
		last = now
		return time.Duration(earlier+now) * step
	}
}

// Clocked returns how long the instructions of the last tick have taken by that clock.
func (h *Host) Clocked() time.Duration { return time.Duration(h.limiter.clock.used) }

// BeforeKernels has a function called before each kernel that is compiled beside the ticks, on the
// goroutine that does it.
func (h *Host) BeforeKernels(do func()) { h.kernels.delay = do }

// AwaitKernels waits until all kernels are compiled that were begun beside the ticks.
func (h *Host) AwaitKernels() { h.kernels.beside.Wait() }

// StagedTranslations returns the kernels that were translated for the set which waits for the next step.
func (h *Host) StagedTranslations() *kernel.Translations {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pending.dryRun.vm.tried.In
}

// Workers are the functions that enter a host.
var Workers = workers

// Resting returns how many live scripts have a text that must be read again by whoever asks what it says.
func (h *Host) Resting() (n int) {
	for _, m := range h.live {
		if m.program.read == nil {
			n++
		}
	}
	return n
}
