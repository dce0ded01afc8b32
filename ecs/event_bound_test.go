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
	if lost == 0 || raw.Dropped() != lost || len(losses) == 0 || losses[0].Reader != "slow" {
		t.Errorf("%d are lost, %d dropped, losses %v", lost, raw.Dropped(), losses)
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
