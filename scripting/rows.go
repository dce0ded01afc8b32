package scripting

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings"
)

// rowLimit counts, for all calls of a tick, what functions over rows may need that
// nothing counts while they run: those that are compiled, and those that provably end.
// Each of them ends soon, but nobody says how many there are.
//
// What they may need at most counts, in nanoseconds as the compiler reckons them: it is
// the same whatever the rows hold, however many goroutines share them, and on every
// interpreter.
type rowLimit struct {
	limit     int64 // 0: there is none
	used      int64
	overdraft map[string]int64 // by script: what it used when the tick's were gone
}

// newTick starts the limit anew.
func (m *rowLimit) newTick() {
	m.used = 0
	clear(m.overdraft)
}

// left is how much a script may still use; each has a small part when all is gone.
func (m *rowLimit) left(script string, part int64) int64 {
	if m.limit <= 0 {
		return endless
	}
	return max(m.limit-m.used, m.limit/part-m.overdraft[script], 0)
}

// spend counts what a script uses.
func (m *rowLimit) spend(script string, work int64) {
	if m.used += work; m.used > m.limit && m.limit > 0 && work > 0 {
		if m.overdraft == nil {
			m.overdraft = map[string]int64{}
		}
		m.overdraft[script] += work
	}
}

// tooMuch is the error of a call that needs more.
func (m *rowLimit) tooMuch() error {
	return fmt.Errorf("functions over rows ran too long: they need more than %s nanoseconds in one tick of all scripts, as the compiler counts them (Limits.TickRows)", bindings.Grouped(m.limit))
}

// spare asks whether a function that provably ends may run without being counted.
func (g *limiter) spare(steps int64) bool {
	const perStep = 10
	work := steps * perStep
	if work > g.rows.left(g.script, g.parts()) || !g.budget.Spare(steps) {
		return false
	}
	g.rows.spend(g.script, work)
	return true
}

// parts is into how many a limit of a tick is divided of which each script has one when
// all is gone. What all of them use then is no more than half of it.
func (g *limiter) parts() int64 { return max(2*int64(g.scripts), share) }

// cut ends the call that is running, or that is about to begin for the row at which a
// kernel has stopped.
func (g *limiter) cut(err error) {
	if g.inCall {
		g.budget.Refuse(err)
		return
	}
	g.ending = err
}
