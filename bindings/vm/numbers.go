package vm

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// Boxer makes Lua numbers that point into a slice of float64 instead of each
// having an allocation of its own.
//
// Why is that right? An interface that holds an LNumber is a type word and a
// pointer to an immutable float64. The slice is filled before the first number
// is made and never written again, so a number that a script keeps stays what
// it was; it also keeps its slice alive, which is why a slice is one column of
// one chunk and no more.
type Boxer struct{ number lua.LValue }

func NewBoxer() Boxer { return Boxer{lua.LNumber(0.5)} }

// Box returns the Lua number at p, which must never be written again.
func (b Boxer) Box(p *float64) lua.LValue {
	v := b.number
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] = unsafe.Pointer(p)
	return v
}

// Numbers makes Lua numbers one by one, for what cannot be made with others: an
// allocation for each would be most of what it leaves behind. The zero Numbers is ready.
type Numbers struct {
	free []float64 // never used
}

// together is how many numbers are allocated at once. One that a script keeps
// keeps them all, so they are few.
const together = 64

// Number makes a Lua number, as lua.LNumber does. Amortised, a 64th of an allocation.
func (n *Numbers) Number(v float64) lua.LValue {
	if len(n.free) == 0 {
		n.free = make([]float64, together)
	}
	p := &n.free[0]
	n.free = n.free[1:]
	*p = v
	return NewBoxer().Box(p)
}
