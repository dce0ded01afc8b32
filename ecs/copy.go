package ecs

import "unsafe"

// copyBytes copies pointer-free memory. The sizes that components mostly have
// are copied by words: a call of the runtime costs more than they do.
func copyBytes(to, from unsafe.Pointer, n uintptr) {
	switch n {
	case 4:
		*(*uint32)(to) = *(*uint32)(from)
	case 8:
		*(*uint64)(to) = *(*uint64)(from)
	case 16:
		*(*[2]uint64)(to) = *(*[2]uint64)(from)
	case 24:
		*(*[3]uint64)(to) = *(*[3]uint64)(from)
	case 32:
		*(*[4]uint64)(to) = *(*[4]uint64)(from)
	default:
		copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
	}
}
