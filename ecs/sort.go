package ecs

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"unsafe"
)

// sortKey is a row that is being sorted.
type sortKey struct {
	value  unsafe.Pointer // of the component that decides; nil: comes last
	entity Entity
	row    int // before: equal values keep their order
}

// Sorted iterates a query in the order of a component's values: rising by
// compare, equal ones in the order that the query has without. The component
// must be one that the query names; entities that lack it, where it is optional,
// come last. It yields runs, most of one row, under the same lock as Chunks, and
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

// sortKeys sorts stably. Why not a stable algorithm? Rows in the key are cheaper
// than a merge in place.
func sortKeys[T any](keys []sortKey, compare func(a, b *T) int) {
	slices.SortFunc(keys, func(a, b sortKey) int {
		if a.value == nil || b.value == nil {
			return cmp.Or(cmp.Compare(lacking(a), lacking(b)), cmp.Compare(a.row, b.row))
		}
		return cmp.Or(compare((*T)(a.value), (*T)(b.value)), cmp.Compare(a.row, b.row))
	})
}

func lacking(k sortKey) int {
	if k.value == nil {
		return 1
	}
	return 0
}

// collect takes down all that the cursor would yield.
func (k *cursor) collect(id ComponentID) {
	k.keys = k.keys[:0]
	for c := k.next(); c != nil; c = k.next() {
		p, size := c.column(id), c.world.components[id].size
		for i, e := range c.Entities() {
			key := sortKey{entity: e, row: len(k.keys)}
			if p != nil {
				key.value = unsafe.Add(p, uintptr(i)*size)
			}
			k.keys = append(k.keys, key)
		}
	}
}

// followKeys walks what was collected, in the order in which it is now.
func (k *cursor) followKeys() {
	list := k.list[:0]
	for i := range k.keys {
		list = append(list, k.keys[i].entity)
	}
	clear(k.keys) // values may lie on the heap
	k.driver, k.known, k.row, k.ahead = nil, -1, 0, false
	k.follow(list)
}

// Sort puts the rows of a pooled component in the order of its values, rising by
// compare and stably. Loops that the pool leads follow it until rows come or go:
// a new one comes last, the last one takes the place of one that goes. Of a
// group, the rows that have it all are sorted together, in every pool, and then
// the rest of this pool. O(n log n), and it allocates nothing once warm.
//
// The error wraps ErrIterating, or ErrConflict for a nil compare and for a
// component whose values lie in chunks: there the archetype says where a row is.
func (c Component[T]) Sort(compare func(a, b *T) int) error {
	info := c.info
	w := info.world
	p, ok := info.pool.(ranked)
	switch {
	case compare == nil:
		return fmt.Errorf("%w: no order is given for component %q", ErrConflict, info.schema.Name)
	case !ok:
		return fmt.Errorf("%w: component %q has no order of its own: register it with ecs.Sparse", ErrConflict, info.schema.Name)
	case w.locks > 0:
		return ErrIterating
	}
	n := 0
	if info.group != nil {
		n = info.group.n
		w.rank(p, 0, n)
		sortKeys(w.ranks, compare)
		reorder(w.ranks, 0, info.group.swap)
	}
	w.rank(p, n, p.len())
	sortKeys(w.ranks, compare)
	reorder(w.ranks, n, p.swap)
	clear(w.ranks)
	w.committed("sorting a pool", 0)
	return nil
}

// rank takes down the rows from first to end of a pool.
func (w *World) rank(p ranked, first, end int) {
	w.ranks = w.ranks[:0]
	size := p.of().size
	for i := first; i < end; i++ {
		c, row := p.locate(i)
		w.ranks = append(w.ranks, sortKey{value: unsafe.Add(c.column(p.of().id), uintptr(row)*size), row: i - first})
	}
}

// reorder swaps rows until each is where its key is, one cycle after another.
func reorder(keys []sortKey, first int, swap func(i, j int)) {
	for i := range keys {
		at := i
		for keys[at].row != i {
			from := keys[at].row
			swap(first+at, first+from)
			keys[at].row, at = at, from
		}
		keys[at].row = at
	}
}
