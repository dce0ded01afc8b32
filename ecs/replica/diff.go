package replica

import (
	"encoding/binary"
	"unsafe"
)

// A difference is a list of runs: how many bytes stay, how many are replaced, and by which. What
// comes after the last run stays.

// word is the unit that is compared: most fields have four bytes or eight.
const word = 4

// appendDifference appends what makes the bytes from a part.
//
// Why are single words that are the same put into a run? To end one and begin another costs as much.
func appendDifference(to, from, part []byte) []byte {
	n := min(len(from), len(part))
	done, begin, end := 0, 0, 0 // a run goes from begin to end; there is none when they are the same
	for at := nextDifference(from, part, 0, n); at < n; at = nextDifference(from, part, at+word, n) {
		if at-end > word || begin == end {
			to = appendRun(to, done, begin, end, part)
			done, begin = max(end, done), at
		}
		end = min(at+word, n)
	}
	if len(part) > n {
		if n-end > word || begin == end {
			to = appendRun(to, done, begin, end, part)
			done, begin = max(end, done), n
		}
		end = len(part)
	}
	return appendRun(to, done, begin, end, part)
}

// appendRun appends the run from begin to end, if it has bytes. All before done is written.
func appendRun(to []byte, done, begin, end int, part []byte) []byte {
	if begin == end {
		return to
	}
	to = binary.AppendUvarint(to, uint64(begin-done))
	to = binary.AppendUvarint(to, uint64(end-begin))
	return append(to, part[begin:end]...)
}

// nextDifference returns where the first word from at on begins that two lists of n bytes do not
// share, or a number of at least n.
func nextDifference(a, b []byte, at, n int) int {
	for ; at+2*word <= n; at += 2 * word {
		if x := binary.LittleEndian.Uint64(a[at:]) ^ binary.LittleEndian.Uint64(b[at:]); uint32(x) != 0 {
			return at
		} else if x != 0 {
			return at + word
		}
	}
	for ; at < n; at += word {
		if end := min(at+word, n); string(a[at:end]) != string(b[at:end]) {
			return at
		}
	}
	return at
}

// patch returns a part of size bytes, which a difference makes of the bytes from. ok is false
// when the difference is of other bytes.
func patch(from []byte, size int, difference []byte) (part []byte, ok bool) {
	part = aligned(size)
	copy(part, from)
	at := 0
	for len(difference) > 0 {
		skip, n := binary.Uvarint(difference)
		if n <= 0 {
			return nil, false
		}
		count, m := binary.Uvarint(difference[n:])
		if m <= 0 {
			return nil, false
		}
		difference = difference[n+m:]
		if skip > uint64(size-at) || count > uint64(size-at)-skip || count > uint64(len(difference)) {
			return nil, false
		}
		at += int(skip)
		at += copy(part[at:], difference[:count])
		difference = difference[count:]
	}
	return part, true
}

// aligned returns zero bytes in which values of any type may lie.
func aligned(n int) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}
