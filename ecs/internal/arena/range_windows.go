//go:build windows && !race && (amd64 || arm64)

package arena

import (
	"unsafe"

	"golang.org/x/sys/windows" // VirtualAlloc, which package syscall does not offer
)

// defaultBytes is 1 GiB. Windows counts committed pages against its memory and page file, touched
// or not, and the records of the largest range would be 272 MiB of them.
const defaultBytes = 1 << 30

// OnHeap says whether the range is ordinary Go memory.
const OnHeap = false

// commitStep is how much is committed at a time, so that a small span costs no system call.
const commitStep = 1 << 20

// addressRange is the reservation, kept for VirtualFree. Only its beginning may be touched: the
// fixed parts, and what the heap has handed out so far.
//
// Invariant: all spans that were handed out end a unit before committed, or where the range ends.
// Code over the arena may look a little past the end of a span.
type addressRange struct {
	addr      uintptr
	size      int
	committed int  // bytes, from the beginning
	lost      bool // the system took pages back and did not give new ones
}

func reserveRange(n int) (unsafe.Pointer, addressRange, error) {
	addr, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, addressRange{}, err
	}
	// The address is not Go memory; going through a pointer to it keeps vet's rule.
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr)), addressRange{addr: addr, size: n}, nil
}

// commit makes sure that n bytes from offset on may be touched. The bytes before them were
// committed earlier.
func (r *addressRange) commit(offset, n int) error {
	need := min(offset+n+Unit, r.size)
	if r.lost {
		if err := r.allocate(offset, n); err != nil {
			return err
		}
	}
	if need <= r.committed {
		return nil
	}
	end := min((need+commitStep-1)/commitStep*commitStep, r.size)
	if r.allocate(r.committed, end-r.committed) != nil {
		end = need // there may be room for less
		if err := r.allocate(r.committed, end-r.committed); err != nil {
			return err
		}
	}
	r.committed = end
	return nil
}

// allocate commits pages; those that are committed stay as they are.
func (r *addressRange) allocate(offset, n int) error {
	_, err := windows.VirtualAlloc(r.addr+uintptr(offset), uintptr(n), windows.MEM_COMMIT, windows.PAGE_READWRITE)
	return err
}

// release gives pages back. They are committed again at once and read as zero, so that a slice that
// outlived its span does not fault.
func (a *Arena) release(offset, n int) {
	r := &a.reserve
	if r.addr == 0 || n == 0 {
		return
	}
	if windows.VirtualFree(r.addr+uintptr(offset), uintptr(n), windows.MEM_DECOMMIT) == nil {
		r.lost = r.allocate(offset, n) != nil || r.lost
	}
}

// Drop gives every page back but keeps the addresses reserved.
func (a *Arena) Drop() { a.release(0, a.reserve.committed) }

// Close returns the range to the system. A second call does nothing.
func (a *Arena) Close() error {
	a.forget()
	addr := a.reserve.addr
	a.reserve = addressRange{}
	if addr == 0 {
		return nil
	}
	return windows.VirtualFree(addr, 0, windows.MEM_RELEASE)
}
