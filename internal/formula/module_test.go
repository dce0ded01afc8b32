package formula_test

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/perigee-ecs/perigee/internal/formula"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// machine runs all formulas in a module: a scalar and a vector function of each. They take
// the address of the arguments and leave the results and the guard after them, two rows of
// each one after the other.
type machine struct {
	memory         []byte
	scalar, vector []api.Function
	stack          [1]uint64
}

const page = 1 << 16

func newMachine(t *testing.T) *machine {
	t.Helper()
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	t.Cleanup(func() { _ = runtime.Close(ctx) })
	module, err := runtime.Instantiate(ctx, encode())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{}
	m.memory, _ = module.Memory().Read(0, page)
	for _, f := range formula.All {
		m.scalar = append(m.scalar, module.ExportedFunction("scalar "+f.Name))
		m.vector = append(m.vector, module.ExportedFunction("vector "+f.Name))
	}
	return m
}

// run calls one function for two rows of arguments, and returns their results; ok is the
// guard of each.
func (m *machine) run(t *testing.T, i int, vector bool, rows [2][]float64) (results [2][]float64, ok [2]bool) {
	f := &formula.All[i]
	for row, x := range rows {
		for k, v := range x {
			binary.LittleEndian.PutUint64(m.memory[16*k+8*row:], math.Float64bits(v))
		}
	}
	call := func(f api.Function, at uint64) {
		m.stack[0] = at
		if err := f.CallWithStack(context.Background(), m.stack[:]); err != nil {
			t.Fatal(err)
		}
	}
	if vector {
		call(m.vector[i], 0)
	} else {
		call(m.scalar[i], 0)
		call(m.scalar[i], 8)
	}
	for row := range 2 {
		at := m.memory[16*f.Params+8*row:]
		for k := range f.Results {
			results[row] = append(results[row], math.Float64frombits(binary.LittleEndian.Uint64(at[16*k:])))
		}
		ok[row] = binary.LittleEndian.Uint64(at[16*f.Results:]) != 0
	}
	return results, ok
}

// encode writes the module.
func encode() []byte {
	b := []byte("\x00asm\x01\x00\x00\x00")
	count := 2 * len(formula.All)
	functions, exports, bodies := vector(count), vector(count+1), vector(count)
	exports = append(text(exports, "memory"), 2, 0)
	for i := range formula.All {
		f := &formula.All[i]
		for k, kind := range []string{"scalar ", "vector "} {
			functions = append(functions, 0)
			exports = append(text(exports, kind+f.Name), 0)
			exports = binary.AppendUvarint(exports, uint64(2*i+k))
			bodies = text(bodies, string(body(f, k == 1)))
		}
	}
	b = section(b, 1, []byte{1, 0x60, 1, formula.I32, 0})
	b = section(b, 3, functions)
	b = section(b, 5, []byte{1, 1, 1, 1})
	b = section(b, 7, exports)
	return section(b, 10, bodies)
}

func vector(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

func text(b []byte, s string) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }

func section(b []byte, id byte, content []byte) []byte {
	return text(append(b, id), string(content))
}

// body writes a function around the code of a formula: loads before it, stores after it.
func body(f *formula.Formula, vector bool) []byte {
	load, store, kind := []byte{0x2B}, []byte{0x39}, byte(formula.F64)
	if vector {
		load, store, kind = []byte{0xFD, 0}, []byte{0xFD, 11}, formula.V128
	}
	var b []byte
	var args []int
	for i := range f.Params {
		args = append(args, 1+i)
		b = access(append(b, 0x20, 0), load, 16*i) // local.get, load
		b = append(b, 0x21, byte(1+i))             // local.set
	}
	write := f.Program().Scalar
	if vector {
		write = f.Program().Vector
	}
	c := write(args, 1+f.Params)
	for _, in := range c.List {
		b = instruction(b, in)
	}
	for i, r := range c.Results {
		b = binary.AppendUvarint(append(b, 0x20, 0, 0x20), uint64(r))
		b = access(b, store, 16*(f.Params+i))
	}
	b = append(b, 0x20, 0)
	switch {
	case c.Guard < 0 && vector:
		b = append(append(b, 0xFD, 12), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"...)
	case c.Guard < 0:
		b = append(b, 0x42, 1)
	default:
		b = binary.AppendUvarint(append(b, 0x20), uint64(c.Guard))
		if !vector {
			b = append(b, 0xAD) // i64.extend_i32_u
		}
	}
	if vector {
		b = access(b, store, 16*(f.Params+f.Results))
	} else {
		b = access(b, []byte{0x37}, 16*(f.Params+f.Results))
	}
	b = append(b, 0x0B)
	locals := binary.AppendUvarint(nil, uint64(f.Params+len(c.Locals)))
	for range args {
		locals = append(locals, 1, kind)
	}
	for _, t := range c.Locals {
		locals = append(locals, 1, t)
	}
	return append(locals, b...)
}

// access appends a load or a store.
func access(b, op []byte, offset int) []byte {
	return binary.AppendUvarint(append(append(b, op...), 3), uint64(offset))
}

// instruction appends one of the code's.
func instruction(b []byte, in formula.Instr) []byte {
	if in.Op > 0xFF {
		b = binary.AppendUvarint(append(b, byte(in.Op>>8)), uint64(in.Op&0xFF))
	} else {
		b = append(b, byte(in.Op))
	}
	switch in.Op {
	case formula.LocalGet, formula.LocalSet:
		b = binary.AppendUvarint(b, in.Imm)
	case formula.ConstI32, formula.ConstI64:
		b = signed(b, int64(in.Imm))
	case formula.ConstF64:
		b = binary.LittleEndian.AppendUint64(b, in.Imm)
	case formula.ConstV:
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, in.Imm), in.Imm)
	}
	return b
}

// signed appends an integer in signed LEB128.
func signed(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7F)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
