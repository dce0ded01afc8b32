package scripting

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
)

// Spent is what calls of a script have used since its host was made: the same on every machine.
type Spent struct {
	Calls        uint64 // into the VM
	Instructions int64  // as Limits.Instructions counts them
	Made         int64  // bytes, as Limits.Bytes counts them
	Failures     uint64 // calls that failed, and entities for which an each function failed alone
}

// ScriptUsage is what one loaded script uses. A reload goes on counting; a script that is gone
// takes its figures along. Of all figures only Time depends on the machine.
type ScriptUsage struct {
	Script string
	Spent                // of all of its calls
	Held   int64         // bytes that its variables hold now, as Limits.Held counts them
	Rows   uint64        // that its systems have run, by kernels and by the VM
	Time   time.Duration // of its systems, by the clock; see Effort
	// Refused are the runs of its systems that were left out, see Ran. They are no failures.
	Refused uint64
	ByCall  []CallUsage // by name
}

// CallUsage is the part of one system, or of a callback under the name that messages give it:
// observers, timers, on_start functions.
type CallUsage struct {
	Name string
	Spent
	Ran // zero for callbacks
}

// Usage returns what each loaded script uses, in alphabetical order, for quotas and for figures.
// It walks over all that scripts hold: some ten nanoseconds for each value. A host that works waits for it.
//
// Any goroutine may call it, and Ran and Kernels as well. While the host is at work on another
// goroutine, in a step for example, it gets the figures that were there last, nil where there are none,
// and the host makes new ones when it has finished. Beside steps of the world without its host, see [Host.Step], and
// inside of what another host does, they belong to the goroutine of the steps.
func (h *Host) Usage() []ScriptUsage {
	if !h.made() {
		return nil
	}
	return h.readings.usage.read(h, h.usageNow, ownUsage)
}

// ownUsage returns a copy.
func ownUsage(list []ScriptUsage) []ScriptUsage {
	list = slices.Clone(list)
	for i := range list {
		list[i].ByCall = slices.Clone(list[i].ByCall)
	}
	return list
}

// usageNow is Usage of this moment.
func (h *Host) usageNow() []ScriptUsage {
	if h.gone() {
		return nil
	}
	held := h.held()
	var list []ScriptUsage
	for name, m := range h.live {
		u := ScriptUsage{Script: name, Held: held[name]}
		for _, sys := range eachOf(m.script) {
			ran := ranOf(sys)
			u.Refused += ran.Refused
			own := ran.Own() // what kernels have done that it calls is in their own records
			u.Rows += own.Kernel.Rows + own.VM.Rows
			u.Time += own.Kernel.Time + own.VM.Time + own.Foreign.Time
			u.ByCall = append(u.ByCall, CallUsage{Name: sys.Name, Ran: ran})
		}
		for who, spent := range h.limiter.spent {
			if who.script == name {
				u.add(who.call, *spent)
			}
		}
		slices.SortFunc(u.ByCall, func(a, b CallUsage) int { return cmp.Compare(a.Name, b.Name) })
		list = append(list, u)
	}
	slices.SortFunc(list, func(a, b ScriptUsage) int { return cmp.Compare(a.Script, b.Script) })
	return list
}

// add adds what calls of a name have used.
func (u *ScriptUsage) add(name string, s Spent) {
	u.Spent.Calls += s.Calls
	u.Instructions += s.Instructions
	u.Made += s.Made
	u.Failures += s.Failures
	i := slices.IndexFunc(u.ByCall, func(c CallUsage) bool { return c.Name == name })
	if i < 0 {
		i = len(u.ByCall)
		u.ByCall = append(u.ByCall, CallUsage{Name: name})
	}
	u.ByCall[i].Spent = s
}

// held counts what each live script holds now, and leaves the watch over Limits.Held alone.
func (vm *interpreter) held() map[string]int64 {
	owners, values := vm.owners()
	walk := newWalk()
	walk.Begin(values)
	for !walk.Step(1 << 30) {
	}
	held := map[string]int64{}
	for i, n := range walk.Bytes() {
		held[owners[i].name] += n
	}
	return held
}

// SetLimits changes the limits of the host from the next call of a script on. What exceeds a
// limit by then is dealt with as if it had grown since: the script that holds more than Held is
// stopped, and nothing is taken away from any. Files that are loaded stay; those that are staged
// later have to be within the new limits, with them. Zero fields mean the defaults, as in
// [Options].
//
// It belongs to the goroutine of the steps, between two of them, and waits for a Stage that is under
// way. The error wraps [ErrClosed], or [ecs.ErrIterating] inside of a step, of a script's call
// or of a Stage.
func (h *Host) SetLimits(limits Limits) error {
	if err := h.enter(limiting); err != nil {
		return err
	}
	defer h.leave()
	if !h.staging.Lock() { // who stages reads the limits
		return insideOfStage(limiting)
	}
	defer h.staging.Unlock()
	limits.fill()
	h.opts.Limits, *h.limits = limits, limits
	h.limiter.setLimits(limits)
	h.binding.SetLimits(h.options().Limits)
	h.library.setLimits(h.limits)
	h.heldWatch.setLimits(&limits)
	h.limiter.gauge.setLimits(&limits)
	if h.heldWatch.least > 0 {
		_ = h.count() // calls of those that hold too much get the error
	} else {
		h.heldWatch.excesses, h.limiter.refused = nil, nil
	}
	return nil
}

// Unload takes one script out of the game at once, by the rules that a reload has for a file
// that was removed: its systems go, its on_unload runs, what it has spawned stays. The error is
// a *LoadError, and nothing has changed, where other scripts require it. It wraps
// [ecs.ErrUnknown] for a script that is not loaded, [ErrClosed], or [ecs.ErrIterating] inside of
// a step, an [ecs.World.Run], a loop over a query or a script's call. OnReload gets the verdict, as for all reloads.
//
// The file stays in the folder: when it is staged as changed, it is loaded again. What waits
// to be taken over is tried anew with the next step.
func (h *Host) Unload(script string) error {
	if err := h.enter(unloading); err != nil {
		return err
	}
	defer h.leave()
	if h.live[script] == nil {
		return h.noScript(script)
	}
	texts := map[string]*source{script: {name: script, removed: true}}
	began := time.Now()
	r, before := newReload(texts), h.textsFor()
	h.swap(&r, texts, nil)
	r.Held = time.Since(began)
	r.Took = r.Held
	if r.Err == nil {
		h.mu.Lock()
		refused := h.published.refused
		h.mu.Unlock()
		h.publish(refused)
	}
	h.tellTexts(&r, before)
	h.tellReload(r)
	return r.Err
}

// noScript says that no script of a name is loaded.
func (h *Host) noScript(name string) error {
	hint := diag.DidYouMean(name, h.Modules())
	return &unknownScript{"scripting: Unload: no script " + diag.Format("%q is loaded", name) + strings.TrimSuffix(hint, "\n")}
}

// unknownf makes an error that wraps ecs.ErrUnknown, and does not say so.
func unknownf(format string, v ...any) error { return &unknownScript{fmt.Sprintf(format, v...)} }

// unknownScript says that no script has a name. To errors.Is it is ecs.ErrUnknown.
type unknownScript struct{ text string }

func (e *unknownScript) Error() string { return e.text }

// Is implements the test of errors.Is.
func (e *unknownScript) Is(target error) bool { return target == ecs.ErrUnknown }
