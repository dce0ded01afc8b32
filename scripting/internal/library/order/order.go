// Package order sorts the items of a list for table.sort. The order that it leaves depends
// only on the items and the comparison, not on a random choice, so it is the same in each
// run. It knows no values of Lua.
//
// Why not package slices? A comparison of a script may be no order at all, and may raise an
// error at any time. Merging makes O(n log n) comparisons whatever the comparison says, and
// reaches past no end. It is stable, too, so equal items have the same order everywhere.
package order

// A Comparison reports whether x comes before y.
type Comparison[T any] func(x, y T) bool

// Sort sorts items, with a buffer of the same length. It returns false if neighbours show
// that the comparison is no order. A comparison that is true for equal items, which is a
// common mistake, passes.
func Sort[T any](items, buffer []T, before Comparison[T]) bool {
	s := New(items, buffer)
	for s.Next() {
		s.Answer(before(s.X, s.Y))
	}
	return !s.Wrong
}

// Sorting is Sort with the comparisons outside: it names two items, and goes on with the
// answer. So a comparison that is a function of a script needs no call of Go.
//
// Invariant: while merges are under way, the innermost one has taken some items of its halves,
// which are in the buffer, back to the front of its part of the items.
type Sorting[T any] struct {
	X, Y  T    // does X come before Y?
	Wrong bool // the answers are no order

	items, buffer []T
	merges        []merge // in each other; none: neighbours are compared
	next          int     // the neighbour to be compared with the one before it
	again         bool    // the same two are compared the other way round
}

// merge puts the two halves of a part of the items together, from first to last.
type merge struct {
	first, middle, last int
	does                work
	left, right         int // the next ones of each half, in the buffer
}

// work is what a merge does next.
type work uint8

const (
	sortsLeft work = iota
	sortsRight
	copies
	takes
)

// New begins to sort items, with a buffer of the same length.
func New[T any](items, buffer []T) *Sorting[T] {
	s := &Sorting[T]{items: items, buffer: buffer, next: 1}
	s.begin(0, len(items))
	return s
}

func (s *Sorting[T]) begin(first, last int) {
	if last-first > 1 {
		s.merges = append(s.merges, merge{first: first, middle: first + (last-first)/2, last: last})
	}
}

// Next names the next two items, in X and Y. It returns false at the end.
func (s *Sorting[T]) Next() bool {
	for len(s.merges) > 0 {
		m := &s.merges[len(s.merges)-1]
		switch m.does {
		case sortsLeft:
			m.does = sortsRight
			s.begin(m.first, m.middle)
		case sortsRight:
			m.does = copies
			s.begin(m.middle, m.last)
		case copies:
			m.does, m.left, m.right = takes, m.first, m.middle
			copy(s.buffer[m.first:m.last], s.items[m.first:m.last])
		case takes:
			if m.left < m.middle && m.right < m.last {
				s.X, s.Y = s.buffer[m.right], s.buffer[m.left]
				return true
			}
			copy(s.items[m.left+m.right-m.middle:], s.buffer[m.left:m.middle])
			copy(s.items[m.left+m.right-m.middle:], s.buffer[m.right:m.last])
			s.merges = s.merges[:len(s.merges)-1]
		}
	}
	if s.Wrong || s.next >= len(s.items) {
		return false
	}
	if s.X, s.Y = s.items[s.next], s.items[s.next-1]; s.again {
		s.X, s.Y = s.Y, s.X
	}
	return true
}

// Answer says whether X comes before Y.
// An item of the right half goes first only if it is before the left one: this keeps
// equal items in their order.
func (s *Sorting[T]) Answer(before bool) {
	if len(s.merges) > 0 {
		m := &s.merges[len(s.merges)-1]
		at := &s.items[m.left+m.right-m.middle]
		if before {
			*at = s.X
			m.right++
		} else {
			*at = s.Y
			m.left++
		}
		return
	}
	switch {
	case s.again:
		s.Wrong = !before
		s.again = false
		s.next++
	case before:
		s.again = true
	default:
		s.next++
	}
}

// NumberSteps returns how many instructions it takes to sort so many numbers, which needs no
// comparison of a script.
func NumberSteps(items int) (steps int) {
	for n := items; n > 0; n >>= 1 {
		steps += items / 4
	}
	return steps
}
