package exec

import "time"

// tempo holds the time that a kernel takes against what the compiler reckons. Nearly all take about that, but arithmetic
// with numbers next to zero (below 2^-1022) takes some twenty times as long, and no one sees it in the text.
//
// A run is measured where the one before was long enough. What is far beyond the reckoning counts as time of
// the tick. A run that cannot fail is not cut, so the next one after a slow one keeps what it takes to undo it.
type tempo struct {
	clock    func() time.Time
	measured bool
	slow     bool      // the last run that was measured
	careful  bool      // the one before this one was slow: few rows at a time
	spent    bool      // no time of the tick is left for this run
	at       time.Time // of the last look at the clock
	since    int64     // nanoseconds as reckoned, since then
	total    int64     // of the run so far, likewise
}

const (
	// tempoEvery is how much is reckoned between two looks at the clock, in nanoseconds.
	tempoEvery = 50_000
	// usualTempo is how many times as long as reckoned a kernel may take before that counts, and slowestTempo how many times
	// count at most: the clock goes on while the machine runs another program.
	usualTempo, slowestTempo = 6, 20
)

// begin begins a run.
func (p *tempo) begin() {
	if p.careful = p.slow; p.total >= tempoEvery {
		p.slow = false
	}
	if p.measured = p.total >= tempoEvery || p.careful; p.measured {
		p.at = p.clock()
	}
	p.since, p.total, p.spent = 0, 0, false
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
	p.at, p.since, p.slow = now, 0, p.slow || beyond > 0
	return beyond
}
