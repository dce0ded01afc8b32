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
	var s *Str
	var to []byte
	switch n := len(bytes); {
	case n <= 8:
		x := &struct {
			Str
			bytes [8]byte
		}{}
		s, to = &x.Str, x.bytes[:n]
	case n <= 24:
		x := &struct {
			Str
			bytes [24]byte
		}{}
		s, to = &x.Str, x.bytes[:n]
	case n <= 40:
		x := &struct {
			Str
			bytes [40]byte
		}{}
		s, to = &x.Str, x.bytes[:n]
	default:
		s, to = &Str{}, make([]byte, n)
	}
	copy(to, bytes)
	s.s = unsafe.String(unsafe.SliceData(to), len(to))
	return s
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
