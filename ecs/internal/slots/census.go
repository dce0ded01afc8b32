package slots

import "unsafe"

// Census is what a pool is, but for its records and the dates of deaths, which [Slots.Page]
// copies page by page. It says nothing of the options of New.
type Census struct {
	Used, Head, Tail uint32
	Live, Free       int
	Retired          int
}

// Census returns the state.
func (s *Slots) Census() Census {
	return Census{Used: s.used, Head: s.head, Tail: s.tail, Live: s.live, Free: s.free, Retired: s.retired}
}

// Fits reports whether the pool has so many slots.
func (s *Slots) Fits(st Census) bool { return int(st.Used) <= len(s.records) }

// SetCensus makes the pool one of a state whose pages SetPage has copied back. Slots that the state
// has not issued are as if they never were.
func (s *Slots) SetCensus(st Census) {
	if st.Used < s.used {
		clear(s.records[st.Used:s.used]) // readers of the records alone would find them alive
		s.touchFresh(st.Used)
	}
	s.used, s.head, s.tail = st.Used, st.Head, st.Tail
	s.live, s.free, s.retired = st.Live, st.Free, st.Retired
	for len(s.stamps) < s.Pages() {
		s.stamps = append(s.stamps, s.Stamp)
	}
}

// Pages returns how many pages the slots that were issued have, slot 0 included.
func (s *Slots) Pages() int { return int((s.used-1)>>pageBits) + 1 }

// PageStamp returns when a page was written last, the Stamp of then.
func (s *Slots) PageStamp(page int) uint64 {
	if page >= len(s.stamps) {
		return 0
	}
	return s.stamps[page]
}

// recordBytes and deathBytes are what a slot takes in a page.
const (
	recordBytes = int(unsafe.Sizeof(Record{}))
	deathBytes  = 4
)

// slotsOf returns how many of a page's slots were issued, out of used.
func slotsOf(page, used int) int { return min(PageSlots, used-page*PageSlots) }

// PageBytes returns how many bytes a page has for [Slots.Page].
func (s *Slots) PageBytes(page int) int {
	return slotsOf(page, int(s.used)) * (recordBytes + deathBytes)
}

// Page copies the records of a page, and then the dates of deaths of its slots, to bytes, of
// which there are PageBytes.
func (s *Slots) Page(page int, to []byte) {
	n := slotsOf(page, int(s.used))
	copy(to, s.recordsOf(page, n))
	dates := to[n*recordBytes:]
	clear(dates[copy(dates, s.deathsOf(page, n)):])
}

// NewPage makes the bytes of a page that SetPage takes, of a pool with so many slots, and returns
// the parts of these bytes: the records and the dates of deaths of its slots.
func NewPage(page, used int) (bytes []byte, records []Record, deaths []uint32) {
	n := slotsOf(page, used)
	words := make([]uint32, n*(recordBytes+deathBytes)/4)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 4*len(words)),
		unsafe.Slice((*Record)(unsafe.Pointer(&words[0])), n), words[n*recordBytes/4:]
}

// Parts returns the records of a page that Page has filled, and the dates of deaths.
func Parts(page []byte) (records []Record, deaths []uint32) {
	n := len(page) / (recordBytes + deathBytes)
	return unsafe.Slice((*Record)(unsafe.Pointer(&page[0])), n), unsafe.Slice((*uint32)(unsafe.Pointer(&page[n*recordBytes])), n)
}

// Step returns the first life of a slot in a world of a tag, and what is between two of them.
func Step(tag uint16) (first, step uint32) {
	base, _, _ := Lives(tag)
	if step = 1 << TagBits; tag > ShortTags {
		step = 1 << longBits
	}
	return base | step, step
}

// SetPage copies a page back, as it was when so many slots were issued.
func (s *Slots) SetPage(page, used int, from []byte) {
	n := slotsOf(page, used)
	copy(s.recordsOf(page, n), from)
	dates := from[n*recordBytes:]
	if last := page*PageSlots + n - 1; last >= len(s.deaths) && !zero(dates) {
		s.extend(uint32(last))
	}
	copy(s.deathsOf(page, n), dates)
	for len(s.stamps) <= page {
		s.stamps = append(s.stamps, 0)
	}
	s.stamps[page] = s.Stamp
}

// recordsOf returns the bytes of the first n records of a page.
func (s *Slots) recordsOf(page, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&s.records[page*PageSlots])), n*recordBytes)
}

// deathsOf returns the bytes of the first n dates of a page, as far as there are some.
func (s *Slots) deathsOf(page, n int) []byte {
	first := page * PageSlots
	if n = min(n, len(s.deaths)-first); n <= 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s.deaths[first])), n*deathBytes)
}

// zero reports whether all bytes are 0.
func zero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
