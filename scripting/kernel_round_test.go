package scripting_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// generateRounded returns the text of one each function that does little to fields
// of float32: much of it is the same in float32, and some is not.
func generateRounded(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	field := func() string { return pick("c.x", "c.y", "a.g", "b.g", "c.x", "c.y") }
	atom := func() string {
		return pick(field(), field(), field(), pick("0", "1", "0.5", "-2", "300", "0.1", "1e30", "1e-40", "-0.75"),
			pick("a.u8", "a.i16", "a.i8 + a.u8", "speed", "d.x", "b.i32", "ctx.dt", "width"))
	}
	var num func(depth int) string
	num = func(depth int) string {
		x := atom
		if depth > 0 {
			x = func() string { return num(r.IntN(depth)) }
		}
		switch n := r.IntN(10); {
		case n < 4:
			return fmt.Sprintf("(%s %s %s)", x(), pick("+", "-", "*", "/"), x())
		case n < 7:
			return fmt.Sprintf("%s(%s, %s)", pick("math.min", "math.max"), x(), x())
		case n < 9:
			return fmt.Sprintf("%s(%s)", pick("math.floor", "math.ceil", "math.abs", "math.sqrt", "-"), x())
		}
		return atom()
	}
	truth := func() string { return fmt.Sprintf("%s %s %s", num(0), pick("<", "<=", ">", ">=", "==", "~="), atom()) }
	var b strings.Builder
	b.WriteString("function(e, a, b, c, d, m, ctx)\n")
	for range 1 + r.IntN(4) {
		to := field()
		switch r.IntN(7) {
		case 0:
			fmt.Fprintf(&b, "if %s then %s = %s end\n", truth(), to, num(1))
		case 1:
			fmt.Fprintf(&b, "if %s and %s then %s = %s else %s = %s end\n", truth(), truth(), to, atom(), field(), num(1))
		case 2:
			fmt.Fprintf(&b, "%s, %s = %s, %s\n", to, field(), num(0), num(0))
		case 3:
			fmt.Fprintf(&b, "%s = %s\n", pick("d.x", "a.b and d.y or d.z", "b.h"), num(1))
		default:
			fmt.Fprintf(&b, "%s = %s\n", to, num(r.IntN(3)))
		}
	}
	b.WriteString("end\n")
	return strings.ReplaceAll(b.String(), "a.b and d.y or d.z =", "d.y =")
}

// TestFloat32Unasked runs functions over fields of float32 that have not asked for
// it on the VM, row by row, and by each plan in turn.
func TestFloat32Unasked(t *testing.T) {
	sideBySide(t)
	flat.vectors(t, *kernelPrograms/2, generateRounded, true)
}

// generateWhole returns the text of one each function over integer fields: what they
// hold for sure, and sometimes what they may not hold.
func generateWhole(r *rand.Rand) string {
	kinds := integers[:len(integers)-2] // those of 64 bits are not for vectors
	field := func() string { return kinds[r.IntN(len(kinds))].field }
	num := func() string {
		switch r.IntN(4) {
		case 0:
			return fmt.Sprintf("%s %s %d", field(), []string{"+", "-", "*"}[r.IntN(3)], r.IntN(300))
		case 1:
			return fmt.Sprintf("%s - %s", field(), field())
		case 2:
			return fmt.Sprintf("%s * %s", []string{"c.x", "d.y", "0.5", "1e10"}[r.IntN(4)], field())
		}
		return field()
	}
	var b strings.Builder
	b.WriteString("function(e, a, b, c, d, m, ctx)\n")
	for range 1 + r.IntN(4) {
		f := kinds[r.IntN(len(kinds))]
		switch r.IntN(6) {
		case 0:
			fmt.Fprintf(&b, "%s = math.min(%s + %d, %.0f)\n", f.field, f.field, r.IntN(9), f.high)
		case 1:
			fmt.Fprintf(&b, "if %s > %d then %s = %s - 1 else %s = %d end\n", f.field, r.IntN(9), f.field, f.field, f.field, r.IntN(100))
		case 2:
			fmt.Fprintf(&b, "c.y = %s d.x = %s\n", num(), num())
		case 3:
			fmt.Fprintf(&b, "%s = %s\n", f.field, num())
		default:
			fmt.Fprintf(&b, "%s = math.floor(math.max(%.0f, math.min(%.0f, %s)))\n", f.field, f.low, f.high, num())
		}
	}
	b.WriteString("end\n")
	return b.String()
}

// TestIntegersInVectors does the same for fields of integers.
func TestIntegersInVectors(t *testing.T) {
	sideBySide(t)
	flat.vectors(t, *kernelPrograms/4, generateWhole, true)
}

// TestPrecisionIsTold holds what explain says about fields of float32.
func TestPrecisionIsTold(t *testing.T) {
	const same, double = "; float32 gives the same for ", "; float64 for "
	for body, want := range map[string]string{
		"c.x = c.x + c.y":                                      same + "Gamma.x",
		"c.x, c.y = c.y, c.x":                                  same + "Gamma.y, Gamma.x",
		"c.x = math.max(0, math.min(1, c.x + c.y))":            same + "Gamma.x",
		"c.x = math.sqrt(c.x) if c.y < 0.1 then c.y = 0.1 end": same + "Gamma.x, Gamma.y",
		"c.x = math.abs(c.x) + 1 c.y = math.abs(c.y) + 1 a.g = math.sqrt(math.abs(a.g)) / 0.99": same + "Gamma.x, Gamma.y" + double + "Alpha.g (line 4: 0.99 is no float32)",
		"c.x = -(c.x * 0.99) c.y = c.y * 0.5":                                                   same + "Gamma.y" + double + "Gamma.x (line 4: 0.99 is no float32)",
		"c.x = math.abs(c.x * 0.99) c.y = c.y * 0.5":                                            same + "Gamma.y" + double + "Gamma.x (line 4: 0.99 is no float32)",
		"c.x = c.x * 0.99 c.y = c.y * 0.5":                                                      double + "Gamma.x (line 4: 0.99 is no float32)",
		"c.x = c.x + c.y * ctx.dt c.y = c.y + c.y * ctx.dt":                                     double + "Gamma.x (line 4: in float32 it would be rounded twice), Gamma.y (line 4: in float32 it would be rounded twice)",
	} {
		text := "local ecs = require 'ecs'\nlocal Alpha, Gamma = ecs.native('Alpha'), ecs.native('Gamma')\n" +
			"ecs.system 's' { query = { Alpha, Gamma }, kernel = 'require', each = function(e, a, c, ctx)\n" + body + " end }\n"
		o, err := play(t, text, 1, 8, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.rows[0]; !strings.HasPrefix(got, "vectorised") || !strings.HasSuffix(got, want) || strings.Contains(got, same) != strings.Contains(want, same) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
