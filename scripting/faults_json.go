package scripting

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/ecs"
)

// What a log of faults has in a save. A fault is there without its traces, and its text is cut: it is for sums that are
// told later.

// keptText is how many bytes of the text of a fault a save has at most, and mostCount how often a fault is said to have come.
const keptText, mostCount = 1 << 10, 1 << 53

// appendFaults appends the faults that were reported, if there are any.
func (x *Scripts) appendFaults(to []byte) []byte {
	l := &x.faults
	if len(l.order) == 0 && l.dropped == 0 {
		return to
	}
	to = strconv.AppendUint(append(to, `,"faults_dropped":`...), min(uint64(l.dropped), mostCount), 10)
	to = x.appendSeconds(append(to, `,"faults_next":`...), l.next)
	return x.items(append(to, `,"faults":`...), len(l.order), func(to []byte, i int) []byte { return x.appendFault(to, l.order[i]) })
}

// appendSeconds writes a time.
func (x *Scripts) appendSeconds(to []byte, f float64) []byte {
	return strconv.AppendFloat(to, f, 'g', -1, 64)
}

// appendFault writes an entry of the log.
func (x *Scripts) appendFault(to []byte, f *faultEntry) []byte {
	text := func(key, s string) {
		if s != "" {
			to = x.kept.AppendText(append(to, `,"`+key+`":`...), s)
		}
	}
	number := func(key string, n uint64) {
		if n != 0 {
			to = strconv.AppendUint(append(to, `,"`+key+`":`...), n, 10)
		}
	}
	count := func(key string, n int) { number(key, min(uint64(n), mostCount)) }
	e := f.last
	to = x.appendSeconds(append(to, `{"next":`...), f.next)
	to = x.appendSeconds(append(to, `,"wait":`...), f.wait)
	text("key", f.key)
	count("bytes", f.bytes)
	count("times", f.times)
	count("unreported", f.unreported)
	number("waits", uint64(slices.Index(x.faults.waiting, f)+1))
	text("script", e.Script)
	number("line", uint64(max(e.Line, 0)))
	number("column", uint64(max(e.Column, 0)))
	text("system", e.System)
	number("tick", e.Tick)
	number("entity", uint64(e.Entity))
	text("message", e.Message[:min(len(e.Message), keptText)])
	text("limit", e.Limit)
	if len(f.entities) > 0 {
		list := make([]ecs.Entity, 0, len(f.entities))
		for one := range f.entities {
			list = append(list, one)
		}
		slices.Sort(list)
		to = append(to, `,"entities":[`...)
		for i, one := range list {
			if i > 0 {
				to = append(to, ',')
			}
			to = strconv.AppendUint(to, uint64(one), 10)
		}
		to = append(to, ']')
	}
	return append(to, '}')
}

// readFaults reads the log's entries. Their number is bounded, and does not count for Limits.Saved: a save
// that was written can be read.
func (x *Scripts) readFaults(r *bindings.KeptReader) error {
	l := &x.faults
	l.entries = map[string]*faultEntry{}
	places := map[*faultEntry]uint64{}
	err := r.List(func() error {
		if len(l.order) >= maxEntries {
			return errors.New("there are too many")
		}
		f := &faultEntry{last: &Error{}}
		place, err := l.readFault(r, f)
		if err != nil {
			return err
		}
		if f.key == "" || l.entries[f.key] != nil || f.times == 0 {
			return errors.New("expected a fault with a key of its own")
		}
		l.entries[f.key], l.order = f, append(l.order, f)
		l.bytes, l.counted = l.bytes+f.bytes, l.counted+len(f.entities)
		if f.waits = place > 0; f.waits {
			places[f] = place
			l.waiting = append(l.waiting, f)
		}
		return nil
	})
	slices.SortStableFunc(l.waiting, func(a, b *faultEntry) int { return cmp.Compare(places[a], places[b]) })
	return err
}

// readFault reads an entry, and which place it has among those that wait; 0 if it does not.
func (l *faultLog) readFault(r *bindings.KeptReader, f *faultEntry) (place uint64, err error) {
	e := f.last
	whole := func(to *int, most uint64) error {
		n, err := r.Integer(0, most)
		*to = int(n)
		return err
	}
	entity := func(to *ecs.Entity) error {
		n, err := r.Integer(0, math.MaxUint64)
		*to = ecs.Entity(n)
		return err
	}
	err = r.Object(func(key string) (err error) {
		switch key {
		case "next":
			f.next, err = r.Seconds()
		case "wait":
			f.wait, err = r.Seconds()
		case "key":
			f.key, err = r.Text()
		case "bytes":
			err = whole(&f.bytes, mostCount)
		case "times":
			err = whole(&f.times, mostCount)
		case "unreported":
			err = whole(&f.unreported, mostCount)
		case "waits":
			place, err = r.Integer(0, maxEntries)
		case "script":
			e.Script, err = r.Text()
		case "line":
			err = whole(&e.Line, math.MaxInt32)
		case "column":
			err = whole(&e.Column, math.MaxInt32)
		case "system":
			e.System, err = r.Text()
		case "tick":
			e.Tick, err = r.Integer(0, 1<<63)
		case "entity":
			err = entity(&e.Entity)
		case "message":
			e.Message, err = r.Text()
		case "limit":
			e.Limit, err = r.Text()
		case "entities":
			f.entities = map[ecs.Entity]bool{}
			return r.List(func() error {
				if len(f.entities) >= maxCounted || l.counted+len(f.entities) >= maxAllCounted {
					return errors.New("there are too many")
				}
				var one ecs.Entity
				err := entity(&one)
				f.entities[one] = true
				return err
			})
		default:
			err = r.Unknown()
		}
		return err
	})
	return place, err
}
