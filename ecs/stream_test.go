package ecs

import (
	"testing"

	"pgregory.net/rapid"
)

// TestStreamsAgainstAList sends, reads in part, rewinds, opens and closes
// readers and ends ticks at random, and compares each reader with a list of all
// that was sent.
func TestStreamsAgainstAList(t *testing.T) {
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
