package machine

import "unsafe"

// Table is a table of Lua.
type Table struct {
	shape *Shape         // heap.keyed: all keys are in dict
	slots unsafe.Pointer // the values of the shape's keys
	meta  *Table
	nums  []uint64 // the list, as long as it holds numbers, booleans and nil
	items []Value  // the list, once it holds something else
	dict  *dict
	room  uint32 // how many slots there are
	last  int32  // where Next was last, a guess
	mark  uint32 // of the last walk that has met it
}

type dict struct{}

// NewTable makes a table with room for a list and for text keys.
func (h *Heap) NewTable(list, keys int) *Table { return &Table{shape: h.root} }

// Metatable returns the metatable, or nil.
func (t *Table) Metatable() *Table { return t.meta }

// SetMetatable replaces the metatable; nil removes it.
func (t *Table) SetMetatable(m *Table) { t.meta = m }

// Get returns the value of a key without metatables, nil where there is none.
func (t *Table) Get(k Value) Value { return Nil }

// GetStr returns the value of a text key.
func (t *Table) GetStr(k *Str) Value { return Nil }

// GetString returns the value of the key with these bytes.
func (t *Table) GetString(k string) Value { return Nil }

// GetInt returns the value of a whole number as a key.
func (t *Table) GetInt(i int) Value { return Nil }

// Set sets the value of a key without metatables; nil removes it. It returns false, and
// changes nothing, if the key is nil or no number.
func (t *Table) Set(k, v Value) bool { return false }

// SetStr sets the value of a text key.
func (t *Table) SetStr(k *Str, v Value) {}

// SetString sets the value of the key with these bytes.
func (t *Table) SetString(k string, v Value) {}

// SetInt sets the value of a whole number as a key.
func (t *Table) SetInt(i int, v Value) {}

// Len returns the length of the list: a border, as Lua calls it. O(1).
func (t *Table) Len() int { return 0 }

// Next returns the key after another one, with its value, in the order of pairs; Nil is
// before the first one, and after the last one. passed is how many places without a value
// lay between them, and is below 0 if the table never had the key.
func (t *Table) Next(after Value) (key, value Value, passed int) { return Nil, Nil, 0 }

// Bytes returns how many bytes the table takes, without its values. O(1).
func (t *Table) Bytes() int { return 0 }

// Insert moves the items of the list from i on by one, and puts v there. O(items moved).
func (t *Table) Insert(i int, v Value) {}

// Remove takes the i-th item out of the list, and moves those after it. O(items moved).
func (t *Table) Remove(i int) Value { return Nil }

// The same by pointers, for the loop: what they point to may be a register.

func (t *Table) get(k *Value) Value { return t.Get(*k) }

func (t *Table) set(k, v *Value) bool { return t.Set(*k, *v) }

func (t *Table) getStr(k *Str) Value { return t.GetStr(k) }

func (t *Table) setStr(k *Str, v *Value) { t.SetStr(k, *v) }

func (t *Table) getInt(i int) Value { return t.GetInt(i) }

func (t *Table) setInt(i int, v *Value) { t.SetInt(i, *v) }

func (t *Table) length() int { return t.Len() }

// slot returns the place of a text key's value. Its offset in bytes is 16 times what
// t.shape.find returns.
func (t *Table) slot(offset uintptr) *Value { return (*Value)(unsafe.Add(t.slots, offset)) }

// addSlot gives the table the next text key: shape is what t.shape.add has returned for it.
func (t *Table) addSlot(shape *Shape, v *Value) {}
