package game

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/cmd/internal/meter"
	"github.com/perigee-ecs/perigee/scripting"
)

// What a run comes to. The names of JSON fields are read by other programs: they stay.

// Summary is what a run comes to, in the form of its JSON object.
type Summary struct {
	Ticks    uint64  `json:"ticks"`
	Seconds  float64 `json:"seconds"` // of real time
	Entities int     `json:"entities"`
	TickUS   Times   `json:"tick_us"`
	// ProcessorUS is the most that one tick has had of the processor, all threads
	// of the process together: what it would take, where the machine does nothing
	// else. Zero where the system does not say.
	ProcessorUS float64         `json:"tick_processor_max_us"`
	Systems     []SystemSummary `json:"systems"` // by name
	// Callbacks are what ran between ticks, timers and on_start functions, by name. The time of
	// observers is in that of the systems whose changes they got.
	Callbacks []CallbackSummary `json:"callbacks,omitempty"`
	Reloads   int               `json:"reloads"`
	Refused   int               `json:"refused"`
	Errors    int               `json:"errors"`
	Lost      uint64            `json:"lost_events"` // that were not read in time
	Checksum  string            `json:"checksum"`    // of the world: 16 hexadecimal digits; "" when the last tick did not end
	// Unrepeatable is how many calls of scripts the clock or the memory has
	// ended: where it is not 0, the same run may come to another checksum.
	Unrepeatable int `json:"unrepeatable"`
	// Cut says that the run has ended within a tick, which is not among the ticks.
	Cut bool `json:"-"`
}

// SystemSummary is one system's part of the summary.
type SystemSummary struct {
	Name     string  `json:"name"`
	Runs     uint64  `json:"runs"`
	Failures uint64  `json:"failures"` // runs, and rows that failed alone
	MeanUS   float64 `json:"mean_us"`
	P50US    float64 `json:"p50_us"`
	P99US    float64 `json:"p99_us"`
	// Kernel is "compiled", which the place and the reason follow if the VM runs rows all the
	// same, or why there is none, file and line first. It is left out for systems without an
	// each function over a query.
	Kernel string `json:"kernel,omitempty"`
	// Ran says what has run where, of systems of scripts; rows that failed are in it.
	Ran *Ran `json:"ran,omitempty"`
}

// CallbackSummary is the part of one timer's handler, or of the on_start functions of a script.
type CallbackSummary struct {
	Name     string  `json:"name"`
	Runs     uint64  `json:"runs"`
	Failures uint64  `json:"failures"`
	MeanUS   float64 `json:"mean_us"`
}

// Ran is what kernels, the VM and functions of the host have done for a system.
type Ran struct {
	Kernel  Effort `json:"kernel"`
	VM      Effort `json:"vm"`
	Foreign Effort `json:"foreign"`
}

// Effort is the part of one of them. Of short runs and calls, some are measured for all.
type Effort struct {
	Rows  uint64  `json:"rows"` // of functions of the host, always 0
	Calls uint64  `json:"calls"`
	US    float64 `json:"us"` // in all
}

// ranOf takes over a record.
func ranOf(r *scripting.Ran) *Ran {
	effort := func(s scripting.Effort) Effort { return Effort{s.Rows, s.Calls, micros(s.Time)} }
	return &Ran{effort(r.Kernel), effort(r.VM), effort(r.Foreign)}
}

// add adds what another system has done.
func (r *Ran) add(o *Ran) {
	add := func(s *Effort, o Effort) { s.Rows, s.Calls, s.US = s.Rows+o.Rows, s.Calls+o.Calls, s.US+o.US }
	add(&r.Kernel, o.Kernel)
	add(&r.VM, o.VM)
	add(&r.Foreign, o.Foreign)
}

// Times are microseconds.
type Times struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Summary takes stock after a run that took so long. A world within a tick has no checksum: no
// other run would come to it.
func (g *Game) Summary(took time.Duration) Summary {
	s := g.Figures(took)
	if s.Cut = g.cut; s.Cut {
		return s
	}
	s.Checksum = fmt.Sprintf("%016x", g.world.Checksum())
	return s
}

// Figures is Summary without the checksum, which looks at all that the world holds.
// It is cheap enough to be made while the game runs, twice a second.
func (g *Game) Figures(took time.Duration) Summary {
	s := Summary{
		Ticks: g.meter.Ticks.Len(), Seconds: took.Seconds(), Entities: g.world.Len(),
		TickUS: timesOf(&g.meter.Ticks), ProcessorUS: micros(g.meter.Processor),
		Systems: []SystemSummary{}, // never null
		Lost:    g.world.Raw().Dropped(),
		Reloads: g.counts.Reloads, Refused: g.counts.Refused, Unrepeatable: g.host.Unrepeatable(),
	}
	faults, rows := g.host.Faults(), map[string]uint64{}
	s.Errors = int(faults.Total)
	for _, f := range faults.Systems {
		rows[f.System] = f.Rows // the schedule counts runs that fail, and not rows that fail alone
	}
	kernels := map[string]string{}
	for _, k := range g.host.Kernels() {
		if k.Called { // it takes time as part of the systems that call it
			continue
		}
		kernels[k.System] = kernelOf(&k)
	}
	ran := map[string]*Ran{}
	for _, r := range g.host.Ran() {
		if !r.Called {
			ran[r.System] = ranOf(&r.Ran)
		}
	}
	for _, m := range g.meter.Systems() {
		t := timesOf(&m.Runs)
		s.Systems = append(s.Systems, SystemSummary{m.Name, m.Runs.Len(), m.Failures + rows[m.Name], t.Mean, t.P50, t.P99, kernels[m.Name], ran[m.Name]})
	}
	for _, name := range slices.Sorted(maps.Keys(g.meter.Callbacks)) {
		c := g.meter.Callbacks[name]
		s.Callbacks = append(s.Callbacks, CallbackSummary{name, c.Runs, c.Failures, micros(c.Took) / float64(c.Runs)})
	}
	return s
}

// kernelOf says whether a system has a kernel, and what stands in its way.
func kernelOf(k *scripting.KernelStatus) string {
	switch {
	case k.Unready != "":
		return "compiled, but the VM runs its rows now: " + k.Unready
	case k.Reason == "":
		return "compiled"
	case k.Compiled:
		return "compiled, but the VM runs rows that come to " + k.Place() + ": " + k.Reason
	}
	return k.Place() + ": " + k.Reason
}

// timesOf takes the figures of the summary from a histogram, in microseconds.
func timesOf(h *meter.Histogram) Times {
	return Times{micros(h.Mean()), micros(h.Quantile(0.5)), micros(h.Quantile(0.99)), micros(h.Max())}
}

// micros returns a time in microseconds.
func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// String prints the summary for people: a table, and lines of at most 80 columns.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s %8s %8s %10s %10s %10s\n", "system", "runs", "failures", "mean µs", "p50 µs", "p99 µs")
	for _, y := range s.Systems {
		fmt.Fprintf(&b, "%-24s %8d %8d %10.1f %10.1f %10.1f\n", diag.OneLine(y.Name), y.Runs, y.Failures, y.MeanUS, y.P50US, y.P99US)
	}
	for _, c := range s.Callbacks {
		fmt.Fprintf(&b, "%-24s %8d %8d %10.1f\n", diag.OneLine(c.Name), c.Runs, c.Failures, c.MeanUS)
	}
	fmt.Fprintf(&b, "%-24s %8d %8s %10.1f %10.1f %10.1f\n", "whole tick", s.Ticks, "", s.TickUS.Mean, s.TickUS.P50, s.TickUS.P99)
	fmt.Fprintf(&b, "%s in %.1f s, %s, checksum %s\n", count(s.Ticks, "tick"), s.Seconds, count(s.Entities, "entity"), cmp.Or(s.Checksum, "unknown"))
	if s.Cut {
		b.WriteString("the end came within a tick, which is left out: there is no checksum of half a tick\n")
	}
	if ran := s.ran(); ran.Kernel.Calls+ran.VM.Calls > 0 {
		fmt.Fprintf(&b, "rows: %s by kernels in %.1f ms, %s on the VM in %.1f ms\n",
			diag.Grouped(int64(ran.Kernel.Rows)), ran.Kernel.US/1e3, diag.Grouped(int64(ran.VM.Rows)), ran.VM.US/1e3)
		if ran.Foreign.Calls > 0 {
			fmt.Fprintf(&b, "%s of the host's functions in %.1f ms\n", count(ran.Foreign.Calls, "call"), ran.Foreign.US/1e3)
		}
	}
	fmt.Fprintf(&b, "%s, %d refused, %s", count(s.Reloads, "reload"), s.Refused, count(s.Errors, "error"))
	if s.Lost > 0 {
		fmt.Fprintf(&b, ", %s lost", count(s.Lost, "event"))
	}
	if s.Unrepeatable > 0 {
		fmt.Fprintf(&b, "\n%s of scripts ended by the clock or by the memory (Limits.Time, Held,\nHeldTotal): the same run may come to another checksum", count(s.Unrepeatable, "call"))
	}
	return b.String()
}

// ran sums up what has run where.
func (s Summary) ran() (all Ran) {
	for _, y := range s.Systems {
		if y.Ran != nil {
			all.add(y.Ran)
		}
	}
	return all
}

// count says how many there are of something.
func count[N int | uint64](n N, what string) string { return diag.Plural(int(n), what) }
