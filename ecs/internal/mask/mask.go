// Package mask holds the bit set that names an archetype.
//
// A Mask is a value: comparable, usable as a map key, free of pointers. Bit i
// stands for component i. The size is fixed so that two masks compare with a
// few machine words and no archetype needs an allocation for its key.
package mask

import "math/bits"

// Max is the number of components one world can register.
const Max = 512

const words = Max / 64

// Mask is a set of component numbers below Max. The zero value is empty.
type Mask [words]uint64

// Of returns the set of the given numbers.
func Of(ids ...uint32) Mask {
	var m Mask
	for _, id := range ids {
		m.Set(id)
	}
	return m
}

// Set adds id.
func (m *Mask) Set(id uint32) { m[id/64] |= 1 << (id % 64) }

// Clear removes id.
func (m *Mask) Clear(id uint32) { m[id/64] &^= 1 << (id % 64) }

// Has reports whether id is in the set.
func (m *Mask) Has(id uint32) bool { return m[id/64]&(1<<(id%64)) != 0 }

// Contains reports whether every member of other is in m.
func (m *Mask) Contains(other *Mask) bool {
	for i, w := range other {
		if m[i]&w != w {
			return false
		}
	}
	return true
}

// Meets reports whether m and other share a member.
func (m *Mask) Meets(other *Mask) bool {
	for i, w := range other {
		if m[i]&w != 0 {
			return true
		}
	}
	return false
}

// Empty reports whether the set has no member.
func (m *Mask) Empty() bool { return *m == Mask{} }

// IDs returns the members in rising order.
func (m *Mask) IDs() []uint32 {
	var ids []uint32
	for i, w := range m {
		for ; w != 0; w &= w - 1 {
			ids = append(ids, uint32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return ids
}
