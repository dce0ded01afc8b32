package ecs

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// TestEventsThatWaitAreNotCopied: an event that waits stays where it is when others are sent and the oldest
// are forgotten, so that a step does not copy all that wait.
func TestEventsThatWaitAreNotCopied(t *testing.T) {
	w := open(t, Options{})
	raw := w.Raw()
	id, err := raw.DefineEvent(Schema{Name: "large", Fields: []Field{{Name: "xs", Kind: F64, Len: 250}}})
	must(t, err)
	slow, slower := raw.Reader(id), raw.Reader(id)
	p := unsafe.Pointer(unsafe.SliceData(make([]uint64, 250)))
	sends := func(n int) {
		must(t, w.Run("sends", func(tick *Tick) error {
			for range n {
				tick.Commands.Send(id, p)
			}
			return nil
		}))
	}
	sends(1000)
	for range slow.Events() {
	}
	first := func() unsafe.Pointer {
		at := slow.Position()
		defer slow.Rewind(at)
		for p := range slow.Events() {
			return p
		}
		return nil
	}
	sends(100)
	was := first()
	sends(4000)
	if first() != was {
		t.Error("an event that waits is moved when others are sent")
	}
	for n := range slower.Events() {
		if _ = n; slower.Position() == 900 {
			break
		}
	}
	must(t, w.Step(0))
	if first() != was {
		t.Error("an event that waits is moved when older ones are forgotten")
	}
	must(t, w.Check())
}

// TestRandomEventPagesAgainstAList: pages hold what a list holds, and count their room.
func TestRandomEventPagesAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]int{1, 700, 2500, eventPageWords, eventPageWords + 1}).Draw(t, "words")
		l := newEventPages(words)
		var list []uint64
		next := uint64(1)
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(t, "n") {
					*l.push() = next
					list = append(list, next)
					next++
				}
			},
			"drop": func(t *rapid.T) {
				n := rapid.IntRange(0, len(list)).Draw(t, "n")
				l.drop(n)
				list = list[n:]
			},
			"all":    func(*rapid.T) { l.drop(len(list)); list = nil },
			"shrink": func(*rapid.T) { l.shrink() },
			"fill":   func(*rapid.T) { l.fill(l.appendTo(nil)) },
			"": func(t *rapid.T) {
				if l.n != len(list) {
					t.Fatalf("%d events, want %d", l.n, len(list))
				}
				flat := l.appendTo(nil)
				for i, want := range list {
					if *l.at(i) != want || flat[i*words] != want {
						t.Fatalf("event %d is %d, in a list %d, want %d", i, *l.at(i), flat[i*words], want)
					}
				}
				room := 0
				for _, pages := range [][][]uint64{l.pages, l.spare} {
					for _, page := range pages {
						room += len(page)
					}
				}
				if room != l.room || len(flat) != len(list)*words || len(l.pages) == 1 && l.skip != 0 {
					t.Fatalf("room for %d words, counted %d; %d words, %d skipped", room, l.room, len(flat), l.skip)
				}
			},
		})
	})
}
