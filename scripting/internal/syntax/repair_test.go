package syntax

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// run executes a prototype with gopher-lua's own libraries and returns what it
// printed.
func run(t *testing.T, proto *lua.FunctionProto) string {
	t.Helper()
	L := lua.NewState()
	defer L.Close()
	var out strings.Builder
	L.SetGlobal("print", L.NewFunction(func(L *lua.LState) int {
		for i := 1; i <= L.GetTop(); i++ {
			if i > 1 {
				out.WriteByte(' ')
			}
			out.WriteString(L.ToStringMeta(L.Get(i)).String())
		}
		out.WriteByte('\n')
		return 0
	}))
	L.Push(L.NewFunctionFromProto(proto))
	if err := safely(func() error { return L.PCall(0, 0, nil) }); err != nil {
		fmt.Fprintf(&out, "error: %v\n", err)
	}
	return strings.TrimSpace(out.String())
}

func safely(call func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return call()
}

// stock compiles without any repair.
func stock(t *testing.T, src string) *lua.FunctionProto {
	t.Helper()
	tree, err := Parse("p", []byte(src), Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := lowering{places: &placeTable{}}
	proto, err := lua.Compile(l.block(tree.Body), "p")
	if err != nil {
		t.Fatal(err)
	}
	return proto
}

func repaired(t *testing.T, src string) *lua.FunctionProto {
	t.Helper()
	tree, err := Parse("p", []byte(src), Options{})
	if err != nil {
		t.Fatal(err)
	}
	program, err := tree.Compile(Additions{})
	if err != nil {
		t.Fatal(err)
	}
	return program.Proto
}

func items(n int) string {
	var list strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&list, "%d, ", i)
	}
	return list.String()
}

// Every repair is needed, and enough: the program prints something else without
// it, and the right thing with it.
func TestRepairs(t *testing.T) {
	const scribble = " local a, b, c, d, e, f1, g = 91, 92, 93, 94, 95, 96, 97 "
	for _, test := range []struct{ repair, src, want string }{
		{"assignments", `local a, b = 1, 2; a, b = b, a; print(a, b)`, "2 1"},
		{"assignments", `local x, y = 3, 4; x, y = y, x + y; print(x, y)`, "4 7"},
		{"assignments", `local function f(x) x = (tostring(x)) return x end print(f(5))`, "5"},
		{"assignments", `local x = 5 local function f() return false end x = f() and x print(x)`, "false"},
		{"assignments", `local x, y = 5 x = not y and not x and x print(x)`, "false"},
		{"constant receivers", `local t = {} print(pcall(function() (42).hp = 7 end)) print(t.hp)`, "false p:1: attempt to index a non-table object(number) with key 'hp'\nnil"},
		{"local functions", `local function f() return 1 end local g = f local f = function(n) if n then return f() end return 2 end print(f(true))`, "1"},
		{"constructors", `local function f() return 1, 2, 3 end local t = {7, 8, x = f()} print(#t, t.x)`, "2 1"},
		{"constructors", `local function f() return 'a', 'b' end local t = {` + items(50) + `f()} print(#t, t[1], t[51], t[52])`, "52 1 a b"},
		{"constructors", `local function f() return 'a' end local t = {` + items(50) + `x = f(), y = f()} print(#t, t[1], t[2], t.x, t.y)`, "50 1 2 a a"},
		{"generic for", `local function f(s, c) c = (c or 0) + 1 if c < 3 then return c end end do local x, y, z = 5, 5, 5 end for k, v in f do print(k, v) end`, "1 nil\n2 nil"},
		{"generic for", `local function f() return {10} end for k in next, f() do print(k) end`, "1"},
		{"generic for", `for v in (('x'):find('x') ~= nil and 'str' or ''):gmatch('%w') do print(v) break end`, "s"},
		{"breaks", `local f for i = 1, 3 do if i == 2 then local y = i f = function() return y end break end end` + scribble + `print(f())`, "2"},
		{"breaks", `local f while true do do local y = 7 f = function() return y end break end end` + scribble + `print(f())`, "7"},
		{"breaks", `local x = 0 local function inc() x = x + 1 end for i = 1, 3 do if i == 2 then goto continue end inc() ::continue:: end print(x)`, "2"},
	} {
		if got := run(t, stock(t, test.src)); got == test.want {
			t.Errorf("%s: gopher-lua alone is right, the test shows nothing: %s", test.repair, test.src)
		}
		if got := run(t, repaired(t, test.src)); got != test.want {
			t.Errorf("%s: got %q, want %q: %s", test.repair, got, test.want, test.src)
		}
	}
}

// TestOperandsBesideACall: when an operand is read that the other one assigns, as
// lua5.1 prints it.
func TestOperandsBesideACall(t *testing.T) {
	for operand, want := range map[string]string{
		"v":                    "true",
		"(v and v)":            "false",
		"(false or v)":         "true",
		"(true and v)":         "true",
		"(false and v or v)":   "false",
		"(nil and 1 or v)":     "false",
		"(nil and nil or v)":   "true",
		"((true or 1) and v)":  "true",
		"((true or v) and v)":  "false",
		"((1 or false) and v)": "false",
	} {
		src := `local v = 1 local function f() v = 2 return 2 end print(` + operand + ` == f())`
		if got := run(t, repaired(t, src)); got != want {
			t.Errorf("%s == f() is %s, want %s", operand, got, want)
		}
	}
}

// goto is not in Lua 5.1; the outputs are LuaJIT's.
func TestGoto(t *testing.T) {
	for src, want := range map[string]string{
		`local fs, n = {}, 0 local inc = function() n = n + 1 return n end
		for i = 1, 4 do local j = i fs[i] = function() j = j + 1 return j end if i % 2 == 0 then goto continue end inc() ::continue:: end
		print(n, inc(), fs[1](), fs[1](), fs[4]())`: "2 3 2 3 5",
		`local i, fs = 1, {} ::top:: local k = i fs[i] = function() k = k + 10 return k end i = i + 1 if i <= 3 then goto top end print(fs[1](), fs[2](), fs[1]())`: "11 12 21",
		`local x = 1 local get = function() return x end do goto out local y = 3 K = function() return y end end ::out:: x = 5 print(get())`:                        "5",
		`local i = 0 while true do i = i + 1 if i > 5 then goto done end if i % 2 == 1 then goto next end print(i) ::next:: end ::done:: print(i)`:                  "2\n4\n6",
		`for i = 1, 2 do for j = 1, 3 do if j == 2 then goto outer end print(i, j) end ::outer:: end`:                                                               "1 1\n2 1",
		`local i = 0 repeat i = i + 1 local k = i * 2 if k == 4 then goto skip end print(k) ::skip:: until i >= 3`:                                                  "2\n6",
	} {
		if got := run(t, repaired(t, src)); got != want {
			t.Errorf("%s: got %q, want %q", src, got, want)
		}
	}
}

// What is wrong with labels is reported where it is, all of it.
func TestLabels(t *testing.T) {
	for text, want := range map[string]string{
		"local x\ngoto nowhere\nlocal y":                "t.lua:2:1: goto nowhere: there is no such label, or it is inside of another block",
		"do\ngoto past\nlocal y\n::past:: print(y) end": `t.lua:2:1: goto past jumps into the scope of the local "y"`,
		"do\ngoto past\nlocal y\n::past:: end":          "",
		"repeat\ngoto past\nlocal y\n::past:: until y":  `t.lua:2:1: goto past jumps into the scope of the local "y"`,
		"::a::\nlocal x\n::a::":                         `t.lua:3:1: label "a" is on line 1 already`,
		"goto a\ndo ::b:: ::b:: end\nfor i = 1, 3 do goto d end": "t.lua:1:1: goto a: there is no such label, or it is inside of another block\n" +
			"t.lua:2:10: label \"b\" is on line 2 already\nt.lua:3:17: goto d: there is no such label, or it is inside of another block",
	} {
		var list []string
		for _, f := range faultsOf("t.lua", text) {
			list = append(list, f.Error())
		}
		if got := strings.Join(list, "\n"); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// In random texts of labels, gotos and locals, those texts have a fault that gopher-lua's
// compiler refuses.
func TestLabelsAsStock(t *testing.T) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	refused := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 9))
		var text strings.Builder
		labelTexts(r, &text, 4)
		_, stock := L.LoadString(text.String())
		if faults := faultsOf("t.lua", text.String()); (len(faults) > 0) != (stock != nil) {
			t.Fatalf("seed %d: %v, gopher-lua %v\n%s", seed, faults, stock, &text)
		}
		if stock != nil {
			refused++
		} else if err := compile(text.String()); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, &text)
		}
	}
	if refused < 300 || refused > 2700 {
		t.Errorf("%d refused", refused)
	}
}

// labelTexts writes random statements of a block.
func labelTexts(r *rand.Rand, text *strings.Builder, depth int) {
	for range r.IntN(4) {
		name := string(rune('a' + r.IntN(4)))
		switch kind := r.IntN(10); {
		case kind < 2:
			text.WriteString("local x" + name + " = 1\n")
		case kind < 4:
			text.WriteString("goto " + name + "\n")
		case kind < 6:
			text.WriteString("::" + name + "::\n")
		case depth > 0:
			around := [...][2]string{{"do", "end"}, {"while y do", "end"}, {"repeat", "until y"}, {"if y then", "end"}, {"for i = 1, 2 do", "end"}, {"f(function()", "end)"}}
			block := around[r.IntN(len(around))]
			text.WriteString(block[0] + "\n")
			labelTexts(r, text, depth-1)
			text.WriteString(block[1] + "\n")
		}
	}
}
