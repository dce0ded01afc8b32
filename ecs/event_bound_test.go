package ecs

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/internal/testmain"
)

// TestEventsOfAllTypesHaveABound: however many types there are, what waits for readers has room for so many
// bytes together. What is dropped for that is lost for the slow readers, by name, and not for the others.
func TestEventsOfAllTypesHaveABound(t *testing.T) {
	testmain.OneGoroutine(t)
	const types, each = 24, 16 // MiB of each: 384, in events of 32 KiB
	w := NewWorld()
	defer w.Close()
	raw := w.Raw()
	big := make([]uint64, 4096)
	var slow []*Reader
	for i := range types {
		id, err := raw.DefineEvent(Schema{Name: string(rune('a' + i)), Fields: []Field{{Name: "xs", Kind: F64, Len: 4096}}})
		if err != nil {
			t.Fatal(err)
		}
		slow = append(slow, raw.Reader(id).Named("slow"))
		fast := raw.Reader(id)
		for range each {
			err := w.Run("sends", func(tick *Tick) error {
				for range 32 {
					tick.Commands.Send(id, unsafe.Pointer(unsafe.SliceData(big)))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for range fast.Events() {
			}
			if w.events.held > heldWords {
				t.Fatalf("%d MiB are held", w.events.held>>17)
			}
		}
		if fast.Lost() > 0 {
			t.Errorf("type %d: who reads at once has lost %d", i, fast.Lost())
		}
	}
	lost := uint64(0)
	for _, r := range slow {
		lost += r.Lost()
	}
	losses := raw.Losses()
	if lost == 0 || raw.Dropped() != lost || len(losses) == 0 || losses[0].Reader != "slow" || losses[0].Cause != LostToWorldBytes || losses[0].Limit != 256<<20 {
		t.Errorf("%d are lost, %d dropped, losses %v", lost, raw.Dropped(), losses)
	}
}

// TestLossesHaveTheirCause: which of the bounds has dropped events is said, with what it is.
func TestLossesHaveTheirCause(t *testing.T) {
	type Large struct{ Values [1 << 16]uint64 } // half a MiB
	for name, c := range map[string]struct {
		keep  Retention
		limit int // Options.MaxUnread
		large bool
		sent  int
		ticks int
		want  Loss
	}{
		"MaxUnread":                 {limit: 100, sent: 150, want: Loss{Cause: LostToMaxUnread, Limit: 100}},
		"Events":                    {keep: Retention{Events: 50}, limit: 100, sent: 80, want: Loss{Cause: LostToRetentionEvents, Limit: 50}},
		"Events above MaxUnread":    {keep: Retention{Events: 200}, limit: 100, sent: 250, want: Loss{Cause: LostToRetentionEvents, Limit: 200}},
		"bytes":                     {large: true, sent: 140, want: Loss{Cause: LostToTypeBytes, Limit: 64 << 20}},
		"bytes, and a high Events":  {keep: Retention{Events: 1000}, large: true, sent: 140, want: Loss{Cause: LostToTypeBytes, Limit: 64 << 20}},
		"Events below what fits":    {keep: Retention{Events: 20}, large: true, sent: 30, want: Loss{Cause: LostToRetentionEvents, Limit: 20}},
		"ticks":                     {keep: Retention{Ticks: 2}, sent: 5, ticks: 4, want: Loss{Cause: LostToRetentionTicks, Limit: 2}},
		"ticks, in spite of Events": {keep: Retention{Ticks: 3, Events: 50}, sent: 5, ticks: 5, want: Loss{Cause: LostToRetentionTicks, Limit: 3}},
	} {
		w := open(t, Options{MaxUnread: c.limit})
		large, small := RegisterEvent[Large](w), RegisterEvent[ping](w)
		id := small.ID()
		if c.large {
			id = large.ID()
		}
		r := w.Raw().Reader(id).Named("slow")
		must(t, w.Raw().Retain(id, c.keep))
		v := new(Large)
		for i := range c.sent {
			if c.large {
				must(t, large.Emit(*v))
			} else {
				must(t, small.Emit(ping{i}))
			}
		}
		for range c.ticks {
			must(t, w.Step(1))
		}
		losses := w.Raw().Losses()
		if len(losses) != 1 || losses[0].Lost == 0 || losses[0].Lost > r.Lost() {
			t.Errorf("%s: losses %v, lost are %d", name, losses, r.Lost())
			continue
		}
		got := losses[0]
		if got.Reader != "slow" || got.Cause != c.want.Cause || got.Limit != c.want.Limit {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestRoomOfEventsIsCounted: what is known to wait and to be held is what the streams have, whatever is sent,
// read, cleared and retained.
func TestRoomOfEventsIsCounted(t *testing.T) {
	type Large struct{ Values [600]uint64 }
	type Small struct{ X uint64 }
	w := NewWorld()
	defer w.Close()
	large, small := RegisterEvent[Large](w), RegisterEvent[Small](w)
	readers := []*Reader{large.Reader("a"), small.Reader("b"), small.Reader("c")}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var err error
		switch r.IntN(7) {
		case 0, 1:
			err = large.Emit(Large{})
		case 2:
			err = small.Emit(Small{})
		case 3:
			for range readers[r.IntN(3)].Events() {
			}
		case 4:
			err = w.Step(1)
		case 5:
			if r.IntN(10) == 0 {
				_, err = large.Clear()
			}
		case 6:
			if err = small.Retain(Retention{Events: 1 + r.IntN(40)}); r.IntN(20) == 0 {
				w.events.reclaim()
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		waiting, held := w.events.waiting, w.events.held
		w.events.recount()
		if waiting != w.events.waiting || held != w.events.held || w.Raw().EventBytes() != int64(waiting)*8 {
			t.Fatalf("%d words wait and %d are held; counted were %d and %d", w.events.waiting, w.events.held, waiting, held)
		}
	}
}
