package ecs

import (
	"slices"
	"unsafe"
)

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

func (k *cursor) choosePool() {
	q := k.query
	lead, rows := q.driver()
	pure := q.pure && (q.prefabs || !q.world.hasPrefabs())
	switch {
	case lead == nil || !pure && rows > k.rowsOf(q.matched):
		k.strategy = chunkRows
		return
	case pure && len(q.joins) == 1:
		k.strategy = wholePages
	case pure && q.grouped():
		k.strategy = groupRows
	default:
		k.strategy, k.alike = entityRows, pure
		k.known = slices.IndexFunc(q.joins, func(r join) bool { return r.pool == lead })
	}
	k.driver, k.rows = lead, rows
}

// grouped reports whether the query's pools are just those of one group.
func (q *Query) grouped() bool {
	g := q.joins[0].pool.of().group
	return g != nil && len(g.pools) == len(q.joins) && q.asksFor(g)
}

// rowsOf counts the rows of archetypes, and that it has looked at these.
func (k *cursor) rowsOf(as []*archetype) int {
	k.passed += len(as)
	return countRows(as)
}

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
	if k.of != c { // rows of one chunk often come in many runs
		k.of, k.view = c, *c
		k.view.run = k.query
	}
	k.view.first, k.view.n = first, n
	return &k.view
}

// minLeap is how long a run is before the handles behind it are compared.
const minLeap = 8

// extendRun goes over at most n candidates that are side by side in the chunk,
// whose next handles are given, and in each of the pools, and returns how many.
//
// Why? Pools that were filled together have their rows in the same order, and
// comparing lists of handles costs a tenth of looking every handle up. No more
// than the run has already are compared at once, so that the comparisons are not
// more than the rows where one pool's order is another.
func (k *cursor) extendRun(next []Entity, n int) int {
	e := k.handles[k.row-1]
	n = same(k.handles[k.row:], next, n)
	for i := range k.query.joins {
		if i == k.known || n == 0 {
			continue
		}
		pool := k.query.joins[i].pool.from(e)
		if len(pool) == 0 {
			return 0
		}
		n = same(k.handles[k.row:], pool[1:], n)
	}
	for i, p := range k.last {
		k.last[i] = unsafe.Add(p, uintptr(n)*k.query.joins[i].comp.size)
	}
	k.row += n
	return n
}

// same returns how many of the first n handles of two lists are the same.
func same(a, b []Entity, n int) int {
	n = min(n, len(a), len(b))
	a, b = a[:n], b[:n]
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// continuesRun reports whether the values in the pools lie behind those before.
func (k *cursor) continuesRun() bool {
	for i, p := range k.found {
		last := k.last[i]
		if p == nil || last == nil {
			if p != last {
				return false
			}
			continue
		}
		// As numbers: behind the last value of a page there may be nothing to point at.
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

// nextPage takes up the candidates of the lead's next page.
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
	k.view.run = k.query
	return &k.view
}
