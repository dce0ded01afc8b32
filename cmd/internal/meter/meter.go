package meter

import (
	"cmp"
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
)

// The meter of a world: what the schedule counts, taken over after each tick, so that
// systems which are gone keep their figures.

// Meter measures a world. Call Tick after every step.
type Meter struct {
	Ticks     Histogram
	Processor time.Duration // the most that a tick has had of it; see the function

	// Callbacks are what ran between ticks, such as timers and on_start functions of scripts.
	Callbacks map[string]*CallbackTimes

	schedule *ecs.Schedule
	stats    []ecs.SystemStats
	systems  map[string]*SystemTimes
}

// SystemTimes is what is known about one system, also after it has gone.
type SystemTimes struct {
	Runs     Histogram
	Name     string
	Health   ecs.Health
	Failures uint64

	runs   uint64 // as of the last tick
	total  time.Duration
	window time.Duration // total when the window began
}

// CallbackTimes are the sums of one name. Names beyond mostCallbacks are added to the name "others".
type CallbackTimes struct {
	Runs, Failures uint64
	Took           time.Duration
}

// mostCallbacks bounds the names, which scripts choose.
const mostCallbacks = 1000

// New returns a meter for w that has seen nothing yet.
func New(w *ecs.World) *Meter {
	m := &Meter{schedule: w.Schedule(), systems: map[string]*SystemTimes{}, Callbacks: map[string]*CallbackTimes{}}
	_, _ = m.schedule.OnTick(m.note) // of a world that is closed or at work nothing is seen
	return m
}

// note takes over what ran between two ticks.
func (m *Meter) note(r *ecs.TickReport) {
	for i := range r.Runs {
		run := &r.Runs[i]
		name := run.Name
		if m.Callbacks[name] == nil && len(m.Callbacks) >= mostCallbacks {
			name = "others"
		}
		c := m.Callbacks[name]
		if c == nil {
			c = &CallbackTimes{}
			m.Callbacks[name] = c
		}
		c.Runs += uint64(run.Runs)
		c.Failures += uint64(run.Failures)
		c.Took += run.Took
	}
}

// Tick notes that a step took so long by the clock and of the processor, and what
// its systems took of it.
func (m *Meter) Tick(took, processor time.Duration) {
	m.Ticks.Add(took)
	m.Processor = max(m.Processor, processor)
	m.stats = m.schedule.Stats(m.stats[:0])
	for i := range m.stats {
		st := &m.stats[i]
		s := m.systems[st.Name]
		if s == nil {
			s = &SystemTimes{Name: st.Name}
			m.systems[st.Name] = s
		}
		s.note(st)
	}
}

// note adds the runs since the last tick. There can be several, of a system in
// fixed steps: their mean is counted then.
func (s *SystemTimes) note(st *ecs.SystemStats) {
	s.Health, s.Failures = st.Health, max(s.Failures, st.Failures)
	if st.Runs < s.runs { // it was gone, and has begun anew
		s.runs, s.total, s.window = 0, 0, 0
	}
	if n := st.Runs - s.runs; n > 0 {
		for range n {
			s.Runs.Add((st.Total - s.total) / time.Duration(n))
		}
	}
	s.runs, s.total = st.Runs, st.Total
}

// Systems returns all systems seen so far, by name.
func (m *Meter) Systems() []*SystemTimes {
	all := make([]*SystemTimes, 0, len(m.systems))
	for _, s := range m.systems {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *SystemTimes) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Share is what one system took of a stretch of time.
type Share struct {
	Name   string
	Took   time.Duration
	Health ecs.Health
}

// Shares returns what each system of the schedule took since the last call,
// the longest first.
func (m *Meter) Shares() []Share {
	var shares []Share
	for i := range m.stats {
		s := m.systems[m.stats[i].Name]
		shares = append(shares, Share{s.Name, s.total - s.window, s.Health})
		s.window = s.total
	}
	slices.SortStableFunc(shares, func(a, b Share) int { return cmp.Compare(b.Took, a.Took) })
	return shares
}
