package prometheus

import (
	prom "github.com/prometheus/client_golang/prometheus"

	"github.com/perigee-ecs/perigee/ecs"
)

// runs are the metrics of what runs between ticks.
//
// Invariant: known has at most `most` names, which have series of their own.
type runs struct {
	most  int
	known map[string]bool // names as they are shown

	n, failures, seconds *prom.CounterVec
}

// newRuns makes the metrics, without any series.
func newRuns(o *Options) *runs {
	counter := func(name, help string) *prom.CounterVec {
		return prom.NewCounterVec(prom.CounterOpts{Namespace: o.Namespace, Name: name, Help: help, ConstLabels: o.Labels}, []string{"run"})
	}
	return &runs{
		most: o.MostNames, known: map[string]bool{},
		n:        counter("runs_total", "Runs between ticks."),
		failures: counter("run_failures_total", "Runs between ticks that have failed."),
		seconds:  counter("run_seconds_total", "Time that runs between ticks took, with what they changed."),
	}
}

// each goes through the metrics.
func (s *runs) each(do func(prom.Collector)) {
	for _, v := range []prom.Collector{s.n, s.failures, s.seconds} {
		do(v)
	}
}

// note counts what has run since the last tick.
func (s *runs) note(r *ecs.TickReport) {
	for i := range r.Runs {
		run := &r.Runs[i]
		name := bounded(s.known, shown(run.Name), s.most)
		if name != other {
			s.known[name] = true
		}
		s.n.WithLabelValues(name).Add(float64(run.Runs))
		s.failures.WithLabelValues(name).Add(float64(run.Failures))
		s.seconds.WithLabelValues(name).Add(run.Took.Seconds())
	}
}
