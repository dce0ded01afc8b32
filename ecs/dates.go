package ecs

// Dates takes back what a call has done to the dates that queries with Changed compare:
// when columns were written, and when queries had their last look. The script host uses
// it when it undoes a call that has failed, so that no trace of the call is left: what
// it has stamped counts as unchanged, and what it has seen as changed is there for the
// next look.
//
// The zero Dates has noted nothing. It is for one world and its goroutine, and good
// while nothing can change but columns (see Raw.Hold).
type Dates struct {
	stamps []date
	looks  []glance
	floor  int // looks up to the last mark
}

// date is when something was written last, before and since.
type date struct {
	at       *uint64
	was, now uint64
}

// glance is when a query had been looked at.
type glance struct {
	query *Query
	since uint64
}

// DatesMark is a state of Dates that RewindLooks goes back to.
type DatesMark int

// Look notes that a loop over a query is about to begin. O(1).
func (d *Dates) Look(q *Query) {
	if len(q.changed) == 0 {
		return
	}
	if q.noted >= d.floor && q.noted < len(d.looks) && d.looks[q.noted].query == q {
		return // the first look is the one to go back to
	}
	q.noted = len(d.looks)
	d.looks = append(d.looks, glance{q, q.since})
}

// Column is [Chunk.Column] for writing, noted.
func (d *Dates) Column(c *Chunk, id ComponentID) {
	if c.column(id) != nil {
		d.stamp(c.dated(id), c.world.version)
	}
}

// Touch is [Raw.Touch], noted.
func (d *Dates) Touch(w *World, e Entity, id ComponentID) {
	switch p := w.components[id].pool; {
	case !w.has(e, id):
	case p != nil:
		d.stamp(p.dated(e), w.version)
	default:
		_, r := w.find(e)
		d.stamp(w.chunks[r.Chunk].dated(id), w.version)
	}
}

func (d *Dates) stamp(at *uint64, now uint64) {
	if at != nil && *at != now {
		d.stamps = append(d.stamps, date{at, *at, now})
		*at = now
	}
}

// Seal separates what was stamped so far from what others stamp from now on, whose
// writes Rewind leaves alone. Call it before code that writes for good. O(1).
func (d *Dates) Seal(w *World) {
	if len(d.stamps) > 0 && !w.frozen.on {
		w.version++
	}
}

// Mark returns the state by now.
func (d *Dates) Mark() DatesMark {
	d.floor = len(d.looks)
	return DatesMark(d.floor)
}

// RewindLooks takes back the looks since a mark.
func (d *Dates) RewindLooks(to DatesMark) {
	for i := len(d.looks) - 1; i >= int(to); i-- {
		d.looks[i].query.since = d.looks[i].since
	}
	clear(d.looks[to:])
	d.looks = d.looks[:to]
	d.floor = int(to)
}

// Rewind takes back all that was noted, but for the dates of what others have stamped
// since, and forgets it.
func (d *Dates) Rewind() {
	d.RewindLooks(0)
	for i := len(d.stamps) - 1; i >= 0; i-- {
		if s := &d.stamps[i]; *s.at == s.now {
			*s.at = s.was
		}
	}
	d.Forget()
}

// Forget empties it: what was noted stays as it is.
func (d *Dates) Forget() {
	clear(d.stamps)
	clear(d.looks)
	d.stamps, d.looks, d.floor = d.stamps[:0], d.looks[:0], 0
}
