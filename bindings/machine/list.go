package machine

import (
	"math"
	"math/bits"
	"slices"
)

// The list of a table: the items from 1 on.
//
// It is nums as long as all items are numbers, booleans or nil, so that the collector need
// not look at it, and items from then on. One of the two is nil.
//
// Invariants: the last item is not nil; the key after it is not in the dictionary. So the
// length of the list is a border, and Len has nothing to search.

const (
	maxIndex = min(1<<53, math.MaxInt) // the largest that a number and an int can both be
	// reach is how many items may be left out where there is room already.
	reach     = 16
	firstList = 4
	// sparse is the length from which a list is asked, when it grows, whether it has more
	// holes than items: a queue that moves on would keep room for all that it ever held.
	sparse = 64
)

// Len returns the length of the list: a border, as Lua calls it. O(1).
func (t *Table) Len() int {
	if t.meta == nil {
		return t.length()
	}
	return t.ruledLen()
}

// ruledLen is Len for a table with a metatable: it may have its content elsewhere.
func (t *Table) ruledLen() int {
	if l := t.unfilled(); l != nil {
		return l.n
	}
	if f := t.Foreign(); f != nil {
		return f.Len()
	}
	return t.length()
}

// length is Len for a table with a list of its own.
func (t *Table) length() int { return len(t.nums) + len(t.items) }

// listRoom returns how many items there is room for.
func (t *Table) listRoom() int { return cap(t.nums) + cap(t.items) }

func (t *Table) getInt(i int) Value {
	if uint(i-1) < uint(len(t.nums)) {
		return Value{n: t.nums[i-1]}
	}
	if uint(i-1) < uint(len(t.items)) {
		return t.items[i-1]
	}
	if t.dict == nil {
		return Value{n: tagNil}
	}
	k := Number(float64(i))
	return t.dict.get(&k)
}

func (t *Table) setInt(i int, v *Value) {
	switch {
	case uint(i-1) < uint(len(t.nums)):
		t.setNum(i, v)
	case uint(i-1) < uint(len(t.items)):
		store(&t.items[i-1], v)
		if v.n == tagNil && i == len(t.items) {
			t.trim()
		}
	case v.n == tagNil:
		k := Number(float64(i))
		t.remove(&k)
	case t.dict != nil && t.dict.far != nil:
		k := Number(float64(i))
		t.setFar(&k, v)
	case i == t.length()+1 || i > 0 && i <= t.length()+reach && i <= t.listRoom() && !t.keyed(i):
		t.extend(i, v)
	default:
		k := Number(float64(i))
		t.setKey(&k, v)
	}
}

// keyed reports whether an index is a key of the dictionary. It stays one when it is set:
// a loop with pairs may do that.
func (t *Table) keyed(i int) bool {
	if t.dict == nil || t.dict.whole == 0 {
		return false
	}
	k := Number(float64(i))
	return t.dict.find(&k) >= 0
}

// put sets an item for an assignment of a script, where that is simple: the item is there,
// or it is the next one, there is room for it, and no metatable objects. It reports whether
// it has. Nothing grows.
func (t *Table) put(index float64, v *Value) bool {
	i := int(index)
	if float64(i) != index || v.n == tagNil {
		return false
	}
	if n := len(t.nums); uint(i-1) < uint(n) {
		x := &t.nums[i-1]
		if v.n >= tagStr || *x == tagNil || t.sealed {
			return false
		}
		*x = v.n
		return true
	} else if i == n+1 && n < cap(t.nums) && v.n < tagStr && t.open() {
		t.nums = t.nums[:i]
		t.nums[n] = v.n
		return true
	}
	if n := len(t.items); uint(i-1) < uint(n) {
		x := &t.items[i-1]
		if x.n == tagNil || t.sealed {
			return false
		}
		store(x, v)
		return true
	} else if i == n+1 && n < cap(t.items) && t.open() {
		t.items = t.items[:i]
		store(&t.items[n], v)
		return true
	}
	return false
}

// open reports whether a next item of the list needs no more than its place: nothing in the
// dictionary could follow it, and no metatable is asked.
func (t *Table) open() bool {
	return (t.dict == nil || t.dict.whole == 0) && (t.meta == nil || t.meta.lacks(evNewindex))
}

// setNum sets an item of a list that held none but numbers.
func (t *Table) setNum(i int, v *Value) {
	if v.n >= tagStr {
		t.widen(len(t.nums), cap(t.nums))
		t.items[i-1] = *v
		return
	}
	t.nums[i-1] = v.n
	if v.n == tagNil && i == len(t.nums) {
		t.trim()
	}
}

// trim takes nil off the end of the list. Each was an item once, or was left out by one of
// few: what it takes has been paid for.
// The room stays, since a loop may ask for the key after an item that it has removed.
func (t *Table) trim() {
	n := len(t.nums)
	for n > 0 && t.nums[n-1] == tagNil {
		n--
	}
	t.nums = t.nums[:n]
	n = len(t.items)
	for n > 0 && t.items[n-1].n == tagNil {
		n--
	}
	t.items = t.items[:n]
}

// extend makes i the last item of the list, and moves those in that follow it.
func (t *Table) extend(i int, v *Value) {
	if i > t.listRoom() && !t.lengthen(i) {
		t.setInt(i, v) // the list has become shorter
		return
	}
	d := t.dict
	if d == nil || d.whole == 0 {
		for t.length() < i-1 {
			t.push(&Value{n: tagNil})
		}
		t.push(v)
		return
	}
	for t.length() < i-1 {
		x := d.take(t.length() + 1)
		t.push(&x)
	}
	d.take(i)
	t.push(v)
	for d.whole > 0 {
		next := t.length() + 1
		k := Number(float64(next))
		at := d.find(&k)
		if at < 0 || d.entries[at].value.n == tagNil {
			return
		}
		if next > t.listRoom() {
			t.resize(next)
		}
		x := d.erase(at)
		t.push(&x)
	}
}

// push puts an item at the end, where there is room.
func (t *Table) push(v *Value) {
	if v.n >= tagStr && t.items == nil {
		t.widen(len(t.nums), cap(t.nums))
	}
	if t.items != nil {
		n := len(t.items)
		t.items = t.items[:n+1]
		store(&t.items[n], v)
		return
	}
	t.nums = append(t.nums, v.n)
}

// setList sets the items from first on: those of a constructor.
func (t *Table) setList(first int, values []Value) {
	last := first + len(values) - 1
	if len(values) > 0 && values[len(values)-1].n == tagNil {
		if t.rare == nil {
			t.rare = &rare{}
		}
		t.rare.ends = last
	}
	if t.length() == first-1 && t.dict == nil && len(values) > 0 {
		t.setNew(last, values)
		return
	}
	if t.items != nil && first >= 1 && last < t.length() {
		for i := range values {
			store(&t.items[first-1+i], &values[i])
		}
		return
	}
	for i := range values {
		t.setInt(first+i, &values[i])
	}
}

// setNew appends items to the list. There is no dictionary that could have some of them.
func (t *Table) setNew(last int, values []Value) {
	t.shape.heap.entries(last + len(t.shape.keys))
	if t.items == nil && slices.ContainsFunc(values, func(v Value) bool { return v.n >= tagStr }) {
		t.widen(len(t.nums), max(last, cap(t.nums)))
	} else if last == len(values) && last > t.listRoom() {
		t.resizeTo(last) // all of a small constructor
	} else if last > t.listRoom() {
		t.resize(last)
	}
	for i := range values {
		t.push(&values[i])
	}
	t.trim()
}

// widen makes the list one for all values.
func (t *Table) widen(n, room int) {
	t.grow(16 * room)
	items := make([]Value, n, room)
	for i, x := range t.nums {
		items[i].n = x
	}
	t.items, t.nums = items, nil
}

// lengthen makes room for the i-th item. It returns false if the list is better kept in
// the dictionary, but for its beginning.
func (t *Table) lengthen(i int) bool {
	if n := t.length(); n >= sparse && t.dense(n) < n {
		t.scatter()
		return false
	}
	t.shape.heap.entries(t.Entries() + 1)
	t.resize(i)
	return true
}

// pastLimit is for how many items a list gets room at a time that has more than it may have: item by item, it would be
// copied for each.
const pastLimit = 4096

// resize gives the list room for at least i items.
func (t *Table) resize(i int) {
	room := max(firstList, 1<<bits.Len(uint(i-1)))
	switch most := t.shape.heap.MaxEntries; {
	case most > 0 && i > most: // which the script is about to hear of
		room = i + pastLimit
	case most > 0:
		room = min(room, most) // so that the limit is met exactly
	}
	t.resizeTo(room)
}

func (t *Table) resizeTo(room int) {
	if t.items != nil {
		t.grow(16 * room)
		items := make([]Value, len(t.items), room)
		copy(items, t.items)
		t.items = items
		return
	}
	t.grow(8 * room)
	nums := make([]uint64, len(t.nums), room)
	copy(nums, t.nums)
	t.nums = nums
}

// dense returns n if at least a quarter of the list is there, and if not, how many items it
// begins with before the first hole.
func (t *Table) dense(n int) (prefix int) {
	live := 0
	for i := 1; i <= n; i++ {
		if t.item(i).n != tagNil {
			if live++; live == i {
				prefix = i
			}
			if 4*live >= n {
				return n
			}
		}
	}
	return prefix
}

// live counts the items of the list that are not nil. O(items).
func (t *Table) live() (n int) {
	for i := 1; i <= t.length(); i++ {
		if t.item(i).n != tagNil {
			n++
		}
	}
	return n
}

// item returns an item of the list.
func (t *Table) item(i int) Value {
	if t.items != nil {
		return t.items[i-1]
	}
	return Value{n: t.nums[i-1]}
}

// scatter moves all items after the first hole into the dictionary. O(items); so many
// were removed before that it has been paid for.
func (t *Table) scatter() {
	n := t.length()
	keep := t.dense(n)
	if more := t.live() - keep; t.dict == nil {
		t.toDict(more)
	} else if len(t.dict.entries)+more > cap(t.dict.entries) {
		t.dict.rebuild(t, more)
	}
	old := Table{shape: t.shape, nums: t.nums, items: t.items}
	t.nums, t.items = nil, nil
	if keep > 0 {
		t.resize(keep)
		for i := 1; i <= keep; i++ {
			x := old.item(i)
			t.push(&x)
		}
	}
	for i := keep + 1; i <= n; i++ {
		if x := old.item(i); x.n != tagNil {
			k := Number(float64(i))
			t.dict.add(&k, &x)
		}
	}
}

// gather moves keys of the dictionary into the list if the list would be more than half
// full with them, as far as that goes. It reports whether it has moved any. O(entries).
func (t *Table) gather() bool {
	d, n := t.dict, t.length()
	if n > 4*len(d.entries) {
		return false // to count the items would take longer than what has been paid for
	}
	var counts [bits.UintSize]int // of the keys k with bits.Len(k-1) == i
	for i := range d.entries {
		if e := &d.entries[i]; e.value.n != tagNil && isWhole(&e.key) {
			counts[bits.Len(uint(e.key.Float())-1)]++
		}
	}
	best, total := 0, t.live()
	for i := range min(48, bits.UintSize-1) {
		total += counts[i]
		if size := 1 << i; size > n && counts[i] > 0 && 2*total > size {
			best = size
		}
	}
	if best == 0 {
		return false
	}
	t.absorb(best)
	return true
}

// absorb moves all keys up to best into the list.
func (t *Table) absorb(best int) {
	d := t.dict
	most := 0
	for i := range d.entries {
		if e := &d.entries[i]; e.value.n != tagNil && isWhole(&e.key) && e.key.Float() <= float64(best) {
			most = max(most, int(e.key.Float()))
		}
	}
	if most > t.listRoom() {
		t.resize(best)
	}
	for t.length() < most-1 {
		x := d.take(t.length() + 1)
		t.push(&x)
	}
	x := d.take(most)
	t.extend(most, &x)
}

// Items appends the items from i to j of the list to others and returns them all,
// 1 ≤ i, j ≤ Len().
func (t *Table) Items(to []Value, i, j int) []Value {
	if t.items != nil {
		return append(to, t.items[i-1:j]...)
	}
	if t.Foreign() != nil {
		for ; i <= j; i++ {
			to = append(to, t.getInt(i))
		}
		return to
	}
	for _, n := range t.nums[i-1 : j] {
		to = append(to, Value{n: n})
	}
	return to
}

// SetItems sets the items from i on.
func (t *Table) SetItems(i int, values []Value) { t.setList(i, values) }

// MaxN returns the greatest positive number among the keys, 0 if there is none. O(keys).
func (t *Table) MaxN() float64 {
	most, elsewhere := float64(t.Len()), t.Foreign() != nil
	if t.dict == nil {
		return most
	}
	for k, _, _ := t.Next(Nil); elsewhere && k.n != tagNil; k, _, _ = t.Next(k) {
		if k.n < tagBase {
			most = max(most, k.Float())
		}
	}
	for i := range t.dict.entries {
		if e := &t.dict.entries[i]; e.value.n != tagNil && e.key.n < tagBase {
			most = max(most, e.key.Float())
		}
	}
	return most
}

// RestoreLen makes the list end at n again, after all writes since then were undone: where
// items are missing, the length depends on how the table came to be. It does nothing if n is
// no border. O(items between).
func (t *Table) RestoreLen(n int) {
	if t.Foreign() != nil || n > 0 && t.getInt(n).n == tagNil || t.getInt(n+1).n != tagNil {
		return
	}
	if n > t.listRoom() {
		t.resize(n)
	}
	for t.Len() < n {
		x := t.dict.take(t.Len() + 1)
		t.push(&x)
	}
	for i := t.Len(); i > n; i = t.Len() {
		t.toDict(i - n)
		if t.dict.full() {
			t.dict.rebuild(t, 1)
		}
		k, x := Number(float64(i)), t.item(i)
		t.dict.add(&k, &x)
		t.setInt(i, &Value{n: tagNil})
	}
}

// Insert moves the items of the list from i on by one and puts v there, 1 ≤ i ≤ Len()+1.
// O(items moved).
func (t *Table) Insert(i int, v Value) {
	n := t.Len()
	if i > n {
		t.setInt(i, &v)
		return
	}
	last := t.getInt(n)
	t.setInt(n+1, &last)
	switch {
	case t.Len() <= n || t.Foreign() != nil: // it was a sparse list, or the items are elsewhere
		for j := n; j > i; j-- {
			x := t.getInt(j - 1)
			t.setInt(j, &x)
		}
	case t.items != nil:
		copy(t.items[i:n], t.items[i-1:])
	default:
		copy(t.nums[i:n], t.nums[i-1:])
	}
	t.setInt(i, &v)
}

// Remove takes the i-th item out of the list and moves those after it, 1 ≤ i ≤ Len().
// O(items moved).
func (t *Table) Remove(i int) Value {
	n := t.Len()
	v := t.getInt(i)
	if t.items != nil {
		copy(t.items[i-1:], t.items[i:])
	} else if t.Foreign() != nil {
		for ; i < n; i++ {
			x := t.getInt(i + 1)
			t.setInt(i, &x)
		}
	} else {
		copy(t.nums[i-1:], t.nums[i:])
	}
	t.setInt(n, &Value{n: tagNil})
	return v
}
