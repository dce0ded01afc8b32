package ecs

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/perigee-ecs/perigee/internal/testmain"
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
	if got, ok := w.eventNamed("ping"); !ok || got != id || w.eventSchema(id).Fields[0].Kind != SchemaOf(reflect.TypeFor[int]()).Fields[0].Kind {
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

// flood is a world whose events wait up to a small number.
func flood(t *testing.T, most int) (*World, Event[int32Event], func(n int)) {
	w := open(t, Options{MaxUnread: most})
	event := RegisterEvent[int32Event](w)
	return w, event, func(n int) {
		t.Helper()
		must(t, w.Run("send", func(tick *Tick) error {
			for i := range n {
				event.Send(tick.Commands, int32Event{int32(i)})
			}
			return nil
		}))
	}
}

type int32Event struct{ N int32 }

// TestLossesAreTold: of each reader that is late, once until it has caught up, and
// of nobody else.
func TestLossesAreTold(t *testing.T) {
	w, event, send := flood(t, 100)
	lazy, quick := w.newReader(event.ID()).Named("lazy"), w.newReader(event.ID()).Named("quick")
	readAll := func(r *Reader) (n int) {
		for range r.Events() {
			n++
		}
		return n
	}
	got := 0
	for range 9 {
		send(60)
		got += readAll(quick)
		must(t, w.Step(0.1))
	}
	if got != 540 || quick.Lost() != 0 {
		t.Errorf("the quick one has read %d and lost %d", got, quick.Lost())
	}
	losses := w.losses()
	if len(losses) != 1 || losses[0].Event != "int32Event" || losses[0].Reader != "lazy" || losses[0].Lost == 0 || losses[0].Limit != 100 {
		t.Errorf("losses: %+v", losses)
	}
	s := w.Stats()
	if lazy.Lost()+uint64(lazy.Len()) != 540 || s.Dropped != lazy.Lost() || w.dropped() != s.Dropped {
		t.Errorf("lost %d, waiting %d, dropped %d", lazy.Lost(), lazy.Len(), s.Dropped)
	}
	if want := (EventStats{Event: "int32Event", Waiting: lazy.Len(), Limit: 100, Dropped: s.Dropped, Slowest: "lazy"}); s.Events[0] != want {
		t.Errorf("%+v, want %+v", s.Events[0], want)
	}
	readAll(lazy)
	must(t, w.Step(0.1)) // it has caught up
	send(150)
	send(150)
	must(t, w.Step(0.1))
	names := []string{}
	for _, l := range w.losses() {
		names = append(names, l.Reader)
	}
	if !slices.Equal(names, []string{"lazy", "quick"}) {
		t.Errorf("lost again: %q", names)
	}
	if w.losses() != nil {
		t.Error("told twice")
	}
}

// TestLossesThatNobodyAsksFor take no memory without end.
func TestLossesThatNobodyAsksFor(t *testing.T) {
	w, event, send := flood(t, 4)
	var readers []*Reader
	for range 300 {
		readers = append(readers, w.newReader(event.ID()))
	}
	for range 20 {
		send(20)
		must(t, w.Step(0.1))
		for _, r := range readers {
			for range r.Events() {
			}
		}
		must(t, w.Step(0.1))
	}
	if n := len(w.losses()); n != maxLosses {
		t.Errorf("%d losses wait, want %d", n, maxLosses)
	}
}

func TestEventsWithoutReadersAreNoLoss(t *testing.T) {
	w, _, send := flood(t, 100)
	for range 5 {
		send(90)
		must(t, w.Step(0.1))
	}
	if len(w.losses()) > 0 || w.dropped() > 0 {
		t.Errorf("%d dropped", w.dropped())
	}
}

func TestHowManyEventsMayWait(t *testing.T) {
	for _, n := range []int{-1, mostUnread + 1} {
		if w, err := Open(Options{MaxUnread: n}); err == nil {
			w.Close()
			t.Errorf("MaxUnread %d is taken", n)
		}
	}
}

// TestRandomEventsAgainstAList sends, reads in part, rewinds, opens and closes
// readers and ends ticks at random, and compares each reader with a list of all
// that was sent.
func TestRandomEventsAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, err := Open(Options{MaxBytes: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		s := &streamModel{w: w, event: RegisterEvent[ping](w), next: map[*Reader]int{}}
		t.Repeat(map[string]func(*rapid.T){
			"":       s.check,
			"send":   s.send,
			"open":   func(*rapid.T) { s.open() },
			"close":  s.close,
			"read":   s.read,
			"rewind": s.rewind,
			"tick":   func(t *rapid.T) { must2(t, w.Step(0)) },
		})
	})
}

// must2 is must for a property test.
func must2(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// streamModel numbers events from 0 as they are sent; next holds what each
// reader must read next.
type streamModel struct {
	w       *World
	event   Event[ping]
	sent    int
	readers []*Reader
	next    map[*Reader]int
}

func (s *streamModel) send(t *rapid.T) {
	c := s.w.NewCommands()
	for range rapid.IntRange(0, 20).Draw(t, "events") {
		s.event.Send(c, ping{s.sent})
		s.sent++
	}
	must2(t, c.Apply())
}

func (s *streamModel) open() {
	if len(s.readers) < 5 {
		r := s.w.newReader(s.event.ID())
		s.readers = append(s.readers, r)
		s.next[r] = s.sent
	}
}

func (s *streamModel) pick(t *rapid.T) *Reader {
	if len(s.readers) == 0 {
		t.Skip("no reader")
	}
	return s.readers[rapid.IntRange(0, len(s.readers)-1).Draw(t, "reader")]
}

func (s *streamModel) close(t *rapid.T) {
	r := s.pick(t)
	r.Close()
	for i, other := range s.readers {
		if other == r {
			s.readers = append(s.readers[:i], s.readers[i+1:]...)
			break
		}
	}
	delete(s.next, r)
	if r.Len() != 0 {
		t.Fatalf("%d events wait for a closed reader", r.Len())
	}
}

func (s *streamModel) read(t *rapid.T) {
	r := s.pick(t)
	most := rapid.IntRange(1, 30).Draw(t, "most")
	for p := range s.event.Read(r) {
		if p.N != s.next[r] {
			t.Fatalf("read event %d, want %d", p.N, s.next[r])
		}
		s.next[r]++
		if most--; most == 0 {
			return
		}
	}
	if s.next[r] != s.sent {
		t.Fatalf("the loop ended before event %d of %d", s.next[r], s.sent)
	}
}

// rewind reads on and goes back: as far as the stream still keeps events.
func (s *streamModel) rewind(t *rapid.T) {
	r := s.pick(t)
	at, next := r.Position(), s.next[r]
	for range s.event.Read(r) {
	}
	r.Rewind(at)
	if s.next[r] = next; r.Position() != at {
		t.Fatalf("went back to %d, not to %d", r.Position(), at)
	}
}

func (s *streamModel) check(t *rapid.T) {
	must2(t, s.w.Check())
	for _, r := range s.readers {
		if r.Len() != s.sent-s.next[r] {
			t.Fatalf("%d events wait, want %d", r.Len(), s.sent-s.next[r])
		}
	}
}

// TestEventsOfAHost are sent at once, read by named readers and by systems made of a function,
// and cleared.
func TestEventsOfAHost(t *testing.T) {
	w := open(t, Options{})
	hit := RegisterEvent[Position](w)
	before := hit.Reader("hud")
	var got []Position
	must(t, w.Schedule().Add(hit.Each(System{Name: "count"}, func(tick *Tick, p Position) error {
		if got = append(got, p); p.X < 0 {
			return errors.New("a negative hit")
		}
		return nil
	})))
	must(t, hit.Emit(Position{1, 1}))
	late := hit.Reader("late")
	must(t, hit.Emit(Position{2, 2}))
	if before.Len() != 2 || late.Len() != 1 || w.Stats().Events[0].Slowest != "count" && w.Stats().Events[0].Slowest != "hud" {
		t.Errorf("%d and %d events wait: %+v", before.Len(), late.Len(), w.Stats().Events)
	}
	must(t, w.Step(1))
	must(t, w.Step(1))
	if !slices.Equal(got, []Position{{1, 1}, {2, 2}}) {
		t.Errorf("the system got %v", got)
	}
	must(t, hit.Emit(Position{-1, 0}))
	must(t, hit.Emit(Position{3, 0}))
	if err := w.Step(1); err == nil || !strings.Contains(err.Error(), "a negative hit") || len(got) != 4 {
		t.Errorf("the step said %v, the system got %v", err, got)
	}
	if n, err := hit.Clear(); err != nil || n != 4 || before.Len()+late.Len() != 0 || before.Lost() != 0 {
		t.Errorf("%d events were cleared, %d wait, %d are lost", n, before.Len(), before.Lost())
	}
	if n, err := hit.Clear(); n != 0 || err != nil {
		t.Error("cleared twice")
	}
	q := w.Query()
	w.Spawn()
	for range q.Chunks() {
		if err := hit.Emit(Position{}); !errors.Is(err, ErrIterating) {
			t.Errorf("in a loop, Emit answered %v", err)
		}
		if _, err := hit.Clear(); !errors.Is(err, ErrIterating) {
			t.Errorf("in a loop, Clear answered %v", err)
		}
	}
	if err := hit.Each(System{}, nil).Run(&Tick{}); err == nil {
		t.Error("Each without a function runs")
	}
}

// TestReadersGoWithTheirSystems: a system that is removed leaves no reader, and one that takes
// its place goes on where it was.
func TestReadersGoWithTheirSystems(t *testing.T) {
	w := open(t, Options{})
	hit := RegisterEvent[Position](w)
	var got []float64
	each := func() System {
		return hit.Each(System{Name: "count"}, func(_ *Tick, p Position) error { got = append(got, p.X); return nil })
	}
	must(t, w.Schedule().Add(each()))
	must(t, hit.Emit(Position{X: 1}))
	must(t, w.Schedule().Change([]string{"count"}, []System{each()}))
	must(t, hit.Emit(Position{X: 2}))
	must(t, w.Step(1))
	if !slices.Equal(got, []float64{1, 2}) {
		t.Errorf("the system that took its place got %v", got)
	}
	must(t, w.Schedule().Change([]string{"count"}, nil))
	must(t, hit.Emit(Position{X: 3}))
	must(t, w.Step(1))
	must(t, w.Step(1))
	if st := w.Stats().Events[0]; st.Waiting != 0 || len(w.events.streams[hit.ID()].readers) != 0 {
		t.Errorf("of a system that is gone, %+v is left", st)
	}
}

// nilError is an error whose nil pointer cannot be asked for its text.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// TestANilPointerIsAnErrorByItself, with a text.
func TestANilPointerIsAnErrorByItself(t *testing.T) {
	w := open(t, Options{})
	err := w.Run("flush", func(*Tick) error {
		var e *nilError
		return e
	})
	if err == nil || !strings.Contains(err.Error(), "a nil *ecs.nilError: return nil itself") {
		t.Errorf("answered %v", err)
	}
}

// TestAReaderBeginsWithItsSystem: Event.Each leaves no reader where the system is not added, and
// the same system can be added later, and again.
func TestAReaderBeginsWithItsSystem(t *testing.T) {
	w := open(t, Options{})
	hit := RegisterEvent[Position](w)
	var got []float64
	each := hit.Each(System{Name: "count", After: []string{"first"}}, func(_ *Tick, p Position) error {
		got = append(got, p.X)
		return nil
	})
	readers := func() int { return len(w.events.streams[hit.ID()].readers) }
	if err := w.Schedule().Add(each); !errors.Is(err, ErrUnknown) || readers() != 0 {
		t.Errorf("a system that cannot be added: %v, %d readers", err, readers())
	}
	first := System{Name: "first", Run: idle}
	bad := System{Name: "bad", Run: idle, Init: func(*Tick) error { return errors.New("boom") }}
	if err := w.Schedule().Add(first, each, bad); err == nil || readers() != 0 {
		t.Errorf("beside an Init that fails: %v, %d readers", err, readers())
	}
	must(t, hit.Emit(Position{X: 1}))
	must(t, w.Schedule().Add(first, each))
	must(t, hit.Emit(Position{X: 2}))
	if err := w.Schedule().Change([]string{"count"}, []System{each, bad}); err == nil || readers() != 1 {
		t.Errorf("a replacement that fails: %v, %d readers", err, readers())
	}
	must(t, w.Schedule().Change([]string{"count"}, []System{each})) // the same value again
	must(t, w.Step(1))
	if !slices.Equal(got, []float64{2}) || readers() != 1 {
		t.Errorf("the system got %v, there are %d readers", got, readers())
	}
	other := each
	other.Name = "copy"
	if err := w.Schedule().Add(other); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), `"copy"`) {
		t.Errorf("a copy with the same reader: %v", err)
	}
	if err := open(t, Options{}).Schedule().Add(hit.Each(System{Name: "x"}, nil)); !errors.Is(err, ErrConflict) {
		t.Errorf("in another world: %v", err)
	}
	must(t, w.Check())
}

// TestSubscribersAreCalledAtOnce, in the order in which they have subscribed, before Emit
// returns, and at their place among the commands of a system.
func TestSubscribersAreCalledAtOnce(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	hit := RegisterEvent[ping](w)
	reader := hit.Reader("reader")
	var got []string
	seen := func(name string) func(*World, ping) error {
		return func(w *World, p ping) error {
			got = append(got, fmt.Sprintf("%s %d of %d", name, p.N, w.Len()))
			return nil
		}
	}
	must(t, hit.Subscribe("b", seen("b")))
	must(t, hit.Subscribe("a", func(w *World, p ping) error {
		hit.Unsubscribe("c")
		if p.N == 1 {
			must(t, hit.Subscribe("late", seen("late")))
		}
		w.Spawn(position.With(Position{})) // direct changes are allowed
		for _, err := range []error{w.Step(1), w.Close(), w.Schedule().Add(), w.Run("x", idle)} {
			if !errors.Is(err, ErrIterating) {
				t.Errorf("an order of a subscriber: %v", err)
			}
		}
		return seen("a")(w, p)
	}))
	must(t, hit.Subscribe("c", seen("c")))
	must(t, hit.Emit(ping{1}))
	must(t, w.Schedule().Add(System{Name: "s", Run: func(t *Tick) error {
		t.Commands.Spawn()
		hit.Send(t.Commands, ping{2})
		t.Commands.Do(func(w *World) error { w.Spawn(); return nil })
		got = append(got, "sent")
		return nil
	}}))
	must(t, w.Step(1))
	want := []string{"b 1 of 0", "a 1 of 1", "sent", "b 2 of 2", "a 2 of 3", "late 2 of 3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if reader.Len() != 2 || w.Len() != 4 || w.Stats().Events[0].Subscribers != 3 {
		t.Errorf("%d events wait, %d entities, %+v", reader.Len(), w.Len(), w.Stats().Events[0])
	}
	must(t, w.Check())
}

// TestSubscribersThatFail are named, are parked, and harm neither the others nor the system
// that has sent the event.
func TestSubscribersThatFail(t *testing.T) {
	w := open(t, Options{Breaker: Breaker{Failures: 2, Retry: 10}})
	hit := RegisterEvent[ping](w)
	boom, calls, good := errors.New("boom"), 0, 0
	must(t, hit.Subscribe("bad", func(w *World, p ping) error {
		if calls++; p.N == 1 {
			w.Raw().Hold()
			panic(boom)
		}
		return fmt.Errorf("%w: %w", ErrDead, boom)
	}))
	must(t, hit.Subscribe("good", func(*World, ping) error { good++; return nil }))
	err := hit.Emit(ping{1})
	var named *SystemError
	if !errors.As(err, &named) || named.System != "bad" || !errors.Is(err, boom) || len(named.Stack) == 0 || good != 1 {
		t.Errorf("Emit said %v, the other was called %d times", err, good)
	}
	must(t, w.Schedule().Add(System{Name: "s", Run: func(t *Tick) error {
		hit.Send(t.Commands, ping{2})
		return nil
	}}))
	err = w.Step(1)
	if !errors.As(err, &named) || named.System != "bad" || !named.Parked || strings.Contains(err.Error(), `"s"`) {
		t.Errorf("the step said %v", err)
	}
	if h, _ := w.Schedule().Health("s"); h != Healthy {
		t.Errorf("the system that has sent the event is %v", h)
	}
	must(t, w.Step(1)) // parked
	must(t, hit.Emit(ping{3}))
	if calls != 2 || good != 4 {
		t.Errorf("%d and %d calls", calls, good)
	}
	if err := w.Step(20); !errors.As(err, &named) || calls != 3 {
		t.Errorf("after its time: %v, %d calls", err, calls)
	}
	c := w.NewCommands()
	hit.Send(c, ping{1})
	w.Schedule().Enable("s", false)
	must(t, w.Step(100))
	if err := c.Apply(); !errors.Is(err, boom) {
		t.Errorf("Apply said %v", err)
	}
	for what, err := range map[string]error{
		"no name": hit.Subscribe("", func(*World, ping) error { return nil }), "no function": hit.Subscribe("x", nil),
		"twice": hit.Subscribe("bad", func(*World, ping) error { return nil }),
	} {
		if !errors.Is(err, ErrConflict) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := w.Raw().Subscribe(99, "x", nil); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	w.Raw().Unsubscribe(99, "x")
}

// TestSubscribersThatGoOnForEver are cut off, however they send.
func TestSubscribersThatGoOnForEver(t *testing.T) {
	testmain.OneGoroutine(t)
	for _, fan := range []int{1, 2, 9} {
		w := open(t, Options{})
		hit := RegisterEvent[ping](w)
		calls, storms, sent := 0, 0, 1
		must(t, hit.Subscribe("loop", func(_ *World, p ping) error {
			calls++
			for range fan {
				switch err := hit.Emit(p); {
				case errors.Is(err, ErrStorm):
					storms++
				case err != nil:
					t.Fatal(err)
				default:
					sent++
				}
			}
			return nil
		}))
		must(t, hit.Emit(ping{}))
		if calls != sent || storms == 0 || calls > maxCalls || fan == 1 && calls != maxDepth {
			t.Errorf("fan %d: %d calls, %d sent, %d storms", fan, calls, sent, storms)
		}
		calls = 0
		if must(t, hit.Emit(ping{})); calls == 0 || w.events.depth != 0 {
			t.Error("after a storm nothing is sent any more")
		}
	}
	w := open(t, Options{})
	hit := RegisterEvent[ping](w)
	c, calls := w.NewCommands(), 0
	must(t, hit.Subscribe("record", func(*World, ping) error {
		calls++
		hit.Send(c, ping{})
		return nil
	}))
	hit.Send(c, ping{})
	if err := c.Apply(); !errors.Is(err, ErrCycle) || calls != maxNested+1 {
		t.Errorf("a subscriber that records events: %v, %d calls", err, calls)
	}
}

// TestSubscribersOfTypesDefinedAtRunTime, and of events without fields.
func TestSubscribersOfTypesDefinedAtRunTime(t *testing.T) {
	w := open(t, Options{})
	schema := *SchemaOf(reflect.TypeFor[ping]())
	schema.Name = "late"
	id, err := w.Raw().DefineEvent(schema)
	must(t, err)
	empty := RegisterEvent[bell](w)
	n, rang := 0, 0
	must(t, w.Raw().Subscribe(id, "s", func(_ *World, p unsafe.Pointer) error { n += (*ping)(p).N; return nil }))
	must(t, empty.Subscribe("s", func(*World, bell) error { rang++; return nil }))
	c := w.NewCommands()
	p := ping{7}
	c.Send(id, unsafe.Pointer(&p))
	c.Send(id, nil)
	empty.Send(c, bell{})
	must(t, c.Apply())
	must(t, empty.Emit(bell{}))
	if w.Raw().Unsubscribe(id, "s"); n != 7 || rang != 2 || len(w.events.streams[id].subscribers) != 0 {
		t.Errorf("%d, %d", n, rang)
	}
}

// bell is an event of no bytes.
type bell struct{}

// TestRetention compares events that wait for so many and for so many ticks with a list.
func TestRetention(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := open(t, Options{MaxUnread: 50})
		event := RegisterEvent[ping](w)
		keep := Retention{rapid.IntRange(0, 20).Draw(rt, "events"), rapid.IntRange(0, 4).Draw(rt, "ticks")}
		must(t, event.Retain(keep))
		most := 50
		if keep.Events > 0 {
			most = keep.Events
		}
		slow, fast := event.Reader("slow"), event.Reader("fast")
		type waiting struct{ n, tick int }
		var model []waiting
		n, tick, lost := 0, 0, 0
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0:
				must(t, w.Step(1))
				tick++
				for keep.Ticks > 0 && len(model) > 0 && model[0].tick+keep.Ticks < tick {
					model = model[1:]
					lost++
				}
			case 1:
				var got []int
				for p := range event.Read(slow) {
					got = append(got, p.N)
				}
				for i, m := range model {
					if len(got) != len(model) || got[i] != m.n {
						rt.Fatalf("read %v, want %v", got, model)
					}
				}
				model = nil
			default:
				for range rapid.IntRange(1, 9).Draw(rt, "sends") {
					must(t, event.Emit(ping{n}))
					if model = append(model, waiting{n, tick}); len(model) > most {
						gone := len(model) - most/2 - 1
						model = model[gone:]
						lost += gone
					}
					n++
				}
			}
			for range event.Read(fast) { // what is lost is lost by the slow one alone
			}
			st := w.Stats().Events[0]
			if slow.Len() != len(model) || slow.Lost() != uint64(lost) || st.Dropped != uint64(lost) || st.Limit != most || st.Ticks != keep.Ticks {
				rt.Fatalf("%d wait, %d are lost, want %d and %d: %+v", slow.Len(), slow.Lost(), len(model), lost, st)
			}
			must(t, w.Check())
		}
	})
}

// TestRetentionIsSetAtAnyTime: what waits beyond it goes, and what makes no sense is refused.
func TestRetentionIsSetAtAnyTime(t *testing.T) {
	w := open(t, Options{})
	event := RegisterEvent[ping](w)
	r := event.Reader("r")
	for n := range 100 {
		must(t, event.Emit(ping{n}))
	}
	must(t, event.Retain(Retention{Events: 10}))
	if r.Len() > 10 || r.Lost() != uint64(100-r.Len()) || len(w.Raw().Losses()) != 1 {
		t.Errorf("%d wait, %d are lost", r.Len(), r.Lost())
	}
	must(t, w.Raw().Retain(event.ID(), Retention{Ticks: 2}))
	for range 3 {
		must(t, w.Step(1))
	}
	if st := w.Stats().Events[0]; r.Len() != 0 || r.Lost() != 100 || st.Limit != MaxUnread || st.Dropped != 100 {
		t.Errorf("%d wait, %d are lost, %+v", r.Len(), r.Lost(), st)
	}
	for _, keep := range []Retention{{Events: -1}, {Events: mostUnread + 1}, {Ticks: -1}, {Ticks: mostTicks + 1}} {
		if err := event.Retain(keep); !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), `"ping"`) {
			t.Errorf("%+v: %v", keep, err)
		}
	}
	if err := w.Raw().Retain(99, Retention{}); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}
