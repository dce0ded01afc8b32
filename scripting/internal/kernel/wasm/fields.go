package wasm

import (
	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file writes how fields of the row are loaded, checked and stored, one at a time.
// lanes.go does it for vectors. The kinds are those of schema.Kind; each has one line in
// accesses, which says how it gets to a float64 and back.

// offset is where a field lies after its pointer. It is a part of the instruction, so the
// rows of a group share one pointer.
func (c *code) offset(f *ir.Field) uint32 {
	return f.Offset + uint32(c.ahead)*c.f.Columns[f.Column].Stride
}

// access says how a kind of field is read and written: the load and what makes a float64 of
// it, what makes the kind of a float64 and the store, and the alignment as a power of two,
// which is a hint to the engine and no more. 0 is no conversion.
type access struct {
	load, toNum    opcode
	fromNum, store opcode
	align          uint8
}

// accesses of all kinds but Bool. What is unsigned and has fewer than 32 bits goes by
// way of a signed integer: conversions of those are a fraction of the instructions.
var accesses = map[schema.Kind]access{
	schema.I8:   {opI32Load8S, opF64ConvI32, opI32SatS, opI32Store8, 0},
	schema.U8:   {opI32Load8U, opF64ConvI32, opI32SatS, opI32Store8, 0},
	schema.I16:  {opI32Load16S, opF64ConvI32, opI32SatS, opI32Store16, 1},
	schema.U16:  {opI32Load16U, opF64ConvI32, opI32SatS, opI32Store16, 1},
	schema.I32:  {opI32Load, opF64ConvI32, opI32SatS, opI32Store, 2},
	schema.U32:  {opI32Load, opF64ConvU32, opI32SatU, opI32Store, 2},
	schema.I64:  {opI64Load, opF64ConvI64, opI64SatS, opI64Store, 3},
	schema.U64:  {opI64Load, opF64ConvU64, opI64SatU, opI64Store, 3},
	schema.Enum: {opI32Load8U, opF64ConvI32, opI32SatS, opI32Store8, 0},
	schema.Ref:  {opI64Load, opF64ConvU64, opI64SatU, opI64Store, 3},
	schema.F32:  {opF32Load, opF64Promote, opF32Demote, opF32Store, 2},
	schema.F64:  {opF64Load, 0, 0, opF64Store, 3},
}

// load leaves a field's value on the stack; of a column that the rows lack, 0. The body
// never uses that 0: lower asks first whether the column is there.
// The handle of a row that stands alone, in a pool, is a parameter.
//
// AsHandle decides whether the parameter is converted, as it does for a load, so that the
// local has one type either way.
func (c *code) load(i int) {
	f := &c.f.Fields[i]
	column := &c.f.Columns[f.Column]
	switch {
	case column.Term == ir.Entities: // a row in a pool has no column of handles
		c.get(f.Column)
		c.i32(absent)
		c.op(opI32Eq)
		c.open(opIf, otherLabel, valueType(f.Type()))
		c.get(c.self)
		if !f.AsHandle {
			c.op(accesses[schema.Ref].toNum)
		}
		c.op(opElse)
		c.read(f, c.offset(f))
		c.end()
	case column.Optional:
		c.get(c.flags[f.Column])
		c.open(opIf, otherLabel, valueType(f.Type()))
		c.read(f, c.offset(f))
		c.op(opElse)
		c.constant(f.Type(), 0)
		c.end()
	default:
		c.read(f, c.offset(f))
	}
}

// read leaves the value of a field at an offset on the stack. The address is the column's
// pointer, which stands at the row or group at hand.
func (c *code) read(f *ir.Field, offset uint32) {
	c.get(f.Column)
	c.fetch(f.Kind, f.Type(), offset)
}

// fetch replaces an address by the value there, as one of a type. A Bool becomes 0 or 1
// whatever its byte holds, as in Go: a host may have written another one.
//
// A conversion is made only where a Num is wanted: a Num32 or a Handle is what memory
// holds.
func (c *code) fetch(k schema.Kind, t ir.Type, offset uint32) {
	if k == schema.Bool {
		c.mem(opI32Load8U, 0, offset)
		c.i32(0)
		c.op(opI32Ne)
		return
	}
	a := accesses[k]
	c.mem(a.load, a.align, offset)
	if a.toNum != 0 && t == ir.Num {
		c.op(a.toNum)
	}
}

// store writes a field back, where the rows have its column. A 64-bit integer
// that was left alone is not touched, if it has become a number: it may be one that
// a float64 cannot tell from its neighbours.
func (c *code) store(i int) {
	f := &c.f.Fields[i]
	// A field that no number can tell from its neighbours must not be written back as one.
	wide := f.Kind == schema.I64 || f.Kind == schema.U64 || f.Kind == schema.Ref && !f.AsHandle
	optional := c.f.Columns[f.Column].Optional
	if optional {
		c.get(c.flags[f.Column])
		c.open(opIf, otherLabel, typeNone)
	}
	if wide {
		c.changed(i)
		c.open(opIf, otherLabel, typeNone)
	}
	c.get(f.Column)
	c.get(c.local(f.Local))
	if f.Kind == schema.Bool {
		c.mem(opI32Store8, 0, c.offset(f))
	} else {
		a := accesses[f.Kind]
		if a.fromNum != 0 && !f.Single && !f.AsHandle {
			c.op(a.fromNum)
		}
		c.mem(a.store, a.align, c.offset(f))
	}
	if wide {
		c.end()
	}
	if optional {
		c.end()
	}
}

// changed leaves whether a field's local differs from what is in memory, as numbers.
//
// It loads the field once more, for the local may have been assigned. Nothing has been
// stored yet, so memory holds what the row began with; in store, only other fields may have
// been.
func (c *code) changed(i int) {
	c.load(i)
	c.get(c.local(c.f.Fields[i].Local))
	c.op(opF64Ne)
}

// check stops the kernel when an integer field cannot hold its value.
//
// Kinds of 64 bits have checks of their own, as a float64 cannot hold all that they can.
// All others fit into an i32 and are checked by a way there and back.
func (c *code) check(i int) {
	switch k := c.f.Fields[i].Kind; k {
	case schema.I64:
		c.checkWide(i, -1<<53, 1<<53)
	case schema.U64:
		c.checkWide(i, 0, 1<<53)
	case schema.Ref:
		low, high := k.Range()
		if c.f.Fields[i].AsHandle {
			c.checkWhole(i, int64(high))
		} else {
			c.checkWide(i, low, high)
		}
	default:
		c.checkNarrow(i, k)
	}
	c.jumpIf(stopLabel)
}

// checkNarrow leaves whether a value is another one after being an integer of the
// kind: a fraction, not-a-number, or out of range. The conversion there saturates, and so
// never traps; what is cut off, or saturated, is not equal to what it was.
func (c *code) checkNarrow(i int, k schema.Kind) {
	a := accesses[k]
	v := c.local(c.f.Fields[i].Local)
	c.get(v)
	c.op(a.fromNum)
	switch k {
	case schema.I8:
		c.op(opI32Ext8S)
	case schema.I16:
		c.op(opI32Ext16S)
	case schema.U8:
		c.i32(0xFF)
		c.op(opI32And)
	case schema.U16:
		c.i32(0xFFFF)
		c.op(opI32And)
	}
	c.op(a.toNum)
	c.get(v)
	c.op(opF64Ne)
}

// checkWide leaves whether a value was changed to what is no whole number from
// low to high. One that was not changed may be outside, if the field holds what a float64
// cannot tell from its neighbours: it is not stored then, see store.
func (c *code) checkWide(i int, low, high float64) {
	v := c.local(c.f.Fields[i].Local)
	c.changed(i)
	c.get(v)
	c.f64(low)
	c.op(opF64Ge)
	c.get(v)
	c.f64(high)
	c.op(opF64Le, opI32And)
	c.get(v)
	c.get(v)
	c.op(opF64Trunc, opF64Eq, opI32And, opI32Eqz, opI32And)
}

// checkWhole leaves whether an entity was changed to one above high, which no world gives
// out.
func (c *code) checkWhole(i int, high int64) {
	v := c.local(c.f.Fields[i].Local)
	c.get(v)
	c.with(opI64Const, high)
	c.op(opI64GtU)
	c.load(i)
	c.get(v)
	c.op(opI64Ne, opI32And)
}
