package lua

import (
	"iter"

	"github.com/perigee-ecs/perigee/bindings/machine"
)

func table(t *LTable) *machine.Table { return (*machine.Table)(t) }

// tableValue returns a table or nil as a value.
func tableValue(t *machine.Table) LValue {
	if t == nil {
		return LNil
	}
	return (*LTable)(t)
}

// RawGet returns the value of a key, without metamethods.
func (t *LTable) RawGet(key LValue) LValue {
	if k, ok := key.(LString); ok {
		return t.RawGetString(string(k))
	}
	return FromValue(table(t).Get(ToValue(key)))
}

// RawGetString returns the value of a text key.
func (t *LTable) RawGetString(key string) LValue { return FromValue(table(t).GetString(key)) }

// RawGetInt returns the value of a whole number as a key.
func (t *LTable) RawGetInt(key int) LValue { return FromValue(table(t).GetInt(key)) }

// RawSet sets the value of a key, without metamethods.
func (t *LTable) RawSet(key, v LValue) { table(t).Set(ToValue(key), ToValue(v)) }

// RawSetString sets the value of a text key.
func (t *LTable) RawSetString(key string, v LValue) { table(t).SetString(key, ToValue(v)) }

// RawSetInt sets the value of a whole number as a key.
func (t *LTable) RawSetInt(key int, v LValue) { table(t).SetInt(key, ToValue(v)) }

// Len returns the length of the list.
func (t *LTable) Len() int { return table(t).Len() }

// MaxN returns the largest whole number that is a key.
func (t *LTable) MaxN() int { return int(table(t).MaxN()) }

// Append adds an item to the list.
func (t *LTable) Append(v LValue) { table(t).SetInt(table(t).Len()+1, ToValue(v)) }

// Remove takes an item out of the list: the last one where i is below 1, and none where it is
// above the length.
func (t *LTable) Remove(i int) LValue {
	n := t.Len()
	if i < 1 {
		i = n
	}
	if i < 1 || i > n {
		return LNil
	}
	return FromValue(table(t).Remove(i))
}

// RestoreLen makes Len what it was, after all writes since then were undone.
func RestoreLen(t *LTable, n int) { table(t).RestoreLen(n) }

// Next returns the key after another one, with its value.
func (t *LTable) Next(key LValue) (LValue, LValue) {
	k, v, _ := table(t).Next(ToValue(key))
	return FromValue(k), FromValue(v)
}

// All goes through a table in the order of Next. The loop may set what is there, to nil as well. Unlike one
// that calls Next, it does not look for a key that is a long text by all of its bytes.
func All(t *LTable) iter.Seq2[LValue, LValue] {
	return func(yield func(key, v LValue) bool) {
		for k, v, _ := table(t).Next(machine.Nil); !k.IsNil(); k, v, _ = table(t).Next(k) {
			if !yield(FromValue(k), FromValue(v)) {
				return
			}
		}
	}
}

// ForEach calls f for each key.
func (t *LTable) ForEach(f func(key, v LValue)) {
	for k, v := range All(t) {
		f(k, v)
	}
}

// Metatable returns the metatable of a table, LNil for none.
func Metatable(t *LTable) LValue { return tableValue(table(t).Metatable()) }

// SetMetatable gives a table a metatable, or LNil for none.
func SetMetatable(t *LTable, meta LValue) {
	m, _ := meta.(*LTable)
	table(t).SetMetatable(table(m))
}

// Empty makes an empty table with a metatable.
func Empty(meta *LTable) *LTable {
	t := table(meta).Heap().NewTable(0, 0)
	t.SetMetatable(table(meta))
	return (*LTable)(t)
}

// NewFixed makes a table with room for items and keys that the caller fills and then gives to Fix.
func NewFixed(L *LState, items, keys int) *LTable {
	return (*LTable)(VM(L).Heap.NewFixed(items, keys))
}

// Fix ends the filling of a table of NewFixed: it does not change any more, and what scripts assign
// is asked of the function __newindex of its metatable.
func Fix(t, meta *LTable) { table(t).Fix(table(meta)) }

// FixInPlace makes a table one that scripts read as any table, and in which they assign nothing by
// themselves: __newindex of the metatable is asked for the keys that it has, too. It returns false,
// and does nothing, if the table has its content elsewhere. O(text keys).
func FixInPlace(t, meta *LTable) bool { return table(t).FixInPlace(table(meta)) }

// Move gives a table, to, all that another one has, its metatable as well, and has an empty
// one with the metatable meta, or nil for none, in its place. Who holds the first holds the
// same table as before. O(1).
func Move(from, to, meta *LTable) {
	table(from).MoveTo(table(to))
	table(from).SetMetatable(table(meta))
}

// Blanks makes tables that get their content by Move. The zero Blanks is ready.
type Blanks struct{ in machine.Blanks }

// Next returns an empty table.
func (b *Blanks) Next(L *LState) *LTable { return (*LTable)(b.in.Next(VM(L).Heap)) }

// Clear takes all from a table, and gives it a metatable, or LNil for none.
func Clear(t *LTable, meta LValue) {
	table(t).Clear()
	SetMetatable(t, meta)
}

// NoteAbsent notes beside a table that a key was written in its constructor, and that its
// value came to nil. No script sees it.
func NoteAbsent(t *LTable, key string) { table(t).NoteAbsent(key) }

// Absent returns the keys that were noted, in no order.
func Absent(t *LTable) []string { return table(t).Absent() }

// Entries returns how many items, holes included, and how many keys a table has. O(1).
func Entries(t *LTable) int { return table(t).Entries() }

// Longest returns the highest index up to which a table may have items.
func Longest(t *LTable) int { return max(table(t).Len(), t.MaxN(), table(t).Ends()) }

// NewUserData makes a userdata of a Go value, with a metatable or nil for none.
func NewUserData(v any, meta *LTable) *LUserData {
	u := new(LUserData)
	InitUserData(u, v, meta)
	return u
}

// InitUserData makes a userdata in its place.
func InitUserData(u *LUserData, v any, meta *LTable) {
	u.Value = v
	(*machine.Userdata)(u).SetMetatable(table(meta))
}

// MetatableOf returns the metatable of a userdata, nil for none.
func MetatableOf(u *LUserData) *LTable { return (*LTable)((*machine.Userdata)(u).Metatable()) }

// NumberOf returns the number that a variable holds, and whether it holds one.
func NumberOf(u *Upvalue) (x float64, ok bool) {
	v := (*machine.Upvalue)(u).Get()
	return v.Float(), v.IsNumber()
}

// NumberUnder returns the number that a table has under a text key, and whether it has one.
func NumberUnder(t *LTable, key string) (x float64, ok bool) {
	v := table(t).GetString(key)
	return v.Float(), v.IsNumber()
}

// NumberItem returns the number that a table has under a whole number, and whether it has one.
func NumberItem(t *LTable, i int) (x float64, ok bool) {
	v := table(t).GetInt(i)
	return v.Float(), v.IsNumber()
}
