package scripting_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// body is a random function body over fields, as text with a verb for each
// mention of a field; how a field is written depends on the kind of system.
type body struct {
	text   string
	fields []field
	writes map[field]bool
}

// drawBody makes statements of the forms that the fast path has to see through.
func drawBody(t *rapid.T, fields []field) body {
	g := &bodyMaker{t: t, fields: fields, writes: map[field]bool{}}
	for range rapid.IntRange(1, 6).Draw(t, "statements") {
		g.statement(2)
	}
	return body{g.text.String(), g.used, g.writes}
}

type bodyMaker struct {
	t      *rapid.T
	fields []field
	used   []field
	writes map[field]bool
	text   strings.Builder
	names  int
}

func (g *bodyMaker) use(f field) string {
	g.used = append(g.used, f)
	return "<" + f.String() + ">"
}

func (g *bodyMaker) read() string { return g.use(rapid.SampledFrom(g.fields).Draw(g.t, "read")) }

func (g *bodyMaker) target() field {
	f := rapid.SampledFrom(g.fields).Draw(g.t, "target")
	g.writes[f] = true
	return f
}

// value is an expression that fits the field whatever the numbers are.
func (g *bodyMaker) value(f field) string {
	e := g.expression(2)
	if f.float() {
		return e
	}
	return fmt.Sprintf("fit(%s)", e)
}

func (g *bodyMaker) expression(depth int) string {
	kinds := []string{"read", "read", "constant"}
	if depth > 0 {
		kinds = append(kinds, "sum", "product", "choice", "call", "closure")
	}
	switch rapid.SampledFrom(kinds).Draw(g.t, "expression") {
	case "read":
		return g.read()
	case "constant":
		return fmt.Sprint(rapid.IntRange(-9, 9).Draw(g.t, "constant"))
	case "sum":
		return "(" + g.expression(depth-1) + " + " + g.expression(depth-1) + ")"
	case "product":
		return "(" + g.expression(depth-1) + " * " + g.expression(depth-1) + ")"
	case "choice":
		return "(" + g.expression(depth-1) + " > 0 and " + g.expression(depth-1) + " or " + g.read() + ")"
	case "call":
		return "math.abs(" + g.expression(depth-1) + ")"
	}
	return "(function() return " + g.expression(depth-1) + " end)()"
}

func (g *bodyMaker) line(format string, args ...any) {
	fmt.Fprintf(&g.text, format+"\n", args...)
}

func (g *bodyMaker) statement(depth int) {
	kinds := []string{"assign", "assign", "swap", "closure", "local"}
	if depth > 0 {
		kinds = append(kinds, "if", "for", "repeat", "while", "return", "goto", "shadow", "caught", "generic")
	}
	g.names++
	n := g.names
	switch rapid.SampledFrom(kinds).Draw(g.t, "statement") {
	case "assign":
		f := g.target()
		g.line("%s = %s", g.use(f), g.value(f))
	case "swap":
		f, h := g.target(), g.target()
		g.line("%s, %s = %s, %s", g.use(f), g.use(h), g.value(f), g.value(h))
	case "closure":
		f := g.target()
		g.line("local function set%d(given) %s = given end\nset%d(%s)", n, g.use(f), n, g.value(f))
	case "local":
		g.line("local l%d = %s", n, g.expression(1))
	case "if":
		g.line("if %s > %s then", g.expression(1), g.expression(1))
		g.statement(depth - 1)
		g.line("else")
		g.statement(depth - 1)
		g.line("end")
	case "for":
		g.line("for i%d = 1, 3 do", n)
		g.statement(depth - 1)
		g.line("end")
	case "repeat":
		g.line("local r%d = 0\nrepeat\nlocal stop = r%d > 1", n, n)
		g.statement(depth - 1)
		g.line("r%d = r%d + 1\nuntil stop or %s > 1e9", n, n, g.read())
	case "while":
		g.line("local w%d = 0\nwhile w%d < 2 do\nw%d = w%d + 1", n, n, n, n)
		g.statement(depth - 1)
		g.line("end")
	case "return":
		g.line("if %s > 5 then return %s end", g.read(), g.expression(1))
	case "goto":
		g.line("do\nif %s > 3 then goto done%d end", g.read(), n)
		g.statement(depth - 1)
		g.line("::done%d::\nend", n)
	case "shadow":
		g.line("for _, k in ipairs { 1, 2 } do local m2 = k")
		g.statement(depth - 1)
		g.line("end")
	case "caught":
		f := g.target()
		g.line("pcall(function() %s = %s error('x') end)", g.use(f), g.value(f))
	case "generic":
		g.line("for k, n in pairs { a = 1 } do")
		g.statement(depth - 1)
		g.line("end")
	}
}

// as writes the body with its fields spelled one way.
func (b body) as(spell func(field) string) string {
	text := b.text
	for _, f := range b.fields {
		text = strings.ReplaceAll(text, "<"+f.String()+">", spell(f))
	}
	return text
}

// helpers of the generated scripts: fit makes any number one that every
// integer field takes.
const fitting = `local function fit(x)
  if x - x ~= 0 then return 0 end -- NaN and infinities
  return math.floor(math.abs(x)) % 100
end
local function whole(t) return t end
`

// systems gives the same body as the kinds of system that a script can choose.
func (b body) systems(withExtra bool) map[string]string {
	list, params := "M, V", "e, m, v"
	if withExtra {
		list, params = "M, V, X", "e, m, v, x"
	}
	plain := b.as(func(f field) string { return f.String() })
	return map[string]string{
		"each": fmt.Sprintf("ecs.system 's' { query = { %s }, each = function(%s)\n%s end }", list, params, plain),
		"rows": fmt.Sprintf("ecs.system 's' { query = { %s }, each = function(%s)\nwhole(m) whole(v) %s\n%s end }",
			list, params, map[bool]string{true: "whole(x)"}[withExtra], plain),
		"mixed": fmt.Sprintf("ecs.system 's' { query = { %s }, each = function(%s)\nwhole(v)\n%s end }", list, params, plain),
		"apart": fmt.Sprintf("local function tick(%s)\n%s end\necs.system 's' { query = { %s }, each = tick }", params, plain, list),
		"batch": b.batch(list),
	}
}

// batch is the body once for every row, in a function so that it may return.
func (b body) batch(list string) string {
	var locals strings.Builder
	seen := map[field]bool{}
	column := func(f field) string { return "c_" + f.param + "_" + f.name }
	for _, f := range b.fields {
		if !seen[f] {
			seen[f] = true
			method := map[bool]string{true: "write", false: "read"}[b.writes[f]]
			fmt.Fprintf(&locals, "local %s = b:%s(%s, %q)\n", column(f), method, f.component, f.name)
		}
	}
	text := b.as(func(f field) string { return column(f) + "[i]" })
	return fmt.Sprintf("ecs.system 's' { query = { %s }, batch = function(b)\n%sfor i = 1, b.n do (function()\n%s end)() end end }", list, &locals, text)
}

// TestEveryPathStoresTheSameBytes runs one body as each function with numbers,
// with tables, with both, from elsewhere, and as a batch: the worlds must not
// differ by a bit.
func TestEveryPathStoresTheSameBytes(t *testing.T) {
	sideBySide(t)
	rapid.Check(t, func(t *rapid.T) {
		world := drawWorld(t)
		withExtra := rapid.Bool().Draw(t, "extra")
		b := drawBody(t, fieldsOf(withExtra))
		sums := map[string]uint64{}
		for kind, text := range b.systems(withExtra) {
			w, h, faults := world.open(t, fitting+text)
			for range 2 {
				_ = h.Step(1)
			}
			for _, e := range *faults {
				t.Fatalf("%s: %s\n%s", kind, e.Detail(), text)
			}
			sums[kind] = w.Checksum()
			if err := w.Check(); err != nil {
				t.Fatal(err)
			}
			h.Close()
			w.Close()
		}
		for kind, sum := range sums {
			if sum != sums["each"] {
				t.Fatalf("%s differs from each:\n%s", kind, b.systems(withExtra)[kind])
			}
		}
	})
}

// TestBulkIsTheLoopWrittenOut compares column operations with the loops that
// they stand for.
func TestBulkIsTheLoopWrittenOut(t *testing.T) {
	operations := []struct{ bulk, loop string }{
		{"x:add(%[1]v)", "x[i] = x[i] + %[1]v"},
		{"x:sub(y)", "x[i] = x[i] - y[i]"},
		{"x:mul(%[1]v)", "x[i] = x[i] * %[1]v"},
		{"x:div(%[1]v)", "x[i] = x[i] / %[1]v"},
		{"x:madd(y, %[1]v)", "x[i] = x[i] + y[i] * %[1]v"},
		{"x:madd(%[1]v, y)", "x[i] = x[i] + y[i] * %[1]v"},
		{"x:fill(%[1]v)", "x[i] = %[1]v"},
		{"x:copy(y)", "x[i] = y[i]"},
		{"x:min(y)", "x[i] = math.min(x[i], y[i])"},
		{"x:max(%[1]v)", "x[i] = math.max(x[i], %[1]v)"},
		{"x:clamp(%[1]v, 100)", "x[i] = math.max(math.min(x[i], 100), %[1]v)"},
		{"x:add(x)", "x[i] = x[i] + x[i]"},
		{"y:copy(x)", "y[i] = x[i]"},
	}
	targets := []struct{ component, name string }{{"M", "f64"}, {"V", "y"}, {"X", "b"}}
	rapid.Check(t, func(t *rapid.T) {
		world := drawWorld(t)
		op := rapid.SampledFrom(operations).Draw(t, "operation")
		x, y := rapid.SampledFrom(targets).Draw(t, "x"), targets[0]
		k := rapid.Float64Range(-100, 100).Draw(t, "k")
		if rapid.Bool().Draw(t, "special") {
			k = rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1e300, 5e-324}).Draw(t, "k2")
		}
		number := fmt.Sprintf("(%v)", k)
		if k == 0 && math.Signbit(k) {
			number = "(-0)"
		}
		var sums [2]uint64
		for i, text := range []string{
			"local x, y = b:col(%s, %q), b:col(%s, %q) " + apply(op.bulk, number),
			"local x, y = b:write(%s, %q), b:write(%s, %q) for i = 1, b.n do " + apply(op.loop, number) + " end",
		} {
			w, h, faults := world.open(t, fmt.Sprintf("ecs.system 's' { query = { M, V, X }, batch = function(b) "+text+" end }",
				x.component, x.name, y.component, y.name))
			_ = h.Step(1)
			for _, e := range *faults {
				t.Fatal(e.Detail())
			}
			sums[i] = w.Checksum()
			h.Close()
			w.Close()
		}
		if sums[0] != sums[1] {
			t.Fatalf("%s differs from its loop with k = %s", op.bulk, number)
		}
	})
}

// apply puts the number into an operation, if it takes one.
func apply(operation, number string) string {
	if strings.Contains(operation, "%") {
		return fmt.Sprintf(operation, number)
	}
	return operation
}
