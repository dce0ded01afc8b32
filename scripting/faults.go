package scripting

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
)

// faultLog counts the faults of running scripts, so that a fault that comes in every
// tick is reported once and then in sums, not in every tick.
//
// A script can make up a new message for each of its faults. So the oldest entries go
// when there are too many, or when all of them take too much memory; what they had not
// reported yet is reported in one sum.
//
// Invariant: waiting are the entries with unreported faults, and some that had such when sums were
// looked at last, in the order in which they began to wait. entries and order have the same entries, order by when they came first;
// waiting are some of them. bytes and counted are the sums of their bytes and entities.
type faultLog struct {
	entries map[string]*faultEntry
	order   []*faultEntry
	waiting []*faultEntry
	bytes   int
	counted int
	dropped int     // unreported faults of entries that were dropped
	changes uint64  // counts what may have changed the log
	next    float64 // seconds of simulation time when the sum of these is due
}

// faultEntry is one fault: the same message at the same place of the same system. Messages
// that differ only in numbers count as the same.
type faultEntry struct {
	key        string
	bytes      int // of the key and the last fault
	last       *Error
	times      int                 // in all
	unreported int                 // since the last report
	waits      bool                // it is one of those that wait
	entities   map[ecs.Entity]bool // for which it came
	next       float64             // seconds of simulation time when the next sum is due
	wait       float64
}

// Seconds of simulation time between two sums of the same fault.
const (
	firstSum = 10
	lastSum  = 160
)

// maxEntries and maxBytes bound the entries, maxCounted the entities of one of them and
// maxAllCounted those of all.
const (
	maxEntries    = 1000
	maxBytes      = 8 << 20
	maxCounted    = 10_000
	maxAllCounted = 100_000
)

// note counts a fault, and reports whether it must be reported now. If a known fault has
// parked its system, it is reported again with the number of times.
func (l *faultLog) note(e *Error, now float64) bool {
	l.changes++
	key := faultKey(e)
	x := l.entries[key]
	if x == nil {
		x = &faultEntry{key: key, next: now + firstSum, wait: firstSum}
		l.add(x)
	}
	l.keep(x, e)
	x.times++
	if e.Entity != 0 && len(x.entities) < maxCounted && l.counted < maxAllCounted && !x.entities[e.Entity] {
		if x.entities == nil {
			x.entities = map[ecs.Entity]bool{}
		}
		x.entities[e.Entity] = true
		l.counted++
	}
	if x.times == 1 {
		return true
	}
	if e.Parked { // nobody has got e yet
		*e = *l.settle(x)
		return true
	}
	if x.unreported++; !x.waits {
		x.waits, l.waiting = true, append(l.waiting, x)
	}
	return false
}

// add adds an entry. If there are too many, it replaces the oldest one.
func (l *faultLog) add(x *faultEntry) {
	if l.entries == nil {
		l.entries = map[string]*faultEntry{}
	}
	if len(l.order) >= maxEntries {
		l.drop()
	}
	l.entries[x.key], l.order = x, append(l.order, x)
}

// keep makes a fault the last one of its entry. If the log takes too much memory then, the
// oldest other entries go.
func (l *faultLog) keep(x *faultEntry, e *Error) {
	l.bytes -= x.bytes
	x.last, x.bytes = e, len(x.key)+sizeOf(e)
	l.bytes += x.bytes
	for l.bytes > maxBytes && l.order[0] != x {
		l.drop()
	}
}

// drop forgets the entry that came first. Its unreported faults are reported in the sum of dropped ones.
func (l *faultLog) drop() {
	x := l.order[0]
	l.order[0] = nil
	l.order = l.order[1:]
	l.let(x)
}

// let takes an entry out of all lists but order.
func (l *faultLog) let(x *faultEntry) {
	l.changes++
	delete(l.entries, x.key)
	if x.waits {
		l.waiting = slices.DeleteFunc(l.waiting, func(y *faultEntry) bool { return y == x })
	}
	l.bytes -= x.bytes
	l.counted -= len(x.entities)
	l.dropped += x.unreported
}

// rest returns the sum of the faults of dropped entries, if it is due.
func (l *faultLog) rest(now float64, all bool) []*Error {
	if l.dropped == 0 || now < l.next && !all {
		return nil
	}
	e := diag.New("%s more errors came again, of too many kinds to tell them apart: an error whose text is another one each time is told each time", diag.Grouped(int64(l.dropped))).On(diag.Place{Script: goCode})
	l.dropped, l.next = 0, now+firstSum
	return []*Error{e}
}

// settle returns the last fault of an entry, with how often it came. It is a copy: others
// have the fault as it was. Nothing of the entry is unreported then.
func (l *faultLog) settle(x *faultEntry) *Error {
	l.changes++
	x.unreported = 0
	last := *x.last
	last.Times, last.Entities = x.times, len(x.entities)
	return &last
}

// due returns the sums that are to be reported now; with all, every sum of a script or,
// without a name, of all scripts.
func (l *faultLog) due(now float64, script string, all bool) []*Error {
	var list []*Error
	l.waiting = slices.DeleteFunc(l.waiting, func(x *faultEntry) bool {
		x.waits = x.unreported > 0 // what has been settled since
		return !x.waits
	})
	for _, x := range l.waiting {
		if !all && now >= x.next || all && (script == "" || x.last.Script == script) {
			list = append(list, l.settle(x))
			x.wait = min(2*x.wait, lastSum)
			x.next = now + x.wait
		}
	}
	if script == "" {
		list = append(list, l.rest(now, all)...)
	}
	return list
}

// forget drops the entries of a script whose text is new, if they have nothing unreported.
func (l *faultLog) forget(script string) {
	of := func(x *faultEntry) bool { return x.last.Script == script }
	l.waiting = slices.DeleteFunc(l.waiting, func(x *faultEntry) bool {
		x.waits = !of(x)
		return !x.waits
	})
	l.order = slices.DeleteFunc(l.order, func(x *faultEntry) bool {
		if of(x) {
			l.let(x)
		}
		return of(x)
	})
}

// clone returns a log that goes on by itself. O(entries, and the entities that they count).
func (l *faultLog) clone() faultLog {
	c := *l
	c.entries, c.order, c.waiting = make(map[string]*faultEntry, len(l.entries)), nil, nil
	for _, x := range l.order {
		y := *x
		y.entities = maps.Clone(x.entities)
		c.entries[y.key], c.order = &y, append(c.order, &y)
	}
	for _, x := range l.waiting {
		c.waiting = append(c.waiting, c.entries[x.key])
	}
	return c
}

// successor returns a clone whose number of changes is above all that its host has had.
func (l *faultLog) successor(changes uint64) faultLog {
	c := l.clone()
	c.changes = changes
	return c
}

// frameBytes is about how much memory a frame of a traceback takes.
const frameBytes = 64

// keyed is up to how many bytes of its message tell a fault from others.
const keyed = 1 << 10

// faultKey names a fault, whatever numbers are in its message.
func faultKey(e *Error) string {
	message := e.Message[:min(len(e.Message), keyed)]
	key := make([]byte, 0, len(e.Script)+len(e.System)+len(message)+16)
	key = fmt.Appendf(key, "%s:%d %s: ", e.Script, e.Line, e.System)
	number := false // the last one was a digit
	for i := range len(message) {
		switch c := message[i]; {
		case c < '0' || c > '9':
			key, number = append(key, c), false
		case !number:
			key, number = append(key, '0'), true
		}
	}
	return strings.ToValidUTF8(string(key), "\ufffd") // it is in saves, and the end may have cut a letter
}

// inSystemOrder merges the faults of entities, which end no run, with those that the
// world reports, in the order in which systems run.
func inSystemOrder(order []string, ended, faults []*Error) []*Error {
	place := map[string]int{}
	for i, name := range order {
		place[name] = i
	}
	at := 0
	var all []*Error
	for _, e := range faults {
		for at < len(ended) && place[ended[at].System] <= place[e.System] {
			all = append(all, ended[at])
			at++
		}
		all = append(all, e)
	}
	return append(all, ended[at:]...)
}

// maxReactions is how many faults of one tick scripts get.
const maxReactions = 16

// react gives new faults to the scripts that handle them. A fault of such a handler goes
// to the host program, and not to scripts again. It returns the errors that are the host's.
func (h *Host) react() (own []error) {
	told := h.newFaults
	h.newFaults = nil
	for _, e := range told[:min(len(told), maxReactions)] {
		h.binding.React(e, func(err error) { own = append(own, h.failed(err)...) })
	}
	h.newFaults = nil
	return own
}

// failed notes what has failed, and returns what of it is the host's: see Step.
func (h *Host) failed(err error) (own []error) {
	faults, own := h.divideErrors(err)
	h.note(faults...)
	return own
}

// note counts faults, and reports those that are new.
func (h *Host) note(faults ...*Error) { h.noteRows(faults, nil) }

// noteRows is note where some of the faults are of rows that failed alone: they end no run.
func (h *Host) noteRows(faults []*Error, alone map[*Error]bool) {
	now, _ := h.world.Time()
	blocked := h.blockedBy(faults)
	for _, e := range faults {
		h.complete(e)
		e.Blocked = blocked[e]
		fresh := h.faults.note(e, now)
		h.record.add(e, alone[e])
		h.limiter.failed(e.System)
		if h.noted != nil {
			h.noted.note(e)
		}
		if fresh {
			h.newFaults = append(h.newFaults, e)
			h.report(e)
		}
	}
}

// divideErrors takes joined errors apart. Each is a fault, for OnError; those that are the
// host's own are errors of the step, too.
func (h *Host) divideErrors(err error) (faults []*Error, own []error) {
	for _, one := range apart(err) {
		faults = append(faults, asError(one))
		if !h.ofScripts(one) {
			own = append(own, one)
		}
	}
	return faults, own
}

// ofScripts reports whether an error is the fault of scripts alone: all in it that they have
// failed with, or what their systems and observers have recorded and could not be done.
func (h *Host) ofScripts(err error) bool {
	sys, isSystem := errors.AsType[*ecs.SystemError](err)
	return allFaults(err) || isSystem && h.declares(sys.System)
}

// allFaults reports whether an error consists of faults of scripts. A Go system may return
// them, as those of a kernel that it runs.
func allFaults(err error) bool {
	if e, ok := err.(*Error); ok {
		return e.Script != goCode
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		return x.Unwrap() != nil && allFaults(x.Unwrap())
	case interface{ Unwrap() []error }:
		list := x.Unwrap()
		return len(list) > 0 && !slices.ContainsFunc(list, func(err error) bool { return !allFaults(err) })
	}
	return false
}

// declares reports whether a system or an observer is one of the loaded scripts'.
func (h *Host) declares(system string) bool {
	for _, m := range h.live {
		if _, ok := m.script.Place(system); ok {
			return true
		}
	}
	return false
}

// losses returns the faults of systems that read their events too late: nothing has
// failed, but events are lost.
func (h *Host) losses() []*Error {
	var list []*Error
	_, tick := h.world.Time()
	for _, l := range h.world.Raw().Losses() {
		limit, why := whyLost(l)
		e := &Error{Script: goCode, System: l.Reader, Tick: tick, Limit: limit}
		e.Message = fmt.Sprintf("%s events %q were lost before it read them: %s", diag.Grouped(int64(l.Lost)), l.Event, why)
		list = append(list, e)
	}
	return list
}

// whyLost names the bound for which a reader has lost events, and says what to do.
func whyLost(l ecs.Loss) (limit, why string) {
	n := diag.Grouped(int64(l.Limit))
	switch l.Cause {
	case ecs.LostToRetentionEvents:
		return "Retention.Events", fmt.Sprintf("at most %s of them wait, as the host says for this event: let it run more often, or let more wait (Retention.Events)", n)
	case ecs.LostToTypeBytes:
		return "", fmt.Sprintf("events of one type that wait take at most %s bytes: let it run more often, or make the event smaller", n)
	case ecs.LostToWorldBytes:
		return "", fmt.Sprintf("events of all types that wait take at most %s bytes, and most are of this one: let it run more often, or emit less", n)
	case ecs.LostToRetentionTicks:
		return "Retention.Ticks", fmt.Sprintf("an event waits for at most %s ticks, as the host says for this one: let it run more often, or let events wait longer (Retention.Ticks)", n)
	}
	return "MaxUnread", fmt.Sprintf("at most %s wait for a system that does not run, or runs too seldom (Options.MaxUnread)", n)
}

// complete adds to a fault what the host knows about it.
func (h *Host) complete(e *Error) {
	if e.Script == goCode {
		h.locate(e)
	}
	reword(e, &h.opts.Limits)
	e.Quote()
}

// locate adds the script and the line to an error of the world, such as a command that
// could not be applied after the script had returned.
func (h *Host) locate(e *Error) {
	for _, m := range h.live {
		if at, ok := m.script.Place(e.System); ok {
			e.Put(at)
			return
		}
	}
}

// blockedBy names, for each fault that has parked a system, the systems that rest because of
// that, in the order in which they run. O(systems), and what it names.
func (h *Host) blockedBy(faults []*Error) map[*Error][]string {
	parked := map[string]*Error{}
	for _, e := range faults {
		if e.Parked {
			parked[e.System] = e
		}
	}
	if len(parked) == 0 {
		return nil
	}
	blocker := map[string]string{}
	for _, s := range h.world.Schedule().Stats(nil) {
		if s.Health == ecs.Blocked {
			blocker[s.Name] = s.Blocker
		}
	}
	if len(blocker) == 0 {
		return nil
	}
	blocked, known := map[*Error][]string{}, map[string]*Error{}
	for _, name := range h.world.Schedule().Names() {
		var way []string // to the one that is parked, or to one for which that is known
		at := name
		for blocker[at] != "" && known[at] == nil && len(way) <= len(blocker) {
			way, at = append(way, at), blocker[at]
		}
		e := parked[at]
		if e == nil {
			e = known[at]
		}
		if len(way) == 0 {
			e = known[name]
		}
		if e == nil {
			continue
		}
		for _, passed := range way {
			known[passed] = e
		}
		blocked[e] = append(blocked[e], name)
	}
	return blocked
}

// report hands an error to the host program.
func (h *Host) report(e *Error) {
	if h.opts.OnError != nil {
		h.callHost("OnError", func() { h.opts.OnError(e) })
		return
	}
	h.opts.Logger.Error(e.Error())
}
