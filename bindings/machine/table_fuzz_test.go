package machine

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

// bytesSource is a source of random numbers that a fuzzer chooses.
type bytesSource struct {
	data []byte
	end  *rand.PCG // after the data
}

func (s *bytesSource) Uint64() uint64 {
	if len(s.data) < 2 {
		return s.end.Uint64()
	}
	x := binary.LittleEndian.Uint16(s.data)
	s.data = s.data[2:]
	return uint64(x) * 0x9E3779B97F4A7C15
}

// FuzzTable lets a fuzzer draw the operations of TestTableAgainstModel.
func FuzzTable(f *testing.F) {
	for i := range 8 {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		data := make([]byte, 200*i)
		for j := range data {
			data[j] = byte(r.Uint32())
		}
		f.Add(uint8(i), data)
	}
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		h := NewHeap()
		x := &tableTester{T: t, rand: rand.New(&bytesSource{data, rand.NewPCG(1, 1)}), heap: h, model: newModel(), kind: int(kind) % 3}
		x.table = h.NewTable(int(kind)/3%5, int(kind)/16)
		for j := range []int{5, 40, 300}[int(kind)/8%3] {
			x.texts = append(x.texts, NewStr(fmt.Sprintf("k%d", j)))
		}
		for range min(len(data)/4, 500) {
			x.step()
		}
		x.all()
	})
}
