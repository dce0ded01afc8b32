package ecs

import "math/bits"

// eventPageWords is how many words a page of events has at most, unless one event is larger.
const eventPageWords = 64 << 10 / 8

// eventPages are events of one size, in the order in which they were sent.
//
// Why pages? What is in one piece is copied when it grows, and when the oldest events go while others
// wait: up to 64 MiB in one step.
//
// Invariant: all pages but the last are full, and skip is below the number of events of a page. With one
// page, skip is zero. Room is the sum of the capacities, those of the spare pages included.
type eventPages struct {
	words int        // of an event
	shift int        // a page has 1 << shift events
	n     int        // events
	skip  int        // events at the start of the first page that are forgotten
	pages [][]uint64 // the first one grows as far as it is needed, the others have their full room at once
	spare [][]uint64 // empty ones, to be used again
	room  int
}

// size says how many words an event has. When that changes, no event is left.
func (l *eventPages) size(words int) {
	if words != l.words {
		*l = eventPages{words: words, shift: bits.Len(uint(max(eventPageWords/words, 1))) - 1}
	}
}

// at returns the first word of an event; the oldest is 0.
func (l *eventPages) at(i int) *uint64 {
	i += l.skip
	return &l.pages[i>>l.shift][(i&(1<<l.shift-1))*l.words]
}

// page returns the page in which the next event has its place.
func (l *eventPages) page() *[]uint64 {
	k := (l.skip + l.n) >> l.shift
	if k == len(l.pages) {
		var page []uint64
		if end := len(l.spare) - 1; end >= 0 {
			page, l.spare[end] = l.spare[end], nil
			l.spare = l.spare[:end]
		} else if k > 0 {
			page = make([]uint64, 0, l.words<<l.shift)
			l.room += cap(page)
		}
		l.pages = append(l.pages, page)
	}
	return &l.pages[k]
}

// push adds an event of zeros, and returns its first word.
func (l *eventPages) push() *uint64 {
	page := l.page()
	room, at := cap(*page), len(*page)
	for range l.words {
		*page = append(*page, 0)
	}
	l.room += cap(*page) - room
	l.n++
	return &(*page)[at]
}

// drop forgets the oldest n events.
func (l *eventPages) drop(n int) {
	if n <= 0 {
		return
	}
	l.skip, l.n = l.skip+n, l.n-n
	gone := l.skip >> l.shift
	if l.n == 0 {
		gone, l.skip = len(l.pages)-1, 0
		l.pages[gone] = l.pages[gone][:0]
	} else {
		l.skip -= gone << l.shift
	}
	for _, page := range l.pages[:gone] {
		l.spare = append(l.spare, page[:0])
	}
	left := copy(l.pages, l.pages[gone:])
	clear(l.pages[left:])
	l.pages = l.pages[:left]
	if left == 1 && l.skip > 0 {
		page := l.pages[0]
		l.pages[0] = page[:copy(page, page[l.skip*l.words:])]
		l.skip = 0
	}
}

// appendTo appends all events to a list.
func (l *eventPages) appendTo(list []uint64) []uint64 {
	skip := l.skip * l.words
	for _, page := range l.pages {
		list = append(list, page[skip:]...)
		skip = 0
	}
	return list
}

// fill puts other events into the place of those that there are.
func (l *eventPages) fill(list []uint64) {
	l.drop(l.n)
	for len(list) > 0 {
		page := l.page()
		part := list[:min(len(list), l.words<<l.shift)]
		room := cap(*page)
		*page = append(*page, part...)
		l.room += cap(*page) - room
		l.n += len(part) / l.words
		list = list[len(part):]
	}
}

// shrink gives back the room that no event takes, where that is worth it.
func (l *eventPages) shrink() {
	if l.room-l.n*l.words < idleWords {
		return
	}
	l.spare, l.room = nil, 0
	if len(l.pages) == 1 && cap(l.pages[0])-len(l.pages[0]) >= idleWords {
		l.pages[0] = append(make([]uint64, 0, len(l.pages[0])), l.pages[0]...)
	}
	for _, page := range l.pages {
		l.room += cap(page)
	}
}
