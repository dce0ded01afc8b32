package kerneltest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file compares two runs of one kernel: by the evaluator before and after a pass, or by
// the evaluator and as a module.

// Outcome is what a call of a kernel has left.
type Outcome struct {
	Memory []byte
	Call   Call
}

// Evaluate runs a call by the machine, over a copy of a memory.
func Evaluate(f *ir.Func, w *World, memory []byte, c *Call) Outcome {
	o := Outcome{slices.Clone(memory[:Size]), *c}
	o.Call.Inputs = slices.Clone(c.Inputs)
	m := Machine{World: w}
	m.Run(f, o.Memory, &o.Call)
	return o
}

// Differs says in what two outcomes of one kernel differ. The sign and the contents of a
// not-a-number may differ, and the memory for notes; so may marks, which only the kernel
// itself reads: one that does not leaves them alone.
func Differs(f *ir.Func, a, b Outcome) string {
	x, y := a.Call, b.Call
	switch {
	case x.Next != y.Next:
		return fmt.Sprintf("stopped at row %d and at %d", x.Next, y.Next)
	case x.Fuel != y.Fuel || x.Dry != y.Dry:
		return fmt.Sprintf("fuel %d, dry %t, and %d, %t", x.Fuel, x.Dry, y.Fuel, y.Dry)
	case x.Full != y.Full:
		return fmt.Sprintf("full %t and %t", x.Full, y.Full)
	case f.Random() && x.Random != y.Random:
		return "another state of the random numbers"
	case !slices.EqualFunc(x.Inputs, y.Inputs, equal):
		return fmt.Sprintf("inputs %v and %v", x.Inputs, y.Inputs)
	case !slices.EqualFunc(x.Notes, y.Notes, func(a, b Note) bool { return a.Call == b.Call && slices.EqualFunc(a.Values, b.Values, equal) }):
		return fmt.Sprintf("notes %v and %v", x.Notes, y.Notes)
	}
	for _, o := range []Outcome{a, b} {
		quieten(f, o)
		clear(o.Memory[marks:][:slots])
	}
	if bytes.Equal(a.Memory[records:], b.Memory[records:]) {
		return ""
	}
	for i := records; i < Size; i++ {
		if a.Memory[i] != b.Memory[i] {
			return fmt.Sprintf("byte %x is %x and %x", i, a.Memory[i], b.Memory[i])
		}
	}
	return ""
}

// equal compares bits. Two that are not a number are equal: their contents depend on the
// machine and on the order of operands.
func equal(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// quieten gives all that is not a number in fields the same bits.
func quieten(f *ir.Func, o Outcome) {
	for i := range f.Fields {
		field := &f.Fields[i]
		column := &f.Columns[field.Column]
		if column.Term == ir.Entities || o.Call.Columns[column.Term] == Absent {
			continue
		}
		for row := range o.Call.Rows {
			b := o.Memory[o.Call.Columns[column.Term]+uint32(row)*column.Stride+field.Offset:]
			little := binary.LittleEndian
			switch {
			case field.Kind == ecs.F64 && math.IsNaN(math.Float64frombits(little.Uint64(b))):
				little.PutUint64(b, math.Float64bits(math.NaN()))
			case field.Kind == ecs.F32 && little.Uint32(b)&0x7fffffff > 0x7f800000:
				little.PutUint32(b, 0x7fc00000)
			}
		}
	}
}
