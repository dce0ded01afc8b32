//go:build !(386 || arm || mips || mipsle)

package machine

import "unsafe"

// Value is a value of Lua. The zero Value is the number 0; nil is [Nil].
//
// Invariant: n says what it is. Below tagBase it holds the bits of a number; of a NaN they
// are below tagBase even when it is made quiet, so that no arithmetic makes a tag of it. From
// tagBase on it is a tag, and p points to what the tag names.
//
// Where n needs no pointer, p means nothing. Registers may keep an old pointer there, so
// that arithmetic writes a single word; a table, an upvalue and all else that lives on the
// heap may not, or garbage would hang on garbage. Values come into the heap through store
// and clean alone, which see to it.
type Value struct {
	p unsafe.Pointer
	n uint64
}
