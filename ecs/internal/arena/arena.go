// Package arena owns the address range in which a world keeps everything that
// has no Go pointers.
//
// There is one noun, Arena: a reserved range of at most 65,535 WebAssembly
// pages of 64 KiB, committed by the operating system when first touched, and on Windows
// when first handed out. An
// address inside it is an offset from its base, so it fits in 32 bits and means
// the same to Go and to a module that runs over the same bytes.
//
// The range is laid out once and never moves:
//
//	0            one page that is never handed out: offset 0 means "nowhere". Its
//	             first 4 KiB stay zero, the rest is scratch: for code that runs
//	             over the arena to leave something in, until it returns
//	Directory    65,536 × 4 bytes: the offset table of each archetype
//	Records      16 bytes per entity slot, a sixteenth of the range
//	Marks        a byte per entity slot, for code that runs over the arena
//	heap         units of 16 KiB, in spans; a few hold small tables
//
// Why not ordinary Go memory? The collector would scan nothing in it but still
// count 4 GiB as live heap and hold the next cycle back until 8 GiB. The race
// build does use Go memory, because the race detector does not see any other.
//
// The largest range has a record for each slot that a handle can name, so that code
// over it need not ask whether there is one.
//
// Why 65,535 pages and not 65,536? A module that declares the full 4 GiB traps
// on every access in the runtime we use, and a 32-bit length cannot express it.
//
// Lifetimes: the addresses are reserved by the first Reserve or Alloc, so an
// arena that was never used costs no system call. Memory handed out lives until it
// is freed or the arena closes. Close returns the range to the system and
// everything that points into it dies. Drop gives the pages back but keeps the
// addresses, so a slice that outlived its world reads zeros and never faults.
//
// Pages are the system's ordinary ones while the heap is small. Past 4 MiB, what
// is touched next comes in pages of 2 MiB where Linux has them, so the range may
// hold up to 2 MiB more than was handed out. Memory that was given back stays so:
// see release.
//
// Why? A loop over many archetypes jumps from column to column, and with pages of
// 4 KiB each jump waits for the tables that translate addresses: over 256,000
// rows in 128 pieces that are in no cache, 1.8 ns for each row instead of 0.8.
//
// Cost: Alloc and Free are O(1) but for the bits of their units; Trim and Check
// look at everything.
//
// # Where code lives
//
//	the arena, its layout                       arena
//	units of 16 KiB, given out and taken back   heap
//	the address range, by operating system      range_mmap, range_windows, range_heap, huge_linux, huge_other
//	Check                                       check
//	what is handed out, copied and put back     holdings
package arena

import (
	"errors"
	"fmt"
	"math"
	"unsafe"
)

const (
	// Unit is the size of the smallest span of the heap, in bytes.
	Unit = 16 << 10
	// Page is the size of a WebAssembly page, in bytes.
	Page = 64 << 10
	// MaxBytes is the largest arena: 65,535 pages, or 1 GiB where an int has 32 bits.
	MaxBytes = min(65535*Page, math.MaxInt/2+1)
	// MinBytes is the smallest arena: room for the fixed parts and some heap.
	MinBytes = 16 * Page

	// ScratchAt, DirectoryAt and RecordsAt are where the fixed parts begin;
	// scratch ends with the first page.
	ScratchAt   = 4 << 10
	DirectoryAt = Page
	RecordsAt   = DirectoryAt + directoryLen*4

	directoryLen = 1 << 16
	// keepUnits is how many free units keep their pages, 64 MiB; more go back to
	// the system. Why so many? Pages that went back come as zeros, one fault
	// each, and a game that fills and empties its world would pay for it in
	// every round.
	keepUnits = 64 << 20 / Unit
	// hugeFrom is how many units are handed out before pages get huge: from there
	// on a page that is hardly used is at most half of what there is.
	hugeFrom = 4 << 20 / Unit
)

// ErrFull says that the arena's limit is reached, or that the system refused
// the addresses. Nothing was handed out.
var ErrFull = errors.New("arena is full")

// Arena is the range. Use New; the zero value has no memory.
type Arena struct {
	base     unsafe.Pointer // nil before the first need and after Close
	size     int            // bytes of the range
	records  int
	heap     heap
	small    uint32 // offset of the next small table
	smallEnd uint32
	tables   int   // units that Small has taken
	huge     bool  // pages touched from now on are huge, where the system can
	over     error // what full says; nil until it is asked
	allowed  int   // spans that may still be handed out, plus 1; 0 means any number
	reserve  addressRange
}

// New plans a range of size bytes, rounded down to whole pages and brought into
// MinBytes..MaxBytes; zero or less means MaxBytes, or what this platform and
// build offer. It asks nothing of the system yet.
func New(size int64) *Arena {
	if size <= 0 {
		size = defaultBytes
	}
	n := int(min(max(size, MinBytes), MaxBytes)) / Page * Page
	records := n / 16 / 16
	if n == MaxBytes {
		records = 1 << 24 // see above
	}
	first := uint32((RecordsAt + records*(16+1) + Unit - 1) / Unit)
	return &Arena{size: n, records: records, heap: heap{first: first, next: first, end: uint32(n / Unit)}}
}

// Reserve takes the addresses; a second call does nothing. The error wraps
// ErrFull: the system refused the range, or the arena was closed.
func (a *Arena) Reserve() error {
	if a.base != nil {
		return nil
	}
	if a.size == 0 {
		return ErrFull
	}
	base, r, err := reserveRange(a.size)
	if err != nil {
		return fmt.Errorf("%w: reserving %d MiB of address space: %w", ErrFull, a.size>>20, err)
	}
	if err := r.commit(0, int(a.heap.first)*Unit); err != nil {
		a.reserve = r
		return fmt.Errorf("%w: %d MiB for the records of entities: %w", ErrFull, a.heap.first*Unit>>20, errors.Join(err, a.Close()))
	}
	a.base, a.reserve = base, r
	return nil
}

// MarksAt returns where the marks begin.
func (a *Arena) MarksAt() uint32 { return uint32(RecordsAt + a.records*16) }

// Base returns the address of offset 0, nil while nothing is reserved.
func (a *Arena) Base() unsafe.Pointer { return a.base }

// Size returns the length of the range in bytes, 0 after Close.
func (a *Arena) Size() int { return a.size }

// At returns the address of an offset. The offset must lie inside the range,
// which must be reserved.
func (a *Arena) At(offset uint32) unsafe.Pointer { return unsafe.Add(a.base, offset) }

// Records returns the address and the number of the 16-byte entity records. The
// range must be reserved.
func (a *Arena) Records() (unsafe.Pointer, int) { return a.At(RecordsAt), a.records }

// Slots returns how many records there will be, or are.
func (a *Arena) Slots() int { return a.records }

// Directory returns the archetype directory. The range must be reserved.
func (a *Arena) Directory() []uint32 {
	return unsafe.Slice((*uint32)(a.At(DirectoryAt)), directoryLen)
}

// Alloc hands out a span of units and returns the number of its first one:
// its offset is that number times Unit. The bytes of a span used before are
// not cleared. The error wraps ErrFull.
func (a *Arena) Alloc(units int) (uint32, error) {
	if err := a.Reserve(); err != nil {
		return 0, err
	}
	if a.allowed == 1 {
		return 0, a.full()
	}
	span, ok := a.heap.take(units)
	if !ok {
		return 0, a.full()
	}
	if err := a.reserve.commit(int(span)*Unit, units*Unit); err != nil {
		a.refuse(span, units)
		return 0, fmt.Errorf("%w: the system has no memory for %d KiB more: %w", ErrFull, units*Unit>>10, err)
	}
	if a.allowed > 0 {
		a.allowed--
	}
	if fresh := span+uint32(units) == a.heap.next; fresh && !a.huge && a.heap.issued() >= hugeFrom {
		a.huge = true
		a.reserve.preferHuge(true)
	}
	return span, nil
}

// refuse takes back a span that has no pages.
func (a *Arena) refuse(span uint32, units int) {
	if a.heap.give(span, units) {
		a.heap.use(span-a.heap.first, uint32(units))
	}
}

// full returns the error for who would have more; it is one for all of them.
func (a *Arena) full() error {
	if a.over == nil {
		a.over = fmt.Errorf("%w: the world has used up its memory, %d MiB (Options.MaxBytes)", ErrFull, a.size>>20)
	}
	return a.over
}

// Allow lets n more spans be handed out, as if the arena were full after them;
// negative n lifts the limit. With it a test fails every allocation in turn.
func (a *Arena) Allow(n int) { a.allowed = max(n+1, 0) }

// Free takes a span back and joins it with its free neighbours. Past a limit its
// pages go back to the system.
func (a *Arena) Free(span uint32, units int) {
	if !a.heap.give(span, units) {
		a.giveBack(span, units)
	}
}

// giveBack returns the pages of a span to the system.
//
// Why does it end the preference for huge pages, until the heap grows again? The
// system joins small pages to huge ones in the background, and would fill in
// those that are missing.
func (a *Arena) giveBack(span uint32, units int) {
	if a.huge {
		a.huge = false
		a.reserve.preferHuge(false)
	}
	a.release(int(span)*Unit, units*Unit)
}

// Small hands out n bytes, 64-byte aligned and zero, for a table that lives as
// long as the arena; n is at most Unit. The error wraps ErrFull.
func (a *Arena) Small(n int) (uint32, error) {
	size := uint32(n+63) &^ 63
	if a.small+size > a.smallEnd || a.small == 0 {
		span, err := a.Alloc(1)
		if err != nil {
			return 0, err
		}
		a.small, a.smallEnd = span*Unit, (span+1)*Unit
		a.tables++
	}
	at := a.small
	a.small += size
	clear(unsafe.Slice((*byte)(a.At(at)), int(size)))
	return at, nil
}

// Used returns the bytes handed out and not freed, without the fixed parts.
func (a *Arena) Used() int { return (a.heap.issued() - a.heap.freed) * Unit }

// Capacity returns the bytes that can be handed out in all, 0 after Close.
func (a *Arena) Capacity() int { return int(a.heap.end-a.heap.first) * Unit }

// Spare returns the bytes that are free and still hold their pages.
func (a *Arena) Spare() int { return a.heap.resident * Unit }

// Trim gives the pages of everything free back to the system.
func (a *Arena) Trim() {
	a.heap.trim(a.giveBack)
}

// forget ends what Close and its callers must not hand out any more.
func (a *Arena) forget() { a.base, a.size, a.heap = nil, 0, heap{} }
