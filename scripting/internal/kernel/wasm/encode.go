package wasm

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// This file writes single instructions, as bytes and as text. How a module is put together
// of its sections is in module.go.

// instr is one instruction. It is a value of 24 bytes, for there are thousands in a kernel,
// and its opcode says which of the fields count. imm is its index, type, offset or integer.
type instr struct {
	op    opcode
	align uint8 // of memory: log2 of the bytes
	imm   int64
	float float64
}

// encode appends the instruction's bytes. What follows the opcode is decided by its form
// alone, so a new instruction of a known form needs an entry in opcodes and nothing here.
func (in *instr) encode(b []byte) []byte {
	if in.op > 0xFF { // what follows a prefix is in LEB128
		b = unsigned(append(b, byte(in.op>>8)), uint64(in.op&0xFF))
	} else {
		b = append(b, byte(in.op))
	}
	switch opcodes[in.op].form {
	case index:
		b = unsigned(b, uint64(in.imm))
	case blocktype: // one byte: a kernel's blocks have one result or none
		b = append(b, byte(in.imm))
	case memory:
		b = unsigned(unsigned(b, uint64(in.align)), uint64(in.imm))
	case integer: // as signed also where the instruction takes it without a sign
		b = signed(b, in.imm)
	case float:
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(in.float))
	case lanes:
		b = append(b, byte(in.imm))
	case twice:
		b = binary.LittleEndian.AppendUint64(b, uint64(in.imm))
		b = binary.LittleEndian.AppendUint64(b, uint64(in.imm))
	case float32s:
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(in.float)))
	}
	return b
}

// text returns the instruction as the text format writes it; name gives locals and
// functions their names. Alignments are left out, as those of a kernel are hints.
func (in *instr) text(name func(*instr) string) string {
	info := opcodes[in.op]
	switch {
	case info.form == index:
		return info.name + " " + name(in)
	case info.form == blocktype && in.imm != typeNone:
		return info.name + " (result " + typeNames[byte(in.imm)] + ")"
	case info.form == memory && in.imm != 0:
		return fmt.Sprintf("%s offset=%d", info.name, in.imm)
	case info.form == twice:
		return fmt.Sprintf("%s 0x%x 0x%x", info.name, uint64(in.imm), uint64(in.imm))
	case info.form == integer, info.form == lanes:
		return fmt.Sprintf("%s %d", info.name, in.imm)
	case info.form == float, info.form == float32s:
		return fmt.Sprintf("%s %s", info.name, floatText(in.float))
	}
	return info.name
}

// typeNames are the types that a block of a kernel can leave. Vectors are not among them:
// they go through locals.
var typeNames = map[byte]string{typeI32: "i32", typeI64: "i64", typeF32: "f32", typeF64: "f64"}

// floatText writes a number as the text format does.
func floatText(v float64) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 0):
		return strings.ToLower(fmt.Sprint(v))
	}
	return fmt.Sprint(v)
}

// unsigned appends a number in LEB128: 7 bits in each byte, the lowest first, and the
// highest bit set in all but the last.
func unsigned(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// signed appends a number in signed LEB128, whose last byte has the sign in its second
// highest bit.
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
