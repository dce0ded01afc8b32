package machine

import "unsafe"

// Table is a table of Lua, in three parts: a list, the values of text keys, and a
// dictionary for all other keys. A table with too many text keys, or with a key that is
// neither text nor item, has all its keys in the dictionary, so that pairs finds them in
// the order in which they were first set.
//
// A heap makes tables: see [Heap.NewTable].
//
// Invariants: shape is the heap's keyed if and only if there is a dictionary; slots has the
// values of the shape's keys, in their order, and room for more; those of the list and of the
// dictionary are at list.go and at dict.
type Table struct {
	shape *Shape
	slots unsafe.Pointer // of the first of room values
	meta  *Table
	nums  []uint64
	items []Value
	dict  *dict
	rare  *rare
	mark  uint32 // of the last walk that has met it
	room  uint8
	last  uint8 // the slot that Next has returned last, a guess
	blank uint8 // which one it is of those that were made with it, from 1; 0: it was made alone

	// sealed says that __newindex is asked for the keys that the table has, too. The shape of
	// such a table, if it has text keys among its slots, is one of the fixed.
	sealed bool
}

// rare is what few tables have.
type rare struct {
	id     int
	absent []string
	ends   int // where the constructor's list ended, if the last value that it wrote is nil
}

// bytes returns what it takes; of the keys, the texts are those of a script's source.
func (r *rare) bytes() int {
	return int(unsafe.Sizeof(*r)) + cap(r.absent)*int(unsafe.Sizeof(""))
}

const tableBytes = int(unsafe.Sizeof(Table{}))

// NewTable makes a table with room for a list and for text keys.
func (h *Heap) NewTable(list, keys int) *Table {
	keys = slotsFor(keys)
	h.Grow(tableBytes + 16*keys)
	t := newSlots(keys)
	t.shape = h.root
	if list > 0 {
		t.resizeTo(list)
	}
	return t
}

// Blanks makes empty tables, many at once: a script that keeps one keeps them all, which a
// walk counts. The zero Blanks is ready.
type Blanks struct {
	at   *blanks
	used int
}

// blanks are tables that were made together.
type blanks struct {
	mark   uint32 // of the last walk that has met one
	tables [64]Table
}

// Next returns an empty table of a heap.
func (b *Blanks) Next(h *Heap) *Table {
	if b.at == nil || b.used == len(b.at.tables) {
		b.at, b.used = &blanks{}, 0
	}
	t := &b.at.tables[b.used]
	b.used++
	h.Grow(tableBytes)
	t.shape, t.blank = h.root, uint8(b.used)
	return t
}

// block returns those that a table was made with.
func (t *Table) block() *blanks {
	return (*blanks)(unsafe.Add(unsafe.Pointer(t), -int(unsafe.Offsetof(blanks{}.tables))-int(t.blank-1)*tableBytes))
}

// Heap returns the heap that the table belongs to.
func (t *Table) Heap() *Heap { return t.shape.heap }

// MoveTo moves all content and the metatable to another table, whose own are dropped. O(1),
// or O(entries) where somebody else has one of the two as well.
func (t *Table) MoveTo(to *Table) {
	if t.Foreign() != nil || to.Foreign() != nil {
		t.copyTo(to)
		return
	}
	mark, blank, about := to.mark, to.blank, to.rare
	*to = *t
	to.mark, to.blank, to.rare = mark, blank, about
	*t = Table{shape: t.shape.heap.root, mark: t.mark, blank: t.blank, rare: t.rare}
}

// Clear removes all keys. A fixed table stays one. O(1).
func (t *Table) Clear() {
	if f := t.Foreign(); f != nil {
		f.Clear()
		return
	}
	meta, fixed := t.meta, t.isFixed()
	var gone Table
	t.MoveTo(&gone)
	if t.meta = meta; fixed {
		t.shape, t.sealed = t.shape.heap.fixed, true
	}
}

// grow counts bytes before the table takes them.
func (t *Table) grow(bytes int) {
	t.shape.heap.Grow(bytes)
}

// ID returns the number that tostring shows for the table: next() when it is first asked for.
func (t *Table) ID(next func() int) int {
	if t.rare == nil {
		t.rare = &rare{}
	}
	if t.rare.id == 0 {
		t.rare.id = next()
	}
	return t.rare.id
}

// NoteAbsent remembers a key of the table's constructor whose value came to nil.
func (t *Table) NoteAbsent(key string) {
	if t.rare == nil {
		t.rare = &rare{}
	}
	before := t.rare.bytes()
	t.rare.absent = append(t.rare.absent, key)
	t.grow(t.rare.bytes() - before)
}

// Ends returns how many items the table's constructor has written, if the last one was nil;
// else 0.
func (t *Table) Ends() int {
	if t.rare == nil {
		return 0
	}
	return t.rare.ends
}

// Absent returns the keys of the table's constructor whose values came to nil.
func (t *Table) Absent() []string {
	if t.rare == nil {
		return nil
	}
	return t.rare.absent
}

// Metatable returns the metatable, or nil.
func (t *Table) Metatable() *Table {
	if t.meta == nil {
		return nil
	}
	return behindGate(t.meta)
}

// SetMetatable replaces the metatable; nil removes it.
func (t *Table) SetMetatable(m *Table) {
	if f := t.Foreign(); f != nil {
		f.SetMetatable(m)
		return
	}
	t.meta = m
}

// Get returns the value of a key without metatables, nil where there is none.
func (t *Table) Get(k Value) Value { return t.get(&k) }

// GetStr returns the value of a text key.
func (t *Table) GetStr(k *Str) Value { return t.getStr(k) }

// GetInt returns the value of a whole number as a key.
func (t *Table) GetInt(i int) Value { return t.getInt(i) }

// GetString returns the value of the key with these bytes.
func (t *Table) GetString(k string) Value {
	hash := hashOf(k)
	if d := t.dict; d != nil {
		if d.far != nil {
			return d.far.get(String(k))
		}
		if i := d.search(hash, k); i >= 0 {
			return d.entries[i].value
		}
	} else if i := t.shape.search(hash, k); i >= 0 {
		return *t.slot(uintptr(i) * 16)
	}
	return Value{n: tagNil}
}

// Set sets the value of a key without metatables; nil removes it. It returns false, and
// changes nothing, if the key is nil or no number.
func (t *Table) Set(k, v Value) bool { return t.set(&k, &v) }

// SetStr sets the value of a text key that a program spells out.
func (t *Table) SetStr(k *Str, v Value) { t.setStr(k, &v) }

// SetString sets the value of the key with these bytes.
func (t *Table) SetString(k string, v Value) {
	if t.dict == nil {
		if i := t.shape.search(hashOf(k), k); i >= 0 {
			store(t.slot(uintptr(i)*16), &v)
			return
		}
	}
	if t.dict != nil || v.n != tagNil {
		t.setStr(NewStr(k), &v)
	}
}

// SetInt sets the value of a whole number as a key.
func (t *Table) SetInt(i int, v Value) { t.setInt(i, &v) }

// The same by pointers, for the loop: what they point to may be a register.

func (t *Table) get(k *Value) Value {
	switch {
	case k.n < tagBase:
		return t.getNumber(k.n)
	case k.n == tagStr:
		return t.getStr((*Str)(k.p))
	}
	if t.dict == nil {
		return Value{n: tagNil}
	}
	return t.dict.get(k)
}

// getNumber is get for a number of which these are the bits.
func (t *Table) getNumber(n uint64) Value {
	f := float(n)
	if i := int(f); float64(i) == f {
		if uint(i-1) < uint(len(t.nums)) {
			return Value{n: t.nums[i-1]}
		}
		if uint(i-1) < uint(len(t.items)) {
			return t.items[i-1]
		}
	}
	if t.dict == nil {
		return Value{n: tagNil}
	}
	return t.dict.number(n)
}

func (t *Table) getStr(k *Str) Value {
	if d := t.dict; d != nil {
		if i := d.findText(k); i >= 0 {
			return d.entries[i].value
		}
		if d.far != nil {
			return d.far.get(Text(k))
		}
	} else if i := t.shape.find(k); i >= 0 {
		return *t.slot(uintptr(i) * 16)
	}
	return Value{n: tagNil}
}

func (d *dict) get(k *Value) Value {
	if i := d.find(k); i >= 0 {
		return d.entries[i].value
	}
	if d.far != nil {
		return d.far.get(clean(*k))
	}
	return Value{n: tagNil}
}

func (t *Table) set(k, v *Value) bool {
	switch {
	case k.n < tagBase:
		f := k.Float()
		if i := int(f); float64(i) == f {
			t.setInt(i, v)
			return true
		}
		if f != f {
			return false
		}
	case k.n == tagStr:
		t.setText((*Str)(k.p), v, (*Shape).addComputed)
		return true
	case k.n == tagNil:
		return false
	}
	if v.n == tagNil {
		t.remove(k)
	} else {
		t.setKey(k, v)
	}
	return true
}

func (t *Table) setStr(k *Str, v *Value) { t.setText(k, v, (*Shape).add) }

// setText sets the value of a text key. add makes the shape with it where it is new.
func (t *Table) setText(k *Str, v *Value, add func(*Shape, *Str) *Shape) {
	if t.dict == nil {
		if i := t.shape.find(k); i >= 0 {
			store(t.slot(uintptr(i)*16), v)
			return
		}
		if v.n == tagNil {
			return
		}
		if s := add(t.shape, k); s != nil {
			t.addSlot(s, v)
			return
		}
	}
	x := Text(k)
	if v.n == tagNil {
		t.remove(&x)
		return
	}
	t.setKey(&x, v)
}

// remove removes a key that is not in the list or among the slots.
func (t *Table) remove(k *Value) {
	if t.dict == nil {
		return
	}
	if i := t.dict.find(k); i >= 0 {
		t.dict.put(i, &Value{n: tagNil})
	} else if t.dict.far != nil {
		t.setFar(k, &Value{n: tagNil})
	}
}

// setKey sets the value of a key of the dictionary, which is not nil.
func (t *Table) setKey(k, v *Value) {
	if t.dict == nil {
		t.toDict(1)
	} else if i := t.dict.find(k); i >= 0 {
		t.dict.put(i, v)
		return
	} else if t.dict.far != nil {
		t.setFar(k, v)
		return
	}
	t.addKey(k, v)
}

// addKey adds a key to the dictionary that is not there.
func (t *Table) addKey(k, v *Value) {
	t.shape.heap.entries(t.Entries() + 1)
	if d := t.dict; d.full() {
		if d.whole > 0 && isWhole(k) && t.gather() {
			t.setInt(int(k.Float()), v) // which may be an item by now
			return
		}
		if d.full() {
			d.rebuild(t, 1)
		}
	}
	t.dict.add(k, v)
}

// toDict moves all text keys into a dictionary, with room for some more. O(keys).
func (t *Table) toDict(more int) {
	if t.dict != nil {
		return
	}
	keys := t.shape.keys
	d := t.newDict(len(keys) + more)
	for i, k := range keys {
		x := Text(k)
		d.add(&x, t.slot(uintptr(i)*16))
	}
	t.dict, t.shape, t.slots, t.room = d, t.shape.heap.keyed, nil, 0
}

// Entries returns how many items, holes included, and how many keys the table has. O(1).
func (t *Table) Entries() int {
	n := t.length() + len(t.shape.keys)
	if t.dict != nil {
		n += t.dict.live
	}
	return n
}

// Next returns the key after another one, with its value, in the order of pairs; Nil is
// before the first one, and after the last one. passed is how many places without a value
// lay between them, and is below 0 if the table never had the key.
func (t *Table) Next(after Value) (key, value Value, passed int) { return t.next(&after) }

func (t *Table) next(after *Value) (key, value Value, passed int) {
	i := 0
	if after.n < tagBase {
		f := after.Float()
		if i = int(f); float64(i) != f || i < 1 || i > t.length() {
			return t.nextKey(after, 0)
		}
	} else if after.n != tagNil {
		return t.nextKey(after, 0)
	}
	from := i
	for ; i < len(t.nums); i++ {
		if x := t.nums[i]; x != tagNil {
			return Number(float64(i + 1)), Value{n: x}, i - from
		}
	}
	for ; i < len(t.items); i++ {
		if x := &t.items[i]; x.n != tagNil {
			return Number(float64(i + 1)), *x, i - from
		}
	}
	return t.nextKey(nil, i-from)
}

// nextKey goes on among the keys, after one of them or, if that is nil, from the first one.
func (t *Table) nextKey(after *Value, passed int) (Value, Value, int) {
	if t.dict != nil && t.dict.far != nil {
		k := Value{n: tagNil}
		if after != nil {
			k = clean(*after)
		}
		if f := t.Foreign(); f != nil {
			return f.Next(k)
		}
		return t.next(&k)
	}
	i := 0
	if after != nil {
		i = t.place(after) + 1
		if i == 0 {
			return Value{n: tagNil}, Value{n: tagNil}, -1
		}
		if i < 0 {
			i = 0
		}
	}
	if d := t.dict; d != nil {
		return t.nextEntry(d, i, passed)
	}
	for keys := t.shape.keys; i < len(keys); i++ {
		if x := t.slot(uintptr(i) * 16); x.n != tagNil {
			t.last = uint8(i)
			return Text(keys[i]), *x, passed
		}
		passed++
	}
	return Value{n: tagNil}, Value{n: tagNil}, passed
}

func (t *Table) nextEntry(d *dict, i, passed int) (Value, Value, int) {
	first := i <= d.head
	if first {
		i = d.head
	}
	for ; i < len(d.entries); i++ {
		if e := &d.entries[i]; e.value.n != tagNil {
			if first {
				d.head = i
			}
			d.last = i
			return e.key, e.value, passed
		}
		passed++
	}
	if first {
		d.head = i
	}
	return Value{n: tagNil}, Value{n: tagNil}, passed
}

// place returns where a key is among the keys; beforeFirst for an item that the list may
// have lost, and -1 for what never was a key.
func (t *Table) place(k *Value) int {
	if d := t.dict; d != nil {
		if i := d.place(k); i >= 0 {
			return i
		}
	} else if keys := t.shape.keys; k.n == tagStr && len(keys) > 0 {
		if i := int(t.last); i < len(keys) && unsafe.Pointer(keys[i]) == k.p {
			return i
		}
		if i := t.shape.find((*Str)(k.p)); i >= 0 {
			return i
		}
	}
	if f := k.Float(); k.n < tagBase && f >= 1 && f <= float64(t.listRoom()) && f == float64(int(f)) {
		return beforeFirst
	}
	return -1
}

// beforeFirst is the place of the list before the keys.
const beforeFirst = -2

// Bytes returns how many bytes the table takes, without its values. O(1).
func (t *Table) Bytes() int {
	n := tableBytes + 16*int(t.room) + 8*cap(t.nums) + 16*cap(t.items)
	if t.dict != nil {
		n += t.dict.bytes()
	}
	if t.rare != nil {
		n += t.rare.bytes()
	}
	return n
}

// renew gives a table with a retired shape that of today.
func (t *Table) renew() {
	if s := t.shape.current(); s != nil {
		t.shape = s
	}
}
