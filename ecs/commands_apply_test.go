package ecs

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unsafe"
)

// TestCommandsThatRecordThemselvesAreCutOff, and what they had reserved dies.
func TestCommandsThatRecordThemselvesAreCutOff(t *testing.T) {
	w := open(t, Options{})
	c := w.NewCommands()
	ran := 0
	var again func(*World) error
	again = func(*World) error {
		ran++
		c.Do(again)
		c.Do(again)
		return nil
	}
	c.Do(again)
	c.Spawn()
	err := c.Apply()
	if !errors.Is(err, ErrCycle) || !strings.Contains(err.Error(), "functions in commands have recorded") || ran > maxNested+1 {
		t.Errorf("after %d calls: %v", ran, err)
	}
	if c.Len() != 0 || c.Apply() != nil || w.Len() != 1 {
		t.Errorf("%d commands and %d entities are left", c.Len(), w.Len())
	}
	must(t, w.Check())
}

// TestManyFailuresAreToldAsANumber: a thousand commands that fail do not fill a
// thousand lines.
func TestManyFailuresAreToldAsANumber(t *testing.T) {
	w := open(t, Options{MaxEntities: 1})
	c := w.NewCommands()
	for range 1000 {
		c.Spawn()
	}
	err := c.Apply()
	if !errors.Is(err, ErrEntityLimit) || strings.Count(err.Error(), "\n") != maxErrors || !strings.Contains(err.Error(), "935 more commands failed") {
		t.Errorf("%v", err)
	}
}

func TestExchangeCopyAndLaterByCommands(t *testing.T) {
	w := open(t, Options{})
	position, velocity, label := Register[Position](w), Register[Velocity](w), Register[Label](w)
	e := w.Spawn(position.With(Position{1, 2}), label.With(Label{"a"}))
	child := w.Spawn()
	must(t, w.SetParent(child, e))
	c, last := w.NewCommands(), w.NewCommands()
	last.Spawn(position.With(Position{9, 9})) // so that what is taken over begins elsewhere
	c.Exchange(e, []ComponentID{position.ID(), position.ID()}, velocity.With(Velocity{3, 4}))
	copied := c.Copy(e, label.With(Label{"b"}))
	orphan := c.Copy(child)
	c.Despawn(child)
	c.DespawnLater(e)
	last.take(c)
	if !w.Alive(copied) || velocity.Has(copied) {
		t.Error("a copy is alive at once and nowhere")
	}
	must(t, last.Apply())
	if v, ok := velocity.Get(copied); !ok || v != (Velocity{3, 4}) || position.Has(copied) || position.Has(e) {
		t.Errorf("the copy has velocity %v, %v", v, ok)
	}
	if l, _ := label.Get(copied); l.Text != "b" || w.Parent(orphan) != 0 || w.Alive(child) || !w.Alive(e) {
		t.Errorf("label %q, parent %v", l.Text, w.Parent(orphan))
	}
	if n, err := w.FlushDespawns(); n != 1 || err != nil || w.Alive(e) {
		t.Errorf("%d died later, %v", n, err)
	}
	unborn := c.Copy(e) // which is dead
	must(t, c.Apply())
	if w.Alive(unborn) {
		t.Error("a copy of the dead lives")
	}
	c.Copy(copied)
	c.Drop()
	must(t, w.Check())
}

// TestPatchOfWhatIsNotThere: neither offsets past 4 GiB nor numbers that nobody
// has come round to something.
func TestPatchOfWhatIsNotThere(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	e := w.Spawn(position.With(Position{1, 1}))
	c := w.NewCommands()
	c.Patch(e, position.ID(), math.MaxUint32+1, make([]byte, 8))
	if err := c.Apply(); !errors.Is(err, ErrRange) {
		t.Errorf("past 4 GiB: %v", err)
	}
	c.Patch(e, 99, 0, []byte{1})
	if err := c.Apply(); !errors.Is(err, ErrUnknown) {
		t.Errorf("component 99: %v", err)
	}
	if p, _ := position.Get(e); p != (Position{1, 1}) {
		t.Errorf("the value is %v", p)
	}
}

// TestCommandsOfBeforeAMigration hold values of another size: Apply must not read
// past their end.
func TestCommandsOfBeforeAMigration(t *testing.T) {
	w := open(t, Options{})
	narrow, wide := []Field{{Name: "n", Kind: U8}}, []Field{{Name: "n", Kind: F64, Len: 200}}
	id, err := w.define(Schema{Name: "c", Fields: narrow}, false)
	must(t, err)
	event, err := w.defineEvent(Schema{Name: "e", Fields: narrow})
	must(t, err)
	reader, c, n := w.newReader(event), w.NewCommands(), uint8(1)
	c.Spawn(w.valueAt(id, unsafe.Pointer(&n)))
	c.Send(event, unsafe.Pointer(&n))
	m := w.migrate()
	must(t, errors.Join(m.Component(Schema{Name: "c", Fields: wide}, nil), m.Event(Schema{Name: "e", Fields: wide}, nil), m.Prepare()))
	m.Commit()
	err = c.Apply()
	if !errors.Is(err, ErrConflict) || strings.Count(err.Error(), "before a migration") != 2 || w.Len() != 0 || reader.Len() != 0 {
		t.Errorf("%v; %d entities, %d events", err, w.Len(), reader.Len())
	}
	must(t, m.Event(Schema{Name: "e", Fields: narrow}, nil)) // a migration that is over begins anew
	m.Drop()
	must(t, w.Check())
}

// TestLargeEventsWaitInBoundedMemory: what MaxUnread allows of small ones would
// be gigabytes of these.
func TestLargeEventsWaitInBoundedMemory(t *testing.T) {
	w := open(t, Options{})
	event, err := w.defineEvent(Schema{Name: "large", Fields: []Field{{Name: "n", Kind: F64, Len: 4096}}})
	must(t, err)
	reader, value := w.newReader(event), make([]float64, 4096)
	c := w.NewCommands()
	const total = 5000
	for i := range total {
		value[0] = float64(i)
		c.Send(event, unsafe.Pointer(&value[0]))
		must(t, c.Apply())
	}
	s := w.events.streams[event]
	if len(s.data) > unreadWords || uint64(reader.Len())+s.dropped != total {
		t.Errorf("%d words are kept; %d wait, %d were dropped", len(s.data), reader.Len(), s.dropped)
	}
	last := 0.0
	for p := range reader.Events() {
		last = *(*float64)(p)
	}
	if last != total-1 {
		t.Errorf("the last one read is %v", last)
	}
	must(t, w.Check())
}
