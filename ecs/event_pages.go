package ecs

import "math/bits"

// eventPageWords is how many words a page of events has at most, unless one event is larger.
const eventPageWords = 64 << 10 / 8

// firstPageWords is about how many words the first page has room for at first.
const firstPageWords = 32

// eventPages are events of one size, in the order in which they were sent.
//
// Why pages? What is in one piece is copied when it grows, and when the oldest events go while others
// wait: up to 64 MiB in one step.
//
// Invariant: all pages but the first have room for 1 << shift events, and so has the first one when there are others; all but the
// last are full. skip is below 1 << shift, and zero where there is one page. The lengths of pages are their rooms, and room is the sum of
// them, those of the spare pages included. last is the last of the pages, and the next event begins at its word end.
type eventPages struct {
	words int        // of an event
	shift int        // a page has 1 << shift events
	n     int        // events
	skip  int        // events at the start of the first page that are forgotten
	pages [][]uint64 // the first one grows as far as it is needed
	spare [][]uint64 // to be used again
	last  []uint64
	end   int
	room  int
}

// newEventPages makes pages without events, for events of so many words.
func newEventPages(words int) eventPages {
	return eventPages{words: words, shift: bits.Len(uint(max(eventPageWords/words, 1))) - 1}
}

// at returns the first word of an event; the oldest is 0.
func (l *eventPages) at(i int) *uint64 {
	i += l.skip
	return &l.pages[i>>l.shift][(i&(1<<l.shift-1))*l.words]
}

// push adds an event, whose last word is zero and whose others are to be written, and returns its first word.
func (l *eventPages) push() *uint64 {
	if l.end+l.words > len(l.last) {
		l.grow()
	}
	event := l.last[l.end : l.end+l.words]
	event[len(event)-1] = 0 // what is behind its last byte
	l.end += l.words
	l.n++
	return &event[0]
}

// grow makes room for one more event: in the first page until that has its full length, and then in another one.
func (l *eventPages) grow() {
	full := l.words << l.shift
	if len(l.pages) > 0 && len(l.last) == full {
		l.add(full)
		return
	}
	if len(l.pages) == 0 {
		l.add(0)
	}
	page := make([]uint64, min(full, max(2*len(l.last), max(firstPageWords/l.words, 1)*l.words)))
	copy(page, l.last[:l.end])
	l.room += len(page) - len(l.last)
	l.pages[0], l.last = page, page
}

// add puts a page behind the others: a spare one, or a new one with room for so many words.
func (l *eventPages) add(words int) {
	if k := len(l.spare) - 1; k >= 0 {
		l.last, l.spare[k] = l.spare[k], nil
		l.spare = l.spare[:k]
	} else {
		l.last = make([]uint64, words)
		l.room += words
	}
	l.pages, l.end = append(l.pages, l.last), 0
}

// drop forgets the oldest n events.
func (l *eventPages) drop(n int) {
	if n <= 0 {
		return
	}
	l.skip, l.n = l.skip+n, l.n-n
	gone := l.skip >> l.shift
	l.skip -= gone << l.shift
	if l.n == 0 {
		gone, l.skip, l.end = len(l.pages)-1, 0, 0
	}
	if gone > 0 {
		l.spare = append(l.spare, l.pages[:gone]...)
		left := copy(l.pages, l.pages[gone:])
		clear(l.pages[left:])
		l.pages = l.pages[:left]
	}
	if len(l.pages) == 1 && l.skip > 0 {
		l.end = copy(l.last, l.last[l.skip*l.words:l.end])
		l.skip = 0
	}
}

// appendTo appends all events to a list.
func (l *eventPages) appendTo(list []uint64) []uint64 {
	from := l.skip * l.words
	for k, page := range l.pages {
		to := len(page)
		if k == len(l.pages)-1 {
			to = l.end
		}
		list = append(list, page[from:to]...)
		from = 0
	}
	return list
}

// fill puts other events into the place of those that there are.
func (l *eventPages) fill(list []uint64) {
	l.drop(l.n)
	for len(list) > 0 {
		if l.end+l.words > len(l.last) {
			l.grow()
		}
		n := copy(l.last[l.end:], list)
		l.end, l.n, list = l.end+n, l.n+n/l.words, list[n:]
	}
}

// shrink gives back the room that no event takes, where that is worth it.
func (l *eventPages) shrink() {
	if l.room-l.n*l.words < idleWords {
		return
	}
	l.spare, l.room = nil, 0
	if len(l.pages) == 1 && len(l.last)-l.end >= idleWords {
		page := make([]uint64, l.end)
		copy(page, l.last)
		l.pages[0], l.last = page, page
	}
	for _, page := range l.pages {
		l.room += len(page)
	}
}
