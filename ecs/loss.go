package ecs

// Loss says that a reader has missed events, because more were sent than wait for
// those who do not read.
type Loss struct {
	Event  string
	Reader string // the name that it has from Named, "" for none
	Lost   uint64 // events, those that it has lost since it last caught up
	Limit  int    // events of this type that wait
}

// Named gives the reader a name for Loss and Stats, and returns it.
func (r *Reader) Named(name string) *Reader {
	r.name = name
	return r
}

// Lost returns how many events the reader has missed.
func (r *Reader) Lost() uint64 { return r.lost }

// losses is Raw.Losses.
func (w *World) losses() []Loss {
	all := w.events.losses
	w.events.losses = nil
	return all
}

// maxLosses bounds what waits in a world whose host does not ask.
const maxLosses = 1024

// lose notes who has not read what is about to be forgotten, the events before
// number to.
func (s *events) lose(t *stream, to uint64) {
	for _, r := range t.readers {
		if r.next >= to {
			continue
		}
		n := to - r.next
		r.lost += n
		if !r.behind && len(s.losses) < maxLosses {
			s.losses = append(s.losses, Loss{t.schema.Name, r.name, n, t.most})
		}
		r.behind = true
	}
}

// caughtUp ends the losses of readers that are less than a quarter of what may
// wait behind.
func (t *stream) caughtUp() {
	for _, r := range t.readers {
		if r.behind && int(t.next()-r.next) <= t.most/4 {
			r.behind = false
		}
	}
}

// EventStats describes the events of one type.
type EventStats struct {
	Event   string
	Waiting int    // events that some reader has not read, or that were sent in this tick
	Limit   int    // that can wait
	Dropped uint64 // so far, because of it
	Slowest string // the name of the reader that has read least, "" when all have read all
}

func (t *stream) stats() EventStats {
	st := EventStats{Event: t.schema.Name, Waiting: t.count(), Limit: t.most, Dropped: t.dropped}
	least := t.next()
	for _, r := range t.readers {
		if r.next < least {
			st.Slowest, least = r.name, r.next
		}
	}
	return st
}

// dropped is Raw.Dropped.
func (w *World) dropped() (n uint64) {
	for _, t := range w.events.streams {
		n += t.dropped
	}
	return n
}
