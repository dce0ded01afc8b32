package sparse

import "slices"

const (
	// pageBits is the logarithm of how many keys share a page.
	pageBits = 10
	perPage  = 1 << pageBits
)

// page holds the rows of some keys that follow each other, plus one: 0 is absent.
type page [perPage]uint32

// absent stands for pages that do not exist, so that a look-up need not ask. Nobody writes it.
var absent page

// Index says in which row a key is.
//
// Invariant: an entry of pages is never nil; absent is never written.
type Index struct {
	pages []*page
}

// Row returns the row of a key, -1 if it has none. O(1).
func (x *Index) Row(key uint32) int {
	if i := int(key >> pageBits); i < len(x.pages) {
		return int(x.pages[i][key%perPage]) - 1
	}
	return -1
}

// Put gives a key a row, below 2³²−1. O(1), and a page where there is none yet.
func (x *Index) Put(key uint32, row int) {
	i := int(key >> pageBits)
	if i >= len(x.pages) || x.pages[i] == &absent {
		x.Reserve(key)
	}
	x.pages[i][key%perPage] = uint32(row + 1)
}

// Remove takes the row of a key away, if it has one. O(1).
func (x *Index) Remove(key uint32) {
	if i := int(key >> pageBits); i < len(x.pages) && x.pages[i] != &absent {
		x.pages[i][key%perPage] = 0
	}
}

// Reserve makes the page of a key, so that Put allocates nothing.
func (x *Index) Reserve(key uint32) {
	i := int(key >> pageBits)
	if missing := i + 1 - len(x.pages); missing > 0 {
		x.pages = slices.Grow(x.pages, missing)
		for range missing {
			x.pages = append(x.pages, &absent)
		}
	}
	if x.pages[i] == &absent {
		x.pages[i] = new(page)
	}
}

// Grow makes the pages of all keys up to a last one. O(last).
func (x *Index) Grow(last uint32) {
	for i := uint64(0); i <= uint64(last)>>pageBits; i++ {
		x.Reserve(uint32(i << pageBits))
	}
}

// Len counts the keys that have a row. O(pages).
func (x *Index) Len() int {
	n := 0
	for _, p := range x.pages {
		if p != &absent {
			n += p.count()
		}
	}
	return n
}

// count returns how many keys of the page have a row.
func (p *page) count() int {
	n := 0
	for _, at := range p {
		if at != 0 {
			n++
		}
	}
	return n
}

// Trim gives back pages without keys, and the end of the list of pages. O(pages).
func (x *Index) Trim() {
	end := 0
	for i, p := range x.pages {
		if p != &absent && *p == absent {
			x.pages[i] = &absent
		}
		if x.pages[i] != &absent {
			end = i + 1
		}
	}
	x.pages = slices.Clip(slices.Clone(x.pages[:end]))
}

// Bytes returns how much memory the index takes. O(pages).
func (x *Index) Bytes() int {
	n := cap(x.pages) * 8
	for _, p := range x.pages {
		if p != &absent {
			n += perPage * 4
		}
	}
	return n
}
