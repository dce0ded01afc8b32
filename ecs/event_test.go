package ecs

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"unsafe"
)

// ping is an event of one number.
type ping struct{ N int }

// send emits numbers through commands, as systems do.
func send(t *testing.T, w *World, event Event[ping], from, to int) {
	t.Helper()
	c := w.NewCommands()
	for n := from; n < to; n++ {
		event.Send(c, ping{n})
	}
	must(t, c.Apply())
}

func read(event Event[ping], r *Reader) []int {
	var ns []int
	for p := range event.Read(r) {
		ns = append(ns, p.N)
	}
	return ns
}

func count(from, to int) []int {
	var ns []int
	for n := from; n < to; n++ {
		ns = append(ns, n)
	}
	return ns
}

// TestEachReaderSeesEachEventOnce, in order, from the moment it was made.
func TestEachReaderSeesEachEventOnce(t *testing.T) {
	w := open(t, Options{})
	event := RegisterEvent[ping](w)
	send(t, w, event, 0, 3) // nobody listens
	early := w.newReader(event.ID())
	send(t, w, event, 3, 6)
	late := w.newReader(event.ID())
	if got := read(event, early); !slices.Equal(got, count(3, 6)) {
		t.Errorf("the early reader saw %v", got)
	}
	must(t, w.Step(0))
	send(t, w, event, 6, 8)
	if got := read(event, late); !slices.Equal(got, count(6, 8)) {
		t.Errorf("the late reader saw %v", got)
	}
	for range 3 {
		must(t, w.Step(0)) // what one reader has not seen must survive
	}
	if got := read(event, early); !slices.Equal(got, count(6, 8)) {
		t.Errorf("the early reader then saw %v", got)
	}
	if len(read(event, early)) != 0 || early.Len() != 0 {
		t.Error("an event was seen twice")
	}
	must(t, w.Check())
}

func TestALoopMayStopAndGoOn(t *testing.T) {
	w := open(t, Options{})
	event := RegisterEvent[ping](w)
	r := w.newReader(event.ID())
	send(t, w, event, 0, 5)
	for p := range event.Read(r) {
		if p.N == 1 {
			break
		}
	}
	at := r.Position()
	if got := read(event, r); !slices.Equal(got, count(2, 5)) {
		t.Errorf("after a break the loop went on with %v", got)
	}
	r.Rewind(at)
	if got := read(event, r); !slices.Equal(got, count(2, 5)) {
		t.Errorf("after Rewind the reader saw %v", got)
	}
}

// TestRewindStaysWithinWhatIsKept: neither the forgotten nor the future.
func TestRewindStaysWithinWhatIsKept(t *testing.T) {
	w := open(t, Options{})
	event := RegisterEvent[ping](w)
	r := w.newReader(event.ID())
	send(t, w, event, 0, 4)
	read(event, r)
	must(t, w.Step(0)) // everybody has seen them: gone
	send(t, w, event, 4, 6)
	r.Rewind(0)
	if got := read(event, r); !slices.Equal(got, count(4, 6)) {
		t.Errorf("rewound to the begin: saw %v", got)
	}
	r.Rewind(1 << 40)
	if r.Len() != 0 || w.Check() != nil {
		t.Errorf("rewound to the future: %d events wait; %v", r.Len(), w.Check())
	}
}

// TestNobodyReads: events without readers live through the next tick and no
// longer, so they cannot pile up.
func TestNobodyReads(t *testing.T) {
	w := open(t, Options{})
	event := RegisterEvent[ping](w)
	s := w.events.streams[event.ID()]
	for tick := range 10 {
		send(t, w, event, tick*10, tick*10+10)
		must(t, w.Step(0))
		if n := s.count(); n > 10 {
			t.Fatalf("%d events are kept after tick %d", n, tick)
		}
	}
	must(t, w.Step(0))
	if s.count() != 0 {
		t.Errorf("%d events are kept although nobody reads", s.count())
	}
}

// TestOverflowDropsTheOldestAndCounts: a reader that never reads costs memory
// for MaxUnread events and no more, and Stats tells.
func TestOverflowDropsTheOldestAndCounts(t *testing.T) {
	w := open(t, Options{})
	event := RegisterEvent[ping](w)
	lazy, keen := w.newReader(event.ID()), w.newReader(event.ID())
	const total = MaxUnread + 10
	for n := 0; n < total; n += 1000 {
		send(t, w, event, n, min(n+1000, total))
		read(event, keen)
	}
	kept := total - MaxUnread/2
	if w.Stats().Dropped != MaxUnread/2 || lazy.Len() != kept {
		t.Fatalf("%d were dropped and %d wait, want %d and %d", w.Stats().Dropped, lazy.Len(), MaxUnread/2, kept)
	}
	if got := read(event, lazy); got[0] != MaxUnread/2 || got[len(got)-1] != total-1 {
		t.Errorf("the lazy reader saw %d to %d", got[0], got[len(got)-1])
	}
	must(t, w.Check())
}

// TestWhatWasReadIsNotDropped: many events in one tick are no loss when the
// readers keep up.
func TestWhatWasReadIsNotDropped(t *testing.T) {
	w := open(t, Options{})
	event := RegisterEvent[ping](w)
	r := w.newReader(event.ID())
	n := 0
	for from := 0; from < 3*MaxUnread; from += MaxUnread / 2 {
		send(t, w, event, from, from+MaxUnread/2)
		n += len(read(event, r))
	}
	if n != 3*MaxUnread || w.Stats().Dropped != 0 {
		t.Errorf("read %d of %d, %d counted as dropped", n, 3*MaxUnread, w.Stats().Dropped)
	}
}

func TestAClosedReaderSeesNothing(t *testing.T) {
	w := open(t, Options{})
	event := RegisterEvent[ping](w)
	r, other := w.newReader(event.ID()), w.newReader(event.ID())
	send(t, w, event, 0, 2)
	for range event.Read(r) {
		r.Close() // in the middle of a loop
	}
	r.Close()
	for tick := range 4 {
		send(t, w, event, tick, tick+1)
		read(event, other)
		must(t, w.Step(0))
		if r.Len() != 0 || len(read(event, r)) != 0 {
			t.Fatal("a closed reader reads")
		}
	}
	if w.events.streams[event.ID()].count() != 0 {
		t.Error("a closed reader keeps events from being forgotten")
	}
	must(t, w.Check())
}

// TestEventsOfAFailedSystemAreNotSent: they go with its other commands.
func TestEventsOfAFailedSystemAreNotSent(t *testing.T) {
	w := open(t, Options{})
	event := RegisterEvent[ping](w)
	r := w.newReader(event.ID())
	broken := errors.New("broken")
	must(t, w.Schedule().Add(System{Name: "a", Run: func(tick *Tick) error {
		event.Send(tick.Commands, ping{int(tick.N)})
		return map[uint64]error{1: broken}[tick.N]
	}}))
	if err := w.Step(1); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	must(t, w.Step(1))
	if got := read(event, r); !slices.Equal(got, []int{2}) {
		t.Errorf("read %v, want what the second run sent", got)
	}
}

func TestEventsAreRegisteredOnce(t *testing.T) {
	w := open(t, Options{})
	event := RegisterEvent[ping](w)
	if RegisterEvent[ping](w) != event {
		t.Error("the second registration gave another event")
	}
	id, err := w.defineEvent(*SchemaOf(reflect.TypeFor[ping]()))
	if err != nil || id != event.ID() {
		t.Errorf("the same definition at run time gave %d, %v", id, err)
	}
	if _, err := w.defineEvent(Schema{Name: "ping"}); !errors.Is(err, ErrConflict) {
		t.Errorf("another definition of ping answered %v", err)
	}
	if got := w.eventNames(); !slices.Equal(got, []string{"ping"}) {
		t.Errorf("the names are %q", got)
	}
	if got, ok := w.eventNamed("ping"); !ok || got != id || w.eventSchema(id).Fields[0].Kind != I64 {
		t.Errorf("the name leads to %d, %v", got, ok)
	}
	for name, register := range map[string]func(){
		"Go pointers":  func() { RegisterEvent[Label](w) },
		"no name":      func() { RegisterEvent[struct{ X int }](w) },
		"a taken name": func() { type ping struct{ N int }; RegisterEvent[ping](w) },
	} {
		if recovered(register) == nil {
			t.Errorf("%s: registered without a panic", name)
		}
	}
}

// recovered runs a function and returns the error it panicked with.
func recovered(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err, _ = r.(error)
		}
	}()
	f()
	return nil
}

// TestEventsDefinedAtRunTime: raw bytes in, raw bytes out.
func TestEventsDefinedAtRunTime(t *testing.T) {
	w := open(t, Options{})
	id, err := w.defineEvent(Schema{Name: "hit", Fields: []Field{{Name: "by", Kind: Ref}, {Name: "damage", Kind: U8}}})
	must(t, err)
	r := w.newReader(id)
	c := w.NewCommands()
	for n := range 3 {
		v := struct {
			By     Entity
			Damage uint8
		}{Entity(n), uint8(n)}
		c.Send(id, unsafe.Pointer(&v))
	}
	must(t, c.Apply())
	n := 0
	for p := range r.Events() {
		by, damage := *(*Entity)(p), *(*uint8)(unsafe.Add(p, w.eventSchema(id).Field("damage").Offset))
		if by != Entity(n) || damage != uint8(n) {
			t.Errorf("event %d arrived as %v, %d", n, by, damage)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d events arrived", n)
	}
}

// TestAnEventThatIsAnsweredWithItself goes on from tick to tick and never ends a
// tick late: a reader that sends sees what it sent the next time.
func TestAnEventThatIsAnsweredWithItself(t *testing.T) {
	w := open(t, Options{})
	event := RegisterEvent[ping](w)
	r, seen := w.newReader(event.ID()), []int(nil)
	must(t, w.Schedule().Add(System{Name: "echo", Run: func(tick *Tick) error {
		n := 0
		for p := range event.Read(r) {
			n++
			event.Send(tick.Commands, p)
			event.Send(tick.Commands, p)
		}
		seen = append(seen, n)
		return nil
	}}))
	must(t, w.Run("first", func(tick *Tick) error { event.Send(tick.Commands, ping{1}); return nil }))
	for range 20 {
		must(t, w.Step(1))
	}
	for i, n := range seen[:17] {
		if n != 1<<i {
			t.Fatalf("the ticks saw %v", seen)
		}
	}
	if last := seen[len(seen)-1]; last > MaxUnread || w.Stats().Dropped == 0 {
		t.Errorf("the last tick saw %d, %d were dropped", last, w.Stats().Dropped)
	}
}

// TestRewindTick: a reader goes back to the begin of the tick and no further, however
// old the events are that others hold back.
func TestRewindTick(t *testing.T) {
	w := NewWorld()
	defer w.Close()
	ev := RegisterEvent[ping](w)
	slow := w.newReader(ev.ID())
	send := func(n int) {
		if err := w.Run("send", func(t *Tick) error { ev.Send(t.Commands, ping{n}); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	seen := func(r *Reader) (list []int) {
		for p := range ev.Read(r) {
			list = append(list, p.N)
		}
		return list
	}
	send(1)
	send(2)
	late := w.newReader(ev.ID())
	if late.RewindTick(); !slices.Equal(seen(late), []int{1, 2}) {
		t.Error("before the first step, all belongs to its tick")
	}
	if err := w.Step(1); err != nil {
		t.Fatal(err)
	}
	send(3)
	if late.RewindTick(); !slices.Equal(seen(late), []int{3}) || slow.Len() != 3 {
		t.Error("what was sent in the tick before is seen again")
	}
}
