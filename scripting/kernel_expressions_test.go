package scripting_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

func (p *program) literal() string {
	return p.pick("0", "-0", "1", "2", "0.5", "-1", "3", "10", "0.1", "1e300", "(0/0)", "math.huge", "-math.huge",
		"5e-324", "255", "4294967296", "9007199254740992", fmt.Sprintf("%g", p.r.NormFloat64()*100))
}

// atom is a number that is not computed.
func (p *program) atom() string {
	if p.small && p.r.IntN(2) == 0 {
		return p.floatField()
	}
	if p.says() {
		return p.dialect.atom(p)
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

// num is a number, of so many operations one in the other at most. Sometimes it is
// one that was computed before, as it was or a little different.
func (p *program) num(depth int) string {
	if p.small {
		depth = min(depth, p.r.IntN(2))
	}
	if depth == 0 {
		return p.atom()
	}
	if len(p.said) > 0 && p.r.IntN(6) == 0 {
		return p.again(p.said)
	}
	text := p.fresher(depth)
	p.said = append(p.said, text)
	return text
}

// again repeats one of some expressions.
func (p *program) again(list []string) string {
	text := p.pick(list...)
	if p.r.IntN(3) > 0 {
		return text
	}
	for range 3 {
		from, to, _ := strings.Cut(p.pick(" + | - ", " - | + ", " < | <= ", " <= | < ", " == | ~= ", "a.f|b.f", "math.max(|math.min(", "a.u8|a.i8", "math.floor(|math.ceil(", "math.sin(|math.sinh(", " and | or "), "|")
		if twisted := strings.Replace(text, from, to, 1); twisted != text {
			return twisted
		}
	}
	return text
}

// fresher is an operation.
func (p *program) fresher(depth int) string {
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
		return mathematics(p.r, x)
	case n == 20:
		return fmt.Sprintf("(%s and %s or %s and %s or %s)", p.truth(1), x(), p.truth(1), x(), x())
	}
	return fmt.Sprintf("(%s and %s or %s)", p.truth(depth-1), x(), x())
}

// truth is true or false.
func (p *program) truth(depth int) string {
	if p.dialect.truth != nil && p.says() {
		return p.dialect.truth(p)
	}
	if depth > 0 && len(p.asked) > 0 && p.r.IntN(6) == 0 {
		return p.again(p.asked)
	}
	if depth == 0 {
		if len(p.bools) > 0 && p.r.IntN(2) == 0 {
			return p.pick(p.bools...)
		}
		return p.pick("a.b", "b.b", "on", "off", "true", "false")
	}
	text := p.question(depth)
	p.asked = append(p.asked, text)
	return text
}

// question is a truth that is computed.
func (p *program) question(depth int) string {
	x := func() string { return p.num(depth - 1) }
	switch n := p.r.IntN(12); {
	case n < 6:
		return fmt.Sprintf("(%s %s %s)", x(), p.pick("<", "<=", ">", ">=", "==", "~="), x())
	case n == 6:
		return fmt.Sprintf("not (%s)", p.truth(depth-1))
	case n == 7:
		return fmt.Sprintf("(%s == %s)", p.truth(depth-1), p.truth(0))
	case n < 10:
		return fmt.Sprintf("(%s and %s)", p.truth(depth-1), p.truth(depth-1))
	}
	return fmt.Sprintf("(%s or %s)", p.truth(depth-1), p.truth(0))
}

// mathematics draws a call of a function that is a formula, often of arguments where formulas
// end: beyond the reduction of angles, where powers and exponentials leave the range of
// numbers, near 1, or of sine and cosine of one angle.
func mathematics(r *rand.Rand, x func() string) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	arg := x()
	switch r.IntN(6) {
	case 0:
		arg = fmt.Sprintf("(%s * %s)", arg, pick("1e-310", "1e-9", "0.01", "1e5", "1e22", "1e300"))
	case 1:
		arg = pick("-0", "1e308", "5e-324", "-1e-320", "709.8", "-745.2", "524288.5", "1 / 0", "-1 / 0", "0 / 0", "3.14159265358979312")
	}
	switch r.IntN(6) {
	case 0:
		return fmt.Sprintf("math.%s(%s, %s)", pick("atan2", "fmod", "pow"), arg, x())
	case 1:
		return fmt.Sprintf("(%s %% %s)", arg, pick("7", "6.28", "-2.5", "1e-300", "1e300", x()))
	case 2:
		return fmt.Sprintf("(%s ^ %s)", arg, pick("2", "0.5", "3", "-1", "-2", "0.25", "100", x()))
	case 3:
		return fmt.Sprintf("(math.%[2]s(%[1]s) - 2 * math.%[3]s(%[1]s))", arg, pick("sin", "cos"), pick("sin", "cos"))
	}
	return fmt.Sprintf("math.%s(%s)", pick("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10"), arg)
}
