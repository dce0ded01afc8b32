package ecs

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"
)

// Group keeps the pools of components in one order: the entities that have all of the
// components are the first rows of each pool. A query for exactly these components then
// iterates plain columns and looks nothing up. The price is one swap in each pool when an
// entity gets the last of the components or loses the first. A group lasts as long as its
// world. O(rows) to make.
//
// The error wraps ErrIterating, or ErrConflict for fewer than two components,
// for one that is not pooled or not by this package, and for one that is in
// another group or world; making the same group again is no error.
func (w *World) Group(hs ...ComponentRef) error {
	if err := w.refuseChange(); err != nil {
		return err
	}
	g := &group{}
	same := len(hs) > 0
	var first *component
	for i, h := range hs {
		c, err := w.resolve(h)
		if err != nil {
			return err
		}
		if i == 0 {
			first = c
		}
		p, ok := c.pool.(ranked)
		switch {
		case !ok:
			return fmt.Errorf("%w: component %q cannot be grouped: register it with ecs.Sparse", ErrConflict, c.schema.Name)
		case g.has(c):
			return fmt.Errorf("%w: component %q is named twice", ErrConflict, c.schema.Name)
		}
		same = same && c.group != nil && c.group == first.group && len(c.group.pools) == len(hs)
		if !same && (c.group != nil || i > 0 && first.group != nil) {
			return fmt.Errorf("%w: component %q, or one named before it, is in another group", ErrConflict, c.schema.Name)
		}
		g.pools = append(g.pools, p)
	}
	if len(hs) < 2 {
		return fmt.Errorf("%w: a group needs two components at least", ErrConflict)
	}
	if !same {
		g.found()
		w.committed("grouping pools", 0)
	}
	return nil
}

// sortKey is a row that is being sorted: of a pool, or of a loop (see Sorted).
type sortKey struct {
	value  unsafe.Pointer // of the component that decides; nil: comes last
	entity Entity
	row    int // before: equal values keep their order
}

// sortKeys sorts stably. Why not with a stable algorithm? To compare the rows in the keys
// is cheaper than a merge in place.
func sortKeys[T any](keys []sortKey, compare func(a, b *T) int) {
	slices.SortFunc(keys, func(a, b sortKey) int {
		if a.value == nil || b.value == nil {
			return cmp.Or(cmp.Compare(lacking(a), lacking(b)), cmp.Compare(a.row, b.row))
		}
		return cmp.Or(compare((*T)(a.value), (*T)(b.value)), cmp.Compare(a.row, b.row))
	})
}

// lacking is 1 for a row without a value: it comes after all others.
func lacking(k sortKey) int {
	if k.value == nil {
		return 1
	}
	return 0
}

// Sort puts the rows of a pooled component in the rising order of its values by compare.
// The sort is stable. Loops that the pool drives follow this order until rows come or go:
// a new row comes last, and the last row takes the place of a row that goes. If the pool
// is in a group, the rows of the group are sorted first, in all of its pools, and then
// the rest of this pool. O(n log n); it allocates nothing once warm.
//
// The error wraps ErrIterating, or ErrConflict for a nil compare and for a
// component whose values lie in chunks: there the archetype says where a row is.
func (c Component[T]) Sort(compare func(a, b *T) int) error {
	if c.info == nil {
		return c.zeroError()
	}
	if c.info.world.closed() {
		return fmt.Errorf("component %q: %w", c.info.schema.Name, ErrClosed)
	}
	if compare == nil {
		return fmt.Errorf("%w: no order is given for component %q", ErrConflict, c.info.schema.Name)
	}
	return c.info.sort(func(keys []sortKey) { sortKeys(keys, compare) })
}

// sort is Component.Sort, once for all types: inOrder puts the keys of rows in order.
func (c *component) sort(inOrder func(keys []sortKey)) error {
	w := c.world
	p, ok := c.pool.(ranked)
	switch {
	case !ok:
		return fmt.Errorf("%w: component %q has no order of its own: register it with ecs.Sparse", ErrConflict, c.schema.Name)
	case w.locks > 0:
		return ErrIterating
	}
	sort := func(first, end int, swap func(i, j int)) {
		w.rank(p, first, end)
		inOrder(w.ranks)
		reorder(w.ranks, first, swap)
		clear(w.ranks) // values may lie on the heap
	}
	n := 0
	if c.group != nil {
		n = c.group.n
		sort(0, n, c.group.swap)
	}
	sort(n, p.len(), p.swap)
	w.committed("sorting a pool", 0)
	return nil
}

// rank makes a key for each row of a pool from first up to, not including, end.
func (w *World) rank(p ranked, first, end int) {
	w.ranks = w.ranks[:0]
	size := p.of().size
	for i := first; i < end; i++ {
		c, row := p.locate(i)
		w.ranks = append(w.ranks, sortKey{value: unsafe.Add(c.column(p.of().id), uintptr(row)*size), row: i - first})
	}
}

// reorder swaps rows until each row is at the place of its key, one cycle of the
// permutation after another.
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
