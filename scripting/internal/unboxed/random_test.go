//go:build !machine

package unboxed_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

var (
	programs = flag.Int("programs", 1500, "how many random functions to run in both ways")
	seed     = flag.Uint64("seed", 1, "seed of the first")
)

// maker writes random functions that mix what is known here with what is not. In one
// of three any value may stand anywhere: most of those go wrong somewhere, and errors are
// compared like results.
type maker struct {
	r     *rand.Rand
	wild  bool
	out   strings.Builder
	names []string
	loops int
}

func (g *maker) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *maker) name() string { return g.names[g.r.IntN(len(g.names))] }

func (g *maker) line(format string, v ...any) { fmt.Fprintf(&g.out, format+"\n", v...) }

func (g *maker) value(depth int) string {
	if !g.wild {
		return g.number(depth)
	}
	if depth == 0 || g.r.IntN(4) == 0 {
		return g.pick(g.name(), g.name(), "1", "0.5", "-3", "count", "100", `"7"`, "nil", "true", "list[1]", "a", "(-0.0)")
	}
	x, y := g.value(depth-1), g.value(depth-1)
	switch g.r.IntN(16) {
	case 0, 1, 2, 3, 4:
		return fmt.Sprintf("(%s %s %s)", x, g.pick("+", "-", "*", "/", "%"), y)
	case 5, 6:
		return fmt.Sprintf("(%s %s %s)", x, g.pick("<", "<=", "==", "~=", ">"), y)
	case 7, 8:
		return fmt.Sprintf("(%s %s %s)", x, g.pick("and", "or"), y)
	case 9:
		return fmt.Sprintf("math.%s(%s)", g.pick("abs", "floor", "sqrt"), x)
	case 10:
		return fmt.Sprintf("math.%s(%s, %s)", g.pick("min", "max"), x, y)
	case 11:
		return fmt.Sprintf("%s(%s, %s)", g.pick("two", "twice", "math.max"), x, y)
	case 12:
		return fmt.Sprintf("list[%s]", x)
	case 13:
		return g.pick("-", "not ", "#") + "(" + x + ")"
	case 14:
		return fmt.Sprintf("({ %s, x = %s }).%s", x, y, g.pick("x", "y"))
	}
	return g.pick("object.x", "object", "{}", "list", "tostring("+x+")", "(function() return "+x+" end)()")
}

// number is a value that is a number where a and b are.
func (g *maker) number(depth int) string {
	if depth == 0 || g.r.IntN(5) == 0 {
		return g.pick(g.name(), g.name(), g.name(), "1", "0.5", "-3", "count", "100", "list[1]", "(-0.0)", "object.x")
	}
	x, y := g.number(depth-1), g.number(depth-1)
	switch g.r.IntN(12) {
	case 0, 1, 2, 3, 4:
		return fmt.Sprintf("(%s %s %s)", x, g.pick("+", "-", "*", "/", "%", "^"), y)
	case 5, 6:
		return fmt.Sprintf("(%s %s %s and %s or %s)", x, g.pick("<", "<=", "==", "~=", ">"), y, g.number(depth-1), g.name())
	case 7:
		return fmt.Sprintf("math.%s(%s)", g.pick("abs", "floor", "sqrt"), x)
	case 8:
		return fmt.Sprintf("math.%s(%s, %s)", g.pick("min", "max"), x, y)
	case 9:
		return fmt.Sprintf("twice(two(%s, %s))", x, y)
	case 10:
		return fmt.Sprintf("({ %s, x = %s }).x", x, y)
	}
	return g.pick("-("+x+")", "#list", "tonumber("+x+")", "(function() return "+x+" end)()", "(list["+x+"] or 1)")
}

func (g *maker) block(depth int) {
	outer := len(g.names)
	for range 1 + g.r.IntN(4) {
		g.statement(depth)
	}
	g.names = g.names[:outer]
}

func (g *maker) statement(depth int) {
	switch n := g.r.IntN(14); {
	case n < 3:
		name := fmt.Sprintf("l%d", len(g.names))
		g.line("local %s = %s", name, g.value(3))
		g.names = append(g.names, name)
	case n < 6:
		g.line("%s = %s", g.name(), g.value(3))
	case n == 6:
		g.line("%s, %s = %s, %s", g.name(), g.name(), g.value(2), g.value(2))
	case n == 7:
		g.line("list[%s] = %s", g.value(1), g.value(2))
	case n == 8:
		g.line("count = %s", g.value(2))
	case n == 9:
		g.line("print(%s, %s)", g.value(1), g.value(2))
	case depth == 0:
		g.line("list.n = %s", g.value(1))
	case n < 12:
		g.line("if %s then", g.value(2))
		g.block(depth - 1)
		g.line("else")
		g.block(depth - 1)
		g.line("end")
	default:
		g.loop(depth)
	}
}

func (g *maker) loop(depth int) {
	g.loops++
	i := fmt.Sprintf("i%d", g.loops)
	switch g.r.IntN(4) {
	case 0:
		g.line("for %s = %s, %s do", i, g.pick("1", "a"), g.pick("3", "b", g.value(1)))
	case 1:
		g.line("for %s = 3, 1, -1 do", i)
	case 2:
		g.line("local %s = 0 while %s < 3 do %s = %s + 1", i, i, i, i)
	default:
		g.line("for _, %s in ipairs(list) do", i)
	}
	g.names = append(g.names, i)
	g.block(depth - 1)
	g.names = g.names[:len(g.names)-1]
	if g.r.IntN(3) == 0 {
		g.line("if %s then break end", g.value(1))
	}
	g.line("end")
}

// program returns the function of a seed.
func program(seed uint64) string {
	g := &maker{r: rand.New(rand.NewPCG(seed, 77)), wild: seed%3 == 0, names: []string{"a", "b"}}
	g.block(3)
	g.line("return %s, %s, %s", g.name(), g.value(1), g.name())
	return prelude + "return function(a, b)\n" + g.out.String() + "end"
}

// TestRandomFunctions runs random functions in both ways, over values of all kinds and
// with budgets that end somewhere.
func TestRandomFunctions(t *testing.T) {
	m := newMachine(t)
	t.Logf("seeds from %d on: replay one with -programs 1 -seed N", *seed)
	for n := range uint64(*programs) {
		r := rand.New(rand.NewPCG(*seed+n, 78))
		list := samples()
		if (*seed+n)%3 != 0 {
			list = list[:7] // numbers
		}
		draw := func() lua.LValue { return list[r.IntN(len(list))] }
		limit := int64(3_000)
		if r.IntN(3) == 0 {
			limit = r.Int64N(200)
		}
		m.equal(t, program(*seed+n), limit, []lua.LValue{lua.LNumber(r.IntN(9)), lua.LNumber(r.Float64())}, []lua.LValue{draw(), draw()}, []lua.LValue{draw(), draw()})
		if t.Failed() {
			t.Fatalf("seed %d", *seed+n)
		}
	}
}
