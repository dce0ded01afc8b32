package lua

import (
	"math"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/machine"
)

// Value is a value of scripts where it must cost nothing to pass one on.
type Value = machine.Value

// Nil is the value nil.
var Nil = machine.Nil

// Number returns the value of a number.
func Number(x float64) Value { return machine.Number(x) }

// Bool returns the value of a boolean.
func Bool(b bool) Value { return machine.Bool(b) }

// Text returns the value of a text.
func Text(s string) Value { return machine.String(s) }

// OfTable returns the value of a table.
func OfTable(t *LTable) Value { return machine.OfTable(table(t)) }

// IsNil reports whether a value is nil.
func IsNil(v Value) bool { return v.IsNil() }

// AsNumber returns the number that a value is.
func AsNumber(v Value) (x float64, ok bool) { return v.Float(), v.IsNumber() }

// AsText returns the text that a value is.
func AsText(v Value) (text string, ok bool) {
	if s := v.Str(); s != nil {
		return s.String(), true
	}
	return "", false
}

// IsPlain reports whether a value is nil, a number, a text or a boolean.
func IsPlain(v Value) bool { return v.IsNil() || v.IsNumber() || v.IsString() || v.IsBool() }

// At returns a value of the running function.
func At(L *LState, i int) Value { return thread(L).Current().Get(i) }

// RawGet returns the value of a key, without metamethods.
func RawGet(t *LTable, key Value) Value { return table(t).Get(key) }

// RawSet sets the value of a key, without metamethods.
func RawSet(t *LTable, key, v Value) { table(t).Set(key, v) }

// PushValue adds a value to those of the running function.
func PushValue(L *LState, v Value) { thread(L).Current().Push(v) }

// Next returns the key of a table after another one, with its value; Nil is before the first
// and after the last.
func Next(t *LTable, after Value) (key, v Value) {
	key, v, _ = table(t).Next(after)
	return key, v
}

// Shape says which text keys a table has, and in which order. It never changes.
type Shape = machine.Shape

// Record returns the shape of a table that has nothing but text keys, with their values in the
// order of pairs, which are nil for keys that are gone; nil for any other table.
func Record(t *LTable) (*Shape, []Value) { return table(t).Record() }

// Fill makes the list of a table without other keys n packed items long, and returns them for
// the caller to set all of them; nil where the machine has no such lists.
func Fill(t *LTable, n int) []uint64 { return table(t).Fill(n) }

// Packed returns the packed items of a table that has nothing else; false for any other.
func Packed(t *LTable) (items []uint64, ok bool) {
	items, ok = table(t).Packed()
	return items, ok && table(t).Entries() == len(items)
}

// CopyNumbers copies the first items of a list, if they are packed and all of them are numbers.
func CopyNumbers(to []float64, t *LTable) bool {
	items, ok := table(t).Packed()
	if !ok || len(items) < len(to) {
		return false
	}
	for i := range to {
		if !machine.PackedNumber(items[i]) {
			return false
		}
		to[i] = math.Float64frombits(items[i])
	}
	return true
}

// Pack returns the packed item of a number.
func Pack(x float64) uint64 { return machine.Pack(x) }

// SetItem sets an item of a list.
func SetItem(t *LTable, i int, v Value) { table(t).SetInt(i, v) }

// Turns is asked before each call of a function that is repeated: see [Repeat].
type Turns = machine.Turns

// Repeat calls a function of Lua until turns ends it. One that takes any number of arguments
// gets n.
func Repeat(L *LState, f *LFunction, n int, turns Turns) {
	thread(L).Current().Repeat(function(f), n, turns)
}

// Keys are text keys with which many tables are made, in their order.
type Keys machine.Keys

// NewKeys makes a list of keys. No name stands there twice.
func NewKeys(L *LState, names []string) *Keys { return (*Keys)(VM(L).Heap.NewKeys(names...)) }

// New makes a table in which all keys are nil.
func (k *Keys) New(*LState) *LTable { return (*LTable)((*machine.Keys)(k).New()) }

// Begin is New for a caller that sets all keys at once, at their places among the values. It
// returns no table where keys have no places.
func (k *Keys) Begin() (*LTable, []Value) {
	t, values := (*machine.Keys)(k).Begin()
	return (*LTable)(t), values
}

// Set sets the ith key, counted from 0, of a table that New has just made.
func (k *Keys) Set(t *LTable, i int, v Value) { (*machine.Keys)(k).Set(table(t), i, v) }

// ItemSource is where a list has its items before it is filled.
type ItemSource = machine.ItemSource

// Defer makes a list of n items that is filled when it is needed as a whole. It stands in
// registers and nowhere else: see [Settle].
func Defer(L *LState, from ItemSource, at unsafe.Pointer, n int) Value {
	return machine.OfTable(VM(L).Heap.NewDeferred(from, n).Begin(at, nil))
}

// Settle fills the lists that were deferred and that somebody has in the call that was begun on
// a thread: their items may change from now on.
func Settle(begun *LState) { VM(begun).Settle(thread(begun)) }

// EndDeferred is called when nobody can have a deferred list any more.
func EndDeferred(L *LState) { VM(L).Heap.EndDeferred() }

// Caller returns the instruction by which a function of Lua has called the running one; nil if it
// was called in another way.
func Caller(L *LState) (p *FunctionProto, pc int) { return thread(L).Current().Caller() }
