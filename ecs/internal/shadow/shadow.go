// Package shadow keeps a copy of each value of one component, so that a comparison finds
// out which values have become others, and when.
//
// A [Shadow] has a row for each slot whose entity had a value at the last comparison: the
// life of the entity, the bytes of the value, and the date at which they were last found to
// be others than before. It does not know where values lie. The caller shows it the rows
// that may have changed ([Shadow.Rows]), and when values have gone, has it ask for each row
// whether its value is still there ([Shadow.Prune]).
//
// Why are rows found by slot, and not kept beside the column? A copy beside the column would
// have to be moved with every row, by all the code that moves rows. An entity keeps its slot
// wherever its values go, so a move changes nothing here.
//
// Dates are numbers that rise. The shadow belongs to one goroutine.
package shadow

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"
)

const (
	// SlotBits is the width of the slot number in a handle, the lower part; the life is above
	// it. Package ecs holds it against that of its handles.
	SlotBits = 24
	// perPage is how many slots a page has: few enough that a rare component in a large
	// world takes little, so many that a page costs nothing to find.
	perPage = 1024
	// leastRemovals is how many removals are kept at least. More are kept while there are
	// more rows.
	leastRemovals = 1024
	slotMask      = 1<<SlotBits - 1
)

// Piece is a range of bytes of a value, without its end.
type Piece struct{ From, To uintptr }

// Shadow holds the values of one component at the last comparison.
//
// Invariants: a row has the life 0 when there is no value, and its date is then not used;
// count is the number of rows with another life, used that of a page; no date of a page is
// above its newest; removals are in order of their dates, and all that are later than floor
// are there.
type Shadow struct {
	size     uintptr
	pieces   []Piece // of the bytes that mean something; nil: all do
	pages    []*page
	count    int
	removals []removal
	floor    uint64
}

// page holds the rows of consecutive slots.
type page struct {
	newest uint64
	used   int
	lives  [perPage]uint32
	dates  [perPage]uint64
	values unsafe.Pointer // perPage values, aligned to 8 bytes
}

// removal says that an entity had a value until a date.
type removal struct {
	handle uint64
	date   uint64
}

// New returns an empty shadow of values of a size. With pieces, the other bytes of a value are
// padding: they are kept and not compared. Removals up to the floor count as forgotten.
func New(size uintptr, pieces []Piece, floor uint64) *Shadow {
	if len(pieces) == 1 && pieces[0] == (Piece{0, size}) {
		pieces = nil
	}
	return &Shadow{size: size, pieces: pieces, floor: floor}
}

// Len returns how many rows there are.
func (s *Shadow) Len() int { return s.count }

// Size returns how many bytes a value has.
func (s *Shadow) Size() uintptr { return s.size }

// Bytes returns how much memory the shadow takes.
func (s *Shadow) Bytes() int {
	n := cap(s.removals)*int(unsafe.Sizeof(removal{})) + cap(s.pages)*8
	for _, p := range s.pages {
		if p != nil {
			n += int(unsafe.Sizeof(page{}) + s.size*perPage)
		}
	}
	return n
}

// Rows compares the values of living handles, which lie side by side from an address on, and
// gives those that are new or have become others the date. O(rows).
func (s *Shadow) Rows(handles []uint64, at unsafe.Pointer, date uint64) {
	for len(handles) > 0 {
		number, n := pageOf(handles[0]), 1
		for n < len(handles) && pageOf(handles[n]) == number {
			n++
		}
		s.rowsOfPage(s.page(number), handles[:n], at, date)
		handles, at = handles[n:], unsafe.Add(at, uintptr(n)*s.size)
	}
}

// pageOf returns the number of the page of a handle.
func pageOf(handle uint64) int { return int(handle&slotMask) / perPage }

// page returns the page of a number, and makes it when it is new.
func (s *Shadow) page(number int) *page {
	for len(s.pages) <= number {
		s.pages = append(s.pages, nil)
	}
	if s.pages[number] == nil {
		words := make([]uint64, (s.size*perPage+7)/8)
		s.pages[number] = &page{values: unsafe.Pointer(unsafe.SliceData(words))}
	}
	return s.pages[number]
}

// rowsOfPage is Rows for handles of one page.
func (s *Shadow) rowsOfPage(p *page, handles []uint64, at unsafe.Pointer, date uint64) {
	for len(handles) > 0 {
		n := min(block, len(handles))
		if n < block || !s.sameBlock(p, (*[block]uint64)(handles), at) {
			for i, h := range handles[:n] {
				s.row(p, h, unsafe.Add(at, uintptr(i)*s.size), date)
			}
		}
		handles, at = handles[n:], unsafe.Add(at, uintptr(n)*s.size)
	}
}

// row compares the value of one handle.
func (s *Shadow) row(p *page, h uint64, now unsafe.Pointer, date uint64) {
	slot := h % perPage
	own := unsafe.Add(p.values, uintptr(slot)*s.size)
	if p.lives[slot] != uint32(h>>SlotBits) {
		s.come(p, h, date)
	} else if s.same(own, now) {
		return
	}
	p.dates[slot], p.newest = date, date
	copyBytes(own, now, s.size)
}

// block is how many rows are compared at once: so many that unchanged rows cost little, so few
// that a changed one among them has few compared twice.
const block = 16

// sameBlock reports whether some rows are of consecutive slots and have the values that they
// had, padding included.
//
// Why? Rows mostly lie in the order of their slots, and most of those in a chunk that was
// written are what they were. To compare their bytes at once costs a fraction of going
// through them.
func (s *Shadow) sameBlock(p *page, handles *[block]uint64, now unsafe.Pointer) bool {
	first := handles[0]
	slot := int(first % perPage)
	if handles[block-1] != first+block-1 { // otherwise the slots are all in this page, as the handles are
		return false
	}
	lives, life := (*[block]uint32)(p.lives[slot:]), uint32(first>>SlotBits)
	for i := range lives {
		if lives[i] != life || handles[i] != first+uint64(i) {
			return false
		}
	}
	n := block * s.size
	own := unsafe.Add(p.values, uintptr(slot)*s.size)
	return string(unsafe.Slice((*byte)(own), n)) == string(unsafe.Slice((*byte)(now), n))
}

// copyBytes copies n bytes, a word at a time where a call of the runtime would cost more.
func copyBytes(to, from unsafe.Pointer, n uintptr) {
	if n > 64 || n%8 != 0 {
		copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
		return
	}
	for i := uintptr(0); i < n; i += 8 {
		*(*uint64)(unsafe.Add(to, i)) = *(*uint64)(unsafe.Add(from, i))
	}
}

// come gives a handle its row. Another one of the same slot, which had the row before, is gone.
func (s *Shadow) come(p *page, handle, date uint64) {
	slot := handle % perPage
	if old := p.lives[slot]; old != 0 {
		s.note(uint64(old)<<SlotBits|handle&slotMask, date)
	} else {
		p.used++
		s.count++
	}
	p.lives[slot] = uint32(handle >> SlotBits)
}

// same reports whether two values have the same bytes, padding aside.
func (s *Shadow) same(a, b unsafe.Pointer) bool {
	if s.pieces == nil {
		return equal(a, b, s.size)
	}
	for _, x := range s.pieces {
		if !equal(unsafe.Add(a, x.From), unsafe.Add(b, x.From), x.To-x.From) {
			return false
		}
	}
	return true
}

// equal compares n bytes, a word at a time: a call of the runtime costs more than that for
// values of the usual size.
func equal(a, b unsafe.Pointer, n uintptr) bool {
	if n > 64 {
		return string(unsafe.Slice((*byte)(a), n)) == string(unsafe.Slice((*byte)(b), n))
	}
	i := uintptr(0)
	for ; i+8 <= n; i += 8 {
		if *(*uint64)(unsafe.Add(a, i)) != *(*uint64)(unsafe.Add(b, i)) {
			return false
		}
	}
	for ; i+4 <= n; i += 4 {
		if *(*uint32)(unsafe.Add(a, i)) != *(*uint32)(unsafe.Add(b, i)) {
			return false
		}
	}
	for ; i < n; i++ {
		if *(*byte)(unsafe.Add(a, i)) != *(*byte)(unsafe.Add(b, i)) {
			return false
		}
	}
	return true
}

// Prune takes out the rows whose values are gone, and notes their removal at the date.
// O(rows, and slots of the pages that have some).
func (s *Shadow) Prune(date uint64, has func(handle uint64) bool) {
	for number, p := range s.pages {
		if p == nil {
			continue
		}
		for slot, life := range &p.lives {
			if h := handleAt(number, slot, life); life != 0 && !has(h) {
				p.lives[slot] = 0
				p.used--
				s.count--
				s.note(h, date)
			}
		}
		if p.used == 0 {
			s.pages[number] = nil
		}
	}
}

// handleAt returns the handle of a row.
func handleAt(page, slot int, life uint32) uint64 {
	return uint64(life)<<SlotBits | uint64(page*perPage+slot)
}

// note keeps a removal. When there are more than rows, the older half of them is forgotten:
// whoever was not told of them gets all rows, which are fewer.
func (s *Shadow) note(handle, date uint64) {
	if n := len(s.removals); n >= max(leastRemovals, s.count) {
		s.floor = s.removals[n/2].date
		s.removals = slices.Delete(s.removals, 0, n/2+1)
	}
	s.removals = append(s.removals, removal{handle, date})
}

// Reaches reports whether all removals after a date are known.
func (s *Shadow) Reaches(date uint64) bool { return date >= s.floor }

// Removed returns the handles that had a value at some comparison from the date on and have
// none now, rising by slot. O(removals since).
func (s *Shadow) Removed(date uint64) []uint64 {
	first, _ := slices.BinarySearchFunc(s.removals, date+1, func(r removal, at uint64) int { return cmp.Compare(r.date, at) })
	var gone []uint64
	for _, r := range s.removals[first:] {
		if !s.holds(r.handle) {
			gone = append(gone, r.handle)
		}
	}
	slices.SortFunc(gone, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(a&slotMask, b&slotMask), cmp.Compare(a, b))
	})
	return slices.Compact(gone)
}

// Value returns the value of a handle at the last comparison, nil if it had none. It must not be
// written, and is good until the next comparison.
func (s *Shadow) Value(handle uint64) unsafe.Pointer {
	if n := pageOf(handle); n < len(s.pages) && s.holds(handle) {
		return unsafe.Add(s.pages[n].values, uintptr(handle%perPage)*s.size)
	}
	return nil
}

// holds reports whether a handle has a row.
func (s *Shadow) holds(handle uint64) bool {
	number := pageOf(handle)
	return number < len(s.pages) && s.pages[number] != nil && s.pages[number].lives[handle%perPage] == uint32(handle>>SlotBits)
}

// Changed calls yield for each row with a later date than the given one, rising by slot, until
// it returns false. Pages in which nothing is later are passed over.
func (s *Shadow) Changed(date uint64, yield func(handle uint64, value unsafe.Pointer) bool) {
	for number, p := range s.pages {
		if p == nil || p.newest <= date {
			continue
		}
		for slot, life := range &p.lives {
			if life != 0 && p.dates[slot] > date && !yield(handleAt(number, slot, life), unsafe.Add(p.values, uintptr(slot)*s.size)) {
				return
			}
		}
	}
}

// CheckRow says what is wrong about a value that has not changed since the last comparison.
func (s *Shadow) CheckRow(handle uint64, value unsafe.Pointer) error {
	if !s.holds(handle) {
		return fmt.Errorf("there is no row of slot %d", handle&slotMask)
	}
	if p := s.pages[pageOf(handle)]; !s.same(unsafe.Add(p.values, uintptr(handle%perPage)*s.size), value) {
		return fmt.Errorf("the value of slot %d is not the one that was compared last", handle&slotMask)
	}
	return nil
}

// Check reports the first broken invariant. No date may be above the last one.
func (s *Shadow) Check(last uint64) error {
	count := 0
	for number, p := range s.pages {
		if p == nil {
			continue
		}
		used := 0
		for slot, life := range &p.lives {
			if life == 0 {
				continue
			}
			if used++; p.dates[slot] > min(p.newest, last) || p.dates[slot] == 0 {
				return fmt.Errorf("slot %d has changed at %d; its page at %d, all at %d", number*perPage+slot, p.dates[slot], p.newest, last)
			}
		}
		if count += used; used != p.used {
			return fmt.Errorf("page %d has %d rows, %d counted", number, used, p.used)
		}
	}
	if count != s.count {
		return fmt.Errorf("%d rows, %d counted", count, s.count)
	}
	return s.checkRemovals(last)
}

func (s *Shadow) checkRemovals(last uint64) error {
	from := s.floor
	for _, r := range s.removals {
		if r.date < from || r.date > last {
			return fmt.Errorf("the removal of slot %d at %d, after one at %d", r.handle&slotMask, r.date, from)
		}
		from = r.date
	}
	return nil
}
