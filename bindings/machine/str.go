package machine

import (
	"hash/maphash"
	"unsafe"
)

// Str is a text. Its bytes never change.
//
// Two texts of the same content are equal wherever they are, and they are not interned: a
// text costs nothing beyond its bytes until it becomes a key. Its hash is computed then,
// once.
//
// A Str belongs to one virtual machine, since its hash and its mark are written late.
type Str struct {
	s    string
	hash uint32 // 0: not computed yet
	mark uint32 // of the last walk that has met it
}

// NewStr makes a text of the bytes of s. O(1).
func NewStr(s string) *Str { return &Str{s: s} }

// shared makes a text that machines look up and none keeps: its hash is there at once.
func shared(s string) *Str { return &Str{s: s, hash: hashOf(s)} }

// CopyStr makes a text of a copy of some bytes, in one object if they are few.
func CopyStr[T string | []byte](bytes T) *Str {
	s, to := newStr(len(bytes))
	copy(to, bytes)
	return s
}

// mostTogether is how many bytes a text has at most that is one object with them.
const mostTogether = 104

// together is a text in one object with its bytes. The sizes are those that Go's memory has: no
// byte is lost.
type together[B any] struct {
	Str
	bytes B
}

// newStr makes a text of n bytes, which the caller writes before anybody else sees them.
func newStr(n int) (s *Str, bytes []byte) {
	switch {
	case n <= 8:
		x := &together[[8]byte]{}
		s, bytes = &x.Str, x.bytes[:n]
	case n <= 24:
		x := &together[[24]byte]{}
		s, bytes = &x.Str, x.bytes[:n]
	case n <= 40:
		x := &together[[40]byte]{}
		s, bytes = &x.Str, x.bytes[:n]
	case n <= 72:
		x := &together[[72]byte]{}
		s, bytes = &x.Str, x.bytes[:n]
	case n <= mostTogether:
		x := &together[[mostTogether]byte]{}
		s, bytes = &x.Str, x.bytes[:n]
	default:
		s, bytes = &Str{}, make([]byte, n)
	}
	s.s = unsafe.String(unsafe.SliceData(bytes), n)
	return s, bytes
}

// String returns the bytes.
func (s *Str) String() string { return s.s }

// Len returns how many bytes the text has.
func (s *Str) Len() int { return len(s.s) }

// Unread returns how many bytes have to be read before the text can be looked up as a key.
// It is 0 as soon as it was a key.
func (s *Str) Unread() int {
	if s.hash != 0 {
		return 0
	}
	return len(s.s)
}

// key returns the hash.
func (s *Str) key() uint32 {
	if s.hash == 0 {
		s.hash = hashOf(s.s)
	}
	return s.hash
}

// seed makes the hashes of each process others, so that nobody can choose keys that
// collide. What scripts see never depends on it.
var seed = maphash.MakeSeed()

// hashOf returns the hash of a text, which is never 0.
func hashOf(s string) uint32 { return uint32(maphash.String(seed, s)) | 1<<31 }
