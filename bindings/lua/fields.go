//go:build !machine

package lua

import "github.com/yuin/gopher-lua"

// Metatable returns the metatable of a table, LNil for none.
func Metatable(t *LTable) LValue { return t.Metatable }

// SetMetatable gives a table a metatable, or LNil for none.
func SetMetatable(t *LTable, meta LValue) { t.Metatable = meta }

// Empty makes an empty table with a metatable.
func Empty(meta *LTable) *LTable { return &lua.LTable{Metatable: meta} }

// Move gives a table, to, all that another one has, its metatable as well, and has an empty
// one with the metatable meta, or nil for none, in its place. Who holds the first holds the
// same table as before. O(1).
func Move(from, to, meta *LTable) {
	*to = *from
	*from = lua.LTable{Metatable: LNil}
	if meta != nil {
		from.Metatable = meta
	}
}

// Blanks makes tables that get their content by Move. The zero Blanks is ready.
type Blanks struct{ left []LTable }

// blanksAtOnce is how many tables are allocated together. A script that keeps one
// keeps them all.
const blanksAtOnce = 16

// Next returns an empty table.
func (b *Blanks) Next(*LState) *LTable {
	if len(b.left) == 0 {
		b.left = make([]LTable, blanksAtOnce)
	}
	next := &b.left[0]
	b.left = b.left[1:]
	return next
}

// Clear takes all from a table, and gives it a metatable, or LNil for none.
func Clear(t *LTable, meta LValue) { *t = lua.LTable{Metatable: meta} }

// Proto returns what the compiler has made of a function of Lua.
func Proto(f *LFunction) *FunctionProto { return f.Proto }

// IsGo reports whether a function is one of Go.
func IsGo(f *LFunction) bool { return f.IsG }

// Env returns the globals of a function.
func Env(f *LFunction) *LTable { return f.Env }

// SetEnv gives a function its globals.
func SetEnv(f *LFunction, env *LTable) { f.Env = env }

// Captures returns how many variables a function has captured; what a function of Go holds
// is one, too.
func Captures(f *LFunction) int { return len(f.Upvalues) }

// Captured returns a variable that a function has captured, from 0.
func Captured(f *LFunction, i int) *Upvalue { return f.Upvalues[i] }

// Reform makes a function of Lua with the globals of another one and another prototype,
// which captures the variables of the other one that from tells by their indices.
func Reform(f *LFunction, p *FunctionProto, from []int) *LFunction {
	made := &lua.LFunction{Env: f.Env, Proto: p}
	for _, i := range from {
		made.Upvalues = append(made.Upvalues, f.Upvalues[i])
	}
	return made
}

// Blank makes a function of Lua that stands for one of which nothing is known. Nobody calls
// it.
func Blank() *LFunction { return &lua.LFunction{Proto: &FunctionProto{}} }

// Constant makes a function of Go that depends on no state, so that prototypes which hold
// it run in any.
func Constant(f LGFunction) *LFunction { return &lua.LFunction{IsG: true, GFunction: f} }

// NewUserData makes a userdata of a Go value, with a metatable or nil for none.
func NewUserData(v any, meta *LTable) *LUserData {
	u := new(lua.LUserData)
	InitUserData(u, v, meta)
	return u
}

// InitUserData makes a userdata in its place.
func InitUserData(u *LUserData, v any, meta *LTable) {
	u.Value, u.Metatable = v, LNil
	if meta != nil {
		u.Metatable = meta
	}
}

// Registry returns a table of a state which no script can reach.
func Registry(L *LState) *LTable { return L.G.Registry }

// IsCoroutine reports whether a thread was made by another one.
func IsCoroutine(L *LState) bool { return L.Parent != nil }

// OnRaise has a function called on a thread, up to the end of the running protected call,
// when the machine raises an error of its own: it is on top of the stack, and the frames are
// still there. The function panics with what is to be raised.
func OnRaise(L *LState, f func(*LState)) { L.Panic = f }

// BoundLists sets the highest index that a table keeps as a list, for the whole process.
func BoundLists(n int) { lua.MaxArrayIndex = n }

// MetatableOf returns the metatable of a userdata, nil for none.
func MetatableOf(u *LUserData) *LTable {
	meta, _ := u.Metatable.(*LTable)
	return meta
}

// NumberAt returns a value of the running function if it is a number.
func NumberAt(L *LState, i int) (x float64, ok bool) {
	n, ok := L.Get(i).(LNumber)
	return float64(n), ok
}

// TextAt returns a value of the running function if it is a text.
func TextAt(L *LState, i int) (text string, ok bool) {
	s, ok := L.Get(i).(LString)
	return string(s), ok
}

// PushNumber adds a number to the values of the running function.
func PushNumber(L *LState, x float64) { L.Push(LNumber(x)) }

// BoolAt returns a value of the running function if it is a boolean.
func BoolAt(L *LState, i int) (b, ok bool) {
	v, ok := L.Get(i).(LBool)
	return bool(v), ok
}

// UserDataAt returns a value of the running function if it is a userdata, else nil.
func UserDataAt(L *LState, i int) *LUserData {
	u, _ := L.Get(i).(*LUserData)
	return u
}

// PushBool adds a boolean to the values of the running function.
func PushBool(L *LState, b bool) { L.Push(LBool(b)) }

// The budget of a thread is its context. A thread without one is free of charge.

// Take counts steps on the budget of a thread, and raises nothing.
func Take(L *LState, steps int) {
	if meter, ok := L.Context().(interface{ Take(int64) }); ok {
		meter.Take(int64(steps))
	}
}

// Charge counts steps on the budget of a thread, and raises its error when they were too many.
func Charge(L *LState, steps int) {
	if meter, ok := L.Context().(interface{ Charge(*LState, int) }); ok {
		meter.Charge(L, steps)
	}
}

// Alloc is Charge for bytes, and for the steps to fill them.
func Alloc(L *LState, bytes int) {
	if meter, ok := L.Context().(interface{ Alloc(*LState, int) }); ok {
		meter.Alloc(L, bytes)
	}
}

// AllocKeys is Alloc for a table with so many keys that is about to be made.
func AllocKeys(L *LState, n int) { Alloc(L, n*bytesPerKey) }

// bytesPerKey is about what a key of a table takes.
const bytesPerKey = 128

// Grow is Charge for the bytes of small values.
func Grow(L *LState, bytes int) {
	if meter, ok := L.Context().(interface{ Grow(*LState, int) }); ok {
		meter.Grow(L, bytes)
	}
}

// Value is a value of scripts where it must cost nothing to pass one on.
type Value = LValue

// Nil is the value nil.
var Nil Value = LNil

// Number returns the value of a number.
func Number(x float64) Value { return LNumber(x) }

// Bool returns the value of a boolean.
func Bool(b bool) Value { return LBool(b) }

// Text returns the value of a text.
func Text(s string) Value { return LString(s) }

// OfTable returns the value of a table.
func OfTable(t *LTable) Value { return t }

// FromValue returns a value as an LValue, and ToValue the other way.
func FromValue(v Value) LValue { return v }

// ToValue returns an LValue as a value.
func ToValue(v LValue) Value { return v }

// IsNil reports whether a value is nil.
func IsNil(v Value) bool { return v == LNil }

// AsNumber returns the number that a value is.
func AsNumber(v Value) (x float64, ok bool) {
	n, ok := v.(LNumber)
	return float64(n), ok
}

// AsText returns the text that a value is.
func AsText(v Value) (text string, ok bool) {
	s, ok := v.(LString)
	return string(s), ok
}

// IsPlain reports whether a value is nil, a number, a text or a boolean.
func IsPlain(v Value) bool {
	switch v.(type) {
	case *LNilType, LNumber, LString, LBool:
		return true
	}
	return false
}

// At returns a value of the running function.
func At(L *LState, i int) Value { return L.Get(i) }

// RawGet returns the value of a key, without metamethods.
func RawGet(t *LTable, key Value) Value { return t.RawGet(key) }

// RawSet sets the value of a key, without metamethods.
func RawSet(t *LTable, key, v Value) { t.RawSet(key, v) }

// PushValue adds a value to those of the running function.
func PushValue(L *LState, v Value) { L.Push(v) }

// Next returns the key of a table after another one, with its value; Nil is before the first
// and after the last.
func Next(t *LTable, after Value) (key, v Value) { return t.Next(after) }

// Fill makes the list of a table without other keys n packed items long, and returns them for
// the caller to set all of them; nil where the machine has no such lists.
func Fill(*LTable, int) []uint64 { return nil }

// Packed returns the packed items of a table that has nothing else; false for any other.
func Packed(*LTable) (items []uint64, ok bool) { return nil, false }

// Pack returns the packed item of a number.
func Pack(float64) uint64 { return 0 }

// SetItem sets an item of a list.
func SetItem(t *LTable, i int, v Value) { t.RawSetInt(i, v) }

// Turns is asked before each call of a function that is repeated. It gets the results of the
// last call, none before the first one, and sets the arguments of the next one; it returns
// false to end it.
type Turns interface {
	Turn(results, args []Value) bool
}

// Repeat calls a function of Lua until turns ends it, with n arguments.
func Repeat(L *LState, f *LFunction, n int, turns Turns) {
	var results []Value
	args, top := make([]Value, n), L.GetTop()
	for turns.Turn(results, args) {
		L.Push(f)
		for _, v := range args {
			L.Push(v)
		}
		L.Call(n, MultRet)
		results = results[:0]
		for i := top + 1; i <= L.GetTop(); i++ {
			results = append(results, L.Get(i))
		}
		L.SetTop(top)
	}
}

// Keys are text keys with which many tables are made, in their order.
type Keys struct{ names []string }

// NewKeys makes a list of keys. No name stands there twice.
func NewKeys(_ *LState, names []string) *Keys { return &Keys{names} }

// New makes a table in which all keys are nil.
func (k *Keys) New(L *LState) *LTable { return L.CreateTable(0, len(k.names)) }

// Set sets the ith key, counted from 0, of a table that New has just made.
func (k *Keys) Set(t *LTable, i int, v Value) { t.RawSetString(k.names[i], v) }

// NumberOf returns the number that a variable holds, and whether it holds one.
func NumberOf(u *Upvalue) (x float64, ok bool) {
	n, ok := u.Value().(LNumber)
	return float64(n), ok
}

// NumberUnder returns the number that a table has under a text key, and whether it has one.
func NumberUnder(t *LTable, key string) (x float64, ok bool) {
	n, ok := t.RawGetString(key).(LNumber)
	return float64(n), ok
}

// NumberItem returns the number that a table has under a whole number, and whether it has one.
func NumberItem(t *LTable, i int) (x float64, ok bool) {
	n, ok := t.RawGetInt(i).(LNumber)
	return float64(n), ok
}
