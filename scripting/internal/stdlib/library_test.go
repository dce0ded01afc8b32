package stdlib_test

import (
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
)

// Each script stands beside what it prints.
func TestFunctions(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		// numbers as in C
		{`print(1, 1.5, 1/3, 1e15, 1e14, 2^53, 1e100, -1/0)`, "1 1.5 0.33333333333333 1e+15 1e+14 9.007199254741e+15 1e+100 -inf"},
		{`print(1e15 .. "", tostring(0.1), 0/0)`, "1e+15 0.1 nan"},
		{`print(tonumber("0x1F"), tonumber("1e5"), tonumber(" 12 "), tonumber("1 2"), tonumber(""), tonumber("0x"))`, "31 100000 12 nil nil nil"},
		{`print(tonumber("z", 36), tonumber("-ff", 16), tonumber("12", 2), tonumber("1e400"), tonumber(nil))`, "35 1.844674407371e+19 nil inf nil"},
		{`print("10" + 5, "0x10" * 1, "010" - 0, -"2", "7" % 4, 2 ^ "3", "9" / 2)`, "15 16 10 -2 3 8 4.5"},
		{`print(1 / ("0x10" * -0), 1 / ("0" / -1), 1 / -"0")`, "inf inf -inf"}, // of texts as of numbers
		{`print(0010, 1e400, 0xFFFFFFFFFFFFFFFF)`, "10 inf 1.844674407371e+19"},

		// base
		{`print(select("#"), select("#", nil, nil), select(2, 1, 2, 3), select(-1, 1, 2))`, "0 2 2 2"},
		{`print(pcall(select, 0))`, `false bad argument #1 to "select" (index out of range)`},
		{`print(rawequal("a", "a"), rawget({1}, 1), rawset({}, 1, 5)[1], type(nil), _VERSION, _G._G == _G)`, "true 1 5 nil Lua 5.1 true"},
		{`print(getmetatable(""), getmetatable(1), getmetatable({}), getmetatable(setmetatable({}, {__metatable = "m"})))`, "false nil nil m"},
		{`print(pcall(setmetatable, setmetatable({}, {__metatable = 1}), {}))`, "false cannot change a protected metatable"},
		{`print(pcall(setmetatable, "", {}))`, `false bad argument #1 to "setmetatable" (table expected, got string)`},
		{`print(pcall(setmetatable, {}))`, `false bad argument #2 to "setmetatable" (nil or table expected, got no value)`},
		{`print(tostring(setmetatable({}, {__tostring = function() return "T" end})))`, "T"},
		{`print(pcall(tostring, setmetatable({}, {__tostring = function() return 1 end})))`, `false "__tostring" must return a string`},
		{`print(unpack({1, 2, nil, 4}, 1, 4)) print(pcall(unpack, {}, 1, 1e8)) print(unpack({}, 5, 1))`, "1 2 nil 4\nfalse too many results to unpack\n"},
		{`print(load, loadstring, dofile, getfenv, require, debug, io, package, newproxy, collectgarbage)`, "nil nil nil nil nil nil nil nil nil nil"},
		{`print(pcall(assert, false), pcall(assert, nil, "m")) print(select("#", assert(1, 2, 3)))`, "false false m\n3"},
		{`for i, v in ipairs({1, 2, nil, 4}) do print(i, v) end`, "1 1\n2 2"},
		{`print(pcall(next, {a = 1}, "b")) print(next({1, [7] = 2}, 1))`, "false invalid key to \"next\"\n7 2"},
		{`local t = {1, 2, 3, a = 1, b = 2} for k in pairs(t) do print(k) if k == 3 then t[#t] = nil table.remove(t) end end`, "1\n2\n3\na\nb"},
		{`print(next({})) print(next({5})) print(pcall(next))`, "nil\n1 5\nfalse bad argument #1 to \"next\" (table expected, got no value)"},

		// mistakes
		{`print(pcall(function() local x x() end))`, `false p:1: attempt to call "x", a nil value`},
		{`print(pcall(function() local t = {} t.move.x = 1 end))`, `false p:1: attempt to index a nil value with key "x"`},
		{`print(pcall(function() return ("x"):nope() end))`, `false p:1: attempt to call "nope", a nil value`},
		{`print(pcall(function() return nil .. "x" end))`, `false p:1: attempt to concatenate a nil value`},
		{`print(pcall(function() return "a" + 1 end))`, `false p:1: attempt to perform arithmetic on a string value`},

		// errors
		{`print(pcall(error, "x"), pcall(error))`, "false false nil"},
		{`print(pcall(function() error("x", 0) end), pcall(function() error({}) end) == false)`, "false true"},
		{`local function f() error("bad", 2) end print(pcall(function() f() end))`, "false p:1: bad"},
		{`print(xpcall(function() error("E", 0) end, function(m) return "H" .. m, 2 end))`, "false HE"},
		{`print(xpcall(function() error("E") end, function() error("again") end))`, "false error in error handling"},
		{`print(pcall(pcall)) print(pcall(pcall, error, 1))`, "false bad argument #1 to \"pcall\" (value expected)\ntrue false 1"},
		{`local n = 0 local function f() n = n + 1 return pcall(f) end f() print(n > 100, n < 1000)`, "true true"},
		{`local x = 1 local function get() return x end pcall(error) x = 2 print(get())`, "2"},

		// strings
		{`print(("abc"):sub(-2), ("abc"):sub(2, 2), ("abc"):sub(0), ("abc"):sub(4), ("abc"):byte(1, -1))`, "bc b abc  97 98 99"},
		{`print(("x"):rep(3), ("x"):rep(-1), #("ab"):rep(1000), pcall(string.rep, "x", 1e12))`, "xxx  2000 false string too long: 1,073,741,825 of 1,073,741,824 bytes (Limits.String)"},
		{`print(string.char(72, 105), ("Hi"):lower(), ("hi"):upper(), ("abc"):reverse(), ("abc"):len())`, "Hi hi HI cba 3"},
		{`print(pcall(string.char, 256))`, `false bad argument #1 to "char" (invalid value)`},
		{`print(("%5.2f|%-5d|%05d|%x|%X|%o|%c|%e|%g|%s|%q"):format(3.14159, 42, 42, 255, 255, 8, 65, 12345.678, 1e20, "s", 'a"b'))`,
			` 3.14|42   |00042|ff|FF|10|A|1.234568e+04|1e+20|s|"a\"b"`},
		{`print(("%+d % d %#x %#o %.3d %5.1s| %%"):format(5, 5, 255, 8, 7, "abc"))`, "+5  5 0xff 010 007     a| %"},
		{`print(pcall(string.format, "%y", 1)) print(pcall(string.format, "%")) print(pcall(string.format, "%100d", 1)) print(pcall(string.format, "%d"))`,
			"false invalid option \"%y\" to \"format\"\nfalse invalid option \"%\" to \"format\"\nfalse invalid format (width or precision too long)\nfalse bad argument #2 to \"format\" (number expected, got no value)"},
		{`print(("%d %d"):format(2^63, -2^70), ("%x"):format(-1), ("%5s"):format(nil), ("%f"):format(1/0))`, "9223372036854775807 -9223372036854775808 ffffffffffffffff   nil inf"},

		// patterns
		{`print(("hello world"):find("o w"), ("a.b"):find(".", 1, true), ("abc"):find("b", 10), ("abc"):find("", 10))`, "5 2 nil 4 3"},
		{`print(("key = val"):match("^(%w+)%s*=%s*(%w+)$"), ("abc"):match("()b()"), ("x"):match("y"))`, "key 2 nil"},
		{`print(("abc"):gsub("", "-"), ("hello"):gsub("l+", "%0%0", 1), ("abc"):gsub("%w", {a = 1, b = false}))`, "-a-b-c- hellllo 1bc 3"},
		{`print(("THE (quick) fox"):find("%((%a+)%)"), ("f(a(b)c)d"):match("%b()"), ("THE fox"):gsub("%f[%a]%a+", string.lower))`, "5 (a(b)c) the fox 2"},
		{`for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do print(k, v) end`, "a 1\nb 2"},
		{`print(("aa bb"):match("(%w)%1"), ("[x]"):match("[%]x]+"), ("a-z"):match("[a%-]+"), ("^a"):gmatch("^a")())`, "a x] a- ^a"},
		{`print(pcall(string.find, "a", "[")) print(pcall(string.find, "a", "%")) print(pcall(string.find, "a", "(")) print(pcall(string.find, "a", "%1"))`,
			"false malformed pattern (missing \"]\")\nfalse malformed pattern (ends with \"%\")\nfalse unfinished capture\nfalse invalid capture index"},
		{`print(pcall(string.gsub, "a", "a", true)) print(pcall(string.gsub, "a", "a", "%2"))`,
			"false bad argument #3 to \"gsub\" (string, function or table expected, got boolean)\nfalse invalid capture index"},

		// tables
		{`local t = {1, 2, 3} table.insert(t, 4) table.insert(t, 1, 0) print(table.concat(t, ",")) print(table.remove(t, 1), table.remove(t), #t)`, "0,1,2,3,4\n0 4 3"},
		{`print(pcall(table.insert, {}, 1, 2, 3)) print(pcall(table.concat, {1, {}, 3}))`,
			"false wrong number of arguments to \"insert\"\nfalse invalid value (table) at index 2 in table for \"concat\""},
		{`local t = {} table.insert(t, 5, "x") print(t[5], select("#", table.remove({})), table.maxn({[10] = 1, x = 2}))`, "x 0 10"},
		{`local t = {3, 1, 2} table.sort(t) print(unpack(t)) table.sort(t, function(a, b) return a > b end) print(unpack(t))`, "1 2 3\n3 2 1"},
		{`local t = {"b", "a", "c"} table.sort(t, function(x, y) return x <= y end) print(unpack(t))`, "a b c"},
		{`print(pcall(table.sort, {1, "x"})) print(pcall(table.sort, {3, 2, 1, 5, 4}, function(a, b) error("cmp", 0) end))`, "false attempt to compare string with number\nfalse cmp"},
		{`local t = {5, 3, 9, 1, 7, 2} local n = 0 print(pcall(table.sort, t, function(a, b) n = n + 1 t[n] = nil return a < b end))`, "true"},
		{`local s = {1, 2, 3} s[#s] = nil print(#s) s[#s] = nil s[#s] = nil s[#s] = nil print(#s)`, "2\n0"},
		{`local t = setmetatable({1, 2}, {__newindex = function() print("new") end}) t[#t] = nil print(#t)`, "1"},

		// math
		{`print(math.floor(-1.5), math.ceil(1.2), math.max(1, 3, 2), math.min(2, 1), math.abs(-3), math.huge, math.fmod(-5, 3), math.modf(3.7))`, "-2 2 3 1 3 inf -2 3 0.7"},
		{`local a = math.random() print(a >= 0, a < 1, math.random(1), pcall(math.random, 2, 1))`, `true true 1 false bad argument #2 to "random" (interval is empty)`},
		{`print(pcall(math.random, 0)) print((pcall(math.randomseed, 1))) print(pcall(math.floor, "x"))`,
			"false bad argument #1 to \"random\" (interval is empty)\nfalse\nfalse bad argument #1 to \"floor\" (number expected, got string)"},

		// objects
		{`local m = {} m.__concat = function(a, b) return "C" end local o = setmetatable({}, m) print(o .. 1, 1 .. o, "a" .. 1 .. o .. 2)`, "C C a1C"},
		{`local m = {__add = function(a, b) return "A" end} local o = setmetatable({}, m) print(o + "x", "x" + o, "1" + o)`, "A A A"},
	} {
		m := newMachine(stdlib.Options{})
		got := strings.TrimSuffix(strings.ReplaceAll(m.run("p", test.src), "\t", " "), "\n")
		if got = strings.ReplaceAll(got, "p:1: bad argument", "bad argument"); got != test.want {
			t.Errorf("%s\n got %q\nwant %q", test.src, got, test.want)
		}
	}
}

// What one script does to its libraries no other script sees.
func TestScriptsAreApart(t *testing.T) {
	m := newMachine(stdlib.Options{})
	m.run("first", `string.upper = nil math.pi = 3 print = nil table.insert = error _G.pairs = nil coroutine = nil`)
	got := m.run("second", `print(("x"):upper(), math.pi > 3.1, #{}, pairs ~= nil, coroutine ~= nil) table.insert({}, 1)`)
	if want := "X\ttrue\t0\ttrue\ttrue\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The host's random numbers decide; a script may seed them only if they can be.
type seeded struct{ next uint64 }

func (s *seeded) Uint64() uint64   { s.next += 1 << 62; return s.next }
func (s *seeded) Seed(seed uint64) { s.next = 0 }

func TestHostRandomAndClock(t *testing.T) {
	m := newMachine(stdlib.Options{Random: &seeded{}, Clock: func() float64 { return 12.5 }})
	got := m.run("p", `print(math.random(), math.random(10)) math.randomseed(1) print(math.random(), os.clock(), os.time(), os.exit)`)
	if want := "0.25\t6\n0.25\t12.5\t12\tnil\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The metatable that all userdata of a host share stays out of reach.
func TestUserdataMetatable(t *testing.T) {
	m := newMachine(stdlib.Options{})
	fn, env := m.L.NewUserData(), m.lib.Env()
	fn.Metatable = m.L.NewTable()
	m.L.Push(env.RawGetString("getmetatable"))
	m.L.Push(fn)
	m.L.Call(1, 1)
	if got := m.L.Get(-1); got != lua.LFalse {
		t.Errorf("got %v, want false", got)
	}
}

// TestConcatenationIsOneValue: in a constructor it is one item, or the value of its key.
func TestConcatenationIsOneValue(t *testing.T) {
	items := strings.Repeat("0, ", 50)
	for src, want := range map[string]string{
		`local i = 7 local t = { "a", "b", name = "unit " .. i } return #t .. t.name`:  "2unit 7",
		`local i = 7 local t = { 1, 2, ["k" .. i] = i .. i } return #t .. t.k7`:        "277",
		`local i = 7 local t = { ` + items + `"x" .. i } return #t .. t[1] .. t[51]`:   "510x7",
		`local i = 7 local t = { ` + items + `k = "x" .. i } return #t .. t[1] .. t.k`: "500x7",
		`local i = 7 return select("#", (function() return "x" .. i end)())`:           "1",
	} {
		if got := strings.TrimSpace(newMachine(stdlib.Options{}).run("p", "print((function() "+src+" end)())")); got != want {
			t.Errorf("%.60s: %q, want %q", src, got, want)
		}
	}
}
