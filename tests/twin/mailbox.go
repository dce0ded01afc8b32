package twin

import (
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// ping is the event type of Go's under test, pong the name of the one that is
// defined at run time.
type ping struct{ N int64 }

const pong = "pong"

// mailbox compares the readers of one event type with a list of the events that were sent
// and are still kept.
type mailbox struct {
	world   *ecs.World
	id      ecs.EventID
	record  func(c *ecs.Commands, n int)
	read    func(r *ecs.Reader, most int) []int64
	sent    []int64
	first   uint64 // the number of sent[0]
	ended   uint64 // the number of the first event after the last tick
	era     int    // migrations so far
	readers []*subscriber
}

// subscriber is a reader, the number of what it must read next, and a position
// to which it may go back.
type subscriber struct {
	reader         *ecs.Reader
	next, position uint64
}

// openBoxes makes a mailbox for each kind of event type.
func openBoxes(w *ecs.World) (boxes [2]mailbox, err error) {
	event := ecs.RegisterEvent[ping](w)
	id, err := w.Raw().DefineEvent(schemaOf(pong, 0))
	boxes[0] = mailbox{world: w, id: event.ID(), record: func(c *ecs.Commands, n int) { event.Send(c, ping{int64(n)}) }}
	boxes[0].read = func(r *ecs.Reader, most int) (got []int64) {
		for p := range event.Read(r) {
			if got = append(got, p.N); len(got) == most {
				break
			}
		}
		return got
	}
	boxes[1] = mailbox{world: w, id: id, record: func(c *ecs.Commands, n int) { c.Send(id, made(w.Raw().EventSchema(id), n)) }}
	boxes[1].read = func(r *ecs.Reader, most int) (got []int64) {
		for p := range r.Events() {
			if got = append(got, numberAt(w.Raw().EventSchema(id), p)); len(got) == most {
				break
			}
		}
		return got
	}
	return boxes, err
}

// numberAt returns the number that an event was made from, or -1 if there is no such
// number.
func numberAt(s *ecs.Schema, p unsafe.Pointer) int64 {
	n := int64(*(*int32)(unsafe.Add(p, s.Field("now").Offset)))
	if !holds(s, p, int(n)) {
		return -1
	}
	return n
}

// send records an event and returns what it means.
func (m *mailbox) send(c *ecs.Commands, n int) func() error {
	m.record(c, n)
	era := m.era
	return func() error {
		if m.era != era {
			return ecs.ErrConflict
		}
		m.sent = append(m.sent, int64(n))
		return nil
	}
}

// end is the number of the next event.
func (m *mailbox) end() uint64 { return m.first + uint64(len(m.sent)) }

func (m *mailbox) do(t T, op Op) {
	t.Helper()
	if op.Kind == OpenReader {
		if len(m.readers) < 4 {
			m.readers = append(m.readers, &subscriber{m.world.Raw().Reader(m.id), m.end(), 0})
		}
		return
	}
	if len(m.readers) == 0 {
		return
	}
	i := int(op.A) % len(m.readers)
	s := m.readers[i]
	switch op.Kind {
	case CloseReader:
		s.reader.Close()
		m.readers = slices.Delete(m.readers, i, i+1)
		return
	case RewindReader:
		if op.D%2 == 0 {
			s.position = s.reader.Position()
			break
		}
		s.reader.Rewind(s.position)
		s.next = min(max(s.position, m.first), m.end()) // what is forgotten stays forgotten
	case ReadEvents:
		m.readSome(t, s, op)
	}
	if s.reader.Position() != s.next || s.reader.Len() != int(m.end()-s.next) {
		t.Fatalf("%v: %d events wait from %d on, the model has %d from %d on", op, s.reader.Len(), s.reader.Position(), m.end()-s.next, s.next)
	}
}

// tick forgets what every reader has read; without readers, what was sent before
// this tick.
func (m *mailbox) tick() {
	keep := m.ended
	for i, s := range m.readers {
		if i == 0 || s.next < keep {
			keep = s.next
		}
	}
	if keep > m.first {
		m.sent = slices.Delete(m.sent, 0, int(keep-m.first))
		m.first = keep
	}
	m.ended = m.end()
}

// readSome reads all events that wait, or at times only the first.
func (m *mailbox) readSome(t T, s *subscriber, op Op) {
	t.Helper()
	want := m.sent[s.next-m.first:]
	if s.reader.Len() != len(want) {
		t.Fatalf("%v: %d events wait, the model has %d", op, s.reader.Len(), len(want))
	}
	if op.D%2 == 1 && len(want) > 0 {
		want = want[:1]
	}
	var got []int64
	if len(want) > 0 {
		got = m.read(s.reader, len(want))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%v: read the events %v, the model %v", op, got, want)
	}
	s.next += uint64(len(want))
}
