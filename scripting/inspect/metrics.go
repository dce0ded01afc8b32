package inspect

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

const (
	mostSeries    = 200              // systems, and scripts, with series of their own
	longestLabel  = 100              // bytes
	metricsTime   = 5 * time.Minute  // without a request, after which ticks are not summed up any more
	usageTime     = 10 * time.Second // how old what scripts have used may be: to count what they hold is dear
	otherLabel    = "_other"         // the series of all that have none of their own
	metricsPath   = "/metrics"       // where Prometheus looks for it
	metricsType   = "text/plain; version=0.0.4; charset=utf-8"
	metricsPrefix = "perigee_"
)

// metrics are sums over the ticks since somebody has asked for them first.
//
// Invariant: on is set while the sums are one of the users of watch.
type metrics struct {
	mu    sync.Mutex
	on    bool
	leave func()
	asked time.Time // by whom asks for the sums

	ticks, cut, fixed, moves, dropped uint64
	took                              time.Duration
	systems                           map[string]*systemSums // by label

	usage   []scripting.ScriptUsage // of the goroutine of the host, as of usageAt
	usageAt time.Time
}

// systemSums are the sums of a system.
type systemSums struct {
	phase                     string
	took, commands, observers time.Duration
	ticks, runs, rows, fails  uint64
	parked                    bool
}

// add adds a tick. Without a request for a long time the sums end, and begin anew with the next one.
func (m *metrics) add(r *ecs.TickReport) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.on {
		return
	}
	if r.Began.Sub(m.asked) > metricsTime {
		m.on = false
		m.leave()
		return
	}
	m.ticks++
	m.fixed += uint64(r.FixedSteps)
	m.moves += r.Moves
	m.dropped += r.Dropped
	m.took += r.Took
	if r.Cut {
		m.cut++
	}
	for k := range r.Systems {
		s := &r.Systems[k]
		m.of(r, labelOf(s.Name), s.Phase.String()).add(s)
	}
}

// of returns the sums of a system, or those of all that have none of their own. Where there is no room for it, systems
// that are gone make some, unless there are too many in any case.
func (m *metrics) of(r *ecs.TickReport, label, phase string) *systemSums {
	if s := m.systems[label]; s != nil {
		return s
	}
	if len(m.systems) >= mostSeries && len(r.Systems) < mostSeries {
		live := map[string]bool{}
		for k := range r.Systems {
			live[labelOf(r.Systems[k].Name)] = true
		}
		maps.DeleteFunc(m.systems, func(label string, _ *systemSums) bool { return !live[label] })
	}
	if len(m.systems) >= mostSeries {
		label, phase = otherLabel, ""
		if s := m.systems[label]; s != nil {
			return s
		}
	}
	s := &systemSums{phase: phase}
	m.systems[strings.Clone(label)] = s
	return s
}

// add adds what a system has done in a tick.
func (s *systemSums) add(r *ecs.SystemReport) {
	s.took += r.Total()
	s.commands += r.Commands
	s.observers += r.Observers
	s.runs += uint64(r.Runs)
	s.rows += uint64(r.Rows)
	s.fails += uint64(r.Failures)
	s.parked = r.Health == ecs.Parked || r.Health == ecs.HalfOpen
	if r.Runs+r.Passed > 0 {
		s.ticks++
	}
}

// sumUp begins the sums, or has them go on.
func (i *Inspector) sumUp(r *http.Request) error {
	m := &i.metrics
	m.mu.Lock()
	m.asked = time.Now()
	on := m.on
	m.mu.Unlock()
	if on {
		return nil
	}
	leave, err := i.attend(r.Context())
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.on { // another request was faster
		leave()
		return nil
	}
	m.on, m.leave = true, leave
	m.ticks, m.cut, m.fixed, m.moves, m.dropped, m.took, m.systems = 0, 0, 0, 0, 0, 0, map[string]*systemSums{}
	return nil
}

// getMetrics answers in the text format of Prometheus, with the names of package telemetry/prometheus. Durations
// have a sum and a count, and no buckets.
func (i *Inspector) getMetrics(w http.ResponseWriter, r *http.Request) {
	if err := i.sumUp(r); err != nil {
		fail(w, err)
		return
	}
	var text exposition
	if err := i.ask(r.Context(), func() error { i.metricsOf(&text); return nil }); err != nil {
		fail(w, err)
		return
	}
	i.metrics.write(&text)
	w.Header().Set("Content-Type", metricsType)
	_, _ = w.Write(text.Bytes()) // a client that has gone needs no answer
}

// metricsOf writes what the world and the host know. For the goroutine of the host.
func (i *Inspector) metricsOf(e *exposition) {
	s := i.world.Stats()
	seconds, _ := i.world.Time()
	e.one("simulation_seconds", "gauge", "Simulation time since the world began.", seconds)
	e.one("entities", "gauge", "Entities alive.", float64(i.world.Len()))
	e.one("arena_bytes", "gauge", "Bytes that the arena has handed out.", float64(s.ArenaBytes))
	e.one("arena_limit_bytes", "gauge", "Bytes that the arena can hand out.", float64(s.ArenaLimit))
	faults := i.host.Faults()
	e.one("faults_total", "counter", "Faults of scripts and errors of Go systems.", float64(faults.Total))
	bySystem := map[string]uint64{}
	for k := range faults.Systems {
		f := &faults.Systems[k]
		bySystem[bounded(bySystem, f.System)] += f.Total
	}
	e.begin("system_faults_total", "counter", "Faults, by system.")
	for _, name := range slices.Sorted(maps.Keys(bySystem)) {
		e.value("system_faults_total", float64(bySystem[name]), "system", name)
	}
	if m := &i.metrics; time.Since(m.usageAt) > usageTime {
		m.usage, m.usageAt = i.host.Usage(), time.Now()
	}
	e.usage(i.metrics.usage)
}

// bounded returns the label of a name, or that of all others where there is no room for one more.
func bounded[T any](known map[string]T, name string) string {
	name = labelOf(name)
	if _, ok := known[name]; ok || len(known) < mostSeries {
		return name
	}
	return otherLabel
}

// labelOf is a name as it is shown.
func labelOf(name string) string {
	return strings.ToValidUTF8(diag.CutAt(name, longestLabel), "\uFFFD")
}

// write writes the sums.
func (m *metrics) write(e *exposition) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.one("ticks_total", "counter", "Steps of the world.", float64(m.ticks))
	e.one("ticks_cut_total", "counter", "Steps that their context has ended early.", float64(m.cut))
	e.one("fixed_steps_total", "counter", "Fixed steps.", float64(m.fixed))
	e.one("archetype_moves_total", "counter", "Moves of entities between archetypes.", float64(m.moves))
	e.one("events_dropped_total", "counter", "Events that were dropped because they were not read in time.", float64(m.dropped))
	e.begin("tick_duration_seconds", "summary", "Time that a step took.")
	e.value("tick_duration_seconds_sum", m.took.Seconds())
	e.value("tick_duration_seconds_count", float64(m.ticks))
	names := slices.Sorted(maps.Keys(m.systems))
	each := func(name, kind, help string, of func(*systemSums) float64) {
		e.begin(name, kind, help)
		for _, n := range names {
			s := m.systems[n]
			e.value(name, of(s), "phase", s.phase, "system", n)
		}
	}
	e.begin("system_duration_seconds", "summary", "Time that a system took in a tick, with its commands and the observers of its changes.")
	for _, n := range names {
		s := m.systems[n]
		e.value("system_duration_seconds_sum", s.took.Seconds(), "phase", s.phase, "system", n)
		e.value("system_duration_seconds_count", float64(s.ticks), "phase", s.phase, "system", n)
	}
	each("system_runs_total", "counter", "Runs.", func(s *systemSums) float64 { return float64(s.runs) })
	each("system_rows_total", "counter", "Rows that the queries of the system have yielded.", func(s *systemSums) float64 { return float64(s.rows) })
	each("system_failures_total", "counter", "Runs that have failed.", func(s *systemSums) float64 { return float64(s.fails) })
	each("system_commands_seconds_total", "counter", "Time that the commands of the system took.", func(s *systemSums) float64 { return s.commands.Seconds() })
	each("system_observers_seconds_total", "counter", "Time that observers of the system's changes took.", func(s *systemSums) float64 { return s.observers.Seconds() })
	each("system_parked", "gauge", "1 while the breaker of the system is open.", func(s *systemSums) float64 {
		if s.parked {
			return 1
		}
		return 0
	})
}

// exposition is a text in the format that Prometheus reads.
type exposition struct{ bytes.Buffer }

// begin begins a metric.
func (e *exposition) begin(name, kind, help string) {
	fmt.Fprintf(e, "# HELP %s%s %s\n# TYPE %s%s %s\n", metricsPrefix, name, help, metricsPrefix, name, kind)
}

// one writes a metric that has one value.
func (e *exposition) one(name, kind, help string, v float64) {
	e.begin(name, kind, help)
	e.value(name, v)
}

// inLabels is how the value of a label is written.
var inLabels = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// value writes a value, with labels: names and what they are.
func (e *exposition) value(name string, v float64, labels ...string) {
	e.WriteString(metricsPrefix + name)
	for k := 0; k < len(labels); k += 2 {
		e.WriteString(map[bool]string{true: "{", false: ","}[k == 0] + labels[k] + `="` + inLabels.Replace(labels[k+1]) + `"`)
	}
	if len(labels) > 0 {
		e.WriteByte('}')
	}
	e.WriteString(" " + strconv.FormatFloat(v, 'g', -1, 64) + "\n")
}

// usage writes what scripts have used.
func (e *exposition) usage(list []scripting.ScriptUsage) {
	by := map[string]scripting.ScriptUsage{}
	for k := range list {
		u := &list[k]
		name := bounded(by, u.Script)
		s := by[name]
		s.Calls, s.Instructions, s.Rows, s.Made, s.Held = s.Calls+u.Calls, s.Instructions+u.Instructions, s.Rows+u.Rows, s.Made+u.Made, s.Held+u.Held
		s.Time, s.Failures, s.Refused = s.Time+u.Time, s.Failures+u.Failures, s.Refused+u.Refused
		by[name] = s
	}
	names := slices.SortedFunc(maps.Keys(by), cmp.Compare)
	for _, m := range []struct {
		name, kind, help string
		of               func(u *scripting.ScriptUsage) float64
	}{
		{"script_calls_total", "counter", "Calls into the script since it was loaded.", func(u *scripting.ScriptUsage) float64 { return float64(u.Calls) }},
		{"script_instructions_total", "counter", "Instructions that the script has run since it was loaded.", func(u *scripting.ScriptUsage) float64 { return float64(u.Instructions) }},
		{"script_rows_total", "counter", "Rows that systems of the script have run, by kernels and by the VM.", func(u *scripting.ScriptUsage) float64 { return float64(u.Rows) }},
		{"script_made_bytes_total", "counter", "Bytes that the script has made since it was loaded.", func(u *scripting.ScriptUsage) float64 { return float64(u.Made) }},
		{"script_held_bytes", "gauge", "Bytes that variables of the script hold.", func(u *scripting.ScriptUsage) float64 { return float64(u.Held) }},
		{"script_seconds_total", "counter", "Time that systems of the script took.", func(u *scripting.ScriptUsage) float64 { return u.Time.Seconds() }},
		{"script_failures_total", "counter", "Calls and rows of the script that have failed.", func(u *scripting.ScriptUsage) float64 { return float64(u.Failures) }},
		{"script_refused_total", "counter", "Runs of systems of the script that were left out, because limits had left nothing of their tick.", func(u *scripting.ScriptUsage) float64 { return float64(u.Refused) }},
	} {
		e.begin(m.name, m.kind, m.help)
		for _, name := range names {
			u := by[name]
			e.value(m.name, m.of(&u), "script", name)
		}
	}
}
