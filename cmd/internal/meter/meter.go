package meter

import (
	"cmp"
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
)

// The meter of a world: what its ticks report, added up, so that systems which are gone or begin anew keep
// their figures, and what a save says of its own runs counts for nothing.

// Meter measures a world. Call Tick after every step.
type Meter struct {
	Ticks     Histogram
	Processor time.Duration // the most that a tick has had of it; see the function

	// Callbacks are what ran between ticks, such as timers and on_start functions of scripts.
	Callbacks map[string]*CallbackTimes

	reports uint64 // of ticks
	systems map[string]*SystemTimes
	here    int            // systems of the last report
	gone    []*SystemTimes // those that went first come first; at most mostGone
}

// SystemTimes is what is known about one system, also after it has gone.
type SystemTimes struct {
	Runs     Histogram // of what it took with its commands and their observers
	Passed   Histogram // of runs that have passed: what its condition took
	Name     string
	Health   ecs.Health
	Failures uint64

	seen   uint64 // the last report that it was in
	window window // since the last Shares
}

// window is what a system took in some ticks, and in the longest of them.
type window struct{ took, worst time.Duration }

// CallbackTimes are the sums of one name. Names beyond mostCallbacks are added to the name "others".
type CallbackTimes struct {
	Runs, Failures uint64
	Took           time.Duration
}

// mostCallbacks bounds the names, which scripts choose.
const mostCallbacks = 1000

// New returns a meter for w that has seen nothing yet.
func New(w *ecs.World) *Meter {
	m := &Meter{systems: map[string]*SystemTimes{}, Callbacks: map[string]*CallbackTimes{}}
	_, _ = w.Schedule().OnTick(m.note) // of a world that is closed or at work nothing is seen
	return m
}

// note takes over a tick, and what ran before it.
func (m *Meter) note(r *ecs.TickReport) {
	if !r.Cut { // half a tick is no tick
		m.reports++
		m.noteSystems(r.Systems)
	}
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

// noteSystems takes over what the systems of a tick took.
func (m *Meter) noteSystems(list []ecs.SystemReport) {
	stayed, back := 0, false
	for i := range list {
		s := m.systems[list[i].Name]
		switch {
		case s == nil:
			s = &SystemTimes{Name: list[i].Name}
			m.systems[s.Name] = s
		case s.seen+1 == m.reports:
			stayed++
		default:
			back = true
		}
		s.note(&list[i])
		s.seen = m.reports
	}
	if back {
		m.gone = slices.DeleteFunc(m.gone, func(s *SystemTimes) bool { return s.seen == m.reports })
	}
	if stayed < m.here {
		m.forget()
	}
	m.here = len(list)
}

// mostGone is how many systems keep their figures that are gone, which reloads can make without end.
const mostGone = 1000

// forget finds the systems that have gone since the report before this one. Where there are too many, those that
// went first lose their figures. Systems that are there keep theirs, however many they are. O(systems).
func (m *Meter) forget() {
	before := len(m.gone)
	for _, s := range m.systems {
		if s.seen+1 == m.reports {
			m.gone = append(m.gone, s)
		}
	}
	slices.SortFunc(m.gone[before:], func(a, b *SystemTimes) int { return cmp.Compare(a.Name, b.Name) })
	excess := max(len(m.gone)-mostGone, 0)
	for _, s := range m.gone[:excess] {
		delete(m.systems, s.Name)
	}
	m.gone = slices.Delete(m.gone, 0, excess)
}

// note adds the runs of a tick. There can be several, of a system in fixed steps: their mean
// is counted then.
func (s *SystemTimes) note(r *ecs.SystemReport) {
	s.Health = r.Health
	s.Failures += uint64(r.Failures)
	took := r.Total()
	for range r.Runs {
		s.Runs.Add((took - r.PassedTook) / time.Duration(r.Runs))
	}
	for range r.Passed {
		s.Passed.Add(r.PassedTook / time.Duration(r.Passed))
	}
	s.window.took += took
	s.window.worst = max(s.window.worst, took)
}

// Tick notes that a step took so long by the clock and of the processor.
func (m *Meter) Tick(took, processor time.Duration) {
	m.Ticks.Add(took)
	m.Processor = max(m.Processor, processor)
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

// Share is what one system took of a stretch of time, and of the longest of its ticks.
type Share struct {
	Name   string
	Took   time.Duration
	Worst  time.Duration
	Health ecs.Health
}

// Shares returns what each system of the schedule took since the last call,
// the longest first.
func (m *Meter) Shares() []Share {
	var shares []Share
	for _, s := range m.Systems() {
		if s.seen == m.reports {
			shares = append(shares, Share{s.Name, s.window.took, s.window.worst, s.Health})
		}
		s.window = window{}
	}
	slices.SortStableFunc(shares, func(a, b Share) int { return cmp.Compare(b.Took, a.Took) })
	return shares
}
