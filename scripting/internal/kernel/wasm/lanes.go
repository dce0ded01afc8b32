package wasm

import (
	"slices"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/vector"
)

// This file moves vectors between memory and the stack: gather loads one, scatter stores
// one. What is adjacent is moved at once, and all else piece by piece or lane by lane. Which
// of these a load is, vector.loadCost has to know as well.

// place is where a place of the rows at hand lies after its pointer.
func (c *code) place(at vector.FieldOfRow) (pointer int, offset uint32) {
	f := &c.f.Fields[at.Field]
	return f.Column, vector.Address(c.f, at) + uint32(c.ahead)*c.f.Columns[f.Column].Stride
}

// pull is a load from a place. The address that goes with it is a local, and the offset a
// part of the instruction, so a row further on costs nothing.
func (c *code) pull(op opcode, align uint8, at vector.FieldOfRow) {
	pointer, offset := c.place(at)
	c.get(pointer)
	c.mem(op, align, offset)
}

// gather leaves a vector on the stack that comes from memory.
//
// Why are lanes put in by instructions on floats, also where they are two float32
// at once? Those for integers go by way of the general registers.
//
// The first case needs integers of one kind, which one instruction converts together. The
// second is for what no wider load gives: lanes of several kinds, lanes that are all one
// place, and kinds that are converted one by one. The others are floats, which memory has
// as they are.
func (c *code) gather(v *vector.Vector) {
	f := &c.f.Fields[v.Places[0].Field]
	alike := !slices.ContainsFunc(v.Places, func(at vector.FieldOfRow) bool { return c.f.Fields[at.Field].Kind != f.Kind })
	same := !slices.ContainsFunc(v.Places, func(at vector.FieldOfRow) bool { return at != v.Places[0] })
	switch {
	case alike && !same && vector.Short(f.Kind) && (f.Kind != schema.U32 || v.Lanes == 2):
		c.integers(v)
	case !alike || same || f.Kind != schema.F64 && f.Kind != schema.F32 || f.Kind == schema.F64 && v.Lanes == 4:
		c.elements(v, same)
	case f.Kind == schema.F64:
		c.pieces(v.Places, 8)
	default:
		c.pieces(v.Places, 4)
		if v.Type == ir.Num {
			c.op(opVPromote)
		}
	}
}

// pieces loads lanes of so many bytes: as many at once as lie side by side.
//
// vector.Adjacent gives the lengths of the spans, in the order of the lanes. A span of 16
// bytes is one load, spans of 8 bytes are two at most, and what is left goes by single
// floats.
func (c *code) pieces(places []vector.FieldOfRow, size int) {
	runs := vector.Adjacent(c.f, places)
	switch {
	case runs[0]*size == vector.Width:
		c.pull(opVLoad, 3, places[0])
	case !slices.ContainsFunc(runs, func(n int) bool { return n*size != 8 }):
		c.pull(opVLoad64, 3, places[0])
		if len(runs) == 2 {
			c.pull(opF64Load, 3, places[len(places)/2])
			c.with(opF64Replace, 1)
		}
	default: // float32, not all of them in pairs
		c.pull(opVLoad32, 2, places[0])
		for i, at := range places[1:] {
			c.pull(opF32Load, 2, at)
			c.with(opF32Replace, int64(i+1))
		}
	}
}

// integers loads integers of up to 32 bits, and converts them together.
//
// Why not one by one, as elements does? The machine's conversion of a single one
// waits for what was in its register before, which may be of the row before.
func (c *code) integers(v *vector.Vector) {
	f := &c.f.Fields[v.Places[0].Field]
	a := accesses[f.Kind]
	if a.load == opI32Load { // their bits, as floats, which they are to instructions that only move them
		c.pieces(v.Places, 4)
	} else {
		c.pull(a.load, a.align, v.Places[0])
		c.op(opI32Splat)
		for i, at := range v.Places[1:] {
			c.pull(a.load, a.align, at)
			c.with(opI32Replace, int64(i+1))
		}
	}
	switch {
	case v.Lanes == 4:
		c.op(opVF32Conv)
	case f.Kind == schema.U32:
		c.op(opVF64ConvU)
	default:
		c.op(opVF64Conv)
	}
}

// elements loads each lane for itself and converts it; all at once if they are the
// same.
//
// This way works for every kind of field that a kernel can hold.
func (c *code) elements(v *vector.Vector, same bool) {
	for i, at := range v.Places {
		if same && i > 0 {
			break
		}
		c.element(at, v.Lanes)
		if i == 0 {
			c.op(lanesOf(v.Lanes).splat)
		} else {
			c.with(lanesOf(v.Lanes).replace, int64(i))
		}
	}
	if v.Type == ir.Bool { // 1 or 0 as numbers: a comparison makes masks of them
		c.mask(0)
		c.lanewise(ir.Ne, v.Lanes)
	}
}

// element leaves a field on the stack as a number, of which there are so many in a
// vector.
func (c *code) element(at vector.FieldOfRow, lanes int) {
	f := &c.f.Fields[at.Field]
	_, offset := c.place(at)
	if f.Kind == schema.F32 {
		c.get(f.Column)
		c.mem(opF32Load, accesses[schema.F32].align, offset)
		if lanes == 2 {
			c.op(opF64Promote)
		}
		return
	}
	c.read(f, offset)
	switch {
	case f.Kind == schema.Bool:
		c.op(opF64ConvU32)
	case f.AsHandle:
		c.op(accesses[f.Kind].toNum)
	}
	if lanes == 4 {
		c.op(opF32Demote)
	}
}

// scatter stores the lanes of a vector that value leaves on the stack. value is called once
// for each store, so it should only read a local, or be what only this store uses.
func (c *code) scatter(s *vector.VectorStore, value func()) {
	f, v := &c.f.Fields[s.Places[0].Field], &c.plan.Values[s.Value]
	switch {
	case f.Kind == schema.F64 && v.Lanes == 2:
		c.adjacent(s, value, 8, 0)
	case f.Kind == schema.F32 && v.Lanes == 4:
		c.adjacent(s, value, 4, 0)
	case f.Kind == schema.F32:
		c.adjacent(s, value, 4, opVDemote)
	default:
		for i, at := range s.Places {
			c.lane(value, i, at, v.Lanes)
		}
	}
}

// adjacent stores lanes of so many bytes, those that lie side by side at once where
// the vector has them in one half, too. They are converted before, unless that is
// 0.
func (c *code) adjacent(s *vector.VectorStore, value func(), size int, convert opcode) {
	i := 0
	for _, n := range vector.Adjacent(c.f, s.Places) {
		for end := i + n; i < end; { // the largest piece that begins at lane i of the vector
			step := 1
			for i%(2*step) == 0 && i+2*step <= end {
				step *= 2
			}
			pointer, offset := c.place(s.Places[i])
			c.get(pointer)
			value()
			if convert != 0 {
				c.op(convert)
			}
			c.piece(i, size, step*size, offset)
			i += step
		}
	}
}

// piece stores 4, 8 or 16 bytes of the vector on the stack, from the i-th lane on. Two
// float32 go as one float64: only bits are moved, so a signalling not-a-number stays one.
func (c *code) piece(i, size, bytes int, offset uint32) {
	switch bytes {
	case vector.Width:
		c.mem(opVStore, 3, offset)
	case 8:
		c.with(opF64Lane, int64(i*size/8))
		c.mem(opF64Store, 3, offset)
	default:
		c.with(opF32Lane, int64(i))
		c.mem(opF32Store, 2, offset)
	}
}

// lane stores the i-th of some lanes as what the field's kind makes of it. Numbers are whole
// and in range there: the guard has seen to it.
func (c *code) lane(value func(), i int, at vector.FieldOfRow, lanes int) {
	f := &c.f.Fields[at.Field]
	pointer, offset := c.place(at)
	c.get(pointer)
	value()
	if f.Kind == schema.Bool {
		c.with(opI32Lane, int64(i*4/lanes)) // any part of a mask
		c.i32(1)
		c.op(opI32And)
		c.mem(opI32Store8, 0, offset)
		return
	}
	a := accesses[f.Kind]
	switch { // see vector.Whole
	case lanes == 2 && a.store == opI32Store:
		c.with(opF32Lane, int64(2*i))
		c.mem(opF32Store, a.align, offset)
		return
	case lanes == 2 && vector.Short(f.Kind):
		c.with(opI32Lane, int64(2*i))
		c.mem(a.store, a.align, offset)
		return
	}
	c.with(lanesOf(lanes).extract, int64(i))
	if lanes == 4 {
		c.op(opF64Promote)
	}
	if a.fromNum != 0 {
		c.op(a.fromNum)
	}
	c.mem(a.store, a.align, offset)
}
