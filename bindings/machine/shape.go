package machine

import "unsafe"

// Shape says which text keys a table has, and in which order they were first assigned.
// Tables that got the same keys in the same order share it, so a place in a program that
// has seen a shape once knows where a key's value lies in all of them.
//
// Shapes form a tree: next leads to those with one more key. A few shapes of the host's stand
// alone, each at the root of a tree that is bounded together with the others. The tree of a heap is bounded
// by maxShapes. When it is full, a new one begins: the shapes of the old one are retired,
// they let go of each other, and each lives on only as long as a table has it. A table with
// a retired shape gets the same shape of the new tree when it is next given a key. So no
// script can make shapes without end, and those of scripts that are gone go, too.
//
// Tables whose keys are never assigned have shapes in a tree of their own, so that a place that
// assigns a field and remembers a shape never meets one of them: see [Table.Fix].
//
// Invariants: find(keys[i]) == i; a key of a shape has its hash, and at most longestKey
// bytes; the shape that next has for a key is keys with that key at the end.
type Shape struct {
	heap    *Heap
	keys    []*Str
	events  uint32 // a bit for each event that is among the keys
	mark    uint32 // of the last walk that has met it
	tries   uint8  // look-ups without an index
	shared  bool   // a next shape has gone on in the array of keys
	retired bool
	fixed   bool    // of tables whose keys are not assigned: no place that assigns remembers it
	index   []uint8 // open addressing: the place of a key, plus 1
	lastKey *Str    // the key of last, the next shape that was asked for last
	last    *Shape
	few     []*Shape          // the next ones, as long as they are few
	next    map[string]*Shape // all of them, if they are many
	heir    *Shape            // of a retired shape, in a later tree
	places  *[events]uint8    // of the events that are among the keys; nil: nobody has asked
}

const (
	maxShapes  = 4096 // of one tree
	maxKeys    = 128  // of a shape; a table with more has a dictionary
	longestKey = 64   // bytes of a key; shapes hold no long texts alive
	fewKeys    = 8    // that are found one by one
	fewNext    = 8

	// Keys that a program computes, as in counts[word], are those of a map and not of a
	// record. They make new shapes only while there are few of them.
	maxComputed     = 8
	maxComputedNext = 64

	shapeBytes = int(unsafe.Sizeof(Shape{}))
)

// find returns the place of a text among the keys, -1 if it is not there.
func (s *Shape) find(k *Str) int {
	if s.index != nil {
		return s.indexed(k)
	}
	for i, x := range s.keys {
		if x == k {
			return i
		}
	}
	return s.search(k.key(), k.s)
}

// search is find by content.
func (s *Shape) search(hash uint32, text string) int {
	if s.index != nil {
		return s.indexed(&Str{s: text, hash: hash})
	}
	for i, x := range s.keys {
		if x.hash == hash && x.s == text {
			return i
		}
	}
	if len(s.keys) > fewKeys {
		if s.tries++; s.tries > fewKeys {
			s.makeIndex()
		}
	}
	return -1
}

// indexed is find by the index.
func (s *Shape) indexed(k *Str) int {
	h, mask := k.key(), uint32(len(s.index)-1)
	for at := h & mask; ; at = (at + 1) & mask {
		i := int(s.index[at]) - 1
		if i < 0 {
			return -1
		}
		if x := s.keys[i]; x == k || x.has(h, k.s) {
			return i
		}
	}
}

// makeIndex has keys found by their hashes from now on. A shape that tables only pass on
// their way to more keys needs none.
func (s *Shape) makeIndex() {
	size := 4 * fewKeys
	for size < 2*len(s.keys) {
		size *= 2
	}
	s.heap.Grow(size)
	s.index = make([]uint8, size)
	mask := uint32(size - 1)
	for i, k := range s.keys {
		at := k.hash & mask
		for s.index[at] != 0 {
			at = (at + 1) & mask
		}
		s.index[at] = uint8(i + 1)
	}
}

// add returns the shape with one more key, which it does not have. It returns nil if
// there are too many: the table keeps its keys in a dictionary then.
func (s *Shape) add(k *Str) *Shape {
	if s.lastKey == k {
		return s.last
	}
	if s = s.current(); s == nil {
		return nil
	}
	next := s.known(k)
	if next == nil {
		if next = s.make(k); next == nil {
			return nil
		}
	}
	s.lastKey, s.last = k, next
	return next
}

// addComputed is add for a key that is no constant of the program.
func (s *Shape) addComputed(k *Str) *Shape {
	if s = s.current(); s == nil {
		return nil
	}
	if next := s.known(k); next != nil {
		return next
	}
	if len(s.keys) >= maxComputed || len(s.next) >= maxComputedNext {
		return nil
	}
	return s.make(k)
}

// known returns the next shape for a key, nil if there is none yet.
func (s *Shape) known(k *Str) *Shape {
	if s.next != nil {
		return s.next[k.s]
	}
	n := len(s.keys)
	for _, x := range s.few {
		if x.keys[n] == k || x.keys[n].s == k.s {
			return x
		}
	}
	return nil
}

// make makes the next shape for a key.
func (s *Shape) make(k *Str) *Shape {
	if len(s.keys) >= maxKeys || len(k.s) > longestKey || s == s.heap.keyed {
		return nil
	}
	if s.heap.shapes >= maxShapes {
		s.heap.newTree()
		return nil
	}
	s.heap.Grow(shapeBytes + 16)
	s.heap.shapes++
	k.key()
	next := &Shape{heap: s.heap, keys: s.with(k), events: s.events | eventBit(k), fixed: s.fixed}
	s.enter(k, next)
	return next
}

// with returns the keys and one more. The first next shape goes on in the same array.
func (s *Shape) with(k *Str) []*Str {
	n := len(s.keys)
	if s.shared || n == cap(s.keys) {
		keys := make([]*Str, n, max(4, n+n/2+1))
		copy(keys, s.keys)
		s.heap.Grow(8 * cap(keys))
		return append(keys, k)
	}
	s.shared = true
	return append(s.keys, k)
}

func (s *Shape) enter(k *Str, next *Shape) {
	if s.next == nil && len(s.few) < fewNext {
		s.few = append(s.few, next)
		return
	}
	if s.next == nil {
		s.next = make(map[string]*Shape, 2*fewNext)
		for _, x := range s.few {
			s.next[x.keys[len(s.keys)].s] = x
		}
		s.few = nil
	}
	s.next[k.s] = next
}

// current returns the shape with the same keys in the tree of today, nil if that is full. A
// table that had the one may have the other.
func (s *Shape) current() *Shape {
	if !s.retired {
		return s
	}
	if s.heir != nil && !s.heir.retired {
		return s.heir
	}
	heir := s.heap.root
	if s.fixed {
		heir = s.heap.fixed
	}
	for _, k := range s.keys {
		if heir = heir.add(k); heir == nil {
			return nil
		}
	}
	s.heir = heir
	return heir
}

// single makes a shape with keys that is in no tree; what tables add to it is. It returns nil
// if there are too many keys, or one is too long.
func (h *Heap) single(keys []*Str) *Shape {
	if len(keys) > maxKeys {
		return nil
	}
	s := &Shape{heap: h, keys: keys, shared: true}
	for _, k := range keys {
		if len(k.s) > longestKey {
			return nil
		}
		k.key()
		s.events |= eventBit(k)
	}
	h.Grow(shapeBytes + 8*len(keys))
	h.alone = append(h.alone, s)
	return s
}

// newTree begins new trees of shapes. O(shapes of the old ones).
func (h *Heap) newTree() {
	for _, s := range h.alone {
		s.retire()
	}
	h.alone = nil
	h.root.retire()
	h.fixed.retire()
	h.root, h.fixed = &Shape{heap: h}, &Shape{heap: h, fixed: true}
	h.shapes = 0
}

// retire takes a shape and those after it apart.
func (s *Shape) retire() {
	all := []*Shape{s}
	for len(all) > 0 {
		x := all[len(all)-1]
		all = append(all[:len(all)-1], x.few...)
		for _, y := range x.next {
			all = append(all, y) // the order does not matter
		}
		x.retired, x.few, x.next, x.lastKey, x.last = true, nil, nil, nil, nil
	}
}

// bytes returns what a shape takes, without the texts.
func (s *Shape) bytes() int { return shapeBytes + 8*len(s.keys) + len(s.index) }
