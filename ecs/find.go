package ecs

import "fmt"

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
	q.found.run = q
	return &q.found, 0
}

// Count returns the number of matching entities, Changed and Added aside.
// O(matching archetypes); O(candidates) where rows of one chunk differ.
func (q *Query) Count() int {
	k := q.beginUncounted()
	defer k.end()
	switch k.strategy {
	case wholeChunks:
		return k.rowsOf(k.archetypes)
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
	if c == nil {
		return 0, fmt.Errorf("%w: there is none", ErrNotOne)
	}
	if e := c.entity(); c.n == 1 && k.next() == nil {
		return e, nil
	}
	return 0, fmt.Errorf("%w: there are %d", ErrNotOne, q.Count())
}
