package inspect

import (
	"net/http"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
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

// postTime pauses, resumes, steps, and sets the speed. The loop takes that from any goroutine. Which system runs alone
// in the next step is said to the world between two steps.
func (i *Inspector) postTime(r *http.Request) (any, error) {
	var want struct {
		Paused *bool    `json:"paused"`
		Steps  int      `json:"steps"`
		Scale  *float64 `json:"scale"`
		Only   string   `json:"only"`
	}
	if err := body(r, &want); err != nil {
		return nil, err
	}
	l := i.options.Loop
	switch {
	case l == nil:
		return nil, failf(http.StatusConflict, "the program has given the inspector no loop")
	case want.Steps < 0 || want.Steps > mostSteps:
		return nil, failf(http.StatusBadRequest, "steps is a whole number from 0 to %d", mostSteps)
	case want.Scale != nil && !(*want.Scale >= 0 && *want.Scale <= 100):
		return nil, failf(http.StatusBadRequest, "scale is a number from 0 to 100")
	case want.Only != "" && (want.Steps != 1 || want.Paused != nil && !*want.Paused):
		return nil, failf(http.StatusBadRequest, "only goes with one step of a game that is paused: steps is 1")
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
	if want.Only != "" {
		if err := i.only(r, want.Only); err != nil {
			return nil, err
		}
	}
	for range want.Steps {
		l.Once()
	}
	return timeJSON{l.Paused(), l.Scale()}, nil
}

// only has the next step of a game that is paused run one system.
func (i *Inspector) only(r *http.Request, name string) error {
	switch {
	case !i.options.Edit:
		return failf(http.StatusForbidden, "a step of one system changes the game, and this inspector only shows: the program has not set its option Edit")
	case !i.options.Loop.Paused():
		return failf(http.StatusConflict, "the game runs: pause it first")
	}
	return i.edit(r, func() error {
		if !i.world.Schedule().Only(name) {
			return failf(http.StatusNotFound, "there is no system %q", cut(name))
		}
		return nil
	})
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
