package save

import "encoding/binary"

// flat writes a FlatBuffer, from its end to its beginning, as that format is meant to be written:
// what is referred to comes first. Places are counted from the end.
type flat struct {
	b     []byte
	head  int
	align int // the largest so far
}

// offset returns the place of what was written last.
func (f *flat) offset() int { return len(f.b) - f.head }

// prepare makes room for size bytes with more after them, so that the first is aligned to size.
func (f *flat) prepare(size, more int) {
	f.align = max(f.align, size)
	pad := -(f.offset() + more) & (size - 1)
	for f.head < pad+size+more {
		old := len(f.b)
		grown := make([]byte, max(256, 2*old))
		copy(grown[len(grown)-old:], f.b)
		f.head += len(grown) - old
		f.b = grown
	}
	f.head -= pad
	clear(f.b[f.head : f.head+pad])
}

// number writes a number of some bytes, where it is aligned.
func (f *flat) number(size int, v uint64) {
	f.prepare(size, 0)
	f.place(size, v)
}

// place writes a number where there is room for it.
func (f *flat) place(size int, v uint64) {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], v)
	f.head -= size
	copy(f.b[f.head:], bytes[:size])
}

// reference writes how far it is to a place.
func (f *flat) reference(to int) {
	f.prepare(4, 0)
	f.place(4, uint64(f.offset()-to+4))
}

// text writes a string and returns its place.
func (f *flat) text(s string) int {
	f.prepare(4, len(s)+1)
	f.place(1, 0)
	f.head -= len(s)
	copy(f.b[f.head:], s)
	f.place(4, uint64(len(s)))
	return f.offset()
}

// references writes a list of references and returns its place.
func (f *flat) references(to []int) int {
	f.prepare(4, 4*len(to))
	for i := len(to) - 1; i >= 0; i-- {
		f.reference(to[i])
	}
	f.place(4, uint64(len(to)))
	return f.offset()
}

// structs writes a list of structs, each of some words of 8 bytes, and returns its place.
func (f *flat) structs(words []uint64, each int) int {
	f.prepare(4, 8*len(words))
	f.prepare(8, 8*len(words))
	for i := len(words) - 1; i >= 0; i-- {
		f.place(8, words[i])
	}
	f.place(4, uint64(len(words)/each))
	return f.offset()
}

// flatField is a field of a table: a number of some bytes or, with size 0, a reference. A field of the
// zero slot is left out.
type flatField struct {
	size  int
	value uint64
	to    int
}

// present reports whether the field is written.
func (s flatField) present() bool { return s.size > 0 || s.to > 0 }

// table writes a table and returns its place.
func (f *flat) table(slots ...flatField) int {
	start := f.offset()
	places := make([]int, len(slots))
	for i, s := range slots {
		switch {
		case !s.present():
			continue
		case s.size > 0:
			f.number(s.size, s.value)
		default:
			f.reference(s.to)
		}
		places[i] = f.offset()
	}
	f.number(4, 0)
	table := f.offset()
	for len(places) > 0 && places[len(places)-1] == 0 {
		places = places[:len(places)-1]
	}
	f.prepare(2, 2*(len(places)+1))
	for i := len(places) - 1; i >= 0; i-- {
		at := 0
		if places[i] > 0 {
			at = table - places[i]
		}
		f.place(2, uint64(at))
	}
	f.place(2, uint64(table-start))
	f.place(2, uint64(2*(len(places)+2)))
	binary.LittleEndian.PutUint32(f.b[len(f.b)-table:], uint32(f.offset()-table))
	return table
}

// finish ends the buffer with its root, and returns its bytes.
func (f *flat) finish(root int) []byte {
	f.prepare(f.align, 4)
	f.reference(root)
	return f.b[f.head:]
}
