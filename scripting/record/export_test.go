package record

import (
	"encoding/binary"
	"hash/crc32"
)

// Repair gives the frames of a recording the checksums that they should have, as somebody would who
// wants to be read: so a fuzzer comes to what is behind them.
func Repair(data []byte) []byte {
	data = append([]byte{}, data...)
	if len(data) < len(magic) {
		return data
	}
	copy(data, magic)
	sum := crc32.Checksum(data[:len(magic)], castagnoli)
	for at := len(magic); at+frameHead <= len(data); {
		n := int(binary.LittleEndian.Uint32(data[at+1:]))
		if n > len(data)-at-frameHead {
			n = len(data) - at - frameHead
			binary.LittleEndian.PutUint32(data[at+1:], uint32(n))
		}
		sum = frameSum(sum, data[at:at+frameHead], data[at+frameHead:][:n])
		binary.LittleEndian.PutUint32(data[at+5:], sum)
		at += frameHead + n
	}
	return data
}
