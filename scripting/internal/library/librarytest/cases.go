package librarytest

// A Case is a script and what it prints, with tabs as spaces in those of Functions.
type Case struct{ Script, Prints string }

// Functions are cases of all functions but those of coroutines.
var Functions = []Case{
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
	{`print(pcall(next, {a = 1}, "b")) print(next({1, [7] = 2}, 1))`, "false next: the key \"b\" is not in the table: a loop with pairs may change fields and remove them, and new ones are added after it\n7 2"},
	{`local t = {1, 2, 3, a = 1, b = 2} for k in pairs(t) do print(k) if k == 3 then t[#t] = nil table.remove(t) end end`, "1\n2\n3\na\nb"},
	{`print(next({})) print(next({5})) print(pcall(next))`, "nil\n1 5\nfalse bad argument #1 to \"next\" (table expected, got no value)"},

	// mistakes
	{`print(pcall(function() local x x() end))`, `false p:1: attempt to call "x", a nil value`},
	{`print(pcall(function() local t = {} t.move.x = 1 end))`, `false p:1: attempt to index a nil value with key "x"`},
	{`print(pcall(function() return ("x"):nope() end))`, `false p:1: attempt to call "nope", a nil value`},
	{`print(pcall(function() return nil .. "x" end))`, `false p:1: attempt to concatenate a nil value`},
	{`print(pcall(function() return "a" + 1 end))`, `false p:1: attempt to perform arithmetic on a string value, "a", which is no number: texts are joined by ..`},

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
	{`print(("x"):rep(3), ("x"):rep(-1), #("ab"):rep(1000), pcall(string.rep, "x", 1e12))`, "xxx  2000 false string too long: 1,000,000,000,000 of 1,073,741,824 bytes (Limits.String)"},
	{`print(string.char(72, 105), ("Hi"):lower(), ("hi"):upper(), ("abc"):reverse(), ("abc"):len())`, "Hi hi HI cba 3"},
	{`print(pcall(string.char, 256))`, `false bad argument #1 to "char" (invalid value)`},
	{`print(("%5.2f|%-5d|%05d|%x|%X|%o|%c|%e|%g|%s|%q"):format(3.14159, 42, 42, 255, 255, 8, 65, 12345.678, 1e20, "s", 'a"b'))`,
		` 3.14|42   |00042|ff|FF|10|A|1.234568e+04|1e+20|s|"a\"b"`},
	{`print(("%+d % d %#x %#o %.3d %5.1s| %%"):format(5, 5, 255, 8, 7, "abc"))`, "+5  5 0xff 010 007     a| %"},
	{`print(pcall(string.format, "%y", 1)) print(pcall(string.format, "%")) print(pcall(string.format, "%100d", 1)) print(pcall(string.format, "%d"))`,
		"false invalid option \"%y\" to \"format\": there are %c %d %e %f %g %i %o %q %s %u and %x, and a percent sign is written %%\nfalse invalid option \"%\" to \"format\": a percent sign is written %%\nfalse invalid format (width or precision too long)\nfalse bad argument #2 to \"format\" (number expected, got no value)"},
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
}

// Coroutines are cases of the table coroutine.
var Coroutines = []Case{
	{`local co = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) return b * 2 end) print(co(1), co(5))`, "2\t10"},
	{`local co = coroutine.create(function(...) print(...) local a, b, c = coroutine.yield() print(a, b, c) print(select("#", coroutine.yield(nil, nil))) end)
		print(coroutine.resume(co, 1, 2)) print(coroutine.resume(co, 7)) print(coroutine.resume(co)) print(coroutine.status(co), coroutine.resume(co))`,
		"1\t2\ntrue\n7\tnil\tnil\ntrue\tnil\tnil\n0\ntrue\ndead\tfalse\tcannot resume dead coroutine"},
	{`local a, b a = coroutine.create(function() print(coroutine.resume(b)) end) b = coroutine.create(function() print(coroutine.status(a), coroutine.resume(a)) end)
		print(coroutine.resume(a))`, "normal\tfalse\tcannot resume normal coroutine\ntrue\ntrue"},
	{`local co co = coroutine.create(function() return coroutine.resume(co) end) print(coroutine.resume(co))`, "true\tfalse\tcannot resume running coroutine"},
	{`print(coroutine.running()) print(type(coroutine.wrap(function() return coroutine.running() end)()))`, "nil\nthread"},
	{`local co = coroutine.create(function() return table.sort({1, 2}, function() coroutine.yield() end) end) print((coroutine.resume(co))) print(coroutine.status(co))`, "false\ndead"},
	{`local co = coroutine.create(function() ("x"):gsub("x", function() coroutine.yield() end) end) print((coroutine.resume(co))) print(pcall(print, 1))`, "false\n1\ntrue"},
	{`local co = coroutine.wrap(function() error({1}) end) local ok, e = pcall(co) print(ok, type(e), e[1])`, "false\ttable\t1"},
	{`local co = coroutine.wrap(function() local x = 1 local f = function() x = x + 1 return x end coroutine.yield(f) print(f()) end) local f = co() print(f(), f()) co()`, "2\t3\n4"},
	{`print(pcall(coroutine.create, print))`, `false` + "\t" + `bad argument #1 to "create" (Lua function expected)`},
	{`local function f() return coroutine.yield(1) end local co = coroutine.wrap(function() return f() end) print(co(), co(2, 3))`, "1\t2\t3"},
}

// YieldsRefused are cases in which gopher-lua refuses to yield.
var YieldsRefused = []Case{
	{`print(pcall(coroutine.yield)) print(pcall(coroutine.wrap(function() return pcall(coroutine.yield, 1) end)))`,
		"false\tattempt to yield from outside a coroutine\ntrue\tfalse\tattempt to yield across pcall"},
	{`local co = coroutine.create(function() return setmetatable({}, {__index = function() coroutine.yield() end}).x end) print(coroutine.resume(co)) print(coroutine.status(co))`,
		"false\tattempt to yield across a metamethod, an iterator or a built-in function\ndead"},
	{`local co = coroutine.create(function() for x in function() return coroutine.yield() end do end end) print((coroutine.resume(co)))`, "false"},
}

// YieldsAllowed are the same on the machine, which yields from anywhere in Lua.
var YieldsAllowed = []Case{
	{`print(pcall(coroutine.yield)) print(pcall(coroutine.wrap(function() return pcall(coroutine.yield, 1) end)))`, "false\tattempt to yield from outside a coroutine: only a function that coroutine.create or coroutine.wrap was given can yield, and what it calls\ntrue\t1"},
	{`local co = coroutine.create(function() return setmetatable({}, {__index = function() coroutine.yield() end}).x end) print(coroutine.resume(co)) print(coroutine.status(co))`, "true\nsuspended"},
	{`local co = coroutine.create(function() for x in function() return coroutine.yield() end do end end) print((coroutine.resume(co)))`, "true"},
	{`local co = coroutine.wrap(function()
		print(pcall(function() table.sort({2, 1}, function() coroutine.yield() end) end))
		print(pcall(function() local s = ("x"):gsub("x", coroutine.yield) return s end))
		print(pcall(table.sort, {2, 1}, coroutine.yield)) end) co()`,
		"false\tattempt to yield across \"sort\", which calls this function and cannot wait for it: yield before that call, or after it\n" +
			"false\tattempt to yield across \"gsub\", which calls this function and cannot wait for it: yield before that call, or after it\n" +
			"false\tattempt to yield across \"sort\", which calls this function and cannot wait for it: yield before that call, or after it"},
}

// Hostile are scripts by what they attack: they would run forever, or eat all memory. Each
// ends with an error within a budget of a million steps and 64 MB.
var Hostile = map[string]string{
	"loop":            `while true do end`,
	"caught":          `while true do pcall(function() while true do end end) end`,
	"handler":         `while true do xpcall(error, function() while true do end end) end`,
	"coroutine":       `local co = coroutine.wrap(function() while true do end end) while true do pcall(co) end`,
	"yielding":        `local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end`,
	"in coroutine":    `coroutine.wrap(function() while true do pcall(function() coroutine.wrap(function() while true do end end)() end) end end)()`,
	"pcall recursion": `local function f() pcall(f) pcall(f) end f()`,
	"co recursion":    `local function f() coroutine.wrap(f)() end while true do pcall(f) end`,
	"tail calls":      `local function f() return f() end f()`,
	"registry":        `while true do pcall(function() local function f(...) return f(1, ...) end f() end) end`,
	"pattern":         `("a"):rep(28):find(("a?"):rep(28) .. ("a"):rep(28))`,
	"pattern 2":       `(("x"):rep(3000)):find("(.-)(.-)(.-)b")`,
	"pattern 3":       `while true do (("x"):rep(1e6)):find(".-b") end`,
	"gsub":            `local s = ("x"):rep(60000) while true do s:gsub("x", "y") end`,
	"rep":             `local s = ("x"):rep(1e9) s = s .. s`,
	"doubling":        `local s = "x" while true do s = s .. s end`,
	"format":          `local s = ("x"):rep(1e6) while true do s = ("%s%s"):format(s, s) end`,
	"concat":          `local t = {} for i = 1, 100 do t[i] = ("x"):rep(1e5) end while true do t[1] = table.concat(t) end`,
	"sort":            `local t = {} for i = 1, 1e4 do t[i] = -i end while true do table.sort(t, function(a, b) return a < b end) end`,
	"insert":          `local t = {} while true do table.insert(t, 1, 1) end`,
	"sparse":          `while true do local t = {} t[1e5] = 1 end`,
	"metamethod":      `local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) while true do pcall(function() return t[1] end) end`,
	"tostring":        `local t = setmetatable({}, {__tostring = function(t) return tostring(t) end}) while true do pcall(tostring, t) end`,
}
