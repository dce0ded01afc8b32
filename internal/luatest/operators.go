package luatest

import "fmt"

// operands are values of every type, as they meet in operators.
var operands = []struct{ name, text string }{
	{"nil", "nil"}, {"boolean", "true"}, {"number", "3"}, {"fraction", "-0.5"}, {"text of a number", `"10"`}, {"text", `"abc"`},
	{"table", "{}"}, {"object", "V(4)"}, {"object of another class", "setmetatable({}, other)"}, {"function", "nothing"},
}

var binary = []string{"+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "[]", "[]="}

var unary = []string{"-", "not ", "#", "()", "for"}

// bound writes how an operand gets its name: what an error calls it depends on that, and
// an instruction on a constant is another one.
var bound = []string{
	"local a, b = %s, %s",         // locals
	"local a = %s b = %s",         // a local and a global
	"a = %s local b = %s",         // a global and a local
	"local t = { a = %s, b = %s}", // fields
}

// used are places of an operator's expression: as a value, behind a captured local, as a
// condition, which is another instruction, and in an assignment.
var used = []string{
	"return %s", "return (function() return %s end)()", "if %s then return 1 else return 2 end",
	"local r = 0 r = %s return r", "return %s, 1", "while %s do return 1 end return 2",
}

// binaryCell writes an operator between two operands.
func binaryCell(op, a, b string) func(g *generator) string {
	return func(g *generator) string {
		var x, y, before string
		switch way := g.r.IntN(len(bound) + 1); way {
		case len(bound): // one has a name, the other is written where it is used
			before, x, y = "local up = "+a, "up", b
		case len(bound) - 1:
			before, x, y = fmt.Sprintf(bound[way], a, b), "t.a", "t.b"
		default:
			before, x, y = fmt.Sprintf(bound[way], a, b), "a", "b"
		}
		use := fmt.Sprintf("(%s) %s (%s)", x, op, y)
		if op == "[]" || op == "[]=" {
			use = fmt.Sprintf("(%s)[%s]", x, y)
		}
		use = fmt.Sprintf(g.oneOf(used...), use)
		if op == "[]=" {
			use = fmt.Sprintf("local c = %s c[%s] = 1 ", x, y) + use
		}
		return fmt.Sprintf("do %s\nshow(%d, pcall(function() %s end)) a, b = nil, nil end", before, g.label, use)
	}
}

// unaryCell writes an operator before an operand.
func unaryCell(op, a string) func(g *generator) string {
	return func(g *generator) string {
		use := fmt.Sprintf("return %s(a)", op)
		switch op {
		case "()":
			use = "return (a)(1)"
		case "for":
			use = fmt.Sprintf("for i = %s do return i end", g.oneOf("a, 4", "1, a", "1, 4, a"))
		}
		return fmt.Sprintf("do local a = %s\nshow(%d, pcall(function() %s end)) end", a, g.label, use)
	}
}

// mistakes are uses of a value that is nil or of the wrong type, as %s.
var mistakes = []struct{ name, use string }{
	{"called", "%s()"}, {"called as a method", "%s:m()"}, {"indexed", "local x = %s.k"}, {"indexed by a number", "local x = %s[1]"},
	{"stored to", "%s.k = 1"}, {"added", "local x = %s + 1"}, {"added to", "local x = 1 + %s"}, {"concatenated", "local x = 'a' .. %s"},
	{"negated", "local x = -%s"}, {"its length", "local x = #%s"}, {"compared", "local x = 1 < %s"}, {"compared with a text", "local x = %s <= 'a'"},
	{"called in an expression", "local x = 1 + %s(2)"}, {"tail called", "return %s(1)"}, {"as the limit of a loop", "for i = 1, %s do end"},
	{"iterated", "for k in %s do break end"}, {"as an argument of the library", "local x = math.floor(%s)"}, {"as a second argument", "local x = ('x'):rep(%s)"},
	{"as a table of the library", "table.insert(%s, 1)"}, {"as a key to be stored", "local t = {} t[%s] = 1"}, {"in a chain", "local x = %s.a.b.c"},
	{"over two lines", "local x = 1 +\n%s"},
}

// wrongs are values that a mistake meets, and how it names them.
var wrongs = []struct{ name, before, use string }{
	{"local", "local wrong = %s", "wrong"}, {"global", "wrong = %s", "wrong"}, {"captured local", "local wrong = %s local function f() return wrong end", "wrong"},
	{"field", "local t = { wrong = %s }", "t.wrong"}, {"field of a field", "local t = { u = { wrong = %s } }", "t.u.wrong"}, {"item", "local t = { %s }", "t[1]"},
	{"by a local key", "local t, k = { wrong = %s }, 'wrong'", "t[k]"}, {"result", "local function f() return %s end", "f()"}, {"parameter", "local wrong = %s", "wrong"},
	{"in parentheses", "local wrong = %s", "(wrong)"}, {"result of a method", "local t = { m = function() return %s end }", "t:m()"}, {"constant", "", "(%s)"},
}

// mistakeCell writes a mistake with a value that has a name.
func mistakeCell(use string, wrong int) func(g *generator) string {
	return func(g *generator) string {
		w := wrongs[wrong]
		value := g.oneOf("nil", "true", "{}", "nothing", "V(1)", "'abc'", "7", "setmetatable({}, {})")
		before, name := w.before, w.use
		if w.name == "constant" {
			before, name = "local y", fmt.Sprintf(name, value)
		} else {
			before = fmt.Sprintf(before, value)
		}
		inside := fmt.Sprintf("%s ;\n%s", before, fmt.Sprintf(use, name))
		if w.name == "captured local" {
			inside = fmt.Sprintf("%s ;\n(function()\n%s end)()", before, fmt.Sprintf(use, name))
		}
		return fmt.Sprintf("show(%d, pcall(function() %s\nend)) wrong = nil", g.label, inside)
	}
}
