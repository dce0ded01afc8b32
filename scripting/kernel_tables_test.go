package scripting_test

import (
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

var kernelTables = flag.Int("kernel.tables", 200/oneOf, "random scripts with captured tables to run on both paths")

// tabled writes scripts of which the each functions read what they capture: values
// and tables of every shape, which other systems change while the game runs.
type tabled struct {
	*rand.Rand
	free  bool // the names are assigned by functions, too
	theme theme
}

// theme is what the names mostly hold, the items of their lists, and how these are
// reached and used.
type theme struct{ whole, item, path, use string }

var themes = []theme{
	{"{ 4, 5, 6 }", "7", "[c.k] [1] [2] [3]", "c.x = c.x + P;c.x = P or 1;if P then c.x = c.x + 1 end;c.b = P == nil;c.x = c.x + first(T);c.x = c.x + sum(T);c.x = c.x + #T;for i, w in ipairs(T) do c.x = c.x + w end"},
	{"many(20, 2)", "9", "[c.k] [1] [17]", "c.x = c.x + P;c.x = P or 1;if P then c.x = c.x + 1 end;c.x = c.x + #T;for i in ipairs(T) do c.x = c.x + i end;for i = 1, #T do c.x = c.x + T[i] end"},
	{"{ { x = 1, y = 2 }, { x = 3, y = 4 }, { x = 5, y = 6 } }", "{ x = 7, y = 8 }", "[c.k] [1] [2] [3]", "c.x = c.x + P.x;if P then c.x = c.x + 1 end;c.b = P == nil;c.b = P ~= nil;local w = P if w then c.x = c.x + w.y end;local w = P if w then c.x = c.x + 1 end;c.x = there(P);c.x = P and 1 or 2;for i, w in ipairs(T) do c.x = c.x + w.x end;for i, w in ipairs(T) do c.x = c.x + i end;for i = 1, #T do if T[i] then c.x = c.x + 1 end end"},
	{"{ { 1, 2 }, { 3, 4 }, { 5, 6 } }", "{ 7, 8 }", "[c.k] [1] [2] [3]", "c.x = c.x + P[1];c.x = c.x + #P;for i, w in ipairs(P) do c.x = c.x + w end;for i in ipairs(P) do c.x = c.x + i end;if P then c.x = c.x + 1 end;c.x = size(P);c.x = sum(P);for i, w in ipairs(T) do for j in ipairs(w) do c.x = c.x + j end end"},
	{"{ x = 1, y = { x = 2, 3 }, red = 3, blue = 4, on = true }", "5", ".x .y.x .red [c.m]", "c.x = c.x + P;if P then c.x = c.x + 1 end;if T.y then c.x = c.x + 1 end;c.b = T.y == nil;c.x = there(T.y);T.x = c.x;if T then c.x = c.x + 1 end;c.x = c.x + #T.y;T.y.x = c.x * 2"},
	{`{ 1, "two", true, {}, twice }`, "3", "[1] [2] [3] [4] [5]", `c.x = c.x + P;if P then c.x = c.x + 1 end;c.b = P == nil;if P == "two" then c.x = c.x + 1 end;c.x = there(P);c.x = T[1] + c.x;c.b = T[3]`},
}

func (g *tabled) one(list ...string) string { return list[g.IntN(len(list))] }

// names are those of the captured values.
var names = []string{"t", "u", "v", "lib.t"}

// atom is an item of no depth.
func (g *tabled) atom() string {
	return g.one("1", "2", "3", "0.5", "-4", "7", "true", "false", "nil", `"red"`, `"two"`, "{}", "math.floor", "twice", "Unit", "{ x = 5 }", "{ 6 }")
}

// value is anything: of one kind in all of its items, mostly, and in a few lists of
// several.
func (g *tabled) value(depth int) string {
	if depth == 0 {
		return g.atom()
	}
	switch g.IntN(16) {
	case 0:
		return g.atom()
	case 1:
		return "{}"
	case 2:
		return fmt.Sprintf("{ x = %s, y = %s, red = %s, blue = %s, on = true }", g.value(depth-1), g.atom(), g.one("1", "3", "true", "nil"), g.one("2", "nil", "{ 4 }"))
	case 3:
		return g.one("t", "u", "v", "shared", "course")
	case 4:
		return fmt.Sprintf("{ [2] = %s, [1] = %s }", g.atom(), g.atom())
	case 5:
		return fmt.Sprintf("setmetatable(%s, %s)", g.list(depth), g.one("{}", "{ __len = function() return 1 end }", "{ __index = { 8, 9, 10, x = 11 } }"))
	case 6: // more than what is kept in locals
		return fmt.Sprintf("many(%s, %s)", g.one("17", "20", "40"), g.one("1", "true", "{ x = 1 }", "{ 1, 2 }"))
	}
	return g.list(depth)
}

func (g *tabled) list(depth int) string {
	item := g.one("2", "true", "{ x = 1, y = 2, on = true }", "{ 4, 5 }", "{ x = { 1, 2 } }", "{ x = { y = 3 } }", "{}", `"red"`, "twice", "Unit")
	if g.IntN(3) == 0 {
		item = g.value(depth - 1)
	}
	var items []string
	for range g.IntN(5) {
		if g.IntN(9) == 0 {
			items = append(items, g.value(depth-1))
			continue
		}
		items = append(items, item)
	}
	return "{ " + strings.Join(items, ", ") + " }"
}

// key is one that no row decides about.
func (g *tabled) key() string {
	return g.one("[1]", "[2]", "[3]", "[17]", ".x", ".y", ".red", ".on", "[0]", "[1.5]")
}

// path leads from a name into what is there.
func (g *tabled) path() string {
	p := g.one(names...)
	for range g.IntN(3) {
		p += g.one(g.key(), "[c.k]", "[c.k]", "[c.k]", "[c.m]", ".x")
	}
	return p
}

// use is what an each function does with one of them: mostly what fits.
func (g *tabled) use() string {
	if g.IntN(4) > 0 {
		whole := g.one(names...)
		use := g.one(strings.Split(g.theme.use, ";")...)
		path := g.one(strings.Split(g.theme.path, " ")...)
		if strings.Contains(path, "c.k") && g.IntN(3) > 0 {
			use = "if c.k < 4 then " + use + " end"
		}
		return strings.NewReplacer("P", whole+path, "T", whole).Replace(use)
	}
	p := g.path()
	form := g.one(
		"c.x = c.x + P", "c.x = P", "c.x = P * 2 - c.x", "c.b = P", "c.m = P", "c.b = P == nil", "c.b = P ~= nil", "c.b = not P",
		"if P then c.x = c.x + 1 else c.x = c.x - 1 end", "c.x = P and 1 or 2", "c.x = P or 5", "c.x = (c.b and P or 3) + 1",
		"c.x = c.x + #P", "if P == 2 then c.x = 3 end", "if P < 3 then c.x = 4 end", `if P == "red" then c.x = 5 end`, "if c.m == P then c.x = 6 end",
		"for i, w in ipairs(P) do c.x = c.x + i U end", "for i, w in ipairs(P) do U end", "for i in ipairs(P) do c.x = c.x + i end",
		"for i, w in ipairs(P) do for j, z in ipairs(w) do c.x = c.x + j end end", "for i, w in ipairs(P) do for j in ipairs(w) do c.x = c.x + j end end",
		"for i = 1, #P do c.x = c.x + P[i] end", "for i = 1, #P do local w = P[i] U end", "for i = 1, #P do if P[i] then c.x = c.x + i end end",
		"for i = 1, 3 do if P[i] ~= nil then c.x = c.x + i end end",
		"local w = P U", "local w = P if w then U end", "local w = P local z = w.x if z then c.x = c.x + 1 end",
		"c.x = c.x + first(P)", "c.x = size(P)", "c.x = there(P)", "c.x = sum(P)", "c.x = P(c.x)", "c.b = ecs.has(e, P)", "c.x = other(c.k)", "c.x = other(c.k) + P", "c.x = remote(c.k)", "c.x = c.x + remote(c.k) + P",
		"P.x = c.x", "P = c.x", "c.x = math.max(P, 1)", "c.x = lib.at(c.k) c.b = P == nil", "if c.k == 2 then P.y = 3 end c.x = c.x + P.y",
		"local function z() return P end c.x = z()", "if c.b and P then c.x = c.x + 1 end", "local w = c.b and P if w then c.x = c.x + 2 end",
	)
	inner := g.one("c.x = c.x + w", "c.x = c.x + w.x", "c.x = c.x + w[1]", "if w then c.x = c.x + 1 end", "c.x = c.x + #w", "c.b = w == nil", "", "c.x = c.x + w.x.y", "c.x = c.x + sum(w)")
	return strings.NewReplacer("P", p, "U", inner).Replace(form)
}

// change is what happens to one of them between two ticks: mostly what keeps it
// much as it was.
func (g *tabled) change() string {
	if g.IntN(3) > 0 {
		return strings.NewReplacer("T", g.one(names...), "N", g.one(names...), "I", g.theme.item, "W", g.theme.whole).Replace(g.one(
			"T[2] = I", "T[#T + 1] = I", "table.remove(T)", "table.remove(T, 1)", "T[2] = nil", "T[2] = false", "T[1] = N[2]", "T[2][1] = 9",
			"T[2][#T[2] + 1] = 5", "T[1].x = T[1].x + 1", "T[2].x = nil", "T.y = nil", "T.y = { x = 6 }", "T.x = 9", "for i = #T, 1, -1 do T[i] = nil end",
			"for i = 1, 3 do T[i] = I end", "T[2] = {}", "T.y = N.y", "T[1] = nil"))
	}
	p := g.one(names...)
	for range g.IntN(3) {
		p += g.key()
	}
	if g.free && g.IntN(3) == 0 {
		return g.one("t", "u", "v", "lib.t") + " = " + g.value(2)
	}
	return strings.NewReplacer("P", p, "V", g.value(1), "K", g.key()).Replace(g.one("PK = V", "PK = V", "PK = nil", "table.insert(P, V)", "table.insert(P, 1, V)",
		"table.remove(P)", "table.remove(P, 1)", "P[#P + 1] = V", "for i = #P, 1, -1 do P[i] = nil end", "for i = 1, 3 do P[i] = V end", "table.sort(P)",
		"setmetatable(P, { __len = function() return 1 end })", "setmetatable(P, nil)", "for k in pairs(P) do P[k] = nil end", "PK, P[1] = P[1], PK"))
}

// tabledScript is a whole script. Its each functions begin with "  each".
func tabledScript(seed uint64, mode string) string {
	g := &tabled{Rand: rand.New(rand.NewPCG(seed, 77))}
	g.free, g.theme = g.IntN(2) == 0, themes[g.IntN(len(themes))]
	held := func() string {
		switch g.IntN(8) {
		case 0, 1:
			return g.value(2)
		case 2:
			return g.one("t", "u", "v", "shared") // which may be nil by then
		}
		return g.theme.whole
	}
	var b strings.Builder
	fmt.Fprintf(&b, tabledTop, held(), held(), held(), held())
	for tick := range 5 {
		for range g.IntN(4) {
			fmt.Fprintf(&b, "ecs.system \"c%d\" { phase = \"input\", run = function(ctx) if ctx.tick == %d then pcall(function() %s end) end end }\n", b.Len(), tick+1, g.change())
		}
	}
	for i := range 6 {
		body := g.use()
		if g.IntN(3) == 0 {
			body = "if c.k < 4 then " + body + " end"
		}
		if g.IntN(3) == 0 {
			body += "\n  " + g.use()
		}
		fmt.Fprintf(&b, "ecs.system \"s%d\" { query = { Unit }, kernel = %q,\n  each = function(e, c, ctx)\n  %s\nend }\n%s", i, mode, body, fmt.Sprintf(tabledShow, i))
	}
	return b.String()
}

const tabledTop = `
local ecs = require "ecs"
local lib = require "lib"
local Unit = ecs.component("Unit", { x = ecs.f64(1), k = ecs.u8(1), b = ecs.bool(false), m = ecs.enum("red", "blue") })
ecs.on_start(function() for _, k in ipairs { 1, 2, 3, 17 } do ecs.spawn(Unit { k = k, m = k == 2 and "blue" or "red", b = k == 3 }) end end)
local function twice(x) return x * 2 end
local function many(n, v) local l = {} for i = 1, n do l[i] = v end return l end
local shared = { x = 3, y = 4, 5, 6 }
local course = ecs.state("course", { x = 1, list = { 1, 2 }, { 7 }, { 8 } })
local other, remote
do
  local t = many(20, 3)
  other = function(i) return t[i] end
end
do
  local t = { { x = 10 }, { x = 20 }, { x = 30 } }
  remote = function(i) return t[i].x end
end
local t, u, v
t = %s
u = %s
v = %s
lib.t = %s
local function first(l) return l[1] end
local function size(l) return #l end
local function there(l) if l then return 1 end return 0 end
local function sum(l) local s = 0 for _, n in ipairs(l) do s = s + n end return s end
`

const tabledShow = `ecs.system "r%d" { query = { Unit }, kernel = "off", each = function(e, c) ecs.log(e, string.format("%%.17g", c.x), tostring(c.b), c.m) if c.x ~= c.x or c.x > 1e6 then c.x = 1 end end }
`

const tabledLib = `
local t = {}
for i = 1, 20 do t[i] = i + 100 end
local lib = { t = false }
function lib.at(i) return t[i] end
return lib
`

// playTabled runs a script and returns what it did, line by line, and the kernels.
func playTabled(t testing.TB, text string, options ...func(*scripting.Host)) (seen string, status []scripting.KernelStatus) {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Tag: 1, MaxBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var lines []string
	h := newHost(t, w, scripting.Options{
		Logger: slog.New(&logbook{lines: &lines}), OnKernel: func(scripting.KernelStatus) {},
		OnError: func(e *scripting.Error) { lines = append(lines, e.Detail()) },
		Limits:  scripting.Limits{Instructions: 1_000_000, LogLines: -1},
	})
	defer h.Close()
	for _, set := range options {
		set(h)
	}
	if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}, "lib.lua": {Data: []byte(tabledLib)}}); err != nil {
		return "load: " + err.Error(), nil
	}
	for tick := range 6 {
		lines = append(lines, split(h.StepAll(0.125))...)
		lines = append(lines, fmt.Sprintf("tick %d checksum %x", tick, w.Checksum()))
	}
	reports, err := h.Explain("k.lua", "") // as things are by now
	if err != nil {
		t.Fatal(err)
	}
	status = h.Kernels()
	for _, r := range reports {
		if !r.NoRows {
			status = append(status, r.KernelStatus)
		}
	}
	return strings.Join(lines, "\n"), status
}

// TestKernelsOverTables runs scripts with captured tables of every shape on both
// paths, while the tables change.
func TestKernelsOverTables(t *testing.T) {
	sideBySide(t)
	compiled, all := 0, 0
	for seed := *kernelSeed; seed < *kernelSeed+uint64(*kernelTables); seed++ {
		differs := func(text string) (string, []scripting.KernelStatus) {
			vm, _ := playTabled(t, strings.ReplaceAll(text, `kernel = "auto"`, `kernel = "off"`))
			prepare := func(*scripting.Host) {}
			if seed%2 > 0 {
				prepare = (*scripting.Host).GrowLists
			}
			kernel, status := playTabled(t, text, prepare)
			if vm = strings.ReplaceAll(vm, `"off"`, `"auto"`); vm == kernel {
				return "", status
			}
			return firstDifference(vm, kernel), status
		}
		text := tabledScript(seed, "auto")
		difference, status := differs(text)
		for _, s := range status {
			if s.Reason != "" && !strings.Contains(s.Reason, unavailable) {
				t.Errorf("seed %d: %s\n%s", seed, s, text)
			}
			if all++; s.Compiled {
				compiled++
			}
		}
		if difference != "" {
			text = shrink(text, func(text string) bool { d, _ := differs(text); return d != "" })
			difference, _ = differs(text)
			t.Errorf("seed %d\n%s\n%s", seed, difference, text)
		}
	}
	t.Logf("%d of %d functions were compiled", compiled, all)
	if compiled*3 < all {
		t.Errorf("only %d of %d functions were compiled", compiled, all)
	}
}
