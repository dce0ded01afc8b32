package scripting_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// languageSetting has what is left of the language: values that are names, entities, rows
// or nil, functions of another module that get and give all of these, structs in
// structs, arrays of every size, parents, and components that are there, may be
// there, or lie in pools.
var languageSetting = setting{dialect: languageDialect, opening: opening + `
local lib = require "lib"
local Frame, Red = ecs.native("Frame"), ecs.tag("Red")
local Gear = ecs.component("Gear", { a = ecs.f64(1), s = ecs.f32(2), n = ecs.u8(3), mode = ecs.enum("idle", "walk", "run"),
  mate = ecs.entity(), slots = ecs.array(ecs.f32(3), 4) })
local Heat = ecs.component("Heat", { t = ecs.f32(4), n = ecs.i16(0) }, { sparse = true })
local Hit = ecs.event("Hit", { amount = ecs.f32(1), who = ecs.entity(), kind = ecs.enum("soft", "hard"), on = ecs.bool(), n = ecs.i8(0) })
local Bolt = ecs.prefab("Bolt", { Heat { t = 9 }, Gear, children = { { Red } } })
local count, least, most, flag, word = 0, 1e9, -1e9, false, "walk"
local levels, ons, paces = { 2.5, -1, 0, 8 }, { true, false, true }, { idle = 0.5, walk = 1.5, run = 4 }
local memory = ecs.state("memory", { total = 0, on = true, deep = { most = 1, list = { 3, 1, 2 } } })
local function bump(n) count = count + n return count end
local function three(x) if x > 10 then return x, x * 2 end return x, 1, 2 end
local function when(x) if x > 0 then return x < 5 end return false end
ecs.on_start(function()
  local last = 0
  for e in ecs.entities { Alpha } do
    if e % 2 == 0 then ecs.add(e, Frame { mode = e % 3 == 0 and "run" or "walk", mate = last }) end
    if e % 3 == 0 then ecs.add(e, Gear { a = e % 10, mate = last, mode = "walk" }) end
    if e % 4 < 2 then ecs.add(e, Heat { t = e % 5 }) end
    if e % 5 == 0 then ecs.add(e, Red) end
    if e % 7 == 3 then ecs.set_parent(e, last) end
    last = e
  end
end)
ecs.system "fill" { phase = "input", query = { Frame, Beta }, kernel = "off", each = function(e, f, b, ctx)
  if ctx.tick > 1 then return end
  f.at.x, f.at.y, f.at.deep.n = b.f, b.h, e % 50
  for i = 1, 4 do f.slots[i] = b.g * i end
  for i = 1, 3 do f.small[i] = e % 90 + i end
  for i = 1, 20 do f.long[i] = b.i32 % 1000 - i end
end }
ecs.system "hits" { phase = "render", on = Hit, each = function(h)
  if h.on then most = most * 0.5 + h.amount + h.n * (h.kind == "hard" and 3 or 1) + h.who % 1000 end
end }
ecs.system "report" { phase = "debug", run = function(ctx)
  ecs.log(string.format("%.17g %.17g %.17g %s %.17g %s %.17g", count, least, most, tostring(flag), memory.total, tostring(memory.on), memory.deep.most))
  lib.scale, levels[2], word = lib.scale * -1.25, levels[2] + 1, "run"
end }
`, system: func(name, mode, each string) string {
	return fmt.Sprintf("ecs.system %q { %s, kernel = %q,\n  each = %s}\n", name, queryOf(each), mode, each)
}}

// queryOf returns the query that fits the parameters of a function: those that
// begin with o may be nil.
func queryOf(each string) string {
	head, _, _ := strings.Cut(each, ")")
	var must, may []string
	for _, name := range strings.Split(head, ", ")[1:] {
		switch name {
		case "a", "b", "f", "h":
			must = append(must, map[string]string{"a": "Alpha", "b": "Beta", "f": "Frame", "h": "Heat"}[name])
		case "of", "og", "oh", "red", "ot":
			may = append(may, map[string]string{"of": "Frame", "og": "Gear", "oh": "Heat", "red": "Red", "ot": "Tool"}[name])
		}
	}
	if len(may) == 0 { // an empty list is a mistake
		return fmt.Sprintf("query = { %s }", strings.Join(must, ", "))
	}
	return fmt.Sprintf("query = { %s, optional = { %s } }", strings.Join(must, ", "), strings.Join(may, ", "))
}

// helping is the module lib of all random programs.
const helping = `
local sqrt = math.sqrt
local lib = { scale = 1.5, far = { limit = 40, on = true }, on = true }
local held = 0
function lib.toward(x, y, length)
  local d = sqrt(x * x + y * y)
  if d == 0 then return 0, 0 end
  return x * length / d, y * length / d
end
function lib.maybe(n) if n > 3 then return nil end return n end
function lib.few(n) if n > 20 then return 1 end return 1, n end
function lib.none() end
function lib.scaled(v) return v * lib.scale end
function lib.twice(v) return lib.scaled(v) + lib.scaled(held) end
function lib.age(p, ctx) p.f = p.f + ctx.dt return p.f end
function lib.hold(x) if x > held then held = x end return held end
function lib.is(x, y) return x < y or lib.far.on and x == y end
function lib.sum(p) if not p then return nil end local s = 0 for i = 1, 4 do s = s + p.slots[i] end return s end
function lib.pace(mode) if mode == "run" then return 4 elseif mode ~= "idle" then return 2 end return 0.5 end
function lib.same(x, y) return x == y end
function lib.past(x, n) local i = 0 while true do i = i + 1 if i > n or i > 3 then return x end x = x * 0.5 + i end end
function lib.slow(ctx) ctx.dt = 0 end
function lib.stow(p, x) rawset(p, "stowed", x) end
function lib.clear(p, x) if x > 1 then p.h = x return end p.f = -x end
return lib
`

// folderOf is the folder of a random program, with the modules that it asks for.
func folderOf(text string) fstest.MapFS {
	folder := fstest.MapFS{"k.lua": {Data: []byte(text)}}
	if strings.Contains(text, `require "lib"`) {
		folder["lib.lua"] = &fstest.MapFile{Data: []byte(helping)}
	}
	return folder
}

// TestKernelsEqualLuaInLanguage is TestKernelsEqualLua with all that kernels take.
func TestKernelsEqualLuaInLanguage(t *testing.T) {
	sideBySide(t)
	languageSetting.random(t, *randomPrograms)
}

var languageDialect = &dialect{
	heads: []string{
		"e, a, b, f, og, ctx", "e, a, b, of, og, oh, red, ctx", "e, a, b, h, og, ctx", "e, a, b, f, oh, ctx", "e, a, b, f, h, red, ctx",
	},
	often: 2, stmt: (*program).languageStmt, atom: (*program).languageAtom, truth: (*program).languageTruth,
}

// has reports whether the function has a parameter.
func (p *program) has(name string) bool {
	head, _, _ := strings.Cut(p.b.String(), ")")
	return strings.Contains(head, ", "+name+",")
}

// held lists the parameters among some.
func (p *program) held(names ...string) (list []string) {
	for _, n := range names {
		if p.has(n) {
			list = append(list, n)
		}
	}
	return list
}

// given wraps a number of a row, with @ for its name, so that it is one where the
// row is nil, too; other is for functions without it.
func (p *program) given(number, other string, rows ...string) string {
	list := p.held(rows...)
	if len(list) == 0 {
		return other
	}
	name := p.pick(list...)
	number = strings.ReplaceAll(number, "@", name)
	if name[0] != 'o' && name != "g" {
		return number
	}
	return fmt.Sprintf("(%s and %s or %s)", name, number, other)
}

func (p *program) plain() string { return p.pick("a.f", "b.h", "b.g", "2", "a.u8", "-0.5", "a.i8") }

// place is an index, mostly one of so many elements.
func (p *program) place(n int) string {
	switch p.r.IntN(6) {
	case 0:
		return fmt.Sprintf("a.u8 %% %d + 1", n)
	case 1:
		return fmt.Sprintf("math.floor(math.abs(%s)) %% %d + 1", p.plain(), n)
	case 2:
		return p.plain()
	}
	return fmt.Sprint(1 + p.r.IntN(n))
}

// languageAtom is a number of what this setting has.
func (p *program) languageAtom() string {
	x := p.plain
	switch p.r.IntN(22) {
	case 0:
		return p.given(p.pick("@.at.x", "@.at.deep.n", "@.at.y", "@.small[2]", "@.long[17]", "(#@.long)"), x(), "f", "of")
	case 1:
		return p.given(fmt.Sprintf("(@.slots[%s] or %s)", p.place(4), x()), x(), "f", "of", "og")
	case 2:
		return p.given(fmt.Sprintf("(@.small[%s] or %s)", p.place(3), x()), x(), "f", "of")
	case 3:
		return p.given(p.pick("@.t", "@.n"), x(), "h", "oh")
	case 4:
		return p.given(p.pick("@.a", "@.s", "@.n", "(@.mate or 0) % 1000"), x(), "og")
	case 5:
		return fmt.Sprintf(p.pick("lib.scaled(%s)", "lib.twice(%s)", "lib.hold(%s)", "bump(%s)", "(three(%s))", "lib.past(%[1]s, b.u16)"), x())
	case 6:
		return p.pick("lib.age(a, ctx)", "lib.age(b, ctx)")
	case 7:
		if p.has("f") {
			return fmt.Sprintf(p.pick("lib.pace(%s)", "(paces[%s] or 3)"), p.mode())
		}
	case 8:
		return fmt.Sprintf(p.pick("math.asin(%s)", "math.acos(%s)", "math.cosh(%s)", "math.sinh(%s)", "math.tanh(%s)", "math.rad(%s)", "math.log10(%s)"), x())
	case 9:
		return fmt.Sprintf(p.pick("math.atan2(%s, %s)", "math.fmod(%s, %s)", "math.pow(%s, %s)", "math.ldexp(%s, %s)"), x(), x())
	case 10:
		return fmt.Sprintf("(%s or %s)", p.maybe(), x())
	case 11:
		return fmt.Sprintf("(ecs.parent(%s) or 0) %% 1000", p.someone())
	case 12:
		return fmt.Sprintf("(lib.none() and %s or %s and %s or %s)", x(), p.truth(1), x(), x())
	case 13:
		return p.pick("lib.far.limit", "lib.scale", "memory.deep.most", "memory.total", "count", "least")
	case 14:
		return fmt.Sprintf("math.max(%s, lib.toward(%s, %s, 2))", x(), x(), x())
	case 15:
		return fmt.Sprintf("(lib.few(%s)) + (%s and 1 or 2)", x(), p.truth(1))
	case 16, 17:
		return p.copied("(@ and %s or " + x() + ")")
	case 18:
		return fmt.Sprintf("(%s and %s or %s)", p.maybe(), x(), x())
	}
	return p.pick("(#levels)", "levels[a.u8 % 4 + 1]", "(ecs.random(3) + ecs.random(a.u8, 300))", "e % 100", "ecs.random()")
}

// copied is a number of a copy that ecs.get has made, with @ for its name.
func (p *program) copied(format string) string {
	if len(p.copies) == 0 {
		return p.plain()
	}
	part := p.pick("@.at.x", "@.at.deep.n", "@.slots[2]", "@.small[3]", "@.long[20]", "(@.slots["+p.place(4)+"] or 1)", "@.long["+p.place(20)+"]", "(#@.small)")
	return strings.ReplaceAll(fmt.Sprintf(format, part), "@", p.pick(p.copies...))
}

// maybe is a number or nil.
func (p *program) maybe() string {
	if len(p.maybes) > 0 && p.r.IntN(2) == 0 {
		return p.pick(p.maybes...)
	}
	switch p.r.IntN(8) {
	case 0:
		return fmt.Sprintf("levels[%s]", p.plain())
	case 1:
		return fmt.Sprintf(`ecs.get(%s, %s)`, p.someone(), p.pick(`Gear, "a"`, `Gear, "n"`, `Heat, "t"`, `Frame, "mate"`))
	case 2:
		return "ecs.parent(e)"
	case 3:
		return p.given("@.slots["+p.plain()+"]", "lib.maybe(a.f)", "f")
	case 4:
		return fmt.Sprintf("(%s or %s)", "lib.maybe(a.f)", "lib.maybe(b.f)")
	case 5:
		return fmt.Sprintf("(lib.maybe(%s) and lib.maybe(%s))", p.plain(), p.plain())
	}
	return fmt.Sprintf("lib.maybe(%s)", p.plain())
}

// someone is the handle of an entity that may be another one, dead or alive.
func (p *program) someone() string {
	if p.r.IntN(4) == 0 {
		return p.handle("og")
	}
	return p.pick("e", p.given("@.mate", "e - 1", "f"), p.given("@.mate", "e", "og"), "e + 1", "e - 2", "(ecs.parent(e) or e)")
}

// mode is a name of the enum, in functions that have f.
func (p *program) mode() string {
	if len(p.modes) > 0 && p.r.IntN(2) == 0 {
		return p.pick(p.modes...)
	}
	return "f.mode"
}

// named is a name that can be assigned to a field.
func (p *program) named() string {
	switch p.r.IntN(4) {
	case 0:
		return fmt.Sprintf(`%s and "run" or "idle"`, p.truth(1))
	case 1:
		return fmt.Sprintf(`%s and "walk" or %s and "idle" or "run"`, p.truth(1), p.truth(1))
	case 2:
		return p.pick(`"idle"`, `"walk"`, `"run"`)
	}
	if p.has("f") {
		return p.mode()
	}
	return `"walk"`
}

// languageTruth is true or false, by what this setting has.
func (p *program) languageTruth() string {
	switch p.r.IntN(14) {
	case 0:
		if !p.has("f") {
			return "flag"
		}
		return fmt.Sprintf(`(%s %s %s)`, p.mode(), p.pick("==", "~="), p.pick(`"run"`, `"idle"`, `"fly"`, "word", p.mode()))
	case 1:
		return fmt.Sprintf("(%s %s nil)", p.maybe(), p.pick("==", "~="))
	case 2:
		return fmt.Sprintf("(%s %s %s)", p.maybe(), p.pick("==", "~="), p.maybe())
	case 3:
		return fmt.Sprintf("(%s == %s)", p.maybe(), p.plain())
	case 4:
		if list := p.held("of", "og", "oh", "red"); len(list) > 0 {
			return fmt.Sprintf(p.pick("(%s ~= nil)", "(%s == nil)", "(not %s)", "(%s and true or false)"), p.pick(list...))
		}
		return "flag"
	case 5:
		return fmt.Sprintf("lib.is(%s, %s)", p.plain(), p.plain())
	case 6:
		return fmt.Sprintf("when(%s)", p.plain())
	case 7:
		return p.pick("flag", "memory.on", "lib.on", "ons[2]", "ons[a.u8 % 3 + 1]", "lib.far.on")
	case 8:
		return fmt.Sprintf("ecs.has(%s%s)", p.someone(), p.pick("", ", Frame", ", Gear, Red", ", Heat", ", Alpha, Heat", ", Red"))
	case 9:
		return fmt.Sprintf("ecs.alive(%s)", p.pick(p.someone(), p.maybe(), "nil", "e"))
	case 10:
		return fmt.Sprintf("(%s %s e)", p.someone(), p.pick("==", "~="))
	case 11:
		return fmt.Sprintf("(ecs.get(%s, Red) or false)", p.someone())
	case 12:
		return fmt.Sprintf("lib.same(%s, %s)", p.plain(), p.plain())
	}
	return fmt.Sprintf("(not not (%s and %s))", p.maybe(), p.truth(1))
}

// languageStmt writes a statement about what this setting has.
func (p *program) languageStmt() {
	if p.indent > 5 {
		p.line("count = count + %s", p.num(1))
		return
	}
	switch p.r.IntN(6) {
	case 0, 1:
		p.ownRow()
	case 2:
		p.value()
	case 3:
		p.captured()
	case 4:
		p.round()
	default:
		p.changes()
	}
}

// within writes a statement about one of the rows, with @ for its name, where the
// row is there; sometimes also where it is not, which is an error.
func (p *program) within(text string, rows ...string) {
	list := p.held(rows...)
	if len(list) == 0 {
		p.line("%s = %s", p.floatField(), p.num(1))
		return
	}
	name := p.pick(list...)
	text = strings.ReplaceAll(text, "@", name)
	switch {
	case name[0] != 'o':
		p.line("%s", text)
	case p.r.IntN(12) == 0:
		p.line("if a.u8 %% 16 == %d then %s end", p.r.IntN(16), text)
	default:
		p.line("if %s then %s end", name, text)
	}
}

// ownRow changes a field of the row.
func (p *program) ownRow() {
	frames := []string{"f", "of"}
	switch p.r.IntN(14) {
	case 0:
		p.within(fmt.Sprintf("@.at.%s = %s", p.pick("x", "y"), p.num(2)), frames...)
	case 1:
		p.within(fmt.Sprintf("@.at.deep.n = %s", p.whole(-32768, 32767)), frames...)
	case 2:
		p.within(fmt.Sprintf("@.small[%s] = %s", p.place(3), p.whole(0, 255)), frames...)
	case 3:
		p.within(fmt.Sprintf("@.long[%d] = %s", 1+p.r.IntN(20), p.whole(-2147483648, 2147483647)), frames...)
	case 4:
		p.within(fmt.Sprintf("@.slots[%s] = %s", p.place(4), p.num(1)), "f", "of", "og")
	case 5:
		p.within(fmt.Sprintf("@.slots[1], @.slots[2], @.slots[4] = @.slots[2], %s, @.slots[1]", p.num(1)), "f", "of", "og")
	case 6:
		p.within("@.mode = "+p.named(), "f", "of", "og")
	case 7:
		p.within("@.mate = "+p.pick("e", "0", "ecs.parent(e)", p.someone(), fmt.Sprintf("ecs.alive(%s) and e or 0", p.someone())), "f", "og")
	case 8:
		p.within(fmt.Sprintf("@.t, @.n = %s, %s", p.num(1), p.whole(-32768, 32767)), "h", "oh")
	case 9:
		p.within(fmt.Sprintf("@.a, @.s, @.n = %s, %s, %s", p.num(2), p.num(1), p.whole(0, 255)), "og")
	case 10:
		p.within(fmt.Sprintf("for i = 1, #@.%s do @.%[1]s[i] = @.%[1]s[i] * 0.5 + i end", "slots"), "f", "of", "og")
	case 11:
		p.within(fmt.Sprintf("if @.n < %d then @.n = @.n + %d end", 100+p.r.IntN(156), 1+p.r.IntN(3)), "og", "h")
	case 12:
		p.within("lib.clear(b, @.at.x)", frames...)
	default:
		p.within(fmt.Sprintf("@.at.x, b.f, @.at.deep.n = b.f, @.at.x, %s", p.pick("@.at.deep.n", "a.i8", "a.i16")), frames...)
	}
}

// whole is a number for an integer field: mostly what fits.
func (p *program) whole(low, high int) string {
	switch p.r.IntN(5) {
	case 0:
		return p.num(1) + knownWrong
	case 1:
		return p.pick("a.u8", "a.i8", "b.u16", "a.i16")
	}
	return fmt.Sprintf("floor(math.max(%d, math.min(%d, %s)))", low, high, p.num(1))
}

// value makes or changes a local of a kind that is more than a number.
func (p *program) value() {
	name := p.fresh()
	switch p.r.IntN(9) {
	case 0:
		if !p.has("f") {
			p.value()
			return
		}
		p.line("local %s = %s", name, p.mode())
		p.modes = append(p.modes, name)
	case 1:
		p.line("local %s = %s", name, p.maybe())
		p.maybes = append(p.maybes, name)
	case 2:
		p.line("local %s", name)
		p.line("if %s then %s = %s end", p.truth(1), name, p.pick(p.num(1), p.maybe()))
		p.maybes = append(p.maybes, name)
	case 3:
		p.line("local %s = ecs.get(%s, Frame)", name, p.someone())
		p.copies = append(p.copies, name)
	case 4:
		if len(p.maybes) == 0 {
			p.value()
			return
		}
		m := p.pick(p.maybes...)
		p.line("if %s then %s = %s %s %s end", m, p.floatField(), m, p.pick("+", "*", "<= 2 and 1 or"), p.num(1))
	case 5:
		if len(p.maybes) == 0 {
			p.value()
			return
		}
		p.line("if a.u8 %% 16 == %d then %s = %s - 1 end", p.r.IntN(16), p.floatField(), p.pick(p.maybes...)) // may be an error
	case 6:
		other, third := p.fresh(), p.fresh()
		p.line("local %s, %s, %s = three(%s)", name, other, third, p.num(1))
		p.nums, p.maybes = append(p.nums, name, other), append(p.maybes, third)
	case 7:
		p.line("%s, %s = lib.toward(%s, %s, %s)", p.floatField(), p.floatField(), p.num(1), p.num(1), p.num(1))
	default:
		p.line("if a.u8 %% 16 == %d then %s = ecs.get(%s, %s end", p.r.IntN(16), p.floatField(), p.someone(), p.pick("Frame).at.y", "Gear).a", `Heat, "t")`))
	}
}

// captured changes what the script holds, and what its modules do.
func (p *program) captured() {
	switch p.r.IntN(10) {
	case 0:
		p.line("least = math.min(least, %s)", p.num(1))
	case 1:
		p.line("flag = %s", p.truth(1))
	case 2:
		p.line("memory.on, memory.total = %s, memory.total + %s", p.truth(1), p.num(1))
	case 3:
		p.line("if %s then memory.deep.most = %s end", p.truth(1), p.num(1))
	case 4:
		p.line("count, %s, flag = %s, count, not flag", p.floatField(), p.num(1))
	case 5:
		p.line("lib.far.limit = lib.far.limit + %s", p.num(1))
	case 6:
		p.line("lib.%s", p.pick("hold(a.f)", "clear(b, a.f)", "age(a, ctx)", "none()"))
	case 8:
		p.line("if a.u8 %% 5 == 2 then lib.%s end", p.pick("slow(ctx)", "slow(ctx)", "stow(a, a.f)"))
	case 7:
		p.line("if lib.hold(%s) > 100 then count = count + 1 end", p.plain())
	default:
		p.line("if %s > most then most = %s end", p.plain(), p.plain())
	}
}

// round writes a loop in another form than the plain ones.
func (p *program) round() {
	n := p.fresh()
	switch p.r.IntN(5) {
	case 0:
		p.line("local %s = 0", n)
		p.line("while true do")
		p.line("%s = %s + 1", n, n)
		p.line("if %s > %s or %s then break end", n, p.pick("3", "a.u8 % 5"), p.truth(1))
		p.body()
		p.line("end")
	case 1:
		p.line("local %s = 0", n)
		p.line("repeat")
		p.line("%s = %s + 1", n, n)
		p.loops++
		p.block(2) // a label at its end would be in front of the condition
		p.loops--
		p.line("until %s > 2 or %s", n, p.truth(1))
	case 2:
		p.line("for %s = %s, 1, -1 do", n, p.pick("3", "4", "a.u8 % 4"))
		p.with(p.body, n)
		p.line("end")
	case 3:
		inner := p.fresh()
		p.line("for %s = 1, 3 do for %s = 1, %s do", n, inner, p.pick("2", "3", n))
		p.with(p.body, n, inner)
		p.line("end end")
	default:
		v := p.fresh()
		p.line("for %s, %s in ipairs(%s) do", n, v, p.pick("levels", "memory.deep.list"))
		p.line("if %s then break end", p.truth(1))
		p.with(p.body, n, v)
		p.line("end")
	}
}

// changes has something be done when the system is through.
func (p *program) changes() {
	gear := func() string {
		return fmt.Sprintf("Gear { %s }", p.pick(
			fmt.Sprintf("a = %s, mode = %s", p.num(1), p.named()), fmt.Sprintf("n = %s, mate = %s", p.whole(0, 255), p.someone()), "s = a.g"))
	}
	text := ""
	switch p.r.IntN(9) {
	case 0:
		text = fmt.Sprintf("ecs.emit(Hit { amount = %s, kind = %s and \"soft\" or \"hard\", on = %s, who = e })", p.num(1), p.truth(1), p.truth(1))
	case 1:
		text = fmt.Sprintf("ecs.emit(Hit { n = %s }) ecs.emit(Hit)", p.whole(-128, 127))
	case 2:
		text = fmt.Sprintf("ecs.set(%s, %s, Alpha { g = %s, u8 = 9 })", p.someone(), gear(), p.num(1))
	case 3:
		text = fmt.Sprintf("ecs.add(%s, %s, Red)", p.someone(), gear())
	case 4:
		text = fmt.Sprintf("ecs.remove(%s, %s)", p.someone(), p.pick("Gear", "Red, Heat", "Frame"))
	case 5:
		text = fmt.Sprintf("ecs.spawn(Bolt, Alpha { f = %s, b = %s }, Red)", p.num(1), p.truth(1))
	case 6:
		text = fmt.Sprintf("ecs.spawn(Heat { t = %s }, %s) count = count + 1", p.num(1), gear())
	case 7:
		text = fmt.Sprintf("ecs.despawn(%s)", p.someone())
	default:
		text = fmt.Sprintf("ecs.add(e, Heat { t = %s, n = %s })", p.num(1), p.whole(-32768, 32767))
	}
	p.line("if %s and %s then %s end", p.pick("a.u8 < 40", "a.u8 % 8 == 2", "e % 9 == 4"), p.truth(1), text)
}
