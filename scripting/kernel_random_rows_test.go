package scripting_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// program writes random each functions over the components Alpha and Beta. What
// it writes has one type for every local, as kernels want it, and ends soon.
type program struct {
	*dialect
	r      *rand.Rand
	b      strings.Builder
	indent int
	scope
	names int
	loops int  // around this place
	small bool // one operation in an expression, mostly on fields: what is large hides much
}

// scope has the locals that can be named at a place, by what they hold.
type scope struct {
	nums, bools []string
	modes       []string // names of an enum
	maybes      []string // numbers or nil
	copies      []string // rows of Frame that may be nil
	said        []string // numbers that were computed here, to be computed again
	asked       []string // the same of truths
}

// dialect is what programs may say beside arithmetic with their own rows.
type dialect struct {
	heads []string // one of these begins a function
	often int      // one of so many statements and numbers is of the dialect
	stmt  func(p *program)
	atom  func(p *program) string
	truth func(p *program) string // may be nil
}

// plainly is no dialect at all.
var rowsDialect = &dialect{heads: []string{"e, a, b, ctx"}}

// says reports whether something of the dialect is to come.
func (p *program) says() bool { return p.often > 0 && p.r.IntN(p.often) == 0 }

// generate returns the text of one each function.
func generate(r *rand.Rand, d *dialect) string {
	p := &program{r: r, dialect: d, small: r.IntN(3) == 0}
	p.line("function(%s)", p.pick(d.heads...))
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
	outer := p.scope
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
	p.scope = outer
}

func (p *program) pick(list ...string) string { return list[p.r.IntN(len(list))] }

func (p *program) fresh() string {
	p.names++
	return fmt.Sprintf("v%d", p.names)
}

func (p *program) stmt() {
	if p.says() {
		p.dialect.stmt(p)
		return
	}
	deep := p.indent > 4
	switch n := p.r.IntN(23); {
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
	case n == 12 || n < 16 && p.small:
		p.line("%s, %s = %s, %s", p.floatField(), p.floatField(), p.num(2), p.num(2))
	case deep:
		p.line("%s = %s", p.floatField(), p.num(2))
	case n < 16:
		p.branch()
	case n == 16:
		p.counted()
	case n == 17:
		p.while()
	case n == 21:
		p.stale()
	case n == 22:
		p.beside()
	case n == 20:
		v := integers[p.r.IntN(len(integers))].field
		if p.r.IntN(2) == 0 {
			v = p.fresh()
			p.line("local %s = %s", v, p.num(1))
			p.nums = append(p.nums, v)
		}
		p.decide(v, 2)
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
	other := integers[p.r.IntN(len(integers))].field
	switch p.r.IntN(12) {
	case 8:
		p.line("%s = %s %% %.0f", f.field, other, f.high+float64(p.r.IntN(3)))
	case 9:
		p.line("%s = %s", f.field, strings.NewReplacer("X", other, "Y", f.field).Replace(
			p.pick("-X", "X + Y", "X - Y", "X * Y", "math.abs(X)", "math.ceil(X / 2)", "math.floor(X / -2)", "X % Y")))
	case 10:
		p.line("if %s %s %d then %s = %s + %d end", other, p.pick("<", "<=", ">", ">=", "=="), p.r.IntN(300)-20, f.field, other, p.r.IntN(40)-20)
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

// decide asks about one number again and again: what was found out must be right
// for not-a-number, and must not outlive the number.
func (p *program) decide(v string, depth int) {
	ask := func() string {
		return fmt.Sprintf(p.pick("%s %s %s", "not (%s %s %s)"), v, p.pick("<", "<=", ">", ">=", "==", "~="),
			p.pick("0", "1", "2", "3", "5", "0.5", "-1", "100", "255"))
	}
	arm := func() {
		p.indent++
		switch n := p.r.IntN(6); {
		case depth > 0 && n < 4:
			p.decide(v, depth-1)
		case n == 4:
			p.line("%s = %s", v, p.pick("1", v+" + 1", v+" - 1", "2"))
			p.decide(v, 0)
		default:
			p.line("%s = %s", p.pick("a.u8", "b.u16", "b.g", "a.f"), p.pick(v, v+" + 1", fmt.Sprint(p.r.IntN(100))))
		}
		p.indent--
	}
	cond := ask()
	if p.r.IntN(2) == 0 {
		cond += p.pick(" and ", " or ") + ask()
	}
	p.line("if %s then", cond)
	arm()
	if p.r.IntN(3) > 0 {
		p.line("else")
		arm()
	}
	p.line("end")
}

// stale computes one expression twice or more, and changes what it is made of in
// between, always, sometimes or in turns: what was kept of it is of no use then.
func (p *program) stale() {
	x := p.pick(append([]string{"a.f", "b.h", "b.g", "a.u8"}, p.nums...)...)
	text := strings.NewReplacer("X", x, "Y", p.atom()).Replace(p.pick("(X + Y)", "(X * 2)", "(Y - X)", "math.floor(X)", "math.max(X, Y)",
		"(X % 7)", "math.sin(X)", "-(X)", "(X < Y and 1 or 2)", "(X * X)", "(ctx.dt * X)", "(X / 3)"))
	change := fmt.Sprintf("%s = %s", x, p.pick("3", "1", x+" / 2", "math.abs("+x+")"))
	if x == "a.u8" {
		change = "a.u8 = a.u8 % 9"
	}
	use := func() { p.line("%s = %s", p.pick("a.g", "b.f", "a.f", "b.g"), text) }
	switch p.r.IntN(6) {
	case 0:
		p.line("if %s then %s = %s end", p.truth(1), p.pick("b.f", "b.g"), text)
	case 1:
		p.line("b.f = %s and %s or 0", p.truth(1), text)
	default:
		use()
	}
	i := p.fresh()
	switch p.r.IntN(6) {
	case 0:
		p.line("%s", change)
	case 1, 2:
		p.line("if %s then %s end", p.truth(1), change)
	case 3:
		p.line("for %s = 1, %s do b.h = b.h + %s %s end", i, p.pick("2", "a.u8 % 3", "40"), text, change)
	case 4:
		p.line("local %s = 0 while %s < 3 do %s = %s + 1 if %s then break end %s end", i, i, i, i, p.truth(1), change)
	}
	use()
	p.line("b.h = %s", p.again([]string{text}))
}

// beside has a call next to an operand that the called function assigns.
func (p *program) beside() {
	f, x := p.fresh(), p.pick(append([]string{"a.f", "b.h", "b.g"}, p.nums...)...)
	p.line("local function %s()", f)
	p.indent++
	if p.r.IntN(3) == 0 {
		p.line("if %s then %s = %s end", p.truth(1), x, p.num(1))
	} else {
		p.line("%s = %s", x, p.num(1))
	}
	p.line("return %s", p.num(1))
	p.indent--
	p.line("end")
	call := f + "()"
	text := strings.NewReplacer("X", x, "F", call, "Y", p.atom()).Replace(p.pick("X + F", "F - X", "X * (Y + F)", "(X + Y) / F", "-X + F", "X - F * X",
		"math.max(X, F)", "(X < F and X or Y)", "(F >= X and 1 or 2)", "(X == F and Y or 3)", "(X or Y) - F", "((true and X) + F)"))
	switch p.r.IntN(3) {
	case 0:
		p.line("%s, %s = %s, %s", p.floatField(), p.floatField(), x, text)
	case 1:
		p.line("do local x, y = %s, %s %s = x - y end", x, text, p.floatField())
	default:
		p.line("%s = %s", p.floatField(), text)
	}
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
	p.with(p.body, i)
	p.line("end")
	p.nums = append(p.nums, n)
}

// with writes something that can name some more numbers.
func (p *program) with(write func(), nums ...string) {
	outer := p.scope
	p.nums = append(p.nums, nums...)
	write()
	p.scope = outer
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
