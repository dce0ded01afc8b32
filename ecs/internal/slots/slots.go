// Package slots issues entity numbers and remembers where each entity lives.
//
// A slot has one 16-byte Record, in memory that the caller provides and that
// never moves. A live slot's record holds its life and its place; a dead one
// holds the last life issued and the next slot of the free list.
//
// A handle is a slot number in the low 24 bits, the world's tag in the next 8
// and a generation of 20 bits above: 52 bits in all, so that it is exact as a
// float64. The life is the handle without its slot number. Because the tag is
// part of it, one comparison refuses the dead, the foreign and the invented.
//
// Tags from 1 to [ShortTags] are what stands in those 8 bits. For more worlds than that, up to
// [LastTag], the lower 8 bits of the generation belong to the tag as well, and 12 are left: a
// handle says by its lower bits which of the two it is. Why not the upper 8 bits? Every handle of
// such a world would be so large a number that Lua does not print all of its digits.
//
// Why are free slots reused in FIFO order, and only once many of them wait? A
// stale handle can be mistaken only after its slot's generation has come round,
// and 2²⁰ generations times the waiting slots is a long time. A slot whose last
// generation dies is never issued again.
package slots

import (
	"fmt"
	"unsafe"
)

const (
	// IndexBits is the width of the slot number in a handle.
	IndexBits = 24
	// TagBits is the width of the world's tag.
	TagBits = 8
	// LastGeneration is the last one a slot can have.
	LastGeneration = 1<<20 - 1
	// LastOfMany is the last generation in a world whose tag is above ShortTags.
	LastOfMany = 1<<manyBits - 1
	// ShortTags is how many tags leave all generations to the slots.
	ShortTags = 1<<(TagBits-1) - 1
	// LastTag is the highest tag.
	LastTag = ShortTags + 1<<(TagBits-1+moreBits)
	// MaxSlots is how many slots a handle can name; slot 0 is never issued.
	MaxSlots = 1 << IndexBits

	indexMask = MaxSlots - 1
	tagMask   = 1<<TagBits - 1
	lifeBits  = 28
	manyBits  = 12                            // of a generation in a world of a long tag
	moreBits  = lifeBits - TagBits - manyBits // of a long tag, below the generation
	moreMask  = 1<<moreBits - 1
	longBits  = TagBits + moreBits // of a long tag in all
	long      = 1 << (TagBits - 1) // the bit of a life that says that its tag is a long one
)

// Lives returns what all lives of a world have in common: mask says which bits, and base what
// they are. last is the last life of a slot.
func Lives(tag uint16) (base, mask, last uint32) {
	t := uint32(tag)
	if t <= ShortTags {
		return t, tagMask, t | LastGeneration<<TagBits
	}
	t -= long
	base = long | t&(long-1) | t>>(TagBits-1)<<TagBits
	return base, tagMask | moreMask<<TagBits, base | LastOfMany<<longBits
}

// Tag returns the tag of the world that issued a handle.
func Tag(handle uint64) uint16 {
	life := uint32(handle >> IndexBits)
	if life&long == 0 {
		return uint16(life & tagMask)
	}
	return uint16(life&tagMask + life>>TagBits&moreMask<<(TagBits-1))
}

// Generation returns the generation of a handle.
func Generation(handle uint64) uint32 {
	if handle>>IndexBits&long == 0 {
		return uint32(handle >> (IndexBits + TagBits))
	}
	return uint32(handle >> (IndexBits + longBits))
}

// Untagged returns a handle without the tag: two worlds of the same history have the same.
func Untagged(handle uint64) uint64 {
	if handle>>IndexBits&long == 0 {
		return handle &^ (tagMask << IndexBits)
	}
	return handle&indexMask | uint64(Generation(handle))<<(IndexBits+TagBits)
}

// Record is one slot. A dead slot has Life 0, its next free slot in Chunk and
// its last life in Row; a live one has the number of the offset table that
// says where its columns lie, its chunk and its row. A slot that is reserved but
// not yet placed is live with Table 0.
type Record struct {
	Life, Table, Chunk, Row uint32
}

// Slots is the pool of one world. The zero Slots has no slot to issue and knows
// no handle.
//
// Invariants: live + free + retired + 1 == used; the free list reaches exactly
// the dead slots that are not retired, oldest first.
type Slots struct {
	records   []Record // the whole range; only the first used are meaningful
	used      uint32   // slots ever issued, counting slot 0
	live      int
	free      int
	retired   int
	head      uint32 // oldest free slot, 0 when none
	tail      uint32
	threshold int

	base, mask uint32 // of all lives, see Lives
	last       uint32
	step       uint32 // from one life of a slot to the next

	// Now is the date of what is released; the caller sets it.
	Now uint32
	// deaths is, by slot, the date at which its last handle was released; slots past its end
	// have lost none.
	//
	// Why is the date not in the record? A dead record has bits to spare, but not in a word of
	// its own: Table is 0, so that readers of the records alone find no column.
	deaths []uint32

	// Stamp is what pages of records are stamped with when one of them is written, or a death
	// is noted: it rises from snapshot to snapshot, so that these copy only what was written.
	Stamp  uint64
	stamps []uint64 // by page of PageSlots slots; as long as the slots that were issued need
}

// PageSlots is how many slots have one stamp.
const PageSlots = 1 << pageBits

const pageBits = 10

// New makes a pool over n records at p, which must be zero. Reuse begins once
// threshold slots wait. At most limit slots are issued; 0 means all. The record of slot 0 says
// which lives are of this world: Chunk has the bits, and Row what they are.
func New(p unsafe.Pointer, n, limit, threshold int, tag uint16) *Slots {
	if n = min(n, MaxSlots); limit > 0 {
		n = min(n, limit+1)
	}
	s := &Slots{records: unsafe.Slice((*Record)(p), n), used: 1, threshold: threshold}
	s.base, s.mask, s.last = Lives(tag)
	if s.step = 1 << TagBits; tag > ShortTags {
		s.step = 1 << longBits
	}
	s.records[0] = Record{Chunk: s.mask, Row: s.base}
	s.stamps = make([]uint64, 1)
	return s
}

// touch stamps the page of a slot that was issued.
func (s *Slots) touch(index uint32) { s.stamps[index>>pageBits] = s.Stamp }

// touchFresh stamps the pages from a slot on up to the last one that was issued.
func (s *Slots) touchFresh(from uint32) {
	for page := from >> pageBits; page <= (s.used-1)>>pageBits; page++ {
		if int(page) == len(s.stamps) {
			s.stamps = append(s.stamps, 0)
		}
		s.stamps[page] = s.Stamp
	}
}

// Place says where the entity of a record is from now on; r is the record of the slot of the
// handle.
func (s *Slots) Place(r *Record, handle uint64, table, chunk, row uint32) {
	r.Table, r.Chunk, r.Row = table, chunk, row
	s.touch(uint32(handle & indexMask))
}

// Issue returns a new live handle that has no place yet; ok is false when every
// slot is taken.
func (s *Slots) Issue() (handle uint64, ok bool) {
	if s.free > s.threshold || (s.free > 0 && int(s.used) == len(s.records)) {
		return s.reuse(), true
	}
	if int(s.used) == len(s.records) {
		return 0, false
	}
	index := s.used
	s.used++
	if page := int(index >> pageBits); page < len(s.stamps) {
		s.stamps[page] = s.Stamp
	} else {
		s.touchFresh(index)
	}
	s.live++
	life := s.step | s.base
	s.records[index] = Record{Life: life}
	return uint64(life)<<IndexBits | uint64(index), true
}

func (s *Slots) reuse() uint64 {
	index := s.head
	r := &s.records[index]
	life := r.Row + s.step
	s.head = r.Chunk
	if s.free--; s.free == 0 {
		s.tail = 0
	}
	s.live++
	*r = Record{Life: life}
	s.touch(index)
	return uint64(life)<<IndexBits | uint64(index)
}

// Room returns how many handles can be issued now.
func (s *Slots) Room() int { return s.free + len(s.records) - int(s.used) }

// Free returns how many slots wait to be issued again.
func (s *Slots) Free() int { return s.free }

// Highest returns the highest slot number that the next n handles can have; n may
// be more than there is Room for.
func (s *Slots) Highest(n int) uint32 {
	fresh := len(s.records) - int(s.used)
	return uint32(max(int(s.used)+min(n, fresh), 1) - 1)
}

// Fill issues a handle for each element of handles and places it: in a chunk of
// a table, in consecutive rows. There must be Room for all.
func (s *Slots) Fill(handles []uint64, table, chunk, row uint32) {
	for i := 0; i < len(handles); row++ {
		if s.free > s.threshold || int(s.used) == len(s.records) {
			handles[i] = s.reuse()
			*s.At(handles[i]) = Record{uint32(handles[i] >> IndexBits), table, chunk, row}
			i++
			continue
		}
		life := s.step | s.base
		n := min(len(handles)-i, len(s.records)-int(s.used))
		fresh := s.records[s.used : int(s.used)+n]
		for j := range fresh {
			fresh[j] = Record{life, table, chunk, row + uint32(j)}
			handles[i+j] = uint64(life)<<IndexBits | (uint64(s.used) + uint64(j))
		}
		s.used += uint32(n)
		s.touchFresh(s.used - uint32(n))
		s.live += n
		i += n
		row += uint32(n) - 1
	}
}

// Move places live handles anew, in consecutive rows.
//
// Why is the list of records read before the loop? The loop writes records, and for all
// that the compiler knows these hold the list itself: it would read it again for each
// handle. With these loads the loop also took a fifth more time at some addresses of the
// code than at others.
func (s *Slots) Move(handles []uint64, table, chunk, row uint32) {
	records, stamps, stamp := s.records, s.stamps, s.Stamp
	for i, h := range handles {
		r := &records[h&indexMask]
		r.Table, r.Chunk, r.Row = table, chunk, row+uint32(i)
		stamps[h&indexMask>>pageBits] = stamp
	}
}

// At returns the record of the slot of a handle that was issued here, alive or
// not.
func (s *Slots) At(handle uint64) *Record { return &s.records[handle&indexMask] }

// Alive reports whether the handle was issued here and not released since.
func (s *Slots) Alive(handle uint64) bool {
	index := handle & indexMask
	return index < uint64(s.used) && uint64(s.records[index].Life) == handle>>IndexBits && handle>>IndexBits != 0
}

// Issued reports whether the handle was issued here, whether it is live or not.
func (s *Slots) Issued(handle uint64) bool {
	index, life := handle&indexMask, handle>>IndexBits
	if index == 0 || index >= uint64(s.used) || Generation(handle) == 0 || life&uint64(s.mask) != uint64(s.base) {
		return false
	}
	r := &s.records[index]
	if r.Life == 0 {
		return life <= uint64(r.Row)
	}
	return life <= uint64(r.Life)
}

// Records returns the records of all slots, issued or not, for readers that look at
// the place only: the record of a handle that is not live differs from it in its
// Life, or has Table 0.
func (s *Slots) Records() []Record { return s.records }

// Record returns the record of a live handle, or nil. It stays valid, at the
// same address, until the arena closes.
func (s *Slots) Record(handle uint64) *Record {
	index := handle & indexMask
	if index >= uint64(s.used) {
		return nil
	}
	r := &s.records[index]
	if uint64(r.Life) != handle>>IndexBits || r.Life == 0 {
		return nil
	}
	return r
}

// Release ends a live handle.
func (s *Slots) Release(handle uint64) {
	index := uint32(handle & indexMask)
	r := &s.records[index]
	last := r.Life
	*r = Record{Row: last}
	if int(index) >= len(s.deaths) {
		s.extend(index)
	}
	s.deaths[index] = s.Now
	s.touch(index)
	s.live--
	if last == s.last {
		s.retired++
		return
	}
	if s.free == 0 {
		s.head = index
	} else {
		s.records[s.tail].Chunk = index
		s.touch(s.tail)
	}
	s.tail = index
	s.free++
}

// extend makes deaths long enough for a slot.
func (s *Slots) extend(index uint32) {
	n := min(max(2*len(s.deaths), int(index)+1, 256), max(len(s.records), int(index)+1))
	s.deaths = append(make([]uint32, 0, n), s.deaths...)[:n]
}

// Died returns the date at which a handle was released; ok is false when it is live, was never
// issued here, or another one of its slot was released since.
func (s *Slots) Died(handle uint64) (date uint32, ok bool) {
	index := handle & indexMask
	if index >= uint64(min(int(s.used), len(s.deaths))) {
		return 0, false
	}
	last := s.records[index].Row
	if life := s.records[index].Life; life != 0 {
		last = life - s.step
	}
	return s.deaths[index], Generation(handle) > 0 && uint64(last) == handle>>IndexBits
}

// Live returns how many handles are live.
func (s *Slots) Live() int { return s.live }

// Retired returns how many slots have used up their generations.
func (s *Slots) Retired() int { return s.retired }

// Used returns how many slots were ever issued.
func (s *Slots) Used() int { return int(s.used) }

// Limit returns how many handles can be live at once.
func (s *Slots) Limit() int { return len(s.records) - 1 }

// Next returns the first live handle whose slot number is above that of the
// given one (0 begins), or 0 when there is none.
func (s *Slots) Next(handle uint64) uint64 {
	for i := handle&indexMask + 1; i < uint64(s.used); i++ {
		if life := s.records[i].Life; life != 0 {
			return uint64(life)<<IndexBits | i
		}
	}
	return 0
}

// Check reports the first broken invariant.
func (s *Slots) Check() error {
	live, dead := 0, 0
	for i := uint32(1); i < s.used; i++ {
		r := s.records[i]
		switch {
		case r.Life == 0:
			dead++
		case r.Life&s.mask != s.base:
			return fmt.Errorf("slot %d carries the tag of world %d, this is world %d", i, Tag(uint64(r.Life)<<IndexBits), Tag(uint64(s.base)<<IndexBits))
		default:
			live++
		}
	}
	if live != s.live || dead != s.free+s.retired {
		return fmt.Errorf("slots: %d live and %d dead found, %d live, %d free and %d retired counted", live, dead, s.live, s.free, s.retired)
	}
	return s.checkFree()
}

func (s *Slots) checkFree() error {
	n, last := 0, uint32(0)
	for i := s.head; n < s.free; i = s.records[i].Chunk {
		if i == 0 || i >= s.used || s.records[i].Life != 0 {
			return fmt.Errorf("slots: the free list reaches slot %d, which is not free", i)
		}
		n, last = n+1, i
	}
	if last != s.tail {
		return fmt.Errorf("slots: the free list ends at slot %d, not at %d", last, s.tail)
	}
	return nil
}
