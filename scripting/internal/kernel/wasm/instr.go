package wasm

// This file has the instructions of WebAssembly that kernels use, with their numbers and
// names as the specification gives them: those of the core, the conversions without traps
// and the vectors of 128 bits. encode.go writes them.

// opcode is an instruction's number; those after the prefixes 0xFC and 0xFD have
// it in the high byte.
type opcode uint16

// What is not here is not needed, or must not be: nothing that traps for a number that a
// script can have, as the conversions of the core do, and nothing that grows the memory.
const (
	// Control. A branch is named by the depth of its block, which code counts.
	opBlock  opcode = 0x02
	opLoop   opcode = 0x03
	opIf     opcode = 0x04
	opElse   opcode = 0x05
	opEnd    opcode = 0x0B
	opBr     opcode = 0x0C
	opBrIf   opcode = 0x0D
	opReturn opcode = 0x0F
	opCall   opcode = 0x10
	opDrop   opcode = 0x1A
	opSelect opcode = 0x1B
	// Locals, of which the first are the parameters.
	opLocalGet opcode = 0x20
	opLocalSet opcode = 0x21
	opLocalTee opcode = 0x22
	// Memory. An address is 32 bits and an offset in the instruction; what lies behind the
	// end traps, and the engine reports it.
	opI64Load    opcode = 0x29
	opI64Load32U opcode = 0x35
	opF32Load    opcode = 0x2A
	opF64Load    opcode = 0x2B
	opI32Load    opcode = 0x28
	opI32Load8S  opcode = 0x2C
	opI32Load8U  opcode = 0x2D
	opI32Load16S opcode = 0x2E
	opI32Load16U opcode = 0x2F
	opI32Store   opcode = 0x36
	opI64Store   opcode = 0x37
	opF32Store   opcode = 0x38
	opF64Store   opcode = 0x39
	opI32Store8  opcode = 0x3A
	opI32Store16 opcode = 0x3B
	// Constants.
	opI32Const opcode = 0x41
	opI64Const opcode = 0x42
	opF32Const opcode = 0x43
	opF64Const opcode = 0x44
	// Comparisons, which leave an i32, 1 or 0. Those of floats are false for not-a-number, but
	// for ne. Gt and ge are left to the checks: lower turns operands around.
	opI32Eqz opcode = 0x45
	opI32Eq  opcode = 0x46
	opI32Ne  opcode = 0x47
	opI32LtU opcode = 0x49
	opI32GtS opcode = 0x4A
	opI32LeU opcode = 0x4D
	opI32GeU opcode = 0x4F
	opI64Eqz opcode = 0x50
	opI64Eq  opcode = 0x51
	opI64Ne  opcode = 0x52
	opI64LtS opcode = 0x53
	opI64LtU opcode = 0x54
	opI64GtU opcode = 0x56
	opF32Eq  opcode = 0x5B
	opF32Ne  opcode = 0x5C
	opF32Lt  opcode = 0x5D
	opF32Le  opcode = 0x5F
	opF64Eq  opcode = 0x61
	opF64Ne  opcode = 0x62
	opF64Lt  opcode = 0x63
	opF64Gt  opcode = 0x64
	opF64Le  opcode = 0x65
	opF64Ge  opcode = 0x66
	// Integers. The remainders trap for 0, and are asked only for others.
	opI32Add  opcode = 0x6A
	opI32Sub  opcode = 0x6B
	opI32Mul  opcode = 0x6C
	opI32And  opcode = 0x71
	opI32Or   opcode = 0x72
	opI32Shl  opcode = 0x74
	opI32ShrU opcode = 0x76
	opI64Add  opcode = 0x7C
	opI64Sub  opcode = 0x7D
	opI64Mul  opcode = 0x7E
	opI64RemU opcode = 0x82
	opI64And  opcode = 0x83
	opI64Or   opcode = 0x84
	opI64Xor  opcode = 0x85
	opI64Shl  opcode = 0x86
	opI64ShrS opcode = 0x87
	opI64ShrU opcode = 0x88
	// Floats, each rounded once: the core has no fused multiplication and addition, and so
	// gives the same on every machine.
	opF32Abs   opcode = 0x8B
	opF32Neg   opcode = 0x8C
	opF32Ceil  opcode = 0x8D
	opF32Floor opcode = 0x8E
	opF32Sqrt  opcode = 0x91
	opF32Add   opcode = 0x92
	opF32Sub   opcode = 0x93
	opF32Mul   opcode = 0x94
	opF32Div   opcode = 0x95
	opF64Abs   opcode = 0x99
	opF64Neg   opcode = 0x9A
	opF64Ceil  opcode = 0x9B
	opF64Floor opcode = 0x9C
	opF64Trunc opcode = 0x9D
	opF64Sqrt  opcode = 0x9F
	opF64Add   opcode = 0xA0
	opF64Sub   opcode = 0xA1
	opF64Mul   opcode = 0xA2
	opF64Div   opcode = 0xA3
	// Conversions. Those called Bits leave the bits as they are.
	opF32Demote  opcode = 0xB6
	opF64ConvI32 opcode = 0xB7
	opF64ConvU32 opcode = 0xB8
	opF64ConvI64 opcode = 0xB9
	opF64ConvU64 opcode = 0xBA
	opF64Promote opcode = 0xBB
	opI32Bits    opcode = 0xBC
	opI64Bits    opcode = 0xBD
	opF32Bits    opcode = 0xBE
	opF64Bits    opcode = 0xBF
	opI32Ext8S   opcode = 0xC0
	opI32Ext16S  opcode = 0xC1
	opI32Wrap    opcode = 0xA7
	opI64ExtendU opcode = 0xAD
	// To integers, saturating: too large becomes the largest, not-a-number 0, and none traps.
	opI32SatS opcode = 0xFC02
	opI32SatU opcode = 0xFC03
	opI64SatS opcode = 0xFC06
	opI64SatU opcode = 0xFC07

	// Vectors of 128 bits: loads and stores of all or part of one, lanes in and out. A load of
	// 32 or 64 bits leaves 0 in the other lanes.
	opVLoad      opcode = 0xFD00
	opVStore     opcode = 0xFD0B
	opVConst     opcode = 0xFD0C
	opI32Splat   opcode = 0xFD11
	opI32Replace opcode = 0xFD1C
	opF32Splat   opcode = 0xFD13
	opF64Splat   opcode = 0xFD14
	opI32Lane    opcode = 0xFD1B
	opF32Lane    opcode = 0xFD1F
	opF32Replace opcode = 0xFD20
	opF64Lane    opcode = 0xFD21
	opF64Replace opcode = 0xFD22
	// Comparisons of all lanes at once, which leave masks, and bits, which are of no type.
	opVF32Eq  opcode = 0xFD41
	opVF32Ne  opcode = 0xFD42
	opVF32Lt  opcode = 0xFD43
	opVF32Le  opcode = 0xFD45
	opVF64Eq  opcode = 0xFD47
	opVF64Ne  opcode = 0xFD48
	opVF64Lt  opcode = 0xFD49
	opVF64Le  opcode = 0xFD4B
	opVNot    opcode = 0xFD4D
	opVAnd    opcode = 0xFD4E
	opVAndNot opcode = 0xFD4F
	opVOr     opcode = 0xFD50
	opVXor    opcode = 0xFD51
	opVSelect opcode = 0xFD52
	opVAny    opcode = 0xFD53
	opVAll    opcode = 0xFDC3 // of two lanes
	opVLoad32 opcode = 0xFD5C
	opVLoad64 opcode = 0xFD5D
	// Changes of width. To narrow integers saturates; masks are -1 or 0 in any width.
	opVDemote     opcode = 0xFD5E
	opVPromote    opcode = 0xFD5F
	opVF32Ceil    opcode = 0xFD67
	opVNarrow     opcode = 0xFD85
	opVExtendLow  opcode = 0xFDC7
	opVExtendHigh opcode = 0xFDC8
	opVF32Floor   opcode = 0xFD68
	opVF64Ceil    opcode = 0xFD74
	opVF64Floor   opcode = 0xFD75
	// Arithmetic. Min and max are pmin and pmax, which choose as a comparison does, and not
	// the ones that make not-a-number of one and tell 0 from -0.
	opVF32Sqrt opcode = 0xFDE3
	opVF32Add  opcode = 0xFDE4
	opVF32Sub  opcode = 0xFDE5
	opVF32Mul  opcode = 0xFDE6
	opVF32Div  opcode = 0xFDE7
	opVF32Min  opcode = 0xFDEA
	opVF32Max  opcode = 0xFDEB
	opVF64Sqrt opcode = 0xFDEF
	opVF64Add  opcode = 0xFDF0
	opVF64Sub  opcode = 0xFDF1
	opVF64Mul  opcode = 0xFDF2
	opVF64Div  opcode = 0xFDF3
	opVF64Min  opcode = 0xFDF6
	opVF64Max  opcode = 0xFDF7
	// From integers of 32 bits, four or the lower two.
	opVF32Conv  opcode = 0xFDFA
	opVF64Conv  opcode = 0xFDFE
	opVF64ConvU opcode = 0xFDFF
)

// form is what follows an instruction's number, in the module and in the text.
type form uint8

const (
	plain     form = iota
	index          // a local, a function or a depth
	blocktype      // a type, or none
	memory         // alignment and offset
	integer
	float
	float32s // a float of 32 bits
	lanes    // the number of a lane
	twice    // 64 bits, for both halves of a vector
)

// opcodes has the name and the form of every instruction. One that is missing would be
// written without what follows it; a test holds that each constant above is here.
var opcodes = map[opcode]struct {
	name string
	form form
}{
	opBlock: {"block", blocktype}, opLoop: {"loop", blocktype}, opIf: {"if", blocktype}, opElse: {"else", plain},
	opEnd: {"end", plain}, opBr: {"br", index}, opBrIf: {"br_if", index}, opReturn: {"return", plain},
	opCall: {"call", index}, opDrop: {"drop", plain}, opSelect: {"select", plain},
	opLocalGet: {"local.get", index}, opLocalSet: {"local.set", index}, opLocalTee: {"local.tee", index},
	opI32Load: {"i32.load", memory}, opI64Load: {"i64.load", memory}, opF32Load: {"f32.load", memory}, opF64Load: {"f64.load", memory},
	opI32Load8S: {"i32.load8_s", memory}, opI32Load8U: {"i32.load8_u", memory},
	opI32Load16S: {"i32.load16_s", memory}, opI32Load16U: {"i32.load16_u", memory},
	opI32Store: {"i32.store", memory}, opI64Store: {"i64.store", memory}, opF32Store: {"f32.store", memory},
	opF64Store: {"f64.store", memory}, opI32Store8: {"i32.store8", memory}, opI32Store16: {"i32.store16", memory},
	opI32Const: {"i32.const", integer}, opI64Const: {"i64.const", integer}, opF64Const: {"f64.const", float},
	opI32Eqz: {"i32.eqz", plain}, opI32Eq: {"i32.eq", plain}, opI32Ne: {"i32.ne", plain},
	opI32LtU: {"i32.lt_u", plain}, opI32GtS: {"i32.gt_s", plain}, opI32LeU: {"i32.le_u", plain}, opI32GeU: {"i32.ge_u", plain}, opI64Eqz: {"i64.eqz", plain}, opI64Eq: {"i64.eq", plain}, opI64LtS: {"i64.lt_s", plain}, opI64LtU: {"i64.lt_u", plain},
	opI64Ne: {"i64.ne", plain}, opI64GtU: {"i64.gt_u", plain}, opI64Or: {"i64.or", plain}, opI32Shl: {"i32.shl", plain}, opI32ShrU: {"i32.shr_u", plain}, opI64Load32U: {"i64.load32_u", memory}, opI64And: {"i64.and", plain},
	opI32Wrap: {"i32.wrap_i64", plain}, opI64ExtendU: {"i64.extend_i32_u", plain},
	opF64Eq: {"f64.eq", plain}, opF64Ne: {"f64.ne", plain}, opF64Lt: {"f64.lt", plain}, opF64Gt: {"f64.gt", plain},
	opF64Le: {"f64.le", plain}, opF64Ge: {"f64.ge", plain},
	opI32Add: {"i32.add", plain}, opI32Sub: {"i32.sub", plain}, opI32Mul: {"i32.mul", plain}, opI32And: {"i32.and", plain}, opI32Or: {"i32.or", plain},
	opI64Sub: {"i64.sub", plain}, opI64Add: {"i64.add", plain}, opI64Mul: {"i64.mul", plain},
	opI64RemU: {"i64.rem_u", plain}, opI64Xor: {"i64.xor", plain}, opI64ShrS: {"i64.shr_s", plain}, opI64ShrU: {"i64.shr_u", plain}, opI64Shl: {"i64.shl", plain},
	opF64Abs: {"f64.abs", plain}, opF64Neg: {"f64.neg", plain}, opF64Ceil: {"f64.ceil", plain}, opF64Floor: {"f64.floor", plain},
	opF64Trunc: {"f64.trunc", plain}, opF64Sqrt: {"f64.sqrt", plain}, opF64Add: {"f64.add", plain}, opF64Sub: {"f64.sub", plain},
	opF64Mul: {"f64.mul", plain}, opF64Div: {"f64.div", plain},
	opF32Demote: {"f32.demote_f64", plain}, opF64Promote: {"f64.promote_f32", plain},
	opF64ConvI32: {"f64.convert_i32_s", plain}, opF64ConvU32: {"f64.convert_i32_u", plain},
	opF64ConvI64: {"f64.convert_i64_s", plain}, opF64ConvU64: {"f64.convert_i64_u", plain},
	opF32Const: {"f32.const", float32s}, opF32Eq: {"f32.eq", plain}, opF32Ne: {"f32.ne", plain}, opF32Lt: {"f32.lt", plain}, opF32Le: {"f32.le", plain},
	opF32Abs: {"f32.abs", plain}, opF32Neg: {"f32.neg", plain}, opF32Ceil: {"f32.ceil", plain}, opF32Floor: {"f32.floor", plain},
	opF32Sqrt: {"f32.sqrt", plain}, opF32Add: {"f32.add", plain}, opF32Sub: {"f32.sub", plain}, opF32Mul: {"f32.mul", plain}, opF32Div: {"f32.div", plain},
	opI32Bits: {"i32.reinterpret_f32", plain}, opF32Bits: {"f32.reinterpret_i32", plain},
	opI64Bits: {"i64.reinterpret_f64", plain}, opF64Bits: {"f64.reinterpret_i64", plain},
	opI32Ext8S: {"i32.extend8_s", plain}, opI32Ext16S: {"i32.extend16_s", plain},
	opI32SatS: {"i32.trunc_sat_f64_s", plain}, opI32SatU: {"i32.trunc_sat_f64_u", plain},
	opI64SatS: {"i64.trunc_sat_f64_s", plain}, opI64SatU: {"i64.trunc_sat_f64_u", plain},

	opVLoad: {"v128.load", memory}, opVStore: {"v128.store", memory}, opVConst: {"v128.const i64x2", twice},
	opVLoad32: {"v128.load32_zero", memory}, opVLoad64: {"v128.load64_zero", memory},
	opI32Splat: {"i32x4.splat", plain}, opF32Splat: {"f32x4.splat", plain}, opF64Splat: {"f64x2.splat", plain},
	opI32Lane: {"i32x4.extract_lane", lanes}, opF32Lane: {"f32x4.extract_lane", lanes}, opF64Lane: {"f64x2.extract_lane", lanes},
	opF32Replace: {"f32x4.replace_lane", lanes}, opF64Replace: {"f64x2.replace_lane", lanes},
	opVNot: {"v128.not", plain}, opVAnd: {"v128.and", plain}, opVAndNot: {"v128.andnot", plain}, opVOr: {"v128.or", plain}, opVXor: {"v128.xor", plain},
	opVSelect: {"v128.bitselect", plain}, opVAny: {"v128.any_true", plain}, opVAll: {"i64x2.all_true", plain}, opVDemote: {"f32x4.demote_f64x2_zero", plain}, opVPromote: {"f64x2.promote_low_f32x4", plain},
	opI32Replace: {"i32x4.replace_lane", lanes}, opVF32Conv: {"f32x4.convert_i32x4_s", plain},
	opVF64Conv: {"f64x2.convert_low_i32x4_s", plain}, opVF64ConvU: {"f64x2.convert_low_i32x4_u", plain},
	opVNarrow: {"i16x8.narrow_i32x4_s", plain}, opVExtendLow: {"i64x2.extend_low_i32x4_s", plain}, opVExtendHigh: {"i64x2.extend_high_i32x4_s", plain},
	opVF32Eq: {"f32x4.eq", plain}, opVF32Ne: {"f32x4.ne", plain}, opVF32Lt: {"f32x4.lt", plain}, opVF32Le: {"f32x4.le", plain},
	opVF64Eq: {"f64x2.eq", plain}, opVF64Ne: {"f64x2.ne", plain}, opVF64Lt: {"f64x2.lt", plain}, opVF64Le: {"f64x2.le", plain},
	opVF32Ceil: {"f32x4.ceil", plain}, opVF32Floor: {"f32x4.floor", plain}, opVF64Ceil: {"f64x2.ceil", plain}, opVF64Floor: {"f64x2.floor", plain},
	opVF32Sqrt: {"f32x4.sqrt", plain}, opVF32Add: {"f32x4.add", plain}, opVF32Sub: {"f32x4.sub", plain}, opVF32Mul: {"f32x4.mul", plain},
	opVF32Div: {"f32x4.div", plain}, opVF32Min: {"f32x4.pmin", plain}, opVF32Max: {"f32x4.pmax", plain},
	opVF64Sqrt: {"f64x2.sqrt", plain}, opVF64Add: {"f64x2.add", plain}, opVF64Sub: {"f64x2.sub", plain}, opVF64Mul: {"f64x2.mul", plain},
	opVF64Div: {"f64x2.div", plain}, opVF64Min: {"f64x2.pmin", plain}, opVF64Max: {"f64x2.pmax", plain},
}

// Types of values, as they are encoded.
const (
	typeI32  = 0x7F
	typeI64  = 0x7E
	typeF32  = 0x7D
	typeF64  = 0x7C
	typeV128 = 0x7B
	typeNone = 0x40
)
