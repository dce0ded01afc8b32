//go:build !race && (amd64 || arm64)

package arena

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"
)

// TestPagesAreCommittedWhenHandedOut: Windows counts what is committed, touched or not.
func TestPagesAreCommittedWhenHandedOut(t *testing.T) {
	a := open(t, 256<<20)
	fixed := int(a.heap.first) * Unit
	held := func(what string, atLeast int) {
		t.Helper()
		n := committed(t, a)
		if n < atLeast || n > atLeast+Unit+commitStep || n != a.reserve.committed {
			t.Errorf("%s: %d bytes are committed, %d of them known, want %d and a little", what, n, a.reserve.committed, atLeast)
		}
	}
	held("at first", fixed)
	var spans []uint32
	for range 40 {
		span, err := a.Alloc(32)
		if err != nil {
			t.Fatal(err)
		}
		clear(unsafe.Slice((*byte)(a.At(span*Unit)), 33*Unit)) // code over it may look past the end
		spans = append(spans, span)
	}
	held("with 20 MiB", fixed+20<<20)
	for _, span := range spans {
		a.Free(span, 32)
	}
	a.Trim()
	if b := *(*byte)(a.At(spans[3] * Unit)); b != 0 {
		t.Errorf("a freed span has %d", b)
	}
	a.Drop()
	if b := *(*byte)(a.At(spans[39] * Unit)); b != 0 {
		t.Errorf("a dropped arena has %d", b)
	}
}

// committed counts the bytes at the beginning of an arena that may be touched.
func committed(t *testing.T, a *Arena) (n int) {
	t.Helper()
	for n < a.size {
		var m windows.MemoryBasicInformation
		if err := windows.VirtualQuery(a.reserve.addr+uintptr(n), &m, unsafe.Sizeof(m)); err != nil {
			t.Fatal(err)
		}
		if m.State != windows.MEM_COMMIT {
			break
		}
		n += int(m.RegionSize)
	}
	return n
}

// TestPagesThatWereLostAreCommittedAgain plants what Windows does when memory is short.
func TestPagesThatWereLostAreCommittedAgain(t *testing.T) {
	a := open(t, MinBytes)
	span, err := a.Alloc(2)
	if err != nil {
		t.Fatal(err)
	}
	a.Free(span, 2)
	if err := windows.VirtualFree(a.reserve.addr+uintptr(span)*Unit, 2*Unit, windows.MEM_DECOMMIT); err != nil {
		t.Fatal(err)
	}
	a.reserve.lost = true
	if span, err = a.Alloc(2); err != nil {
		t.Fatal(err)
	}
	*(*byte)(a.At(span * Unit)) = 1
}
