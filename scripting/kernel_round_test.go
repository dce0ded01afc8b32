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
	b.WriteString("function(e, a, b, c, d, ctx)\n")
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
// it on the Lua machine, row by row, and by each plan in turn.
func TestFloat32Unasked(t *testing.T) {
	flat.vectors(t, *kernelPrograms/2, generateRounded, true)
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
		"c.x = c.x * 0.99 c.y = c.y * 0.5":                  double + "Gamma.x (line 4: 0.99 is no float32)",
		"c.x = c.x + c.y * ctx.dt c.y = c.y + c.y * ctx.dt": double + "Gamma.x (line 4: in float32 it would be rounded twice), Gamma.y (line 4: in float32 it would be rounded twice)",
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
