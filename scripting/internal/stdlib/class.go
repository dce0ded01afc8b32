package stdlib

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

// letterClass returns the set of a letter after %, as in the C locale. An upper case
// letter is the opposite of the lower case one. All other characters stand for themselves.
func letterClass(letter byte) byteSet {
	var set byteSet
	switch letter | 0x20 {
	case 'a':
		set.addRange('a', 'z')
		set.addRange('A', 'Z')
	case 'c':
		set.addRange(0, 31)
		set.add(127)
	case 'd':
		set.addRange('0', '9')
	case 'l':
		set.addRange('a', 'z')
	case 'p':
		set.addRange('!', '/')
		set.addRange(':', '@')
		set.addRange('[', '`')
		set.addRange('{', '~')
	case 's':
		set.addRange('\t', '\r')
		set.add(' ')
	case 'u':
		set.addRange('A', 'Z')
	case 'w':
		set.addRange('0', '9')
		set.addRange('a', 'z')
		set.addRange('A', 'Z')
	case 'x':
		set.addRange('0', '9')
		set.addRange('a', 'f')
		set.addRange('A', 'F')
	case 'z':
		set.add(0)
	default:
		set.add(letter)
		return set
	}
	switch {
	case 'A' <= letter && letter <= 'Z':
		set.invert()
	case letter < 'a': // a control character that only looks like a letter
		set = byteSet{}
		set.add(letter)
	}
	return set
}
