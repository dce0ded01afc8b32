//go:build windows && !race && (amd64 || arm64)

package arena

import (
	"unsafe"

	"golang.org/x/sys/windows" // VirtualAlloc, which package syscall does not offer
)

// defaultBytes is 1 GiB: Windows charges committed pages against the page file
// whether they are touched or not, so the range is committed whole but smaller.
const defaultBytes = 1 << 30

// OnHeap says whether the range is ordinary Go memory.
const OnHeap = false

// addressRange is the address, kept for VirtualFree.
type addressRange struct{ addr uintptr }

func reserveRange(n int) (unsafe.Pointer, addressRange, error) {
	addr, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, addressRange{}, err
	}
	// The address is not Go memory; going through a pointer to it keeps vet's rule.
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr)), addressRange{addr}, nil
}

// release tells the system that the pages' contents are no longer wanted.
func (a *Arena) release(offset, n int) {
	if a.reserve.addr == 0 {
		return
	}
	at := a.reserve.addr + uintptr(offset)
	if windows.VirtualFree(at, uintptr(n), windows.MEM_DECOMMIT) == nil {
		_, _ = windows.VirtualAlloc(at, uintptr(n), windows.MEM_COMMIT, windows.PAGE_READWRITE)
	}
}

// Drop gives every page back but keeps the addresses reserved.
func (a *Arena) Drop() { a.release(0, a.size) }

// Close returns the range to the system. A second call does nothing.
func (a *Arena) Close() error {
	a.forget()
	if a.reserve.addr == 0 {
		return nil
	}
	addr := a.reserve.addr
	a.reserve.addr = 0
	return windows.VirtualFree(addr, 0, windows.MEM_RELEASE)
}
