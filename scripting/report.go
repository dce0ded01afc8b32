package scripting

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/ecs"
)

// maxReactions is of how many faults of one tick scripts are told.
const maxReactions = 16

// react tells scripts of what has failed. What fails while they deal with it is
// reported, and they are not told of that.
func (h *Host) react(report func(...*Error)) {
	told := h.newFaults
	h.newFaults = nil
	for _, e := range told[:min(len(told), maxReactions)] {
		h.module.React(e, func(err error) { report(collect(err)...) })
	}
	h.newFaults = nil
}

// note counts a fault, and tells of it when it is new.
func (h *Host) note(e *Error) {
	h.complete(e)
	now, _ := h.world.Time()
	if h.faults.note(e, now) {
		h.newFaults = append(h.newFaults, e)
		h.report(e)
	}
}

// losses are the faults of systems that do not read their events: nothing has
// failed, and something is gone all the same.
func (h *Host) losses() []*Error {
	var list []*Error
	_, tick := h.world.Time()
	for _, l := range h.world.Losses() {
		e := &Error{Script: goCode, System: l.Reader, Tick: tick, Limit: "MaxUnread"}
		e.Message = fmt.Sprintf("%s events %q were lost before it read them: at most %s wait for a system that does not run, or runs too seldom (Options.MaxUnread)",
			bindings.Grouped(int64(l.Lost)), l.Event, bindings.Grouped(int64(l.Limit)))
		list = append(list, e)
	}
	return list
}

// complete adds to a fault what the host knows about it.
func (h *Host) complete(e *Error) {
	if e.Script == goCode {
		h.locate(e)
	}
	reword(e, &h.opts.Limits)
	if e.Parked {
		e.Blocked = h.blockedBy(e.System)
	}
	if m := h.live[e.Script]; m != nil {
		quote(e, m.text)
	}
}

// locate puts a script's name and line to an error that comes from the world:
// a command that could not be applied, after the script had returned.
func (h *Host) locate(e *Error) {
	for _, m := range h.live {
		if script, line, ok := m.script.Place(e.System); ok {
			e.Script, e.Line = script, line
			return
		}
	}
}

// blockedBy names the systems that rest because one is parked, in running order.
func (h *Host) blockedBy(system string) []string {
	blocker := map[string]string{}
	for _, s := range h.world.Schedule().Stats(nil) {
		if s.Health == ecs.Blocked {
			blocker[s.Name] = s.Blocker
		}
	}
	var names []string
	for _, name := range h.world.Schedule().Names() {
		for at, steps := blocker[name], 0; at != "" && steps <= len(blocker); at, steps = blocker[at], steps+1 {
			if at == system {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// report hands an error to the host program.
func (h *Host) report(e *Error) {
	if h.opts.OnError != nil {
		h.opts.OnError(e)
		return
	}
	h.opts.Logger.Error(e.Error())
}
