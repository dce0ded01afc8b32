// Package arena owns the address range in which a world keeps everything that
// has no Go pointers.
//
// There is one noun, Arena: a reserved range of at most 65,535 WebAssembly
// pages of 64 KiB, committed by the operating system when first touched. An
// address inside it is an offset from its base, so it fits in 32 bits and means
// the same to Go and to a module that runs over the same bytes.
//
// The range is laid out once and never moves:
//
//	0            one page that is never handed out: offset 0 means "nowhere"
//	Directory    65,536 × 4 bytes: the offset table of each archetype
//	Records      16 bytes per entity slot, a sixteenth of the range
//	heap         units of 16 KiB, in runs; a few hold small tables
//
// Why not ordinary Go memory? The collector would scan nothing in it but still
// count 4 GiB as live heap and hold the next cycle back until 8 GiB. The race
// build does use Go memory, because the race detector does not see any other.
//
// Why 65,535 pages and not 65,536? A module that declares the full 4 GiB traps
// on every access in the runtime we use, and a 32-bit length cannot express it.
//
// Lifetimes: memory handed out lives until it is freed or the arena closes.
// Close returns the range to the system and everything that points into it
// dies. Drop gives the pages back but keeps the addresses, so a slice that
// outlived its world reads zeros and never faults.
package arena

import (
	"errors"
	"fmt"
	"unsafe"
)

const (
	// Unit is the size of the smallest run of the heap, in bytes.
	Unit = 16 << 10
	// Page is the size of a WebAssembly page, in bytes.
	Page = 64 << 10
	// MaxBytes is the largest arena: 65,535 pages.
	MaxBytes = 65535 * Page
	// MinBytes is the smallest arena: room for the fixed parts and some heap.
	MinBytes = 16 * Page

	directoryAt  = Page
	directoryLen = 1 << 16
	recordsAt    = directoryAt + directoryLen*4
	// keepUnits is how many free units keep their pages; more go back to the system.
	keepUnits = 256
)

// ErrFull says that the arena's limit is reached. Nothing was handed out.
var ErrFull = errors.New("arena is full")

// Arena is the range. Use New; the zero value has no memory.
type Arena struct {
	base     unsafe.Pointer
	size     int               // bytes reserved
	next     uint32            // first unit never handed out
	end      uint32            // one past the last unit
	free     map[int][]freeRun // by length in units, last in first out
	freed    int               // units in free
	resident int               // units in free that still hold their pages
	small    uint32            // offset of the next small table
	smallEnd uint32
	tables   int // units that Small has taken
	records  int
	reserve  reservation
}

// freeRun is a run that waits to be handed out again.
type freeRun struct {
	at       uint32
	resident bool // its pages were not given back
}

// New reserves a range of size bytes, rounded down to whole pages and brought
// into MinBytes..MaxBytes; zero or less means MaxBytes, or what this platform
// and build offer.
func New(size int64) (*Arena, error) {
	if size <= 0 {
		size = defaultBytes
	}
	n := int(min(max(size, MinBytes), MaxBytes)) / Page * Page
	base, r, err := reserveRange(n)
	if err != nil {
		return nil, fmt.Errorf("reserving %d MiB of address space: %w", n>>20, err)
	}
	records := n / 16 / 16
	heapAt := (recordsAt + records*16 + Unit - 1) / Unit
	return &Arena{
		base: base, size: n, records: records, reserve: r,
		next: uint32(heapAt), end: uint32(n / Unit), free: map[int][]freeRun{},
	}, nil
}

// Base returns the address of offset 0.
func (a *Arena) Base() unsafe.Pointer { return a.base }

// Size returns the length of the range in bytes.
func (a *Arena) Size() int { return a.size }

// At returns the address of an offset. The offset must lie inside the range.
func (a *Arena) At(offset uint32) unsafe.Pointer { return unsafe.Add(a.base, offset) }

// Records returns the address and the number of the 16-byte entity records.
func (a *Arena) Records() (unsafe.Pointer, int) { return a.At(recordsAt), a.records }

// Directory returns the archetype directory.
func (a *Arena) Directory() []uint32 {
	return unsafe.Slice((*uint32)(a.At(directoryAt)), directoryLen)
}

// Alloc hands out a run of units and returns the number of its first one:
// its offset is that number times Unit. The bytes of a run used before are
// not cleared. The error is ErrFull.
func (a *Arena) Alloc(units int) (uint32, error) {
	if runs := a.free[units]; len(runs) > 0 {
		run := runs[len(runs)-1]
		a.free[units] = runs[:len(runs)-1]
		a.freed -= units
		if run.resident {
			a.resident -= units
		}
		return run.at, nil
	}
	if units <= 0 || uint64(a.next)+uint64(units) > uint64(a.end) {
		return 0, ErrFull
	}
	run := a.next
	a.next += uint32(units)
	return run, nil
}

// Free takes a run back. Past a limit its pages go back to the system.
func (a *Arena) Free(run uint32, units int) {
	keep := a.resident+units <= keepUnits
	a.free[units] = append(a.free[units], freeRun{run, keep})
	a.freed += units
	if keep {
		a.resident += units
	} else {
		a.release(int(run)*Unit, units*Unit)
	}
}

// Small hands out n bytes, 64-byte aligned and zero, for a table that lives as
// long as the arena; n is at most Unit. The error is ErrFull.
func (a *Arena) Small(n int) (uint32, error) {
	size := uint32(n+63) &^ 63
	if a.small+size > a.smallEnd || a.small == 0 {
		run, err := a.Alloc(1)
		if err != nil {
			return 0, err
		}
		a.small, a.smallEnd = run*Unit, (run+1)*Unit
		a.tables++
	}
	at := a.small
	a.small += size
	clear(unsafe.Slice((*byte)(a.At(at)), int(size)))
	return at, nil
}

// Used returns the bytes handed out and not freed, without the fixed parts.
func (a *Arena) Used() int {
	return (a.issued() - a.freed) * Unit
}

// issued returns how many units were ever handed out.
func (a *Arena) issued() int {
	return int(a.next) - (recordsAt+a.records*16+Unit-1)/Unit
}

// Trim gives the pages of every free run back to the system.
func (a *Arena) Trim() {
	for units, runs := range a.free {
		for i := range runs {
			if runs[i].resident {
				a.release(int(runs[i].at)*Unit, units*Unit)
				runs[i].resident = false
			}
		}
	}
	a.resident = 0
}

// Check reports a run that lies outside the heap or shares a unit with another,
// or units that are lost: neither free nor in use. used holds the lengths of the
// runs in use by their first units, tables left out.
func (a *Arena) Check(used map[uint32]int) error {
	if a.base == nil {
		return nil // closed
	}
	seen := map[uint32]bool{}
	for run, units := range used {
		if err := a.claim(seen, run, units); err != nil {
			return err
		}
	}
	inUse, resident := len(seen), 0
	for units, runs := range a.free {
		for _, run := range runs {
			if err := a.claim(seen, run.at, units); err != nil {
				return err
			}
			if run.resident {
				resident += units
			}
		}
	}
	if resident != a.resident || resident > keepUnits {
		return fmt.Errorf("arena: %d free units hold pages, %d counted, %d allowed", resident, a.resident, keepUnits)
	}
	if free := len(seen) - inUse; free != a.freed || inUse+free+a.tables != a.issued() {
		return fmt.Errorf("arena: %d units in use, %d free (%d counted) and %d of tables, %d were handed out",
			inUse, free, a.freed, a.tables, a.issued())
	}
	return nil
}

// claim marks the units of a run as seen.
func (a *Arena) claim(seen map[uint32]bool, run uint32, units int) error {
	first := a.next - uint32(a.issued())
	for u := run; u < run+uint32(units); u++ {
		if u < first || u >= a.next || seen[u] {
			return fmt.Errorf("arena: unit %d of run %d is outside the heap or taken twice", u, run)
		}
		seen[u] = true
	}
	return nil
}
