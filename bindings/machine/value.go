package machine

import (
	"math"
	"unsafe"
)

// What the second word of a value is if the value is no number.
const (
	tagBase = 0xFFFF_FFFF_FFFF_FF00

	tagNil = tagBase + iota - 1
	tagFalse
	tagTrue
	tagStr // the first one with a pointer
	tagTable
	tagFunc
	tagThread
	tagUser
	tagErased // the key of a dictionary's entry that has moved away; no script sees it
)

// quiet is the bit that processors set in a NaN that they compute with, and negativeNaN
// what they make of 0/0.
const (
	quiet       = 0x0008 << 48
	negativeNaN = 0xFFF8 << 48
)

// Nil, False and True are the values without content.
var (
	Nil   = Value{n: tagNil}
	False = Value{n: tagFalse}
	True  = Value{n: tagTrue}
)

// Number returns the value of a number. Of nearly all NaNs it keeps the bits.
func Number(f float64) Value {
	n := math.Float64bits(f)
	if n|quiet >= tagBase {
		n = negativeNaN
	}
	return Value{n: n}
}

// Bool returns the value of a boolean.
func Bool(b bool) Value {
	if b {
		return Value{n: tagTrue}
	}
	return Value{n: tagFalse}
}

// String returns a text of its own for the bytes of s. O(1).
func String(s string) Value { return Value{p: unsafe.Pointer(&Str{s: s}), n: tagStr} }

// Text returns the value of a text.
func Text(s *Str) Value { return Value{p: unsafe.Pointer(s), n: tagStr} }

// OfTable returns the value of a table.
func OfTable(t *Table) Value { return Value{p: unsafe.Pointer(t), n: tagTable} }

// OfFunction returns the value of a function.
func OfFunction(f *Function) Value { return Value{p: unsafe.Pointer(f), n: tagFunc} }

// OfThread returns the value of a coroutine.
func OfThread(t *Thread) Value { return Value{p: unsafe.Pointer(t), n: tagThread} }

// OfUserdata returns the value of a userdata.
func OfUserdata(u *Userdata) Value { return Value{p: unsafe.Pointer(u), n: tagUser} }

// Kind is one of the kinds of values that Lua's function type tells apart.
type Kind uint8

// The kinds, in the order of their tags.
const (
	KindNumber Kind = iota
	KindNil
	KindBoolean
	KindString
	KindTable
	KindFunction
	KindThread
	KindUserdata
)

var kindNames = [...]string{"number", "nil", "boolean", "string", "table", "function", "thread", "userdata"}

// String returns the name that Lua's function type has for a kind.
func (k Kind) String() string { return kindNames[k] }

var kindsOfTags = [...]Kind{KindNil, KindBoolean, KindBoolean, KindString, KindTable, KindFunction, KindThread, KindUserdata}

// Kind returns the kind of a value.
func (v Value) Kind() Kind {
	if v.n < tagBase {
		return KindNumber
	}
	return kindsOfTags[(v.n-tagBase)%uint64(len(kindsOfTags))]
}

// IsNumber reports whether v is a number.
func (v Value) IsNumber() bool { return v.n < tagBase }

// IsNil reports whether v is nil.
func (v Value) IsNil() bool { return v.n == tagNil }

// IsBool reports whether v is true or false.
func (v Value) IsBool() bool { return v.n-tagFalse <= 1 }

// IsString reports whether v is a text.
func (v Value) IsString() bool { return v.n == tagStr }

// IsTable reports whether v is a table.
func (v Value) IsTable() bool { return v.n == tagTable }

// IsFunction reports whether v is a function.
func (v Value) IsFunction() bool { return v.n == tagFunc }

// Truth reports whether v counts as true in a condition.
func (v Value) Truth() bool { return v.n-tagNil > 1 }

// Float returns the number that v is. If it is no number, the result means nothing.
func (v Value) Float() float64 { return math.Float64frombits(v.n) }

// Str returns the text that v is, or nil.
func (v Value) Str() *Str {
	if v.n != tagStr {
		return nil
	}
	return (*Str)(v.p)
}

// Table returns the table that v is, or nil.
func (v Value) Table() *Table {
	if v.n != tagTable {
		return nil
	}
	return (*Table)(v.p)
}

// Function returns the function that v is, or nil.
func (v Value) Function() *Function {
	if v.n != tagFunc {
		return nil
	}
	return (*Function)(v.p)
}

// Thread returns the coroutine that v is, or nil.
func (v Value) Thread() *Thread {
	if v.n != tagThread {
		return nil
	}
	return (*Thread)(v.p)
}

// Userdata returns the userdata that v is, or nil.
func (v Value) Userdata() *Userdata {
	if v.n != tagUser {
		return nil
	}
	return (*Userdata)(v.p)
}

// Equal reports whether two values are the same to Lua without metatables: numbers by
// value, texts by content, all else by identity. O(1), but O(length) for two texts of the
// same length.
func (v Value) Equal(w Value) bool {
	if v.n < tagBase || w.n < tagBase {
		return v.n < tagBase && w.n < tagBase && v.Float() == w.Float()
	}
	if v.n != w.n || v.n < tagStr {
		return v.n == w.n
	}
	return v.p == w.p || v.n == tagStr && (*Str)(v.p).s == (*Str)(w.p).s
}

// clean returns v as the heap may keep it.
func clean(v Value) Value {
	if v.n < tagStr {
		return Value{n: v.n}
	}
	return v
}

// store writes v to a place on the heap. The pointer there is written only where it
// changes: a list of numbers is written without the collector's barrier.
func store(place, v *Value) {
	if v.n < tagStr {
		place.n = v.n
		if place.p != nil {
			place.p = nil
		}
		return
	}
	*place = *v
}

// Put writes a value to a place in a table.
func (v *Value) Put(w Value) { store(v, &w) }

// PutNumber is Put for a number.
func (v *Value) PutNumber(f float64) {
	n := math.Float64bits(f)
	if n|quiet >= tagBase {
		n = negativeNaN
	}
	if v.n = n; v.p != nil {
		v.p = nil
	}
}

// SetNumber makes a number of a value that is an argument: what was there means nothing.
func (v *Value) SetNumber(f float64) {
	n := math.Float64bits(f)
	if n|quiet >= tagBase {
		n = negativeNaN
	}
	v.n = n
}

// Same reports whether two values are the same, bit by bit for numbers, and by identity for
// all that has content.
func (v Value) Same(w Value) bool { return v.n == w.n && (v.n < tagStr || v.p == w.p) }

// Identity returns the same number for values of which Same says that they are, and more often
// than not another one for others, for who remembers values by it.
func (v Value) Identity() uint {
	if v.n < tagStr {
		return uint(v.n ^ v.n>>32 ^ v.n>>52)
	}
	return uint(uintptr(v.p) >> 4)
}
