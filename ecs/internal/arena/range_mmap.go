//go:build (linux || darwin) && !race && (amd64 || arm64 || riscv64 || ppc64le || s390x || loong64 || 386 || arm)

package arena

import (
	"math"
	"unsafe"

	"golang.org/x/sys/unix" // madvise and mmap flags that package syscall lacks on some systems
)

// defaultBytes is the whole range: it costs addresses, not memory. Where an int
// has 32 bits there are few addresses, and it is 64 MiB, so that a process has room for many worlds.
const defaultBytes = min(MaxBytes, math.MaxInt/32+1)

// OnHeap says whether the range is ordinary Go memory.
const OnHeap = false

// addressRange is the mapping, kept for munmap.
type addressRange struct{ bytes []byte }

func reserveRange(n int) (unsafe.Pointer, addressRange, error) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, addressRange{}, err
	}
	return unsafe.Pointer(unsafe.SliceData(b)), addressRange{b}, nil
}

// commit does nothing: all of the range may be touched.
func (addressRange) commit(_, _ int) error { return nil }

// release gives pages back; they read as zero when touched again.
func (a *Arena) release(offset, n int) {
	if a.reserve.bytes != nil {
		// An error leaves the pages in place, which costs memory and nothing else.
		_ = unix.Madvise(a.reserve.bytes[offset:offset+n], unix.MADV_DONTNEED)
	}
}

// Drop gives every page back but keeps the addresses reserved.
func (a *Arena) Drop() { a.release(0, a.size) }

// Close returns the range to the system. A second call does nothing.
func (a *Arena) Close() error {
	a.forget()
	if a.reserve.bytes == nil {
		return nil
	}
	b := a.reserve.bytes
	a.reserve.bytes = nil
	return unix.Munmap(b)
}
