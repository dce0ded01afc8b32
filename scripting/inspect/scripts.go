package inspect

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// scriptJSON is a script in the list of them.
type scriptJSON struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"`
	Notes   int    `json:"notes"`
	Faults  uint64 `json:"faults"`
	Refused bool   `json:"refused"` // the last reload was refused because of it
}

// noteJSON is what is to be said at a line.
type noteJSON struct {
	Line   int    `json:"line"` // from 1; 0: of the whole file
	Column int    `json:"column"`
	Kind   string `json:"kind"` // "fault", "refused" or "kernel"
	System string `json:"system,omitempty"`
	Text   string `json:"text"`
	Detail string `json:"detail,omitempty"`
	Tick   uint64 `json:"tick,omitempty"`  // of a fault, the last one
	Times  int    `json:"times,omitempty"` // how often it is among the faults that are kept
}

// notes is a copy of all that is said about scripts.
type notes struct {
	scripts []string
	sizes   map[string]int
	faults  []*scripting.Error // of each system the last one, and behind them the last ones of all
	failed  map[string]uint64  // by script: how often the systems have failed whose last fault is there, and other faults among the last ones
	refused []*scripting.Error
	kernels []scripting.KernelStatus
}

// notes copies; for the goroutine of the host.
func (i *Inspector) notes() notes {
	n := notes{scripts: i.host.Modules(), sizes: map[string]int{}, failed: map[string]uint64{}, kernels: i.host.Kernels()}
	kept := i.host.Faults()
	for _, s := range kept.Systems { // a script that fails all the time drives the faults of others out of the last ones
		n.failed[s.Last.Script] += s.Total
		if !slices.Contains(kept.Recent, s.Last) {
			n.faults = append(n.faults, s.Last)
		}
	}
	for _, e := range kept.Recent {
		if e.System == "" {
			n.failed[e.Script]++
		}
	}
	n.faults = append(n.faults, kept.Recent...)
	for _, path := range n.scripts {
		text, _ := i.host.Source(path)
		n.sizes[path] = len(text)
	}
	last, _ := i.host.LastReload()
	if load, ok := last.Err.(*scripting.LoadError); ok {
		n.refused = load.Problems[:min(len(load.Problems), mostProblems)]
	}
	return n
}

// of returns the notes of one script, by line.
func (n *notes) of(path string) []noteJSON {
	list := []noteJSON{}
	for _, e := range n.faults {
		if e.Script != path {
			continue
		}
		one := noteJSON{e.Line, e.Column, "fault", cut(e.System), cut(e.Message), cut(e.Detail()), e.Tick, 1}
		if k := slices.IndexFunc(list, one.saysTheSame); k >= 0 {
			one.Times += list[k].Times
			list[k] = one
			continue
		}
		list = append(list, one)
	}
	for _, e := range n.refused {
		if e.Script == path {
			list = append(list, noteJSON{e.Line, e.Column, "refused", cut(e.System), cut(e.Message), cut(e.Detail()), 0, 0})
		}
	}
	for _, k := range n.kernels {
		if k.Script == path && k.Reason != "" {
			list = append(list, noteJSON{k.Line, k.Column, "kernel", cut(k.System), cut(k.Note()), "", 0, 0})
		}
	}
	slices.SortStableFunc(list, func(a, b noteJSON) int { return cmp.Compare(a.Line, b.Line) })
	return list
}

// saysTheSame reports whether another note says the same of the same place.
func (n noteJSON) saysTheSame(other noteJSON) bool {
	return n.Line == other.Line && n.Column == other.Column && n.System == other.System && n.Text == other.Text
}

func (i *Inspector) getScripts(r *http.Request) (any, error) {
	var n notes
	if err := i.ask(r.Context(), func() error { n = i.notes(); return nil }); err != nil {
		return nil, err
	}
	list := []scriptJSON{}
	for _, path := range n.known() {
		one := scriptJSON{Path: cut(path), Bytes: n.sizes[path], Faults: n.failed[path]}
		for _, note := range n.of(path) {
			switch note.Kind {
			case "refused":
				one.Refused = true
			case "kernel":
				one.Notes++
			}
		}
		list = append(list, one)
	}
	return map[string]any{"scripts": list}, nil
}

// known are the paths of all scripts that are loaded, and of those that were refused.
func (n *notes) known() []string {
	all := slices.Clone(n.scripts)
	for _, e := range n.refused {
		if e.Script != "" {
			all = append(all, e.Script)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ofScript is a script.
type ofScript struct {
	Path    string     `json:"path"`
	Text    string     `json:"text"`              // as it runs
	Refused *string    `json:"refused,omitempty"` // a newer text that the last reload has refused: notes of the kind "refused" are at its lines
	Notes   []noteJSON `json:"notes"`
}

// getScript returns the text of a script as it runs, with what is to be said at its lines, and the text that was refused. One
// that was refused and never loaded has no other text.
func (i *Inspector) getScript(r *http.Request) (any, error) {
	path := r.PathValue("path")
	var n notes
	one := ofScript{Path: cut(path)}
	err := i.ask(r.Context(), func() (err error) {
		n = i.notes()
		if text, ok := i.host.Refused(path); ok {
			one.Refused = &text
		}
		one.Text, err = i.host.Source(path)
		switch known := slices.Contains(n.known(), path); {
		case known && errors.Is(err, ecs.ErrUnknown):
			return nil
		case errors.Is(err, ecs.ErrUnknown):
			return failf(http.StatusNotFound, "%v", err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	one.Notes = n.of(path)
	return one, nil
}
