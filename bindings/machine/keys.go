package machine

import "unsafe"

// Keys are text keys with which many tables are made: the fields of a struct. They belong to
// one heap.
//
// Invariant: shape has exactly the keys, in their order, as long as it is not retired; nil
// says that no shape has them, since they are too many, or one is too long.
type Keys struct {
	heap  *Heap
	list  []*Str
	shape *Shape
	room  int  // for values in a new table
	alone bool // the shape is in no tree
}

// NewKeys makes them. No key stands there twice.
func (h *Heap) NewKeys(keys ...string) *Keys {
	l := &Keys{heap: h, room: slotsFor(len(keys))}
	for _, k := range keys {
		l.list = append(l.list, NewStr(k))
	}
	l.find()
	return l
}

// NewKeysFor is NewKeys for tables that nobody but the caller makes with these keys, with room
// for some more in each. Their shape stands alone: a table with fifty keys would leave fifty
// shapes on its way.
func (h *Heap) NewKeysFor(beside int, keys ...string) *Keys {
	l := &Keys{heap: h, room: slotsFor(len(keys) + beside), alone: true}
	for _, k := range keys {
		l.list = append(l.list, NewStr(k))
	}
	l.find()
	return l
}

// find finds the shape with the keys, or makes it.
func (l *Keys) find() {
	if l.alone {
		l.shape = l.heap.single(l.list)
		return
	}
	l.shape = l.heap.root
	for _, k := range l.list {
		if l.shape = l.shape.add(k); l.shape == nil {
			return
		}
	}
}

// New makes a table in which all keys are nil. [Keys.Set] sets them, each once.
func (l *Keys) New() *Table {
	if l.shape != nil && l.shape.retired {
		l.find()
	}
	if l.shape == nil {
		return l.heap.NewTable(0, len(l.list))
	}
	l.heap.Grow(tableBytes + 16*l.room)
	t := newSlots(l.room)
	t.shape = l.shape
	for i := range l.list {
		t.slot(uintptr(i) * valueSize).n = tagNil
	}
	return t
}

// Begin is New for a caller that sets all keys at once: each is 0 until it is set, at its place
// among the values, as [Keys.Values] returns them. It returns no table where keys have no places.
func (l *Keys) Begin() (*Table, []Value) {
	if l.shape == nil || l.shape.retired || len(l.list) == 0 {
		return nil, nil
	}
	l.heap.Grow(tableBytes + 16*l.room)
	t := newSlots(l.room)
	t.shape = l.shape
	return t, unsafe.Slice((*Value)(t.slots), len(l.list))
}

// Values returns the places of the keys of a table that was made with the keys, in the order of
// the keys; nil if the table has other keys by now, or keeps them in another way. They are
// good until the table gets a key. Whoever writes to them does so with [Value.Put] and its
// like.
func (l *Keys) Values(t *Table) []Value {
	if t.dict != nil || len(t.shape.keys) != len(l.list) || len(l.list) == 0 {
		return nil
	}
	return unsafe.Slice((*Value)(t.slots), len(l.list))
}

// Record returns the shape of a table that has nothing but text keys, with their values in the
// order of pairs; nil for any other table. A key whose value is nil is not there. The values are
// good until the table gets a key.
func (t *Table) Record() (*Shape, []Value) {
	if t.dict != nil || t.length() > 0 {
		return nil, nil
	}
	return t.shape, unsafe.Slice((*Value)(t.slots), len(t.shape.keys))
}

// Texts iterates the keys of a shape in their order.
func (s *Shape) Texts(yield func(i int, key string) bool) {
	for i, k := range s.keys {
		if !yield(i, k.s) {
			return
		}
	}
}

// Set sets the ith key, counted from 0, of a table that New has just made.
func (l *Keys) Set(t *Table, i int, v Value) {
	if t.shape == l.shape {
		store(t.slot(uintptr(i)*valueSize), &v)
		return
	}
	t.setStr(l.list[i], &v)
}
