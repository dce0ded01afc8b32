package scripting

import (
	"fmt"
	"math"

	"github.com/perigee-ecs/perigee/bindings"
	lua "github.com/yuin/gopher-lua"
)

// everything is how many on_start functions have run where none will run again.
const everything = math.MaxInt

// start runs the on_start functions of scripts that are new. One that fails is
// tried again when its script was reloaded, with those after it.
func (h *Host) start(report func(error)) {
	names := h.starting
	h.starting = nil
	for _, name := range names {
		m := h.live[name]
		if m == nil || h.started[name] == everything {
			continue
		}
		done, all, err := h.module.Start(m.script, h.started[name])
		if h.started[name] = done; all {
			h.started[name] = everything
		}
		report(err)
	}
}

// runUnloadHooks runs the on_unload functions of scripts that have ended. None of them
// can stop the swap, which has taken place; what fails is reported like a fault of
// a system. It returns the value that each hands over, by script, and in words what
// cannot be handed over.
func (h *Host) runUnloadHooks(gone []*bindings.Script) (handed map[string]lua.LValue, left map[string]string) {
	handed, left = map[string]lua.LValue{}, map[string]string{}
	for _, s := range gone {
		v, rest, err := h.module.Unload(s)
		handed[s.Name], left[s.Name] = v, rest
		h.noteSwapError(err)
	}
	return handed, left
}

// leftBehind says what is lost of the values that old versions hand over. Why is the
// set not refused for it? It is in force by then: a version says good bye when it is
// certain that another comes.
func leftBehind(l *loader, handed map[string]lua.LValue, left map[string]string, replaced map[string]*module) []string {
	var notes []string
	for _, m := range l.order {
		old := replaced[m.name]
		if old == nil {
			continue
		}
		if rest := left[old.name]; rest != "" {
			notes = append(notes, fmt.Sprintf("%s: on_unload cannot hand over %s", old.name, rest))
		}
		if handed[old.name] != lua.LNil && !m.script.TakesHandover() {
			notes = append(notes, fmt.Sprintf("%s: on_unload hands a value over, and no on_reload takes it", m.name))
		}
	}
	return notes
}

// runReloadHooks runs the on_reload functions of scripts that replace an older version.
func (h *Host) runReloadHooks(l *loader, handed map[string]lua.LValue, replaced map[string]*module) {
	for _, m := range l.order {
		old := replaced[m.name]
		if old == nil {
			continue
		}
		if v, ok := handed[old.name]; ok {
			h.module.Reloaded(m.script, v, h.noteSwapError)
		}
	}
}

// noteSwapError keeps what has failed during a swap for the report of the step.
func (h *Host) noteSwapError(err error) { h.swapErrors = append(h.swapErrors, collect(err)...) }

// forget settles the accounts of scripts that end: of what they did wrong, sums
// that were not told yet are told now.
func (h *Host) forget(l *loader) {
	now, _ := h.world.Time()
	for _, name := range h.Modules() {
		if !l.changes(name) {
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
// Why do they not go on with the old code? Their variables are those of the old
// version, which nothing else sees any more: a task that waits for a flag in a
// module's local would wait forever, beside the task that the new version has
// begun. Whoever holds one in another script finds it dead, which loops over tasks
// must expect anyway.
func (h *Host) cancel(gone []*bindings.Script) []string {
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
		notes = append(notes, fmt.Sprintf("%s of the old version of %s %s cancelled", bindings.Plural(n, "suspended coroutine"), s.Name, were))
	}
	return notes
}
