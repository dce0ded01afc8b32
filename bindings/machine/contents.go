package machine

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// Contents is what a table had under its keys at one moment, and how it had it: which item is
// missing in its list, which keys were removed and still have a place in the order of pairs, and
// how much room there was. So a table that gets it back does all later assignments as the first one
// would have. It has neither the metatable nor what the values lead to.
//
// Why so exact? The order of pairs and the length of a list with holes follow from how a table
// came to be, and a run that goes on from a copy has to be the run that was never stopped.
//
// The zero Contents is empty and ready. It keeps its memory from one Take to the next.
type Contents struct {
	shape    *Shape
	fixed    bool
	slots    []Value
	slotRoom uint8
	nums     []uint64
	items    []Value
	wide     bool // the list is items
	listRoom int
	keyed    bool // there was a dictionary, of which follows what it had
	entries  []pair
	index    []uint32
	room     int
	live     int
	whole    int
	head     int
}

// Elsewhere reports whether the content of a table is not its own, so that no copy of it can be
// taken: somebody else has it, too.
func (t *Table) Elsewhere() bool { return t.dict != nil && t.dict.far != nil }

// Take copies what a table has, which is its own. O(table).
func (c *Contents) Take(t *Table) {
	c.shape, c.fixed, c.slotRoom = t.shape, t.isFixed(), t.room
	c.slots = append(c.slots[:0], unsafe.Slice((*Value)(t.slots), len(t.shape.keys))...)
	c.nums, c.items = append(c.nums[:0], t.nums...), append(c.items[:0], t.items...)
	c.wide, c.listRoom = t.items != nil, t.listRoom()
	c.entries, c.index = c.entries[:0], c.index[:0]
	d := t.dict
	if c.keyed = d != nil; !c.keyed {
		return
	}
	c.entries, c.index = append(c.entries, d.entries...), append(c.index, d.index...)
	c.room, c.live, c.whole, c.head = cap(d.entries), d.live, d.whole, d.head
}

// Put makes a table of the same heap have what the content was taken of, in place of what it has.
// The metatable stays. O(content).
func (c *Contents) Put(t *Table) {
	c.putList(t)
	t.last, t.sealed = 0, c.fixed
	if !c.keyed {
		t.dict = nil
		c.putSlots(t)
		return
	}
	t.shape, t.slots, t.room = t.shape.heap.keyed, nil, 0
	d := t.dict
	if d == nil || d.far != nil || cap(d.entries) != c.room {
		d = t.newDict(0)
		d.entries, d.index = make([]pair, 0, c.room), make([]uint32, len(c.index))
		if len(c.index) == 0 {
			d.index = nil
		}
		t.dict = d
	}
	d.built++ // places have changed
	clear(d.entries[:cap(d.entries)])
	d.entries = append(d.entries[:0], c.entries...)
	copy(d.index, c.index)
	d.live, d.whole, d.head, d.last = c.live, c.whole, c.head, 0
}

// putList puts the items of the list.
func (c *Contents) putList(t *Table) {
	if c.wide {
		t.nums = nil
		if cap(t.items) != c.listRoom {
			t.grow(16 * c.listRoom)
			t.items = make([]Value, 0, c.listRoom)
		}
		clear(t.items[:cap(t.items)])
		t.items = append(t.items[:0], c.items...)
		return
	}
	t.items = nil
	if cap(t.nums) != c.listRoom {
		t.grow(8 * c.listRoom)
		t.nums = nil
		if c.listRoom > 0 {
			t.nums = make([]uint64, 0, c.listRoom)
		}
	}
	t.nums = append(t.nums[:0], c.nums...)
}

// putSlots puts the values of text keys.
func (c *Contents) putSlots(t *Table) {
	if t.room != c.slotRoom {
		t.grow(16 * int(c.slotRoom))
		t.slots, t.room = unsafe.Pointer(unsafe.SliceData(make([]Value, c.slotRoom))), c.slotRoom
	}
	slots := unsafe.Slice((*Value)(t.slots), t.room)
	clear(slots)
	copy(slots, c.slots)
	t.shape = c.shape
}

// Bytes returns about what the table took. O(1).
func (c *Contents) Bytes() int {
	n := tableBytes + 16*int(c.slotRoom) + 8*c.listRoom
	if c.wide {
		n += 8 * c.listRoom
	}
	if c.keyed {
		n += dictBytes + tableOf(c.room)
	}
	return n
}

// Survey visits all entries of a table of which the key or the value leads further: those that are
// neither numbers, truths nor texts. It returns how many bytes the texts have. O(table), but O(1)
// for a list of numbers.
func (t *Table) Survey(visit func(k, v Value)) (text int) {
	for i := range t.items {
		text += survey(Number(float64(i+1)), t.items[i], visit)
	}
	for i, k := range t.shape.keys {
		text += len(k.s)
		text += survey(Text(k), *t.slot(uintptr(i) * 16), visit)
	}
	if t.dict == nil {
		return text
	}
	for i := range t.dict.entries {
		e := &t.dict.entries[i]
		text += survey(e.key, e.value, visit)
		if s := e.key.Str(); s != nil {
			text += s.Len()
		}
	}
	return text
}

// survey visits one entry, unless it was removed, and returns the bytes of its text.
func survey(k, v Value, visit func(k, v Value)) (text int) {
	if v.n == tagNil {
		return 0
	}
	if v.n > tagStr || k.n > tagStr || k.IsBool() && v.n > tagStr {
		visit(k, v)
	}
	if s := v.Str(); s != nil {
		return s.Len()
	}
	return 0
}

// Outline is Contents in a form that knows nothing of the machine that it came from.
type Outline struct {
	List         []Value // nil for items that are missing
	ListCapacity int
	Keys         []LaidKey // in the order of pairs; a value is nil if the key was removed
	Dict         int       // room of the dictionary that has the keys; 0: a record has them
	Number       uint64    // in the text of the table, for whoever keeps it; 0: none
}

// LaidKey is a key of an outline, nil for one that has moved to the list, with its value.
type LaidKey struct{ Key, Value Value }

// Outline returns what the content was. O(content).
func (c *Contents) Outline() (l Outline) {
	l.ListCapacity = c.listRoom
	for _, n := range c.nums {
		l.List = append(l.List, Value{n: n})
	}
	l.List = append(l.List, c.items...)
	if !c.keyed {
		for i := range c.slots {
			l.Keys = append(l.Keys, LaidKey{Text(c.shape.keys[i]), c.slots[i]})
		}
		return l
	}
	l.Dict = c.room
	for _, e := range c.entries {
		if e.key.n == tagErased {
			e.key = Nil
		}
		l.Keys = append(l.Keys, LaidKey{e.key, e.value})
	}
	return l
}

// Bytes returns about what a table of the outline will take: as much as [Contents.Bytes] said of the
// table that the outline is of, or less. O(list).
func (l *Outline) Bytes() int64 {
	n := int64(tableBytes) + 8*int64(l.ListCapacity)
	if slices.ContainsFunc(l.List, func(v Value) bool { return v.n >= tagStr }) {
		n += 8 * int64(l.ListCapacity)
	}
	switch {
	case l.Dict == 0:
		return n + 16*int64(len(l.Keys))
	case l.Dict > fewEntries:
		n += 8 * int64(l.Dict)
	}
	return n + int64(dictBytes) + int64(entryBytes)*int64(l.Dict)
}

// Check says why no table can be as an outline says, nil if one can be. O(layout).
func (l *Outline) Check() error {
	n := len(l.List)
	switch {
	case n > 0 && l.List[n-1].IsNil():
		return errors.New("the last item of the list is nil")
	case l.ListCapacity < n || uint(l.ListCapacity) > maxRoom:
		return fmt.Errorf("a list of %d items has room for %d", n, l.ListCapacity)
	case l.Dict == 0 && len(l.Keys) > maxKeys:
		return fmt.Errorf("a record of %d keys", len(l.Keys))
	case l.Dict != 0 && (l.Dict < len(l.Keys) || uint(l.Dict) > maxRoom || l.Dict < firstEntries || l.Dict&(l.Dict-1) != 0):
		return fmt.Errorf("a dictionary of %d keys has room for %d", len(l.Keys), l.Dict)
	}
	for i := range l.Keys {
		if err := l.checkKey(&l.Keys[i]); err != nil {
			return err
		}
	}
	return nil
}

// maxRoom is above what any table of a script has room for.
const maxRoom = 1 << 31

// checkKey is Check for one key.
func (l *Outline) checkKey(e *LaidKey) error {
	k := &e.Key
	switch {
	case l.Dict == 0 && k.n != tagStr:
		return errors.New("a record has a key that is no text")
	case l.Dict == 0 && k.Str().Len() > longestKey:
		return errors.New("a record has a key that is too long for one")
	case k.n == tagNil && e.Value.n != tagNil:
		return errors.New("a key that is gone has a value")
	case k.n < tagBase && k.Float() != k.Float():
		return errors.New("a key is NaN")
	case k.n == 1<<63:
		return errors.New("a key is -0")
	case isWhole(k) && k.Float() <= float64(len(l.List)):
		return fmt.Errorf("the key %v is in the list and among the keys", k.Float())
	case isWhole(k) && k.Float() == float64(len(l.List)+1) && e.Value.n != tagNil:
		return fmt.Errorf("the key %v belongs to the list", k.Float())
	}
	return nil
}

// Lay makes an empty table as an outline says that Check has found nothing wrong with. It returns
// false if two keys are the same; the table is empty then. O(layout).
func (t *Table) Lay(l *Outline) bool {
	meta := t.meta
	t.Clear()
	t.meta = nil
	defer func() { t.meta = meta }()
	if len(l.List) > 0 || l.ListCapacity > 0 {
		t.resizeTo(l.ListCapacity)
		for i := range l.List {
			t.push(&l.List[i])
		}
	}
	if l.Dict == 0 {
		return t.laySlots(l)
	}
	return t.layDict(l)
}

// laySlots gives a table the keys of a record, as long as the machine has room for one more shape.
func (t *Table) laySlots(l *Outline) bool {
	for i := range l.Keys {
		k := l.Keys[i].Key.Str()
		if t.shape.find(k) >= 0 {
			t.Clear()
			return false
		}
		s := t.shape.add(k)
		if s == nil { // it is full: a dictionary has the same order
			t.Clear()
			keyed := *l
			keyed.Dict = entriesFor(len(l.Keys) + 1)
			return t.Lay(&keyed)
		}
		t.addSlot(s, &l.Keys[i].Value)
	}
	return true
}

// layDict gives a table a dictionary.
func (t *Table) layDict(l *Outline) bool {
	t.grow(tableOf(l.Dict))
	d := &dict{entries: make([]pair, 0, l.Dict), built: 1}
	if l.Dict > fewEntries {
		d.index = make([]uint32, 2*l.Dict)
	}
	t.dict, t.shape, t.slots, t.room = d, t.shape.heap.keyed, nil, 0
	for i := range l.Keys {
		e := &l.Keys[i]
		if e.Key.n == tagNil {
			d.entries = append(d.entries, pair{Value{n: tagErased}, Value{n: tagNil}})
			continue
		}
		if d.find(&e.Key) >= 0 {
			t.Clear()
			return false
		}
		d.add(&e.Key, &e.Value)
	}
	return true
}
