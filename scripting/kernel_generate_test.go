package scripting_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// program writes random each functions over the components Alpha and Beta. What
// it writes has one type for every local, as kernels want it, and ends soon.
type program struct {
	r      *rand.Rand
	b      strings.Builder
	indent int
	nums   []string // locals in scope
	bools  []string
	names  int
	loops  int  // around this place
	world  bool // it may use what is in kernel_wild_test.go
}

// generate returns the text of one each function.
func generate(r *rand.Rand, world bool) string {
	p := &program{r: r, world: world}
	head := "function(e, a, b, ctx)"
	if world {
		head = "function(e, a, b, g, ctx)"
	}
	p.line("%s", head)
	p.block(2 + r.IntN(5))
	p.line("end")
	return p.b.String()
}

func (p *program) line(format string, v ...any) {
	p.b.WriteString(strings.Repeat("  ", p.indent+1))
	fmt.Fprintf(&p.b, format+"\n", v...)
}

// block writes n statements with a scope of their own.
func (p *program) block(n int) {
	nums, bools := len(p.nums), len(p.bools)
	p.indent++
	for range n {
		p.stmt()
	}
	if p.r.IntN(12) == 0 {
		switch {
		case p.loops > 0 && p.r.IntN(2) == 0:
			p.line("break")
		case p.r.IntN(4) == 0:
			p.line("return %s", p.num(1))
		default:
			p.line("return")
		}
	}
	p.indent--
	p.nums, p.bools = p.nums[:nums], p.bools[:bools]
}

func (p *program) pick(list ...string) string { return list[p.r.IntN(len(list))] }

func (p *program) fresh() string {
	p.names++
	return fmt.Sprintf("v%d", p.names)
}

func (p *program) stmt() {
	if p.world && p.r.IntN(3) == 0 {
		p.wild()
		return
	}
	deep := p.indent > 4
	switch n := p.r.IntN(20); {
	case n < 5:
		p.line("%s = %s", p.floatField(), p.num(3))
	case n < 7:
		p.integer()
	case n == 7:
		p.line("%s = %s", p.pick("a.b", "b.b"), p.truth(2))
	case n < 10:
		p.declare()
	case n < 12:
		p.assign()
	case n == 12:
		p.line("%s, %s = %s, %s", p.floatField(), p.floatField(), p.num(2), p.num(2))
	case deep:
		p.line("%s = %s", p.floatField(), p.num(2))
	case n < 16:
		p.branch()
	case n == 16:
		p.counted()
	case n == 17:
		p.while()
	case n == 18:
		p.repeat()
	default:
		p.line("do")
		p.block(2)
		p.line("end")
	}
}

func (p *program) floatField() string { return p.pick("a.f", "a.g", "b.f", "b.g", "b.h") }

var integers = []struct {
	field     string
	low, high float64
}{
	{"a.i8", -128, 127}, {"a.u8", 0, 255}, {"a.i16", -32768, 32767}, {"b.u16", 0, 65535},
	{"b.i32", -2147483648, 2147483647}, {"b.u32", 0, 4294967295}, {"a.i64", -9007199254740992, 9007199254740992},
	{"b.u64", 0, 9007199254740992},
}

// integer assigns to a field that is picky: mostly what it can hold.
func (p *program) integer() {
	f := integers[p.r.IntN(len(integers))]
	switch p.r.IntN(8) {
	case 0:
		p.line("%s = %s", f.field, p.num(2))
	case 1:
		p.line("%s = math.floor(%s) %% 100", f.field, p.num(2))
	case 2:
		p.line("%s = math.min(%s + 1, %.0f)", f.field, f.field, f.high)
	case 3:
		p.line("if %s > 5 then %s = %s - 1 end", f.field, f.field, f.field)
	case 4:
		p.line("%s = %d", f.field, p.r.IntN(100))
	default:
		p.line("%s = floor(math.max(%.0f, math.min(%.0f, %s)))", f.field, f.low, f.high, p.num(2))
	}
}

func (p *program) declare() {
	name := p.fresh()
	if p.r.IntN(4) == 0 {
		p.line("local %s = %s", name, p.truth(2))
		p.bools = append(p.bools, name)
		return
	}
	if p.r.IntN(4) == 0 {
		other := p.fresh()
		p.line("local %s, %s = %s, %s", name, other, p.num(2), p.num(2))
		p.nums = append(p.nums, other)
	} else {
		p.line("local %s = %s", name, p.num(3))
	}
	p.nums = append(p.nums, name)
}

func (p *program) assign() {
	if len(p.bools) > 0 && p.r.IntN(4) == 0 {
		p.line("%s = %s", p.pick(p.bools...), p.truth(2))
		return
	}
	if len(p.nums) == 0 {
		p.declare()
		return
	}
	if p.r.IntN(3) == 0 {
		x, y := p.pick(p.nums...), p.pick(p.nums...)
		p.line("%s, %s = %s, %s", x, y, p.pick(y, p.num(1)), p.pick(x, p.num(1)))
		return
	}
	p.line("%s = %s", p.pick(p.nums...), p.num(3))
}

func (p *program) branch() {
	p.line("if %s then", p.condition())
	p.block(1 + p.r.IntN(2))
	for p.r.IntN(3) == 0 {
		p.line("elseif %s then", p.condition())
		p.block(1)
	}
	if p.r.IntN(2) == 0 {
		p.line("else")
		p.block(1 + p.r.IntN(2))
	}
	p.line("end")
}

// condition may be anything: a number is true, too.
func (p *program) condition() string {
	switch p.r.IntN(10) {
	case 0:
		return p.num(1)
	case 1:
		return fmt.Sprintf("%s and %s", p.truth(1), p.num(1))
	case 2:
		return fmt.Sprintf("%s or %s", p.truth(1), p.num(1))
	}
	return p.truth(2)
}

// counted writes a for over any numbers, with a way out.
func (p *program) counted() {
	i, n := p.fresh(), p.fresh()
	p.line("local %s = 0", n)
	switch p.r.IntN(3) {
	case 0:
		p.line("for %s = %d, %d do", i, p.r.IntN(3), p.r.IntN(6))
	case 1:
		p.line("for %s = %s, %s, %s do", i, p.literal(), p.literal(), p.literal())
	default:
		p.line("for %s = %s, %s, %s do", i, p.num(1), p.num(1), p.num(1))
	}
	p.indent++
	p.line("%s = %s + 1", n, n)
	p.line("if %s > 4 then break end", n)
	p.indent--
	p.nums = append(p.nums, i)
	p.body()
	p.nums = p.nums[:len(p.nums)-1]
	p.line("end")
	p.nums = append(p.nums, n)
}

func (p *program) while() {
	n := p.fresh()
	p.line("local %s = 0", n)
	p.line("while %s < 3 and %s do", n, p.truth(2))
	p.indent++
	p.line("%s = %s + 1", n, n)
	p.indent--
	p.body()
	p.line("end")
}

func (p *program) repeat() {
	n := p.fresh()
	p.line("local %s = 0", n)
	p.line("repeat")
	p.indent++
	inner := p.fresh()
	p.line("%s = %s + 1", n, n)
	p.line("local %s = %s", inner, p.num(2))
	p.indent--
	p.line("until %s > 3 or %s < %s", n, inner, p.num(1))
}

// body is that of a loop, sometimes with a goto to its end.
func (p *program) body() {
	p.loops++
	if p.r.IntN(3) > 0 {
		p.block(1 + p.r.IntN(2))
		p.loops--
		return
	}
	label := "next" + p.fresh()
	p.indent++
	p.line("if %s then goto %s end", p.truth(1), label)
	p.line("do")
	p.block(1)
	p.line("end")
	p.line("::%s::", label)
	p.indent--
	p.loops--
}

func (p *program) literal() string {
	if p.r.IntN(100) == 0 {
		return "-0"
	}
	return p.pick("0", "1", "2", "0.5", "-1", "3", "10", "0.1", "1e300", "(0/0)", "math.huge", "-math.huge",
		"5e-324", "255", "4294967296", "9007199254740992", fmt.Sprintf("%g", p.r.NormFloat64()*100))
}

func (p *program) atom() string {
	if p.world && p.r.IntN(3) == 0 {
		return p.wildAtom()
	}
	switch n := p.r.IntN(12); {
	case n < 3 && len(p.nums) > 0:
		return p.pick(p.nums...)
	case n < 6:
		return p.floatField()
	case n < 8:
		return integers[p.r.IntN(len(integers))].field
	case n == 8:
		return p.pick("ctx.dt", "ctx.time", "ctx.tick")
	case n == 9:
		return p.pick("speed", "edge", "math.pi")
	}
	return p.literal()
}

func (p *program) num(depth int) string {
	if depth == 0 {
		return p.atom()
	}
	x := func() string { return p.num(depth - 1 - p.r.IntN(depth)) }
	switch n := p.r.IntN(22); {
	case n < 4:
		return p.atom()
	case n < 7:
		return fmt.Sprintf("(%s + %s)", x(), x())
	case n < 9:
		return fmt.Sprintf("(%s - %s)", x(), x())
	case n < 12:
		return fmt.Sprintf("(%s * %s)", x(), x())
	case n == 12:
		return fmt.Sprintf("(%s / %s)", x(), x())
	case n == 13:
		return fmt.Sprintf("(%s %% %s)", x(), x())
	case n == 14:
		return fmt.Sprintf("(%s ^ %s)", x(), p.pick("2", "0.5", "3", "-1", x()))
	case n == 15:
		return fmt.Sprintf("-(%s)", x())
	case n == 16:
		return fmt.Sprintf("%s(%s)", p.pick("math.floor", "math.ceil", "math.abs", "math.sqrt", "floor", "root"), x())
	case n == 17:
		return fmt.Sprintf("%s(%s, %s)", p.pick("math.max", "math.min", "highest"), x(), x())
	case n == 18:
		return fmt.Sprintf("%s(%s, %s, %s)", p.pick("math.max", "math.min"), x(), x(), x())
	case n == 19:
		return fmt.Sprintf("%s(%s)", p.pick("math.sin", "math.cos", "math.exp", "math.log", "math.tan", "math.deg", "math.atan"), x())
	case n == 20:
		return fmt.Sprintf("(%s and %s or %s and %s or %s)", p.truth(1), x(), p.truth(1), x(), x())
	}
	return fmt.Sprintf("(%s and %s or %s)", p.truth(depth-1), x(), x())
}

func (p *program) truth(depth int) string {
	if depth == 0 {
		if len(p.bools) > 0 && p.r.IntN(2) == 0 {
			return p.pick(p.bools...)
		}
		return p.pick("a.b", "b.b", "on", "true", "false")
	}
	x := func() string { return p.num(depth - 1) }
	switch n := p.r.IntN(12); {
	case n < 6:
		return fmt.Sprintf("%s %s %s", x(), p.pick("<", "<=", ">", ">=", "==", "~="), x())
	case n == 6:
		return fmt.Sprintf("not (%s)", p.truth(depth-1))
	case n == 7:
		return fmt.Sprintf("(%s == %s)", p.truth(depth-1), p.truth(0))
	case n < 10:
		return fmt.Sprintf("(%s and %s)", p.truth(depth-1), p.truth(depth-1))
	}
	return fmt.Sprintf("(%s or %s)", p.truth(depth-1), p.truth(0))
}
