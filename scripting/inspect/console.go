package inspect

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/perigee-ecs/perigee/scripting"
)

// typedJSON is what came of a text of the console.
type typedJSON struct {
	Run      uint64        `json:"run"` // the number of the text; 0: it did not run
	Values   []shownJSON   `json:"values"`
	Lines    []printedJSON `json:"lines"`          // that it has printed
	Lost     int           `json:"lost,omitempty"` // lines beyond those
	Text     string        `json:"text"`           // lines and values as one text
	Commands int           `json:"commands"`       // changes of entities
	Changed  bool          `json:"changed"`        // something may be another than before
	Problem  *faultJSON    `json:"problem,omitempty"`
	Faults   []faultJSON   `json:"faults"`            // what has failed after it, while its other changes stay
	NoUndo   string        `json:"no_undo,omitempty"` // why a change cannot be undone
	Undoable []uint64      `json:"undoable"`          // the texts that can be undone, the oldest first
	Took     float64       `json:"milliseconds"`
	Tick     uint64        `json:"tick"` // of the world
}

// shownJSON is a value, with what is in it.
type shownJSON struct {
	Key    string      `json:"key,omitempty"`
	Text   string      `json:"text"`
	Kind   string      `json:"kind"`
	Entity uint64      `json:"entity,omitempty"`
	Items  []shownJSON `json:"items,omitempty"`
	More   int         `json:"more,omitempty"` // entries that are not among the items
}

// printedJSON is a line that a text has printed.
type printedJSON struct {
	Level string `json:"level"`
	Text  string `json:"text"`
	Line  int    `json:"line"`
}

// newShown makes the JSON of values.
func newShown(values []scripting.ConsoleValue) []shownJSON {
	list := []shownJSON{}
	for i := range values {
		v := &values[i]
		one := shownJSON{Key: cut(v.Key), Text: cut(v.Text), Kind: v.Kind, Entity: uint64(v.Entity), More: v.More}
		if len(v.Items) > 0 {
			one.Items = newShown(v.Items)
		}
		list = append(list, one)
	}
	return list
}

// newTyped makes the JSON of what came of a text.
func newTyped(r *scripting.ConsoleResult) typedJSON {
	a := typedJSON{Run: r.Run, Values: newShown(r.Values), Lines: []printedJSON{}, Lost: r.Lost, Commands: r.Commands, Changed: r.Changed, Faults: newFaults(r.Faults), Took: float64(r.Took) / float64(time.Millisecond)}
	var text []string
	for _, l := range r.Lines {
		a.Lines = append(a.Lines, printedJSON{strings.ToLower(l.Level.String()), cut(l.Text), l.Line})
		text = append(text, cut(l.Text))
	}
	for i := range r.Values {
		text = append(text, r.Values[i].String())
	}
	a.Text = strings.ToValidUTF8(strings.Join(text, "\n"), "\uFFFD")
	if r.NotUndoable != nil && r.Changed {
		a.NoUndo = cut(r.NotUndoable.Error())
	}
	return a
}

// postConsole runs a text between two steps.
func (i *Inspector) postConsole(r *http.Request) (any, error) {
	var want struct {
		Text *string `json:"text"`
	}
	if err := body(r, &want); err != nil {
		return nil, err
	}
	if want.Text == nil {
		return nil, failf(http.StatusBadRequest, `expected text: Lua, such as {"text": "1 + 1"}`)
	}
	text := i.compiled(*want.Text)
	var a typedJSON
	err := i.edit(r, func() error {
		c := i.host.Console()
		result, err := c.RunText(text)
		a = newTyped(&result)
		a.Undoable = undoable(c)
		_, a.Tick = i.world.Time()
		if e, ok := errors.AsType[*scripting.Error](err); ok {
			problem := newFault(e)
			a.Problem, err = &problem, nil
		}
		i.show() // a game that is paused makes no tick
		return err
	})
	return a, err
}

// typing has one text be compiled at a time.
type typing struct{ mu sync.Mutex }

// compiled compiles a text on the goroutine of the request: no step waits for it.
func (i *Inspector) compiled(text string) *scripting.ConsoleText {
	i.typing.mu.Lock()
	defer i.typing.mu.Unlock()
	return scripting.ReadConsoleText(text)
}

// undoable lists the texts that can be undone.
func undoable(c *scripting.Console) []uint64 { return append([]uint64{}, c.Undoable()...) }

// undoneJSON is what came of an undo.
type undoneJSON struct {
	Tick     uint64   `json:"tick"`  // of the world
	Notes    []string `json:"notes"` // what was found of the scripts, and what stays
	Undoable []uint64 `json:"undoable"`
}

// postUndo makes the game what it was before a text.
func (i *Inspector) postUndo(r *http.Request) (any, error) {
	var want struct {
		Run uint64 `json:"run"`
	}
	if err := body(r, &want); err != nil {
		return nil, err
	}
	if want.Run == 0 {
		return nil, failf(http.StatusBadRequest, "run is the number of a text that can be undone: the answer to it had it, and undoable lists them")
	}
	var a undoneJSON
	err := i.edit(r, func() error {
		c := i.host.Console()
		var found scripting.Restored
		undo := func() (err error) { found, err = c.Undo(want.Run); return err }
		var err error
		if s := i.options.Session; s != nil {
			err = s.Back(undo)
		} else {
			err = undo()
		}
		a.Notes, a.Undoable = append([]string{}, notesOf(found)...), undoable(c)
		if err == nil && i.options.View != nil {
			i.options.Play(released) // keys that were held then are not held now
		}
		_, a.Tick = i.world.Time()
		i.show()
		return err
	})
	return a, err
}

// namesJSON is what may stand at the end of a text.
type namesJSON struct {
	Typed string     `json:"typed"` // the part of the name that is there already
	Names []nameJSON `json:"names"`
}

type nameJSON struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Detail string `json:"detail,omitempty"`
}

// postComplete says which names may stand at the end of a text.
func (i *Inspector) postComplete(r *http.Request) (any, error) {
	var want struct {
		Text string `json:"text"`
	}
	if err := body(r, &want); err != nil {
		return nil, err
	}
	a := namesJSON{Names: []nameJSON{}}
	err := i.ask(r.Context(), func() error {
		list, typed, err := i.host.Console().Complete(want.Text, len(want.Text))
		a.Typed = typed
		for _, c := range list {
			a.Names = append(a.Names, nameJSON{c.Name, c.Kind, cut(c.Detail)})
		}
		return err
	})
	return a, err
}
