package machine

// Keys are text keys with which many tables are made, in their order. A list of them
// belongs to one heap.
//
// Invariant: shape has exactly the keys, in their order, as long as it is not retired; nil
// says that no shape has them, since they are too many, or one is too long.
type Keys struct {
	heap  *Heap
	keys  []*Str
	shape *Shape
	room  int // for values in a new table
}

// NewKeys makes a list of keys. No key stands there twice.
func (h *Heap) NewKeys(keys ...string) *Keys {
	ks := &Keys{heap: h, room: slotsFor(len(keys))}
	for _, k := range keys {
		ks.keys = append(ks.keys, NewStr(k))
	}
	ks.find()
	return ks
}

// find finds the shape with the keys, or makes it.
func (ks *Keys) find() {
	ks.shape = ks.heap.root
	for _, k := range ks.keys {
		if ks.shape = ks.shape.add(k); ks.shape == nil {
			return
		}
	}
}

// New makes a table in which all keys are nil. [Keys.Set] sets them, each once.
func (ks *Keys) New() *Table {
	if ks.shape == nil || ks.shape.retired {
		ks.find()
	}
	if ks.shape == nil {
		return ks.heap.NewTable(0, len(ks.keys))
	}
	ks.heap.Grow(tableBytes + 16*ks.room)
	t := newSlots(ks.room)
	t.shape = ks.shape
	for i := range ks.keys {
		t.slot(uintptr(i) * valueSize).n = tagNil
	}
	return t
}

// Set sets the ith key, counted from 0, of a table that New has just made.
func (ks *Keys) Set(t *Table, i int, v Value) {
	if t.shape == ks.shape {
		store(t.slot(uintptr(i)*valueSize), &v)
		return
	}
	t.setStr(ks.keys[i], &v)
}
