package fuzz

import (
	"fmt"
	"strings"
)

// writer writes a Lua program out of choices, a byte for each. When there are no
// bytes left, each choice is the first, which is short everywhere.
type writer struct {
	strings.Builder
	data  []byte
	focus int // which statements are preferred
	deep  int
	names int  // declared so far, of each sort
	left  bool // on_unload is declared
}

// The parts that a fuzzer may prefer.
const (
	anything = iota
	prefabs
	timers
	events
	logs
	loads
)

// mostText bounds a program.
const mostText = 12_000

func (w *writer) pick(n int) int {
	if len(w.data) == 0 {
		return 0
	}
	b := int(w.data[0])
	w.data = w.data[1:]
	return b % n
}

// one writes one of some texts.
func (w *writer) one(texts ...string) { w.WriteString(texts[w.pick(len(texts))]) }

func (w *writer) f(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// rarely writes one of the right texts, and now and then a wrong one: most
// programs should load.
func (w *writer) rarely(right, wrong []string) {
	if w.pick(24) == 23 {
		right = wrong
	}
	w.one(right...)
}

// program returns a file.
func program(data []byte, focus int) string {
	w := &writer{data: data, focus: focus}
	w.WriteString(`local ecs = require "ecs"
local A = ecs.component("A", { x = ecs.f64(0), n = ecs.u8(0), e = ecs.entity(), list = ecs.array(ecs.f32(), 300), word = ecs.enum("one", "two") })
local B = ecs.component("B", { x = ecs.f32(1) }, { sparse = true })
local T, U = ecs.tag("T"), ecs.tag("U")
local E, F = ecs.event("E", { n = ecs.f64(0), who = ecs.entity() }), ecs.event("F", { list = ecs.array(ecs.f64(), 1000) })
local P = ecs.prefab("P", { A, children = { { T }, { B } } })
local st = ecs.state("st", { n = 0, t = {} })
local kept, who, co = {}, 0, nil
for i = 0, 2 do ecs.handler("h" .. (i > 0 and "_" .. i or ""), function(data, ctx) kept.data = data kept.h = (kept.h or 0) + 1 end) end
`)
	for n := 3 + w.pick(10); n > 0 && w.Len() < mostText; n-- {
		w.declaration()
	}
	return w.String()
}

func (w *writer) declaration() {
	w.names++
	switch w.pick(16) {
	default:
		w.f("ecs.system(\"s%d\", { ", w.names)
		w.one("", "phase = \"physics\", ", "every = 0.1, ", "fixed = true, ", "when = function() return ecs.random(2) == 1 end, ", "after = { \"s1?\" }, ", "priority = 5, ")
		w.WriteString("run = function(ctx)\n")
		w.block(4)
		w.WriteString("end })\n")
	case 1:
		w.f("ecs.system(\"s%d\", { query = ", w.names)
		parameters := w.query()
		w.one("", ", kernel = \"off\"", ", precision = \"f32\"")
		w.f(", each = function(e, %s)\n who = e\n", parameters)
		w.one("", "a.x = a.x + 1\n", "a.n = a.n + 1\n", "a.list[3] = a.x\n", "a.e = e\n", "if a.x > 3 then error(\"row \" .. e) end\n", "kept[#kept % 100 + 1] = a\n")
		w.block(3)
		w.WriteString("end })\n")
	case 2:
		w.f("ecs.system(\"s%d\", { query = ", w.names)
		w.query()
		w.WriteString(", batch = function(b, ctx)\n who = b.entities[1]\n")
		w.one("local x = b:write(A, \"x\") for i = 1, b.n do x[i] = x[i] + 1 end\n", "b:col(A, \"x\"):add(1):mul(2)\n", "kept.b = b\n", "kept.x = b:read(A, \"list\")\n", "if kept.x then kept.x[1] = 1 end\n")
		w.block(2)
		w.WriteString("end })\n")
	case 3:
		w.f("ecs.system(\"s%d\", { on = ", w.names)
		w.one("E", "F")
		w.WriteString(", each = function(v, ctx)\n kept.v = v\n")
		w.block(3)
		w.WriteString("end })\n")
	case 4:
		w.WriteString("ecs.")
		w.one("on_add(A, ", "on_set(A, ", "on_remove(A, ", "on_add(T, ", "on_spawn(", "on_despawn(", "on_set(B, ")
		w.WriteString("function(e, ctx)\n who = e\n")
		w.block(3)
		w.WriteString("end)\n")
	case 5:
		w.WriteString("ecs.on_start(function()\n")
		w.block(5)
		w.WriteString("end)\n")
	case 6:
		w.f("ecs.handler(\"h%d\", function(data, ctx)\n", w.names)
		w.block(4)
		w.WriteString("end)\n")
	case 7:
		w.WriteString("P = ecs.prefab(\"P")
		w.f("%d\", ", w.names)
		w.prefabParts()
		w.WriteString(")\n")
	case 8:
		w.f("for i = 1, %d do P = ecs.prefab(\"Q%d_\" .. i, ", []int{2, 3, 4, 5, 6, 12, 40, 3000}[w.pick(8)], w.names)
		w.prefabParts()
		w.WriteString(") end\n")
	case 9:
		w.one("ecs.component(\"C", "ecs.event(\"G")
		w.f("%d\", { x = ", w.names)
		w.rarely([]string{"ecs.f64(0)", "ecs.array(ecs.f64(), 4096)", "ecs.enum(\"a\", \"b\")", "2", "ecs.entity()", "ecs.u64(2^53)"}, []string{"\"x\"", "ecs.i8(300)", "{}"})
		w.one(" })\n", ", y = ecs.f32() }, { version = 2, migrate = function(old) return { y = old.x } end })\n", " }, { sparse = true })\n", " }, { drop = { \"z\" } })\n")
	case 10:
		w.f("ecs.state(\"st%d\", ", w.names)
		w.plain()
		w.WriteString(")\n")
	case 11:
		if w.left {
			return
		}
		w.left = true
		w.WriteString("ecs.on_unload(function() return ")
		w.plain()
		w.WriteString(" end)\necs.on_reload(function(old) kept.old = old end)\n")
	case 12:
		w.WriteString("ecs.on_error(function(err)\n kept.err = err\n")
		w.block(2)
		w.WriteString("end)\n")
	case 13:
		if w.focus == loads || w.pick(20) == 19 {
			w.block(2) // at the top level, where most acts are refused
		}
	case 14:
		w.f("local k%d = ecs.kernel(\"k%d\", ", w.names, w.names)
		parameters := w.query()
		w.f(", function(e, "+parameters+") a.x = a.x + 1 end)\necs.system(\"s%d\", { run = function() k%d() end })\n", w.names, w.names)
	}
}

// query writes a query and returns the parameters that an each of it gets after
// the entity.
func (w *writer) query() string {
	terms := []string{"", ", B", ", optional = { B }", ", without = { T }", ", any = { T, U }", ", changed = { A }", ", with = { T }"}
	n := w.pick(len(terms))
	w.f("{ A%s }", terms[n])
	if n == 1 || n == 2 {
		return "a, b, ctx"
	}
	return "a, ctx"
}

func (w *writer) prefabParts() {
	w.rarely([]string{
		"{ A, children = { P, P } }", "{ P, P }", "{ P }", "{ A { x = 2 }, T, children = { { P, B }, { U } } }", "{ children = { { children = { { A } } } } }", "{ A, A, B, B }",
	}, []string{"{ }", "kept", "{ 1 }", "{ children = { T } }", "{ A, { A } }"})
}

// data writes a table of plain data.
func (w *writer) plain() {
	w.rarely([]string{
		"{}", "{ 1, 2, a = { b = 3 } }", "{ text = (\"x\"):rep(50000) }", "{ n = 0/0, big = 1e308, yes = true }", "(function() local t = {} for i = 1, 2000 do t[i] = i end return t end)()", "(function() local t = {} for i = 1, 25 do t = { t } end return t end)()",
	}, []string{"{ f = print }", "1", "nil", "kept", "(function() local t = {} t.t = t return t end)()", "(function() local t = { 1 } for i = 1, 30 do t = { t, t } end return t end)()", "{ A { x = 1 } }"})
}

// block writes some acts.
func (w *writer) block(n int) {
	if w.deep++; w.deep > 4 {
		n = 0
	}
	for n = w.pick(n + 1); n > 0 && w.Len() < mostText; n-- {
		w.act()
	}
	w.deep--
}

// act writes a statement; half of them are of the part that is preferred.
func (w *writer) act() {
	part := w.focus
	if part == anything || part == loads || w.pick(2) == 0 {
		part = w.pick(9)
	}
	switch part {
	case prefabs:
		w.one("who = ecs.spawn(P)\n", "ecs.spawn_many(20, P)\n", "who = ecs.spawn(P, A { x = 1 }, T)\n", "ecs.spawn_many(9, P, function(i) return A { x = i } end)\n", "for _, c in ipairs(ecs.children(who)) do ecs.despawn(c) end\n", "ecs.set_parent(ecs.spawn(P), who)\n", "ecs.set_parent(who, ecs.spawn(A))\n", "pcall(ecs.set_parent, who, who)\n", "kept[#kept % 50 + 1] = P\n")
	case timers:
		w.one("kept.id = ecs.after(", "kept.id = ecs.every(", "pcall(ecs.after, ", "pcall(ecs.every, ")
		w.rarely([]string{"0.1", "0.05", "0.2", "0.001", "0.01"}, []string{"0", "1e-9", "1e300", "0/0", "-1", "\"1\"", "nil"})
		w.one(", \"h\", ", ", \"h_1\", ", ", \"h_2\", ", ", \"nobody\", ")
		if w.pick(3) == 0 {
			w.value()
		} else {
			w.plain()
		}
		w.WriteString(")\n")
		w.one("", "ecs.cancel(kept.id)\n", "for i = 1, 300 do ecs.after(i, \"h\", { i }) end\n", "kept.id = nil\n", "pcall(ecs.cancel, 1e15)\n")
	case events:
		w.one("ecs.emit(E { n = 1 })\n", "for i = 1, 500 do ecs.emit(F) end\n", "for v in ecs.events(E) do kept.n = v.n end\n", "for v in ecs.events(F) do break end\n", "ecs.emit(E { who = who })\n", "pcall(ecs.emit, kept.v)\n", "for v in ecs.events(E) do ecs.emit(E { n = v.n + 1 }) end\n", "for i = 1, 40 do ecs.emit(E { n = i }) end\n")
	case logs:
		w.one("ecs.log(", "print(", "ecs.warn(", "pcall(error, ", "error(", "local x = tostring(", "assert(false, ")
		w.value()
		w.WriteString(")\n")
		w.one("", "for i = 1, 100 do ecs.log(i) end\n", "ecs.log(\"a\\nb\\27[2J\\7\\0\\r\\226\\128\\174\")\n")
	case 5:
		w.one("who = ecs.spawn(A)\n", "ecs.spawn_many(30, A, T)\n", "ecs.despawn(who)\n", "ecs.add(who, T, B)\n", "ecs.remove(who, A)\n", "ecs.set(who, A { x = 5 })\n", "ecs.despawn_all { A }\n", "kept.a = ecs.get(who, A)\n", "st.n = st.n + ecs.count { A }\n", "for e in ecs.entities { A } do ecs.add(e, U) break end\n", "pcall(ecs.set, who, kept.a)\n", "ecs.enable(\"s1\", false)\n", "who = ecs.find { A } or 0\n")
	case 6:
		w.one("st.t[#st.t % 40 + 1] = ", "st.n = ", "kept[#kept + 1] = ", "st.t = ")
		w.value()
		w.WriteString("\n")
	case 7:
		w.one("for i = 1, 30 do\n", "if ecs.random(2) == 1 then\n", "pcall(function()\n", "do\n", "while ecs.random(5) > 1 do\n", "for k, v in pairs(kept) do\n")
		before := w.Len()
		w.block(3)
		if text := w.String()[:before]; strings.HasSuffix(text, "(function()\n") {
			w.WriteString("end)\n")
		} else {
			w.WriteString("end\n")
		}
	default:
		w.one("st.n = 1\n", "co = coroutine.create(function() local t = {} for i = 1, 50 do t[i] = { i } end coroutine.yield(t) ecs.log(\"late\") end) coroutine.resume(co)\n", "if co then kept[#kept % 90 + 1] = co coroutine.resume(co) end\n", "local s = (\"x\"):rep(200000) for i = 1, 20 do kept[i] = s .. i end\n", "for i = 1, 3000 do kept[i] = { i } end\n", "while true do end\n", "local function f() return f() end f()\n", "local function f() return 1 + f() end f()\n", "kept = { kept }\n", "local t = {} for i = 1, 2000 do t[i] = (\"k\"):rep(50) .. (i * 7919 % 2000) end table.sort(t)\n", "kept.s = table.concat({ (\"y\"):rep(100000), (\"z\"):rep(100000) })\n", "kept.g = (\"ab\"):rep(5000):gsub(\"a*b\", \"%0%0\")\n", "kept.f = function() return kept end\n", "kept = {}\n", "setmetatable(kept, { __index = function(t, k) return t end, __tostring = function() return (\"m\"):rep(9000) end })\n")
	}
}

// value writes data of all sorts.
func (w *writer) value() {
	w.one("1", "\"text\"", "nil", "{}", "{ 1, 2, a = { b = 3 } }", "true", "0/0", "1e308", "who", "kept", "st", "st.t", "P", "A", "function() end", "(\"x\"):rep(900000)", "(\"1\"):rep(700000)", "{ kept, kept }", "(function() local t = { 1 } for i = 1, 30 do t = { t, t } end return t end)()", "(function() local t = {} for i = 1, 500 do t = { t } end return t end)()", "(function() local t = {} t.t = t return t end)()", "co", "(function() local t = {} for i = 1, 4000 do t[i] = i end return t end)()", "\"\\27[31m\\n\\0\"", "setmetatable({}, { __tostring = function() error(\"no\") end })", "kept.v", "A { x = 3 }")
}
