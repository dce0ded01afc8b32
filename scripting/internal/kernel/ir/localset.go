package ir

import "slices"

// LocalSet is a set of locals, a bit for each. What holds at a place of a kernel is copied
// where control forks, and bits are copied fast. The zero value is empty; it grows.
type LocalSet []uint64

// Has reports whether a local is in the set.
func (s LocalSet) Has(local int) bool { return local/64 < len(s) && s[local/64]>>(local%64)&1 != 0 }

// Add puts a local into the set.
func (s *LocalSet) Add(local int) {
	for local/64 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[local/64] |= 1 << (local % 64)
}

// Remove takes a local out of the set.
func (s LocalSet) Remove(local int) {
	if local/64 < len(s) {
		s[local/64] &^= 1 << (local % 64)
	}
}

// Clone returns a copy.
func (s LocalSet) Clone() LocalSet { return slices.Clone(s) }

// Keep takes all locals out of the set that are not in the other.
func (s LocalSet) Keep(other LocalSet) {
	for i := range s {
		if i < len(other) {
			s[i] &= other[i]
		} else {
			s[i] = 0
		}
	}
}
