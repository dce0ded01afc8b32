package inspect

import (
	"net/http"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// statusJSON is what a page shows at its top.
type statusJSON struct {
	Name       string      `json:"name"`
	Tick       uint64      `json:"tick"`
	Time       float64     `json:"time"` // seconds of simulation
	Entities   int         `json:"entities"`
	Paused     bool        `json:"paused"`
	Scale      float64     `json:"scale"`
	Control    bool        `json:"control"`
	Edit       bool        `json:"edit"`
	View       bool        `json:"view"` // there is something to see
	Systems    int         `json:"systems"`
	Scripts    int         `json:"scripts"`
	Faults     uint64      `json:"faults"`
	Reloads    uint64      `json:"reloads"` // verdicts so far
	LastReload *reloadJSON `json:"last_reload,omitempty"`
	Warnings   int         `json:"warnings"`         // of the world, while a stream is open
	Rewind     *rewindJSON `json:"rewind,omitempty"` // without its ticks; none: time goes forward only
}

// reloadJSON is a verdict.
type reloadJSON struct {
	Text     string      `json:"text"`
	Refused  bool        `json:"refused"`
	Changed  []string    `json:"changed"`
	Removed  []string    `json:"removed"`
	Notes    []string    `json:"notes"`
	Problems []faultJSON `json:"problems"`
}

// faultJSON is a fault of a script, or an error of a Go system.
type faultJSON struct {
	Text     string `json:"text"`   // in one line, the place first
	Detail   string `json:"detail"` // with the source line and the traceback
	Script   string `json:"script"`
	Line     int    `json:"line"` // from 1; 0 when unknown
	Column   int    `json:"column"`
	System   string `json:"system"`
	Tick     uint64 `json:"tick"`
	Entity   uint64 `json:"entity"`
	Limit    string `json:"limit"`
	Times    int    `json:"times"`
	Parked   bool   `json:"parked"`
	Message  string `json:"message"`
	Entities int    `json:"entities"`
}

// longestText bounds texts of scripts in answers, in bytes.
const longestText = 8 << 10

// cut shortens a text of scripts, and makes it one that JSON can hold.
func cut(text string) string {
	return strings.ToValidUTF8(diag.CutAt(text, longestText), "\uFFFD")
}

// newFault makes the JSON of a fault.
func newFault(e *scripting.Error) faultJSON {
	return faultJSON{
		Text: cut(e.Error()), Detail: cut(e.Detail()), Script: cut(e.Script), Line: e.Line, Column: e.Column,
		System: cut(e.System), Tick: e.Tick, Entity: uint64(e.Entity), Limit: e.Limit, Times: e.Times, Parked: e.Parked,
		Message: cut(e.Message), Entities: e.Entities,
	}
}

// status is the status now; for the goroutine of the host.
func (i *Inspector) status() statusJSON {
	s := statusJSON{Name: i.options.Name, Control: i.options.Control && i.options.Loop != nil, Edit: i.options.Edit, View: i.options.View != nil, Scale: 1}
	s.Time, s.Tick = i.world.Time()
	s.Entities = i.world.Len()
	s.Systems, s.Scripts = i.world.Schedule().Len(), len(i.host.Modules())
	s.Faults = i.host.Faults().Total
	s.LastReload, s.Reloads = i.lastReload()
	s.Rewind = i.rewindStatus()
	s.Warnings = i.growth.warnings
	if l := i.options.Loop; l != nil {
		s.Paused, s.Scale = l.Paused(), l.Scale()
	}
	return s
}

// cached is what is made once for many questions.
type cached struct {
	reload  *reloadJSON
	reloads uint64
}

// lastReload returns the last verdict, which is made into JSON once.
func (i *Inspector) lastReload() (*reloadJSON, uint64) {
	r, n := i.host.LastReload()
	if n == i.cache.reloads {
		return i.cache.reload, n
	}
	v := &reloadJSON{
		Text: cut(r.String()), Refused: r.Err != nil, Changed: append([]string{}, r.Changed...), Removed: append([]string{}, r.Removed...),
		Notes: []string{}, Problems: problems(r.Err),
	}
	for _, note := range r.Notes {
		v.Notes = append(v.Notes, cut(note))
	}
	i.cache.reload, i.cache.reloads = v, n
	return v, n
}

// mostProblems bounds the faults of one verdict in an answer.
const mostProblems = 100

// problems are the reasons for which a set was refused.
func problems(err error) []faultJSON {
	list := []faultJSON{}
	load, ok := err.(*scripting.LoadError)
	if !ok {
		return list
	}
	for _, p := range load.Problems[:min(len(load.Problems), mostProblems)] {
		list = append(list, newFault(p))
	}
	return list
}

func (i *Inspector) getStatus(r *http.Request) (any, error) {
	var s statusJSON
	err := i.ask(r.Context(), func() error { s = i.status(); return nil })
	return s, err
}

// timeJSON is how time passes.
type timeJSON struct {
	Paused bool    `json:"paused"`
	Scale  float64 `json:"scale"`
}

func (i *Inspector) getTime(*http.Request) (any, error) {
	l := i.options.Loop
	if l == nil {
		return nil, failf(http.StatusConflict, "the program has given the inspector no loop")
	}
	return timeJSON{l.Paused(), l.Scale()}, nil
}

// mostSteps bounds the steps of one request.
const mostSteps = 100

// timeRequest is what is asked of time.
type timeRequest struct {
	Paused *bool    `json:"paused"`
	Steps  int      `json:"steps"`
	Scale  *float64 `json:"scale"`
	Only   string   `json:"only"`
}

// check says why a request cannot be. Nothing is done before.
func (q *timeRequest) check(o *Options) error {
	switch {
	case o.Loop == nil:
		return failf(http.StatusConflict, "the program has given the inspector no loop")
	case q.Steps < 0 || q.Steps > mostSteps:
		return failf(http.StatusBadRequest, "steps is a whole number from 0 to %d", mostSteps)
	case q.Scale != nil && !(*q.Scale >= 0 && *q.Scale <= 100):
		return failf(http.StatusBadRequest, "scale is a number from 0 to 100")
	case q.Only != "" && (q.Steps != 1 || q.Paused != nil && !*q.Paused):
		return failf(http.StatusBadRequest, "only goes with one step of a game that is paused: steps is 1")
	case q.Only != "" && !o.Edit:
		return failf(http.StatusForbidden, "a step of one system changes the game, and this inspector only shows: the program has not set its option Edit")
	}
	return nil
}

// postTime pauses, resumes, steps, and sets the speed. The loop takes that from any goroutine.
func (i *Inspector) postTime(r *http.Request) (any, error) {
	var want timeRequest
	if err := body(r, &want); err != nil {
		return nil, err
	}
	if err := want.check(&i.options); err != nil {
		return nil, err
	}
	l := i.options.Loop
	if want.Only != "" {
		err := i.edit(r, func() error { return i.stepOnly(&want) })
		return timeJSON{l.Paused(), l.Scale()}, err
	}
	if want.Scale != nil {
		if err := l.SetScale(*want.Scale); err != nil {
			return nil, failf(http.StatusBadRequest, "%v", err)
		}
	}
	if want.Paused != nil {
		if *want.Paused {
			l.Pause()
		} else {
			l.Resume()
		}
	}
	for range want.Steps {
		l.Once()
	}
	return timeJSON{l.Paused(), l.Scale()}, nil
}

// stepOnly has one system alone run in the next step of a game that is paused, or will be; for the goroutine of the
// host, between two steps. Steps that were still to be made are taken back, since the first of them would be
// the next one.
func (i *Inspector) stepOnly(want *timeRequest) error {
	l, s := i.options.Loop, i.world.Schedule()
	if want.Paused == nil && !l.Paused() {
		return failf(http.StatusConflict, "the game runs: pause it first")
	}
	if err := i.mayRun(want.Only); err != nil {
		return err
	}
	if want.Scale != nil {
		if err := l.SetScale(*want.Scale); err != nil {
			return failf(http.StatusBadRequest, "%v", err)
		}
	}
	l.Halt()
	s.Only(want.Only)
	l.Once()
	return nil
}

// mayRun says why a system would not run in the next step; for the goroutine of the host.
func (i *Inspector) mayRun(name string) error {
	stats := i.world.Schedule().Stats(nil)
	k := slices.IndexFunc(stats, func(s ecs.SystemStats) bool { return s.Name == name })
	switch health, _ := i.world.Schedule().Health(name); {
	case k < 0:
		return failf(http.StatusNotFound, "there is no system %q", cut(name))
	case !stats[k].Enabled:
		return failf(http.StatusConflict, "the system %q is switched off: switch it on first", cut(name))
	case health == ecs.Parked || health == ecs.Blocked:
		return failf(http.StatusConflict, "the system %q is %v and would not run", cut(name), health)
	}
	return nil
}

// faultsJSON is the record of a host.
type faultsJSON struct {
	Total   uint64             `json:"total"`
	Recent  []faultJSON        `json:"recent"` // oldest first
	Systems []systemFaultsJSON `json:"systems"`
}

// systemFaultsJSON is the record of one system.
type systemFaultsJSON struct {
	System string    `json:"system"`
	Total  uint64    `json:"total"`
	Rows   uint64    `json:"rows"`
	Last   faultJSON `json:"last"`
}

func (i *Inspector) getFaults(r *http.Request) (any, error) {
	var f scripting.Faults
	if err := i.ask(r.Context(), func() error { f = i.host.Faults(); return nil }); err != nil {
		return nil, err
	}
	all := faultsJSON{Total: f.Total, Recent: []faultJSON{}, Systems: []systemFaultsJSON{}}
	for _, e := range f.Recent {
		all.Recent = append(all.Recent, newFault(e))
	}
	for _, s := range f.Systems {
		all.Systems = append(all.Systems, systemFaultsJSON{cut(s.System), s.Total, s.Rows, newFault(s.Last)})
	}
	return all, nil
}
