package ecs

import (
	"slices"
	"testing"
)

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
	if want := (EventStats{"int32Event", lazy.Len(), 100, s.Dropped, "lazy"}); s.Events[0] != want {
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
