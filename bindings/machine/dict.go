package machine

import (
	"math/bits"
	"unsafe"
)

// dict is a hash that keeps the order in which keys were first set.
//
// Why is a removed key kept until there is no room left? A loop with pairs asks for the key
// after the last one, and may have removed that. Keys are only thrown out when a new one
// comes, which such a loop may not do.
//
// Invariants: a key is in entries once, with its hash's place in index, if there is one;
// live entries have a value, and there are as many as live says; whole is how many have
// positive whole numbers as keys, removed ones too; entries before head are not live.
type dict struct {
	entries []pair
	index   []uint32 // open addressing: the place of an entry, plus 1, below bits of its hash; nil if they are few
	live    int
	whole   int
	head    int
	built   uint32 // how often places have changed
	last    int    // the entry that Next has returned last, a guess
	far     *far   // nil but for a table that has its content elsewhere; there are no entries then
}

// pair is a key and its value, nil if the key was removed. The key of an entry that has
// moved to the list is tagErased.
type pair struct{ key, value Value }

const (
	firstEntries = 4
	fewEntries   = 8 // that are found one by one
	entryBytes   = int(unsafe.Sizeof(pair{}))
	dictBytes    = int(unsafe.Sizeof(dict{}))
)

// newDict makes a dictionary with room for so many keys.
func (t *Table) newDict(keys int) *dict {
	room := entriesFor(keys)
	t.grow(dictBytes + tableOf(room))
	d := &dict{entries: make([]pair, 0, room), built: 1}
	if room > fewEntries {
		d.index = make([]uint32, 2*room)
	}
	return d
}

// entriesFor returns how many entries there is room for if so many are live: a quarter of
// them is free, so that the next time is far away.
func entriesFor(live int) int {
	room := firstEntries
	for 4*live > 3*room {
		room *= 2
	}
	return room
}

// tableOf returns the bytes of the arrays of a dictionary.
func tableOf(room int) int {
	if room > fewEntries {
		return room*entryBytes + 2*room*4
	}
	return room * entryBytes
}

func (d *dict) bytes() int { return dictBytes + cap(d.entries)*entryBytes + len(d.index)*4 }

// seeds of the hash of keys that are no texts.
var seedA, seedB = uint64(hashOf("a"))<<32 | uint64(hashOf("b")), uint64(hashOf("c"))<<32 | uint64(hashOf("d")) | 1

// hash returns the hash of a key. Objects do not move, so an address will do; no order
// depends on it.
func hash(k *Value) uint32 {
	x := k.n
	if x >= tagStr {
		if x == tagStr {
			return (*Str)(k.p).key()
		}
		x = uint64(uintptr(k.p))
	}
	high, low := bits.Mul64(x^seedA, seedB)
	x = high ^ low
	return uint32(x ^ x>>32)
}

// find returns the place of a key, -1 if it is not there.
func (d *dict) find(k *Value) int {
	if k.n == tagStr {
		return d.findText((*Str)(k.p))
	}
	if d.index == nil {
		for i := range d.entries {
			if d.entries[i].key.is(k) {
				return i
			}
		}
		return -1
	}
	h, mask := hash(k), uint32(len(d.index)-1)
	for at := h & mask; ; at = (at + 1) & mask {
		x := d.index[at]
		if x == 0 {
			return -1
		}
		if i := int(x&mask) - 1; (x^h)&^mask == 0 && d.entries[i].key.is(k) {
			return i
		}
	}
}

// number returns the value of a number of which these are the bits, nil where it is no key.
// Why beside find? A table with numbers as keys is asked most often for those that it has not.
func (d *dict) number(n uint64) Value {
	if n == 1<<63 {
		n = 0
	}
	if d.index == nil {
		return d.get(&Value{n: n})
	}
	high, low := bits.Mul64(n^seedA, seedB)
	x := high ^ low
	h, mask := uint32(x^x>>32), uint32(len(d.index)-1)
	for at := h & mask; ; at = (at + 1) & mask {
		x := d.index[at]
		if x == 0 {
			return Value{n: tagNil}
		}
		if (x^h)&^mask == 0 {
			if e := &d.entries[x&mask-1]; e.key.n == n {
				return e.value
			}
		}
	}
}

// is reports whether two keys are the same, of which one is no text.
func (v *Value) is(k *Value) bool {
	return v.n == k.n && (k.n < tagStr || v.p == k.p)
}

// findText is find for a text. More often than not the key is the same object, so that no
// bytes are compared.
func (d *dict) findText(k *Str) int {
	if d.index == nil {
		for i := range d.entries {
			if e := &d.entries[i]; e.key.p == unsafe.Pointer(k) && e.key.n == tagStr {
				return i
			}
		}
		return d.search(k.key(), k.s)
	}
	h, mask := k.key(), uint32(len(d.index)-1)
	for at := h & mask; ; at = (at + 1) & mask {
		x := d.index[at]
		if x == 0 {
			return -1
		}
		if (x^h)&^mask == 0 {
			i := int(x&mask) - 1
			if e := &d.entries[i]; e.key.n == tagStr && (e.key.p == unsafe.Pointer(k) || (*Str)(e.key.p).has(h, k.s)) {
				return i
			}
		}
	}
}

// search is findText by content.
func (d *dict) search(hash uint32, text string) int {
	if d.index == nil {
		for i := range d.entries {
			if e := &d.entries[i]; e.key.n == tagStr && (*Str)(e.key.p).has(hash, text) {
				return i
			}
		}
		return -1
	}
	mask := uint32(len(d.index) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		x := d.index[at]
		if x == 0 {
			return -1
		}
		if (x^hash)&^mask == 0 {
			i := int(x&mask) - 1
			if e := &d.entries[i]; e.key.n == tagStr && (*Str)(e.key.p).has(hash, text) {
				return i
			}
		}
	}
}

// has reports whether a key of a dictionary is a text.
func (s *Str) has(hash uint32, text string) bool { return s.hash == hash && s.s == text }

// place returns the place of a key that Next has returned last, more often than not.
func (d *dict) place(k *Value) int {
	if d.last < len(d.entries) && d.entries[d.last].key.is(k) {
		return d.last
	}
	if k.n == 1<<63 {
		return d.find(&Value{})
	}
	return d.find(k)
}

// put sets the value of the entry at a place.
func (d *dict) put(i int, v *Value) {
	e := &d.entries[i]
	if was, is := e.value.n != tagNil, v.n != tagNil; was != is {
		if is {
			d.live++
			d.head = min(d.head, i)
		} else {
			d.live--
		}
	}
	store(&e.value, v)
}

// add adds an entry for a key that is not there. There is room for it.
func (d *dict) add(k, v *Value) {
	d.entries = append(d.entries, pair{clean(*k), clean(*v)})
	d.enter(len(d.entries) - 1)
	if v.n != tagNil {
		d.live++
	}
	if isWhole(k) {
		d.whole++
	}
}

// isWhole reports whether a key could be an index of a list.
func isWhole(k *Value) bool {
	if k.n >= tagBase {
		return false
	}
	f := k.Float()
	return f >= 1 && f <= maxIndex && f == float64(int64(f))
}

// enter puts the entry at a place into the index.
func (d *dict) enter(i int) {
	if d.index == nil {
		return
	}
	h, mask := hash(&d.entries[i].key), uint32(len(d.index)-1)
	at := h & mask
	for d.index[at] != 0 {
		at = (at + 1) & mask
	}
	d.index[at] = h&^mask | uint32(i+1)
}

// full reports whether there is no room for one more entry.
func (d *dict) full() bool { return len(d.entries) == cap(d.entries) }

// rebuild throws out removed keys and makes room for so many more. O(entries), and as many
// are added before the next time as a quarter of those that stay.
func (d *dict) rebuild(t *Table, more int) {
	room := entriesFor(d.live + more)
	entries, index := d.entries[:0], d.index
	if room != cap(d.entries) {
		t.grow(tableOf(room))
		entries, index = make([]pair, 0, room), nil
		if room > fewEntries {
			index = make([]uint32, 2*room)
		}
	} else {
		clear(index)
	}
	old := d.entries
	d.whole, d.head = 0, 0
	d.built++
	for i := range old {
		if e := &old[i]; e.value.n != tagNil {
			entries = append(entries, *e)
			if isWhole(&e.key) {
				d.whole++
			}
		}
	}
	if room == cap(old) {
		clear(old[len(entries):])
	}
	d.entries, d.index = entries, index
	for i := range entries {
		d.enter(i)
	}
}

// take removes the positive whole number i as a key, for the list, and returns its value.
// Nothing remembers that it was there.
func (d *dict) take(i int) Value {
	k := Number(float64(i))
	at := d.find(&k)
	if at < 0 {
		return Value{n: tagNil}
	}
	return d.erase(at)
}

// erase makes the entry at a place one that nobody finds, and returns its value.
func (d *dict) erase(at int) Value {
	e := &d.entries[at]
	v := e.value
	if v.n != tagNil {
		d.live--
	}
	e.key, e.value = Value{n: tagErased}, Value{n: tagNil}
	d.whole--
	return v
}
