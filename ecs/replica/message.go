package replica

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"
	"unsafe"

	"github.com/klauspost/compress/zstd"
)

// Errors of this package wrap one of these, or those of package ecs.
var (
	// ErrDamaged says that a message is not what a primary has sent.
	ErrDamaged = errors.New("damaged message")
	// ErrVersion says that a message is of a version of the format that this program does not read.
	ErrVersion = errors.New("unknown version of messages")
	// ErrOld says that a replica knows already what a message says, or something newer.
	ErrOld = errors.New("old message")
	// ErrGap says that a message before is missing: a full one is needed.
	ErrGap = errors.New("a message is missing")
	// ErrTooLarge says that something is larger than a limit.
	ErrTooLarge = errors.New("too large")
)

// The first bytes of a message: a name with the version of the format at its end.
const (
	magic   = "perigee\x00delta\x00"
	version = 1
)

// The flags of a message.
const (
	fullFlag = 1 << iota
	compressedFlag
)

// header is a message without what has changed: the fields stand in this order, eight bytes each.
type header struct {
	Flags   uint64
	Primary uint64 // a number that no other primary has
	Number  uint64 // of the state that the message makes, from 1
	Tick    uint64 // of it
	Tag     uint64 // of its handles
	Sum     uint64 // of its parts
	Length  uint64 // of the payload, before it was compressed
}

// headBytes is where the payload of a message begins, tailBytes what comes after it: a sum of all before.
const (
	headBytes = len(magic) + 1 + 7*8
	tailBytes = 4
)

// encoder compresses. It has no state of a message.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		panic(err) // the options are right
	}
	return e
})

// message puts a message together.
func (f *header) message(payload []byte, compress bool) []byte {
	f.Length = uint64(len(payload))
	if compress {
		if small := encoder().EncodeAll(payload, nil); len(small) < len(payload) {
			payload, f.Flags = small, f.Flags|compressedFlag
		}
	}
	m := make([]byte, 0, headBytes+len(payload)+tailBytes)
	m = append(append(append(m, magic...), version), wordsOf(f)...)
	m = append(m, payload...)
	return binary.LittleEndian.AppendUint32(m, crc32.Checksum(m, castagnoli))
}

// readFrame takes a message apart. The payload is as it was sent.
func readFrame(message []byte) (f header, payload []byte, err error) {
	switch {
	case len(message) < headBytes+tailBytes || string(message[:len(magic)]) != magic:
		return f, nil, damaged("%d bytes that begin as no message does", len(message))
	case message[len(magic)] != version:
		return f, nil, fmt.Errorf("%w: it is %d, this program reads %d", ErrVersion, message[len(magic)], version)
	}
	end := len(message) - tailBytes
	if crc32.Checksum(message[:end], castagnoli) != binary.LittleEndian.Uint32(message[end:]) {
		return f, nil, damaged("its sum is another one")
	}
	copy(wordsOf(&f), message[len(magic)+1:])
	if f.Flags&^(fullFlag|compressedFlag) != 0 || f.Number == 0 || f.Tag > 1<<16-1 {
		return f, nil, damaged("its flags are %#x, its number %d", f.Flags, f.Number)
	}
	return f, message[headBytes:end], nil
}

// unpack returns the payload as it was before it was compressed.
func (f *header) unpack(payload []byte, most int64) ([]byte, error) {
	if f.Length > uint64(most) {
		return nil, fmt.Errorf("%w: a message of %d bytes, the limit is %d", ErrTooLarge, f.Length, most)
	}
	if f.Flags&compressedFlag == 0 {
		if uint64(len(payload)) != f.Length {
			return nil, damaged("it has %d bytes of %d", len(payload), f.Length)
		}
		return payload, nil
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(max(f.Length, 1<<16)))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	plain, err := d.DecodeAll(payload, nil)
	if err != nil || uint64(len(plain)) != f.Length {
		return nil, damaged("its compressed bytes: %d, of %d: %v", len(plain), f.Length, err)
	}
	return plain, nil
}

// What becomes of a part.
const (
	dropped = iota
	replaced
	patched
)

// appendChanges appends what makes other parts of those of before, in the order of their keys. Of
// each part it has how far its key is above the last one, what becomes of it, and bytes.
func appendChanges(to []byte, before, parts []fragment) []byte {
	last := partKey(0)
	begin := func(k partKey, op uint64) {
		to = binary.AppendUvarint(to, uint64(k-last))
		to = binary.AppendUvarint(to, op)
		last = k
	}
	var difference []byte
	for i := range parts {
		p := &parts[i]
		for len(before) > 0 && before[0].key < p.key {
			begin(before[0].key, dropped)
			before = before[1:]
		}
		if len(before) > 0 && before[0].key == p.key {
			was := &before[0]
			before = before[1:]
			if same(was.bytes, p.bytes) {
				p.sum = was.summed()
				continue
			}
			difference = appendDifference(difference[:0], was.bytes, p.bytes)
			if len(difference) < len(p.bytes) {
				begin(p.key, patched)
				to = binary.AppendUvarint(to, uint64(len(p.bytes)))
				to = binary.AppendUvarint(to, uint64(len(difference)))
				to = append(to, difference...)
				continue
			}
		}
		begin(p.key, replaced)
		to = binary.AppendUvarint(to, uint64(len(p.bytes)))
		to = append(to, p.bytes...)
	}
	for i := range before {
		begin(before[i].key, dropped)
	}
	return to
}

// payload is bytes that are read from their beginning.
type payload struct{ left []byte }

// number reads a number.
func (p *payload) number() (uint64, error) {
	n, size := binary.Uvarint(p.left)
	if size <= 0 {
		return 0, damaged("it ends in a number")
	}
	p.left = p.left[size:]
	return n, nil
}

// bytes reads so many bytes, and then them.
func (p *payload) bytes() ([]byte, error) {
	n, err := p.number()
	if err == nil && n > uint64(len(p.left)) {
		err = damaged("it ends in a part")
	}
	if err != nil {
		return nil, err
	}
	bytes := p.left[:n]
	p.left = p.left[n:]
	return bytes, nil
}

// apply returns the parts that changes make of those of before. They take at most so many bytes in all, those that stay
// and the list of them included.
func (p *payload) apply(before []fragment, most int64) (parts []fragment, err error) {
	parts = make([]fragment, 0, len(before))
	add := func(list ...fragment) error {
		if most -= int64(sizeOf(list) + len(list)*int(unsafe.Sizeof(fragment{}))); most < 0 {
			return fmt.Errorf("%w: its parts have more bytes than the limit", ErrTooLarge)
		}
		parts = append(parts, list...)
		return nil
	}
	last, first := partKey(0), true
	for len(p.left) > 0 {
		up, err := p.number()
		if err != nil {
			return nil, err
		}
		k := last + partKey(up)
		if k < last || up == 0 && !first {
			return nil, damaged("its parts are not in order")
		}
		last, first = k, false
		n, found := slices.BinarySearchFunc(before, k, func(p fragment, k partKey) int {
			if p.key < k {
				return -1
			}
			return min(int(p.key-k), 1)
		})
		if err := add(before[:n]...); err != nil {
			return nil, err
		}
		before = before[n:]
		var was []byte
		if found {
			was, before = before[0].bytes, before[1:]
		}
		op, err := p.number()
		switch {
		case err != nil:
			return nil, err
		case !found && op != replaced:
			return nil, damaged("it changes a part that is not there")
		case op == dropped:
			continue
		case op > patched:
			return nil, damaged("a part becomes %d", op)
		}
		bytes, err := p.part(op, was, most)
		if err != nil {
			return nil, err
		}
		if err := add(fragment{key: k, bytes: bytes}); err != nil {
			return nil, err
		}
	}
	return parts, add(before...)
}

// part reads a part that was replaced or patched.
func (p *payload) part(op uint64, was []byte, most int64) ([]byte, error) {
	if op == replaced {
		from, err := p.bytes()
		bytes := aligned(len(from))
		copy(bytes, from)
		return bytes, err
	}
	size, err := p.number()
	if err != nil {
		return nil, err
	}
	if size > uint64(most) {
		return nil, fmt.Errorf("%w: a part of %d bytes", ErrTooLarge, size)
	}
	difference, err := p.bytes()
	if err != nil {
		return nil, err
	}
	if size > uint64(len(was))+uint64(len(difference)) { // what is beyond the old part stands in the difference
		return nil, damaged("a part of %d bytes becomes one of %d, of which %d are there", len(was), size, len(difference))
	}
	bytes, ok := patch(was, int(size), difference)
	if !ok {
		return nil, damaged("a difference does not fit its part")
	}
	return bytes, nil
}

// sumOf returns the sum of a state.
func sumOf(parts []fragment) (sum uint64) {
	for i := range parts {
		sum += parts[i].summed()
	}
	return sum
}
