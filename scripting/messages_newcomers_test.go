package scripting_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// wordsHead declares what the texts below name. Its last line is the first.
const wordsHead = `local H = ecs.component("Health", { hp = ecs.f32(100), team = ecs.enum("red", "blue"), n = ecs.u8() }) ` +
	`local T, Hit = ecs.tag("T"), ecs.event("Hit", { amount = ecs.f32(1) }) local Pf = ecs.prefab("Pf", { H { hp = 5 } }) ` +
	`ecs.on_start(function() ecs.spawn_many(3, H, T) end)` + "\n"

// TestWordsForNewcomers: mistakes that begin with a wrong idea of what a value is. The message
// says what it is and what to write. A text that begins with # stands in a batch function, one
// with @ in a system, others at the top level. A line feed is the end of a message.
func TestWordsForNewcomers(t *testing.T) {
	for text, want := range map[string]string{
		`#for i = 1, #b do end`:                         `a batch is no list: b.n is how many rows it has`,
		`#for i, row in ipairs(b) do end`:               `a batch is no list: b.n is how many rows it has`,
		`#for k in pairs(b) do b.n = b.n end`:           `b.n cannot be assigned`,
		`#b:col(H, "hp")[1] = 3`:                        `the column hp has no "1" that a script can reach: x:fill(1), x:add(y) and the like change all rows; for one row, b:write(Health, "hp") gives a list`,
		`#local x = b:col(H, "hp")[1]`:                  `the column hp has no "1" that a script can reach: x:fill(1)`,
		`#local x = b:col(H, "hp") x = x + 1`:           `attempt to perform arithmetic on "x", the column hp: x:fill(1), x:add(y)`,
		`#local x = b:col(H, "hp") x = x > 1`:           `attempt to compare number with the column hp`,
		`#local x = b:col(H, "hp") x = #x`:              `attempt to get the length of "x", the column hp: x:fill(1)`,
		`#b:col(H, "hp"):add("x")`:                      `x:add: argument 1: expected a number or a column, got the string "x"`,
		`#b:col(H, "hp"):clamp(3)`:                      `x:clamp: argument 2: expected a number or a column, got nil`,
		`#b:col(H, "hp").add(3)`:                        `x:add: expected a column, got the number 3`,
		`#b:col(H, "hp"):ad(3)`:                         `a column has no "ad" (did you mean "add"?)`,
		`#b:read(H, "hp"):add(3)`:                       `attempt to call "add", a nil value: it is a list, hp[1] of the first row; b:col(Health, "hp") gives a column`,
		`#local x = b:write(H, "hp") x:add(b, 1)`:       `attempt to call "x:add", a nil value: it is a list`,
		`#local x = b:read(H, "hp") x = x * 2`:          `attempt to perform arithmetic on "x", a table value: it is a list`,
		`#local late local x = b:read(H, "hp") late(x)`: "attempt to call \"late\", a nil value\n",
		`#b:write("Health", "hp")`:                      `expected a component of the query, got the string "Health"; components are given as they are, without quotes`,
		`#b:write("Helth", "hp")`:                       `expected a component of the query, got the string "Helth" (did you mean "Health"?)`,
		`#rawset(b:write(H, "hp"), "x", 7)`:             `field "hp" of "Health": the list has the elements 1 to 3, and none at "x"`,
		`#rawset(b:write(H, "hp"), 1.5, 7)`:             `field "hp" of "Health": the list has the elements 1 to 3, and none at 1.5`,

		`@local e = ecs.find(H) e.hp = 3`:                                          `attempt to index "e", a number value, with key "hp": it is an entity, and entities are numbers: ecs.get(entity, Component) reads what it has`,
		`@local e = ecs.find(H) ecs.log(e.Health)`:                                 `it is an entity, and entities are numbers`,
		`@local e = ecs.find(H) e:destroy()`:                                       `it is an entity, and entities are numbers`,
		`@local A = {} function A.hit() end local a = setmetatable({}, A) a:hit()`: `attempt to call "a:hit", a nil value: its metatable has it, but no __index: write Class.__index = Class`,
		`@for i, e in ipairs(ecs.entities { H }) do end`:                           `bad argument #1 to "ipairs" (table expected, got function): a function that gives one value after the other needs neither pairs nor ipairs`,
		`@local s = "" for i = 1, 1e6 do s = s .. "xxxxxxxxxxxxxxxx" end`:          `of 16,000,000 bytes (Limits.Bytes): a text that grows by .. is copied each time; put the pieces into a table, and join them with table.concat`,
		`@local t = {} for i = 1, 1e9 do t[i] = { i } end`:                         "of 16,000,000 bytes (Limits.Bytes)\n",
		`@local n = 3 n.x = 4`:                                                     "attempt to index \"n\", a number value, with key \"x\"\n",
		`@local q = ecs.get(ecs.find(H), V) q.x = 1`:                               `attempt to index "q", a nil value, with key "x": ecs.get gives nil where the entity has no such component, is dead, or is 0, which stands for none`,
		`@ecs.log(ecs.get(ecs.find(H), V).x)`:                                      `"ecs.get(…)", a nil value, with key "x": ecs.get gives nil`,
		`@ecs.log(ecs.get(ecs.find(H), V, "x") + 1)`:                               `attempt to perform arithmetic on "ecs.get(…)", a nil value: ecs.get gives nil`,
		`@ecs.log(ecs.find { H, without = { T } } + 1)`:                            `ecs.find gives nil where no entity matches`,
		`@local p = ecs.parent(ecs.find(H)) ecs.log(p .. "x")`:                     `attempt to concatenate "p", a nil value: ecs.parent gives nil for an entity without a parent`,
		`@local t = { list = {} } for _ in ipairs(t.lst) do end`:                   `bad argument #1 to "ipairs" (table expected, got nil): "t.lst" is nil (did you mean "list"?)`,
		`@local t = { 1 } ecs.log(math.floor(t[2]))`:                               `bad argument #1 to "floor" (number expected, got nil): "t[2]" is nil: the index is 2, and the list has 1 item`,
		`@local no ecs.log(pcall(ipairs, no)) ecs.log(("x"):rep(no))`:              `bad argument #2 to "rep" (number expected, got nil): "no" is nil`,
		`@ecs.log(ipairs(nil))`:                                                    "bad argument #1 to \"ipairs\" (table expected, got nil)\n",
		`@ecs.spawn(Pf { hp = 3 })`:                                                `attempt to call "Pf", the prefab Pf: write ecs.spawn(Pf), or ecs.spawn(Pf, …) with other values`,
		`@Pf.hp = 3`:                                                               `the prefab Pf has no "hp" that a script can reach: write ecs.spawn(Pf)`,
		`@ecs.log(Hit.amount)`:                                                     `the event Hit has no "amount" that a script can reach: ecs.events and a system with on give the fields`,
		`@ecs.log(T.x)`:                                                            `the tag T has no "x" that a script can reach: it has no fields; ecs.has tells whether an entity has it`,
		`@ecs.log(H + 1)`:                                                          `attempt to perform arithmetic on "H", the component Health: ecs.get and each give the fields of an entity`,
		`@ecs.log("x" .. Pf)`:                                                      `attempt to concatenate "Pf", the prefab Pf: write`,
		`@for i = 1, H do end`:                                                     `a "for" needs numbers, and its last value is the component Health`,
		`@for i, v in ipairs(H) do end`:                                            `bad argument #1 to "ipairs" (table expected, got the component Health)`,
		`@local co = coroutine.create(function() end) co()`:                        `attempt to call "co", a coroutine`,
		`@local co = coroutine.create(function() end) co = co.x`:                   `attempt to index "co", a coroutine, with key "x"`,
		`@ecs.add(coroutine.create(function() end), H)`:                            `ecs.add: argument 1: expected an entity, got a coroutine`,
		`@table.sort { H, T }`:                                                     `attempt to compare the tag T with the component Health`,
		`@ecs.spawn(T { on = true })`:                                              `unknown field "on" of "T": it is a tag, which has no fields`,
		`@ecs.get(ecs.find(H), T, "x")`:                                            `ecs.get: unknown field "x" of "T": it is a tag, which has no fields`,
		`@ecs.spawn { H }`:                                                         `ecs.spawn: argument 1: expected a component, a value or a prefab, got a table: what is listed has no braces around it`,
		`@ecs.spawn(H, { hp = 3 })`:                                                `ecs.spawn: argument 2: expected a component, a value or a prefab, got a table: fields come after their component, such as Health{ hp = 5 }`,
		`@ecs.emit("Hit", { amount = 3 })`:                                         `ecs.emit: argument 1: expected an event with its fields, such as Damage{ amount = 5 }, got the string "Hit"; events are given as they are, without quotes`,
		`@for hit in ecs.events("Hitt") do end`:                                    `ecs.events: argument 1: expected an event, got the string "Hitt" (did you mean "Hit"?)`,
		`@ecs.set(ecs.find(H), "Health")`:                                          `got the string "Health"; components are given as they are, without quotes`,
		`@ecs.random(0)`:                                                           `ecs.random: expected a whole number from 1 up, got 0`,
		`@ecs.random(5, 1)`:                                                        `ecs.random: expected whole numbers with low <= high, got 5 and 1`,
		`@local c = setmetatable({}, { __concat = print }) c = "a" .. c .. "x"`:    `attempt to concatenate a nil value`,
		`@local c, y = setmetatable({}, { __concat = print }) c = y .. c .. "x"`:   `attempt to concatenate "y", a nil value`,
		`@local ok, e = pcall(table.concat, { H }) error(e, 0)`:                    `invalid value (the component Health) at index 1 in table for "concat"`,
		`@local e = 0 if e then ecs.add(e, H) end`:                                 `ecs.add: argument 1: entity 0 means none; 0 counts as true in Lua, so ask e ~= 0 or ecs.alive(e) first`,
		`local s = ecs.state("game", { score = 1, deep = {} }) ` + once("s", `s.count = s.count + 1`):      `attempt to perform arithmetic on "s.count", a nil value: the state table "game" has no count; a default is what it begins with: ecs.state("game", { count = … })`,
		`local s = ecs.state("game", { score = 1, deep = {} }) ` + once("s", `s.unit.hp = 1`):              `attempt to index "s.unit", a nil value, with key "hp": the state table "game" has no unit; a default`,
		`local s = ecs.state("game", { score = 1, deep = {} }) ` + once("s", `s.scor = s.scor + 1`):        "a nil value (did you mean \"score\"?)\n",
		`local s = ecs.state("game", { score = 1, deep = {} }) ` + once("s", `s.deep.x = s.deep.x + 1`):    "on \"s.deep.x\", a nil value\n",
		`local s = ecs.state("game", { score = 1, deep = {} }) ` + once("s", `s["a b"] = s["a b"] + 1`):    "a nil value\n",
		`ecs.component("Named", { name = "bob" })`:                                                         `field "name" of "Named": expected a kind such as ecs.f32(0), a number or a boolean, got the string "bob": fields hold no texts; ecs.enum has a few words to choose from, and any other text is kept in ecs.state`,
		`ecs.component("Named", { name = {} })`:                                                            "got a table\n",
		`@ecs.save("one")`:                                                                                 `ecs.save: this game does not let scripts save and load: perigee run has --slots for it, and a host can allow it (Options.Slots)`,
		`ecs.system "s" { run = print("hi") }`:                                                             `a.lua:3:18: system "s": run: expected a function, got nil: what stands there is called at once`,
		`ecs.system "s" { run = tostring(1) }`:                                                             `run: expected a function, got the string "1": what stands there is called at once`,
		`ecs.system "s" { run = T.x }`:                                                                     `the tag T has no "x"`,
		`ecs.system("s", { query = { H }, each = type(1) })`:                                               "each: expected a function, got the string \"number\": what stands there is called at once, and its result is taken; write function() … end around the call, or let it return a function\n",
		`local run = print("hi") ecs.system "s" { run = run }`:                                             "run: the value is nil (if that is meant, say so: run = … or nil)\n",
		`ecs.on_start(print("hi"))`:                                                                        `ecs.on_start: argument 1: expected a function, got nil: what stands there is called at once`,
		`ecs.handler("h", print("hi"))`:                                                                    `ecs.handler: argument 2: expected a function, got nil: what stands there is called at once`,
		`local no = print("hi") ecs.on_start(no)`:                                                          "ecs.on_start: argument 1: expected a function, got nil\n",
		`local _, e = pcall(ecs.on_start, print("hi")) error(e, 0)`:                                        "expected a function, got nil\n",
		`ecs.system "s" { on = Hit, each = function(e, h) ecs.log(h.amount) end }`:                         `ctx has no "amount": it has dt, time and tick. With on, each gets the event first, and then ctx: write e.amount`,
		`ecs.system "s" { on = Hit, each = function(_, h) ecs.log(h.amount) end }`:                         "ctx has no \"amount\": it has dt, time and tick. With on, each gets the event first, and then ctx\n",
		`ecs.system "s" { on = Hit, each = function(e, h) ecs.log(h.amont) end }`:                          "ctx has no \"amont\": it has dt, time and tick\n",
		`ecs.prefab("P", { H = { hp = 3 } })`:                                                              `prefab "P": unknown option "H": the only one is children`,
		`ecs.prefab("P", { H, chidren = { Pf } })`:                                                         `prefab "P": unknown option "chidren" (did you mean "children"?)`,
		`ecs.prefab("P", { H, { hp = 3 } })`:                                                               `prefab "P", item 2: expected a component, a value or a prefab, got a table: fields come after their component`,
		`ecs.system "s" { query = H, each = function(e, h) end }`:                                          `query: expected a table of components, got the component Health: write query = { Health }`,
		`ecs.system "s" { query = { "Health" }, each = function(e, h) end }`:                               `query: expected a component, got the string "Health"; components are given as they are, without quotes`,
		`ecs.system "s" { on = "Hit", each = function(hit) end }`:                                          `on: expected an event, got the string "Hit"; events are given as they are, without quotes`,
		`ecs.system "s" { update = function() end }`:                                                       `unknown option "update"`,
		`ecs.system "s" { qury = { H }, each = function(e, h) end }`:                                       `unknown option "qury" (did you mean "query"?)`,
		`ecs.system "s" { run = print, each = print, updat = 3 }`:                                          `expected exactly one of each, batch and run, got 2`,
		`ecs.component("Health", { hp = ecs.f32(1), team = ecs.enum("red") })`:                             `component "Health" is declared with other fields in a.lua:2:15 (not alike: team, n): declare it in one file, which the others require`,
		`ecs.system "s" { query = { H, optional = { T } }, each = function(e, h, ctx) h.hp = ctx.dt end }`: `unknown field "dt" of "T": each takes the entity, then the query's components in order, also the optional ones, then ctx`,
	} {
		whole, problems := wordsHead+text, 1
		switch text[0] {
		case '#':
			whole = wordsHead + `ecs.system "s" { query = { H }, batch = function(b) ` + text[1:] + ` end }`
		case '@':
			whole = wordsHead + once("s", text[1:])
		}
		r := newGame(t, scripting.Limits{Bytes: 16_000_000})
		r.write("a.lua", whole)
		var said string
		if err := r.host.Load(r.folder); err != nil {
			said = err.Error()
			problems = 1 + strings.Count(said, "\n")
		} else if r.step(1); len(r.errors) > 0 {
			said = r.errors[0].Error()
		}
		if !strings.Contains(said+"\n", want) || strings.HasPrefix(text, "ecs.system") && problems > 1 && !strings.Contains(text, "print") {
			t.Errorf("%s: %s\nwant %s", text, said, want)
		}
		for _, word := range []string{"userdata", "thread"} {
			if strings.Contains(said, word) {
				t.Errorf("%s: nobody knows the word %s: %s", text, word, said)
			}
		}
	}
}

// TestCallersInOtherFilesAreNamed: a fault in a function that files share has the line that has called it.
func TestCallersInOtherFilesAreNamed(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.write("lib.lua", `local M = {}
function M.half(n) return n / 2 end
function M.deep(n) local half = M.half(n) return half end
function M.tail(n) return M.half(n) end
return M`, "a.lua", `local lib = require "lib"
ecs.system "one" { run = function() local n = lib.half() end }
ecs.system "deep" { run = function() local n = lib.deep("x" .. 1) end }
ecs.system "tail" { run = function() return lib.half() end }
ecs.system "own" { run = function() local n = nil + 1 end }
local function half(n) return n / 2 end
ecs.system "near" { run = function() local n = half() end }
ecs.on_start(function() for _, n in ipairs { 1 } do lib.half(n == 2) end end)`)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	got := map[string]string{}
	for _, e := range r.errors {
		_, got[e.System], _ = strings.Cut(e.Error(), " (called in ")
	}
	want := map[string]string{"one": "a.lua:3:51)", "deep": "a.lua:4:52)", "tail": "", "own": "", "near": "", "on_start of a.lua": "a.lua:9:57) (not tried again until its file is saved)"}
	if !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestListsInFieldsAreBlamedWhereTheyChange: a list that does not fit into its field was changed where the text
// says so last, by an assignment or by the library.
func TestListsInFieldsAreBlamedWhereTheyChange(t *testing.T) {
	for body, at := range map[string]string{
		"h.n = 3\ntable.insert(h.list, 5)":                            "6:7",
		"h.list = { 1, 2 }\ntable.insert(h.list, 5)":                  "6:7",
		"table.insert(h.list, 5)\nh.list = { 1, h.n, 2 }":             "6:3",
		"local list, insert = h.list, table.insert\ninsert(list, 5) ": "6:1",
		"h.n = 3\nh.list[2] = tostring(1)":                            "6:7",
		"rawset(h.list, 2, print)\nh.n = 3":                           "5:1",
		"table.remove(h.list)\nh.list[1] = tostring(h.n)":             "6:7",
	} {
		r := loaded(t, "a.lua", `local H = ecs.component("H", { list = ecs.array(ecs.f32(), 2), n = ecs.f32() })
ecs.on_start(function() ecs.spawn(H) end)
ecs.system "s" { query = { H }, each = function(e, h)
`+body+`
end }`)
		r.step(1)
		if len(r.errors) != 1 || !strings.HasPrefix(r.errors[0].Error(), "a.lua:"+at+": system \"s\"") || !strings.Contains(r.errors[0].Message, `field "list" of "H"`) {
			t.Errorf("%q: %v, want %s", body, r.errors, at)
		}
	}
}
