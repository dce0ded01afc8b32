// Package prometheus shows a world to Prometheus: how long ticks and systems take, what fails,
// and what scripts use.
//
//	collector, err := prometheus.New(world, prometheus.Options{Host: host})
//	registry.MustRegister(collector)
//	http.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
//
// There is one noun, the [Collector]. It gets a report after each tick, on the goroutine of the
// world (ecs.Schedule.OnTick), and answers scrapes on any other. A scrape never waits for a tick,
// nor a tick for more than a copy of some figures.
//
// It is a module of its own, so that programs without Prometheus do not download it. As long as
// Perigee has no release, a program outside of the repository names the place of both modules in
// its go.mod, since Go does not read the replace of a module that another one requires:
//
//	replace github.com/perigee-ecs/perigee => ../perigee
//	replace github.com/perigee-ecs/perigee/telemetry/prometheus => ../perigee/telemetry/prometheus
//
// # What is shown
//
// With the default namespace, for each world:
//
//	perigee_ticks_total, perigee_ticks_cut_total, perigee_fixed_steps_total
//	perigee_tick_duration_seconds        histogram of whole steps
//	perigee_simulation_seconds           simulation time since the world began
//	perigee_entities                     alive
//	perigee_archetype_moves_total, perigee_events_dropped_total
//	perigee_arena_bytes, perigee_arena_limit_bytes
//
// For each system, by the labels system and phase:
//
//	perigee_system_duration_seconds      histogram: function, condition, commands and observers of a tick
//	perigee_system_runs_total, perigee_system_rows_total, perigee_system_failures_total
//	perigee_system_commands_seconds_total, perigee_system_observers_seconds_total
//	perigee_system_parked                1 while its breaker keeps it from running, or tries it again
//
// For what runs between ticks by World.Run, timers and on_start functions of scripts among it, by the
// label run:
//
//	perigee_runs_total, perigee_run_failures_total, perigee_run_seconds_total
//
// With a host, for its scripts by the label script, and for faults:
//
//	perigee_script_calls_total, perigee_script_instructions_total, perigee_script_rows_total
//	perigee_script_made_bytes_total, perigee_script_held_bytes, perigee_script_seconds_total
//	perigee_script_failures_total        of its systems, rows, observers, timers and on_start functions
//	perigee_script_refused_total         runs of its systems that were left out of used-up ticks
//	perigee_faults_total, perigee_system_faults_total by the label system
//
// # Cardinality
//
// Scripts choose the names of systems, so names are bounded: Options.MostNames of each kind have
// series of their own, and all others share one that is named "_other". Names are made valid UTF-8
// and cut after 100 bytes. The series of a system that is gone is dropped when its place is needed.
package prometheus

import (
	"fmt"
	"sync"
	"time"

	prom "github.com/prometheus/client_golang/prometheus"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Options of a collector. The zero value is the documented default.
type Options struct {
	// Namespace begins the names of all metrics; "" means "perigee".
	Namespace string
	// Labels are on all metrics: for programs with several worlds, which they tell apart.
	Labels prom.Labels
	// Buckets of the histograms, in seconds; nil means 10 µs to 160 ms, each double the one before.
	Buckets []float64
	// MostNames is how many systems, and how many scripts, have series of their own; zero
	// means 200.
	MostNames int
	// Host is asked for what scripts use and for faults; nil leaves these out.
	Host *scripting.Host
	// Every is how often the host and the memory of the world are asked, by the clock; zero
	// means 10 seconds. The host walks over all that scripts hold then: some ten nanoseconds
	// for each value.
	Every time.Duration
}

// check refuses what the metrics would panic with.
func (o *Options) check() error {
	_, le := o.Labels["le"]
	switch {
	case o.MostNames < 0:
		return fmt.Errorf("%w: MostNames is %d", ecs.ErrRange, o.MostNames)
	case o.Every < 0:
		return fmt.Errorf("%w: Every is %v", ecs.ErrRange, o.Every)
	case le:
		return fmt.Errorf("%w: the label %q is that of buckets", ecs.ErrConflict, "le")
	}
	for i := 1; i < len(o.Buckets); i++ {
		if !(o.Buckets[i-1] < o.Buckets[i]) {
			return fmt.Errorf("%w: Buckets do not rise: %v", ecs.ErrRange, o.Buckets)
		}
	}
	return nil
}

// fill puts the defaults in.
func (o *Options) fill() {
	if o.Namespace == "" {
		o.Namespace = "perigee"
	}
	if o.Buckets == nil {
		o.Buckets = prom.ExponentialBuckets(10e-6, 2, 15)
	}
	if o.MostNames == 0 {
		o.MostNames = 200
	}
	if o.Every == 0 {
		o.Every = 10 * time.Second
	}
}

// Collector is a prometheus.Collector of one world.
type Collector struct {
	options Options
	remove  func()

	ticks   ticks
	systems *systems
	runs    *runs
	host    *hostFigures // nil without a host

	mu     sync.Mutex // guards memory and what the host's figures hold
	memory memory
	asked  time.Time // when the host and the memory were asked last
}

// memory of the arena in bytes.
type memory struct{ used, limit float64 }

// New makes a collector, which measures from here on, until Close. It belongs to the goroutine
// of the world, as Close does; any goroutine may register and scrape it. The error wraps
// ecs.ErrConflict for a nil world, for a host of another one and for labels and names that
// Prometheus refuses, ecs.ErrRange, ecs.ErrClosed, or ecs.ErrIterating inside of a step.
func New(w *ecs.World, o Options) (*Collector, error) {
	switch {
	case w == nil:
		return nil, fmt.Errorf("prometheus: %w: no world", ecs.ErrConflict)
	case o.Host != nil && o.Host.World() != w:
		return nil, fmt.Errorf("prometheus: %w: the host is of another world", ecs.ErrConflict)
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("prometheus: %w", err)
	}
	o.fill()
	c := &Collector{options: o, ticks: newTicks(&o), systems: newSystems(&o), runs: newRuns(&o)}
	if o.Host != nil {
		c.host = newHostFigures(&o)
	}
	if err := prom.NewRegistry().Register(c); err != nil { // says what is wrong with names
		return nil, fmt.Errorf("prometheus: %w: %w", ecs.ErrConflict, err)
	}
	remove, err := w.Schedule().OnTick(c.note)
	if err != nil {
		return nil, fmt.Errorf("prometheus: %w", err)
	}
	c.remove = remove
	return c, nil
}

// Close ends the measuring. What was measured can be scraped still.
func (c *Collector) Close() { c.remove() }

// note takes over the report of a tick.
func (c *Collector) note(r *ecs.TickReport) {
	c.ticks.note(r)
	c.systems.note(r)
	c.runs.note(r)
	if now := r.Began.Add(r.Took); now.Sub(c.asked) >= c.options.Every {
		c.asked = now
		c.ask(r.World)
	}
}

// ask takes a picture of what changes slowly.
func (c *Collector) ask(w *ecs.World) {
	s := w.Stats()
	var usage []scripting.ScriptUsage
	var faults scripting.Faults
	if c.host != nil {
		usage, faults = c.options.Host.Usage(), c.options.Host.Faults()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.memory = memory{float64(s.ArenaBytes), float64(s.ArenaLimit)}
	if c.host != nil {
		c.host.take(usage, faults)
	}
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(to chan<- *prom.Desc) {
	c.ticks.describe(to)
	c.systems.each(func(v prom.Collector) { v.Describe(to) })
	c.runs.each(func(v prom.Collector) { v.Describe(to) })
	if c.host != nil {
		c.host.describe(to)
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(to chan<- prom.Metric) {
	c.systems.each(func(v prom.Collector) { v.Collect(to) })
	c.runs.each(func(v prom.Collector) { v.Collect(to) })
	c.mu.Lock()
	memory, host := c.memory, []prom.Metric(nil)
	if c.host != nil {
		host = c.host.metrics()
	}
	c.mu.Unlock()
	c.ticks.collect(to, memory)
	for _, m := range host {
		to <- m
	}
}

// ticks are the metrics of whole ticks.
type ticks struct {
	n, cut, fixed, moves, dropped prom.Counter
	took                          prom.Histogram
	time, entities, used, limit   prom.Gauge
}

// newTicks makes the metrics.
func newTicks(o *Options) ticks {
	counter := func(name, help string) prom.Counter {
		return prom.NewCounter(prom.CounterOpts{Namespace: o.Namespace, Name: name, Help: help, ConstLabels: o.Labels})
	}
	gauge := func(name, help string) prom.Gauge {
		return prom.NewGauge(prom.GaugeOpts{Namespace: o.Namespace, Name: name, Help: help, ConstLabels: o.Labels})
	}
	return ticks{
		n:        counter("ticks_total", "Steps of the world."),
		cut:      counter("ticks_cut_total", "Steps that their context has ended early."),
		fixed:    counter("fixed_steps_total", "Fixed steps."),
		moves:    counter("archetype_moves_total", "Moves of entities between archetypes."),
		dropped:  counter("events_dropped_total", "Events that were dropped because they were not read in time."),
		time:     gauge("simulation_seconds", "Simulation time since the world began."),
		entities: gauge("entities", "Entities alive."),
		used:     gauge("arena_bytes", "Bytes that the arena has handed out."),
		limit:    gauge("arena_limit_bytes", "Bytes that the arena can hand out."),
		took: prom.NewHistogram(prom.HistogramOpts{
			Namespace: o.Namespace, Name: "tick_duration_seconds", Help: "Time that a step took.", ConstLabels: o.Labels, Buckets: o.Buckets,
		}),
	}
}

// note counts a tick.
func (t *ticks) note(r *ecs.TickReport) {
	t.n.Inc()
	if r.Cut {
		t.cut.Inc()
	}
	t.fixed.Add(float64(r.FixedSteps))
	t.moves.Add(float64(r.Moves))
	t.dropped.Add(float64(r.Dropped))
	t.took.Observe(r.Took.Seconds())
	t.time.Set(r.Time)
	t.entities.Set(float64(r.Entities))
}

// all lists the metrics.
func (t *ticks) all() []prom.Collector {
	return []prom.Collector{t.n, t.cut, t.fixed, t.moves, t.dropped, t.took, t.time, t.entities, t.used, t.limit}
}

func (t *ticks) describe(to chan<- *prom.Desc) {
	for _, m := range t.all() {
		m.Describe(to)
	}
}

func (t *ticks) collect(to chan<- prom.Metric, m memory) {
	t.used.Set(m.used)
	t.limit.Set(m.limit)
	for _, m := range t.all() {
		m.Collect(to)
	}
}

var _ prom.Collector = (*Collector)(nil)
