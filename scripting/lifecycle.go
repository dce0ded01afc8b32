package scripting

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
)

// Scripts are called when their versions come and go, always between two ticks: on_start
// once for each script of a world, on_unload when a version ends, and on_reload when a
// new version has taken its place. Each is a call with limits of its own, and undone as a
// whole when it fails.

// everything is the count of on_start functions that have run for a script that has
// nothing left to start.
const everything = math.MaxInt

// start runs the on_start functions of scripts that are new. A function that fails is
// tried again when its script was reloaded, with those after it.
//
// What comes with Load has the limits of a load, which are not those of a frame: a room that is
// not filled here stays empty, and nobody waits for a frame yet.
func (h *Host) start(report func(error)) {
	if h.fresh {
		h.fresh, h.limiter.starting = false, true
		h.binding.Unhurried(true)
		defer func() {
			h.binding.Unhurried(false)
			h.limiter.starting = false
			h.limiter.newTick(len(h.live))
		}()
	}
	for len(h.starting) > 0 { // one by one: those after a function that ends the goroutine start later
		name := h.starting[0]
		h.starting = h.starting[1:]
		m := h.live[name]
		if m == nil || h.started[name] == everything {
			continue
		}
		done, all, err := h.binding.Start(m.script, h.started[name])
		if h.started[name] = done; all {
			h.started[name] = everything
		} else {
			sayNotAgain(err, m.script.StartsFrom(done+1))
		}
		report(err)
	}
}

// sayNotAgain notes in the fault of an on_start function, which is the last of joined ones, when it
// is tried again, and with it the later ones of its file, which stand in lines.
func sayNotAgain(err error, lines []int) {
	all := apart(err)
	if len(all) == 0 {
		return
	}
	if e, ok := errors.AsType[*diag.Error](all[len(all)-1]); ok {
		e.Final = true
		e.Message += notStarted(lines)
	}
}

// notStarted says which on_start functions wait for one that has failed: they may need what it makes.
func notStarted(lines []int) string {
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("; that of line %d waits for it", lines[0])
	}
	return fmt.Sprintf("; %d later ones wait for it, the first in line %d", len(lines), lines[0])
}

// handover is the value that on_unload of an old version gives to on_reload of the new
// one, and in words what of it cannot be handed over.
//
// If an on_reload function fails, the value waits for the next version that has one, and with
// it all on_reload functions run again. Until then the script has not taken over what there
// was, so its own on_unload has nothing to hand over in its place.
//
// A version without an on_reload lets the value wait, too: a file that was saved empty, or half,
// loses nothing when it is saved again. What such a version hands over itself takes the place of what
// waits.
type handover struct {
	bindings.Handover
	lost string // empty: nothing
}

// runUnload runs the on_unload functions of the versions that end with a load which nothing speaks
// against. It returns the handovers by script, or why the load is refused.
//
// A version that cannot hand over to its successor refuses the load, as a field does that would be
// lost: the mistake is in the old text, and no new one mends that, so what it would have handed over is gone
// for good. The new text says ecs.drop "on_unload" where that is meant. Nothing is lost, and so
// nothing refused, where the file has no successor, or an earlier value waits in place of this one.
//
// Like the top level, on_unload may run for a load that is refused in the end: what it did is undone, but for
// variables of the file.
func (h *Host) runUnload(l *loader, gone []*bindings.Declarations, origins origins) (map[string]handover, []*Error) {
	successors := map[string]*module{}
	for _, m := range l.order {
		if old := h.before(m.name, origins); old != nil {
			successors[old.name] = m
		}
	}
	var bound, others []*bindings.Declarations
	for _, s := range gone {
		next, waiting := successors[s.Name], h.untaken[s.Name]
		if next != nil && !next.script.DropsHandover() && !waiting.Failed {
			bound = append(bound, s)
		} else {
			others = append(others, s)
		}
	}
	defer h.limiter.swap(len(h.live))()
	handed, failed, problems := h.binding.Unload(bound, others)
	for _, e := range failed {
		next := e.Script
		if m := successors[strings.TrimPrefix(e.System, "on_unload ")]; m != nil {
			next = m.name
		}
		problems = append(problems, unloadProblem(e, next))
	}
	if len(problems) > 0 {
		l.vm.complete(problems)
		return nil, problems
	}
	handovers := map[string]handover{}
	for _, s := range gone {
		x := handed[s]
		if x.Value == nil {
			x.Value = lua.LNil
		}
		over := handover{bindings.Handover{Value: x.Value}, x.Left}
		waiting, waits := h.untaken[s.Name]
		if waits && (waiting.Failed || x.Value == lua.LNil) {
			over.Handover = waiting
			if x.Value != lua.LNil {
				over.lost = "all of it: on_reload had failed, and what that was to take comes first"
			}
		}
		handovers[s.Name] = over
		h.noteSwapError(x.Err)
	}
	return handovers, nil
}

// unloadProblem says why a load is refused whose old version cannot hand over, and what to do.
func unloadProblem(e *Error, next string) *Error {
	p := *e
	p.System, p.Tick, p.Entity = "", 0, 0
	p.Message = fmt.Sprintf("ecs.on_unload of the version that runs fails, and what it hands over would be lost: %s; "+
		"if it may be lost, write ecs.drop \"on_unload\" in %s, and remove that when it is loaded", e.Message, next)
	return &p
}

// lostValues says what is lost of the values that old versions hand over.
//
// Why is the set not refused for it? A function or a coroutine belongs to its version, and no change of
// the text could hand it over.
func lostValues(l *loader, handovers map[string]handover, replaced map[string]*module) []string {
	var notes []string
	for _, m := range l.order {
		old := replaced[m.name]
		if old == nil {
			continue
		}
		over := handovers[old.name]
		if over.lost != "" {
			notes = append(notes, fmt.Sprintf("%s: on_unload cannot hand over %s", old.name, over.lost))
		}
		if m.script.DropsHandover() {
			notes = append(notes, fmt.Sprintf("%s: ecs.drop \"on_unload\" is done: remove the line, so that a later mistake in ecs.on_unload loses nothing", m.name))
		}
		switch {
		case over.Value == lua.LNil || m.script.TakesHandover():
		case over.Failed:
			notes = append(notes, fmt.Sprintf("%s: what on_reload had failed to take waits for a version with an on_reload", m.name))
		default:
			notes = append(notes, fmt.Sprintf("%s: on_unload hands a value over, and no on_reload takes it: it waits for a version that has one", m.name))
		}
	}
	return notes
}

// runReload runs the on_reload functions of scripts that replace an older version.
func (h *Host) runReload(l *loader, handovers map[string]handover, replaced map[string]*module) {
	defer h.limiter.swap(len(h.live))()
	for _, m := range l.order {
		old := replaced[m.name]
		if old == nil {
			continue
		}
		over, ok := handovers[old.name]
		if !ok {
			continue
		}
		taken := h.binding.Reloaded(m.script, over.Value, h.noteSwapError)
		if (!taken || !m.script.TakesHandover()) && over.Value != lua.LNil {
			h.untaken[m.name] = bindings.Handover{Value: over.Value, Failed: over.Failed || !taken}
		}
	}
}

// noteSwapError keeps what has failed during a swap for the report of the step: it is no
// reason to refuse the set, which is in force.
func (h *Host) noteSwapError(err error) { h.swapErrors = append(h.swapErrors, apart(err)...) }

// forget ends the fault log of scripts that end. Faults that were not reported yet are
// reported now, because they belong to the old text.
func (h *Host) forget(l *loader) {
	now, _ := h.world.Time()
	for _, name := range append(h.Modules(), timerCode) { // handlers of timers are looked for again
		if !l.changes(name) && name != timerCode {
			continue
		}
		for _, e := range h.faults.due(now, name, true) {
			h.report(e)
		}
		h.faults.forget(name)
	}
}

// cancel ends the suspended coroutines of scripts that end, and returns a line for
// each script that had some.
//
// Why do they not go on with the old code? Their variables are those of the old version, and
// nothing else can reach these any more. A task that waits for a flag in a module's local
// would wait for ever, next to the task that the new version has begun. Another script that
// holds such a coroutine finds it dead, which a loop over tasks must expect anyway.
func (h *Host) cancel(gone []*bindings.Declarations) []string {
	var notes []string
	for _, s := range gone {
		n := h.library.Cancel(h.live[s.Name].env)
		if n == 0 {
			continue
		}
		were := "were"
		if n == 1 {
			were = "was"
		}
		notes = append(notes, fmt.Sprintf("%s of the old version of %s %s cancelled", diag.Plural(n, "suspended coroutine"), s.Name, were))
	}
	return notes
}
