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

// Full reports whether a message is a full one.
func Full(message []byte) bool {
	f, _, _ := readFrame(message)
	return f.Flags&fullFlag != 0
}

// Forget makes a replica new.
func Forget(r *Replica) { r.said, r.parts, r.number = nil, nil, 0 }
