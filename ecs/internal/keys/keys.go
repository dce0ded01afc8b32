// Package keys finds rows by the keys of their values: those from one key to another, below one,
// above one.
//
// There are two nouns. A [List] holds the keys of the rows of one chunk, in the order of the rows
// or, once it was sorted, in rising order. An [Interval] says which of them are asked for, from one
// key to another. The list does not know where values lie; its owner reads the keys, and knows when
// to read them again.
//
// Keys that are no numbers (NaN) come before all others, and only [Between] finds them: nothing is
// below or above what is no number.
package keys

import (
	"cmp"
	"slices"
)

// Row is the key of a row. Rows of equal keys are in the order of their numbers, so that what is
// found does not come in another order because somebody has sorted before.
type Row[K cmp.Ordered] struct {
	Key K
	Row int32
}

// compare orders rows by their keys.
func compare[K cmp.Ordered](a, b Row[K]) int {
	if c := cmp.Compare(a.Key, b.Key); c != 0 {
		return c
	}
	return cmp.Compare(a.Row, b.Row)
}

// List holds the keys of some rows. The zero List is empty.
//
// Invariant: if it is sorted, its rows rise by compare.
type List[K cmp.Ordered] struct {
	rows   []Row[K]
	sorted bool
}

// Len returns how many rows there are.
func (l *List[K]) Len() int { return len(l.rows) }

// Sorted reports whether the rows are in rising order.
func (l *List[K]) Sorted() bool { return l.sorted }

// Empty takes all rows out, and returns room for n others: to be filled, and given back to Fill.
//
// Why in two steps? Keys are read by a function of the host, which may panic. What is half
// full belongs to nobody then.
func (l *List[K]) Empty(n int) []Row[K] {
	room := slices.Grow(l.rows[:0], n)[:n]
	l.rows, l.sorted = l.rows[:0], false
	return room
}

// Fill takes the rows that Empty has returned.
func (l *List[K]) Fill(rows []Row[K]) { l.rows = rows }

// Sort puts the rows in rising order. O(n log n), and O(1) for a list that is sorted.
func (l *List[K]) Sort() {
	if !l.sorted {
		slices.SortFunc(l.rows, compare)
		l.sorted = true
	}
}

// Count returns how many rows are in an interval. O(log n) in a sorted list, O(n) in others.
func (l *List[K]) Count(p *Interval[K]) (n int) {
	if l.sorted {
		return len(l.Find(p))
	}
	for i := range l.rows {
		if p.has(l.rows[i].Key) {
			n++
		}
	}
	return n
}

// Find returns the rows of an interval in rising order. They are good until the next Empty or Sort. It
// allocates, and sorts what it finds, unless the list is sorted.
func (l *List[K]) Find(p *Interval[K]) []Row[K] {
	if l.sorted {
		from, to := p.ends(l)
		return l.rows[from:max(from, to)]
	}
	var found []Row[K]
	for _, r := range l.rows {
		if p.has(r.Key) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, compare)
	return found
}

// first returns the place of the first key that is not less than k.
func (l *List[K]) first(k K) int { return l.place(k, -1) }

// after returns the place of the first key that is greater than k.
func (l *List[K]) after(k K) int { return l.place(k, 1) }

// place is first for side -1, and after for side 1.
func (l *List[K]) place(k K, side int) int {
	at, _ := slices.BinarySearchFunc(l.rows, k, func(r Row[K], k K) int {
		return cmp.Or(cmp.Compare(r.Key, k), -side)
	})
	return at
}

// numbers returns the place of the first key that is a number.
func (l *List[K]) numbers() int {
	at, _ := slices.BinarySearchFunc(l.rows, true, func(r Row[K], _ bool) int {
		if r.Key != r.Key {
			return -1
		}
		return 1
	})
	return at
}

// Interval says which keys are asked for: one by one, or as places in a sorted list.
type Interval[K cmp.Ordered] struct {
	has  func(K) bool
	ends func(*List[K]) (from, to int)
}

// Between is the interval from lo to hi, both included.
func Between[K cmp.Ordered](lo, hi K) Interval[K] {
	return Interval[K]{
		func(k K) bool { return cmp.Compare(k, lo) >= 0 && cmp.Compare(k, hi) <= 0 },
		func(l *List[K]) (int, int) { return l.first(lo), l.after(hi) },
	}
}

// Below is the interval of keys less than hi.
func Below[K cmp.Ordered](hi K) Interval[K] {
	return Interval[K]{
		func(k K) bool { return k < hi },
		func(l *List[K]) (int, int) { return l.numbers(), l.first(hi) },
	}
}

// Above is the interval of keys greater than lo.
func Above[K cmp.Ordered](lo K) Interval[K] {
	return Interval[K]{
		func(k K) bool { return k > lo },
		func(l *List[K]) (int, int) {
			if lo != lo {
				return 0, 0
			}
			return max(l.numbers(), l.after(lo)), len(l.rows)
		},
	}
}
