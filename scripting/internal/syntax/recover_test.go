package syntax

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// placesOf returns the places of all faults of a text.
func placesOf(src string) string {
	var list []string
	for _, f := range faultsIn(src) {
		list = append(list, fmt.Sprintf("%d:%d", f.Line, f.Column))
	}
	return strings.Join(list, " ")
}

// Each text stands beside the places of its faults: all that are there, and none that
// only comes from what was left out after another.
func TestAllFaults(t *testing.T) {
	for src, want := range map[string]string{
		"x = = 1\ny = 2\nz = * 3":                                                                            "1:5 3:5",
		"x = 1 @\ny != 2":                                                                                    "1:7 2:3",
		"if x = 1 then\n  f()\nelse\n  g()\nend\ny = = 2":                                                    "1:6 6:5",
		"for i = 1 10 do\n  f(i)\nend\nwhile x do\n  y = = 1\nend":                                           "1:11 5:7",
		"function f(a b)\n  return ...\nend\nlocal 1 = 2":                                                    "1:14 2:10 4:7",
		"local function f()\n  if a then\n    x = = 1\n  end\n  y = )\n  return 1\nend\nz = 'a":              "3:9 5:7 8:5",
		"ecs.system 'a' {\n  each = function(e)\n    x = = 1\n    y = = 2\n  end,\n  run = = 3,\n}\nz = = 4": "3:9 4:9 6:9 8:5",
		"t = {\n  a = 1,\n  b = = 2,\n  c = 3,\n}\nx = = 1":                                                  "3:7 6:5",
		"f(1,\n  = 2,\n  3)\nx = = 1":                                                                        "2:3 4:5",
		"while true do\n  x = = 1\n  break\nend\nbreak":                                                      "2:7 5:1",
		"x = 3x\ny = '\\300' .. z\nz = = 1":                                                                  "1:5 2:6 3:5",
		"x = = 1\nend\nend":                                                                                  "1:5 2:1 3:1",
		"function f()\n  if a then\n    b()\nend\nreturn 1":                                                  "5:9",
		"if a then\n  b()\nesle\n  c()\nend\nx = = 1":                                                        "3:1 6:5",
		"loacl x = 1\nretrun x":                                                                              "1:1 2:1",
		"if a thne\n  b()\nend\nx = = 1":                                                                     "1:6 4:5",
		"whlie a do\n  b()\nedn\nx = = 1":                                                                    "1:1 3:1 4:5",
		"For i = 1, 3 do\n  b()\nend":                                                                        "1:1",
		"fucntion f(a)\n  a()\nend\nrepaet\n  f()\nuntli a":                                                  "1:1 4:1 6:1",
		"x = [[\na = = 1":                                                                                    "1:5",
		"x = = [[\na = = 1\n]]\ny = = 2":                                                                     "1:5 4:5",
		"x = = 1\nif a then\nb = 2\nelse\nc = = 3\nend\nd = = 4":                                             "1:5 5:5 7:5",
		"x = = 1\n\n--[[\ny = = 2\n]]\nz = = 3":                                                              "1:5 6:5",
		strings.Repeat("x = = 1\n", 30):                                                                      strings.TrimSpace(many20()),
	} {
		if got := placesOf(src); got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}

func many20() string {
	var list strings.Builder
	for line := range maxFaults {
		fmt.Fprintf(&list, "%d:5 ", line+1)
	}
	return list.String()
}

// Each mistake is told once, where it is, and what is missing there is named.
func TestWhatIsMissing(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"local function f(x)\n  return 3\n  local y = function() return 1 end\n  if y then print(y) end\nend\nreturn f", `p:3:3: expected "return" to be the last statement of its block, found "local"`},
		{"if x then\n  return 3\n  x = 4\nend", `p:3:3: expected "return" to be the last statement of its block, found the name "x"`},
		{"local function f(x)\n  repeat\n    x = x + 1\nend\nreturn f", `p:4:1: expected "until" to close "repeat" of line 2, found "end"`},
		{"if t == (2 + (3 then\n  t = 2\nend", `p:1:17: expected ")" to close "(", found "then"`},
		{"local function a(x)\n  if x then\n    print(1)\nend\n\nlocal function b(x)\n  if x then\n    print(2)\nend\nreturn a", "p:10:9: expected \"end\" to close \"function\" of line 6 (by the indentation, \"if\" of line 7 lacks its end: it took the one of line 9), found the end of the file\np:10:9: expected \"end\" to close \"function\" of line 1 (by the indentation, \"if\" of line 2 lacks its end: it took the one of line 4), found the end of the file"},
		{"local C = {\n  A = f(\"A\", { n = g(0) },\n  B = f(\"B\"),\n  C = f(\"C\"),\n}\nreturn C", `p:2:26: expected ")" before ","`},
		{"ecs.system \"s\"\n  phase = \"logic\",\n  query = { A },\n  every = 0.5,\n  each = function(e, a) a.n = 1 end,\n}", `p:1:15: expected "{" before the name "phase"`},
		{"ecs.system \"s\" {\n  phase = \"logic\",\n  query = A },\n  every = 0.5,\n}", `p:3:11: expected "{" before the name "A"`},
		{"ecs.system \"s\" {\n  every = 1,\n  run = (ctx)\n    state.n = 1\n    local y = 1\n  end,\n}", `p:3:9: expected "function" before "("`},
		{"ecs.system \"s\" {\n  phase = \"animation\"\",\n  every = 1,\n}", `p:2:22: unfinished string: the closing " is missing on this line`},
		{"x.a = a b\nx.b = c", `p:1:9: expected an operator or a new line before the name "b"`},
		{"if x == nil , \n  return end", `p:1:13: expected "then" after the condition, found ","`},
		{"ecs.component(\"H\", {\n  hp = ecs.f32(100)\n  max = ecs.f32(100)\n})", `p:2:20: expected "," before the name "max"`},
		{"ecs.log(\"a\" \"b\")\nx = \"a\" . \"b\"", "p:1:13: expected \",\" before the string \"b\"\np:2:9: unexpected \".\": did you mean ..?"},
		{"local y = 'don't'\nlocal z = require “ecs”", "p:1:15: unfinished string: this ' ends it: write \\' for it, or \" around the string\np:2:19: unexpected “: a string begins and ends with a straight quote, \" or '"},
		{"s {\n  each = function(e, h) {\n    h.hp = 1\n  },\n}\nif (x == 1) {\n  f()\n} else {\n  g()\n}", "p:2:25: unexpected \"{\": a block is closed by end and opened by nothing\np:6:13: expected \"then\", found \"{\": a block is closed by end"},
		{"for i = 1, b:n do\n  s[i] = i\nend\nx = 1", `p:1:13: ":n" calls a function: write ".n" for a field, or ":n()"`},
		{"if b:n then\n  f()\nend\nlocal t = { b:wide,\nw = there:x - y }", "p:1:5: \":n\" calls a function: write \".n\" for a field, or \":n()\"\np:4:14: \":wide\" calls a function: write \".wide\" for a field, or \":wide()\"\np:5:10: \":x\" calls a function: write \".x\" for a field, or \":x()\""},
		{"each = { funtion(e, h)\n  h.x = 1\nend }\nx()", `p:1:10: unknown word "funtion": did you mean function?`},
		{"ecs.system \"s\" {\n  every = 1\n  phase = \"logic\"\n  run = function() end\n}", "p:2:12: expected \",\" before the name \"phase\"\np:3:18: expected \",\" before the name \"run\""},
		{"local t = {\n  { 1, 2 }\n  { 3, 4 }\n  \"a\"\n  f = 1\n}\nlocal function g(a b c)\n  return f(1 t b)\nend", "p:2:11: expected \",\" before \"{\"\np:3:11: expected \",\" before the string \"a\"\np:4:6: expected \",\" before the name \"f\"\np:7:20: expected \",\" before the name \"b\"\np:7:22: expected \",\" before the name \"c\"\np:8:14: expected \",\" before the name \"t\"\np:8:16: expected \",\" before the name \"b\""},
		{"local t = { a = 1 b = { x = 1 y = 2 } }\nt = {\n  { x = 1 y = 2 }\n  { x = 3 y = 4 }\n}", "p:1:19: expected \",\" before the name \"b\"\np:1:31: expected \",\" before the name \"y\"\np:3:11: expected \",\" before the name \"y\"\np:3:18: expected \",\" before \"{\"\np:4:11: expected \",\" before the name \"y\""},
		{"W = f(\"W\" { x = g(1 2) y = 0 })\nt = { a = f(1 2) b = 3 }", "p:1:11: expected \",\" before \"{\"\np:1:21: expected \",\" before the number 2\np:1:24: expected \",\" before the name \"y\"\np:2:15: expected \",\" before the number 2\np:2:18: expected \",\" before the name \"b\""},
		{"s {\n  query = { H with = { H } }\n  each = function(a b) end\n}", "p:2:15: expected \",\" before the name \"with\"\np:2:29: expected \",\" before the name \"each\"\np:3:21: expected \",\" before the name \"b\""},
		{"local t = {\n  a = 1,\n\nlocal x = 1\n", `p:4:1: expected "}" to close "{" of line 1, found "local"`},
		{"local E = ecs.event(\"E\", { v = 1 },\nlocal a = { 1, 2 }\nlocal b = { 3 }", `p:1:35: expected ")", found ","`},
		{"local t = {\n  rings =\n    { towers = 8 },\n    { towers = 16 },\n  },\n  seconds = 8,\n}", `p:2:10: expected "{" before "{"`},
		{"local list = {\n  { 1, 2 },\n  { 3, 4 }, b = { 5 },\n  8, 9 },\n  { 10, 11 },\n}", `p:4:3: expected "{" before the number 8`},
		{"s {\n  each = function\"e, a)\n    a.x = 1\n    a.y = 2\n  end,\n  run = elseif(e, a)\n    a.x = 1\n    a.y = 2\n  end,\n}", "p:2:18: unfinished string: the closing \" is missing on this line\np:6:9: expected an expression, found \"elseif\""},
		{"ecs.system \"s\", {\n  every = 1,\n}\nlog \"a\", x", "p:1:15: several arguments need parentheses, such as f(\"a\", b)\np:4:8: several arguments need parentheses, such as f(\"a\", b)"},
		{"ecs.system s\" {\n  every = 1,\n}\nfor (e in f { x }) do\n  e.x = [ 1, 2 ]\nend\nf(g(1)))\nh(function data\n  x = 1\nend)", "p:1:13: unfinished string: the closing \" is missing on this line\np:4:5: expected a name after for, found \"(\": what follows for has no parentheses around it\np:5:9: unexpected \"[\": a list is written { … }\np:7:8: unexpected \")\": every bracket before it is closed already\np:8:12: expected \"(\" and the parameters of the function, found the name \"data\": a function in an expression has no name, as in f = function(a, b) … end"},
		{"if (x > 2) {\n  x = 4\n} else if (x > 3) {\n  f() } else { g() }", "p:1:12: expected \"then\", found \"{\": a block is closed by end\np:3:19: expected \"then\", found \"{\": a block is closed by end"},
		{"local t = {1,2,3\nprint(t[1])", `p:2:1: expected "}" to close "{" of line 1, found the name "print"`},
		{"foo({1,2,3)", `p:1:11: expected "}" to close "{", found ")"`},
		{"M = {}\nM.f(x)\n  if x then\n    return 1\n  end\nend\nreturn M", `p:2:1: expected "function" before the name "M"`},
	} {
		var list []string
		for _, f := range faultsIn(test.src) {
			list = append(list, f.Error())
		}
		if got := strings.Join(list, "\n"); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.src, got, test.want)
		}
	}
}

// What is read again for the faults of a text grows as the text does, and ends at a limit.
func TestReadingAgainIsBounded(t *testing.T) {
	for _, lines := range []string{"x = = 1\n", "f(\n", "if a then\n", "whil a do\n", "f({ a = b c,\n", "x = 'a\n", "f(function() {\n", "end\n", "x = 1 ", "t = { 1\n 2\n 3\n }\n", "{ 1, 2 }\n", "if (x) {\n y = 1\n}\n"} {
		read := func(n int) int {
			p := newParser("p", "function f()\n"+strings.Repeat(lines, n)+"y = = 1")
			p.chunk()
			r := recovery{budget: maxReread}
			r.all(p)
			if most := maxReread + 2*len(p.lx.src); maxReread-r.budget > most {
				t.Errorf("%q: %d bytes are read again, more than %d", lines, maxReread-r.budget, most)
			}
			return maxReread - r.budget
		}
		if once, twice := read(1000), read(2000); twice > 5*once/2+10_000 {
			t.Errorf("%q: %d bytes are read again, and %d of a text that is twice as long", lines, once, twice)
		}
		read(10_000)
	}
}

// In a text as people indent it, every broken statement is reported, and nothing else.
func TestRandomFaults(t *testing.T) {
	for seed := range uint64(*most / 4) {
		b := breaker{r: rand.New(rand.NewPCG(seed, 7)), line: 1}
		b.block(0, 2+b.r.IntN(6))
		if got, want := placesOf(b.text.String()), strings.Join(b.want, " "); got != want {
			t.Fatalf("seed %d: got %q, want %q\n%s", seed, got, want, b.text.String())
		}
	}
}

// breaker writes a text with broken statements.
type breaker struct {
	r    *rand.Rand
	text strings.Builder
	line int
	want []string
}

func (b *breaker) write(indent int, text string) {
	b.text.WriteString(strings.Repeat("  ", indent) + text + "\n")
	b.line++
}

// broken writes a statement whose fault is at the mark.
func (b *breaker) broken(indent int, text string) {
	if len(b.want) >= maxFaults-1 {
		text = "x = 1"
	} else {
		b.want = append(b.want, fmt.Sprintf("%d:%d", b.line, 2*indent+strings.Index(text, "#")+1))
	}
	b.write(indent, strings.Replace(text, "#", "", 1))
}

func (b *breaker) block(indent, statements int) {
	for range statements {
		b.statement(indent)
	}
}

func (b *breaker) statement(indent int) {
	inside := func() {
		if indent < 4 {
			b.block(indent+1, 1+b.r.IntN(3))
		}
		b.write(indent, "end")
	}
	switch b.r.IntN(11) {
	case 0:
		b.broken(indent, "x = #= 1")
	case 1:
		b.broken(indent, "local t = { a = #= 1 }")
	case 2:
		b.broken(indent, "f(1, #)")
	case 3:
		b.write(indent, "if a then")
		inside()
	case 4:
		b.write(indent, "for i = 1, 3 do")
		inside()
	case 5:
		b.write(indent, "local function f(a, ...)")
		inside()
	case 6:
		b.write(indent, "g(function(a)")
		if indent < 4 {
			b.block(indent+1, 1+b.r.IntN(3))
		}
		b.write(indent, "end)")
	case 7: // what belongs to a broken head is left out
		if len(b.want) < maxFaults-1 {
			b.broken(indent, "while x #= 1 do")
			b.write(indent+1, "y = 2")
			b.write(indent+1, "break")
			b.write(indent, "end")
		}
	case 8:
		b.write(indent, "if a then")
		b.write(indent+1, "x = 1")
		b.write(indent, "elseif b then")
		inside()
	case 9:
		b.write(indent, "repeat")
		b.block(indent+1, 1)
		b.write(indent, "until a == 1")
	default:
		b.write(indent, "x = y + 1")
	}
}
