package ecs

import (
	"fmt"
	"iter"
	"slices"
	"unsafe"
)

// Chunks yields the matching entities chunk by chunk, in the order that Query
// defines. While the loop runs, structural changes are refused. It allocates
// nothing once warm; loops may nest, over one query too.
//
// Where rows of one chunk differ (because of pooled components, Where, Exact,
// ChildrenOf or Added) the loop gets spans: chunks of rows that match, follow each
// other in the chunk and, if they have pooled components, in the pools as well.
// A span and the row after it are tested before the loop body gets the span.
func (q *Query) Chunks() iter.Seq[*Chunk] {
	return func(yield func(*Chunk) bool) { q.each(yield) }
}

// each is the loop of Chunks. Where archetypes alone decide, and nobody counts the rows, it
// does without a cursor.
//
// Why? The many small queries of a game pay for what a loop costs before its
// first row, and here every instruction of that counts.
func (q *Query) each(yield func(*Chunk) bool) {
	if debugging || q.loop != wholeArchetypes || q.world.countsRows {
		q.eachPart(yield)
		return
	}
	locks, passed := q.lock(), 0
	defer q.unlockPassed(locks, &passed)
	for _, a := range q.archetypes() {
		passed += 1 + len(a.chunks)
		for _, c := range a.chunks {
			if c.n == 0 {
				continue
			}
			if !yield(c) {
				return
			}
		}
	}
}

// unlockPassed ends a loop without a cursor, which counts as one with a cursor does: see Tested.
// Systems that run beside each other may share a query, and nobody asks what theirs have tested.
func (q *Query) unlockPassed(locks int, passed *int) {
	q.unlock(locks)
	if !q.world.frozen.on {
		q.tested += uint64(*passed) / passedPerRow
	}
}

// eachPart is the loop over what a cursor finds.
func (q *Query) eachPart(yield func(*Chunk) bool) {
	if debugging {
		q.eachWatched(yield)
		return
	}
	k := q.begin()
	defer k.end()
	for c := k.next(); c != nil; c = k.next() {
		if !yield(c) {
			return
		}
	}
}

// eachWatched is eachPart in a debugging build: the body gets chunks of its own, which
// are over when it ends.
func (q *Query) eachWatched(yield func(*Chunk) bool) {
	q.world.checkFreed()
	k := q.begin()
	defer k.end()
	for c := k.next(); c != nil; c = k.next() {
		over, lent := false, *c
		lent.lend(&over)
		more := yield(&lent)
		over = true
		if !more {
			return
		}
	}
}

// strategy is how a cursor finds what it yields.
type strategy uint8

const (
	wholeChunks strategy = iota // of the archetypes that match
	wholePages                  // of the only pool that is asked for
	groupRows                   // the first rows of a group's pools
	chunkRows                   // rows of the archetypes, each tested
	entityRows                  // entities from elsewhere, each tested
)

// cursor is one running loop over a query. It is the iteration lock: begin takes
// it and end sets it to what it was before. So the end of an outer loop also ends the
// inner loops that a panic has left.
//
// Why a cursor and not a function that calls the loop's body? Rows inlines the
// body into its own loop, which Go's compiler does only where no function that
// it cannot inline lies in between.
type cursor struct {
	query        *Query
	look         bool // a loop; false while one counts or finds
	since        uint64
	locks, depth int // of the world and the query, before
	strategy     strategy

	archetypes []*archetype // still to come
	chunks     []*Chunk     // of the archetype at hand, still to come
	driver     pool         // whose pages have the entities
	known      int          // which of the query's pools that is, or -1
	alike      bool         // every entity that is in all of the query's pools matches
	rows       int          // of the driver, those still to come
	page       int          // the next one; in groupRows, the next row
	chunk      *Chunk       // in chunkRows, of the handles
	handles    []Entity     // candidates at hand
	row        int          // of them, the next
	tested     int          // candidates so far, those at hand included
	yielded    int          // rows so far
	passed     int          // archetypes and chunks that chunks came from so far
	list       []Entity     // candidates that were gathered; kept for the next time
	keys       []sortKey    // likewise
	keyed      *keyedRuns   // of SortedBy, likewise; nil before the first

	met map[metColumn]bool // of Changed: whether what parts were met of was changed

	// The candidate that passed and was not yielded yet, if ahead; and what of
	// it and of the one before is in the query's pools.
	ahead bool
	here  *Chunk
	at    int
	at0   unsafe.Pointer // in the driver: of the first of the handles
	found []unsafe.Pointer
	last  []unsafe.Pointer
	view  Chunk
	of    *Chunk // whose rows the view shows
}

// begin starts a loop, which counts as a look for Changed and Added.
func (q *Query) begin() *cursor {
	k := q.start()
	k.look = true
	if q.byRow {
		k.choose()
	}
	k.since = q.takeLook()
	return k
}

// beginUncounted starts a loop that is no look.
func (q *Query) beginUncounted() *cursor {
	k := q.start()
	if k.look = false; q.byRow {
		k.choose()
	}
	return k
}

// start takes the lock and sets out to walk whole chunks.
func (q *Query) start() *cursor {
	locks := q.lock()
	if q.loop == unprepared || q.exact {
		q.refresh()
	}
	for !q.world.frozen.on && q.running > 0 && q.cursors[q.running-1].locks >= locks {
		q.running-- // a loop that a panic has ended: its lock is gone
	}
	if q.running == len(q.cursors) {
		q.cursors = append(q.cursors, &cursor{query: q})
	}
	k := q.cursors[q.running]
	k.locks, k.depth = locks, q.running
	q.running++
	k.archetypes, k.chunks, k.strategy, k.ahead, k.of = q.archetypes(), nil, wholeChunks, false, nil
	k.passed, k.yielded = 0, 0
	return k
}

// passedPerRow is how many archetypes and chunks are passed in the time in which one row
// is tested.
const passedPerRow = 4

// end gives the lock back and counts the rows that the loop has tested.
func (k *cursor) end() {
	k.query.unlock(k.locks)
	k.query.running = k.depth
	k.query.tested += uint64(k.passed) / passedPerRow
	if k.strategy >= chunkRows {
		k.query.tested += uint64(k.tested - len(k.handles) + k.row)
	}
	if k.look {
		k.query.yielded += uint64(k.yielded)
	}
	clear(k.found)
	clear(k.last)
	clear(k.met)
}

// next returns the next chunk, page or span, or nil at the end.
func (k *cursor) next() *Chunk {
	if k.strategy == wholeChunks {
		return k.nextChunk()
	}
	for {
		c := k.nextPart()
		if c == nil {
			return nil
		}
		if k.fresh(c) {
			k.yielded += c.n
			return c
		}
	}
}

// nextPart returns the next page or span, whether it has changed or not.
func (k *cursor) nextPart() *Chunk {
	switch k.strategy {
	case wholePages:
		k.page++
		return k.driver.page(k.page - 1)
	case groupRows:
		return k.nextOfGroup()
	default:
		return k.nextRun()
	}
}

// nextChunk returns the next chunk with rows that has changed, if the query asks for that.
func (k *cursor) nextChunk() *Chunk {
	for {
		for len(k.chunks) > 0 {
			c := k.chunks[0]
			k.chunks = k.chunks[1:]
			if c.n > 0 && k.fresh(c) {
				k.yielded += c.n
				return c
			}
		}
		if len(k.archetypes) == 0 {
			return nil
		}
		k.chunks, k.archetypes = k.archetypes[0].chunks, k.archetypes[1:]
		k.passed += 1 + len(k.chunks)
	}
}

// choose decides how to walk when rows of one chunk differ: the smallest set of
// candidates leads.
func (k *cursor) choose() {
	q := k.query
	k.driver, k.known, k.alike, k.handles, k.row, k.page, k.rows = nil, -1, false, nil, 0, 0, 0
	k.tested = 0
	k.found = slices.Grow(k.found[:0], len(q.joins))[:len(q.joins)]
	k.last = slices.Grow(k.last[:0], len(q.joins))[:len(q.joins)]
	switch {
	case q.added != nil && k.look:
		k.follow(q.added.take(q.world, k.list[:0]))
	case q.target != nil:
		k.follow(q.target.gather(k.list[:0]))
	default:
		k.choosePool()
	}
}

// follow walks a list of candidates, which it keeps.
func (k *cursor) follow(list []Entity) {
	k.strategy, k.list, k.handles, k.tested = entityRows, list, list, len(list)
}

// choosePool lets the smallest pool drive the loop, or the archetypes if these have fewer
// rows.
func (k *cursor) choosePool() {
	q := k.query
	lead, rows := q.driver()
	pure := q.pure && (q.prefabs || !q.world.hasPrefabs())
	switch {
	case lead == nil || !pure && rows > k.countRows(q.matched):
		k.strategy = chunkRows
		return
	case pure && len(q.joins) == 1:
		k.strategy = wholePages
	case pure && q.grouped():
		k.strategy = groupRows
	default:
		k.strategy, k.alike = entityRows, pure
		k.known = slices.IndexFunc(q.joins, func(r poolJoin) bool { return r.pool == lead })
	}
	k.driver, k.rows = lead, rows
}

// grouped reports whether the query's pools are just those of one group.
func (q *Query) grouped() bool {
	g := q.joins[0].pool.of().group
	return g != nil && len(g.pools) == len(q.joins) && q.asksFor(g)
}

// countRows counts the rows of archetypes, and that it has looked at these.
func (k *cursor) countRows(as []*archetype) int {
	k.passed += len(as)
	return countRows(as)
}

// countRows adds up the rows of archetypes.
func countRows(as []*archetype) int {
	n := 0
	for _, a := range as {
		n += a.count
	}
	return n
}

// nextRun yields the candidate that is ahead and those that follow it, in its
// chunk and in the pools.
func (k *cursor) nextRun() *Chunk {
	if !k.ahead && !k.step() {
		return nil
	}
	c, first, n := k.here, k.at, 1
	k.found, k.last = k.last, k.found
	for leap := minLeap; ; n++ {
		if k.alike && n == leap {
			most := n
			if n += k.extendRun(c.Entities()[first+n:], most); n == 2*most {
				leap = n + 1 // all of them: on with it
			} else {
				leap = 2 * n
			}
		}
		k.ahead = k.step()
		if !k.ahead || k.here != c || k.at != first+n || !k.continuesRun() {
			break
		}
		k.found, k.last = k.last, k.found
	}
	if k.of != c { // rows of one chunk often come in many spans
		k.of, k.view = c, *c
		k.view.span = &k.query.joins
	}
	k.view.first, k.view.n = first, n
	return &k.view
}

// minLeap is how long a span is before the handles after it are compared.
const minLeap = 8

// extendRun goes over at most n candidates that are side by side in the chunk,
// whose next handles are given, and in each of the pools, and returns how many.
//
// Why? Pools that were filled together have their rows in the same order, and
// comparing lists of handles costs a tenth of looking every handle up. No more
// than the span has already are compared at once, so that the comparisons are not
// more than the rows where one pool's order is another.
func (k *cursor) extendRun(next []Entity, n int) int {
	e := k.handles[k.row-1]
	n = commonLength(k.handles[k.row:], next, n)
	for i := range k.query.joins {
		if i == k.known || n == 0 {
			continue
		}
		pool := k.query.joins[i].pool.from(e)
		if len(pool) == 0 {
			return 0
		}
		n = commonLength(k.handles[k.row:], pool[1:], n)
	}
	for i, p := range k.last {
		k.last[i] = unsafe.Add(p, uintptr(n)*k.query.joins[i].comp.size)
	}
	k.row += n
	return n
}

// commonLength returns how many of the first n handles of two lists are the same.
func commonLength(a, b []Entity, n int) int {
	n = min(n, len(a), len(b))
	a, b = a[:n], b[:n]
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// continuesRun reports whether the values in the pools directly follow those before.
func (k *cursor) continuesRun() bool {
	for i, p := range k.found {
		last := k.last[i]
		if p == nil || last == nil {
			if p != last {
				return false
			}
			continue
		}
		// As numbers: after the last value of a page there may be nothing to point at.
		if r := &k.query.joins[i]; r.scattered || uintptr(p) != uintptr(last)+r.comp.size {
			return false
		}
	}
	return true
}

// step goes on to the next candidate that passes.
func (k *cursor) step() bool {
	if k.strategy == chunkRows {
		return k.stepRow()
	}
	return k.stepEntity()
}

// stepRow goes on to the next row of the archetypes that passes the tests.
func (k *cursor) stepRow() bool {
	for {
		for k.row < len(k.handles) {
			row := k.row
			k.row++
			if k.query.passes(k.handles[row], k.chunk, row, k.found, -1) {
				k.here, k.at = k.chunk, row
				return true
			}
		}
		if k.chunk = k.nextFull(); k.chunk == nil {
			return false
		}
		k.handles, k.row = k.chunk.Entities(), 0
		k.tested += len(k.handles)
	}
}

// nextFull returns the next chunk that has rows, whatever happened to it.
func (k *cursor) nextFull() *Chunk {
	for len(k.chunks) == 0 {
		if len(k.archetypes) == 0 {
			return nil
		}
		k.chunks, k.archetypes = k.archetypes[0].chunks, k.archetypes[1:]
		k.passed += 1 + len(k.chunks)
	}
	c := k.chunks[0]
	k.chunks = k.chunks[1:]
	return c
}

// stepEntity goes on to the next entity of the list, or of the driver's pages, that has a
// row in a matching archetype and passes the tests.
func (k *cursor) stepEntity() bool {
	q, w := k.query, k.query.world
	for {
		for k.row < len(k.handles) {
			e := k.handles[k.row]
			if k.row++; k.known >= 0 {
				k.found[k.known] = unsafe.Add(k.at0, uintptr(k.row-1)*q.joins[k.known].comp.size)
			}
			r := w.slots.Record(uint64(e))
			if r == nil || r.Table == limbo || !q.fit[w.tables[r.Table].arch.id] {
				continue
			}
			c, row := w.chunks[r.Chunk], int(r.Row)
			if q.passes(e, c, row, k.found, k.known) {
				k.here, k.at = c, row
				return true
			}
		}
		if !k.nextPage() {
			return false
		}
	}
}

// nextPage takes up the candidates of the driver's next page.
func (k *cursor) nextPage() bool {
	if k.driver == nil || k.rows == 0 {
		return false
	}
	c := k.driver.page(k.page)
	if c == nil {
		return false
	}
	k.page++
	k.handles, k.row = c.Entities(), 0
	k.at0 = c.column(k.query.joins[k.known].id)
	k.handles = k.handles[:min(len(k.handles), k.rows)] // of a group, no more than have it all
	k.rows -= len(k.handles)
	k.tested += len(k.handles)
	return true
}

// nextOfGroup returns the next rows that lie together in each of the group's
// pools.
func (k *cursor) nextOfGroup() *Chunk {
	n := k.rows - k.page
	if n <= 0 {
		return nil
	}
	var lead *Chunk
	first := 0
	for i := range k.query.joins {
		c, row := k.query.joins[i].pool.(ranked).locate(k.page)
		n = min(n, c.n-row)
		if i == 0 {
			lead, first = c, row
		}
	}
	k.page += n
	k.view = lead.rows(first, n)
	k.view.span = &k.query.joins
	return &k.view
}

// Find returns where the query shows an entity: a chunk and the row in it, as a
// loop would have it, or nil when the entity does not match. Changed and Added
// are aside. The chunk is borrowed until the next structural change or the next
// Find of this query. O(terms).
func (q *Query) Find(e Entity) (c *Chunk, row int) {
	c, row = q.locate(e)
	if row < 0 {
		return nil, 0
	}
	if len(q.joins) == 0 {
		return c, row
	}
	q.found = c.rows(row, 1)
	q.found.span = &q.joins
	return &q.found, 0
}

// Count returns the number of matching entities, Changed and Added aside.
// O(matching archetypes); O(candidates) where rows of one chunk differ.
func (q *Query) Count() int {
	k := q.beginUncounted()
	defer k.end()
	switch k.strategy {
	case wholeChunks:
		return k.countRows(k.archetypes)
	case wholePages, groupRows:
		return k.rows
	}
	n := 0
	for c := k.next(); c != nil; c = k.next() {
		n += c.n
	}
	return n
}

// Tested returns how many rows Count, First and loops that have ended had to test one
// by one so far, because rows of one chunk differ; four archetypes or chunks that they
// had to pass count as a row. Those who account for the time that others cause charge
// the difference.
func (q *Query) Tested() uint64 { return q.tested }

// First returns the first matching entity, or 0, Changed and Added aside.
func (q *Query) First() Entity {
	k := q.beginUncounted()
	defer k.end()
	if c := k.next(); c != nil {
		return c.entity()
	}
	return 0
}

// Empty reports whether no entity matches, Changed and Added aside.
func (q *Query) Empty() bool { return q.First() == 0 }

// Single returns the only entity that matches, Changed and Added aside. The
// error wraps ErrNotOne and says how many there are.
func (q *Query) Single() (Entity, error) {
	k := q.beginUncounted()
	defer k.end()
	c := k.next()
	switch {
	case c == nil && q.world.closed():
		return 0, fmt.Errorf("%w: there is none: %w", ErrNotOne, ErrClosed)
	case c == nil:
		return 0, fmt.Errorf("%w: there is none", ErrNotOne)
	}
	if e := c.entity(); c.n == 1 && k.next() == nil {
		return e, nil
	}
	return 0, fmt.Errorf("%w: there are %d", ErrNotOne, q.Count())
}
