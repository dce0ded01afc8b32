package scripting

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// readings let any goroutine ask what a host has used, while another one steps it.
//
// Why does it not wait for the end of the step? A system of the step may be waiting for it. And
// why is the goroutine that steps not noted, so that it could be compared? To find out its number
// takes longer than an empty step; who asks has time to look at its own stack.
//
// Invariant: working is held while the host is at work, and while what that writes is read.
type readings struct {
	working sync.Mutex
	usage   lastRead[ScriptUsage]
	ran     lastRead[SystemRan]
	kernels lastRead[KernelStatus]
}

// lastRead is one kind of figures, as it was last.
type lastRead[T any] struct {
	asked atomic.Bool // in vain; the host makes them at the end of its work
	last  atomic.Pointer[[]T]
}

// read returns the figures that now makes. While another goroutine works with the host, they are those
// of the last time. own makes a copy of them.
func (f *lastRead[T]) read(h *Host, now func() []T, own func([]T) []T) []T {
	switch {
	case h.gone():
		return nil
	case h.readings.working.TryLock():
		defer h.readings.working.Unlock()
		return f.keep(now(), own)
	case works():
		return now()
	}
	f.asked.Store(true)
	if last := f.last.Load(); last != nil {
		return own(*last)
	}
	return nil
}

// keep keeps a copy of figures for others.
func (f *lastRead[T]) keep(list []T, own func([]T) []T) []T {
	kept := own(list)
	f.last.Store(&kept)
	return list
}

// answer makes figures that somebody has asked for in vain.
func (f *lastRead[T]) answer(now func() []T, own func([]T) []T) {
	if f.asked.Load() {
		f.asked.Store(false)
		f.keep(now(), own)
	}
}

// begin keeps figures from being read. It waits for those that are.
func (f *readings) begin() { f.working.Lock() }

// end ends what begin has begun.
func (f *readings) end(h *Host) {
	f.usage.answer(h.usageNow, ownUsage)
	f.ran.answer(h.ranNow, slices.Clone)
	f.kernels.answer(h.kernelsNow, slices.Clone)
	f.working.Unlock()
}

// works reports whether this goroutine works with a host: it was called back.
func works() bool {
	var at [64]uintptr
	for skip := 2; ; skip += len(at) {
		n := runtime.Callers(skip, at[:])
		for frames, more := runtime.CallersFrames(at[:n]), n > 0; more; {
			var frame runtime.Frame
			frame, more = frames.Next()
			name, ok := strings.CutPrefix(frame.Function, inPackage)
			if _, known := slices.BinarySearch(workers, name); ok && known {
				return true
			}
		}
		if n < len(at) {
			return false
		}
	}
}

// inPackage is how the names of the functions of this package begin.
const inPackage = "github.com/perigee-ecs/perigee/scripting."

// workers are the functions that enter a host, in alphabetical order.
var workers = []string{
	"(*Console).Complete", "(*Console).run", "(*Host).Check", "(*Host).CheckNotes", "(*Host).Close", "(*Host).RestoreScripts", "(*Host).SetLimits", "(*Host).TryOut", "(*Host).Unload",
	"(*Host).Update", "(*Host).UpdateScripts", "(*Host).WriteScene", "(*Host).changeScene", "(*Host).loadFolder", "(*Host).step",
	"(*Ring).Capture", "(*Ring).Look",
}
