package librarytest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator writes random programs that end soon, print what they compute,
// and touch nothing whose result is left open: the order of pairs, addresses,
// the last bits of transcendental functions.
//
// Every local has a kind, so most programs run to their end: a number, a
// string, a boolean, a list of numbers, an object with metamethods, a function
// from numbers to one number, or one from any numbers to several.
type generator struct {
	r      *rand.Rand
	out    strings.Builder
	vars   []variable
	indent int
	names  int
	loops  int  // around the current place, inside the current function
	depth  int  // of blocks
	vararg bool // inside a function with ...
	yields bool // inside a coroutine
}

type variable struct {
	name  string
	kind  kind
	fixed bool // a loop variable or a function, not to be assigned
}

type kind byte

const (
	number   kind = 'n'
	text     kind = 's'
	boolean  kind = 'b'
	list     kind = 't'
	object   kind = 'o'
	function kind = 'f'
	variadic kind = 'v'
)

// Program returns the program of a seed.
func Program(seed uint64) string {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x5eed))}
	g.line("local show = function(...) print(select('#', ...), ...) end")
	g.line("local V = function(x) return setmetatable({x = x}, meta) end")
	g.vars = append(g.vars, variable{"V", 0, true})
	for range 6 + g.r.IntN(14) {
		g.statement()
	}
	for _, v := range g.vars {
		g.dump(v)
	}
	return prelude + g.out.String()
}

// prelude defines the class of all objects.
const prelude = `meta = {}
meta.__index = function(t, k) if k == "twice" then return rawget(t, "x") * 2 end return meta[k] end
meta.__newindex = function(t, k, v) rawset(t, k, v) end
meta.__add = function(a, b) return (type(a) == "table" and a.x or a) + (type(b) == "table" and b.x or b) end
meta.__sub = function(a, b) return (type(a) == "table" and a.x or a) - (type(b) == "table" and b.x or b) end
meta.__unm = function(a) return -a.x end
meta.__eq = function(a, b) return a.x == b.x end
meta.__lt = function(a, b) return a.x < b.x end
meta.__le = function(a, b) return a.x <= b.x end
meta.__call = function(self, ...) return self.x, select("#", ...), ... end
meta.__concat = function(a, b) return "<" .. tostring(a) .. tostring(b) .. ">" end
meta.__tostring = function(a) return "V(" .. a.x .. ")" end
function meta:get(n) return self.x + n end
function meta:many(...) return self.x, ... end
function shape(t)
  local parts = {}
  local function word(v) return (type(v) == "table" or type(v) == "function") and type(v) or tostring(v) end
  for k, v in pairs(t) do parts[#parts + 1] = word(k) .. "=" .. word(v) end
  table.sort(parts)
  return table.concat(parts, " ")
end
`

func (g *generator) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat(" ", g.indent))
	fmt.Fprintf(&g.out, format+"\n", args...)
}

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

func (g *generator) oneOf(choices ...string) string { return choices[g.r.IntN(len(choices))] }

func (g *generator) fresh() string {
	g.names++
	if g.chance(15) { // shadow an older name now and then
		return fmt.Sprintf("v%d", g.r.IntN(g.names))
	}
	return fmt.Sprintf("v%d", g.names)
}

// visible lists the locals of a kind that are not shadowed.
func (g *generator) visible(k kind, settable bool) []string {
	var names []string
	seen := map[string]bool{}
	for i := len(g.vars) - 1; i >= 0; i-- {
		v := g.vars[i]
		if v.kind == k && !seen[v.name] && (!settable || !v.fixed) {
			names = append(names, v.name)
		}
		seen[v.name] = true
	}
	return names
}

// local returns some visible local of a kind, or a default.
func (g *generator) local(k kind, missing string) string {
	if names := g.visible(k, false); len(names) > 0 {
		return g.oneOf(names...)
	}
	return missing
}

func (g *generator) declare(name string, k kind, fixed bool) {
	g.vars = append(g.vars, variable{name, k, fixed})
}

// block writes an indented block; what it declares ends with it.
func (g *generator) block(statements int) {
	known := len(g.vars)
	g.indent += 2
	g.depth++
	for range statements {
		g.statement()
	}
	g.depth--
	g.indent -= 2
	g.vars = g.vars[:known]
}

func (g *generator) dump(v variable) {
	if g.local(v.kind, "") == "" || v.kind == 0 {
		return
	}
	switch v.kind {
	case list:
		g.line("show(#%[1]s, %[1]s[1], %[1]s[#%[1]s], table.concat(%[1]s, ' '))", v.name)
	case function:
		g.line("show(pcall(%s, 3, 4))", v.name)
	case variadic:
		g.line("show(pcall(%s, 1, nil, 3))", v.name)
	case object:
		g.line("show(tostring(%[1]s), %[1]s.x)", v.name)
	default:
		g.line("show(%s)", v.name)
	}
}

// num is an expression for a number.
func (g *generator) num(depth int) string {
	if depth <= 0 || g.chance(25) {
		if g.chance(55) {
			return g.local(number, "7")
		}
		return g.oneOf("1", "2", "3", "-1", "0.5", "10", "100", "1e3", "0x1F", "0010", "2.5e-1", "-7")
	}
	a, b := func() string { return g.num(depth - 1) }, func() string { return g.num(depth - 2) }
	switch g.r.IntN(26) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", a(), g.oneOf("+", "-", "*"), b())
	case 3:
		// never by zero: the sign of not-a-number shows when texts are compared
		return fmt.Sprintf("%s %s %s", a(), g.oneOf("+", "-", "*", "/ 4 +", "/ 3 -"), b())
	case 4:
		return fmt.Sprintf("-%s", g.local(number, "(7)"))
	case 5:
		return fmt.Sprintf("(#%s %% %d)", g.str(depth-1), 2+g.r.IntN(5))
	case 6:
		return fmt.Sprintf("#%s", g.lst(depth-1))
	case 7:
		return fmt.Sprintf("(%s[%d] or %s)", g.lst(depth-1), 1+g.r.IntN(5), b())
	case 8:
		return fmt.Sprintf("(%s and %s or %s)", g.cond(depth-1), a(), b())
	case 9:
		return fmt.Sprintf("%s(%s, %s)", g.local(function, "math.max"), a(), b())
	case 10:
		return fmt.Sprintf("(%s(%s, %s))", g.local(variadic, "select(2, 3, 4) + math.min"), a(), b())
	case 11:
		return fmt.Sprintf("math.floor(%s)", a())
	case 12:
		return fmt.Sprintf("math.%s(%s, %s)", g.oneOf("max", "min"), a(), b())
	case 13:
		return fmt.Sprintf("%s.x", g.obj(depth-1))
	case 14:
		return fmt.Sprintf("%s:get(%s)", g.obj(depth-1), b())
	case 15:
		return fmt.Sprintf("(%s %s %s)", g.obj(depth-1), g.oneOf("+", "-"), a())
	case 16:
		return fmt.Sprintf("(tonumber(%s) or %s)", g.str(depth-1), b())
	case 17:
		return fmt.Sprintf("(%s:byte(%d) or 0)", g.str(depth-1), g.r.IntN(5)-1)
	case 18:
		return fmt.Sprintf("select('#', %s)", g.args(depth-1))
	case 19:
		return fmt.Sprintf("(%s %s %s)", g.oneOf(`"10"`, `"0x10"`, `" 5 "`, `"010"`), g.oneOf("+", "-", "*"), a())
	case 20:
		return fmt.Sprintf("(function(...) local a, b = ... return (a or 1) + (b or 2) end)(%s)", g.args(depth-1))
	case 21:
		return fmt.Sprintf("%s.twice", g.obj(depth-1))
	case 22:
		return fmt.Sprintf("(%s or %s)", g.oneOf("nil", "false", g.local(number, "1")), a())
	case 23:
		return fmt.Sprintf("(%s and %s)", g.oneOf("true", "1", "''", g.local(number, "1")), a())
	case 24:
		return fmt.Sprintf("math.abs(%s) %% %d", g.small(), 2+g.r.IntN(9))
	}
	return fmt.Sprintf("(%s) ^ 2", a())
}

// small is a number whose remainder is exact.
func (g *generator) small() string {
	return fmt.Sprintf("(#%s - %d)", g.local(text, "'abc'"), g.r.IntN(9))
}

// str is an expression for a string.
func (g *generator) str(depth int) string {
	if depth <= 0 || g.chance(30) {
		if g.chance(50) {
			return g.local(text, "('str')")
		}
		return g.oneOf(`("a")`, `("hello world")`, `("")`, `("x=1, y=22")`, `("12")`, `("l\065\n\\")`, `("(a)(b)")`, `([[long]])`)
	}
	a := func() string { return g.str(depth - 1) }
	switch g.r.IntN(16) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s .. %s)", a(), g.piece(depth-1))
	case 3:
		return fmt.Sprintf("(%s .. %s .. %s .. %s)", g.piece(depth-1), a(), g.piece(depth-2), g.piece(depth-2))
	case 4:
		return fmt.Sprintf("%s:sub(%d, %d)", a(), g.r.IntN(7)-3, g.r.IntN(9)-3)
	case 5:
		return fmt.Sprintf("%s:%s()", a(), g.oneOf("upper", "lower", "reverse"))
	case 6:
		return fmt.Sprintf("%s:sub(1, 20):rep(%d)", a(), g.r.IntN(4))
	case 7:
		return fmt.Sprintf("(%s:gsub(%s, %s))", a(), g.pattern(), g.oneOf(`"<%0>"`, `"%%"`, `function(c) return c .. "!" end`, `{a = "A", l = 1, o = false}`, `""`))
	case 8:
		return fmt.Sprintf("string.format(%s, %s)", g.oneOf(`"%5.2f"`, `"%g"`, `"%d"`, `"%+.3e"`, `"%-8g|"`, `"%08.3f"`, `"%s"`, `"%.14g"`, `"%5d|"`, `"%x"`), g.bounded())
	case 9:
		return fmt.Sprintf("tostring(%s)", g.piece(depth-1))
	case 10:
		return fmt.Sprintf("table.concat(%s, %s)", g.lst(depth-1), g.oneOf(`","`, `""`, `" - "`))
	case 11:
		return fmt.Sprintf("((%s:match(%s) or %s) .. '')", a(), g.pattern(), a())
	case 12:
		return fmt.Sprintf("string.format('%%q', %s)", a())
	case 13:
		return fmt.Sprintf("(%s and %s or %s)", g.cond(depth-1), a(), a())
	case 14:
		return fmt.Sprintf("type(%s)", g.value(depth-1))
	}
	return fmt.Sprintf("string.char(%d, %d)", 32+g.r.IntN(90), 32+g.r.IntN(90))
}

// bounded is a number that every conversion of string.format can show.
func (g *generator) bounded() string {
	return g.oneOf("0", "1", "42", "255", "1000", "123456", g.small(), g.small())
}

func (g *generator) pattern() string {
	return g.oneOf(`"l"`, `"%w+"`, `"(%w)(%w)"`, `"^h"`, `"o$"`, `".-"`, `"%s*"`, `"[aeiou]"`, `"[^%w]"`, `"%f[%w]%w+"`, `"()l"`,
		`"(.)%1"`, `"%b()"`, `"x*"`, `"%d+"`, `"[a-f]+"`, `"(%w+)=(%w+)"`, `".?"`, `"%a-l"`, `"[%]%-]"`)
}

// piece is something that .. takes.
func (g *generator) piece(depth int) string {
	switch g.r.IntN(8) {
	case 0, 1: // never -0, whose sign would become a letter of a text
		return "(" + g.num(depth) + " + 1 - 1)"
	case 2:
		return "tostring(" + g.cond(depth) + ")"
	case 3:
		return "tostring(" + g.obj(depth) + ")"
	case 4:
		return fmt.Sprint(g.r.IntN(100), " ")
	}
	return g.str(depth)
}

// cond is an expression for a boolean.
func (g *generator) cond(depth int) string {
	if depth <= 0 || g.chance(15) {
		return g.local(boolean, g.oneOf("true", "false"))
	}
	switch g.r.IntN(11) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", g.num(depth-1), g.oneOf("<", ">", "<=", ">=", "==", "~="), g.num(depth-1))
	case 2:
		return fmt.Sprintf("(%s %s %s)", g.str(depth-1), g.oneOf("<", ">", "<=", ">=", "==", "~="), g.str(depth-1))
	case 3, 4:
		return fmt.Sprintf("(%s %s %s)", g.cond(depth-1), g.oneOf("and", "or"), g.cond(depth-1))
	case 5:
		return fmt.Sprintf("not %s", g.cond(depth-1))
	case 6:
		return fmt.Sprintf("(%s %s %s)", g.obj(depth-1), g.oneOf("<", "<=", "==", "~=", ">"), g.obj(depth-1))
	case 7:
		return fmt.Sprintf("(%s == nil)", g.oneOf(g.num(depth-1), "nil", g.lst(depth-1)+"[9]"))
	case 8:
		return g.oneOf("true", "false", "not nil", "(not 1)", "(nil and true)", "(false or not false)", "(nil == false)")
	case 9:
		return fmt.Sprintf("(%s:find(%s) ~= nil)", g.str(depth-1), g.pattern())
	}
	return fmt.Sprintf("(%s == %s)", g.value(depth-1), g.oneOf("1", "'a'", "true", "nil"))
}

// lst is an expression for a list.
func (g *generator) lst(depth int) string {
	if depth <= 0 || g.chance(40) {
		return g.local(list, "({4, 5, 6})")
	}
	switch g.r.IntN(8) {
	case 0:
		return fmt.Sprintf("({%s})", g.args(depth-1))
	case 1:
		return fmt.Sprintf("({%s, k = %s, [10 + 1] = nil})", g.num(depth-1), g.oneOf(g.call(), g.num(depth-1)))
	case 2:
		return fmt.Sprintf("({x = %s, %s})", g.oneOf(g.call(), g.num(depth-1)), g.oneOf(g.call(), g.num(depth-1)))
	case 3:
		return fmt.Sprintf("({unpack(%s)})", g.lst(depth-1))
	case 4:
		if g.chance(20) {
			return "({" + strings.Repeat("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ", 5*(1+g.r.IntN(2))) + g.oneOf("", g.call(), "y = "+g.call(), "y = 1, 5") + "})"
		}
	case 5:
		return fmt.Sprintf("(function(...) return {...} end)(%s)", g.args(depth-1))
	}
	return fmt.Sprintf("({%s, %s})", g.num(depth-1), g.num(depth-1))
}

// bare is an expression of any form, without parentheses around it: what stands where
// may matter to how it is compiled.
func (g *generator) bare() string {
	switch g.r.IntN(14) {
	case 0, 1, 2:
		return g.str(1) + " .. " + g.piece(1)
	case 3:
		return g.str(0) + " .. " + g.piece(0) + " .. " + g.str(0) + " .. " + g.piece(0)
	case 4:
		return g.num(1) + g.oneOf(" + ", " - ", " * ") + g.num(0)
	case 5:
		return g.call()
	case 6:
		return g.obj(1) + ":many(" + g.args(1) + ")"
	case 7:
		return g.cond(1) + g.oneOf(" and ", " or ") + g.oneOf(g.call(), g.str(1)+" .. "+g.piece(0), g.num(1))
	case 8:
		return "not " + g.cond(1)
	case 9:
		return g.oneOf("#", "-") + g.oneOf("'77'", "'3'")
	case 10:
		return g.num(1) + g.oneOf(" == ", " < ", " >= ") + g.num(0)
	case 11:
		return g.oneOf("{}", "{1}", "function() return 1 end", "{x = "+g.str(1)+" .. 'e'}")
	case 12:
		return g.oneOf("1", "'s'", "true", "false", "("+g.call()+")")
	}
	if g.vararg {
		return g.oneOf("...", "(...)", "select('#', ...)")
	}
	return g.obj(0) + g.oneOf(".x", ".twice", ":get(1)")
}

// constructor is a table constructor of items and keys in any order. No item is nil:
// where a list with holes ends is left open.
func (g *generator) constructor() string {
	var fields []string
	n := g.r.IntN(5)
	if g.chance(10) {
		fields = append(fields, strings.TrimSuffix(strings.Repeat("1, 2, 3, 4, 5, ", 10), ", "))
		n = 1 + g.r.IntN(3)
	}
	for range n {
		switch g.r.IntN(5) {
		case 0:
			fields = append(fields, fmt.Sprintf("k%d = %s", g.r.IntN(3), g.bare()))
		case 1:
			fields = append(fields, fmt.Sprintf("['k' .. %d] = %s", g.r.IntN(3), g.bare()))
		case 2:
			fields = append(fields, fmt.Sprintf("[%s] = %s", g.oneOf("100.5", "true", g.str(1)+" .. 'k'", "-1"), g.bare()))
		default:
			fields = append(fields, g.bare())
		}
	}
	if len(fields) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(fields, g.oneOf(", ", "; ")) + g.oneOf("", ",") + " }"
}

// call is a call that returns any number of numbers.
func (g *generator) call() string {
	return fmt.Sprintf("%s(%s)", g.local(variadic, "unpack({8, 9}) + math.max"), g.oneOf("1", "1, 2", "3, 4, 5"))
}

// args is a list of expressions whose last may have several values.
func (g *generator) args(depth int) string {
	var parts []string
	for range g.r.IntN(3) {
		parts = append(parts, g.num(depth-1))
	}
	last := g.num(depth - 1)
	switch g.r.IntN(6) {
	case 0:
		last = g.call()
	case 1:
		last = fmt.Sprintf("unpack(%s)", g.lst(depth-1))
	case 2:
		last = "(" + g.call() + ")"
	case 3:
		if g.vararg {
			last = g.oneOf("...", "(...)", "select(2, 0, ...)")
		}
	}
	return strings.Join(append(parts, last), ", ")
}

// obj is an expression for an object.
func (g *generator) obj(depth int) string {
	if depth <= 0 || g.chance(60) {
		return g.local(object, "V(5)")
	}
	return fmt.Sprintf("V(%s)", g.num(depth-1))
}

// value is an expression of any kind.
func (g *generator) value(depth int) string {
	switch g.r.IntN(6) {
	case 0:
		return g.num(depth)
	case 1:
		return g.str(depth)
	case 2:
		return g.cond(depth)
	case 3:
		return "nil"
	case 4:
		return g.lst(depth)
	}
	return g.local(function, "print")
}

func (g *generator) of(k kind, depth int) string {
	switch k {
	case number:
		return g.num(depth)
	case text:
		return g.str(depth)
	case boolean:
		return g.cond(depth)
	case list:
		return g.lst(depth)
	}
	return g.obj(depth)
}

func (g *generator) plainKind() kind {
	return kind(g.oneOf("n", "n", "n", "s", "b", "t", "o")[0])
}
