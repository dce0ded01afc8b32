package pattern

// Sets of bytes, which are the classes of patterns. A set is a value of 32 bytes: to
// ask it takes the same time whatever is in it.

// A byteSet is a set of bytes: one bit for each.
type byteSet [4]uint64

// add puts a byte into the set; has reports whether it is there.
func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

// addRange adds all bytes from low to high.
func (s *byteSet) addRange(low, high byte) {
	for c := int(low); c <= int(high); c++ {
		s.add(byte(c))
	}
}

// invert makes the set the opposite.
func (s *byteSet) invert() {
	for i := range s {
		s[i] = ^s[i]
	}
}

// union adds all bytes of another set.
func (s *byteSet) union(other byteSet) {
	for i := range s {
		s[i] |= other[i]
	}
}

// classRanges are the classes by their letters: each has ranges of bytes, from and to.
var classRanges = map[byte]string{
	'a': "azAZ", 'c': "\x00\x1f\x7f\x7f", 'd': "09", 'l': "az", 'p': "!/:@[`{~", 's': "\t\r  ", 'u': "AZ", 'w': "09azAZ", 'x': "09afAF", 'z': "\x00\x00",
}

// letterClass returns the set of a letter after %, as in the C locale. An upper case
// letter is the opposite of the lower case one. All other characters stand for themselves.
func letterClass(letter byte) byteSet {
	var set byteSet
	ranges, known := classRanges[letter|0x20]
	upper := 'A' <= letter && letter <= 'Z'
	if !known || letter < 'a' && !upper {
		set.add(letter)
		return set
	}
	for ; ranges != ""; ranges = ranges[2:] {
		set.addRange(ranges[0], ranges[1])
	}
	if upper {
		set.invert()
	}
	return set
}
