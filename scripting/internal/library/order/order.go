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
	merge(items, buffer, before)
	for i := 1; i < len(items); i++ {
		if before(items[i], items[i-1]) && !before(items[i-1], items[i]) {
			return false
		}
	}
	return true
}

// merge sorts items.
// An item of the right half goes first only if it is before the left one: this keeps
// equal items in their order.
func merge[T any](items, buffer []T, before Comparison[T]) {
	if len(items) < 2 {
		return
	}
	middle := len(items) / 2
	merge(items[:middle], buffer[:middle], before)
	merge(items[middle:], buffer[middle:], before)
	copy(buffer, items)
	left, right := buffer[:middle], buffer[middle:]
	for i := range items {
		if len(left) == 0 || len(right) > 0 && before(right[0], left[0]) {
			items[i], right = right[0], right[1:]
		} else {
			items[i], left = left[0], left[1:]
		}
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
