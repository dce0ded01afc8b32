package scripting_test

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/lua51"
	"github.com/perigee-ecs/perigee/scripting"
)

var zeroPrograms = flag.Int("zeros", 160/oneOf, "random functions dense in zeros of both signs to run in all ways")

// Zeros has fields of the kinds that hold zeros: with a sign, and without.
type Zeros struct {
	A, B, C, D float64
	S, T       float32
	I          int32
	U          uint8
	L          [3]float64
	M          [2]float32
}

// Beyond is a component that functions set by the entity.
type Beyond struct {
	V float64
	W float32
}

// spelled is a piece of a function in two spellings: for this Lua, and for PUC Lua such
// that it follows the rule of LUA.md. There, every zero that is written comes from a
// captured local, because PUC Lua keeps one constant for both; and what arithmetic gives
// goes through ar, which makes 0 of -0.
type spelled struct{ ours, puc string }

func same(format string, a ...any) spelled { return spell(format, format, a...) }

// spell puts pieces into two formats, each in its own spelling.
func spell(ours, puc string, a ...any) spelled {
	x, y := slices.Clone(a), slices.Clone(a)
	for i := range a {
		if s, ok := a[i].(spelled); ok {
			x[i], y[i] = s.ours, s.puc
		}
	}
	return spelled{fmt.Sprintf(ours, x...), fmt.Sprintf(puc, y...)}
}

// zeroMaker writes functions over one row of Zeros. In the text, <a> is a field.
type zeroMaker struct {
	r       *rand.Rand
	text    []spelled
	locals  []string
	names   int
	arrays  bool // elements of arrays are used: such a function is no batch
	strings bool // texts are made of numbers, for which there are no kernels
	flat    bool // no loops, and nothing that vectors do not have
	reached map[string]bool
}

func (g *zeroMaker) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *zeroMaker) line(s spelled) { g.text = append(g.text, s) }

// mark notes what a function has.
func (g *zeroMaker) mark(feature string, s spelled) spelled {
	g.reached[feature] = true
	return s
}

func (g *zeroMaker) float() string {
	if g.arrays && g.r.IntN(3) == 0 {
		g.reached["an element of an array"] = true
		return g.pick("<l[1]>", "<l[2]>", "<l[3]>", "<m[1]>", "<m[2]>")
	}
	return g.pick("<a>", "<b>", "<c>", "<d>", "<a>", "<s>", "<t>")
}

// atom is a number that is not computed.
func (g *zeroMaker) atom() spelled {
	switch n := g.r.IntN(16); {
	case n < 3:
		return g.mark("constant 0", spelled{g.pick("0", "0.0", "0e5", "(0)", "-(-0)"), "pz"})
	case n < 6:
		return g.mark("constant -0", spelled{g.pick("-0", "-(0)", "(-0.0)", "-0e3", "(true and -0)", "-(-(-0))"), "nz"})
	case n < 7:
		return g.mark("captured zero", same(g.pick("pz", "nz")))
	case n < 8 && !g.flat:
		return g.mark("captured number that changes", same("last"))
	case n < 10:
		return same(g.pick("1", "-1", "0.5", "-2", "3"))
	case n < 11:
		return g.mark("integer field", same(g.pick("<i>", "<u>")))
	case n < 13 && len(g.locals) > 0:
		return g.mark("local", same(g.pick(g.locals...)))
	}
	return same(g.float())
}

// zero is a number that is 0 or -0 if it is not 1, infinite or not-a-number.
func (g *zeroMaker) zero(depth int) spelled {
	x := g.number(depth)
	return g.mark("choice by comparison with 0", spell("(%[1]s == 0 and %[1]s or %[2]s)", "(%[1]s == pz and %[1]s or %[2]s)", x, g.atom()))
}

func (g *zeroMaker) number(depth int) spelled {
	if depth <= 0 {
		return g.atom()
	}
	x := func() spelled { return g.number(depth - 1 - g.r.IntN(depth)) }
	binary := func(op string) spelled {
		return g.mark("x "+op+" y", spell("(%s "+op+" %s)", "ar(%s "+op+" %s)", x(), x()))
	}
	call := func(name string, args ...spelled) spelled {
		list := spelled{}
		for i, a := range args {
			list = spelled{list.ours + a.ours, list.puc + a.puc}
			if i < len(args)-1 {
				list = spelled{list.ours + ", ", list.puc + ", "}
			}
		}
		return g.mark(name, same(name+"(%s)", list))
	}
	if g.strings && g.r.IntN(6) == 0 {
		return g.mark("text of a number", spell(g.pick(
			`(tostring(%s) == "-0" and %s or %s)`, `(("%%g"):format(%s) == "-0" and %s or %s)`, `((%s .. "") == "-0" and %s or %s)`),
			`(tostring(%s) == "-0" and %s or %s)`, x(), x(), x()))
	}
	kind := g.r.IntN(25)
	if flat := []int{0, 3, 5, 7, 10, 13, 15, 16, 23, 24}; g.flat {
		kind = flat[g.r.IntN(len(flat))]
	}
	switch kind {
	case 0, 1, 2:
		return g.mark("-x", spell("(- %s)", "neg(%s)", x()))
	case 3, 4:
		return binary("+")
	case 5, 6:
		return binary("-")
	case 7, 8, 9:
		return binary("*")
	case 10:
		if g.r.IntN(3) == 0 { // of 0, the quotient has the sign of y
			return g.mark("|x| / y", spell("(math.abs(%s) / %s)", "ar(math.abs(%s) / %s)", g.atom(), x()))
		}
		return binary("/")
	case 11:
		return g.mark("x % y", spell("(%s %% %s)", "mod(%s, %s)", x(), same(g.pick("1", "2", "-1", "0.5", "3"))))
	case 12:
		return g.mark("x ^ 2", spell("((%s) ^ 2)", "ar((%s) ^ 2)", x()))
	case 13, 14:
		return call(g.pick("math.min", "math.max"), x(), x())
	case 15:
		return call(g.pick("math.min", "math.max"), x(), x(), x())
	case 16, 17:
		return call(g.pick("math.floor", "math.ceil", "math.abs"), x())
	case 18:
		return call("math.fmod", x(), same(g.pick("1", "2", "-1", "0.5", "<a>")))
	case 19:
		if g.r.IntN(3) == 0 {
			return call("fraction", spell("(%s / %s)", "ar(%s / %s)", x(), same(g.pick("pz", "nz"))))
		}
		return call(g.pick("whole", "fraction"), x())
	case 20:
		if g.r.IntN(3) == 0 { // the root of -0 is -0
			return g.mark("root + y", spell("(math.sqrt(%s) + %s)", "ar(math.sqrt(%s) + %s)", g.atom(), g.atom()))
		}
		return call(g.pick("math.sqrt", "math.sin", "math.tan", "math.asin", "math.atan", "math.sinh", "math.tanh", "math.deg", "math.rad"), g.zero(depth-1))
	case 21:
		return g.mark("math.atan2", spell("math.atan2(%s, %s)", "math.atan2(%s, %s)", g.zero(depth-1), g.zero(0)))
	case 22:
		return call(g.pick("neg", "flip", "twice", "keep"), x(), x())
	case 23:
		return g.mark("and, or", same("(%s and %s or %s)", g.truth(depth-1), x(), x()))
	}
	return g.zero(depth - 1)
}

func (g *zeroMaker) truth(depth int) spelled {
	x := g.number(max(depth-1, 0))
	switch g.r.IntN(5) {
	case 0, 1:
		return g.mark("sign by division", spell("(1 / %s < 0)", "(1 / %s < pz)", x))
	case 2:
		return g.mark("not", same("not (%s %s %s)", x, g.pick("<", "=="), g.number(0)))
	}
	return same("(%s "+g.pick("<", "<=", ">", ">=", "==", "~=")+" %s)", x, g.number(0))
}

// assign is an assignment to anything that holds a number.
func (g *zeroMaker) assign() {
	n := g.r.IntN(12)
	if g.flat {
		n = 11
	}
	switch {
	case n < 2 && len(g.locals) > 0:
		g.line(same("%s = %s", g.pick(g.locals...), g.number(3)))
	case n < 3:
		g.reached["an integer is stored"] = true
		g.line(spell("<i> = %s", "<i> = %s", g.mark("-x", spell("-fit(%s)", "neg(fit(%s))", g.number(2)))))
	case n < 4:
		g.reached["an integer is stored"] = true
		g.line(spell("<u> = %s", "<u> = %s", g.mark("constant -0", spell("math.max(-0, fit(%s))", "math.max(nz, fit(%s))", g.number(2)))))
	case n < 5:
		g.reached["a captured local is assigned"] = true
		g.line(same("last = %s", g.number(2)))
	case n < 6:
		g.reached["ecs.set"] = true
		g.line(spell("ecs.set(<e>, Beyond { v = %[1]s, w = %[2]s })", "beyond.v, beyond.w = %[1]s, single(%[2]s)", g.number(1), g.number(1)))
	case n < 7:
		a, b := g.float(), g.float()
		g.line(spell("%s, %s = %s, %s", "%s, %s = %s, %s", a, b, g.number(1), g.number(1)))
	default:
		g.line(same("%s = %s", g.float(), g.number(3)))
	}
}

func (g *zeroMaker) block(depth int) {
	known := len(g.locals)
	for range 1 + g.r.IntN(2) {
		g.stmt(depth)
	}
	g.locals = g.locals[:known]
}

func (g *zeroMaker) stmt(depth int) {
	kind := g.r.IntN(12)
	if depth == 0 || g.flat && kind > 3 {
		kind = 11
	}
	g.names++
	name := fmt.Sprintf("v%d", g.names)
	switch kind {
	case 0, 1:
		g.line(same("local %s = %s", name, g.number(2)))
		g.locals = append(g.locals, name)
		if g.r.IntN(2) == 0 { // one of a number without a minus and any: what is known of it is all of both
			g.line(same("%s = %s and math.abs(%s) or %s", name, g.truth(1), g.number(0), g.mark("-x", spell("-(%s)", "neg(%s)", g.number(0)))))
			op := g.pick("+", "-")
			g.line(spell("%s = %s "+op+" %s", "%s = ar(%s "+op+" %s)", g.float(), name, g.pick("pz", "nz", name, "<a>")))
		}
	case 2, 3:
		g.line(same("if %s then", g.truth(2)))
		g.block(depth - 1)
		g.line(same("else"))
		g.block(depth - 1)
		g.line(same("end"))
	case 4, 5:
		g.reached["for"] = true
		bound := func() spelled { return g.zero(0) }
		limit := spell("math.min(%s, 3)", "math.min(%s, 3)", bound())
		start := spell("math.max(-2, math.min(%s, 2))", "math.max(-2, math.min(%s, 2))", bound())
		if g.r.IntN(2) == 0 {
			limit, start = g.bound(), g.bound()
		}
		g.line(same("for %s = %s, %s, %s do", name, start, limit, g.pick("1", "0.5", "-1", "2")))
		if strings.Contains(g.text[len(g.text)-1].ours, ", -1 do") {
			g.text[len(g.text)-1] = same("for %s = %s, %s, -1 do", name, start, spell("math.max(-3, %s)", "math.max(-3, %s)", limit))
		}
		g.locals = append(g.locals, name)
		g.block(depth - 1)
		g.locals = g.locals[:len(g.locals)-1]
		g.line(same("end"))
	case 6:
		g.reached["while"] = true
		g.line(spell("local %[1]s = -0 while %[1]s < 2 do %[1]s = %[1]s + 1", "local %[1]s = nz while %[1]s < 2 do %[1]s = %[1]s + 1", name))
		g.block(depth - 1)
		g.line(same("end"))
	case 7:
		g.line(same("if %s then return end", g.truth(1)))
	default:
		g.assign()
	}
}

// bound is a limit of a loop that is written out.
func (g *zeroMaker) bound() spelled {
	return []spelled{{"0", "pz"}, {"-0", "nz"}, same("1"), same("-1"), same("2")}[g.r.IntN(5)]
}

// zeroProgram is a random function, or some of one line each that run one after the
// other, which can be said as operations on columns, too.
type zeroProgram struct {
	parts   []zeroPart
	arrays  bool
	reached map[string]bool
}

type zeroPart struct {
	text []spelled
	bulk string
}

// aimed are lines for faults that random lines show too rarely: arithmetic that would give
// -0 goes through a function that keeps it, and the same operation has 0 and -0 as
// operands, side by side.
var aimed = []spelled{
	{"<a> = math.floor(<b> * <c>)", "<a> = math.floor(ar(<b> * <c>))"},
	{"<a> = math.ceil(<b> * <c>)", "<a> = math.ceil(ar(<b> * <c>))"},
	{"<a>, <b> = <c> / 0, <c> / -0", "<a>, <b> = ar(<c> / pz), ar(<c> / nz)"},
	{"<a>, <b> = fraction(<c> / 0), fraction(<c> / -0)", "<a>, <b> = fraction(ar(<c> / pz)), fraction(ar(<c> / nz))"},
	{"<a>, <b> = math.max(<c>, 0), math.max(<c>, -0)", "<a>, <b> = math.max(<c>, pz), math.max(<c>, nz)"},
}

func drawZeros(r *rand.Rand) zeroProgram {
	g := &zeroMaker{r: r, reached: map[string]bool{}, arrays: r.IntN(2) == 0, strings: r.IntN(8) == 0}
	if g.flat = !g.strings && r.IntN(2) == 0; g.flat {
		g.arrays = false
	}
	if r.IntN(6) == 0 {
		g.line(aimed[r.IntN(len(aimed))])
	}
	for range 2 + r.IntN(4) {
		g.stmt(2)
	}
	return zeroProgram{[]zeroPart{{g.text, ""}}, g.arrays, g.reached}
}

// drawBulkZeros makes functions that are operations on columns.
func drawBulkZeros(r *rand.Rand) zeroProgram {
	g := &zeroMaker{r: r, reached: map[string]bool{}}
	p := zeroProgram{reached: g.reached}
	for range 2 + r.IntN(4) {
		p.parts = append(p.parts, g.bulk())
	}
	return p
}

// bulk is an operation on a column, with its operands: numbers and other columns.
func (g *zeroMaker) bulk() zeroPart {
	column := func() string { return g.pick("a", "b", "c", "d", "s", "t") }
	operand := func() (string, spelled) {
		if g.r.IntN(2) == 0 {
			y := column()
			return "col_" + y, same("<" + y + ">")
		}
		v := spelled{"<", ""}
		for strings.Contains(v.ours, "<") {
			v = g.atom()
		}
		return v.ours, v
	}
	x := column()
	bulk, y := operand()
	more, z := operand()
	field := same("<" + x + ">")
	name := g.pick("add", "sub", "mul", "div", "madd", "min", "max", "clamp", "fill", "copy")
	var value spelled
	switch name {
	case "add", "sub", "mul", "div":
		op := map[string]string{"add": "+", "sub": "-", "mul": "*", "div": "/"}[name]
		value = spell("%s "+op+" %s", "ar(%s "+op+" %s)", field, y)
	case "madd":
		bulk += ", " + more
		value = spell("%s + %s * %s", "ar(%s + ar(%s * %s))", field, y, z)
	case "clamp":
		bulk += ", " + more
		value = same("math.max(math.min(%s, %s), %s)", field, z, y)
	case "fill":
		bulk, y = g.pick("-0", "nz"), spelled{"-0", "nz"}
		value = y
	case "copy":
		from := column()
		bulk, value = "col_"+from, same("<"+from+">")
	default:
		value = same("math."+name+"(%s, %s)", field, y)
	}
	g.reached["column:"+name] = true
	return zeroPart{[]spelled{same("%s = %s", field, value)}, fmt.Sprintf("col_%s:%s(%s)", x, name, bulk)}
}

// body is the text of a function, with its fields spelled one way.
func (p zeroPart) body(field func(name string) string) string {
	var b strings.Builder
	for _, s := range p.text {
		b.WriteString(fields(s.ours, field) + "\n")
	}
	return b.String()
}

// fields spells the fields of a text.
func fields(text string, field func(name string) string) string {
	for _, name := range []string{"a", "b", "c", "d", "s", "t", "i", "u", "e", "l[1]", "l[2]", "l[3]", "m[1]", "m[2]"} {
		text = strings.ReplaceAll(text, "<"+name+">", field(name))
	}
	return text
}

const zeroOpening = `local ecs = require "ecs"
local Zeros, Beyond = ecs.native("Zeros"), ecs.native("Beyond")
local pz, nz, last = 0, -0, -0
local function neg(x) return -x end
local function keep(x) return x end
local function twice(x) return x * 2 end
local function flip(x, y) if x < y then return x end return y end
local function whole(x) return (math.modf(x)) end
local function fraction(x) local _, f = math.modf(x) return f end
local function fit(x)
  if x ~= x or x > 1e9 or x < -1e9 then return 0 end
  return math.floor(math.abs(x)) % 100
end
local function table_of(z) return z end
`

// asEach is the functions as systems over rows. begin begins them.
func (p zeroProgram) asEach(kernel, begin string) string {
	var b strings.Builder
	for i, part := range p.parts {
		body := part.body(func(name string) string {
			if name == "e" {
				return "e"
			}
			return "z." + name
		})
		fmt.Fprintf(&b, "ecs.system 's%d' { query = { Zeros, Beyond }, kernel = %q, each = function(e, z, beyond)\n%s%s end }\n", i, kernel, begin, body)
	}
	return b.String()
}

func (p zeroProgram) asBatch() string {
	var b strings.Builder
	for i, part := range p.parts {
		fmt.Fprintf(&b, "ecs.system 's%d' { query = { Zeros, Beyond }, batch = function(b)\nlocal entities = b.entities\n", i)
		for _, name := range strings.Split("abcdstiu", "") {
			fmt.Fprintf(&b, "local c_%s = b:write(Zeros, %q)\n", name, name)
		}
		body := part.body(func(name string) string {
			if name == "e" {
				return "entities[i]"
			}
			return "c_" + name + "[i]"
		})
		fmt.Fprintf(&b, "for i = 1, b.n do (function()\n%s end)() end end }\n", body)
	}
	return b.String()
}

// asBulk is the functions as operations on columns.
func (p zeroProgram) asBulk() string {
	var b strings.Builder
	for i, part := range p.parts {
		fmt.Fprintf(&b, "ecs.system 's%d' { query = { Zeros, Beyond }, batch = function(b)\n", i)
		for _, name := range strings.Split("abcdst", "") {
			fmt.Fprintf(&b, "local col_%s = b:col(Zeros, %q)\n", name, name)
		}
		b.WriteString(part.bulk + " end }\n")
	}
	return b.String()
}

// zeroRows are the rows of a seed.
func zeroRows(seed uint64, n int) []Zeros {
	r := rand.New(rand.NewPCG(seed, 11))
	zero := func() float64 {
		return []float64{0, minusZero, 0, minusZero, 0, minusZero, 1, -1, 0.5, -0.25, 2}[r.IntN(11)]
	}
	single := func() float32 { return float32(zero()) }
	rows := make([]Zeros, n)
	for i := range rows {
		rows[i] = Zeros{zero(), zero(), zero(), zero(), single(), single(), int32(r.IntN(3) - 1), uint8(r.IntN(2)),
			[3]float64{zero(), zero(), zero()}, [2]float32{single(), single()}}
	}
	return rows
}

const zeroTicks = 2

// runZeros runs a script over the rows of a seed and returns what they are then.
func runZeros(t *testing.T, text string, seed uint64, n int, prepare func(*scripting.Host)) (rows []Zeros, others []Beyond, whole, vectors bool) {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Tag: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	zeros, beyond := ecs.Register[Zeros](w), ecs.Register[Beyond](w)
	var list []ecs.Entity
	for _, row := range zeroRows(seed, n) {
		list = append(list, w.Spawn(zeros.With(row), beyond.With(Beyond{minusZero, 1})))
	}
	h := newHost(t, w, scripting.Options{
		OnKernel: func(scripting.KernelStatus) {},
		OnError:  func(e *scripting.Error) { t.Errorf("%s\n%s", e.Detail(), text) },
	})
	defer h.Close()
	prepare(h)
	if err := h.Load(fstest.MapFS{"z.lua": {Data: []byte(text)}}); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	whole = !slices.ContainsFunc(h.Kernels(), func(k scripting.KernelStatus) bool { return !k.Compiled || k.Reason != "" })
	vectors = slices.ContainsFunc(h.KernelRows(), func(shape string) bool { return strings.HasPrefix(shape, "vectorised") })
	for range zeroTicks {
		if err := h.StepAll(0.5); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range list {
		row, _ := zeros.Get(e)
		other, _ := beyond.Get(e)
		rows, others = append(rows, row), append(others, other)
	}
	return rows, others, whole, vectors
}

// bits is one line for each row, with all bits of its numbers.
func bits(rows []Zeros, beyond []Beyond) string {
	var b strings.Builder
	for i, z := range rows {
		for _, v := range []float64{z.A, z.B, z.C, z.D, z.L[0], z.L[1], z.L[2], beyond[i].V} {
			fmt.Fprintf(&b, "%x ", math.Float64bits(v))
		}
		for _, v := range []float32{z.S, z.T, z.M[0], z.M[1], beyond[i].W} {
			fmt.Fprintf(&b, "%x ", math.Float32bits(v))
		}
		fmt.Fprintf(&b, "%d %d\n", z.I, z.U)
	}
	return b.String()
}

// TestZerosHaveOneSign runs random functions that are dense in zeros of both signs in
// all ways in which a script can say them and the host can run them. Every bit that
// they store must be the same; and the same as in PUC Lua, of which the functions are
// spelled by the rule of LUA.md.
func TestZerosHaveOneSign(t *testing.T) {
	sideBySide(t)
	const rows = 37
	cells := map[string]map[string]int{} // feature → way → functions
	count := func(p zeroProgram, way string) {
		for feature := range p.reached {
			if cells[feature] == nil {
				cells[feature] = map[string]int{}
			}
			cells[feature][way]++
		}
	}
	var judged []zeroProgram
	var results [][]Zeros
	var others [][]Beyond
	for i := range *zeroPrograms {
		seed := *kernelSeed + uint64(i)
		draw := drawZeros
		if i%4 == 3 {
			draw = drawBulkZeros
		}
		p := draw(rand.New(rand.NewPCG(seed, 13)))
		off := p.asEach("off", "")
		want, also, _, _ := runZeros(t, zeroOpening+off, seed, rows, func(*scripting.Host) {})
		count(p, "VM")
		check := func(way, text string, prepare func(*scripting.Host)) {
			got, set, whole, vectors := runZeros(t, zeroOpening+text, seed, rows, prepare)
			if a, b := bits(want, also), bits(got, set); a != b {
				t.Fatalf("seed %d, %s: %s\n%s", seed, way, firstDifference(a, b), text)
			}
			if whole && (vectors || way != "vectors") {
				count(p, way)
			}
		}
		none := func(*scripting.Host) {}
		check("tables", p.asEach("off", "table_of(z)\n"), none)
		if !p.arrays {
			check("batch", p.asBatch(), none)
		}
		if p.parts[0].bulk != "" {
			check("bulk", p.asBulk(), none)
		}
		check("kernel", p.asEach("auto", ""), none)
		check("row by row", p.asEach("auto", ""), func(h *scripting.Host) { h.ChooseVectors(-1) })
		check("vectors", p.asEach("auto", ""), func(h *scripting.Host) { h.ChooseVectors(1 + int(seed%5)) })
		judged, results, others = append(judged, p), append(results, want), append(others, also)
	}
	if _, err := exec.LookPath("lua5.1"); err != nil {
		t.Log("lua5.1 is not installed: nothing is compared with it")
	} else {
		againstPUC(t, &lua51.Program{Name: "lua5.1", Steps: 1 << 30}, judged, results, others, rows)
		for _, p := range judged {
			count(p, "PUC Lua")
		}
	}
	for _, feature := range slices.Sorted(maps.Keys(cells)) {
		line := fmt.Sprintf("%-32s", feature)
		for _, way := range []string{"VM", "tables", "batch", "bulk", "kernel", "row by row", "vectors", "PUC Lua"} {
			line += fmt.Sprintf(" %s %d", way, cells[feature][way])
		}
		t.Log(line)
		if *zeroPrograms >= 1000 && feature != "text of a number" && cells[feature]["kernel"] == 0 {
			t.Errorf("no kernel has reached: %s", feature)
		}
	}
}

// shownZero is a number as the driver for PUC Lua shows it.
func shownZero(v float64) string {
	switch {
	case v != v:
		return "nan"
	case v == 0:
		return map[bool]string{false: "0", true: "-0"}[math.Signbit(v)]
	}
	return fmt.Sprintf("%.13g", v)
}

// againstPUC runs the functions in PUC Lua.
func againstPUC(t *testing.T, puc *lua51.Program, programs []zeroProgram, results [][]Zeros, others [][]Beyond, rows int) {
	t.Helper()
	driver, err := os.ReadFile("testdata/zeros.lua")
	if err != nil {
		t.Fatal(err)
	}
	var src strings.Builder
	src.Write(driver)
	literal := func(v float64) string {
		if v == 0 {
			return map[bool]string{false: "pz", true: "nz"}[math.Signbit(v)]
		}
		return fmt.Sprint(v)
	}
	for i, p := range programs {
		src.WriteString("do local list, last = {}, nz\n")
		for _, z := range zeroRows(*kernelSeed+uint64(i), rows) {
			fmt.Fprintf(&src, "list[#list + 1] = { a = %s, b = %s, c = %s, d = %s, s = %s, t = %s, i = %s, u = %s, l = { %s, %s, %s }, m = { %s, %s }, beyond = { v = nz, w = 1 } }\n",
				literal(z.A), literal(z.B), literal(z.C), literal(z.D), literal(float64(z.S)), literal(float64(z.T)), literal(float64(z.I)), literal(float64(z.U)),
				literal(z.L[0]), literal(z.L[1]), literal(z.L[2]), literal(float64(z.M[0])), literal(float64(z.M[1])))
		}
		src.WriteString("judge(list")
		for _, part := range p.parts {
			src.WriteString(", function(z, beyond)\n")
			for _, s := range part.text {
				src.WriteString(fields(s.puc, func(name string) string { return "z." + name }) + "\n")
			}
			src.WriteString("end")
		}
		src.WriteString(") end\n")
	}
	all, err := puc.Run([]string{src.String()})
	if err != nil || all[0].Err != "" || all[0].Cut {
		t.Fatal("lua5.1: ", err, all)
	}
	lists := strings.Split(all[0].Out, "end\n")
	for i, p := range programs {
		var want strings.Builder
		for k, z := range results[i] {
			b := others[i][k]
			list := []float64{z.A, z.B, z.C, z.D, z.L[0], z.L[1], z.L[2], b.V, float64(z.S), float64(z.T), float64(z.M[0]), float64(z.M[1]), float64(b.W), float64(z.I), float64(z.U)}
			words := make([]string, len(list))
			for j, v := range list {
				words[j] = shownZero(v)
			}
			want.WriteString(strings.Join(words, " ") + "\n")
		}
		if lists[i] != want.String() {
			t.Fatalf("seed %d, PUC Lua is on the second line: %s\n%s", *kernelSeed+uint64(i), firstDifference(want.String(), lists[i]), p.asEach("off", ""))
		}
	}
}
