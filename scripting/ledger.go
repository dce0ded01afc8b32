package scripting

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
)

// ledger counts the faults of running scripts, so that one that comes in every
// tick is told once and then in sums, not in every tick.
//
// Invariant: waiting are the entries with something untold, in the order in which
// they began to wait; entries are those of waiting, and others.
type ledger struct {
	entries map[string]*entry
	waiting []*entry
}

// entry is one fault: the same message at the same place of the same system. In
// messages all numbers count as the same.
type entry struct {
	last     *Error
	times    int                 // in all
	untold   int                 // since it was told last
	entities map[ecs.Entity]bool // for which it came
	next     float64             // seconds of simulation time when the next sum is due
	wait     float64
}

// Seconds of simulation time between two sums of the same fault.
const (
	firstSum = 10
	lastSum  = 160
)

// maxEntries bounds the ledger, and maxCounted the entities of one entry: a
// script can make up a new message for each of its faults.
const (
	maxEntries = 1000
	maxCounted = 10_000
)

// note counts a fault and reports whether it is to be told now. One that is told
// again, because it has parked its system, says how often it came.
func (l *ledger) note(e *Error, now float64) bool {
	key := faultKey(e)
	x := l.entries[key]
	if x == nil {
		if l.entries == nil || len(l.entries) >= maxEntries {
			l.entries = map[string]*entry{}
		}
		x = &entry{next: now + firstSum, wait: firstSum}
		l.entries[key] = x
	}
	x.last = e
	x.times++
	if e.Entity != 0 && len(x.entities) < maxCounted {
		if x.entities == nil {
			x.entities = map[ecs.Entity]bool{}
		}
		x.entities[e.Entity] = true
	}
	if x.times == 1 {
		return true
	}
	if e.Parked {
		l.settle(x)
		return true
	}
	if x.untold++; x.untold == 1 {
		l.waiting = append(l.waiting, x)
	}
	return false
}

// settle writes into an entry's last fault how often it came; all is told then.
func (l *ledger) settle(x *entry) *Error {
	x.untold = 0
	l.waiting = slices.DeleteFunc(l.waiting, func(y *entry) bool { return y == x })
	x.last.Times, x.last.Entities = x.times, len(x.entities)
	return x.last
}

// due returns the sums that are to be told now; with all, those of a script or,
// without a name, of every script.
func (l *ledger) due(now float64, script string, all bool) []*Error {
	var list []*Error
	for _, x := range slices.Clone(l.waiting) {
		if !all && now >= x.next || all && (script == "" || x.last.Script == script) {
			list = append(list, l.settle(x))
			x.wait = min(2*x.wait, lastSum)
			x.next = now + x.wait
		}
	}
	return list
}

// forget drops what is known about a script, whose text is new.
func (l *ledger) forget(script string) {
	maps.DeleteFunc(l.entries, func(_ string, x *entry) bool { return x.last.Script == script })
}

// faultKey names a fault, whatever numbers are in its message.
func faultKey(e *Error) string {
	message := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, e.Message)
	for strings.Contains(message, "00") {
		message = strings.ReplaceAll(message, "00", "0")
	}
	return fmt.Sprintf("%s:%d %s: %s", e.Script, e.Line, e.System, message)
}

// inOrder merges the faults of entities, which end no run, with those that the
// world reports, in the order in which systems run.
func inOrder(order []string, ended, faults []*Error) []*Error {
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
