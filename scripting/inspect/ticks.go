package inspect

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
)

const (
	flameTicks = 120              // the last ticks that are kept, run by run
	flameSlow  = 16               // and the slowest since somebody looks
	mostRuns   = 2000             // runs of systems that are kept of one tick
	flameTime  = 10 * time.Second // after which nobody looks, if nobody has asked
)

// flames keeps how the last ticks went, run by run, and the slowest of them, while somebody looks: whoever asks for
// them does, for some seconds.
//
// Invariants: watch.mu guards it, but for memory that a flame in the ring uses again; ring[made%flameTicks] is the
// oldest of a full ring; slow has the slowest first; no tick is there that is later than the last one. While on, it is one of watch.users.
type flames struct {
	on    bool
	asked time.Time // the last time
	since uint64    // the first tick
	made  int       // ticks in the ring, so far
	ring  []flame
	slow  []flame
	known []flameSystem // as the last tick had them; flames share it
}

// flame is how a tick went.
type flame struct {
	tick                   uint64
	took, inputs, despawns time.Duration
	fixed, entities        int // fixed steps; entities at the end
	failures, leftOut      int // of systems; runs that are not kept
	runs                   []flameRun
	systems                []flameSystem
}

// flameRun is one run of a system, in microseconds since the tick began.
//
// Why not ecs.Span? A tick would write three times as much memory that has left the caches since its place in the ring was
// used last.
type flameRun struct {
	began, took, settled, commands, observers float32
	rows                                      uint32
	system                                    uint32 // in systems
	worker                                    uint16
	passed                                    bool
}

// flameSystem is where a system stands in the schedule.
type flameSystem struct {
	name  string
	phase ecs.Phase
	fixed bool
}

// look begins to keep ticks, or goes on; begun says that nobody has looked before.
func (f *flames) look(now time.Time) (begun bool) {
	begun = !f.on
	f.on, f.asked = true, now
	return begun
}

// left ends it when nobody has asked for long, and reports that.
func (f *flames) left(now time.Time) bool {
	if !f.on || now.Sub(f.asked) < flameTime {
		return false
	}
	*f = flames{}
	return true
}

// add keeps a tick. Where the world has gone back, the ticks that it gave up go.
func (f *flames) add(r *ecs.TickReport) {
	if !f.on {
		return
	}
	if last := f.last(); last != nil && r.N <= last.tick {
		f.made, f.ring = 0, f.ring[:0]
		f.slow = slices.DeleteFunc(f.slow, func(s flame) bool { return s.tick >= r.N })
	}
	if f.since == 0 || r.N < f.since {
		f.since = r.N
	}
	if len(f.ring) < flameTicks {
		f.ring = append(f.ring, flame{})
	}
	at := &f.ring[f.made%flameTicks]
	f.made++
	f.know(r.Systems)
	at.take(r, f.known)
	f.keepSlow(at)
}

// last returns the newest tick, nil while there is none.
func (f *flames) last() *flame {
	if f.made == 0 {
		return nil
	}
	return &f.ring[(f.made-1)%flameTicks]
}

// know takes note of the systems, if they are others than before.
func (f *flames) know(list []ecs.SystemReport) {
	same := len(list) == len(f.known)
	for k := 0; same && k < len(list); k++ {
		same = list[k].Name == f.known[k].name && list[k].Phase == f.known[k].phase && list[k].Fixed == f.known[k].fixed
	}
	if same {
		return
	}
	f.known = make([]flameSystem, 0, len(list))
	for k := range list {
		f.known = append(f.known, flameSystem{list[k].Name, list[k].Phase, list[k].Fixed})
	}
}

// placeFrom returns where a system is in a list, looking from a place on first: most often it is the next one. The
// length of the list: it is not there.
func placeFrom(systems []flameSystem, from int, name string) int {
	is := func(s flameSystem) bool { return s.name == name }
	if k := slices.IndexFunc(systems[from:], is); k >= 0 {
		return from + k
	}
	if k := slices.IndexFunc(systems[:from], is); k >= 0 {
		return k
	}
	return len(systems)
}

// us is a time in microseconds, to a ten-millionth of it.
func us(d time.Duration) float32 { return float32(d) / 1000 }

// take makes a flame that of a tick.
func (f *flame) take(r *ecs.TickReport, systems []flameSystem) {
	spans := r.Spans[:min(len(r.Spans), mostRuns)]
	*f = flame{r.N, r.Took, r.Inputs, r.Despawns, r.FixedSteps, r.Entities, 0, len(r.Spans) - len(spans), f.runs[:0], systems}
	at := 0
	for k := range spans {
		s := &spans[k]
		if at = placeFrom(systems, at, s.System); at == len(systems) {
			at = 0
			f.leftOut++ // not known to happen
			continue
		}
		f.runs = append(f.runs, flameRun{
			us(s.Began), us(s.Took), us(s.Settled), us(s.Commands), us(s.Observers), uint32(min(s.Rows, math.MaxInt32)), uint32(at), uint16(s.Worker), s.Passed,
		})
	}
	for k := range r.Systems {
		f.failures += r.Systems[k].Failures
	}
}

// keepSlow keeps a copy of a tick if it is one of the slowest.
func (f *flames) keepSlow(one *flame) {
	at, _ := slices.BinarySearchFunc(f.slow, one, func(s flame, one *flame) int {
		return cmp.Compare(one.took, s.took)
	})
	if at == flameSlow {
		return
	}
	memory := []flameRun(nil)
	if len(f.slow) == flameSlow {
		memory = f.slow[flameSlow-1].runs[:0]
		f.slow = f.slow[:flameSlow-1]
	}
	kept := *one
	kept.runs = append(memory, one.runs...)
	f.slow = slices.Insert(f.slow, at, kept)
}

// find returns a copy of a tick that is kept.
func (f *flames) find(tick uint64) (flame, bool) {
	for _, list := range [][]flame{f.ring, f.slow} {
		if k := slices.IndexFunc(list, func(one flame) bool { return one.tick == tick }); k >= 0 {
			one := list[k]
			one.runs = slices.Clone(one.runs)
			return one, true
		}
	}
	return flame{}, false
}

// lookAtTicks has ticks kept from now on, for some seconds.
func (i *Inspector) lookAtTicks(r *http.Request) error {
	w := &i.watch
	w.mu.Lock()
	if w.flames.look(time.Now()) {
		w.users.Add(1)
	}
	w.mu.Unlock()
	return i.ask(r.Context(), i.hook)
}

// tickJSON is a tick that is kept.
type tickJSON struct {
	Tick       uint64  `json:"tick"`
	US         float64 `json:"us"` // that it took, in microseconds
	FixedSteps int     `json:"fixed_steps"`
	Entities   int     `json:"entities"`
	Failures   int     `json:"failures"`
}

// newTick makes the JSON of a tick.
func newTick(f *flame) tickJSON {
	return tickJSON{f.tick, microseconds(f.took), f.fixed, f.entities, f.failures}
}

// ticksJSON are the ticks that are kept.
type ticksJSON struct {
	Since   uint64     `json:"since"`   // the first tick that could be among the slowest; 0: there was none yet
	Ticks   []tickJSON `json:"ticks"`   // the last, the oldest first
	Slowest []tickJSON `json:"slowest"` // the slowest first
}

// getTicks lists the ticks that are kept.
func (i *Inspector) getTicks(r *http.Request) (any, error) {
	if err := i.lookAtTicks(r); err != nil {
		return nil, err
	}
	i.watch.mu.Lock()
	defer i.watch.mu.Unlock()
	f := &i.watch.flames
	all := ticksJSON{Since: f.since, Ticks: []tickJSON{}, Slowest: []tickJSON{}}
	for k := range f.ring {
		all.Ticks = append(all.Ticks, newTick(&f.ring[(f.made+k)%len(f.ring)]))
	}
	for k := range f.slow {
		all.Slowest = append(all.Slowest, newTick(&f.slow[k]))
	}
	return all, nil
}

// flameJSON is how a tick went, run by run. Times are microseconds since the tick began.
type flameJSON struct {
	tickJSON
	InputsUS   float64   `json:"inputs_us"`   // what came before the systems
	DespawnsUS float64   `json:"despawns_us"` // what came after them: entities that were named for the end of the tick
	Bars       []barJSON `json:"bars"`
	LeftOut    int       `json:"left_out,omitempty"` // runs beyond those
}

// barJSON is one run of a system.
type barJSON struct {
	System      string  `json:"system"`
	Phase       string  `json:"phase"`
	Fixed       bool    `json:"fixed"`
	Worker      uint16  `json:"worker"` // 0: the goroutine of the step
	AtUS        float32 `json:"at_us"`
	US          float32 `json:"us"`         // that its function took
	SettledUS   float32 `json:"settled_us"` // when its commands began to be applied
	CommandsUS  float32 `json:"commands_us"`
	ObserversUS float32 `json:"observers_us"` // after the commands
	Rows        uint32  `json:"rows"`
	Passed      bool    `json:"passed,omitempty"` // it has not counted as a run
}

// getTick returns a tick that is kept.
func (i *Inspector) getTick(r *http.Request) (any, error) {
	tick, err := strconv.ParseUint(r.PathValue("tick"), 10, 64)
	if err != nil {
		return nil, failf(http.StatusBadRequest, "a tick is a whole number from 0")
	}
	if err := i.lookAtTicks(r); err != nil {
		return nil, err
	}
	i.watch.mu.Lock()
	f, ok := i.watch.flames.find(tick)
	i.watch.mu.Unlock()
	if !ok {
		return nil, failf(http.StatusNotFound, "tick %d is not kept: it is neither one of the last %d nor one of the slowest %d", tick, flameTicks, flameSlow)
	}
	return newFlame(&f), nil
}

// newFlame makes the JSON of a tick, run by run.
func newFlame(f *flame) flameJSON {
	all := flameJSON{tickJSON: newTick(f), InputsUS: microseconds(f.inputs), DespawnsUS: microseconds(f.despawns), Bars: make([]barJSON, 0, len(f.runs)), LeftOut: f.leftOut}
	for _, r := range f.runs {
		of := f.systems[r.system]
		all.Bars = append(all.Bars, barJSON{of.name, of.phase.String(), of.fixed, r.worker, r.began, r.took, r.settled, r.commands, r.observers, r.rows, r.passed})
	}
	return all
}
