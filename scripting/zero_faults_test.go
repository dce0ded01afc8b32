package scripting_test

import (
	"flag"
	"testing"

	"github.com/perigee-ecs/perigee/internal/planted"
)

var plantZeroFaults = flag.Bool("zeros.faults", false, "build with one fault in the signs of zeros after the other and demand that TestZerosHaveOneSign finds it")

// zeroFault is a mistake about the sign of a zero, in a file below the root.
func zeroFault(says, file, old, new string) planted.Fault {
	return planted.Fault{Says: says, File: file, Old: old, New: new}
}

// inScripting is one in a file of the packages below scripting/internal.
func inScripting(says, file, old, new string) planted.Fault {
	return zeroFault(says, "scripting/internal/"+file, old, new)
}

// foldings are rules of algebra that a compiler might have, and that do not hold.
func folding(says, rule string) planted.Fault {
	const before = "	if v, ok := compute(e); ok {\n"
	return inScripting(says, "kernel/passes/fold.go", before, "	"+rule+"\n"+before)
}

var zeroFaults = []planted.Fault{
	folding("-(a - b) is b - a", `if e.Op == ir.Neg && e.Args[0].Op == ir.Zero && e.Args[0].Args[0].Op == ir.Sub { s := e.Args[0].Args[0]; *e = ir.Expr{Op: ir.Sub, Type: e.Type, Args: []*ir.Expr{s.Args[1], s.Args[0]}}; return }`),
	folding("x * 0 is 0", `if e.Op == ir.Mul && e.Args[1].Op == ir.Const && e.Args[1].Value == 0 { *e = *e.Args[1]; return }`),
	folding("-x is 0 - x", `if e.Op == ir.Neg { *e = ir.Expr{Op: ir.Sub, Type: e.Type, Args: []*ir.Expr{{Op: ir.Const, Type: e.Type}, e.Args[0]}}; return }`),
	folding("0 - x is -x", `if e.Op == ir.Zero && e.Args[0].Op == ir.Sub && e.Args[0].Args[0].Op == ir.Const && e.Args[0].Args[0].Value == 0 { *e = ir.Expr{Op: ir.Neg, Type: e.Type, Args: e.Args[0].Args[1:]}; return }`),
	folding("x + 0 is x", `if e.Op == ir.Zero && e.Args[0].Op == ir.Add && e.Args[0].Args[1].Op == ir.Const && e.Args[0].Args[1].Value == 0 { *e = *e.Args[0].Args[0]; return }`),
	folding("x * 1 is x", `if e.Op == ir.Zero && e.Args[0].Op == ir.Mul && e.Args[0].Args[1].Op == ir.Const && e.Args[0].Args[1].Value == 1 { *e = *e.Args[0].Args[0]; return }`),
	folding("a sum has the sign of its zeros", `if e.Op == ir.Zero && e.Args[0].Op == ir.Add { *e = *e.Args[0]; return }`),
	inScripting("a constant loses its minus", "kernel/passes/fold.go", "		return -a, true", "		return 0 - a, true"),
	inScripting("constants that arithmetic gives may be -0", "kernel/passes/fold.go", "		return a + 0, true", "		return a, true"),
	inScripting("the sign of a divisor cannot be seen", "kernel/passes/zeros.go", "return visible || i == 1 //", "return visible //"),
	inScripting("the sign of an argument cannot be seen", "kernel/passes/zeros.go", "	case ir.Call, ir.Do, ir.Ask:\n		return true", "	case ir.Call, ir.Do, ir.Ask:\n		return false"),
	inScripting("the sign of what floor gets cannot be seen", "kernel/passes/zeros.go", "case ir.Zero, ir.Abs, ir.Lt,", "case ir.Zero, ir.Floor, ir.Ceil, ir.Abs, ir.Lt,"),
	inScripting("the constant -0 is never -0", "kernel/passes/zeros.go", "return e.Value == 0 && math.Signbit(e.Value)", "return false && math.Signbit(e.Value)"),
	inScripting("a product is never -0", "kernel/passes/zeros.go", "return hasTee(e) || keyOf(e.Args[0], byNumber) != keyOf(e.Args[1], byNumber)", "return hasTee(e)"),
	inScripting("a difference is never -0", "kernel/passes/zeros.go", "	case ir.Sub:\n		return z.minus(e.Args[0])", "	case ir.Sub:\n		return false"),
	inScripting("a sum is -0 only by its first operand", "kernel/passes/zeros.go", "return z.minus(e.Args[0]) && z.minus(e.Args[1])", "return false"),
	inScripting("a choice is -0 only by its first operand", "kernel/passes/zeros.go", "return z.minus(e.Args[0]) || z.minus(e.Args[1])", "return z.minus(e.Args[0])"),
	inScripting("the constant -0 is not negative", "kernel/passes/follow.go", "return math.Signbit(e.Value)", "return e.Value < 0 && math.Signbit(e.Value)"),
	inScripting("a root, or what arithmetic gives, cannot be negative", "kernel/passes/follow.go", "		return mayBeNegative(e.Args[0])\n", "		return false\n"),
	inScripting("a product of one negative number is not", "kernel/passes/follow.go", "return mayBeNegative(e.Args[0]) || mayBeNegative(e.Args[1])", "return mayBeNegative(e.Args[0]) && mayBeNegative(e.Args[1])"),
	inScripting("a difference of fields is never -0", "kernel/passes/follow.go", "		return mayBeMinusZero(e.Args[0], now)\n	case ir.Mul", "		return false\n	case ir.Mul"),
	inScripting("0 and -0 are the same to what is shared", "kernel/passes/hoist.go", "strconv.AppendFloat(key, e.Value, 'x'", "strconv.AppendFloat(key, e.Value+0, 'x'"),
	inScripting("a kernel adds -0 where it should add 0", "kernel/wasm/expr.go", "			c.constant(e.Type, 0)\n", "			c.constant(e.Type, math.Copysign(0, -1))\n"),
	inScripting("a kernel keeps one local for 0 and -0", "kernel/wasm/expr.go", "if k.bits == math.Float64bits(v) {", "if math.Float64frombits(k.bits) == v {"),
	inScripting("a vector of -0 is one of 0", "kernel/wasm/vectors.go", "math.Float64bits(v.Scalars[0].Value) == 0", "math.Abs(v.Scalars[0].Value) == 0"),
	inScripting("vectors keep -0 where rows do not", "kernel/wasm/vectors.go", "		c.mask(0)\n		c.lanewise(ir.Add, v.Lanes)", "		c.mask(sign)\n		c.lanewise(ir.Add, v.Lanes)"),
	inScripting("of equal numbers the last is the largest", "kernel/lower/library.go", "better := binary(ir.Lt, still, again)", "better := binary(ir.Le, still, again)"),
	inScripting("of equal numbers the last is the smallest", "kernel/lower/library.go", "better = binary(ir.Lt, again, still)", "better = binary(ir.Le, again, still)"),
	inScripting("a quotient may be -0", "kernel/lower/expr.go", "	return zero(binary(op, a, b))", "	if op == ir.Div {\n		return binary(op, a, b)\n	}\n	return zero(binary(op, a, b))"),
	inScripting("products of constants may be -0", "syntax/literals.go", "return float64(a*b) + 0", "return a * b"),
	inScripting("differences of constants may be -0", "syntax/literals.go", "return a - b + 0", "return a - b"),
	inScripting("0 and -0 are one constant", "syntax/literals.go", "number.Value == negativeZero {", "number.Value == negativeZero && false {"),
	inScripting("of equal numbers math.max takes the last", "library/math.go", "y > x {", "y >= x {"),
	inScripting("of equal numbers math.min takes the last", "library/math.go", "y < x {", "y <= x {"),
	inScripting("the fraction of an infinite number has no sign", "library/maths/maths.go", "return x, math.Copysign(0, x)", "return x, 0"),
	zeroFault("an operation on columns may give -0", "bindings/internal/column/column.go", "return float64(v) + 0 }", "return v }"),
	zeroFault("of equal numbers a column keeps the second", "bindings/internal/column/column.go", "if v < x {", "if v <= x {"),
	zeroFault("a clamp turns the sign of zeros", "bindings/internal/column/column.go", "*p = X(larger(smaller(float64(*p), *row[float64](high, i)), *row[float64](low, i)))", "*p = X(-(0 - larger(smaller(float64(*p), *row[float64](high, i)), *row[float64](low, i))))"),
	zeroFault("a field of 64 bits has no -0", "ecs/schema/kind.go", "*(*float64)(p) = v\n", "*(*float64)(p) = v + 0\n"),
	zeroFault("a field of 32 bits has no -0", "ecs/schema/kind.go", "*(*float32)(p) = float32(v)\n", "*(*float32)(p) = float32(v) + 0\n"),
}

// TestZeroFaultsCanBePlanted: the file of each fault exists and has the piece that is
// replaced.
func TestZeroFaultsCanBePlanted(t *testing.T) { planted.Stand(t, zeroFaults) }

// TestZerosFindFaults builds the packages with each of the faults in turn: the judge of
// zeros must fail.
//
//	go test -count=1 ./scripting -run ZerosFindFaults -zeros.faults -timeout 0 -v
func TestZerosFindFaults(t *testing.T) {
	if !*plantZeroFaults {
		t.Skip("runs with -zeros.faults only: it builds the compiler once for each fault")
	}
	planted.Find(t, zeroFaults, "-run", "ZerosHaveOneSign$", ".", "-zeros", "600")
}
