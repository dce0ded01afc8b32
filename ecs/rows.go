package ecs

import "iter"

// Row2 is one entity's values of two components, in place.
type Row2[A, B any] struct {
	A *A
	B *B
}

// Rows iterates the query's entities with one component, for small work: a
// function call per entity. Loops that must be fast range over Chunks.
func Rows[A any](q *Query, a Component[A]) iter.Seq2[Entity, *A] {
	return func(yield func(Entity, *A) bool) {
		for c := range q.Chunks() {
			as := rowsOf(q, c, a)
			for i, e := range c.Entities() {
				if !yield(e, at(as, i)) {
					return
				}
			}
		}
	}
}

// Rows2 iterates the query's entities with two components. A component that is
// optional and absent gives a nil pointer.
func Rows2[A, B any](q *Query, a Component[A], b Component[B]) iter.Seq2[Entity, Row2[A, B]] {
	return func(yield func(Entity, Row2[A, B]) bool) {
		for c := range q.Chunks() {
			as, bs := rowsOf(q, c, a), rowsOf(q, c, b)
			for i, e := range c.Entities() {
				if !yield(e, Row2[A, B]{at(as, i), at(bs, i)}) {
					return
				}
			}
		}
	}
}

// rowsOf returns the column, stamped if the query declared that it writes it.
func rowsOf[T any](q *Query, c *Chunk, t Component[T]) []T {
	for _, term := range q.terms {
		if term.id == t.id && term.write {
			return t.Mut(c)
		}
	}
	return t.Of(c)
}

func at[T any](column []T, i int) *T {
	if column == nil {
		return nil
	}
	return &column[i]
}
