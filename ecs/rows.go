package ecs

import (
	"fmt"
	"iter"
	"unsafe"
)

// Row2 is one entity's values of two components, in place.
type Row2[A, B any] struct {
	A *A
	B *B
}

// Rows iterates the query's entities with one component, one by one. See Rows2, also for
// when it panics.
func Rows[A any](q *Query, a Component[A]) iter.Seq2[Entity, *A] {
	return func(yield func(Entity, *A) bool) {
		k := q.beginFor(a.owner(), a.owner())
		for c := k.next(); c != nil; c = k.next() {
			pa, da := rowsOf(q, c, a)
			es := c.Entities()
			for i := 0; ; {
				if !yield(es[i], (*A)(pa)) {
					k.end()
					return
				}
				if i++; i >= len(es) {
					break
				}
				pa = unsafe.Add(pa, da)
			}
		}
		k.end()
	}
}

// Rows2 iterates the query's entities with two components, one by one. A
// component that is optional and absent gives a nil pointer. Components that the
// query writes are stamped, chunk by chunk, as the loop comes to them.
//
// The compiler makes the loop's body part of the loop over the columns, so that
// it costs what a loop over plain slices does. For that, nothing in it can catch
// a panic: one that leaves the body ends the iteration lock only where a system,
// World.Run or a loop over Chunks around it does. Code outside of these that
// recovers and goes on with the world calls [Raw.Guard] first, or iterates
// Chunks.
//
// A component of another world than the query's is a mistake in the program, and
// the loop panics before it begins.
func Rows2[A, B any](q *Query, a Component[A], b Component[B]) iter.Seq2[Entity, Row2[A, B]] {
	return func(yield func(Entity, Row2[A, B]) bool) {
		k := q.beginFor(a.owner(), b.owner())
		for c := k.next(); c != nil; c = k.next() {
			pa, da := rowsOf(q, c, a)
			pb, db := rowsOf(q, c, b)
			es := c.Entities()
			for i := 0; ; {
				if !yield(es[i], Row2[A, B]{(*A)(pa), (*B)(pb)}) {
					k.end()
					return
				}
				if i++; i >= len(es) {
					break
				}
				pa, pb = unsafe.Add(pa, da), unsafe.Add(pb, db)
			}
		}
		k.end()
	}
}

// beginFor begins a loop that reads components of these worlds.
func (q *Query) beginFor(a, b *World) *cursor {
	if a != q.world || b != q.world {
		panic(fmt.Errorf("ecs: Rows or Sorted: %w: a component is of another world than the query", ErrConflict))
	}
	return q.begin()
}

// rowsOf returns the column, stamped if the query declared that it writes it,
// and the distance of its rows: none where there is no column.
func rowsOf[T any](q *Query, c *Chunk, t Component[T]) (unsafe.Pointer, uintptr) {
	_, written := q.term(t.info.id)
	p := c.Column(t.info.id, written)
	if p == nil {
		return nil, 0
	}
	return p, unsafe.Sizeof(*new(T))
}

// Sorted iterates a query in the order of a component's values: rising by
// compare, equal ones in the order that the query has without. The component
// must be one that the query names; entities that lack it, where it is optional,
// come last. It yields spans, most of one row, under the same lock as Chunks, and
// counts as a look. O(n log n), and it allocates nothing once warm. A pool that
// is iterated often in one order is better sorted itself: see Component.Sort. The
// loop panics when compare is nil or the component is of another world.
func Sorted[T any](q *Query, c Component[T], compare func(a, b *T) int) iter.Seq[*Chunk] {
	return func(yield func(*Chunk) bool) {
		requireOrder(compare != nil)
		k := q.beginFor(c.owner(), c.owner())
		defer k.end()
		k.collect(c.info.id)
		sortKeys(k.keys, compare)
		k.followKeys()
		for c := k.next(); c != nil; c = k.next() {
			if !yield(c) {
				return
			}
		}
	}
}

// requireOrder panics for a loop without an order.
func requireOrder(given bool) {
	if !given {
		panic(fmt.Errorf("ecs: Sorted: %w: no order is given", ErrConflict))
	}
}

// collect makes a key for each row that the cursor yields.
func (k *cursor) collect(id ComponentID) {
	k.keys = k.keys[:0]
	for c := k.next(); c != nil; c = k.next() {
		p, size := c.column(id), c.store.components[id].size
		for i, e := range c.Entities() {
			key := sortKey{entity: e, row: len(k.keys)}
			if p != nil {
				key.value = unsafe.Add(p, uintptr(i)*size)
			}
			k.keys = append(k.keys, key)
		}
	}
}

// followKeys makes the cursor yield the collected rows in their order now.
func (k *cursor) followKeys() {
	list := k.list[:0]
	for i := range k.keys {
		list = append(list, k.keys[i].entity)
	}
	clear(k.keys) // values may lie on the heap
	k.driver, k.known, k.row, k.ahead = nil, -1, 0, false
	k.follow(list)
}
