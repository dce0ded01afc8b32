package ecstest

import (
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// ping is the event type under test.
type ping struct{ N int64 }

// mailbox compares readers with the list of what was sent since the first event
// that one of them has not read.
type mailbox struct {
	world   *ecs.World
	event   ecs.Event[ping]
	sent    []int64
	readers []*subscriber
}

// subscriber is a reader and what it must read next.
type subscriber struct {
	reader *ecs.Reader
	next   int
}

func (m *mailbox) open(w *ecs.World) {
	m.world, m.event = w, ecs.RegisterEvent[ping](w)
}

// send records an event and returns what it means.
func (m *mailbox) send(c *ecs.Commands, n int) func() error {
	m.event.Send(c, ping{int64(n)})
	return func() error { m.sent = append(m.sent, int64(n)); return nil }
}

func (m *mailbox) do(t T, op Op) {
	t.Helper()
	defer m.forget()
	if op.Kind == OpenReader {
		if len(m.readers) < 4 {
			m.readers = append(m.readers, &subscriber{m.world.Reader(m.event.ID()), len(m.sent)})
		}
		return
	}
	if len(m.readers) == 0 {
		return
	}
	i := int(op.A) % len(m.readers)
	if op.Kind == CloseReader {
		m.readers[i].reader.Close()
		m.readers = slices.Delete(m.readers, i, i+1)
		return
	}
	m.read(t, m.readers[i], op)
}

// forget drops what every reader has read: a soak sends without end, and what it
// holds must not grow.
func (m *mailbox) forget() {
	read := len(m.sent)
	for _, s := range m.readers {
		read = min(read, s.next)
	}
	m.sent = slices.Delete(m.sent, 0, read)
	for _, s := range m.readers {
		s.next -= read
	}
}

// read reads all that waits, or at times the first event only.
func (m *mailbox) read(t T, s *subscriber, op Op) {
	t.Helper()
	want := m.sent[s.next:]
	if s.reader.Len() != len(want) {
		t.Fatalf("%v: %d events wait, the model has %d", op, s.reader.Len(), len(want))
	}
	if op.D%2 == 1 && len(want) > 0 {
		want = want[:1]
	}
	var got []int64
	if len(want) > 0 {
		for p := range m.event.Read(s.reader) {
			if got = append(got, p.N); len(got) == len(want) {
				break
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%v: read the events %v, the model %v", op, got, want)
	}
	s.next += len(want)
}
