package ecs

import (
	"iter"
	"unsafe"
)

// Chunks yields the matching entities chunk by chunk, in the order that Query
// defines. While the loop runs, structural changes are refused. It allocates
// nothing once warm; loops may nest, over one query too.
//
// Where rows of one chunk differ (because of pooled components, Where, Exact,
// ChildrenOf or Added) the loop gets runs: views of rows that match, follow each
// other in the chunk and, if they have pooled components, in the pools as well.
// A run and the row behind it are tested before the loop body gets the run.
func (q *Query) Chunks() iter.Seq[*Chunk] {
	return func(yield func(*Chunk) bool) { q.each(yield) }
}

// each is the loop of Chunks. Where archetypes alone decide, it does without a
// cursor.
//
// Why? The many small queries of a game pay for what a loop costs before its
// first row, and here every instruction of that counts.
func (q *Query) each(yield func(*Chunk) bool) {
	if debugging || q.loop != wholeArchetypes {
		q.eachPart(yield)
		return
	}
	locks := q.lock()
	defer q.unlock(locks)
	for _, a := range q.archetypes() {
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

// takeLook makes this the last look and returns when the one before was.
func (q *Query) takeLook() uint64 {
	since := q.since
	if len(q.changed) > 0 {
		q.since = q.world.lookVersion()
	}
	return since
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
// it and end gives it back, to what it was before. So whoever ends an outer loop
// also ends the inner ones that a panic has left.
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
	alike      bool         // whoever is in all of the query's pools matches
	rows       int          // of the lead, those still to come
	page       int          // the next one; in groupRows, the next row
	chunk      *Chunk       // in chunkRows, of the handles
	handles    []Entity     // candidates at hand
	row        int          // of them, the next
	tested     int          // candidates so far, those at hand included
	passed     int          // archetypes and chunks that chunks came from so far
	list       []Entity     // candidates that were gathered; kept for the next time
	keys       []sortKey    // likewise

	// The candidate that passed and was not yielded yet, if ahead; and what of
	// it and of the one before is in the query's pools.
	ahead bool
	here  *Chunk
	at    int
	at0   unsafe.Pointer // in the lead: of the first of the handles
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
	k.passed = 0
	return k
}

// passedPerRow is how many archetypes and chunks are passed in the time in which one row
// is tested.
const passedPerRow = 4

func (k *cursor) end() {
	k.query.unlock(k.locks)
	k.query.running = k.depth
	k.query.tested += uint64(k.passed) / passedPerRow
	if k.strategy >= chunkRows {
		k.query.tested += uint64(k.tested - len(k.handles) + k.row)
	}
	clear(k.found)
	clear(k.last)
}

// next returns the next chunk, page or run, or nil at the end.
func (k *cursor) next() *Chunk {
	if k.strategy == wholeChunks {
		return k.nextChunk()
	}
	for {
		c := k.nextPart()
		if c == nil || k.fresh(c) {
			return c
		}
	}
}

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

func (k *cursor) nextChunk() *Chunk {
	for {
		for len(k.chunks) > 0 {
			c := k.chunks[0]
			k.chunks = k.chunks[1:]
			if c.n > 0 && k.fresh(c) {
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

// fresh reports whether the change filter lets a chunk pass.
func (k *cursor) fresh(c *Chunk) bool {
	return len(k.query.changed) == 0 || !k.look || k.query.changedIn(c, k.since)
}

func (q *Query) changedIn(c *Chunk, since uint64) bool {
	for _, id := range q.changed {
		if c.Version(id) > since && c.column(id) != nil {
			return true
		}
	}
	return false
}
