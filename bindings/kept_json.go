package bindings

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/exec"
	"github.com/perigee-ecs/perigee/bindings/internal/kept"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/ecs"
)

// What scripts keep as JSON: the values are written as package kept says, and tables stand in one
// list. Nothing of it is trusted when it is read.

// encoder puts a JSON object together.
type encoder struct{ to []byte }

// key begins a value of an object that has values already, or is about to have its first.
func (w *encoder) key(name string) *encoder {
	if last := w.to[len(w.to)-1]; last != '{' {
		w.to = append(w.to, ',')
	}
	w.to = append(kept.AppendText(w.to, name), ':')
	return w
}

func (w *encoder) text(s string)    { w.to = kept.AppendText(w.to, s) }
func (w *encoder) number(f float64) { w.to = kept.AppendNumber(w.to, f) }
func (w *encoder) whole(n uint64)   { w.to = strconv.AppendUint(w.to, n, 10) }
func (w *encoder) truth(b bool)     { w.to = strconv.AppendBool(w.to, b) }

// list writes a list of n objects.
func (w *encoder) list(n int, item func(i int)) {
	w.to = append(w.to, '[')
	for i := range n {
		if i > 0 {
			w.to = append(w.to, ',')
		}
		w.to = append(w.to, "\n{"...)
		item(i)
		w.to = append(w.to, '}')
	}
	w.to = append(w.to, ']')
}

// AppendTo appends the keys of a JSON object, after others.
func (k *Kept) AppendTo(to []byte) []byte {
	w, states := &encoder{to}, &kept.Copies{}
	if k.states != nil {
		states = &k.states.Copies
	}
	k.data.NumberFrom(states.Len())
	value := func(t *kept.Copies, root int) { w.to = t.AppendValue(w.to, t.Root(root)) }
	w.key("states").list(len(k.names), func(i int) {
		w.key("name").text(k.names[i])
		w.key("value")
		value(states, i)
	})
	w.values("saved", k.saved, func(root int) { value(&k.data, root) })
	w.values("handed", k.handed, func(root int) { value(&k.data, root) })
	w.values("offered", k.offered, func(root int) { value(&k.data, root) })
	w.timers(k, func(root int) { value(&k.data, root) })
	w.notes(k)
	w.key("tables")
	w.to = append(w.to, '[')
	w.to = k.data.AppendCopies(states.AppendCopies(w.to))
	w.to = append(w.to, ']')
	return w.to
}

// values writes values of scripts.
func (w *encoder) values(name string, list []keptValue, value func(root int)) {
	w.key(name).list(len(list), func(i int) {
		w.key("script").text(list[i].script)
		w.key("value")
		value(list[i].root)
	})
}

// timers writes timers, the soonest first.
func (w *encoder) timers(k *Kept, value func(root int)) {
	w.key("last_timer").whole(k.last)
	w.key("now").number(k.now)
	w.key("timers").list(len(k.timers), func(i int) {
		t := &k.timers[i]
		w.key("id").whole(t.ID)
		w.key("at").number(t.At)
		w.key("every").number(t.Every)
		w.key("retry").number(t.Retry)
		w.key("due").number(t.Due)
		w.key("handler").text(t.Handler)
		w.key("script").text(t.Ordered.Script)
		w.key("line").whole(uint64(t.Ordered.Line))
		w.key("column").whole(uint64(t.Ordered.Column))
		if t.Data >= 0 {
			w.key("data")
			value(t.Data)
		}
	})
}

// notes writes what has no tables.
func (w *encoder) notes(k *Kept) {
	w.key("readers").list(len(k.readers), func(i int) {
		w.key("system").text(k.readers[i].system)
		w.key("event").text(k.readers[i].event)
	})
	w.key("resting").list(len(k.resting), func(i int) {
		x := &k.resting[i]
		w.key("kernel").truth(x.kernel)
		w.key("of").text(x.name)
		w.key("entity").whole(uint64(x.Entity))
		w.key("system").text(x.Error.System)
		w.key("script").text(x.Error.Script)
		w.key("line").whole(uint64(max(x.Error.Line, 0)))
		w.key("message").text(x.Error.Message)
		w.key("times").whole(uint64(x.Error.Times))
		w.key("retry_at").number(x.Error.RetryAt)
		w.key("wait").number(x.Wait)
		w.key("shown").truth(x.Shown)
	})
	w.key("failed_events").list(len(k.failed), func(i int) {
		w.key("system").text(k.failed[i].system)
		w.key("number").whole(k.failed[i].number)
	})
	w.key("failed_reactions").list(len(k.reactions), func(i int) {
		w.key("script").text(k.reactions[i].script)
		w.key("number").whole(uint64(k.reactions[i].number))
	})
	w.key("settling").list(len(k.settling), func(i int) { w.key("entity").whole(uint64(k.settling[i])) })
	if len(k.switches) > 0 { // which earlier versions do not read
		w.key("switches").list(len(k.switches), func(i int) {
			w.key("system").text(k.switches[i].system)
			w.key("on").truth(k.switches[i].on)
		})
	}
	if k.shown > 0 { // likewise
		w.key("last_text").whole(k.shown)
	}
	if len(k.sets) > 0 {
		w.key("sets").list(len(k.sets), func(i int) {
			w.key("script").text(k.sets[i].Script)
			w.key("number").whole(uint64(k.sets[i].Sets))
		})
	}
}

// KeptReader reads what AppendTo has written, a key at a time, and what stands around it.
type KeptReader struct {
	*kept.Input
	k      *Kept
	states []machine.Value
	data   []machine.Value
	tables []*machine.Outline
}

// Begin begins to read an input that nobody vouches for. most bounds what tables and texts of scripts take, as
// Limits.Saved does for [Keeper.Look], and entries the items of a list, as Limits.Table does.
func (r *KeptReader) Begin(input []byte, most int64, entries int) {
	*r = KeptReader{Input: kept.NewInput(input, most, entries), k: &Kept{}}
}

// noteBytes is about what an object of a list takes.
const noteBytes = 200

// objects reads a list of objects. begin is called for each, and field for its keys.
func (r *KeptReader) objects(begin func(), field func(key string) error) error {
	return r.List(func() error {
		if err := r.Note(noteBytes); err != nil {
			return err
		}
		begin()
		return r.Object(field)
	})
}

// last returns the item of a list that is being read.
func last[T any](list []T) *T { return &list[len(list)-1] }

// more adds an item to a list.
func more[T any](list *[]T) func() {
	return func() { *list = append(*list, *new(T)) }
}

// Field reads the value of a key.
func (r *KeptReader) Field(key string) (err error) {
	k := r.k
	switch key {
	case "states":
		return r.objects(func() { k.names, r.states = append(k.names, ""), append(r.states, machine.Nil) }, r.stateField)
	case "saved":
		return r.values(&k.saved)
	case "handed":
		return r.values(&k.handed)
	case "offered":
		return r.values(&k.offered)
	case "last_timer":
		return read(&k.last, func() (uint64, error) { return r.Integer(0, mostTimerID) })
	case "last_text":
		return read(&k.shown, func() (uint64, error) { return r.Integer(0, kept.MostNumber) })
	case "now":
		return read(&k.now, r.seconds)
	case "timers":
		return r.objects(func() { k.timers = append(k.timers, tx.KeptTimer{Data: -1}) }, r.timerField)
	case "readers":
		return r.objects(more(&k.readers), r.readerField)
	case "resting":
		return r.objects(more(&k.resting), r.restingField)
	case "failed_events":
		return r.objects(more(&k.failed), r.eventField)
	case "failed_reactions":
		return r.objects(more(&k.reactions), r.reactionField)
	case "settling":
		return r.objects(more(&k.settling), func(string) error { return read(last(k.settling), r.entity) })
	case "switches":
		return r.objects(more((*[]switched)(&k.switches)), r.switchField)
	case "sets":
		return r.objects(more(&k.sets), r.setsField)
	case "tables":
		r.tables, err = r.Outlines()
		return err
	}
	return r.Unknown()
}

// read reads into a place.
func read[T any](to *T, from func() (T, error)) (err error) {
	*to, err = from()
	return err
}

const (
	// mostTimerID is how many timers there can be, since scripts have their ids as numbers.
	mostTimerID = 1<<53 - 1
	// mostSeconds is above all times of a simulation and of its timers.
	mostSeconds = ecs.MaxTime + 2*mostDelay
	// mostDelay is above what ecs.after and ecs.every wait.
	mostDelay = 1_000_000_000
	// shortestBeat is the shortest interval of ecs.every.
	shortestBeat = 1e-3
)

// seconds reads a time.
func (r *KeptReader) seconds() (float64, error) {
	f, err := r.Number()
	if err == nil && !(f >= 0 && f <= mostSeconds) {
		err = errors.New("expected seconds from 0 up")
	}
	return f, err
}

// Seconds reads a time.
func (r *KeptReader) Seconds() (float64, error) { return r.seconds() }

// entity reads a handle.
func (r *KeptReader) entity() (ecs.Entity, error) {
	n, err := r.Integer(0, math.MaxUint64)
	return ecs.Entity(n), err
}

func (r *KeptReader) stateField(key string) error {
	switch key {
	case "name":
		return read(last(r.k.names), r.Text)
	case "value":
		return read(last(r.states), r.Value)
	}
	return r.Unknown()
}

// values reads values of scripts.
func (r *KeptReader) values(list *[]keptValue) error {
	err := r.objects(func() { *list = append(*list, keptValue{root: -1}) }, func(key string) error {
		switch x := last(*list); key {
		case "script":
			return read(&x.script, r.Text)
		case "value":
			return read(&x.root, r.root)
		}
		return r.Unknown()
	})
	for _, x := range *list {
		if err == nil && x.root < 0 {
			err = fmt.Errorf("%q has no value", diag.Cut(x.script))
		}
	}
	return err
}

// root reads a value that becomes a root of the data.
func (r *KeptReader) root() (int, error) {
	v, err := r.Value()
	r.data = append(r.data, v)
	return len(r.data) - 1, err
}

func (r *KeptReader) timerField(key string) error {
	t := last(r.k.timers)
	switch key {
	case "id":
		return read(&t.ID, func() (uint64, error) { return r.Integer(1, mostTimerID) })
	case "at":
		return read(&t.At, func() (float64, error) { // infinite for one that waits for its handler
			f, err := r.Number()
			if err == nil && !(f >= 0 && (f <= mostSeconds || math.IsInf(f, 1))) {
				err = errors.New("expected seconds from 0 up")
			}
			return f, err
		})
	case "every":
		return read(&t.Every, func() (float64, error) {
			f, err := r.seconds()
			if err == nil && f != 0 && f < shortestBeat {
				err = errors.New("expected 0, or seconds from 0.001 up")
			}
			return f, err
		})
	case "retry":
		return read(&t.Retry, r.seconds)
	case "due":
		return read(&t.Due, r.seconds)
	case "handler":
		return read(&t.Handler, r.Text)
	case "script":
		return read(&t.Ordered.Script, r.Text)
	case "line":
		return read(&t.Ordered.Line, r.place)
	case "column":
		return read(&t.Ordered.Column, r.place)
	case "data":
		return read(&t.Data, r.root)
	}
	return r.Unknown()
}

// place reads a line or a column.
func (r *KeptReader) place() (int, error) {
	n, err := r.Integer(0, math.MaxInt32)
	return int(n), err
}

func (r *KeptReader) readerField(key string) error {
	switch x := last(r.k.readers); key {
	case "system":
		return read(&x.system, r.Text)
	case "event":
		return read(&x.event, r.Text)
	}
	return r.Unknown()
}

func (r *KeptReader) restingField(key string) error {
	x := last(r.k.resting)
	switch key {
	case "kernel":
		return read(&x.kernel, r.Truth)
	case "of":
		return read(&x.name, r.Text)
	case "entity":
		return read(&x.Entity, r.entity)
	case "system":
		return read(&x.Error.System, r.Text)
	case "script":
		return read(&x.Error.Script, r.Text)
	case "line":
		n, err := r.place()
		x.Error.Line = int32(n)
		return err
	case "message":
		return read(&x.Error.Message, r.Text)
	case "times":
		n, err := r.Integer(0, math.MaxUint32)
		x.Error.Times = uint32(n)
		return err
	case "retry_at":
		return read(&x.Error.RetryAt, r.seconds)
	case "wait":
		return read(&x.Wait, r.seconds)
	case "shown":
		return read(&x.Shown, r.Truth)
	}
	return r.Unknown()
}

func (r *KeptReader) eventField(key string) error {
	switch x := last(r.k.failed); key {
	case "system":
		return read(&x.system, r.Text)
	case "number":
		return read(&x.number, func() (uint64, error) { return r.Integer(0, math.MaxUint64) })
	}
	return r.Unknown()
}

func (r *KeptReader) reactionField(key string) error {
	switch x := last(r.k.reactions); key {
	case "script":
		return read(&x.script, r.Text)
	case "number":
		return read(&x.number, r.place)
	}
	return r.Unknown()
}

func (r *KeptReader) setsField(key string) error {
	switch x := last(r.k.sets); key {
	case "script":
		return read(&x.Script, r.Text)
	case "number":
		return read(&x.Sets, r.place)
	}
	return r.Unknown()
}

func (r *KeptReader) switchField(key string) error {
	if len(r.k.switches) > mostSwitches {
		return fmt.Errorf("switches: more than %s", diag.Grouped(mostSwitches))
	}
	switch x := last(r.k.switches); key {
	case "system":
		return read(&x.system, r.Text)
	case "on":
		return read(&x.on, r.Truth)
	}
	return r.Unknown()
}

// Finish returns what was read, when all of it was. The error says what does not go together.
func (r *KeptReader) Finish() (*Kept, error) {
	k := r.k
	if err := r.together(); err != nil {
		return nil, err
	}
	met := map[int32]bool{}
	states, err := r.Gather(r.tables, r.states, met)
	if err != nil {
		return nil, err
	}
	data, err := r.Gather(r.tables, r.data, met)
	if err != nil {
		return nil, err
	}
	if len(met) != len(r.tables) {
		return nil, fmt.Errorf("tables: %s that nothing leads to", diag.Plural(len(r.tables)-len(met), "table"))
	}
	k.states, k.data = &stateCopies{*states, 1}, *data
	return k, nil
}

// together says what does not go together.
func (r *KeptReader) together() error {
	k := r.k
	names, roots := map[string]bool{}, map[machine.Value]bool{}
	for i, name := range k.names {
		if names[name] || !r.states[i].IsTable() || roots[r.states[i]] {
			return fmt.Errorf("states: %q has no table of its own", diag.Cut(name))
		}
		names[name], roots[r.states[i]] = true, true
	}
	ids := map[uint64]bool{}
	for i := range k.timers {
		if t := &k.timers[i]; t.ID == 0 || t.ID > k.last || ids[t.ID] {
			return fmt.Errorf("timers: no timer has the id %d", t.ID)
		}
		ids[k.timers[i].ID] = true
	}
	gone := map[string]bool{}
	for _, x := range k.switches {
		if gone[x.system] {
			return fmt.Errorf("switches: %q stands there twice", diag.Cut(x.system))
		}
		gone[x.system] = true
	}
	for i := 1; i < len(k.sets); i++ {
		if k.sets[i-1].Script >= k.sets[i].Script {
			return errors.New("sets: they are not in the order of the names of scripts")
		}
	}
	of := map[keptResting]bool{}
	for i := range k.resting {
		x := keptResting{k.resting[i].kernel, k.resting[i].name, exec.Resting{Entity: k.resting[i].Entity}}
		if of[x] {
			return fmt.Errorf("resting: an entity stands twice under %q", diag.Cut(x.name))
		}
		of[x] = true
	}
	return nil
}

// AppendText appends a text to JSON as a [KeptReader] reads it.
func (k *Kept) AppendText(to []byte, s string) []byte { return kept.AppendText(to, s) }
