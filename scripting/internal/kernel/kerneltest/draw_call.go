package kerneltest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file draws calls: rows with numbers at the ends of what their kinds hold, and limits
// that are now and then too small.

// NewCall draws a call of a kernel over rows in a memory that World.Fill has written. In one
// of three calls fuel and room for notes are so small that many kernels run out of them; in
// one of three the rows lack their second column.
func NewCall(r *rand.Rand, f *ir.Func, memory []byte) *Call {
	c := &Call{
		Columns: []uint32{rowColumns, extraColumn}, Entities: handles, Rows: r.IntN(30), Random: r.Uint64(),
		DT: float64(r.IntN(3)) / 4, Time: float64(r.IntN(100)), Tick: float64(r.IntN(1000)),
		Fuel: int64(r.IntN(60)), Mark: mark, Kin: r.IntN(2) == 0, NoteBytes: r.IntN(400) &^ 7,
	}
	if r.IntN(3) > 0 {
		c.Fuel, c.NoteBytes = 1<<20, 4096
	}
	if r.IntN(3) == 0 {
		c.Columns[1] = Absent
	}
	for _, in := range f.Inputs {
		v := float64(r.IntN(9) - 3)
		if f.Locals[in.Local].Type == ir.Bool {
			v = float64(r.IntN(2))
		}
		c.Inputs = append(c.Inputs, v)
	}
	for _, l := range f.Lists {
		items := make([]float64, l.Len)
		for i := range items {
			items[i] = float64(r.IntN(100))
		}
		c.Lists = append(c.Lists, items)
	}
	for row := range 30 {
		binary.LittleEndian.PutUint64(memory[handles+8*row:], Handle(1+row%living))
	}
	for i := range f.Fields {
		for row := range 30 {
			fill(r, &f.Fields[i], memory, row, f.Columns[f.Fields[i].Column].Stride)
		}
	}
	return c
}

// fill gives a field of a row a value of its kind.
func fill(r *rand.Rand, f *ir.Field, memory []byte, row int, stride uint32) {
	base := []uint32{rowColumns, extraColumn, handles}[f.Column]
	b, little := memory[base+uint32(row)*stride+f.Offset:], binary.LittleEndian
	switch {
	case f.Column == 2: // the handles are there
	case f.Kind == ecs.F64:
		little.PutUint64(b, math.Float64bits(someNumber(r)))
	case f.Kind == ecs.F32:
		little.PutUint32(b, math.Float32bits(float32(someNumber(r))))
	case f.Kind == ecs.Bool:
		b[0] = uint8(r.IntN(2))
	case f.Kind == ecs.Ref:
		little.PutUint64(b, []uint64{0, Handle(r.IntN(slots)), uint64(r.IntN(9)), 1 << 60}[r.IntN(4)])
	default:
		for i := range f.Kind.Size() {
			b[i] = uint8(r.IntN(5))
		}
		if r.IntN(4) == 0 {
			for i := range f.Kind.Size() {
				b[i] = uint8(r.IntN(256))
			}
		}
	}
}
