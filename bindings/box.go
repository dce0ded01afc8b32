package bindings

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// boxer makes Lua numbers that point into a slice of float64 instead of each
// having an allocation of its own.
//
// Why is that right? An interface that holds an LNumber is a type word and a
// pointer to an immutable float64. The slice is filled before the first number
// is made and never written again, so a number that a script keeps stays what
// it was; it also keeps its slice alive, which is why a slice is one column of
// one chunk and no more.
type boxer struct{ number lua.LValue }

func newBoxer() boxer { return boxer{lua.LNumber(0.5)} }

// box returns the Lua number at p, which must never be written again.
func (b boxer) box(p *float64) lua.LValue {
	v := b.number
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] = unsafe.Pointer(p)
	return v
}
