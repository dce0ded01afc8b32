package syntax

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// Our parser and gopher-lua's build the same tree, but for lines and for the
// numerals that theirs misreads.
func TestSameTreeAsStock(t *testing.T) {
	for _, src := range []string{
		"", ";", "return", "return 1, 2;", "do end", "local a", "local a, b = 1", "a = 1", "a.b, c[1] = f()",
		"local function f(a, ...) return ... end", "function a.b.c:d(x) return self end", "f = function() end",
		"while a do b() break end", "repeat local x = 1 until x == 1", "for i = 1, 2 do end", "for i = 1, 2, 3 do end",
		"for k, v in pairs(t) do print(k, v) end", "if a then elseif b then c() else d() end", "goto x ::x::",
		"a = u + 2 * v ^ 4 ^ w - -x .. 'x' .. 'y' == not z and #w or q", "a = (f()) b = (...)", "f{1, 2; x = 3, [4] = 5}",
		"f'x'.y:z\"w\"[1](2)", "a = [[\nlong]] .. [==[]]]==]", "a = 'q\\65\\n\\\\\\\nz'", "--[[ c ]] a = 1 -- d", "a = nil ~= true <= false",
		"a = -x^2 b = not -x c = 2^-y", "a.b.c = d.e:f().g", "local t = {f(), g = 1, (h())}", "a = x < y == (z >= w)",
	} {
		want, err := parse.Parse(strings.NewReader(src), "p")
		if err != nil {
			t.Fatalf("%s: gopher-lua: %v", src, err)
		}
		tree, err := Parse("p", []byte(src), Options{})
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		l := lowering{places: &placeTable{}}
		if got, want := parse.Dump(l.block(tree.Body)), parse.Dump(want); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", src, got, want)
		}
	}
}

// Each faulty script stands beside the error it gets.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"local x = \nif", `p:2:1: expected an expression, found "if"`},
		{"x = 1 +", "p:1:8: expected an expression, found the end of the file"},
		{"print('a", "p:1:7: unfinished string: the closing ' is missing on this line"},
		{"x = [[a\nb", `p:1:5: unfinished long string: "]]" is missing`},
		{"--[[ a", `p:1:3: unfinished long comment: "]]" is missing`},
		{"x = '\\300'", `p:1:6: escape sequence \300 is above \255`},
		{"x = 3x", `p:1:5: malformed number "3x": a name does not begin with a digit`},
		{"x = 0x", `p:1:5: malformed number "0x"`},
		{"if a != b then end", `p:1:6: unexpected "!=": did you mean ~= (not equal)?`},
		{"if a && b then end", `p:1:6: unexpected "&&": did you mean and?`},
		{"if a || b then end", `p:1:6: unexpected "||": did you mean or?`},
		{"if !a then end", `p:1:4: unexpected "!": did you mean not?`},
		{"if a = 1 then end", `p:1:6: unexpected "=" in a condition: did you mean ==?`},
		{"x = \xff", `p:1:5: unexpected symbol "\xff"`},
		{"x = a @ b", `p:1:7: unexpected symbol "@": names begin with a letter or _`},
		{"x += 1", `p:1:3: "+=" is not in Lua: write x = x + y`},
		{"x++", `p:1:2: "++" is not in Lua: write x = x + 1`},
		{"x = 5 // 2", `p:1:7: "//" is not an operator of Lua 5.1: a comment starts with --, and math.floor(a / b) divides without a remainder`},
		{"do x y end", `p:1:6: expected "=" or a call after the name, found the name "y"`},
		{"x", `p:1:2: expected "=" or a call after the name, found the end of the file`},
		{"continue", "p:1:1: continue is not in Lua: use goto continue and put ::continue:: at the end of the loop"},
		{"var x = 1", `p:1:1: unknown word "var": did you mean local?`},
		{"if a then\n  b()\nesle\n  c()\nend", `p:3:1: unknown word "esle": did you mean else?`},
		{"if a thne\n  b()\nend", `p:1:6: unknown word "thne": did you mean then?`},
		{"(f())", `p:1:6: expected "=" or a call after the name, found the end of the file`},
		{"f() = 1", "p:1:5: cannot assign to this expression: only names and fields can be set"},
		{"break", "p:1:1: break outside a loop"},
		{"function f() return ... end", `p:1:21: cannot use "..." outside a function that takes "..."`},
		{"return 1 x = 2", `p:1:10: expected "return" to be the last statement of its block, found the name "x"`},
		{"end", `p:1:1: unexpected "end": every block before it is closed already`},
		{"x = f\n(g or h)()", "p:2:1: unclear whether this starts a statement or calls what ends line 1: put a ; in front of it, or move it up"},
		{"function f()\n  if a then\n    b()\nend\nreturn 1", `p:5:9: expected "end" to close "function" of line 1 (by the indentation, "if" of line 2 lacks its end: it took the one of line 4), found the end of the file`},
		{"if a then\nelse if b then\nend\n", `p:2:1: "else if" opens a second if, which needs its own end: did you mean elseif?`},
		{"f(function()\n  if a then\n    b()\nend)", `p:4:4: expected "end" to close "function" of line 1 (by the indentation, "if" of line 2 lacks its end: it took the one of line 4), found ")"`},
		{"s {\n  run = function()\n    if a then\n      b()\n  end,\n}", `p:5:6: expected "end" to close "function" of line 2 (by the indentation, "if" of line 3 lacks its end: it took the one of line 5), found ","`},
		{"s { run = function()\n  b()\n}", `p:3:1: expected "end" to close "function" of line 1, found "}"`},
		{"f(function()\n  if a then\n    b()\n  else if c then\n    d()\n  end\nend)", `p:4:3: "else if" opens a second if, which needs its own end: did you mean elseif?`},
		{"f(function()\n  b())\nend)", `p:2:6: expected a statement, found ")"`},
		{"if a then\n  return 1\nb()", `p:3:1: expected "end" to close "if" of line 1, found the name "b"`},
		{"if a then\n  b()\n  end end\nc()\nend", `p:3:7: unexpected "end": every block before it is closed already (by the indentation, the end of line 3 is one too many: it closed "if" of line 1)`},
		{"function f()\n  if a then\n    b()\n    end end\nend", `p:5:1: unexpected "end": every block before it is closed already (by the indentation, the end of line 4 is one too many: it closed "if" of line 2)`},
		{"t = {\n  a = {\n  b = 1,\n}", `p:4:2: expected "}" to close "{" of line 1 (by the indentation, "{" of line 2 lacks its "}": it took the one of line 4), found the end of the file`},
		{"f(1,\n2", `p:2:2: expected ")" to close "(" of line 1, found the end of the file`},
		{"t = {1, 2", `p:1:10: expected "}" to close "{", found the end of the file`},
		{"function f(a b) end", `p:1:14: expected "," before the name "b"`},
		{"local function a.b() end", `p:1:17: a local function has a plain name: leave out local, or the "."`},
		{"for i do end", `p:1:7: expected "=" or "in" after the names of the loop, found "do"`},
		{"goto nowhere", ""},
		{strings.Repeat("(", 200), "p:1:151: more than 150 levels of nesting"},
		{"x = " + strings.Repeat("-", 2), "p:1:7: expected an expression, found the end of the file"},
		{"x = " + strings.Repeat("a+", 1000) + "a", "p:1:1502: expression is too long: more than 250 operators or calls in a row; use locals for parts of it"},
		{"x = {" + strings.Repeat("1,", 30000) + "}", "p:1:5: table constructor has 30000 items, more than 25550: fill the table in a loop, or in parts"},
		{"if a then " + strings.Repeat("elseif b then ", 2000) + "end", "p:1:14011: more than 1000 elseif parts: use a table"},
		{"x = a" + strings.Repeat(" .. a", 200), "p:1:947: more than 190 texts joined by .. in one expression: use table.concat"},
		{"x = {" + distinct(11000) + "}", "p:1:54614: too many different names, texts and numbers in one function: put parts of it into functions of their own"},
		{"x = a\n  ." + strings.Repeat("b", 256), "p:2:4: name is 256 letters long, more than 255"},
		{"\x1bLua", "p: not a text file: compiled Lua cannot be loaded"},
		{"x = '\x00'", "p: not a text file: it contains a zero byte"},
		{strings.Repeat(" ", 300<<10), "p: script is 307200 bytes long, more than the limit of 262144"},
	} {
		err := compile(test.src)
		switch {
		case test.want == "" && err == nil:
			t.Errorf("%.60q: no error", test.src)
		case test.want != "" && (err == nil || err.Error() != test.want):
			t.Errorf("%.60q:\n got %v\nwant %s", test.src, err, test.want)
		}
		if fault := new(Error); err != nil && !errors.As(err, &fault) {
			t.Errorf("%.60q: %T is not *Error", test.src, err)
		}
	}
}

func distinct(n int) string {
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, "%d,", i)
	}
	return list.String()
}

func compile(src string) error {
	tree, err := Parse("p", []byte(src), Options{})
	if err != nil {
		return err
	}
	_, err = tree.Compile(Additions{})
	return err
}

// What the compiler behind us would take wrongly or panic on is an error, too.
func TestCompilerLimits(t *testing.T) {
	many := func(n int, one string) string { return strings.Repeat(one, n) }
	for name, src := range map[string]string{
		"locals":     "local x " + many(250, "local x "),
		"parameters": "function f(" + many(250, "a,") + "b) end",
		"arguments":  "f(" + many(250, "g(),") + "1)",
		"too long":   many(50000, "a=b "),
	} {
		err := compile(src)
		if name == "too long" {
			continue // allowed; it must only not panic
		}
		if fault := new(Error); !errors.As(err, &fault) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A numeral that is larger than any number is infinite, in both ways of writing.
func TestInfiniteNumerals(t *testing.T) {
	for _, numeral := range []string{"1e400", "0x" + strings.Repeat("f", 300), "1" + strings.Repeat("0", 400)} {
		if got := run(t, repaired(t, "print("+numeral+" == 1 / 0)")); got != "true" {
			t.Errorf("%.20s: %s", numeral, got)
		}
	}
}

// A function that has too many locals, or needs too many registers, is reported at a line.
func TestTooManyLocals(t *testing.T) {
	locals := func(n int) string { return strings.Repeat("local x = 1\n", n) }
	for src, want := range map[string]string{
		locals(201):                  "p:201:7: more than 200 locals at once in one function: put some of them into a table, or into a function or a do block of their own",
		locals(199) + "y = x + f(x)": "p:200: function or expression needs more than 200 locals and temporary values",
		"function f()\n" + locals(199) + "y = x + f(x)\nend": "p:1:1: function or expression needs more than 200 locals and temporary values",
	} {
		if err := compile(src); err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", src, err, want)
		}
	}
}

func TestStartOfFile(t *testing.T) {
	for src, line := range map[string]int{"\xef\xbb\xbfx = !": 1, "#!/usr/bin/lua\nx = !": 2, "# x\r\n\r\nx = !": 3} {
		fault := new(Error)
		if err := compile(src); !errors.As(err, &fault) || fault.Line != line {
			t.Errorf("%q: got %v, want an error in line %d", src, err, line)
		}
	}
}

// The names that are visible at a place are those in scope, and the globals that are set.
func TestVisible(t *testing.T) {
	const text = "local a, x = 1\ndo local b = 1 end\nlocal function f(c, ...)\n  for d = 1, 2 do G = HERE end\nend\nlocal e"
	tree, err := Parse("p", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(tree.Visible(At(4, 23)), " "); got != "G a c d f x" {
		t.Errorf("got %s", got)
	}
	if got := strings.Join(tree.Visible(Pos{}), " "); got != "G" {
		t.Errorf("without a place: %s", got)
	}
}

// Compiling leaves the tree as it is: the second program is the first one.
func TestTreesDoNotChange(t *testing.T) {
	const text = "local a, b = 1, 2 a, b = b, a x = 'a' .. b t[#t] = nil for k in next, {} do do local y = k F = function() return y end break end end"
	opts := Options{Concat: &lua.LFunction{IsG: true}, Pop: &lua.LFunction{IsG: true}}
	tree, err := Parse("p", []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	dump := func() string { return parse.Dump((&lowering{places: &placeTable{}}).block(tree.Body)) }
	before := dump()
	first, err := tree.Compile(Additions{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := tree.Compile(Additions{})
	if err != nil {
		t.Fatal(err)
	}
	if after := dump(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if !slices.Equal(first.Proto.Code, second.Proto.Code) || first.Proto.String() != second.Proto.String() {
		t.Error("the second program is another one")
	}
}

// Every instruction knows its place, and every function its number.
func TestPlacesSurvive(t *testing.T) {
	const text = "local t = {}\nlocal function f(x)\n  return x.y.zz + undefined\nend\nfunction t.g() return function() end end"
	tree, err := Parse("p", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	program, err := tree.Compile(Additions{})
	if err != nil {
		t.Fatal(err)
	}
	f, g := program.Proto.FunctionPrototypes[0], program.Proto.FunctionPrototypes[1]
	for proto, want := range map[*lua.FunctionProto]FuncID{program.Proto: 0, f: 1, g: 2, g.FunctionPrototypes[0]: 3} {
		if got := program.Code(proto).Function; got != want {
			t.Errorf("the function of line %d has number %d, want %d", proto.LineDefined, got, want)
		}
	}
	var places []string
	for pc, code := range f.Code {
		at := program.Code(f).Places[pc]
		places = append(places, fmt.Sprintf("%d at %d:%d", code>>26, at.Line(), at.Column()))
	}
	want := fmt.Sprintf("%d at 3:12, %d at 3:14, %d at 3:19, %d at 3:17, %d at 3:3, %d at 4:1",
		lua.OP_GETTABLEKS, lua.OP_GETTABLEKS, lua.OP_GETGLOBAL, lua.OP_ADD, lua.OP_RETURN, lua.OP_RETURN)
	if got := strings.Join(places, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Lines survive every repair: the error of each statement names its own line.
func TestLinesSurvive(t *testing.T) {
	for _, src := range []string{
		"local a, b = 1, 2\na, b = b,\n  a.x.y", "local t = {}\nt.x, t.y = 1, 2\nfor k in nil, 1 do\nend",
		"local x\nlocal f = function()\n  return x.y.z\nend\nf()", "while true do\n  break\nend\nerror('here')",
		"for i = 1, 2 do\n  do local y = i K = function() return y end break end\nend\nnil_function()",
		"goto a\n::a::\nlocal x = nil + 1",
	} {
		out := run(t, repaired(t, src))
		want := "p:" + string(rune('0'+strings.Count(src[:lastFault(src)], "\n")+1)) + ":"
		if !strings.HasPrefix(out, "error: "+want) {
			t.Errorf("%q: got %.60q, want line %s", src, out, want)
		}
	}
}

// lastFault finds the part of a script of TestLinesSurvive that fails.
func lastFault(src string) int {
	for _, fault := range []string{"a.x.y", "for k in nil", "x.y.z", "error(", "nil_function", "nil + 1"} {
		if i := strings.Index(src, fault); i >= 0 {
			return i
		}
	}
	return 0
}

// Repairs keep to the table: names are unique and reasons are given.
func TestRepairsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range repairs() {
		if r.name == "" || r.reason == "" || seen[r.name] || reflect.ValueOf(r.run).IsNil() {
			t.Errorf("repair %q is not complete or not unique", r.name)
		}
		seen[r.name] = true
	}
}

// A compiled function keeps what it consists of and not the compiler's buffers: a text
// may have many small ones.
func TestPrototypesKeepNoBuffers(t *testing.T) {
	tree, err := Parse("p", []byte("local x x = function() end x = function(a) local b = a + 1 return x(b), 'c' end"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	program, err := tree.Compile(Additions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, proto := range append(program.Proto.FunctionPrototypes, program.Proto) {
		for name, spare := range map[string]int{
			"instructions": cap(proto.Code) - len(proto.Code),
			"constants":    cap(proto.Constants) - len(proto.Constants),
			"functions":    cap(proto.FunctionPrototypes) - len(proto.FunctionPrototypes),
			"positions":    cap(proto.DbgSourcePositions) - len(proto.DbgSourcePositions),
			"locals":       cap(proto.DbgLocals) - len(proto.DbgLocals),
			"calls":        cap(proto.DbgCalls) - len(proto.DbgCalls),
			"upvalues":     cap(proto.DbgUpvalues) - len(proto.DbgUpvalues),
		} {
			if spare > 0 {
				t.Errorf("function of line %d: room for %d more %s", proto.LineDefined, spare, name)
			}
		}
	}
}

// The compiled text of many small functions takes memory by what they are.
func TestSmallFunctionsTakeLittle(t *testing.T) {
	const functions = 2000
	tree, err := Parse("p", []byte("local x "+strings.Repeat("x=function() end ", functions)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := heap()
	program, err := tree.Compile(Additions{})
	if err != nil {
		t.Fatal(err)
	}
	if each := (int64(heap()) - int64(before)) / functions; each > 3000 {
		t.Errorf("a small function takes %d bytes", each)
	}
	runtime.KeepAlive(program)
	runtime.KeepAlive(tree)
}
