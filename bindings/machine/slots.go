package machine

import "unsafe"

// The slots of a table are the values of its text keys. Those of a small table that is made
// with its keys lie in one object with it.

type (
	table2 struct {
		Table
		values [2]Value
	}
	table3 struct {
		Table
		values [3]Value
	}
	table4 struct {
		Table
		values [4]Value
	}
	table6 struct {
		Table
		values [6]Value
	}
	table8 struct {
		Table
		values [8]Value
	}
)

// slotsFor returns for how many values there is room in a table that is made for so many.
func slotsFor(n int) int {
	if n < 8 && n != 3 {
		n += n & 1
	}
	return min(n, maxKeys)
}

// newSlots makes a table with room for so many values of text keys.
func newSlots(n int) *Table {
	switch n {
	case 0:
		return &Table{}
	case 2:
		t := &table2{}
		t.slots, t.room = unsafe.Pointer(&t.values), 2
		return &t.Table
	case 3:
		t := &table3{}
		t.slots, t.room = unsafe.Pointer(&t.values), 3
		return &t.Table
	case 4:
		t := &table4{}
		t.slots, t.room = unsafe.Pointer(&t.values), 4
		return &t.Table
	case 6:
		t := &table6{}
		t.slots, t.room = unsafe.Pointer(&t.values), 6
		return &t.Table
	case 8:
		t := &table8{}
		t.slots, t.room = unsafe.Pointer(&t.values), 8
		return &t.Table
	}
	t := &Table{}
	t.slots, t.room = unsafe.Pointer(unsafe.SliceData(make([]Value, n))), uint8(n)
	return t
}

// slot returns the place of a text key's value. Its offset in bytes is 16 times what
// t.shape.find returns.
func (t *Table) slot(offset uintptr) *Value { return (*Value)(unsafe.Add(t.slots, offset)) }

// addSlot gives the table the next text key: shape is what t.shape.add has returned for it.
func (t *Table) addSlot(shape *Shape, v *Value) {
	n := len(shape.keys)
	if n > int(t.room) {
		t.moreSlots(n)
	}
	t.shape = shape
	store(t.slot(uintptr(n-1)*16), v)
}

// moreSlots makes room for n values and more to come.
func (t *Table) moreSlots(n int) {
	room := min(maxKeys, max(4, 2*(n-1)))
	t.shape.heap.entries(t.Entries() + 1)
	t.shape.heap.Grow(16 * room)
	slots := make([]Value, room)
	copy(slots, unsafe.Slice((*Value)(t.slots), n-1))
	t.slots, t.room = unsafe.Pointer(unsafe.SliceData(slots)), uint8(room)
}
