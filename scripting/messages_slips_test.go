package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// slips are mistakes that everybody makes, most of them by what is right in another language or
// in another version of Lua, with all that is said of the first one: its line and column, and
// what to write. A text that begins with @ stands in a system, others at the top level of a file.
var slips = []struct{ text, said string }{
	{`@local x = math.rnd(3)`, `2:53: attempt to call "math.rnd", a nil value: did you mean math.random?`},
	{`local x = math.rand(3)`, `2:16: attempt to call "math.rand", a nil value: did you mean math.random?`},
	{`@local x = string.fromat("%d", 3)`, `2:55: attempt to call "string.fromat", a nil value (did you mean "format"?)`},
	{`@table.inser({}, 3)`, `2:44: attempt to call "table.inser", a nil value (did you mean "insert"?)`},
	{`@math.flor(3)`, `2:43: attempt to call "math.flor", a nil value (did you mean "floor"?)`},
	{`@math.round(3)`, `2:43: attempt to call "math.round", a nil value: write math.floor(x + 0.5)`},
	{`@math.clamp(3, 1, 2)`, `2:43: attempt to call "math.clamp", a nil value: write math.max(low, math.min(high, x))`},
	{`local t = { a: 1 }`, `2:14: expected ",", found ":": a field is written name = value`},
	{`@string.split("a b", " ")`, `2:45: attempt to call "string.split", a nil value: write for part in text:gmatch("[^,]+") do … end`},
	{`@local t = ("a b"):split(" ")`, `2:56: attempt to call "split", a nil value: write for part in text:gmatch("[^,]+") do … end`},
	{`@local s = "a" s = s:trim()`, `2:58: attempt to call "s:trim", a nil value: write text:match("^%s*(.-)%s*$")`},
	{`@local s = "a" s = s:uper()`, `2:58: attempt to call "s:uper", a nil value (did you mean "upper"?)`},
	{`@table.getn({})`, `2:44: attempt to call "table.getn", a nil value: write #list`},
	{`@table.unpack({})`, `2:44: attempt to call "table.unpack", a nil value: write unpack(list)`},
	{`@table.push({}, 1)`, `2:44: attempt to call "table.push", a nil value: write list[#list + 1] = x, or table.insert(list, x)`},
	{`@string.gfind("a", "a")`, `2:45: attempt to call "string.gfind", a nil value: did you mean gmatch?`},
	{`@loadstring("return 1")`, `2:38: unknown name "loadstring": a script is made of files alone: require gives what another file returns`},
	{`@load("x")`, `2:38: unknown name "load": a script is made of files alone: require gives what another file returns`},
	{`@dofile("a.lua")`, `2:38: unknown name "dofile": a script is made of files alone: require gives what another file returns`},
	{`@io.open("x")`, `2:38: unknown name "io": scripts have no files: ecs.log writes to the log, and what must last is kept in ecs.state, or by the host`},
	{`@os.execute("ls")`, `2:41: attempt to call "os.execute", a nil value: os.execute is not available to scripts: they run no programs`},
	{`@os.date()`, `2:41: attempt to call "os.date", a nil value: os.date is not available to scripts: os.time gives the seconds`},
	{`@os.exit()`, `2:41: attempt to call "os.exit", a nil value: os.exit is not available to scripts: the host decides when it ends`},
	{`@os.remove("x")`, `2:41: attempt to call "os.remove", a nil value: os.remove is not available to scripts: they have no files; what must last is kept in ecs.state, or by the host`},
	{`@debug.traceback()`, `2:38: unknown name "debug": errors show their place and the calls around them by themselves`},
	{`@collectgarbage()`, `2:38: unknown name "collectgarbage": memory is freed by itself`},
	{`@setfenv(1, {})`, `2:38: unknown name "setfenv": each file has variables of its own, and no function has others`},
	{`@module("x")`, `2:38: unknown name "module": a file returns a table of what others may use`},
	{`@bit.band(1, 2)`, `2:38: unknown name "bit": there are no bit operators in Lua 5.1`},
	{`@utf8.char(3)`, `2:38: unknown name "utf8": it is not in Lua 5.1: texts are bytes`},
	{`@local x = null`, `2:48: unknown name "null": did you mean nil?`},
	{`@local x = None`, `2:48: unknown name "None": did you mean nil?`},
	{`@local x = True`, `2:48: unknown name "True": did you mean true?`},
	{`@self.x = 1`, `2:38: unknown name "self": functions that are declared with a colon have it, such as function t:name() … end`},
	{`@this.x = 1`, `2:38: unknown name "this": did you mean self? Functions that are declared with a colon have it`},
	{`@throw("x")`, `2:38: unknown name "throw": did you mean error?`},
	{`@sleep(3)`, `2:38: unknown name "sleep": a script does not wait: use ecs.after, or count ticks`},
	{`@for i in range(10) do end`, `2:47: unknown name "range": write for i = 1, n do … end`},
	{`@for i in 1, 10 do end`, `2:47: "for … in" needs a function, as pairs and ipairs return one, and got a number value: a loop that counts is written for i = 1, n do`},
	{`@for x in {1, 2} do end`, `2:47: "for … in" needs a function, as pairs and ipairs return one, and got a table value: write pairs(…) or ipairs(…) around it`},
	{`@local x = "a" + 1`, `2:52: attempt to perform arithmetic on a string value, "a", which is no number: texts are joined by ..`},
	{`@local n = "a" n = n + 1`, `2:58: attempt to perform arithmetic on "n", a string value, "a", which is no number: texts are joined by ..`},
	{`@local n = "a" n = n * 2`, `2:58: attempt to perform arithmetic on "n", a string value, "a", which is no number`},
	{`@local t local x = t.x`, `2:58: attempt to index "t", a nil value, with key "x"`},
	{`@local t = {} t.a.b = 1`, `2:55: attempt to index "t.a", a nil value, with key "b"`},
	{`@local t local x = t[1]`, `2:57: attempt to index "t", a nil value, with key 1`},
	{`@local t = { speed = 1 } local x = t.sped + 1`, `2:79: attempt to perform arithmetic on "t.sped", a nil value (did you mean "speed"?)`},
	{`@local t = { at = { spot = {} } } local x = t.at.spto.x`, `2:91: attempt to index "t.at.spto", a nil value, with key "x" (did you mean "spot"?)`},
	{`@local t = { at = { spot = {} } } t.at.spto.x = 3`, `2:81: attempt to index "t.at.spto", a nil value, with key "x" (did you mean "spot"?)`},
	{`@local t = { name = "x" } local x = "a" .. t.nam`, `2:80: attempt to concatenate "t.nam", a nil value (did you mean "name"?)`},
	{`@local t = { name = "x" } local x = "a" .. t.nam .. "b"`, `2:80: attempt to concatenate "t.nam", a nil value (did you mean "name"?)`},
	{`@local t = { list = {} } local x = #t.lits`, `2:72: attempt to get the length of "t.lits", a nil value (did you mean "list"?)`},
	{`@local t = { score = 1 } local x = t.scor > 5`, `2:79: attempt to compare number with nil: "t.scor" is nil (did you mean "score"?)`},
	{`@local t = { score = 1 } local x = 5 <= t.scor`, `2:74: attempt to compare number with nil: "t.scor" is nil (did you mean "score"?)`},
	{`@local x if x < 5 then end`, `2:51: attempt to compare nil with number: "x" is nil`},
	{`@local x = "5" if x < 5 then end`, `2:57: attempt to compare string with number: "x" is the text "5", use tonumber`},
	{`@local t = { x = "five" } if 5 >= t.x then end`, `2:68: attempt to compare string with number: "t.x" is the text "five"`},
	{`@local x = {} if x < 5 then end`, `2:56: attempt to compare table with number: "x" is a table`},
	{`@local x = {} if "five" < x then end`, `2:61: attempt to compare string with table: "x" is a table`},
	{`@local x, y = {}, {} if x < y then end`, `2:63: attempt to compare table with table`},
	{`@local l = { 1 } l.append(2)`, `2:56: attempt to call "l.append", a nil value: a table has no methods of its own, write table.insert(l, …)`},
	{`@local l = {} l:push(2)`, `2:53: attempt to call "l:push", a nil value: a table has no methods of its own, write table.insert(l, …)`},
	{`@local l = { 1 } local n = l:size()`, `2:66: attempt to call "l:size", a nil value: a table has no methods of its own, write #l`},
	{`@local tools = { name = "x" } tools.add(2)`, `2:73: attempt to call "tools.add", a nil value`},
	{`@table.sort({ 1, 2, 3 }, function(a, b) return a.x < b.x end)`, `2:86: attempt to index "a", a number value, with key "x"`},
	{`@local C = { health = 1 } C.__index = C local o = setmetatable({}, C) local x = o.helth + 1`, `2:125: attempt to perform arithmetic on "o.helth", a nil value (did you mean "health"?)`},
	{`@local C = {} C.__index = C function C:attack() end local o = setmetatable({}, C) o:atack()`, `2:121: attempt to call "o:atack", a nil value (did you mean "attack"?)`},
	{`@local t = { attack = print } t.atack()`, `2:69: attempt to call "t.atack", a nil value (did you mean "attack"?)`},
	{`@local l = { 1, 2 } local x = l[0] + 1`, `2:72: attempt to perform arithmetic on "l[0]", a nil value: the index is 0, and a list begins at 1`},
	{`@local l = { {}, {} } for i = 0, 1 do l[i].x = 1 end`, `2:80: attempt to index "l[i]", a nil value, with key "x": the index is 0, and a list begins at 1`},
	{`@local l, i = { {}, {} }, 3 local x = l[i].x`, `2:80: attempt to index "l[i]", a nil value, with key "x": the index is 3, and the list has 2 items`},
	{`@local l, i = {}, 1 local x = l[i].x`, `2:72: attempt to index "l[i]", a nil value, with key "x": the table is empty`},
	{`@local l = { [0] = {} } local x = l[1].x`, `2:76: attempt to index "l[1]", a nil value, with key "x"`},
	{`@local l = { 1, 2 } local x = l[1.5] + 1`, `2:74: attempt to perform arithmetic on "l[1.5]", a nil value: the index is 1.5, and indexes of a list are whole numbers`},
	{`@local t, u = { speed = 1 }, {} local x = (t.none or u.sped) + 1`, `2:98: attempt to perform arithmetic on a nil value`},
	{`@local t = { speed = 1 } local x = t.far + 1`, `2:78: attempt to perform arithmetic on "t.far", a nil value`},
	{"local S = ecs.state(\"s\", { score = 1 })\necs.on_start(function() S.scor = S.scor + 1 end)", `3:41: system "on_start": attempt to perform arithmetic on "S.scor", a nil value (did you mean "score"?) (not tried again until its file is saved)`},
	{`@local t = {} t.f()`, `2:53: attempt to call "t.f", a nil value`},
	{`@local x x = x + 1`, `2:52: attempt to perform arithmetic on "x", a nil value`},
	{`@local t = {} local x = "a" .. t`, `2:68: attempt to concatenate "t", a table value`},
	{`@local s = ("x"):rep(1e10)`, `2:54: string too long: 10,000,000,000 of 16,777,216 bytes (Limits.String)`},
	{`@local s = string.format("100%")`, `2:55: invalid option "%" to "format": a percent sign is written %%`},
	{`@local s = ("%y"):format(3)`, `2:55: invalid option "%y" to "format": there are %c %d %e %f %g %i %o %q %s %u and %x, and a percent sign is written %%`},
	{`@local x = y`, `2:48: unknown name "y"`},
	{`@local x = 3; x()`, `2:51: attempt to call "x", a number value`},
	{`@coroutine.yield()`, `2:48: attempt to yield from outside a coroutine: only a function that coroutine.create or coroutine.wrap was given can yield, and what it calls`},
	{`@local co = coroutine.wrap(function() table.sort({3, 2, 1}, function() coroutine.yield() end) end) co()`, `2:118: attempt to yield across "sort", which calls this function and cannot wait for it: yield before that call, or after it`},
	{`@next({}, 3)`, `2:38: next: the key "3" is not in the table: a loop with pairs may change fields and remove them, and new ones are added after it`},
	{`@local function f() return f() + 1 end f()`, `2:64: stack overflow: 20,001 of 20,000 calls in each other (Limits.Depth): "f" calls itself too deeply, or without end`},
	{`@local a, b function a() return b() + 1 end function b() return a() + 1 end a()`, `2:101: stack overflow: 20,001 of 20,000 calls in each other (Limits.Depth): "b" and "a" call each other too deeply, or without end`},
	{"if 1 != 2 then\nend", `2:6: unexpected "!=": did you mean ~= (not equal)?`},
	{"local x = 1\nx += 1", `3:3: "+=" is not in Lua: write x = x + y`},
	{"local s = \"\"\ns ..= \"b\"", `3:3: "..=" is not in Lua: write x = x .. y`},
	{"local x = 1\nx++", `3:2: "++" is not in Lua: write x = x + 1`},
	{"local x = 1\n++x", `3:2: expected an expression, found "+": "++" is not in Lua: write x = x + 1`},
	{"local x = 1\nx--", `3:2: expected "=" or a call after the name, found the end of the file: -- begins a comment: write x = x - 1`},
	{"local x = 1\nx =+ 1", `3:4: expected an expression, found "+": write x = x + 1`},
	{"if true && false then\nend", `2:9: unexpected "&&": did you mean and?`},
	{"if true || false then\nend", `2:9: unexpected "||": did you mean or?`},
	{"if !true then\nend", `2:4: unexpected "!": did you mean not?`},
	{"if true then\n  print(1)\nelse if false then\n  print(2)\nend", `4:1: "else if" opens a second if, which needs its own end: did you mean elseif?`},
	{"if true then\n  print(1)\nelif false then\nend", `4:1: unknown word "elif": did you mean elseif?`},
	{"if true\n  print(1)\nend", `3:3: expected "then" after the condition, found the name "print"`},
	{"while true\n  print(1)\nend", `3:3: expected "do" after the condition, found the name "print"`},
	{"for i = 1, 3\n  print(i)\nend", `3:3: expected "do" after the head of the loop, found the name "print"`},
	{"if true then\n  print(1)", `4:1: expected "end" to close "if" of line 2, found the end of the file`},
	{"if true {\n  print(1)\n}", `2:9: expected "then", found "{": a block is closed by end`},
	{"if true then\n  print(1)\n}", `4:1: unexpected "}": every bracket before it is closed already, and a block is closed by end`},
	{"local t = {\n  a: 1,\n}", `3:4: expected ",", found ":": a field is written name = value`},
	{"local t = {\n  \"a\": 1,\n}", `3:6: expected "}" to close "{" of line 2, found ":": a field is written name = value, or ["a name"] = value`},
	{"local t = {\n  \"a\" = 1,\n}", `3:7: a field whose name stands in quotes is written ["name"] = value`},
	{"local t = {\n  function f() end\n}", `3:12: expected "(" and the parameters of the function, found the name "f": in a table it is f = function() … end`},
	{"local t = {\n  local function f() end\n}", `3:3: expected "}" to close "{" of line 2, found "local": in a table it is name = value, and f = function() … end`},
	{"local t = {\n  f = function() end\n  g = 3\n}", `3:21: expected "," before the name "g"`},
	{"local t = {}\nt.1 = 2", `3:2: expected "=" or a call after the name, found the number 0.1: an item is written t[1]`},
	{"local t = {}\nt.\"a\" = 2", `3:3: expected a name after the dot, found the string "a": write t["name"]`},
	{"if 1 = 2 then\nend", `2:6: unexpected "=" in a condition: did you mean ==?`},
	{"if 1 => 2 then\nend", `2:6: unexpected "=>": did you mean >=?`},
	{"if 1 =< 2 then\nend", `2:6: unexpected "=<": did you mean <=?`},
	{"if 1 <> 2 then\nend", `2:7: expected an expression, found ">": not equal is written ~=`},
	{"if 1 === 2 then\nend", `2:8: expected an expression, found "=": equal is written ==`},
	{"function foo() {\n  return 1\n}", `2:16: unexpected "{": a block is closed by end and opened by nothing`},
	{`// a comment`, `2:1: "//" is not an operator of Lua 5.1: a comment starts with --, and math.floor(a / b) divides without a remainder`},
	{`/* a comment */`, `2:2: expected an expression, found "*": a comment begins with --, and a long one stands in --[[ … ]]`},
	{`# a comment`, `2:1: expected a statement, found "#": a comment begins with --`},
	{"for i in 1..10 do\nend", `2:10: malformed number "1..10": a loop that counts is written for i = 1, 10 do, and .. joins texts, with a space before it`},
	{"for i = 1 to 10 do\nend", `2:11: expected "," and the last value of the loop, found the name "to": a loop that counts is written for i = 1, 10 do`},
	{"for (i = 1, 10) do\nend", `2:5: expected a name after for, found "(": what follows for has no parentheses around it`},
	{"foreach x in pairs({}) do\nend", `2:9: expected "=" or a call after the name, found the name "x": a loop over a table is written for k, v in pairs(t) do`},
	{`int x = 1`, `2:5: expected "=" or a call after the name, found the name "x": a variable is declared by local name = value, without a type`},
	{`let x = 1`, `2:1: unknown word "let": did you mean local?`},
	{"def f():\n  return 1", `2:5: expected "=" or a call after the name, found the name "f": a function is written function name() … end`},
	{`class Foo`, `2:7: expected "=" or a call after the name, found the name "Foo": there are no classes: a table with functions, and setmetatable, do the same`},
	{"try\n  print(1)\nend", `2:1: expected "do", found the name "try": errors are caught by local ok, why = pcall(function() … end)`},
	{`local x = a ? 1 : 2`, `2:13: unexpected symbol "?": write a and b or c, or an if`},
	{"local x = `a`", "2:11: unexpected symbol \"`\": a text stands in \" or '"},
	{`local x = 2 ** 3`, `2:14: expected an expression, found "*": a power is written x ^ y`},
	{`local x = 1 << 2`, `2:14: expected an expression, found "<": there are no bit operators in Lua 5.1`},
	{`local x = [1, 2]`, `2:11: unexpected "[": a list is written { … }`},
	{`local f = x => x`, `2:13: expected a statement, found "=": a function is written function(x) return … end`},
	{`local f = function g() end`, `2:20: expected "(" and the parameters of the function, found the name "g": a function in an expression has no name, as in f = function(a, b) … end`},
	{`local x == 1`, `2:9: expected a statement, found "==": a value is given by =`},
	{`local x <const> = 3`, `2:9: expected a statement, found "<": Lua 5.1 has no attributes of variables`},
	{"function f(x: number)\nend", `2:13: expected "," or ")" after the parameter, found ":": parameters have no types`},
	{"function f(x = 3)\nend", `2:14: expected "," or ")" after the parameter, found "=": parameters have no defaults: write x = x or 3 in the function`},
	{`local 1x = 3`, `2:7: malformed number "1x": a name does not begin with a digit`},
	{`local end = 3`, `2:7: expected a name after local, found "end": that is a word of the language`},
	{`x := 3`, `2:4: expected a name after the colon, found "=": a value is given by =`},
	{`local x = tostring 3`, `2:20: expected a statement, found the number 3: an operator, a comma or the parentheses of a call are missing before it`},
	{`print "a", 1`, `2:10: several arguments need parentheses, such as f("a", b)`},
	{`print 3`, `2:7: expected "=" or a call after the name, found the number 3: arguments stand in parentheses, such as print("a", 1)`},
	{`require x`, `2:9: expected "=" or a call after the name, found the name "x": the name of a file is a text: require "file"`},
	{`for i = 1, 3 do continue end`, `2:17: continue is not in Lua: use goto continue and put ::continue:: at the end of the loop`},
	{"switch x do\nend", `2:1: switch is not in Lua: use if and elseif, or a table of functions`},
	{`local s = 'it's'`, `2:14: unfinished string: this ' ends it: write \' for it, or " around the string`},
	{`local s = "abc`, `2:11: unfinished string: the closing " is missing on this line`},
	{`end`, `2:1: unexpected "end": every block before it is closed already`},
	{`f(a: 1)`, `2:4: expected ",", found ":": arguments have no names`},
}

// TestWordsForSlips: each of the commonest mistakes is told with its place, what was expected, and
// what to write instead.
func TestWordsForSlips(t *testing.T) {
	for _, c := range slips {
		whole := c.text + "\n"
		if whole[0] == '@' {
			whole = once("s", c.text[1:])
		}
		r := newGame(t, scripting.Limits{})
		r.write("a.lua", whole)
		said := ""
		if err := r.host.Load(r.folder); err != nil {
			said, _, _ = strings.Cut(err.Error(), "\n")
		} else if r.step(1); len(r.errors) > 0 {
			said = r.errors[0].Error()
		}
		said = strings.Replace(said, `system "s": tick 1: `, "", 1)
		if said != "a.lua:"+c.said {
			t.Errorf("%s\nis told as  %s\nand not as a.lua:%s", c.text, said, c.said)
		}
	}
}

// TestYieldAcrossTheHost: a function that the host calls back in a coroutine says what it waits
// for, and not that there is no coroutine.
func TestYieldAcrossTheHost(t *testing.T) {
	for body, want := range map[string]string{
		`coroutine.wrap(function() host.call(function() coroutine.yield(1) end) end)()`: "attempt to yield across a function of the host, which calls this one and cannot wait for it: yield before that call, or after it",
		`host.call(function() coroutine.yield(1) end)`:                                  "attempt to yield from outside a coroutine: only a function that coroutine.create or coroutine.wrap was given can yield, and what it calls",
		`host.call(coroutine.wrap(function() coroutine.yield() end))`:                   "",
	} {
		r := newGame(t, scripting.Limits{})
		if err := r.host.Expose("call", func(f func()) { f() }); err != nil {
			t.Fatal(err)
		}
		r.write("a.lua", "local host = require \"host\"\n"+once("s", body))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		if want == "" {
			if len(r.errors) > 0 {
				t.Errorf("%s: %v", body, r.errors[0])
			}
			continue
		}
		if e := r.wantError("a.lua:3:", "attempt to yield"); e.Message != want {
			t.Errorf("%s: %s\nwant %s", body, e.Message, want)
		}
	}
}

// TestRefusedValuesHaveTheLineOfTheStatement: a value that a field cannot hold is told where it is
// assigned, also where the row comes from "…", or is assigned by a function within.
func TestRefusedValuesHaveTheLineOfTheStatement(t *testing.T) {
	for each, line := range map[string]string{
		"function(e, h, ctx)\n  local x = 1\n  h.hp = \"x\"\nend":                                            "a.lua:5:5",
		"function(e, h, ...)\n  local x = 1\n  h.hp = \"x\"\nend":                                            "a.lua:5:5",
		"function(e, ...)\n  local h = ...\n  h.hp = \"x\"\nend":                                             "a.lua:5:5",
		"function(...)\n  local e, h = ...\n  if h.hp > 0 then\n    h.hp = \"x\"\n  end\n  h.on = true\nend": "a.lua:6:7",
		"function(e, h)\n  local function f(h)\n    h.hp = \"x\"\n  end\n  f(h)\nend":                        "a.lua:5:7",
		"function(e, h)\n  local other = {}\n  other.hp = 3\n  h.hp = \"x\"\nend":                            "a.lua:6:5",
		"function(e, h)\n  rawset(h, \"hp\", \"x\")\n  h.on = true\nend":                                     "a.lua:3:40",
	} {
		r := newGame(t, scripting.Limits{})
		r.write("a.lua", `local H = ecs.component("H", { hp = ecs.f32(1), on = ecs.bool() }) ecs.on_start(function() ecs.spawn(H) end)`+
			"\necs.system \"s\" { query = { H }, each = "+each+" }")
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(1)
		if e := r.wantError("a.lua:", `field "hp" of "H": expected a number, got the string "x"`); e.Place() != line {
			t.Errorf("%s: is told at %s, want %s", each, e.Place(), line)
		}
	}
}
