package ecs

import (
	"fmt"
	"unsafe"
)

// condition is a test of one component's value.
type condition struct {
	id   ComponentID
	join int // which of the query's pools, or -1: a column of the chunk
	keep func(unsafe.Pointer) bool
}

// Where asks for entities whose value of the component passes a test, and so for
// the component. The test must not change anything; it is called once or twice
// for each candidate that meets the conditions before, and what it says counts
// for the whole run that the entity is part of. Several tests must all pass. A nil
// test is a mistake in the program, and Where panics.
func Where[T any](q *Query, c Component[T], keep func(*T) bool) *Query {
	if q.named("Where", c); keep == nil {
		panic(fmt.Errorf("ecs: Where: %w: no test is given", ErrConflict))
	}
	if named, _ := q.term(c.info.id); !named {
		q.terms = append(q.terms, Read(c))
	}
	q.where = append(q.where, condition{id: c.info.id, keep: func(p unsafe.Pointer) bool { return keep((*T)(p)) }})
	return q.With(c)
}

// keeps applies the tests to a row.
func (q *Query) keeps(e Entity, c *Chunk, row int) bool {
	for i := range q.where {
		t := &q.where[i]
		var p unsafe.Pointer
		if t.join >= 0 {
			p = q.joins[t.join].pool.find(e)
		} else {
			size := q.world.components[t.id].size
			p = unsafe.Add(c.base, uintptr(c.layout.offsets[t.id])+uintptr(row)*size)
		}
		if !t.keep(p) {
			return false
		}
	}
	return true
}
