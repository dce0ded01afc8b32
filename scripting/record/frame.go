package record

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// A recording begins with magic. Frames follow: a byte for the kind, the length of the content in four
// bytes, a checksum in four, and the content, all in little endian. The checksum is the CRC-32C of all
// that comes before it, from the beginning of the file, and of the content: so a frame that is lost,
// doubled or at another place is noticed as a flipped bit is.
//
// Contents are made of whole numbers as of encoding/binary's Uvarint, texts and bytes with their
// lengths before them, and words of eight bytes.
const magic = anyMagic + "1\n"

// Begins reports whether the first bytes of a file are those of a recording, of this version or of
// another. It serves messages about files of the wrong kind; Open finds out whether it is one. O(1).
func Begins(head []byte) bool { return bytes.HasPrefix(head, []byte(anyMagic)) }

// anyMagic is how the recordings of all versions begin.
const anyMagic = "perigee recording "

// frameKind says what a frame holds.
type frameKind byte

const (
	frameHeader   frameKind = 'H' // a Header, as JSON
	frameText     frameKind = 'F' // a file that is in force: its name, its text
	frameKeyframe frameKind = 'K' // a piece of a keyframe
	frameStart    frameKind = 'S' // the first tick comes next: its number, digest
	frameReload   frameKind = 'R' // files that the next tick takes over
	frameTick     frameKind = 'T'
	frameRewound  frameKind = 'W' // the tick that the next one follows
	frameEnd      frameKind = 'E' // nothing follows
)

const (
	frameHead = 9
	// mostFrame bounds the content of a frame: a text, a piece of a keyframe, the inputs of a tick.
	mostFrame = 64 << 20
	// keyframePiece is how much of a keyframe is in a frame.
	keyframePiece = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frames appends frames to a buffer.
type frames struct {
	sum   uint32 // of all before
	bytes []byte // that are not written yet
}

// begin begins a file.
func (f *frames) begin() {
	f.bytes = append(f.bytes[:0], magic...)
	f.sum = crc32.Checksum(f.bytes, castagnoli)
}

// add appends a frame, whose content a function appends. The error says that it is too long: then
// nothing is appended.
func (f *frames) add(kind frameKind, content func(to []byte) []byte) error {
	at := len(f.bytes)
	f.bytes = append(f.bytes, byte(kind), 0, 0, 0, 0, 0, 0, 0, 0)
	f.bytes = content(f.bytes)
	n := len(f.bytes) - at - frameHead
	if n > mostFrame {
		f.bytes = f.bytes[:at]
		return fmt.Errorf("a frame of %d bytes, it may have %d", n, mostFrame)
	}
	head := f.bytes[at : at+frameHead]
	binary.LittleEndian.PutUint32(head[1:], uint32(n))
	f.sum = frameSum(f.sum, head, f.bytes[at+frameHead:])
	binary.LittleEndian.PutUint32(head[5:], f.sum)
	return nil
}

// frameSum returns the checksum of a frame that follows others.
func frameSum(before uint32, head, content []byte) uint32 {
	return crc32.Update(crc32.Update(before, castagnoli, head[:5]), castagnoli, content)
}

// rawFrame is one that was read.
type rawFrame struct {
	kind    frameKind
	content []byte // good until the next one is read
	at      int64  // where the frame begins
}

// frameReader reads frames one after the other.
type frameReader struct {
	from io.ReaderAt
	size int64
	at   int64
	sum  uint32
	room []byte
}

// begin reads the beginning of a file.
func (r *frameReader) begin() error {
	head := make([]byte, len(magic))
	if r.size < int64(len(head)) {
		return fmt.Errorf("%w: %d bytes are no recording", ErrDamaged, r.size)
	}
	if _, err := r.from.ReadAt(head, 0); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if string(head) != magic {
		return fmt.Errorf("%w: the file does not begin as a recording of this version does", ErrDamaged)
	}
	r.at, r.sum = int64(len(head)), crc32.Checksum(head, castagnoli)
	return nil
}

// next reads a frame; io.EOF at the end of the file.
func (r *frameReader) next() (rawFrame, error) {
	f, sum, err := r.read(r.at, r.sum)
	if err != nil {
		return rawFrame{}, err
	}
	r.at, r.sum = f.at+frameHead+int64(len(f.content)), sum
	return f, nil
}

// read reads the frame at a place, after frames of a checksum. Its memory is bounded by the file: what
// a frame claims to have is held against what is there.
func (r *frameReader) read(at int64, before uint32) (rawFrame, uint32, error) {
	var head [frameHead]byte
	switch left := r.size - at; {
	case left == 0:
		return rawFrame{}, 0, io.EOF
	case left < frameHead:
		return rawFrame{}, 0, fmt.Errorf("%w: the last frame is cut off at byte %d", ErrDamaged, r.size)
	}
	if _, err := r.from.ReadAt(head[:], at); err != nil {
		return rawFrame{}, 0, fmt.Errorf("record: %w", err)
	}
	n := int64(binary.LittleEndian.Uint32(head[1:]))
	switch {
	case n > mostFrame:
		return rawFrame{}, 0, fmt.Errorf("%w: the frame at byte %d claims to have %d bytes", ErrDamaged, at, n)
	case n > r.size-at-frameHead:
		return rawFrame{}, 0, fmt.Errorf("%w: the last frame is cut off at byte %d", ErrDamaged, r.size)
	}
	if int64(cap(r.room)) < n {
		r.room = make([]byte, n)
	}
	content := r.room[:n]
	if _, err := r.from.ReadAt(content, at+frameHead); err != nil && n > 0 {
		return rawFrame{}, 0, fmt.Errorf("record: %w", err)
	}
	sum := frameSum(before, head[:], content)
	if sum != binary.LittleEndian.Uint32(head[5:]) {
		return rawFrame{}, 0, fmt.Errorf("%w: the frame at byte %d is not what was written", ErrDamaged, at)
	}
	return rawFrame{frameKind(head[0]), content, at}, sum, nil
}

// appendText, appendBytes and appendWord write what texts, bytes and words of a content are.
func appendText(to []byte, s string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(s))), s...)
}

func appendBytes(to, b []byte) []byte { return append(binary.AppendUvarint(to, uint64(len(b))), b...) }

func appendWord(to []byte, n uint64) []byte { return binary.LittleEndian.AppendUint64(to, n) }

// payload reads the content of a frame. After something that is not there, all is zero and failed
// says so.
type payload struct {
	left   []byte
	failed bool
}

// fail notes that something is not there.
func (c *payload) fail() { c.left, c.failed = nil, true }

// whole reads a whole number.
func (c *payload) whole() uint64 {
	n, size := binary.Uvarint(c.left)
	if size <= 0 {
		c.fail()
		return 0
	}
	c.left = c.left[size:]
	return n
}

// count reads how many elements follow, of which each has some bytes at least.
func (c *payload) count(least int) int {
	n := c.whole()
	if n > uint64(len(c.left)/least) {
		c.fail()
		return 0
	}
	return int(n)
}

// word reads eight bytes, float the number that they are.
func (c *payload) word() uint64 {
	b := c.take(8)
	if len(b) == 0 {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func (c *payload) float() float64 { return math.Float64frombits(c.word()) }

// bytes reads bytes with their length. They lie in the content, and are good as long as it is.
func (c *payload) bytes() []byte { return c.take(c.count(1)) }

// take reads so many bytes; nil if they are not there.
func (c *payload) take(n int) []byte {
	if n > len(c.left) {
		c.fail()
		return nil
	}
	b := c.left[:n:n]
	c.left = c.left[n:]
	return b
}

// end says whether all was there, and nothing more.
func (c *payload) end() error {
	if c.failed || len(c.left) > 0 {
		return fmt.Errorf("%w: a frame does not hold what its kind has", ErrDamaged)
	}
	return nil
}
