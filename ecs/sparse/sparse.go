// Package sparse is the sparse set: values by number, side by side in memory, for numbers that
// are handed out by somebody else.
//
//	var burning sparse.Set[uint32, float64]
//	burning.Put(7, 2.5)
//	for key, left := range burning.All() {
//		if *left -= dt; *left <= 0 {
//			burning.Remove(key)
//		}
//	}
//
// There are two nouns. A [Set] has a value for each of its keys: keys and values lie densely in
// two slices, so that a loop goes over plain memory. An [Index] is the sparse half alone: it
// says in which row a key is, for those who keep the rows themselves. The pools of package ecs
// whose values hold Go pointers stand on it; those of other values keep their places in the arena,
// where kernels find them.
//
// The zero values are empty and work. Neither is safe for several goroutines while one writes.
//
// # Cost
//
//	Has, Get, At, Row            O(1): two loads, whatever the key
//	Put, Remove, Swap            O(1), amortised for Put
//	Keys, Values, All, Len       O(1), and O(1) for each row
//	Clear                        O(keys in the set)
//	Sort, SortKeys               O(n log n), and a number for each row
//	Grow                         O(rows)
//	Trim, Check, Index.Len       O(pages and rows)
//
// # Memory
//
// The index is cut into pages of 1,024 keys, 4 KiB each, which exist where keys are. So the
// worst keys cost a page each, and a list of pages of 8 bytes for each 1,024 keys up to the largest
// one: 32 MiB for the largest key of all.
package sparse

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Set has a value for each of its keys. There are fewer than 2³² of them.
//
// Invariant: keys and values are equally long, and index.Row(keys[i]) is i, for all i; no other
// key has a row.
type Set[K ~uint32, V any] struct {
	index  Index
	keys   []K
	values []V
}

// Len returns how many keys there are.
func (s *Set[K, V]) Len() int { return len(s.keys) }

// Has reports whether a key is in the set.
func (s *Set[K, V]) Has(key K) bool { return s.index.Row(uint32(key)) >= 0 }

// Get returns a copy of the value of a key; ok is false when the key is not in the set.
func (s *Set[K, V]) Get(key K) (value V, ok bool) {
	if row := s.index.Row(uint32(key)); row >= 0 {
		return s.values[row], true
	}
	return value, false
}

// At returns where the value of a key is, nil when the key is not in the set. The pointer is
// borrowed: it is good until the next Put, Remove, Swap, Sort, Grow, Trim or Clear.
func (s *Set[K, V]) At(key K) *V {
	if row := s.index.Row(uint32(key)); row >= 0 {
		return &s.values[row]
	}
	return nil
}

// Put gives a key a value, and reports whether the key is new. A new one comes last.
func (s *Set[K, V]) Put(key K, value V) (added bool) {
	if row := s.index.Row(uint32(key)); row >= 0 {
		s.values[row] = value
		return false
	}
	s.index.Put(uint32(key), len(s.keys))
	s.keys, s.values = append(s.keys, key), append(s.values, value)
	return true
}

// Remove takes a key out, and reports whether it was in the set. The last row takes its place.
func (s *Set[K, V]) Remove(key K) bool {
	row := s.index.Row(uint32(key))
	if row < 0 {
		return false
	}
	end := len(s.keys) - 1
	moved := s.keys[end]
	s.keys[row], s.values[row] = moved, s.values[end]
	s.index.Put(uint32(moved), row)
	s.index.Remove(uint32(key))
	clear(s.values[end:]) // the collector may have what it points to
	s.keys, s.values = s.keys[:end], s.values[:end]
	return true
}

// Clear takes all keys out, and keeps the memory; Trim gives that back.
func (s *Set[K, V]) Clear() {
	for _, key := range s.keys {
		s.index.Remove(uint32(key))
	}
	clear(s.values)
	s.keys, s.values = s.keys[:0], s.values[:0]
}

// Keys returns the keys in the order of the rows. The slice is borrowed, as the pointer of At
// is, and is not to be written.
func (s *Set[K, V]) Keys() []K { return s.keys }

// Values returns the values, in the order of Keys. The slice is borrowed, as the pointer of At
// is; its elements may be written.
func (s *Set[K, V]) Values() []V { return s.values }

// All yields keys and where their values are, from the last row to the first. The loop's body
// may remove the key at hand; what it adds is not visited. If it removes others, some may be
// left out or come twice.
func (s *Set[K, V]) All() iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		for i := len(s.keys) - 1; i >= 0; i-- {
			if i < len(s.keys) && !yield(s.keys[i], &s.values[i]) {
				return
			}
		}
	}
}

// Swap exchanges two rows. It panics for rows that do not exist.
func (s *Set[K, V]) Swap(i, j int) {
	s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
	s.values[i], s.values[j] = s.values[j], s.values[i]
	s.index.Put(uint32(s.keys[i]), i)
	s.index.Put(uint32(s.keys[j]), j)
}

// Sort puts the rows in the rising order of their values by compare, equal ones in the order
// in which they are. compare must not change the set.
func (s *Set[K, V]) Sort(compare func(a, b *V) int) {
	s.sort(func(a, b int) int { return compare(&s.values[a], &s.values[b]) })
}

// SortKeys puts the rows in the rising order of their keys.
func (s *Set[K, V]) SortKeys() {
	s.sort(func(a, b int) int { return cmp.Compare(s.keys[a], s.keys[b]) })
}

// sort orders the rows by their numbers as of now, then swaps each to its place, one cycle of
// the permutation after another.
func (s *Set[K, V]) sort(compare func(a, b int) int) {
	from := make([]int, len(s.keys)) // by place, the row that belongs there
	for i := range from {
		from[i] = i
	}
	slices.SortStableFunc(from, compare)
	for i := range from {
		at := i
		for from[at] != i {
			next := from[at]
			s.Swap(at, next)
			from[at], at = at, next
		}
		from[at] = at
	}
}

// Grow makes room for n more keys up to a last one, so that putting these allocates nothing. It
// makes all pages up to that of the last key: O(last). It panics for a negative n.
func (s *Set[K, V]) Grow(n int, last K) {
	s.keys, s.values = slices.Grow(s.keys, n), slices.Grow(s.values, n)
	s.index.Grow(uint32(last))
}

// Trim gives back memory that no key needs.
func (s *Set[K, V]) Trim() {
	s.keys, s.values = slices.Clip(slices.Clone(s.keys)), slices.Clip(slices.Clone(s.values))
	s.index.Trim()
}

// Check returns an error that says which invariant is broken, nil for none.
func (s *Set[K, V]) Check() error {
	if len(s.keys) != len(s.values) {
		return fmt.Errorf("sparse set: %d keys, %d values", len(s.keys), len(s.values))
	}
	for row, key := range s.keys {
		if at := s.index.Row(uint32(key)); at != row {
			return fmt.Errorf("sparse set: key %d of row %d has row %d", key, row, at)
		}
	}
	if n := s.index.Len(); n != len(s.keys) {
		return fmt.Errorf("sparse set: %d keys have rows, there are %d", n, len(s.keys))
	}
	return nil
}
