package librarytest

import (
	"fmt"
	"slices"
	"strings"
)

// statement writes one random statement.
func (g *generator) statement() {
	if g.depth > 4 {
		g.line("show(%s)", g.num(1))
		return
	}
	choices := []func(){
		g.localStmt, g.localStmt, g.localStmt, g.assign, g.assign, g.assign, g.swap, g.swap, g.setField,
		g.ifStmt, g.ifStmt, g.numericFor, g.genericFor, g.while, g.repeatUntil, g.functionStmt, g.functionStmt, g.closures,
		g.show, g.show, g.tableCall, g.protected, g.protected, g.coroutine, g.doBlock, g.wrongTypes, g.concatObjects, g.method, g.places, g.places,
	}
	choices[g.r.IntN(len(choices))]()
}

// places writes expressions of all forms where the number of their values matters.
func (g *generator) places() {
	switch g.r.IntN(8) {
	case 0, 1, 2:
		g.line("show(shape(%s))", g.constructor())
	case 3:
		g.line("show(select('#', %s, %s))", g.bare(), g.bare())
	case 4:
		g.line("show(select('#', (function(...) return %s end)(1, 2)))", g.bare())
	case 5:
		g.line("show(shape({(function(...) return %s, %s end)(1, 2)}))", g.bare(), g.bare())
	case 6:
		g.line("do local a, b, c = %s, %s; show(shape({a, [5] = b, [7] = c})) end", g.bare(), g.bare())
	case 7:
		g.line("do local t = {}; t[%s], t.k = %s, %s; show(shape(t)) end", g.str(1)+" .. 'q'", g.bare(), g.bare())
	}
}

func (g *generator) localStmt() {
	if g.chance(60) {
		name, k := g.fresh(), g.plainKind()
		value := g.of(k, 3)
		g.line("local %s = %s", name, value)
		g.declare(name, k, false)
		return
	}
	names := []string{g.fresh(), g.fresh(), g.fresh()}[:2+g.r.IntN(2)]
	if g.chance(40) {
		g.line("local %s = %s", strings.Join(names, ", "), g.args(2))
		for _, name := range names {
			g.line("%s = %s or %d", name, name, g.r.IntN(9))
			g.declare(name, number, false)
		}
		return
	}
	values := []string{}
	for range names {
		values = append(values, g.num(2))
	}
	g.line("local %s = %s", strings.Join(names, ", "), strings.Join(values, ", "))
	for _, name := range names {
		g.declare(name, number, false)
	}
}

func (g *generator) assign() {
	k := g.plainKind()
	if names := g.visible(k, true); len(names) > 0 {
		value := g.of(k, 3)
		if k == text {
			value = "(" + value + "):sub(1, 60)"
		}
		g.line("%s = %s", g.oneOf(names...), value)
	}
}

// swap writes a multiple assignment of locals, globals and fields.
func (g *generator) swap() {
	targets := g.visible(number, true)
	// A table gets a name that no called function can set: whether such a change
	// counts is left open.
	for _, field := range []struct {
		of   kind
		name string
	}{{list, "[1]"}, {object, ".x"}} {
		if names := g.visible(field.of, false); len(names) > 0 {
			g.names++
			g.line("local q%d = %s", g.names, g.oneOf(names...))
			targets = append(targets, fmt.Sprintf("q%d%s", g.names, field.name))
		}
	}
	targets = append(targets, "G1", "G2")
	g.r.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	n := min(2+g.r.IntN(2), len(targets))
	values := []string{}
	for i := range n {
		values = append(values, g.oneOf("("+targets[(i+1)%n]+" or 0)", g.num(2)))
	}
	g.line("%s = %s", strings.Join(targets[:n], ", "), strings.Join(values, ", "))
	g.line("show(%s)", strings.Join(targets[:n], ", "))
}

func (g *generator) setField() {
	if names := g.visible(list, false); len(names) > 0 {
		g.appendTo(g.oneOf(names...))
	}
	if names := g.visible(object, false); len(names) > 0 {
		g.line("%s.%s = %s", g.oneOf(names...), g.oneOf("x", "x", "y"), g.num(2))
	}
}

// appendTo appends a number to a list. One that a function of the program
// computes comes first: the function may remove items of the list, and then the
// place for the new one leaves a hole. The length of a list with holes is
// documented to be another border than in PUC Lua.
func (g *generator) appendTo(list string) {
	value := g.num(2)
	functions := slices.Concat(g.visible(function, false), g.visible(variadic, false))
	if slices.ContainsFunc(functions, func(name string) bool { return strings.Contains(value, name) }) {
		g.line("do local value = %[2]s %[1]s[#%[1]s + 1] = value end", list, value)
		return
	}
	g.line("%[1]s[#%[1]s + 1] = %[2]s", list, value)
}

func (g *generator) ifStmt() {
	g.line("if %s then", g.cond(3))
	g.block(1 + g.r.IntN(3))
	g.maybeBreak()
	for g.chance(30) {
		g.line("elseif %s then", g.cond(2))
		g.block(g.r.IntN(3))
	}
	if g.chance(50) {
		g.line("else")
		g.block(1 + g.r.IntN(2))
	}
	g.line("end")
}

// maybeBreak leaves a loop at the end of a block inside it.
func (g *generator) maybeBreak() {
	if g.loops > 0 && g.chance(40) {
		g.line("  do break end")
	}
}

// loop writes the body and end of a loop.
func (g *generator) loop(end string) {
	g.loops++
	if g.chance(8) {
		g.line("  if %s then break end", g.oneOf("false", "true", "nil", g.cond(1)))
	}
	g.block(1 + g.r.IntN(3))
	if g.chance(15) {
		g.line("  if %s then local c = %s; K = function() return c end break end", g.cond(1), g.num(1))
	}
	g.loops--
	g.line("%s", end)
	g.line("if K then show(K()) end")
}

func (g *generator) numericFor() {
	name := g.fresh()
	g.line("for %s = %s do", name, g.oneOf("1, 3", "3, 1, -1", "1, 0", "0.5, 2, 0.5", "1, 2", "-1, 1", "#"+g.local(list, "{}")+" % 3, 3"))
	known := len(g.vars)
	g.declare(name, number, g.chance(50))
	g.loop("end")
	g.vars = g.vars[:known]
}

func (g *generator) genericFor() {
	k, v := g.fresh(), g.fresh()
	known := len(g.vars)
	switch g.r.IntN(5) {
	case 0:
		g.line("for %s, %s in ipairs(%s) do if %s > 4 then break end", k, v, g.lst(2), k)
	case 1:
		g.line("for %s, %s in next, {%s} do", k, v, g.num(1))
	case 2:
		g.line("for %s in %s:sub(1, 12):gmatch('%%w') do local %s = #%s", k, g.str(2), v, k)
		g.declare(v, number, false)
		g.declare(k, text, false)
		g.loop("end")
		g.vars = g.vars[:known]
		return
	case 3:
		g.line("for %s, %s in (function() local i = 0 return function(s, c) i = i + 1 if i < 4 then return i, (c or 0) + i end end end)() do", k, v)
	case 4:
		g.line("for %s, %s in pairs({%s}) do", k, v, g.num(1))
	}
	g.declare(k, number, false)
	if k != v {
		g.declare(v, number, false)
	}
	g.loop("end")
	g.vars = g.vars[:known]
}

func (g *generator) counter() string {
	g.names++
	name := fmt.Sprintf("i%d", g.names)
	g.line("local %s = 0", name)
	return name
}

func (g *generator) while() {
	i := g.counter()
	g.line("while %s do", g.oneOf(i+" < 3", "true", i+" < 2 and "+g.cond(1), "not ("+i+" >= 3)"))
	g.line("  %[1]s = %[1]s + 1 if %[1]s > 4 then break end", i)
	g.loop("end")
}

func (g *generator) repeatUntil() {
	i := g.counter()
	g.line("repeat")
	g.line("  local step = %[1]s + 1 %[1]s = step", i)
	g.loop(fmt.Sprintf("until %s", g.oneOf("step > 2", i+" >= 3", "true", "step > 1 or "+g.cond(1)+" or step > 3")))
}

func (g *generator) doBlock() {
	g.line("do")
	g.block(1 + g.r.IntN(3))
	g.maybeBreak()
	g.line("end")
}

// inFunction writes a body that cannot break out of loops around it.
func (g *generator) inFunction(vararg bool, body func()) {
	loops, old, yields := g.loops, g.vararg, g.yields
	g.loops, g.vararg, g.yields = 0, vararg, false
	body()
	g.loops, g.vararg, g.yields = loops, old, yields
}

func (g *generator) functionStmt() {
	g.names++
	name := fmt.Sprintf("f%d", g.names)
	k := kind(g.oneOf("f", "v")[0])
	params := g.oneOf("a, b", "a, b, c", "a")
	if k == variadic {
		params = g.oneOf("...", "a, ...")
	}
	g.line("%s(%s)", g.oneOf("local function "+name, "local "+name+" = function"), params)
	known := len(g.vars)
	g.inFunction(k == variadic, func() {
		for _, p := range strings.Split(params, ", ") {
			if p != "..." {
				g.line("  %s = %s or %d", p, p, g.r.IntN(5))
				g.declare(p, number, false)
			}
		}
		g.block(g.r.IntN(4))
		g.line("  %s", g.result(k))
	})
	g.vars = g.vars[:known]
	g.line("end")
	g.declare(name, k, true)
}

func (g *generator) result(k kind) string {
	if k == function {
		return g.oneOf("return ", "return (", "do return ")[0:0] + "return " + g.num(3)
	}
	return "return " + g.oneOf("...", g.args(2), "select(2, ...)", "1, ...", g.args(2), "(...)")
}

// closures makes functions that share locals of a block, and calls them when
// the block is gone.
func (g *generator) closures() {
	fs := g.fresh()
	g.line("local %s = {}", fs)
	g.line("for i = 1, 3 do local j = i * %d", 1+g.r.IntN(5))
	g.line("  %s[i] = {function(n) j = j + n + i return j end, function() return j end}", fs)
	g.line("  if %s then break end", g.cond(1))
	g.line("end")
	g.line("for i = 1, #%[1]s do show(%[1]s[i][1](i), %[1]s[i][2](), %[1]s[i][1](1)) end", fs)
}

func (g *generator) show() { g.line("show(%s)", g.oneOf(g.value(3), g.args(3), g.num(4), g.str(4))) }

func (g *generator) tableCall() {
	names := g.visible(list, false)
	if len(names) == 0 {
		return
	}
	t := g.oneOf(names...)
	switch g.r.IntN(8) {
	case 0:
		g.line("table.insert(%s, %s)", t, g.num(2))
	case 1:
		g.line("table.insert(%s, 1, %s)", t, g.num(2))
	case 2:
		g.line("show(table.remove(%s))", t)
	case 3:
		g.line("show(table.remove(%s, 1))", t)
	case 4:
		g.line("table.sort(%s)", t)
	case 5:
		g.line("table.sort(%s, function(a, b) return a > b end)", t)
	case 6:
		g.line("show(table.maxn(%s), unpack(%s, 1, 3))", t, t)
	case 7:
		g.line("if #%[1]s > 1 then %[1]s[#%[1]s] = nil end show(#%[1]s)", t)
	}
}

// protected writes calls that may fail, with positions in their messages.
func (g *generator) protected() {
	g.line("show(%s(function(...)", g.oneOf("pcall", "pcall", "xpcall"))
	xpcall := strings.Contains(g.out.String()[g.out.Len()-30:], "xpcall")
	known := len(g.vars)
	g.inFunction(true, func() {
		g.block(1 + g.r.IntN(3))
		if g.chance(60) {
			g.line("  if %s then error(%s) end", g.cond(2), g.oneOf("'oops'", "'oops', 0", "'far', 2", "nil", "12", "V", g.num(1)))
		}
		g.line("  return %s", g.args(2))
	})
	g.vars = g.vars[:known]
	if xpcall {
		g.line("end, function(e) return 'handled', e end))")
	} else {
		g.line("end, %s))", g.num(1))
	}
}

// coroutine writes a coroutine and resumes it to its end and beyond.
func (g *generator) coroutine() {
	g.names++
	co := fmt.Sprintf("co%d", g.names)
	make := g.oneOf("create", "wrap")
	g.line("local %s = coroutine.%s(function(...)", co, make)
	known := len(g.vars)
	g.inFunction(true, func() {
		g.line("  local x = ... x = x or 0")
		g.declare("x", number, false)
		g.block(g.r.IntN(2))
		g.line("  for i = 1, %d do", 1+g.r.IntN(3))
		g.line("    local y = i * 2")
		g.line("    K = function() y = y + 1 return y + x end")
		g.line("    x = %s + (coroutine.yield(%s) or 0)", g.num(1), g.oneOf("i", "x, i", "i, K()", "", g.args(2)))
		g.line("  end")
		if g.chance(20) {
			g.line("  error(%s)", g.oneOf("'inside'", "{}", "'inside', 0"))
		}
		g.line("  return x, %s", g.args(1))
	})
	g.vars = g.vars[:known]
	g.line("end)")
	for i := range 2 + g.r.IntN(4) {
		switch make {
		case "create":
			g.line("show(type(%[1]s), coroutine.status(%[1]s), select('#', coroutine.resume(%[1]s, %[2]d)))", co, i)
		default:
			g.line("show(pcall(%s, %s))", co, g.num(1))
		}
	}
	if make == "create" {
		g.line("show(coroutine.status(%s), (coroutine.resume(%s)))", co, co)
	}
}

// wrongTypes does what must fail, and shows only that it does.
func (g *generator) wrongTypes() {
	g.line("show((pcall(function() return %s end)))", g.oneOf(
		"nil + 1", "{} .. 'x'", "1 < 'x'", "#nil", "({}) < ({})", "nil .. 'a'", "('x')()", "(nil).x", "-{}", "'a' + 1",
		"setmetatable(1, {})", "('x'):rep(1, 2, 3)", "tostring()", "ipairs()", "next(1)", "select(0)", "('x'):bad()",
		"rawset({}, nil, 1)", "({})[nil]", "math.floor('x')", "string.rep()", "table.concat({1, {}, 3})", "unpack()", "V < 1", "error()",
		"tonumber('10', 99)", "('%'):format(1)", "('%d'):format('x')", "string.char(256)", "('a'):find('[')", "('a'):find('%')",
		"setmetatable({}, {__index = function(t, k) error('idx', 0) end}).x", "coroutine.resume(1)", "coroutine.wrap(1)", "assert(false, 'm')", "assert(nil)"))
}

func (g *generator) concatObjects() {
	g.line("show(%s .. %s, %s .. %s .. %s)", g.obj(1), g.str(1), g.str(1), g.obj(1), g.num(1))
}

func (g *generator) method() {
	g.line("show(%s:many(%s))", g.obj(2), g.args(2))
	g.line("show(%s(%s))", g.local(object, "V(3)"), g.args(2))
}
