package inspect

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// systemJSON is a system of the schedule, in running order.
type systemJSON struct {
	Name     string      `json:"name"`
	Phase    string      `json:"phase"`
	Priority int         `json:"priority"`
	Fixed    bool        `json:"fixed"`
	Stage    int         `json:"stage"` // from 1; systems of one stage may run at the same time
	Parallel bool        `json:"parallel"`
	Why      string      `json:"why,omitempty"` // why it is not part of the stage before
	Enabled  bool        `json:"enabled"`
	Health   string      `json:"health"`
	Blocker  string      `json:"blocker,omitempty"`
	Runs     uint64      `json:"runs"`
	Skipped  uint64      `json:"skipped"`
	Failures uint64      `json:"failures"`
	LastUS   float64     `json:"last_us"` // microseconds
	TotalUS  float64     `json:"total_us"`
	Reads    []string    `json:"reads"`
	Writes   []string    `json:"writes"`
	Script   string      `json:"script,omitempty"` // none: a system of the host
	Kernel   *kernelJSON `json:"kernel,omitempty"` // none: it has no each function over a query
	Ran      *ranJSON    `json:"ran,omitempty"`
}

// kernelJSON says how an each function runs.
type kernelJSON struct {
	Compiled bool   `json:"compiled"`
	Safe     bool   `json:"safe"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Reason   string `json:"reason,omitempty"` // what stands in the way
	Unready  string `json:"unready,omitempty"`
	Comes    uint64 `json:"comes,omitempty"` // the tick from which on it has another kernel
}

// ranJSON says what ran where, since the world began.
type ranJSON struct {
	KernelRows uint64  `json:"kernel_rows"`
	KernelUS   float64 `json:"kernel_us"`
	VMRows     uint64  `json:"vm_rows"`
	VMUS       float64 `json:"vm_us"`
	HostUS     float64 `json:"host_us"`
}

// microseconds of a time.
func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// systemsCopy is a copy of what the answer is made of.
type systemsCopy struct {
	stats   []ecs.SystemStats
	plan    ecs.Plan
	kernels []scripting.KernelStatus
	ran     []scripting.SystemRan
}

func (i *Inspector) getSystems(r *http.Request) (any, error) {
	var s systemsCopy
	err := i.ask(r.Context(), func() error {
		s = systemsCopy{i.world.Schedule().Stats(nil), i.world.Schedule().Plan(), i.host.Kernels(), i.host.Ran()}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"systems": s.list()}, nil
}

// list makes the answer.
func (s *systemsCopy) list() []systemJSON {
	list := make([]systemJSON, 0, len(s.stats))
	places := make(map[string]int, len(s.stats))
	for k, st := range s.stats {
		places[st.Name] = k
		list = append(list, systemJSON{
			Name: st.Name, Phase: st.Phase.String(), Priority: st.Priority, Enabled: st.Enabled, Health: st.Health.String(), Blocker: st.Blocker,
			Runs: st.Runs, Skipped: st.Skipped, Failures: st.Failures, LastUS: microseconds(st.Last), TotalUS: microseconds(st.Total),
			Reads: sorted(st.Reads), Writes: sorted(st.Writes),
		})
	}
	for n, stage := range s.plan.Stages {
		for k, name := range stage.Systems {
			if at, ok := places[name]; ok {
				one := &list[at]
				one.Stage, one.Fixed, one.Parallel = n+1, stage.Fixed, stage.Parallel
				if k == 0 {
					one.Why = stage.Why
				}
			}
		}
	}
	for _, ran := range s.ran {
		if at, ok := places[ran.System]; ok && !ran.Called && !ran.Gone {
			list[at].Script = ran.Script
			list[at].Ran = &ranJSON{ran.Kernel.Rows, microseconds(ran.Kernel.Time), ran.VM.Rows, microseconds(ran.VM.Time), microseconds(ran.Foreign.Time)}
		}
	}
	for _, k := range s.kernels {
		if at, ok := places[k.System]; ok && !k.Called {
			list[at].Kernel = &kernelJSON{k.Compiled, k.Safe, k.Line, k.Column, cut(k.Reason), cut(k.Unready), k.Comes}
		}
	}
	return list
}

// sorted returns names in order, each once.
func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return append([]string{}, slices.Compact(list)...)
}

// patchSystem enables or disables a system.
func (i *Inspector) patchSystem(r *http.Request) (any, error) {
	var want struct {
		Enabled *bool `json:"enabled"`
	}
	if err := body(r, &want); err != nil {
		return nil, err
	}
	if want.Enabled == nil {
		return nil, failf(http.StatusBadRequest, "expected enabled: true or false")
	}
	name := r.PathValue("name")
	err := i.edit(r, func() error {
		if !i.world.Schedule().Enable(name, *want.Enabled) {
			return failf(http.StatusNotFound, "there is no system %q", cut(name))
		}
		return nil
	})
	return map[string]any{"name": name, "enabled": *want.Enabled}, err
}

const (
	mostTraced = 300             // ticks of a trace
	mostSpans  = 100_000         // runs of systems in it
	traceTime  = 8 * time.Second // after which a trace ends with what it has
)

// recording collects how ticks went.
type recording struct {
	wanted int
	ticks  int
	runs   []tracedRun
	full   chan struct{} // closed when all ticks are there
}

// tracedRun is a piece of time in a trace.
type tracedRun struct {
	name        string
	began, took time.Duration // since the first tick began
	track       int           // the worker; ticks are on that of the goroutine of the step
	tick        uint64
	rows        int
}

// add adds a tick, and reports whether it was the last.
func (t *recording) add(r *ecs.TickReport) bool {
	begin := time.Duration(r.Began.UnixNano())
	t.runs = append(t.runs, tracedRun{"tick", begin, r.Took, 0, r.N, r.Entities})
	for k := range r.Spans {
		if len(t.runs) > mostSpans {
			break
		}
		s := &r.Spans[k]
		t.runs = append(t.runs, tracedRun{s.System, begin + s.Began, s.Took, s.Worker, r.N, s.Rows})
		if took := s.Commands + s.Observers; took > 0 { // of a parallel system after its stage, by the goroutine of the step
			t.runs = append(t.runs, tracedRun{s.System + ": commands", begin + s.Settled, took, 0, r.N, s.Rows})
		}
	}
	t.ticks++
	return t.ticks == t.wanted || len(t.runs) > mostSpans
}

// traceEvent is an event of the Trace Event Format, which Perfetto and speedscope open.
type traceEvent struct {
	Name     string         `json:"name"`
	Phase    string         `json:"ph"`
	Began    float64        `json:"ts"` // microseconds
	Took     float64        `json:"dur"`
	Process  int            `json:"pid"`
	Track    int            `json:"tid"`
	Category string         `json:"cat,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// events makes the answer.
func (t *recording) events() []traceEvent {
	list := []traceEvent{}
	if len(t.runs) == 0 {
		return list
	}
	zero := t.runs[0].began
	for _, s := range t.runs {
		count := "rows"
		if s.name == "tick" {
			count = "entities"
		}
		list = append(list, traceEvent{
			Name: s.name, Phase: "X", Began: microseconds(s.began - zero), Took: microseconds(s.took), Process: 1, Track: s.track + 1,
			Category: "ecs", Args: map[string]any{"tick": s.tick, count: s.rows},
		})
	}
	slices.SortStableFunc(list, func(a, b traceEvent) int { return cmp.Compare(a.Began, b.Began) })
	return list
}

// getTrace records the next ticks, and returns them as a trace.
func (i *Inspector) getTrace(r *http.Request) (any, error) {
	ticks, err := number(r, "ticks", 60, 1, mostTraced)
	if err != nil {
		return nil, err
	}
	if l := i.options.Loop; l != nil && l.Paused() {
		return nil, failf(http.StatusConflict, "the game is paused: there are no ticks to record")
	}
	leave, err := i.attend(r.Context())
	if err != nil {
		return nil, err
	}
	defer leave()
	t := &recording{wanted: ticks, full: make(chan struct{})}
	if !i.watch.record(t) {
		return nil, failf(http.StatusConflict, "another trace is being recorded")
	}
	late := time.NewTimer(traceTime)
	defer late.Stop()
	select {
	case <-t.full:
	case <-late.C:
	case <-r.Context().Done():
	case <-i.done:
	}
	i.watch.end(t)
	return map[string]any{
		"displayTimeUnit": "ms", "traceEvents": t.events(),
		"otherData": map[string]string{"ticks": fmt.Sprint(t.ticks), "game": i.options.Name},
	}, nil
}

// record begins a trace, unless there is one.
func (w *watch) record(t *recording) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.trace != nil {
		return false
	}
	w.trace = t
	return true
}

// end ends a trace: nothing is added to it from then on.
func (w *watch) end(t *recording) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.trace == t {
		w.trace = nil
	}
}
