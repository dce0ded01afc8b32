package lua

import "unsafe"

// Numbers makes Lua numbers one by one, where an allocation for each would be most of what
// is left behind. The zero Numbers is ready.
//
// Why is that right? An interface that holds an LNumber is a type word and a pointer to an
// immutable float64. What is handed out points into a slice of which each number is written
// once, before it is handed out.
type Numbers struct {
	free []float64 // never used
}

// together is how many numbers are allocated at once. One that is kept keeps them all, so
// they are few.
const together = 64

// Number returns what LNumber would. Amortised, a 64th of an allocation.
func (n *Numbers) Number(x float64) LValue {
	if len(n.free) == 0 {
		n.free = make([]float64, together)
	}
	p := &n.free[0]
	n.free = n.free[1:]
	*p = x
	var v LValue = LNumber(0.5)
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] = unsafe.Pointer(p)
	return v
}
