package machine

// A packed item is one of a list that holds numbers and booleans only. It takes eight bytes,
// and the host can fill and read such a list for a whole column at once.

// Pack returns the packed item of a number. Of nearly all NaNs it keeps the bits.
func Pack(f float64) uint64 { return Number(f).n }

// PackBool returns the packed item of a boolean.
func PackBool(b bool) uint64 { return Bool(b).n }

// Unpack returns the value that a packed item stands for.
func Unpack(item uint64) Value { return Value{n: item} }

// PackedNumber reports whether a packed item is a number.
func PackedNumber(item uint64) bool { return item < tagBase }

// PackedNaN reports whether a packed item may be a NaN; it is if it is a number.
func PackedNaN(item uint64) bool { return item&^(1<<63) > infinity }

const infinity = 0x7FF0 << 48

// Fill makes a table one with a list of n packed items and nothing else, and returns these
// for the caller to set all of them at once. O(1) if the list was as long before. The table
// has no content elsewhere.
func (t *Table) Fill(n int) []uint64 {
	t.Keep(0)
	if t.items = nil; n > cap(t.nums) {
		t.grow(8 * n)
		t.nums = make([]uint64, n)
	}
	t.nums = t.nums[:n]
	return t.nums
}

// Packed returns the list of a table if its items are packed. One of them may stand for nil.
func (t *Table) Packed() (items []uint64, ok bool) {
	own := t.Foreign() == nil
	return t.nums, t.items == nil && own
}

// Seal has __newindex asked for the items that the list has as well, or ends that. The table
// must have a metatable and no text keys.
func (t *Table) Seal(sealed bool) { t.sealed = sealed }

// Keep leaves a table at most the first n items of its list, and nothing else. The table has
// no content elsewhere. O(items that go).
func (t *Table) Keep(n int) {
	if t.dict != nil || t.shape != t.shape.heap.root {
		t.dict, t.shape, t.slots, t.room = nil, t.shape.heap.root, nil, 0
	}
	t.nums = t.nums[:min(n, len(t.nums))]
	if n < len(t.items) {
		clear(t.items[n:])
		t.items = t.items[:n]
	}
	t.trim()
}
