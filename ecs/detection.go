package ecs

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"unsafe"
	"weak"

	"github.com/perigee-ecs/perigee/ecs/internal/keys"
)

// additions is what a query with Added has to yield: for each of its components,
// the entities that got it since the last loop, in order.
//
// Invariant: places[i][slot] is 1 + the position of the entry for component i
// and the entity that last got it in that slot, or 0; entries that no place
// leads to are of dead entities and will be passed over. So there are at most
// two entries for a component and a living entity, and some.
//
// Why are there additions and observers too? An observer is called and can act. Additions
// only note that a component came, in a few nanoseconds, and cost nothing for components
// that no such query asks for.
type additions struct {
	ids     []ComponentID
	entries []addition
	places  [][]uint32
	taken   []Entity // by slot, while take runs: it has that one already
}

// addition: an entity got the component of an index of ids.
type addition struct {
	entity Entity
	which  int
}

// Added yields only entities that got one of the components, and have it still,
// since this query was last iterated, or made: spawned with it, given it, or
// given it again after it was taken away. Other than Changed, it is exact. A
// loop has them in the order in which they got the first of the components; a
// loop that ends early has looked at all.
//
// The world notes additions for such a query until it is closed, or found
// unreachable by the collector: at most some entries for each living entity.
func (q *Query) Added(hs ...ComponentRef) *Query {
	if q.added == nil {
		q.added = &additions{}
		q.world.noteLooker(q)
	}
	for _, h := range hs {
		c := q.named("Added", h)
		id := c.id
		if slices.Contains(q.added.ids, id) {
			continue
		}
		q.added.ids = append(q.added.ids, id)
		q.added.places = append(q.added.places, nil)
		c.added = append(c.added, weak.Make(q.added))
		q.world.rewatch(c)
	}
	q.loop = unprepared
	return q
}

// noteLooker numbers a query that remembers what it has seen, and lists it for snapshots.
func (w *World) noteLooker(q *Query) {
	if q.number != 0 {
		return
	}
	if len(w.lookers) == cap(w.lookers) {
		w.lookers = slices.DeleteFunc(w.lookers, func(p weak.Pointer[Query]) bool { return p.Value() == nil })
	}
	w.lookersMade++
	q.number = w.lookersMade
	w.lookers = append(w.lookers, weak.Make(q))
}

// Close ends the noting of additions for a query with Added at once; from then
// on it yields none. For other queries it does nothing.
func (q *Query) Close() {
	if q.added == nil {
		return
	}
	for _, id := range q.added.ids {
		c := q.world.components[id]
		c.forget(q.added)
		q.world.rewatch(c)
	}
	*q.added = additions{}
}

// noteAdded notes for the queries with Added that e gets the component.
func (c *component) noteAdded(w *World, e Entity) {
	for _, p := range c.added {
		if a := p.Value(); a != nil {
			a.note(w, c.id, e)
		} else {
			c.forget(nil) // of a query that is gone
		}
	}
}

// forget drops the additions of one query, and of all queries that are gone.
func (c *component) forget(gone *additions) {
	c.added = slices.DeleteFunc(slices.Clone(c.added), func(p weak.Pointer[additions]) bool {
		a := p.Value()
		return a == nil || a == gone
	})
}

// note appends an entry for an entity that got a component, unless its last entry is of
// the same entity. It compacts when there are more entries than living entities need.
func (a *additions) note(w *World, id ComponentID, e Entity) {
	which := slices.Index(a.ids, id)
	at := a.place(addition{e, which})
	if *at != 0 && a.entries[*at-1].entity == e {
		return
	}
	if len(a.entries) > 2*len(a.ids)*w.Len()+64 {
		a.compact(w)
	}
	a.entries = append(a.entries, addition{e, which})
	*at = uint32(len(a.entries))
}

// compact drops the entries of the dead.
func (a *additions) compact(w *World) {
	kept := a.entries[:0]
	for i, n := range a.entries {
		at := &a.places[n.which][n.entity.Index()]
		switch {
		case *at != uint32(i+1):
		case w.Alive(n.entity):
			kept = append(kept, n)
			*at = uint32(len(kept))
		default:
			*at = 0
		}
	}
	a.entries = kept
}

// take appends the entities that were added to dst, each once, and forgets them.
func (a *additions) take(w *World, dst []Entity) []Entity {
	for _, n := range a.entries {
		slot := n.entity.Index()
		a.places[n.which][slot] = 0
		if !w.has(n.entity, a.ids[n.which]) {
			continue
		}
		for int(slot) >= len(a.taken) {
			a.taken = append(a.taken, make([]Entity, max(64, len(a.taken)))...)
		}
		if a.taken[slot] != n.entity {
			a.taken[slot] = n.entity
			dst = append(dst, n.entity)
		}
	}
	for _, e := range dst {
		a.taken[e.Index()] = 0
	}
	a.entries = a.entries[:0]
	return dst
}

// checkAdditions checks what queries wait for, each with its first component.
func (c *component) checkAdditions() error {
	for _, p := range c.added {
		if a := p.Value(); a != nil && a.ids[0] == c.id {
			if err := a.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// check: every entry that a place leads to is of that place, and no two places
// lead to one.
func (a *additions) check() error {
	led := 0
	for which, places := range a.places {
		for slot, at := range places {
			if at == 0 {
				continue
			}
			if led++; int(at) > len(a.entries) {
				return fmt.Errorf("additions: slot %d leads past the %d entries", slot, len(a.entries))
			}
			if n := a.entries[at-1]; n.which != which || int(n.entity.Index()) != slot {
				return fmt.Errorf("additions: slot %d leads to the entry of %v, component %d, and is of component %d", slot, n.entity, n.which, which)
			}
		}
	}
	if led > len(a.entries) || len(a.places) != len(a.ids) {
		return fmt.Errorf("additions: %d places lead to %d entries, of %d components", led, len(a.entries), len(a.ids))
	}
	return nil
}

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
	if q == nil || len(q.changed) == 0 {
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
		d.stamp(c.dated(id), c.store.version)
	}
}

// Touch is [Raw.Touch], noted.
func (d *Dates) Touch(w *World, e Entity, id ComponentID) {
	if w == nil || !w.has(e, id) {
		return
	}
	switch p := w.components[id].pool; {
	case p != nil:
		d.stamp(p.dated(e), w.version)
	default:
		_, r := w.find(e)
		d.stamp(w.chunks[r.Chunk].dated(id), w.version)
	}
}

// stamp sets a version and remembers the one before. A version that is set already is not
// noted again.
func (d *Dates) stamp(at *uint64, now uint64) {
	if at != nil && *at != now {
		d.stamps = append(d.stamps, date{at, *at, now})
		*at = now
	}
}

// Seal separates what was stamped so far from what others stamp from now on, whose
// writes Rewind leaves alone. Call it before code that writes for good. O(1).
func (d *Dates) Seal(w *World) {
	if len(d.stamps) > 0 && w != nil && !w.frozen.on {
		w.version++
	}
}

// Mark returns the state by now.
func (d *Dates) Mark() DatesMark {
	d.floor = len(d.looks)
	return DatesMark(d.floor)
}

// RewindLooks takes back the looks since a mark; for one that is past them all, none.
func (d *Dates) RewindLooks(to DatesMark) {
	to = min(max(to, 0), DatesMark(len(d.looks)))
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

// Changed yields only chunks in which one of the components was written, or
// rows came or went, since this query was last iterated. The unit is the chunk,
// or the page of a pool: a loop sees every matching row of it, whichever row
// was written. A loop that ends early counts as a look like any other; who undoes what
// a loop has led to takes back the look with Dates.
//
// The schedule does not call a system in a turn in which it would find nothing: when each of
// its Queries asks for what has changed, in no chunk or page that could match anything was
// written, or has come or gone, no event waits for it ([Event.Each]), and the system is Healthy. All is then as if it had run, its
// time and its random numbers too; [SystemStats] count it as Skipped. A system that has more to do
// than its queries says so with System.Unchanged, or declares another query.
func (q *Query) Changed(hs ...ComponentRef) *Query {
	q.alter("Changed")
	q.world.noteLooker(q)
	for _, h := range hs {
		c := q.named("Changed", h)
		c.changesAsked = true
		q.changed = append(q.changed, c.id)
	}
	q.loop = unprepared
	return q
}

// takeLook makes this the last look and returns when the one before was.
func (q *Query) takeLook() uint64 {
	since := q.since
	if len(q.changed) > 0 {
		q.since = q.world.lookVersion()
	}
	return since
}

// fresh reports whether the change filter lets a chunk pass, or a part of one.
func (k *cursor) fresh(c *Chunk) bool {
	switch {
	case len(k.query.changed) == 0 || !k.look:
		return true
	case k.strategy == wholeChunks || k.strategy == wholePages:
		return k.query.changedIn(c, k.since)
	}
	return k.freshPart(c)
}

// freshPart is fresh for a part of a chunk. What the loop has written into an earlier part has
// stamped this one, too: of each chunk and each page counts what it was when the loop came to it.
func (k *cursor) freshPart(c *Chunk) (fresh bool) {
	for _, id := range k.query.changed {
		if c.column(id) == nil {
			continue
		}
		at := metColumn{c.dated(id), id}
		was, known := k.met[at]
		if !known {
			if was = c.Version(id) > k.since; k.met == nil {
				k.met = map[metColumn]bool{}
			}
			k.met[at] = was
		}
		fresh = fresh || was
	}
	return fresh
}

// metColumn is a column of a chunk, or of a page of a pool, known by where its version is.
type metColumn struct {
	version *uint64
	id      ComponentID
}

// unchanged reports whether a loop would find nothing, since nothing was written that the
// query asks for with Changed. Other conditions are not looked at: false may mean that a
// loop finds nothing, either. O(chunks), or up to the first that has changed; of many archetypes less, where
// the lull knows which were written last.
func (q *Query) unchanged(l *lull) bool {
	if len(q.changed) == 0 || q.added != nil {
		return false
	}
	for _, id := range q.changed {
		if q.pageChanged(id) {
			return false
		}
	}
	q.refresh()
	if changed, sure := l.changed(q); sure {
		return !changed
	}
	for _, a := range q.matched {
		for _, c := range a.chunks {
			if c.n > 0 && q.changedIn(c, q.since) {
				return false
			}
		}
	}
	return true
}

// A lull is a time in which the schedule skips one system after the other and nothing is written: systems in
// it share what is known of the archetypes, of which each would look at thousands otherwise.
//
// Invariant: what is in columns holds for the version of the world.
type lull struct {
	version uint64
	columns []lullColumn
}

// lullColumn is what is known of the columns of one component.
type lullColumn struct {
	id     ComponentID
	passed int            // archetypes that queries have looked at before it was known
	known  bool           // the others are right
	last   [16]writtenSet // those that were written last, the latest first
	older  uint64         // no other archetype was written after this version
}

// writtenSet is an archetype and the version that has written it last; nil for none.
type writtenSet struct {
	arch    *archetype
	version uint64
}

// end forgets all: something may be written now.
func (l *lull) end() { l.columns = l.columns[:0] }

// changed reports whether one of the components that a query asks for was written in the archetypes that it
// matches. Where that is not sure, the query has to look for itself. O(components), and once for each O(archetypes).
func (l *lull) changed(q *Query) (changed, sure bool) {
	if l.version != q.world.version {
		l.version = q.world.version
		l.end()
	}
	sure = true
	for _, id := range q.changed {
		col := l.column(id)
		if !col.known {
			if col.passed += len(q.matched); col.passed <= 2*len(q.world.archetypes) {
				return false, false
			}
			col.learn(q.world)
		}
		for _, s := range col.last {
			if s.version > q.since && q.fits(s.arch) {
				return true, true
			}
		}
		sure = sure && col.older <= q.since
	}
	return false, sure
}

// column returns what is known of a component.
func (l *lull) column(id ComponentID) *lullColumn {
	for i := range l.columns {
		if l.columns[i].id == id {
			return &l.columns[i]
		}
	}
	l.columns = append(l.columns, lullColumn{id: id})
	return &l.columns[len(l.columns)-1]
}

// learn finds the archetypes that were written last.
func (col *lullColumn) learn(w *World) {
	col.known = true
	for _, a := range w.archetypes[limbo+1:] {
		if !a.mask.Has(uint32(col.id)) {
			continue
		}
		s := writtenSet{arch: a}
		for _, c := range a.chunks {
			if c.n > 0 && c.column(col.id) != nil {
				s.version = max(s.version, c.Version(col.id))
			}
		}
		for i := range col.last {
			if s.version > col.last[i].version {
				s, col.last[i] = col.last[i], s
			}
		}
		col.older = max(col.older, s.version)
	}
}

// pageChanged reports whether the pool of a component has a page that has changed. A pool
// that is not in the arena has one version for all of its values.
func (q *Query) pageChanged(id ComponentID) bool {
	switch p := q.world.components[id].pool.(type) {
	case nil:
		return false
	case *arenaPool:
		return slices.ContainsFunc(p.rows.chunks, func(c *Chunk) bool { return c.Version(id) > q.since })
	default:
		return p.len() > 0 && p.version(0) > q.since
	}
}

// changedIn reports whether one of the components of Changed was written in a chunk after
// a version.
func (q *Query) changedIn(c *Chunk, since uint64) bool {
	for _, id := range q.changed {
		if c.Version(id) > since && c.column(id) != nil {
			return true
		}
	}
	return false
}

// lookImage is what a query with Changed or Added has seen.
type lookImage struct {
	query   weak.Pointer[Query]
	number  uint64
	changed []ComponentID // what it asks for: in another world, a query of the same number must, too
	since   uint64
	added   []ComponentID
	entries []addition
}

// captureLooks copies what queries have seen and what waits for them.
func (im *image) captureLooks(w *World) {
	gone := false
	for _, p := range w.lookers {
		q := p.Value()
		if q == nil {
			gone = true
			continue
		}
		k := next(&im.looks)
		k.query, k.number, k.since = p, q.number, q.since
		k.changed = append(k.changed[:0], q.changed...)
		k.added, k.entries = k.added[:0], k.entries[:0]
		if q.added != nil {
			k.added, k.entries = append(k.added, q.added.ids...), append(k.entries, q.added.entries...)
		}
	}
	if gone {
		w.lookers = slices.DeleteFunc(w.lookers, func(p weak.Pointer[Query]) bool { return p.Value() == nil })
	}
}

// lookOf returns what the image says of a query: of the same one or, in another world, of the one that
// was made as early and asks for the same.
func (im *image) lookOf(q *Query, home bool) *lookImage {
	i, ok := slices.BinarySearchFunc(im.looks, q.number, func(k lookImage, n uint64) int { return cmp.Compare(k.number, n) })
	if !ok || home && im.looks[i].query.Value() != q || !slices.Equal(im.looks[i].changed, q.changed) {
		return nil
	}
	return &im.looks[i]
}

// redating gives versions of an image new numbers, above all that the world has given.
//
// Why not one new version for all columns? A query with Changed that had seen a column when the
// image was made has seen it after the restore too, or the world would go on otherwise than one that
// never stopped. So what was written before a look gets a lower number than the look, and what was
// written after it a higher one. Whoever is not in the image, such as an index, finds all columns
// changed.
//
// Why not the old numbers plus one offset? A world that goes back in each tick would double its
// numbers each time.
type redating struct {
	base  uint64
	looks []uint64 // rising, each once: the versions at which queries had looked
}

// renumber makes the numbers for a world.
func (im *image) renumber(w *World) redating {
	d := redating{base: w.version + 1}
	for i := range im.looks {
		d.looks = append(d.looks, im.looks[i].since)
	}
	slices.Sort(d.looks)
	d.looks = slices.Compact(d.looks)
	return d
}

// of returns the number of a version of a column: above those of the looks that were before it.
func (d *redating) of(version uint64) uint64 {
	earlier, _ := slices.BinarySearch(d.looks, version)
	return d.base + uint64(earlier)
}

// look returns the number of the version at which a query had looked: that of the columns which it
// had seen.
func (d *redating) look(since uint64) uint64 { return d.of(since) }

// last is the highest number.
func (d *redating) last() uint64 { return d.base + uint64(len(d.looks)) }

// restoreLooks gives queries back what they had seen, and what waits for them. Those that were made
// since have seen nothing of what is there now.
func (im *image) restoreLooks(w *World, dates *redating) {
	home := im.home.Value() == w
	for _, p := range w.lookers {
		q := p.Value()
		if q == nil {
			continue
		}
		k := im.lookOf(q, home)
		q.since = 0
		if k != nil {
			q.since = dates.look(k.since)
		}
		if q.added != nil {
			q.added.restore(k)
		}
	}
	for i := range im.looks {
		if home {
			im.looks[i].since = dates.look(im.looks[i].since)
		}
	}
}

// restore makes the entries those of an image, none if it has none of these components.
func (a *additions) restore(k *lookImage) {
	for _, n := range a.entries {
		a.places[n.which][n.entity.Index()] = 0
	}
	a.entries = a.entries[:0]
	if k == nil || !slices.Equal(k.added, a.ids) {
		return
	}
	for _, n := range k.entries {
		a.entries = append(a.entries, n)
		*a.place(n) = uint32(len(a.entries))
	}
}

// place returns where the place of an entry is noted.
func (a *additions) place(n addition) *uint32 {
	for int(n.entity.Index()) >= len(a.places[n.which]) {
		a.places[n.which] = append(a.places[n.which], make([]uint32, max(64, len(a.places[n.which])))...)
	}
	return &a.places[n.which][n.entity.Index()]
}

// Index finds entities by a key of one of their components: those with less than 50 health, those
// in a range of cells. What it yields is always what is there now: before it is used it
// looks which chunks were written, or had rows come or go. It scans these, and sorts the keys of a
// chunk once it meets it unchanged. So nothing is paid for it when values are written, and what is
// written all the time is never sorted.
//
// To use it costs O(chunks with the component); of each chunk, or page of a pool, of n rows O(n) if
// it has changed, O(n log n) once after that, and O(log n) from then on; and what is found, for which
// it pays O(1) each, or a sort of those that a scan found. A component with Go pointers is one
// page. It takes 16 bytes for each row, or more for longer keys.
//
// Why not one tree for the world, kept up by each write? Go, scripts and kernels write columns as plain
// memory, and no write may cost more for an index that others have made. What all of them
// do is to stamp the chunk.
//
// An Index belongs to the goroutine of its world; in a parallel system its loops panic. What is
// written into a value that was borrowed before the Index was used (Component.Edit) is found
// once the component of that entity is stamped again. One that NewIndex or Raw.Index has not made
// finds nothing.
type Index[K cmp.Ordered] struct {
	query *Query
	info  *component
	key   func(unsafe.Pointer) K
	bind  func() (func(unsafe.Pointer) K, error) // finds the key after a migration
	era   uint32
	err   error

	runs    map[uintptr]*indexRun[K] // by where the chunk begins
	order   []*indexRun[K]           // in the order of the query
	looks   uint64
	running int // loops that read the runs
}

// indexRun are the keys of a chunk.
//
// Invariant: if version is not 0, keys is what the chunk holds as long as the rest says
// the same of it. Rows that come to a chunk or go stamp it, and chunks are poured into others of the same
// archetype only: a place alone could be that of another chunk with the same version.
type indexRun[K cmp.Ordered] struct {
	arch    *archetype
	version uint64
	look    uint64 // in which it was met last
	keys    keys.List[K]
	rows    []Entity // borrowed
}

// NewIndex makes an index of the entities with a component, by a key of its value. The key must
// follow from the value alone, and key must change nothing. The error wraps ErrConflict for a
// component of no world, for one in a [Storage] and for a nil key, or ErrClosed.
func NewIndex[T any, K cmp.Ordered](c Component[T], key func(*T) K) (*Index[K], error) {
	if c.info == nil || key == nil {
		return nil, fmt.Errorf("%w: an index needs a component and a key", ErrConflict)
	}
	at := func(p unsafe.Pointer) K { return key((*T)(p)) }
	return newIndex(c.info, func() (func(unsafe.Pointer) K, error) { return at, nil })
}

// Index makes an index of the entities with a component, by a field of its schema: a number,
// which is compared as a float64, as scripts do, or a truth, 0 or 1. See [NewIndex]. After a
// migration it goes on with the field of that name. The error wraps ErrUnknown when there is no
// such component or field, ErrConflict when the field is no number, or ErrClosed.
func (r Raw) Index(id ComponentID, field string) (*Index[float64], error) {
	c, err := r.world.resolve(id)
	if err != nil {
		return nil, err
	}
	return newIndex(c, func() (func(unsafe.Pointer) float64, error) {
		f := c.schema.Field(field)
		switch {
		case f == nil:
			return nil, fmt.Errorf("%w: component %q has no field %q", ErrUnknown, c.schema.Name, field)
		case f.Len != 0 || f.Kind < Bool || f.Kind > F64:
			return nil, fmt.Errorf("%w: field %q of component %q is no number", ErrConflict, field, c.schema.Name)
		}
		kind, offset := f.Kind, f.Offset
		return func(p unsafe.Pointer) float64 { return kind.Load(unsafe.Add(p, offset)) }, nil
	})
}

// newIndex makes an index with what finds its key.
func newIndex[K cmp.Ordered](c *component, bind func() (func(unsafe.Pointer) K, error)) (*Index[K], error) {
	w := c.world
	if err := w.refuseDeclaring(fmt.Sprintf("an index of component %q", c.schema.Name)); err != nil {
		return nil, err
	}
	if _, own := c.pool.(ranked); c.pool != nil && !own {
		return nil, fmt.Errorf("%w: component %q lies in a Storage, which does not say what was written", ErrConflict, c.schema.Name)
	}
	key, err := bind()
	if err != nil {
		return nil, err
	}
	return &Index[K]{query: w.Query(Read(c.id)), info: c, key: key, bind: bind, era: c.era, runs: map[uintptr]*indexRun[K]{}}, nil
}

// Err says why the index finds nothing any more: its field went with a migration. The error
// wraps ErrUnknown, or ErrConflict, as for an index that nothing has made.
func (x *Index[K]) Err() error {
	if !x.made() {
		return fmt.Errorf("%w: this Index is of no world", ErrConflict)
	}
	x.migrated()
	return x.err
}

// made reports whether the index is of a world.
func (x *Index[K]) made() bool { return x != nil && x.info != nil }

// migrated finds the key anew when the component has had other fields since.
func (x *Index[K]) migrated() {
	if x.era != x.info.era {
		x.era = x.info.era
		x.key, x.err = x.bind()
		clear(x.runs)
	}
}

// look brings the runs up to date.
//
// Why are those that were read within a loop read again at the next look? The loop may go
// on to write a column that it has borrowed before, and no stamp would say so.
func (x *Index[K]) look() []*indexRun[K] {
	if !x.made() {
		return nil
	}
	x.migrated()
	x.looks++
	order := x.order[:0]
	if x.running > 0 {
		order = nil // a loop goes through the others
	}
	inLoop := x.info.world.locks > 0
	if x.err == nil {
		for c := range x.query.Chunks() {
			order = append(order, x.lookAt(c, inLoop))
		}
	}
	x.info.world.lookVersion()
	for at, r := range x.runs {
		if r.look != x.looks {
			delete(x.runs, at)
		}
	}
	x.order = order
	return order
}

// lookAt returns the run of a chunk: read anew if the chunk has changed, and sorted if it has
// not.
func (x *Index[K]) lookAt(c *Chunk, inLoop bool) *indexRun[K] {
	at := uintptr(c.base) + uintptr(c.first)
	r, version := x.runs[at], c.Version(x.info.id)
	if r != nil && r.arch == c.layout.arch && r.version == version && r.keys.Len() == c.n {
		r.look, r.rows = x.looks, c.Entities()
		if x.running == 0 {
			r.keys.Sort()
		}
		return r
	}
	if r == nil || x.running > 0 {
		r = &indexRun[K]{}
		x.runs[at] = r
	}
	r.arch, r.version, r.look, r.rows = c.layout.arch, version, x.looks, c.Entities()
	if inLoop {
		r.version = 0
	}
	p, rows := c.Column(x.info.id, false), r.keys.Empty(c.n)
	for i := range rows {
		rows[i] = keys.Row[K]{Key: x.key(unsafe.Add(p, uintptr(i)*x.info.size)), Row: int32(i)}
	}
	r.keys.Fill(rows)
	return r
}

// Range yields the entities whose key is lo at least and hi at most, with their keys: chunk by
// chunk in the order of a query, and within each by key. Keys that are no numbers (NaN) are less
// than all that are; Below and Above find none of them, and nothing where the bound is one. While the loop runs, structural
// changes are refused. What the body writes does not change what the loop yields.
func (x *Index[K]) Range(lo, hi K) iter.Seq2[Entity, K] { return x.each(keys.Between(lo, hi)) }

// Below is Range for keys less than hi.
func (x *Index[K]) Below(hi K) iter.Seq2[Entity, K] { return x.each(keys.Below(hi)) }

// Above is Range for keys greater than lo.
func (x *Index[K]) Above(lo K) iter.Seq2[Entity, K] { return x.each(keys.Above(lo)) }

// Count returns how many entities have a key from lo to hi.
func (x *Index[K]) Count(lo, hi K) (n int) {
	part := keys.Between(lo, hi)
	for _, r := range x.look() {
		n += r.keys.Count(&part)
	}
	return n
}

// each yields some entities of each run.
func (x *Index[K]) each(part keys.Interval[K]) iter.Seq2[Entity, K] {
	return func(yield func(Entity, K) bool) {
		runs := x.look()
		if len(runs) == 0 {
			return
		}
		w := x.info.world
		locks := w.locks
		w.locks++
		x.running++
		defer func() { w.locks, x.running = locks, x.running-1 }()
		for _, r := range runs {
			rows := r.rows // a look within the loop may change r
			for _, found := range r.keys.Find(&part) {
				if !yield(rows[found.Row], found.Key) {
					return
				}
			}
		}
	}
}

// Delta says what has become of a tracked component since a version: see [Component.Since].
type Delta[T any] struct{ RawDelta }

// Changed iterates the rows that have come or changed, in order of their slots: the entity, and
// the value as it was at the comparison, for reading, and good until the next one. It allocates nothing. O(rows of the pages of
// 1,024 slots in which some have).
func (d Delta[T]) Changed() iter.Seq2[Entity, *T] {
	return func(yield func(Entity, *T) bool) {
		d.each(func(h uint64, p unsafe.Pointer) bool { return yield(Entity(h), (*T)(p)) })
	}
}

// RawDelta is a [Delta] without Go's type: values are bytes, as the component's schema says.
type RawDelta struct {
	// Version is what Since takes the next time. All tracked components are compared
	// together: the versions that Since returns for several of them without a change in
	// between mean the same.
	Version uint64
	// Whole says that the world does not know any more what has become of the component since
	// the version: it is zero, older than the removals that the world remembers (as many as
	// there are rows, and at least 1,024), older than a migration of the component or than a
	// restore of the world, or of no comparison of this world. Then the changed rows are all rows, nothing is removed, and who
	// keeps a copy drops what is not among them.
	Whole bool

	tracker *tracker
	since   uint64
}

// Bytes is [Delta.Changed] with the bytes of each value, which must not be written. They are
// good until the next comparison.
func (d RawDelta) Bytes() iter.Seq2[Entity, []byte] {
	return func(yield func(Entity, []byte) bool) {
		d.each(func(h uint64, p unsafe.Pointer) bool {
			return yield(Entity(h), unsafe.Slice((*byte)(p), d.tracker.shadow.Size()))
		})
	}
}

// each calls yield for the rows that have changed.
func (d RawDelta) each(yield func(uint64, unsafe.Pointer) bool) {
	if d.tracker != nil {
		d.tracker.shadow.Changed(d.since, yield)
	}
}

// Removed returns the entities that have lost the component since, or have died, in order of
// their slots. One that got it and lost it since is among them. It allocates. O(removals since).
func (d RawDelta) Removed() []Entity {
	if d.tracker == nil || d.Whole {
		return nil
	}
	gone := d.tracker.shadow.Removed(d.since)
	return unsafe.Slice((*Entity)(unsafe.SliceData(gone)), len(gone))
}

// Since returns what has become of the component since a version: which rows have come,
// changed or gone. The version is that of an earlier Delta; with 0, all rows have come. The
// world compares first, so that the answer is exact: see [Tracked], an option that the component
// must have.
//
//	delta, err := position.Since(client.version)
//	for e, p := range delta.Changed() { … } // what the client must set
//	for _, e := range delta.Removed() { … } // what it must drop; if delta.Whole, all else
//	client.version = delta.Version
//
// Prefab entities have no part in it. The error wraps ErrConflict for a component without the
// option, ErrClosed, or ErrIterating while a query is iterated, a script runs or systems run
// at the same time. In a function of [Schedule.OnTick] it is possible. O(rows of the chunks that
// were written since the last comparison).
func (c Component[T]) Since(version uint64) (Delta[T], error) {
	if c.info == nil {
		return Delta[T]{}, c.zeroError()
	}
	d, err := c.info.world.since(c.info.id, version)
	return Delta[T]{d}, err
}

// since is Raw.Since.
func (w *World) since(id ComponentID, version uint64) (RawDelta, error) {
	if err := w.refuseChange(); err != nil && !w.schedule.telling(err) {
		return RawDelta{}, err
	}
	c, err := w.componentByID(id)
	if err != nil {
		return RawDelta{}, err
	}
	t := c.tracker
	if t == nil {
		return RawDelta{}, fmt.Errorf("%w: component %q is not tracked: register it with ecs.Tracked", ErrConflict, c.schema.Name)
	}
	d := RawDelta{Version: w.compareTracked(), tracker: t, since: version}
	if version == 0 || version > d.Version || !t.shadow.Reaches(version) {
		d.Whole, d.since = true, 0
	}
	return d, nil
}
