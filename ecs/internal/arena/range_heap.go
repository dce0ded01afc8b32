//go:build race || !(((linux || darwin) && (amd64 || arm64 || riscv64 || ppc64le || s390x || loong64 || 386 || arm)) || (windows && (amd64 || arm64)))

package arena

import "unsafe"

// defaultBytes is small here: this memory counts as live heap from the start.
const defaultBytes = 64 << 20

// OnHeap says whether the range is ordinary Go memory.
const OnHeap = true

// addressRange keeps the allocation alive.
type addressRange struct{ bytes []byte }

func reserveRange(n int) (unsafe.Pointer, addressRange, error) {
	b := make([]byte, n+Page)
	base := unsafe.Pointer(unsafe.SliceData(b))
	if odd := uintptr(base) % 64; odd != 0 {
		base = unsafe.Add(base, 64-odd)
	}
	return base, addressRange{b}, nil
}

// commit does nothing: all of the range may be touched.
func (addressRange) commit(_, _ int) error { return nil }

// release clears the bytes, as fresh pages would be.
func (a *Arena) release(offset, n int) {
	clear(unsafe.Slice((*byte)(unsafe.Add(a.base, offset)), n))
}

// Drop leaves the memory to the collector, which frees it with the last slice.
func (a *Arena) Drop() {}

// Close lets the collector have the memory. A second call does nothing.
func (a *Arena) Close() error {
	a.forget()
	a.reserve = addressRange{}
	return nil
}
