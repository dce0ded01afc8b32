package inspect

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/journal"
)

// mostEntries bounds the entries of the journal in an answer, and mostLikely the lines that may have written a field.
const (
	mostEntries = 200
	mostLikely  = 4
)

// journalJSON is what was changed, and by whom.
type journalJSON struct {
	On      bool        `json:"on"`
	Tick    uint64      `json:"tick"`    // of the world
	Watched []uint64    `json:"watched"` // entities whose values are compared after each system
	Entries []entryJSON `json:"entries"` // the newest first
}

// entryJSON is one change of an entity.
type entryJSON struct {
	Tick       uint64      `json:"tick"`
	Kind       string      `json:"kind"`
	Entity     uint64      `json:"entity"`
	Components []string    `json:"components,omitempty"`
	Field      string      `json:"field,omitempty"`
	Old        any         `json:"old,omitempty"`
	New        any         `json:"new,omitempty"`
	Times      int         `json:"times,omitempty"` // of set and write: how often
	Since      uint64      `json:"since,omitempty"` // the tick of the first; tick is that of the last
	Relation   string      `json:"relation,omitempty"`
	Target     uint64      `json:"target,omitempty"`
	With       uint64      `json:"with,omitempty"`   // the entity with which it died
	System     string      `json:"system,omitempty"` // that was at work; without one it was the host, between two steps
	At         *placeJSON  `json:"at,omitempty"`     // the line whose command it was
	Prefab     string      `json:"prefab,omitempty"` // of spawn: of which prefab it was made
	Likely     []placeJSON `json:"likely,omitempty"` // lines of the system that assign the field, if no command did it
	Text       string      `json:"text"`             // all of it in one line
}

// placeJSON is a place in a script.
type placeJSON struct {
	Script string `json:"script"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
}

func placeOf(p diag.Place) placeJSON { return placeJSON{p.Script, p.Line, p.Column} }

// keepJournal begins the journal, or ends it.
func (i *Inspector) keepJournal(on bool) (err error) {
	switch {
	case on && i.journal == nil:
		i.journal, err = journal.Open(i.world, journal.Options{})
	case !on:
		i.journal.Close()
		i.journal = nil
	}
	return err
}

// handleIn reads the handle of an entity, alive or dead; 0 for an empty text.
func handleIn(text string) (ecs.Entity, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		return 0, failf(http.StatusBadRequest, "an entity is a number above 0")
	}
	return ecs.Entity(n), nil
}

func (i *Inspector) getJournal(r *http.Request) (any, error) {
	limit, err := number(r, "limit", 50, 1, mostEntries)
	if err != nil {
		return nil, err
	}
	e, err := handleIn(r.URL.Query().Get("entity"))
	if err != nil {
		return nil, err
	}
	var a journalJSON
	err = i.ask(r.Context(), func() error { a = i.journalNow(e, limit); return nil })
	return a, err
}

// journalNow returns the last entries, of one entity or of all.
func (i *Inspector) journalNow(e ecs.Entity, limit int) journalJSON {
	_, tick := i.world.Time()
	a := journalJSON{On: i.journal != nil, Tick: tick, Watched: []uint64{}, Entries: []entryJSON{}}
	for _, w := range i.journal.Watched() {
		a.Watched = append(a.Watched, uint64(w))
	}
	list := i.journal.Last(limit)
	if e != 0 {
		list = i.journal.Of(e, limit)
	}
	copied := 0
	for k := range list {
		one := i.entryOf(&list[k])
		if copied += len(one.Text); copied > mostCopied {
			break
		}
		a.Entries = append(a.Entries, one)
	}
	return a
}

// entryOf says of an entry where the line is that has made it.
func (i *Inspector) entryOf(e *journal.Entry) entryJSON {
	one := entryJSON{
		Tick: e.Tick, Kind: e.Kind.String(), Entity: uint64(e.Entity), Components: e.Components, Field: e.Field, Old: told(e.Old), New: told(e.New), Times: e.Times, Since: e.Since,
		Relation: e.Relation, Target: uint64(e.Target), With: uint64(e.With), System: e.System, Prefab: e.Caller.Prefab, Text: e.String(),
	}
	if p := i.host.PlaceOf(e.Caller); p.Line > 0 {
		at := placeOf(p)
		one.At = &at
		one.Text += " at " + p.String()
	} else if e.Kind == journal.Write {
		for _, p := range i.host.Assigned(e.System, e.Field) {
			if len(one.Likely) == mostLikely {
				break
			}
			one.Likely = append(one.Likely, placeOf(p))
		}
	}
	return one
}

// told is a value as the answer has it: what JSON has no number for is a text.
func told(v any) any {
	switch v := v.(type) {
	case nil, bool, string:
		return v
	case float64:
		if v-v == 0 { // neither infinite nor no number
			return v
		}
	case ecs.Entity:
		return uint64(v)
	}
	return cut(fmt.Sprint(v))
}

// postJournal begins or ends the journal, or has it watch an entity.
func (i *Inspector) postJournal(r *http.Request) (any, error) {
	var want struct {
		On      *bool  `json:"on"`
		Watch   uint64 `json:"watch"`
		Unwatch uint64 `json:"unwatch"`
	}
	if err := body(r, &want); err != nil {
		return nil, err
	}
	n := 0
	for _, is := range []bool{want.On != nil, want.Watch != 0, want.Unwatch != 0} {
		if is {
			n++
		}
	}
	if n != 1 {
		return nil, failf(http.StatusBadRequest, "expected one of on, watch and unwatch")
	}
	var a journalJSON
	err := i.ask(r.Context(), func() (err error) {
		switch {
		case want.On != nil:
			err = i.keepJournal(*want.On)
		case i.journal == nil:
			err = failf(http.StatusConflict, "no journal is kept: begin with {\"on\": true}")
		case want.Watch != 0:
			err = i.journal.Watch(ecs.Entity(want.Watch))
		default:
			i.journal.Unwatch(ecs.Entity(want.Unwatch))
		}
		a = i.journalNow(ecs.Entity(want.Watch), 50)
		return err
	})
	return a, err
}
