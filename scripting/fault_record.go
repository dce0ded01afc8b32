package scripting

import (
	"maps"
	"slices"
)

// Faults are what has failed in a host since it was made: see [Host.Faults].
type Faults struct {
	// Total is how many faults there were, each counted as often as it came.
	Total uint64
	// Recent are the last of them, oldest first: up to 100, fewer if their texts take more
	// than a megabyte.
	Recent []*Error
	// Systems are the systems that have failed, by name: the 1,000 that have failed last,
	// fewer if the texts of their faults take more than 4 megabytes.
	Systems []SystemFaults
}

// SystemFaults are the faults of one system. It keeps its record when its script is loaded
// anew, or is gone.
type SystemFaults struct {
	System string // its name, or that of an observer, a timer, an on_start; as Error.System
	Total  uint64 // failed runs, and rows
	Rows   uint64 // of these, entities for which an each function failed alone
	Last   *Error
}

// Faults returns what has failed since the host was made: faults of scripts, which no step
// returns, and errors of Go systems, which Step returns, too. It is a copy, which no later
// step changes; do not change the errors in it. Call it between two steps, and after Close
// as well. O(faults that are in it).
func (h *Host) Faults() Faults {
	if !h.made() {
		return Faults{}
	}
	r := &h.record
	if r.total == 0 {
		return Faults{}
	}
	f := Faults{Total: r.total, Recent: slices.Clone(r.recent)}
	for _, name := range slices.Sorted(maps.Keys(r.systems)) {
		f.Systems = append(f.Systems, r.systems[name].SystemFaults)
	}
	return f
}

// The bounds of a record, as Faults states them. Why bytes, too? A script chooses the
// texts of its errors, and the names of its systems.
const (
	maxRecent       = 100
	maxRecentBytes  = 1 << 20
	maxSystems      = 1000
	maxSystemsBytes = 4 << 20
)

// faultRecord counts faults and keeps the last ones.
//
// Invariant: recentBytes and systemBytes are the sums of sizeOf of recent, and of the last
// faults of systems with their names; neither is above its bound, but for a single fault. The last
// failure of each system is in failed.
type faultRecord struct {
	total       uint64
	recent      []*Error
	recentBytes int
	systems     map[string]*systemRecord
	failed      []failure // in order; the last one of each system is the one that counts
	systemBytes int
}

// systemRecord is what is known of one system.
type systemRecord struct {
	SystemFaults
	at    uint64 // the total when it failed last
	bytes int
}

// failure says that a system failed, by the total of faults at that time.
type failure struct {
	system string
	at     uint64
}

// add counts a fault; row says that it is of an entity whose function failed alone. An error that
// ends the run of an each function, such as a limit, names the entity at which it did, too.
func (r *faultRecord) add(e *Error, row bool) {
	r.total++
	r.recent, r.recentBytes = append(r.recent, e), r.recentBytes+sizeOf(e)
	for len(r.recent) > maxRecent || r.recentBytes > maxRecentBytes && len(r.recent) > 1 {
		r.recentBytes -= sizeOf(r.recent[0])
		r.recent[0] = nil
		r.recent = r.recent[1:]
	}
	if e.System == "" {
		return
	}
	s := r.systems[e.System]
	if s == nil {
		if r.systems == nil {
			r.systems = map[string]*systemRecord{}
		}
		s = &systemRecord{SystemFaults: SystemFaults{System: e.System}}
		r.systems[e.System] = s
	}
	r.systemBytes -= s.bytes
	s.Total, s.Last, s.at, s.bytes = s.Total+1, e, r.total, sizeOf(e)+len(e.System)
	if row {
		s.Rows++
	}
	r.systemBytes += s.bytes
	r.failed = append(r.failed, failure{e.System, r.total})
	if len(r.failed) > 4*maxSystems && len(r.failed) > 4*len(r.systems) {
		r.failed = slices.DeleteFunc(r.failed, func(f failure) bool { return !r.last(f) })
	}
	for len(r.systems) > maxSystems || r.systemBytes > maxSystemsBytes && len(r.systems) > 1 {
		r.drop()
	}
}

// last reports whether a failure is the last one of a system that is known.
func (r *faultRecord) last(f failure) bool {
	s := r.systems[f.system]
	return s != nil && s.at == f.at
}

// drop forgets the system whose last fault is the oldest. Each failure is passed once.
func (r *faultRecord) drop() {
	for !r.last(r.failed[0]) {
		r.failed = r.failed[1:]
	}
	oldest := r.systems[r.failed[0].system]
	r.failed = r.failed[1:]
	r.systemBytes -= oldest.bytes
	delete(r.systems, oldest.System)
}

// goStackBytes is about how many bytes the calls of Go take that a panic has left. Why not their length? It differs with
// who calls the step, and what is counted of faults is in saves and in what recordings compare.
const goStackBytes = 8 << 10

// sizeOf is about how much memory a fault takes.
func sizeOf(e *Error) int {
	n := len(e.Message) + frameBytes*len(e.Trace) + len(e.Source)
	if e.GoStack != "" {
		n += goStackBytes
	}
	return n
}
