package journal

import (
	"fmt"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// Options of a journal. The zero value is a journal of usual size.
type Options struct {
	Entries int // how many are kept; 0: 32,768, which take 5 MB
}

const (
	usualEntries = 32_768
	mostEntries  = 4_000_000
)

// MostWatched is how many entities a journal watches at a time.
const MostWatched = 64

// Journal is a ring of the last changes of a world. A nil Journal, and one that was closed, has no entries.
//
// Invariants: the entries with numbers from made-len(ring), at least 0, to made-1 are in the ring, each at its
// number modulo the length; their ticks do not fall with their numbers, and neither do those of their changes.
type Journal struct {
	world    *ecs.World
	ring     []keptEntry
	made     uint64 // entries so far, but for those that were given up
	restores uint64 // of the world, when it last changed
	watched  []*watched
	remove   []func() // of what the world calls
}

// keptEntry is an entry as it is kept. One of more components than fit goes on in those after it.
type keptEntry struct {
	tick     uint64
	change   uint64 // ecs.RawChange.Number; of a Write the last before it
	entity   ecs.Entity
	other    ecs.Entity // Target or With
	system   string
	caller   ecs.Caller
	relation *ecs.Relation
	written  *fieldWrite // of Write
	kind     Kind
	n        uint8 // of ids
	goesOn   bool  // with the components of the next record
	void     bool  // a Write says the same, and more
	ids      [fit]ecs.ComponentID
}

// fit is how many components a record has room for.
const fit = 5

// fieldWrite is what a Write has found.
type fieldWrite struct {
	field    string
	old, new any
}

// Open begins a journal of a world. The error wraps [ecs.ErrClosed], [ecs.ErrRange] for a size below 0 or above
// 4,000,000, or [ecs.ErrIterating] inside of a step.
func Open(w *ecs.World, options Options) (*Journal, error) {
	n := options.Entries
	switch {
	case w == nil:
		return nil, fmt.Errorf("journal: %w: no world", ecs.ErrConflict)
	case n < 0 || n > mostEntries:
		return nil, fmt.Errorf("journal: %w: %d entries; there can be 1 to %d", ecs.ErrRange, n, mostEntries)
	case n == 0:
		n = usualEntries
	}
	j := &Journal{world: w, ring: make([]keptEntry, n+1), restores: w.Raw().Restores()}
	remove, err := w.Raw().OnChange(j.take)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j.remove = append(j.remove, remove)
	if remove, err = w.Schedule().AfterSystem(j.compare); err != nil {
		j.Close()
		return nil, fmt.Errorf("journal: %w", err)
	}
	j.remove = append(j.remove, remove)
	return j, nil
}

// Close ends the journal, and forgets its entries.
func (j *Journal) Close() {
	if j == nil {
		return
	}
	for _, remove := range j.remove {
		remove()
	}
	*j = Journal{}
}

// take keeps a change of the world. What was written before it to an entity that is watched is found first.
func (j *Journal) take(c *ecs.RawChange) {
	j.catchUp(j.tick())
	if w := j.watching(c.Entity); w != nil {
		w.look(j, c.System, c.Tick)
		w.authored(c, j.made)
	}
	if c.InPlace {
		return // the loop that has written it is no command
	}
	r := keptEntry{tick: c.Tick, change: c.Number, entity: c.Entity, system: c.System, caller: c.Caller, relation: c.Relation, other: c.Target, kind: kindOf(c)}
	if c.With != 0 {
		r.other = c.With
	}
	ids := c.Components
	for {
		r.n = uint8(copy(r.ids[:], ids))
		ids = ids[r.n:]
		r.goesOn = len(ids) > 0
		j.add(&r)
		if !r.goesOn {
			return
		}
	}
}

// catchUp is called before a change. If the world has gone back since the last one, the entries of later ticks and later changes
// are given up, and what is watched is known anew.
func (j *Journal) catchUp(tick uint64) {
	restores := j.world.Raw().Restores()
	if j.restores == restores {
		return
	}
	j.restores = restores
	j.giveUp(tick, j.seen())
	for _, w := range j.watched {
		w.ids, w.known = nil, nil
	}
}

// add adds an entry.
func (j *Journal) add(r *keptEntry) {
	j.ring[j.made%uint64(len(j.ring))] = *r
	j.made++
}

// seen returns the number of the last change that the world has seen. Where nobody knows it, ticks alone tell.
func (j *Journal) seen() uint64 {
	if number, known := j.world.Raw().Reported(); known {
		return number
	}
	return math.MaxUint64
}

// giveUp takes back the entries of ticks after one and of changes after one: the world has gone back, and other ones take their place.
func (j *Journal) giveUp(tick, change uint64) {
	for j.made > 0 {
		last := &j.ring[(j.made-1)%uint64(len(j.ring))]
		if last.tick <= tick && last.change <= change || last.entity == 0 {
			break
		}
		*last = keptEntry{}
		j.made--
	}
}

// Of returns what has happened to an entity, the newest first and so many at most. Where a system writes the same
// again and again, that is one entry, of its last tick. O(entries of the journal).
func (j *Journal) Of(e ecs.Entity, most int) []Entry {
	return j.find(most, func(r *keptEntry) bool { return r.entity == e || r.kind == Link && r.other == e })
}

// Last returns the newest entries of all entities, as Of does.
func (j *Journal) Last(most int) []Entry { return j.find(most, func(*keptEntry) bool { return true }) }

// Spawns returns the newest entries of entities that came, the newest first. O(entries of the journal).
func (j *Journal) Spawns(most int) []Entry {
	return j.find(most, func(r *keptEntry) bool { return r.kind == Spawn })
}

// find returns the newest entries for which a function is true.
func (j *Journal) find(most int, wanted func(*keptEntry) bool) (list []Entry) {
	if j == nil || j.world == nil || most <= 0 {
		return nil
	}
	tick, change, n := j.tick(), j.seen(), uint64(len(j.ring))
	var more []ecs.ComponentID // of the records that the one before goes on in
	m := merging{newest: map[writtenField]int{}, lives: map[writtenField]int{}}
	for i := j.made; i > 0 && j.made-i < n && len(list) <= most; i-- {
		r := &j.ring[(i-1)%n]
		if r.entity == 0 {
			break // it was given up, and with it all before that the ring had lost
		}
		if r.void || r.tick > tick || r.change > change || !wanted(r) {
			more = more[:0]
			continue
		}
		ids := append(slices.Clone(r.ids[:r.n]), more...)
		if more = ids; j.begins(i - 1) {
			list = append(list, j.entry(r, ids))
			more = nil
			list = m.merge(list, r, ids)
		}
	}
	return list[:min(len(list), most)]
}

// merging makes one entry of writes that go on.
type merging struct {
	newest map[writtenField]int // in the list
	lives  map[writtenField]int // how often the component has come or gone since, of its entity
}

// writtenField is a field of a component of an entity, that was written in one of the component's lives; without a field,
// a component that a command has written.
type writtenField struct {
	entity    ecs.Entity
	component ecs.ComponentID
	field     string
	life      int
}

// merge makes one entry of the last of a list and of the newer one of the same field, if the same system has written
// both, at the same place, and nobody has between.
func (m *merging) merge(list []Entry, r *keptEntry, ids []ecs.ComponentID) []Entry {
	last := len(list) - 1
	older := &list[last]
	if older.Kind != Write && older.Kind != Set {
		for _, id := range ids {
			m.lives[writtenField{entity: r.entity, component: id}]++
		}
		return list
	}
	at := writtenField{r.entity, ids[0], older.Field, m.lives[writtenField{entity: r.entity, component: ids[0]}]}
	k, ok := m.newest[at]
	if !ok || list[k].Kind != older.Kind || list[k].System != older.System || list[k].Caller != older.Caller || !slices.Equal(list[k].Components, older.Components) {
		m.newest[at] = last
		return list
	}
	list[k].Old, list[k].Since, list[k].Times = older.Old, older.Since, list[k].Times+1
	return list[:last]
}

// begins reports whether the record of a number is known not to go on another one. Of the oldest in a full ring,
// that is not known.
func (j *Journal) begins(number uint64) bool {
	n := uint64(len(j.ring))
	if number == 0 || j.made-number >= n {
		return number == 0
	}
	before := &j.ring[(number-1)%n]
	return before.entity != 0 && !before.goesOn // 0: it was lost to records that were given up
}

// tick returns the tick of the world.
func (j *Journal) tick() uint64 {
	_, ticks := j.world.Time()
	return ticks
}
