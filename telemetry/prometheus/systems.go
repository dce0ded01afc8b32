package prometheus

import (
	"strings"
	"unicode/utf8"

	prom "github.com/prometheus/client_golang/prometheus"

	"github.com/perigee-ecs/perigee/ecs"
)

// other is the name of the series that all names share which have none of their own.
const other = "_other"

// longest is how many bytes of a name are shown.
const longest = 100

// shown makes a value of a label of a name: scrapes fail for one that is not valid UTF-8.
func shown(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) <= longest {
		return name
	}
	end := longest
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}

// systems are the metrics of systems.
//
// Invariant: own has at most `most` entries, so there are at most as many series of each
// metric, and those of other.
type systems struct {
	most int
	own  map[systemKey]*series
	rest *series // of all others

	took                                      *prom.HistogramVec
	runs, rows, failures, commands, observers *prom.CounterVec
	parked                                    *prom.GaugeVec
}

// systemKey is what a series belongs to.
type systemKey struct {
	name  string
	phase ecs.Phase
}

// series are the metrics of one system.
type series struct {
	labels                                    []string
	took                                      prom.Observer
	runs, rows, failures, commands, observers prom.Counter
	parked                                    prom.Gauge
	shared                                    bool // by all others
	isParked                                  bool // of a shared one: somebody in this tick
}

// newSystems makes the metrics, without any series.
func newSystems(o *Options) *systems {
	labels := []string{"system", "phase"}
	counter := func(name, help string) *prom.CounterVec {
		return prom.NewCounterVec(prom.CounterOpts{Namespace: o.Namespace, Name: name, Help: help, ConstLabels: o.Labels}, labels)
	}
	return &systems{
		most: o.MostNames, own: map[systemKey]*series{},
		took: prom.NewHistogramVec(prom.HistogramOpts{
			Namespace: o.Namespace, Name: "system_duration_seconds", ConstLabels: o.Labels, Buckets: o.Buckets,
			Help: "Time that a system took in a tick, with its commands and the observers of its changes.",
		}, labels),
		runs:      counter("system_runs_total", "Runs."),
		rows:      counter("system_rows_total", "Rows that the queries of the system have yielded."),
		failures:  counter("system_failures_total", "Runs that have failed."),
		commands:  counter("system_commands_seconds_total", "Time that the commands of the system took."),
		observers: counter("system_observers_seconds_total", "Time that observers of the system's changes took."),
		parked: prom.NewGaugeVec(prom.GaugeOpts{
			Namespace: o.Namespace, Name: "system_parked", Help: "1 while the breaker of the system is open.", ConstLabels: o.Labels,
		}, labels),
	}
}

// each goes through the metrics.
func (s *systems) each(do func(prom.Collector)) {
	for _, v := range []prom.Collector{s.took, s.runs, s.rows, s.failures, s.commands, s.observers, s.parked} {
		do(v)
	}
}

// note counts what systems have done in a tick.
func (s *systems) note(r *ecs.TickReport) {
	if s.rest != nil {
		s.rest.isParked = false
	}
	for i := range r.Systems {
		report := &r.Systems[i]
		s.of(r, report).note(report)
	}
}

// note counts what a system has done.
func (s *series) note(r *ecs.SystemReport) {
	s.isParked = r.Health == ecs.Parked || r.Health == ecs.HalfOpen || s.shared && s.isParked
	s.parked.Set(map[bool]float64{true: 1}[s.isParked])
	s.failures.Add(float64(r.Failures))
	if r.Runs+r.Passed == 0 {
		return
	}
	s.runs.Add(float64(r.Runs))
	s.rows.Add(float64(r.Rows))
	s.commands.Add(r.Commands.Seconds())
	s.observers.Add(r.Observers.Seconds())
	s.took.Observe(r.Total().Seconds())
}

// of returns the series of a system.
func (s *systems) of(r *ecs.TickReport, system *ecs.SystemReport) *series {
	key := systemKey{system.Name, system.Phase}
	if own := s.own[key]; own != nil {
		return own
	}
	if len(s.own) >= s.most && len(r.Systems) <= s.most {
		s.drop(r) // systems that are gone hold places; where there are too many at once, none is dropped
	}
	if len(s.own) < s.most {
		s.own[key] = s.series(shown(system.Name), system.Phase.String())
		return s.own[key]
	}
	if s.rest == nil {
		s.rest = s.series(other, "")
		s.rest.shared = true
	}
	return s.rest
}

// drop takes the series of systems away that are not in the schedule any more.
func (s *systems) drop(r *ecs.TickReport) {
	live := map[systemKey]bool{}
	for i := range r.Systems {
		live[systemKey{r.Systems[i].Name, r.Systems[i].Phase}] = true
	}
	for key, own := range s.own {
		if !live[key] {
			delete(s.own, key)
			s.took.DeleteLabelValues(own.labels...)
			s.parked.DeleteLabelValues(own.labels...)
			for _, v := range []*prom.CounterVec{s.runs, s.rows, s.failures, s.commands, s.observers} {
				v.DeleteLabelValues(own.labels...)
			}
		}
	}
	for key, own := range s.own { // one that shared its shown name with one that is gone begins anew
		*own = *s.series(shown(key.name), key.phase.String())
	}
}

// series makes the series of some labels, or finds it.
func (s *systems) series(labels ...string) *series {
	return &series{
		labels: labels, took: s.took.WithLabelValues(labels...), parked: s.parked.WithLabelValues(labels...),
		runs: s.runs.WithLabelValues(labels...), rows: s.rows.WithLabelValues(labels...), failures: s.failures.WithLabelValues(labels...),
		commands: s.commands.WithLabelValues(labels...), observers: s.observers.WithLabelValues(labels...),
	}
}
