package exec

import "time"

// tempo holds the time that a kernel takes against what the compiler reckons. Nearly all take about that, but arithmetic
// with numbers next to zero (below 2^-1022) takes some twenty times as long, and no one sees it in the text.
//
// A run is measured where the one before was long enough. What is far beyond the reckoning counts as time of
// the tick, and ends the run when there is no more. A run that cannot fail keeps nothing to undo it, so it goes on to its end. The next
// runs of the system fail before their first row, as many as it takes until a system is parked.
//
// Why is a slow kernel not run with an undo, so that it can be ended? What is kept counts against limits: calls would fail, or not,
// as the clock has it.
type tempo struct {
	clock    func() time.Time
	measured bool
	spent    bool      // no time of the tick is left for this run
	refusals int       // runs that fail at once
	at       time.Time // of the last look at the clock
	since    int64     // nanoseconds as reckoned, since then
	total    int64     // of the run so far, likewise
	last     int64     // of the last run that had rows
}

const (
	// tempoEvery is how much is reckoned between two looks at the clock, in nanoseconds.
	tempoEvery = 50_000
	// usualTempo is how many times as long as reckoned a kernel may take before that counts, and slowestTempo how many times
	// count at most: the clock goes on while the machine runs another program.
	usualTempo, slowestTempo = 6, 20
	// tempoRefusals is how many runs fail after one that was too slow: a breaker parks a system after three.
	tempoRefusals = 3
)

// begin begins a run.
func (p *tempo) begin() {
	if p.total > 0 {
		p.last = p.total
	}
	p.since, p.total = 0, 0
	if p.spent = p.refusals > 0; p.spent {
		p.refusals--
	}
	if p.measured = p.last >= tempoEvery; p.measured {
		p.at = p.clock()
	}
}

// look counts rows as they are reckoned, and returns what they took beyond that as far as it counts.
func (p *tempo) look(work int64) (beyond int64) {
	p.total += work
	if p.since += work; !p.measured || p.since < tempoEvery {
		return 0
	}
	now := p.clock()
	took := min(int64(now.Sub(p.at)), slowestTempo*p.since)
	beyond = max(took-usualTempo*p.since, 0)
	p.at, p.since = now, 0
	return beyond
}

// exceed notes that no time of the tick is left. A run that is sure goes on all the same.
func (p *tempo) exceed(sure bool) { p.spent, p.refusals = !sure, tempoRefusals }
