package replica

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
)

// Forge changes some bytes of a message, and then its sums, so that they are right.
func Forge(message []byte, r *rand.Rand, of *Replica) []byte {
	bad := append([]byte(nil), Payload(message)...)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(bad))
		switch r.IntN(4) {
		case 0:
			bad[at] ^= 1 << r.IntN(8)
		case 1:
			bad[at] = byte(r.IntN(256))
		case 2:
			bad[at] = 0xff
		default:
			copy(bad[at:], bad[r.IntN(len(bad)):][:min(8, len(bad)-at)])
		}
	}
	return Sign(bad, Full(message), of)
}

// Payload returns what a message has beside its head and its sum, before it was compressed.
func Payload(message []byte) []byte {
	f, payload, err := readFrame(message)
	if err == nil {
		payload, err = f.unpack(payload, 1<<30)
	}
	if err != nil {
		panic(err)
	}
	return payload
}

// Sign makes the next message of a replica from any bytes: its sums are right, if that can be.
func Sign(plain []byte, full bool, of *Replica) []byte {
	f := header{Primary: of.source, Number: of.number + 1, Length: uint64(len(plain))}
	p, before := &payload{plain}, of.parts
	var err error
	if full {
		f.Flags, before = fullFlag, nil
		_, err = p.bytes()
	}
	if err == nil {
		if parts, err := p.apply(before, 1<<30); err == nil {
			f.Sum = sumOf(parts)
			if h, err := readHead(parts); err == nil {
				f.Tick, f.Tag = h.Tick, h.Tag
			}
		}
	}
	m := append(append(append([]byte(magic), version), wordsOf(&f)...), plain...)
	return binary.LittleEndian.AppendUint32(m, crc32.Checksum(m, castagnoli))
}

// Head is what stands before the payload of a message.
type Head = header

// Reframe makes another message of one, which was not compressed: its head and its payload are what change makes of them. Only
// the sum of the bytes is made anew.
func Reframe(message []byte, change func(h *Head, payload []byte) []byte) []byte {
	f, payload, err := readFrame(message)
	if err != nil {
		panic(err)
	}
	payload = change(&f, append([]byte(nil), payload...))
	m := append(append(append([]byte(magic), version), wordsOf(&f)...), payload...)
	return binary.LittleEndian.AppendUint32(m, crc32.Checksum(m, castagnoli))
}

// Version makes a message one of another version of the format.
func Version(message []byte, v byte) []byte {
	m := append([]byte(nil), message[:len(message)-tailBytes]...)
	m[len(magic)] = v
	return binary.LittleEndian.AppendUint32(m, crc32.Checksum(m, castagnoli))
}

// Counts changes the numbers of parts that a head of a state has.
func Counts(part []byte, change func(counts []*uint64)) []byte {
	h := head{}
	copy(wordsOf(&h), part)
	change([]*uint64{&h.Sets, &h.Pools, &h.Heaps, &h.Looks, &h.Streams, &h.Systems, &h.Watchers, &h.Resources})
	return append([]byte(nil), wordsOf(&h)...)
}

// Compressed compresses bytes as a primary does. A head with the flag CompressedFlag says that they are.
func Compressed(plain []byte) []byte { return encoder().EncodeAll(plain, nil) }

const CompressedFlag = compressedFlag

// A Change is what becomes of a part. Up is how far its key is above that of the change before.
type Change struct {
	Up, Op uint64
	Bytes  []byte // of one that is replaced
}

// What becomes of a part.
const (
	Dropped  = dropped
	Replaced = replaced
)

// Changes writes changes as deltas have them.
func Changes(list ...Change) (payload []byte) {
	for _, c := range list {
		payload = binary.AppendUvarint(binary.AppendUvarint(payload, c.Up), c.Op)
		if c.Op == replaced {
			payload = append(binary.AppendUvarint(payload, uint64(len(c.Bytes))), c.Bytes...)
		}
	}
	return payload
}

// Part returns the key and the bytes of the i-th part that a replica has.
func Part(r *Replica, i int) (key uint64, bytes []byte) {
	return uint64(r.parts[i].key), r.parts[i].bytes
}

// The keys of what a state says of its first set of components, and of that one's chunks.
var (
	FirstSet   = uint64(keyOf(setPart, 0, 0, 0))
	FirstTable = uint64(keyOf(setTablePart, 0, 0, 0))
)

// Held returns how many parts a replica has, and how many bytes these have.
func Held(r *Replica) (parts, bytes int) { return len(r.parts), sizeOf(r.parts) }

// Difference returns what makes the bytes from a part.
func Difference(from, part []byte) []byte { return appendDifference(nil, from, part) }

// Patch makes a part of the bytes from.
func Patch(from []byte, size int, difference []byte) ([]byte, bool) {
	return patch(from, size, difference)
}

// Full reports whether a message is a full one.
func Full(message []byte) bool {
	f, _, _ := readFrame(message)
	return f.Flags&fullFlag != 0
}

// Forget makes a replica new.
func Forget(r *Replica) { r.said, r.parts, r.number = nil, nil, 0 }
