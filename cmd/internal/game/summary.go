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
	Hz       float64 `json:"hz"`      // ticks in a second of the simulation; 0: nothing has run
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
	// Unrepeatable is how many calls of scripts the clock or the memory has ended, and how many of their
	// saves and loads were done late: where it is not 0, the same run may come to another checksum.
	Unrepeatable int `json:"unrepeatable"`
	// Ran is what has run where in all, also of kernels of ecs.kernel that timers and on_start
	// functions call.
	Ran Ran `json:"ran"`
	// late are the saves and loads among Unrepeatable.
	late int
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
	MaxUS    float64 `json:"max_us"`
	// Passed counts the times that its condition, such as when, said no; it took PassedMeanUS.
	Passed       uint64  `json:"passed,omitempty"`
	PassedMeanUS float64 `json:"passed_mean_us,omitempty"`
	// Kernel is "compiled", which the place and the reason follow if the VM runs rows all the
	// same, or why there is none, file and line first. It is left out for systems without an
	// each function over a query.
	Kernel string `json:"kernel,omitempty"`
	// Ran says what has run where, of systems of scripts; rows that failed are in it, and what
	// kernels of ecs.kernel have done that the system called.
	Ran *Ran `json:"ran,omitempty"`
	// Gone says that a reload has removed the system of a script, or given it another name.
	Gone bool `json:"gone,omitempty"`

	place string // see Place; "Go" for systems of Go, "gone" for those that are
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
		Ticks: g.meter.Ticks.Len(), Seconds: took.Seconds(), Hz: g.hz, Entities: g.world.Len(),
		TickUS: timesOf(&g.meter.Ticks), ProcessorUS: micros(g.meter.Processor),
		Systems: []SystemSummary{}, // never null
		Lost:    g.world.Raw().Dropped(),
		Reloads: g.counts.Reloads, Refused: g.counts.Refused, Unrepeatable: g.host.Unrepeatable(),
	}
	if g.slots != nil {
		s.late = g.slots.Late()
		s.Unrepeatable += s.late
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
	records := map[string]*scripting.SystemRan{}
	for _, r := range g.host.Ran() {
		own := r.Own()
		s.Ran.add(ranOf(&own))
		if now := records[r.System]; !r.Called && (now == nil || now.Gone) {
			records[r.System] = &r
		}
	}
	for _, m := range g.meter.Systems() {
		t := timesOf(&m.Runs)
		one := SystemSummary{
			Name: m.Name, Runs: m.Runs.Len(), Failures: m.Failures + rows[m.Name],
			MeanUS: t.Mean, P50US: t.P50, P99US: t.P99, MaxUS: t.Max,
			Passed: m.Passed.Len(), PassedMeanUS: micros(m.Passed.Mean()), Kernel: kernels[m.Name],
		}
		_, there := g.world.Schedule().Health(m.Name)
		switch r := records[m.Name]; {
		case r != nil:
			one.Ran, one.Gone, one.place = ranOf(&r.Ran), r.Gone && !there, Place(r)
		case there:
			one.place = "Go"
		default: // its record went long ago
			one.Gone, one.place = true, gone
		}
		s.Systems = append(s.Systems, one)
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
	case k.Comes > 0:
		return k.Coming()
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

// String prints the summary for people: a table, what took longest first, and lines of at most 80
// columns.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s %7s %6s %9s %9s %9s %6s\n", nameColumns, "system", "runs", "failed", "mean µs", "p99 µs", "worst µs", "runs on")
	for _, y := range s.slowestFirst() {
		fmt.Fprintf(&b, "%s %7d %6d %9.1f %9.1f %9.1f %6s\n", named(y.Name), y.Runs, y.Failures, y.MeanUS, y.P99US, y.MaxUS, y.place)
		if y.passes() > 0.1*y.ran() && y.passes() > 0.01*s.TickUS.Mean*float64(s.Ticks) {
			fmt.Fprintf(&b, "%s %7d %6s %9.1f\n", named(passed+y.Name), y.Passed, "", y.PassedMeanUS)
		}
	}
	for _, c := range s.Callbacks {
		fmt.Fprintf(&b, "%s %7d %6d %9.1f\n", named(c.Name), c.Runs, c.Failures, c.MeanUS)
	}
	fmt.Fprintf(&b, "%s %7d %6s %9.1f %9.1f %9.1f\n", named("whole tick"), s.Ticks, "", s.TickUS.Mean, s.TickUS.P99, s.TickUS.Max)
	fmt.Fprintf(&b, "%s in %.1f s, %s, checksum %s\n", count(s.Ticks, "tick"), s.Seconds, count(s.Entities, "entity"), cmp.Or(s.Checksum, "unknown"))
	if rate := s.Rate(); s.Slow() {
		fmt.Fprintf(&b, "slower than real time: %.1f ticks/s of %g\n", rate, s.Hz)
	}
	if s.Cut {
		b.WriteString("the end came within a tick, which is left out: there is no checksum of half a tick\n")
	}
	if i := slices.IndexFunc(s.Systems, func(y SystemSummary) bool { return y.Gone }); i >= 0 {
		b.WriteString("gone: a system of Lua that a reload has removed, or given another name\n")
	}
	if ran := s.Ran; ran.Kernel.Calls+ran.VM.Calls > 0 {
		fmt.Fprintf(&b, "kernels: %s in %.1f ms; VM: %s and %s in %.1f ms\n", count(ran.Kernel.Rows, "row"), ran.Kernel.US/1e3,
			count(ran.VM.Rows, "row"), count(ran.VM.Calls, "call"), ran.VM.US/1e3)
		if ran.Foreign.Calls > 0 {
			fmt.Fprintf(&b, "host: %s of its functions in %.1f ms\n", count(ran.Foreign.Calls, "call"), ran.Foreign.US/1e3)
		}
	}
	fmt.Fprintf(&b, "%s, %d refused, %s", count(s.Reloads, "reload"), s.Refused, count(s.Errors, "error"))
	if s.Lost > 0 {
		fmt.Fprintf(&b, ", %s lost", count(s.Lost, "event"))
	}
	if n := s.Unrepeatable - s.late; n > 0 {
		fmt.Fprintf(&b, "\n%s of scripts ended by the clock or by the memory (Limits.Time, Held,\nHeldTotal): the same run may come to another checksum", count(n, "call"))
	}
	if s.late > 0 {
		fmt.Fprintf(&b, "\n%s of scripts had to wait for the disk (ecs.save, ecs.load): the same\nrun may come to another checksum; with --headless it does not", count(s.late, "call"))
	}
	return b.String()
}

// passed stands before the name of a system where the condition says no, in a line of its own: where that takes
// a part of the game that one would look for.
const passed = "passed: "

// ran returns how long the runs of a system took in all, and passes how long it took it to pass.
func (y *SystemSummary) ran() float64    { return y.MeanUS * float64(y.Runs) }
func (y *SystemSummary) passes() float64 { return y.PassedMeanUS * float64(y.Passed) }

// nameColumns is how wide the column of names is: longer ones lose their middle, because what makes them
// differ stands at their ends.
const nameColumns = 28

// named fits a name into its column.
func named(name string) string {
	name = diag.Middle(diag.OneLine(name), nameColumns)
	return name + strings.Repeat(" ", max(nameColumns-diag.Columns(name), 0))
}

// slowestFirst returns the systems by what they have cost in all.
func (s Summary) slowestFirst() []SystemSummary {
	list := slices.Clone(s.Systems)
	slices.SortStableFunc(list, func(a, b SystemSummary) int {
		return cmp.Compare(b.ran()+b.passes(), a.ran()+a.passes())
	})
	return list
}

// gone stands where a system of a script is no more.
const gone = "gone"

// Place says in a word what has run a system of a script: a kernel, the VM, or both; or that it is gone.
func Place(r *scripting.SystemRan) string {
	switch {
	case r.Gone:
		return gone
	case r.Kernel.Calls > 0 && r.VM.Calls > 0:
		return "both"
	case r.Kernel.Calls > 0:
		return "kernel"
	case r.VM.Calls > 0:
		return "VM"
	}
	return ""
}

// Rate returns how many ticks there were in a second of real time.
func (s Summary) Rate() float64 { return float64(s.Ticks) / max(s.Seconds, 1e-9) }

// Slow reports whether the ticks were too slow for the rate of the game: by 5 %, after some of them.
func (s Summary) Slow() bool { return s.Ticks >= 10 && s.Rate() < 0.95*s.Hz }

// count says how many there are of something.
func count[N int | uint64](n N, what string) string { return diag.Plural(int(n), what) }
