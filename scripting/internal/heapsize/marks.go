package heapsize

import "unsafe"

// marks are the objects that a walk has met. The zero marks are empty.
//
// Why bits by page and not a map of pointers? Objects lie beside each other: a map
// takes some forty bytes and a tenth of a microsecond for each, which is as much as
// small objects have themselves. Go moves nothing on its heap, so an address stays
// that of its object for as long as the walk holds it.
type marks struct {
	pages map[uintptr]*page
	at    uintptr // the page that was asked for last
	last  *page
}

const (
	pageBits = 13
	granule  = 3 // bits: no two objects with pointers begin within 8 bytes
)

// page has a bit for each granule of 8 KiB.
type page [1 << (pageBits - granule) / 64]uint64

// add marks an object, and reports whether it was not marked before.
func (m *marks) add(p unsafe.Pointer) bool {
	number := uintptr(p) >> pageBits
	if m.last == nil || number != m.at {
		m.last, m.at = m.pages[number], number
		if m.last == nil {
			if m.pages == nil {
				m.pages = map[uintptr]*page{}
			}
			m.last = new(page)
			m.pages[number] = m.last
		}
	}
	bit := uintptr(p) >> granule & (1<<(pageBits-granule) - 1)
	word, mask := &m.last[bit/64], uint64(1)<<(bit%64)
	known := *word&mask != 0
	*word |= mask
	return !known
}
