package wasm

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// specified are instructions as the specification of WebAssembly numbers them: of
// each line, the first has the number and those after it follow.
const specified = `
02 block loop if else
0B end br br_if
0F return call
1A drop select
20 local.get local.set local.tee
28 i32.load i64.load f32.load f64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u
35 i64.load32_u i32.store i64.store f32.store f64.store i32.store8 i32.store16
41 i32.const i64.const f32.const f64.const i32.eqz i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u i32.ge_s i32.ge_u
50 i64.eqz i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u i64.le_s i64.le_u i64.ge_s i64.ge_u
5B f32.eq f32.ne f32.lt f32.gt f32.le f32.ge f64.eq f64.ne f64.lt f64.gt f64.le f64.ge
67 i32.clz i32.ctz i32.popcnt i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u i32.and i32.or i32.xor i32.shl i32.shr_s i32.shr_u i32.rotl i32.rotr
79 i64.clz i64.ctz i64.popcnt i64.add i64.sub i64.mul i64.div_s i64.div_u i64.rem_s i64.rem_u i64.and i64.or i64.xor i64.shl i64.shr_s i64.shr_u i64.rotl i64.rotr
8B f32.abs f32.neg f32.ceil f32.floor f32.trunc f32.nearest f32.sqrt f32.add f32.sub f32.mul f32.div f32.min f32.max f32.copysign
99 f64.abs f64.neg f64.ceil f64.floor f64.trunc f64.nearest f64.sqrt f64.add f64.sub f64.mul f64.div f64.min f64.max f64.copysign
A7 i32.wrap_i64
AC i64.extend_i32_s i64.extend_i32_u
B6 f32.demote_f64 f64.convert_i32_s f64.convert_i32_u f64.convert_i64_s f64.convert_i64_u f64.promote_f32
BC i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64 i32.extend8_s i32.extend16_s
FC02 i32.trunc_sat_f64_s i32.trunc_sat_f64_u
FC06 i64.trunc_sat_f64_s i64.trunc_sat_f64_u
FD00 v128.load
FD0B v128.store v128.const
FD11 i32x4.splat i64x2.splat f32x4.splat f64x2.splat
FD1B i32x4.extract_lane i32x4.replace_lane i64x2.extract_lane i64x2.replace_lane f32x4.extract_lane f32x4.replace_lane f64x2.extract_lane f64x2.replace_lane
FD41 f32x4.eq f32x4.ne f32x4.lt f32x4.gt f32x4.le f32x4.ge f64x2.eq f64x2.ne f64x2.lt f64x2.gt f64x2.le f64x2.ge
FD4D v128.not v128.and v128.andnot v128.or v128.xor v128.bitselect v128.any_true
FD5C v128.load32_zero v128.load64_zero f32x4.demote_f64x2_zero f64x2.promote_low_f32x4
FD67 f32x4.ceil f32x4.floor
FD74 f64x2.ceil f64x2.floor
FD85 i16x8.narrow_i32x4_s
FDC3 i64x2.all_true
FDC7 i64x2.extend_low_i32x4_s i64x2.extend_high_i32x4_s
FDE0 f32x4.abs f32x4.neg
FDE3 f32x4.sqrt f32x4.add f32x4.sub f32x4.mul f32x4.div f32x4.min f32x4.max f32x4.pmin f32x4.pmax f64x2.abs f64x2.neg
FDEF f64x2.sqrt f64x2.add f64x2.sub f64x2.mul f64x2.div f64x2.min f64x2.max f64x2.pmin f64x2.pmax
FDFA f32x4.convert_i32x4_s f32x4.convert_i32x4_u
FDFE f64x2.convert_low_i32x4_s f64x2.convert_low_i32x4_u
`

// TestInstructionsAreThoseOfTheSpecification compares each instruction's number with
// its name, and demands that each has one.
func TestInstructionsAreThoseOfTheSpecification(t *testing.T) {
	names := map[opcode]string{}
	for line := range strings.Lines(specified) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		first, err := strconv.ParseUint(words[0], 16, 16)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range words[1:] {
			names[opcode(first)+opcode(i)] = name
		}
	}
	for op, is := range opcodes {
		name, _, _ := strings.Cut(is.name, " ") // the text of v128.const says more
		if names[op] != name {
			t.Errorf("%04X is called %q, want %q", uint16(op), is.name, names[op])
		}
	}
	for name, op := range constants(t) {
		if _, ok := opcodes[op]; !ok {
			t.Errorf("%s, %04X, has no name", name, uint16(op))
		}
	}
}

// constants are the instructions that the package's text names.
func constants(t *testing.T) map[string]opcode {
	f, err := parser.ParseFile(token.NewFileSet(), "instr.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]opcode{}
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		for _, s := range d.Specs {
			s := s.(*ast.ValueSpec)
			if typ, ok := s.Type.(*ast.Ident); !ok || typ.Name != "opcode" {
				continue
			}
			n, err := strconv.ParseUint(s.Values[0].(*ast.BasicLit).Value, 0, 16)
			if err != nil {
				t.Fatal(err)
			}
			all[fmt.Sprint(s.Names[0])] = opcode(n)
		}
	}
	if len(all) < 100 {
		t.Fatalf("%d instructions were found", len(all))
	}
	return all
}
