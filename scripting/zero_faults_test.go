package scripting_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var plantZeroFaults = flag.Bool("zeros.faults", false, "build with one fault in the signs of zeros after the other and demand that TestZerosHaveOneSign finds it")

// zeroFault is a mistake about the sign of a zero: a piece of a file, which is there
// once, and what stands there instead.
type zeroFault struct{ says, file, old, new string }

// foldings are rules of algebra that a compiler might have, and that do not hold.
func folding(says, rule string) zeroFault {
	const before = "	if v, ok := compute(e); ok {\n"
	return zeroFault{says, "internal/kernel/passes/fold.go", before, "	" + rule + "\n" + before}
}

var zeroFaults = []zeroFault{
	folding("-(a - b) is b - a", `if e.Op == ir.Neg && e.Args[0].Op == ir.Zero && e.Args[0].Args[0].Op == ir.Sub { s := e.Args[0].Args[0]; *e = ir.Expr{Op: ir.Sub, Type: e.Type, Args: []*ir.Expr{s.Args[1], s.Args[0]}}; return }`),
	folding("x * 0 is 0", `if e.Op == ir.Mul && e.Args[1].Op == ir.Const && e.Args[1].Value == 0 { *e = *e.Args[1]; return }`),
	folding("-x is 0 - x", `if e.Op == ir.Neg { *e = ir.Expr{Op: ir.Sub, Type: e.Type, Args: []*ir.Expr{{Op: ir.Const, Type: e.Type}, e.Args[0]}}; return }`),
	folding("0 - x is -x", `if e.Op == ir.Zero && e.Args[0].Op == ir.Sub && e.Args[0].Args[0].Op == ir.Const && e.Args[0].Args[0].Value == 0 { *e = ir.Expr{Op: ir.Neg, Type: e.Type, Args: e.Args[0].Args[1:]}; return }`),
	folding("x + 0 is x", `if e.Op == ir.Zero && e.Args[0].Op == ir.Add && e.Args[0].Args[1].Op == ir.Const && e.Args[0].Args[1].Value == 0 { *e = *e.Args[0].Args[0]; return }`),
	folding("x * 1 is x", `if e.Op == ir.Zero && e.Args[0].Op == ir.Mul && e.Args[0].Args[1].Op == ir.Const && e.Args[0].Args[1].Value == 1 { *e = *e.Args[0].Args[0]; return }`),
	folding("a sum has the sign of its zeros", `if e.Op == ir.Zero && e.Args[0].Op == ir.Add { *e = *e.Args[0]; return }`),
	{"a constant loses its minus", "internal/kernel/passes/fold.go", "		return -a, true", "		return 0 - a, true"},
	{"constants that arithmetic gives may be -0", "internal/kernel/passes/fold.go", "		return a + 0, true", "		return a, true"},
	{"the sign of a divisor cannot be seen", "internal/kernel/passes/zeros.go", "return visible || i == 1 //", "return visible //"},
	{"the sign of an argument cannot be seen", "internal/kernel/passes/zeros.go", "	case ir.Call, ir.Do, ir.Ask:\n		return true", "	case ir.Call, ir.Do, ir.Ask:\n		return false"},
	{"the sign of what floor gets cannot be seen", "internal/kernel/passes/zeros.go", "case ir.Zero, ir.Abs, ir.Lt,", "case ir.Zero, ir.Floor, ir.Ceil, ir.Abs, ir.Lt,"},
	{"the constant -0 is never -0", "internal/kernel/passes/zeros.go", "return e.Value == 0 && math.Signbit(e.Value)", "return false && math.Signbit(e.Value)"},
	{"a product is never -0", "internal/kernel/passes/zeros.go", "return hasTee(e) || keyOf(e.Args[0], strconv.Itoa) != keyOf(e.Args[1], strconv.Itoa)", "return hasTee(e) && len(strconv.Itoa(0)) == 0"},
	{"a difference is never -0", "internal/kernel/passes/zeros.go", "	case ir.Sub:\n		return z.minus(e.Args[0])", "	case ir.Sub:\n		return false"},
	{"a sum is -0 only by its first operand", "internal/kernel/passes/zeros.go", "return z.minus(e.Args[0]) && z.minus(e.Args[1])", "return false"},
	{"a choice is -0 only by its first operand", "internal/kernel/passes/zeros.go", "return z.minus(e.Args[0]) || z.minus(e.Args[1])", "return z.minus(e.Args[0])"},
	{"the constant -0 is not negative", "internal/kernel/passes/follow.go", "return math.Signbit(e.Value)", "return e.Value < 0 && math.Signbit(e.Value)"},
	{"a difference cannot be negative", "internal/kernel/passes/follow.go", "		return mayBeNegative(e.Args[0])\n", "		return false\n"},
	{"a product of one negative number is not", "internal/kernel/passes/follow.go", "return mayBeNegative(e.Args[0]) || mayBeNegative(e.Args[1])", "return mayBeNegative(e.Args[0]) && mayBeNegative(e.Args[1])"},
	{"a difference of fields is never -0", "internal/kernel/passes/follow.go", "		return mayBeMinusZero(e.Args[0], now)\n	case ir.Mul", "		return false\n	case ir.Mul"},
	{"0 and -0 are the same to what is shared", "internal/kernel/passes/hoist.go", "strconv.FormatFloat(e.Value, 'x'", "strconv.FormatFloat(e.Value+0, 'x'"},
	{"a kernel adds -0 where it should add 0", "internal/kernel/wasm/expr.go", "			c.constant(e.Type, 0)\n", "			c.constant(e.Type, math.Copysign(0, -1))\n"},
	{"a kernel keeps one local for 0 and -0", "internal/kernel/wasm/expr.go", "if k.bits == math.Float64bits(v) {", "if math.Float64frombits(k.bits) == v {"},
	{"a vector of -0 is one of 0", "internal/kernel/wasm/vectors.go", "math.Float64bits(v.Scalars[0].Value) == 0", "math.Abs(v.Scalars[0].Value) == 0"},
	{"vectors keep -0 where rows do not", "internal/kernel/wasm/vectors.go", "		c.mask(0)\n		c.lanewise(ir.Add, v.Lanes)", "		c.mask(sign)\n		c.lanewise(ir.Add, v.Lanes)"},
	{"of equal numbers the last is the largest", "internal/kernel/lower/library.go", "better := binary(ir.Lt, still, again)", "better := binary(ir.Le, still, again)"},
	{"of equal numbers the last is the smallest", "internal/kernel/lower/library.go", "better = binary(ir.Lt, again, still)", "better = binary(ir.Le, again, still)"},
	{"a remainder may be -0", "internal/kernel/lower/expr.go", "	return zero(binary(op, a, b))", "	if op == ir.Mod {\n		return binary(op, a, b)\n	}\n	return zero(binary(op, a, b))"},
	{"a quotient may be -0", "internal/kernel/lower/expr.go", "	return zero(binary(op, a, b))", "	if op == ir.Div {\n		return binary(op, a, b)\n	}\n	return zero(binary(op, a, b))"},
	{"products of constants may be -0", "internal/syntax/literals.go", "return a*b + 0", "return a * b"},
	{"differences of constants may be -0", "internal/syntax/literals.go", "return a - b + 0", "return a - b"},
	{"0 and -0 are one constant", "internal/syntax/literals.go", "number.Value == negativeZero {", "number.Value == negativeZero && false {"},
	{"a product beside the VM may be -0", "internal/unboxed/run.go", "float64(x.Number*y.Number) + zero)", "float64(x.Number*y.Number))"},
	{"a remainder beside the VM may be -0", "internal/unboxed/run.go", "stdlib.Modulo(x.Number, y.Number) + zero)", "stdlib.Modulo(x.Number, y.Number))"},
	{"a sum beside the VM may be -0", "internal/unboxed/run.go", "float64(x.Number+y.Number) + zero)", "float64(x.Number+y.Number))"},
	{"minus beside the VM is a difference", "internal/unboxed/run.go", "regs[in.a].Set(-x.Number)", "regs[in.a].Set(0 - x.Number)"},
	{"of equal numbers math.max takes the last", "internal/stdlib/math.go", "v > best {", "v >= best {"},
	{"of equal numbers math.min takes the last", "internal/stdlib/math.go", "v < best {", "v <= best {"},
	{"the fraction of an infinite number has no sign", "internal/stdlib/math.go", "return x, math.Copysign(0, x)", "return x, 0"},
	{"an operation on columns may give -0", "../bindings/batch.go", "return v + 0 }", "return v }"},
	{"of equal numbers a column keeps the second", "../bindings/batch.go", "if v < x {", "if v <= x {"},
	{"a clamp turns the sign of zeros", "../bindings/batch.go", "-smaller(-smaller(x, high(i)), -low(i))", "0 - smaller(-smaller(x, high(i)), -low(i))"},
	{"a field of 64 bits has no -0", "../ecs/schema/kind.go", "*(*float64)(p) = v\n", "*(*float64)(p) = v + 0\n"},
	{"a field of 32 bits has no -0", "../ecs/schema/kind.go", "*(*float32)(p) = float32(v)\n", "*(*float32)(p) = float32(v) + 0\n"},
}

// TestZeroFaultsCanBePlanted: the file of each fault exists and has the piece that is
// replaced.
func TestZeroFaultsCanBePlanted(t *testing.T) {
	for _, f := range zeroFaults {
		t.Run(f.says, func(t *testing.T) { f.read(t) })
	}
}

// TestZerosFindFaults builds the packages with each of the faults in turn, in an overlay
// that leaves the tree as it is: the judge of zeros must fail.
//
//	go test -count=1 ./scripting -run ZerosFindFaults -zeros.faults -timeout 0 -v
func TestZerosFindFaults(t *testing.T) {
	if !*plantZeroFaults {
		t.Skip("runs with -zeros.faults only: it builds the compiler once for each fault")
	}
	dir := t.TempDir()
	for i, f := range zeroFaults {
		t.Run(f.says, func(t *testing.T) {
			overlay := f.plant(t, filepath.Join(dir, fmt.Sprint(i)))
			out, err := exec.Command("go", "test", "-count=1", "-overlay", overlay, "-run", "ZerosHaveOneSign$", ".", "-zeros", "600").CombinedOutput()
			if err == nil {
				t.Fatal("it was not found")
			}
			if !strings.Contains(string(out), "FAIL: TestZerosHaveOneSign") {
				t.Fatalf("it was not judged:\n%s", out)
			}
		})
	}
}

// read returns the path and the text of the fault's file, in which the piece that the
// fault replaces stands once.
func (f *zeroFault) read(t *testing.T) (path, text string) {
	path, err := filepath.Abs(filepath.FromSlash(f.file))
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(content), f.old); n != 1 {
		t.Fatalf("%s has %q %d times", f.file, f.old, n)
	}
	return path, string(content)
}

// plant writes the file with the fault and an overlay that puts it in its place.
func (f *zeroFault) plant(t *testing.T, at string) (overlay string) {
	path, text := f.read(t)
	places, err := json.Marshal(map[string]any{"Replace": map[string]string{path: at + ".go"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		at + ".go": strings.Replace(text, f.old, f.new, 1), at + ".json": string(places),
	} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return at + ".json"
}
