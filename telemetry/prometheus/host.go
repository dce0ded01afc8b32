package prometheus

import (
	"maps"
	"slices"

	prom "github.com/prometheus/client_golang/prometheus"

	"github.com/perigee-ecs/perigee/scripting"
)

// hostFigures are what scripts have used and what has failed, as of when the host was asked
// last.
type hostFigures struct {
	most    int
	scripts map[string]figures // by shown name
	systems map[string]uint64  // faults, by shown name
	faults  uint64

	calls, instructions, rows, made, held, seconds, failures, refused, total, bySystem *prom.Desc
}

// figures of a script.
type figures struct{ calls, instructions, rows, made, held, seconds, failures, refused float64 }

// newHostFigures describes the metrics.
func newHostFigures(o *Options) *hostFigures {
	describe := func(name, help string, labels ...string) *prom.Desc {
		return prom.NewDesc(o.Namespace+"_"+name, help, labels, o.Labels)
	}
	return &hostFigures{
		most:         o.MostNames,
		calls:        describe("script_calls_total", "Calls into the script since it was loaded.", "script"),
		instructions: describe("script_instructions_total", "Instructions that the script has run since it was loaded.", "script"),
		rows:         describe("script_rows_total", "Rows that systems of the script have run, by kernels and by the VM.", "script"),
		made:         describe("script_made_bytes_total", "Bytes that the script has made since it was loaded.", "script"),
		held:         describe("script_held_bytes", "Bytes that variables of the script hold.", "script"),
		seconds:      describe("script_seconds_total", "Time that systems of the script took.", "script"),
		failures:     describe("script_failures_total", "Calls and rows of the script that have failed.", "script"),
		refused:      describe("script_refused_total", "Runs of systems of the script that were left out, because limits had left nothing of their tick.", "script"),
		total:        describe("faults_total", "Faults of scripts and errors of Go systems."),
		bySystem:     describe("system_faults_total", "Faults, by system.", "system"),
	}
}

// take keeps the figures of a host. Names beyond the bound are added up.
func (h *hostFigures) take(usage []scripting.ScriptUsage, faults scripting.Faults) {
	h.scripts, h.systems, h.faults = map[string]figures{}, map[string]uint64{}, faults.Total
	for i := range usage {
		u := &usage[i]
		name := bounded(h.scripts, shown(u.Script), h.most)
		f := h.scripts[name]
		h.scripts[name] = figures{
			f.calls + float64(u.Calls), f.instructions + float64(u.Instructions), f.rows + float64(u.Rows),
			f.made + float64(u.Made), f.held + float64(u.Held), f.seconds + u.Time.Seconds(), f.failures + float64(u.Failures),
			f.refused + float64(u.Refused),
		}
	}
	for i := range faults.Systems {
		s := &faults.Systems[i]
		h.systems[bounded(h.systems, shown(s.System), h.most)] += s.Total
	}
}

// bounded returns a name, or that of all others if there is no place for one more.
func bounded[T any](taken map[string]T, name string, most int) string {
	if _, ok := taken[name]; ok || len(taken) < most {
		return name
	}
	return other
}

func (h *hostFigures) describe(to chan<- *prom.Desc) {
	for _, d := range []*prom.Desc{h.calls, h.instructions, h.rows, h.made, h.held, h.seconds, h.failures, h.refused, h.total, h.bySystem} {
		to <- d
	}
}

// metrics returns the figures for a scrape.
func (h *hostFigures) metrics() []prom.Metric {
	list := []prom.Metric{prom.MustNewConstMetric(h.total, prom.CounterValue, float64(h.faults))}
	for _, name := range slices.Sorted(maps.Keys(h.scripts)) {
		f := h.scripts[name]
		list = append(list,
			prom.MustNewConstMetric(h.calls, prom.CounterValue, f.calls, name),
			prom.MustNewConstMetric(h.instructions, prom.CounterValue, f.instructions, name),
			prom.MustNewConstMetric(h.rows, prom.CounterValue, f.rows, name),
			prom.MustNewConstMetric(h.made, prom.CounterValue, f.made, name),
			prom.MustNewConstMetric(h.held, prom.GaugeValue, f.held, name),
			prom.MustNewConstMetric(h.seconds, prom.CounterValue, f.seconds, name),
			prom.MustNewConstMetric(h.failures, prom.CounterValue, f.failures, name),
			prom.MustNewConstMetric(h.refused, prom.CounterValue, f.refused, name))
	}
	for _, name := range slices.Sorted(maps.Keys(h.systems)) {
		list = append(list, prom.MustNewConstMetric(h.bySystem, prom.CounterValue, float64(h.systems[name]), name))
	}
	return list
}
