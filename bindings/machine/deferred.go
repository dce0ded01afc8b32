package machine

import "unsafe"

// ItemSource is where a list has its items, all of them numbers, before it is filled.
type ItemSource interface {
	// Item returns the i-th packed item, counted from 0, of the list whose items are at a
	// place, and Items sets all of them.
	Item(at unsafe.Pointer, i int) uint64
	Items(items []uint64, at unsafe.Pointer)
}

// Deferred is a list that is filled when it is needed as a whole: when it is written to, given
// away, or when much of it was read. Until then its items are read where they are.
//
// The host must know that nobody keeps the list for longer than the items stay what they are:
// see [VM.Settle] and [Heap.EndDeferred].
//
// Invariant: table has dict as its dictionary if and only if the list is not filled.
type Deferred struct {
	table Table
	dict  dict
	far   far
	from  ItemSource
	at    unsafe.Pointer
	n     int
	left  int    // items that may be read before it is filled
	epoch uint32 // of the heap, in which it was begun
}

const deferredBytes = int(unsafe.Sizeof(Deferred{}))

// readsToFill is which part of a list may be read by single items: then it is filled, since
// items of a list that has them cost less.
const readsToFill = 16

// NewDeferred makes a list of n items. It has none before Begin.
func (h *Heap) NewDeferred(from ItemSource, n int) *Deferred {
	h.Grow(deferredBytes)
	return &Deferred{table: Table{shape: h.root}, from: from, n: n}
}

// Begin empties the list and says where its items are, and which metatable it has, or nil. The
// table stays the same. [VM.Settle] fills it.
func (l *Deferred) Begin(at unsafe.Pointer, meta *Table) *Table {
	t := &l.table
	h := t.shape.heap
	if meta == nil {
		meta = h.blankGate() // so that nobody passes the table by who looks at its own list only
	}
	l.far.list, l.dict.far, l.dict.live = l, &l.far, l.n
	t.shape, t.slots, t.room, t.meta, t.dict = h.keyed, nil, 0, meta, &l.dict
	t.nums, t.items, t.sealed = t.nums[:0], nil, false
	l.at, l.left, l.epoch, h.deferred = at, l.n/readsToFill, h.epoch, true
	return t
}

// Untouched reports whether a value is the list, which nobody has filled since it was begun.
func (l *Deferred) Untouched(v Value) bool {
	return v.p == unsafe.Pointer(&l.table) && v.n == tagTable && l.table.dict == &l.dict
}

// EndDeferred is called when nobody can have a list any more that is not filled.
func (h *Heap) EndDeferred() {
	h.epoch++
	h.deferred = false
}

// get returns the value of a key.
func (l *Deferred) get(k *Value) Value {
	i := int(k.Float())
	if k.n >= tagBase || float64(i) != k.Float() || uint(i-1) >= uint(l.n) {
		return Value{n: tagNil}
	}
	if l.left--; l.left < 0 {
		l.fill()
		return Value{n: l.table.nums[i-1]}
	}
	l.check()
	return Value{n: l.from.Item(l.at, i-1)}
}

// check panics if the items may not be what they were.
func (l *Deferred) check() {
	if l.epoch != l.table.shape.heap.epoch {
		panic("machine: a list that is not filled has outlived its items")
	}
}

// fill makes the table one with a list of its own.
func (l *Deferred) fill() {
	l.check()
	t := &l.table
	h := t.shape.heap
	t.dict, t.shape = nil, h.root
	if t.meta == h.blank {
		t.meta = nil
	}
	l.from.Items(t.Fill(l.n), l.at)
}

// unfilled returns the list that a table stands for, nil for any other table and for one that
// is filled.
func (t *Table) unfilled() *Deferred {
	if t.dict == nil || t.dict.far == nil {
		return nil
	}
	return t.dict.far.list
}

// blankGate returns a metatable that says nothing.
func (h *Heap) blankGate() *Table {
	if h.blank == nil {
		h.blank = h.newGate(unruled{})
	}
	return h.blank
}

// unruled has no metatable, and gets none.
type unruled struct{}

// Metatable implements Ruled.
func (unruled) Metatable() *Table { return nil }

// SetMetatable implements Ruled. Nobody has the gate in hand.
func (unruled) SetMetatable(*Table) {}

// Settle fills all lists that stand in registers of the thread on which the host has begun, and
// of those that run inside of it: by themselves, or under a key of a table made by [Keys.New].
// What their items are may change from now on.
func (vm *VM) Settle(begun *Thread) {
	if !vm.Heap.deferred {
		return
	}
	vm.Heap.deferred = false
	begun.settle()
	for th := vm.running; th != nil; th = th.resumer {
		th.settle()
	}
}

// freelySettled is how many registers of a thread are looked at for nothing: as many as calls
// that are not deep in each other have.
const freelySettled = 1 << 14

func (th *Thread) settle() {
	used := th.used()
	th.vm.Take(int64(used-freelySettled) / valuesPerStep)
	for i := range th.stack[:used] {
		if t := th.stack[i].Table(); t != nil {
			t.settle()
			for k := range t.shape.keys {
				if in := t.slot(uintptr(k) * valueSize).Table(); in != nil {
					in.settle()
				}
			}
		}
	}
}

// settle fills a list, unless it is one of an earlier call that nobody has any more.
func (t *Table) settle() {
	if l := t.unfilled(); l != nil && l.epoch == t.shape.heap.epoch {
		l.fill()
	}
}
