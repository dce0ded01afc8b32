package scripting_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
)

var randomPrograms = flag.Int("kernel.random", 600/oneOf, "random kernels that use the world to run on both paths")

// worldSetting has what random programs may use beside their own rows: an optional
// component, tables and counters, functions, other entities, changes.
var worldSetting = setting{dialect: worldDialect, opening: opening + `
local Gear = ecs.component("Gear", { a = ecs.f64(1), s = ecs.f32(2), mode = ecs.enum("idle", "walk", "run"),
  mate = ecs.entity(), slots = ecs.array(ecs.f32(3), 4) })
local Heat = ecs.component("Heat", { t = ecs.f64(4) }, { sparse = true })
local Hit = ecs.event("Hit", { amount = ecs.f64(1), who = ecs.entity(), on = ecs.bool() })
local Bolt = ecs.prefab("Bolt", { Heat { t = 9 } })
local tuning = { speed = 1.5, deep = { most = 8 }, on = true }
local levels, paces = { 2.5, -1, 0, 8 }, { idle = 1, walk = 2, run = 3 }
local memory = ecs.state("memory", { total = 0, most = 1, list = { 5, 6, 7 } })
local count, sum = 0, 0.5
local function scaled(x) return x * tuning.speed end
local function maybe(x) if x > 3 then return x end end
local function pair(x, y) count = count + 1 return y, x end
local function deeper(x) local p, q = pair(scaled(x), count) return p - q end
ecs.on_start(function()
  local last = 0
  for e in ecs.entities { Alpha } do
    if e % 3 == 0 then ecs.add(e, Gear { a = e % 10, mate = last }) end
    if e % 4 == 0 then ecs.add(e, Heat) end
    last = e
  end
end)
ecs.system "hits" { phase = "render", on = Hit, each = function(h) if h.on then sum = h.amount end end }
ecs.system "report" { phase = "debug", run = function(ctx)
  ecs.log(string.format("%.17g %.17g %.17g %.17g %.17g", count, sum, memory.total, memory.most, tuning.deep.most))
  tuning.speed = tuning.speed * -1.25
end }
`, system: func(name, mode, each string) string {
	return fmt.Sprintf("ecs.system %q { query = { Alpha, Beta, optional = { Gear } }, kernel = %q,\n  each = %s}\n", name, mode, each)
}}

// TestKernelsEqualLuaOutdoors is TestKernelsEqualLua with all that programs may
// use.
func TestKernelsEqualLuaInWorlds(t *testing.T) {
	sideBySide(t)
	worldSetting.random(t, *randomPrograms)
}

var worldDialect = &dialect{heads: []string{"e, a, b, g, ctx"}, often: 3, stmt: (*program).worldStmt, atom: (*program).worldAtom}

// worldAtom is a number from outside of the program's own locals and rows.
func (p *program) worldAtom() string {
	x := func() string { return p.pick("a.f", "b.h", "b.g", "2", "a.u8") }
	switch p.r.IntN(23) {
	case 16:
		return fmt.Sprintf("(ecs.alive(%s) and 3 or %s)", p.handle("g"), x())
	case 17:
		return fmt.Sprintf("(ecs.has(%s, %s) and 5 or %s)", p.handle("g"), p.pick("Gear", "Heat", "Alpha, Gear", "Gear, Heat"), x())
	case 18:
		return fmt.Sprintf("(ecs.get(%s, %s) or %s)", p.handle("g"), p.pick(`Gear, "s"`, `Heat, "t"`, `Alpha, "g"`, `Beta, "u32"`), x())
	case 19:
		return p.pick("levels[3]", "levels[a.u8 % 4 + 1]", "(levels[b.u16 % 7] or 2)", "memory.list[2]", "(#levels)")
	case 20:
		return p.pick("memory.total", "memory.most", "memory.list[a.u8 % 3 + 1]")
	case 21:
		return "(g and paces[g.mode] or 3)"
	case 22:
		return fmt.Sprintf("math.ldexp(%s, %s)", x(), p.pick("2", "-3", "a.i8", "b.h"))
	case 0:
		return "tuning.speed"
	case 1:
		return "tuning.deep.most"
	case 2:
		return p.pick("count", "sum")
	case 3:
		return fmt.Sprintf("scaled(%s)", x())
	case 4:
		return fmt.Sprintf("(maybe(%s) or %s)", x(), x())
	case 5:
		return fmt.Sprintf("pair(%s, %s)", x(), x())
	case 6:
		return fmt.Sprintf("deeper(%s)", x())
	case 7:
		return fmt.Sprintf("(g and g.a or %s)", x())
	case 8:
		return fmt.Sprintf("(g and g.slots[%s] or %s)", p.pick("1", "3", "b.u16 % 6", "a.f"), x())
	case 9:
		return fmt.Sprintf("(ecs.get(e, %s) or %s)", p.pick(`Gear, "s"`, `Heat, "t"`, `Alpha, "f"`), x())
	case 10:
		return fmt.Sprintf("(g and ecs.alive(g.mate) and ecs.get(g.mate, Alpha).f or %s)", x())
	case 11:
		return "ecs.random()"
	case 12:
		return fmt.Sprintf("ecs.random(%s)", p.pick("6", "a.u8", "-2, 4", "1, b.u16"))
	case 13:
		return fmt.Sprintf("math.random(%s)", p.pick("", "3", "a.u8", "-5, -1"))
	case 14:
		return fmt.Sprintf("(math.modf(%s))", x())
	}
	return "e % 7"
}

// handle is a number that may be one of an entity: of the living and the dead, of
// another world, of slots and generations that have not been given out, and what
// is none. gear is the parameter that has a mate.
func (p *program) handle(gear string) string {
	if p.r.IntN(3) > 0 {
		mate := p.given("@.mate", "e", gear)
		return p.pick("e", mate, strings.Replace(mate, "or e", "or 0", 1), "e + 1", "e - 1", "e + 3")
	}
	return p.pick("e + 4294967296", "e - 4294967296", "e + 16777216", "e % 16777216", "4311744512 + 300 + count", "4311744512 + b.u16",
		"0"+knownWrong, "-e", "e + 0.5", "1e300"+knownWrong, "0/0"+knownWrong, "4503599627370496 + e", "a.i64", "b.u64", "a.f", "16777215 + e - e % 16777216")
}

// worldStmt writes a statement that reaches out of the row.
func (p *program) worldStmt() {
	switch p.r.IntN(22) {
	case 14:
		p.line("if %s then ecs.%s end", p.truth(1), fmt.Sprintf(p.pick("set(%s, Gear { s = %s })", "add(%s, Heat { t = %s })"), p.handle("g"), p.num(1)))
	case 15:
		p.line("if a.u8 < 30 and %s then ecs.%s end", p.truth(1), fmt.Sprintf(p.pick("remove(%s, Gear)", "despawn(%s)"), p.handle("g")))
	case 16:
		p.line("memory.total = memory.total + %s", p.num(1))
	case 17:
		p.line("if %s then memory.most, tuning.deep.most = %s, %s end", p.truth(1), p.num(1), p.num(1))
	case 18:
		i, v := p.fresh(), p.fresh()
		p.line("for %s, %s in ipairs(%s) do", i, v, p.pick("levels", "memory.list"))
		p.with(p.body, i, v)
		p.line("end")
	case 19:
		p.line("if g and %s then for i = 1, %d do g.slots[i] = %s end end", p.truth(1), 3+p.r.IntN(3), p.num(1))
	case 20:
		p.line("if a.u8 %s %d then a.u8 = a.u8 + %d end", p.pick("<", "<=", ">", ">=", "==", "~="), p.r.IntN(256), p.r.IntN(300)-150)
	case 0:
		p.line("count = count + %s", p.num(1))
	case 1:
		p.line("if %s then sum = %s end", p.truth(1), p.num(2))
	case 2:
		p.line("if g then g.a, g.s = %s, %s end", p.num(2), p.num(1))
	case 3:
		p.line("if %s then g.a = %s end", p.pick("g and a.b", "a.u8 == 7"), p.num(1))
	case 4:
		p.line("if g then g.slots[%s] = %s end", p.pick("1", "4", "a.u8 % 4 + 1", "b.u16"), p.num(1))
	case 5:
		p.line("if g then g.mode = %s and %q or g.mode == \"walk\" and \"idle\" or \"walk\" end", p.truth(1), p.pick("run", "idle"))
	case 6:
		p.line("if g then g.mate = %s end", p.pick("e", "0", "g.mate"))
	case 7:
		x, y := p.fresh(), p.fresh()
		p.line("local %s, %s = pair(%s, %s)", x, y, p.num(1), p.num(1))
		p.nums = append(p.nums, x, y)
	case 8:
		x := p.fresh()
		p.line("local %s if %s then %s = %s end", x, p.truth(1), x, p.num(1))
		p.line("%s = %s or %s", p.floatField(), x, p.num(1))
		p.line("if %s then %s = %s or %s end", p.truth(1), x, p.pick(x, fmt.Sprintf("maybe(%s)", p.num(1))), p.pick(x, p.num(1)))
		p.line("if %s then %s = nil end", p.truth(1), x)
	case 9:
		p.line("ecs.emit(Hit { amount = %s, who = e, on = %s })", p.num(1), p.truth(1))
	case 10:
		p.line("if %s then ecs.set(e, Gear { a = %s, mode = \"run\" }) end", p.truth(1), p.num(1))
	case 11:
		p.line("if %s then ecs.add(e, Heat { t = %s }) else ecs.remove(e, %s) end", p.truth(1), p.num(1), p.pick("Heat", "Heat, Gear"))
	case 12:
		p.line("if a.u8 < 9 and %s then ecs.spawn(Bolt, Gear { s = %s, mate = e }) end", p.truth(1), p.num(1))
	default:
		p.line("if a.u8 == 3 and %s then ecs.despawn(e) end", p.truth(1))
	}
}
