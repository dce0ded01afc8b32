package scripting_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// stateOps are ways to change a table T and the tables in it, with and without
// the library.
var stateOps = []string{
	`T.n = (T.n or 0) + 1`, `T.n = nil`, `T.flag = not T.flag`, `T["k" .. %[1]d] = %[1]d`, `T["k" .. %[1]d] = nil`,
	`T.list[#T.list + 1] = %[1]d`, `T.list[#T.list] = nil`, `T.list[%[1]d] = "x"`,
	`table.insert(T.list, %[1]d)`, `table.insert(T.list, 1, { v = %[1]d })`, `table.remove(T.list)`, `table.remove(T.list, 1)`,
	`table.sort(T.list, function(a, b) return tostring(type(a) == "table" and a.v or a) < tostring(type(b) == "table" and b.v or b) end)`,
	`T.deep = { a = { b = %[1]d } }`, `if T.deep then T.deep.a.b = T.deep.a.b + 1 T.deep.a[%[1]d] = {} end`,
	`local t = { v = 1 } T.late = t t.v = %[1]d t.w = { %[1]d }`, `T.list = {}`, `rawset(T, "raw", %[1]d)`, `T.list[0], T.list[-1.5] = %[1]d, 2`,
	`for k, v in pairs(T) do if v == %[1]d then T[k] = "was" end end`, `T.same = T.late`, `if T.same then T.same.v = nil end`,
}

// textOf makes a text of a table, in the order of pairs.
const textOf = `
local function text(t, depth)
  if type(t) ~= "table" then return tostring(t) end
  if depth > 5 then return "…" end
  local out = { "#" .. #t }
  for k, v in pairs(t) do out[#out + 1] = tostring(k) .. "=" .. text(v, depth + 1) end
  for i, v in ipairs(t) do out[#out + 1] = "i" .. text(v, depth + 1) end
  return "{" .. table.concat(out, ",") .. (next(t) == nil and "empty" or "") .. (rawget(t, "n") or "") .. "}"
end
`

// TestStateTablesAreTables runs the same random changes on a plain table and on
// a state table, which must look alike, and then changes in a system that fails,
// after which the state table must look as before.
func TestStateTablesAreTables(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 7))
		ops := func() string {
			var b strings.Builder
			for range 1 + random.IntN(12) {
				op := stateOps[random.IntN(len(stateOps))]
				if strings.Contains(op, "%[") {
					op = fmt.Sprintf(op, 1+random.IntN(6))
				}
				fmt.Fprintf(&b, "do %s end\n", op)
			}
			return b.String()
		}
		good, bad := ops(), ops()
		r := loaded(t, "a.lua", textOf+`
local S, N = ecs.state("s", { list = { 3, 1, 2 }, flag = true }), { list = { 3, 1, 2 }, flag = true }
local function good(T) `+good+` end
local function bad(T) `+bad+` end
ecs.system "good" { when = function(ctx) return ctx.tick == 1 end, run = function() good(S) good(N) end }
ecs.system "show" { priority = 1, run = function() ecs.log(text(S, 0)) ecs.log(text(N, 0)) end }
ecs.system "z.bad" { priority = 2, when = function(ctx) return ctx.tick == 2 end, run = function() bad(S) error("planned") end }`)
		r.step(3)
		if len(r.errors) != 1 || !strings.Contains(r.errors[0].Message, "planned") {
			t.Fatalf("seed %d: errors %v\n%s\n%s", seed, r.errors, good, bad)
		}
		if r.logs[0] != r.logs[1] {
			t.Fatalf("seed %d: a state table differs from a plain one:\n%s\n%s\n%s", seed, r.logs[0], r.logs[1], good)
		}
		// Keys that came back may stand elsewhere in the order of pairs.
		if got := r.logs[4]; len(got) != len(r.logs[2]) || letters(got) != letters(r.logs[2]) {
			t.Fatalf("seed %d: a failed call left something in a state table:\n%s\n%s\n%s", seed, got, r.logs[2], bad)
		}
	}
}

// letters counts the bytes of a text, whatever their order.
func letters(s string) (n [256]int) {
	for i := range len(s) {
		n[s[i]]++
	}
	return n
}

// TestListWithGapsEndsWhereItDid: the length of a list in which items are missing depends on
// earlier writes, and a call that fails leaves it as it was.
func TestListWithGapsEndsWhereItDid(t *testing.T) {
	r := loaded(t, "a.lua", `local s = ecs.state("s", { list = {} })
ecs.on_start(function() s.list[3] = "x" s.list[40] = "y" end)
ecs.system "show" { run = function() ecs.log(#s.list) end }
ecs.system "z" { run = function() for i = 1, 39 do s.list[i] = i end error("planned") end }`)
	r.step(2)
	if len(r.errors) == 0 || r.logs[0] != r.logs[1] {
		t.Errorf("%d errors, the list has %s items and then %s", len(r.errors), r.logs[0], r.logs[1])
	}
}

// Every kind of call that fails takes back what it wrote into state tables.
func TestStateOfFailedCallIsTakenBack(t *testing.T) {
	fail := ` s.n = s.n + 100 s.list[1] = "bad" s.more = { deep = { 1 } } table.insert(s.list, "x") error("planned") `
	for kind, text := range map[string]string{
		"run":   `ecs.system "f" { run = function()` + fail + `end }`,
		"each":  `ecs.system "f" { query = { P }, each = function(e, p)` + fail + `end }`,
		"batch": `ecs.system "f" { query = { P }, batch = function(b)` + fail + `end }`,
		"event": `local E = ecs.event("E", {}) ecs.system "a" { run = function() ecs.emit(E) end } ecs.system "f" { on = E, each = function()` + fail + `end }`,
		"timer": `ecs.handler("h", function()` + fail + `end) ecs.on_start(function() ecs.after(0, "h") end)`,
		"start": `ecs.on_start(function()` + fail + `end)`,
		"add":   `local T = ecs.tag("T") ecs.on_add(T, function()` + fail + `end) ecs.on_start(function() ecs.spawn(T) end)`,
		"when":  `ecs.system "f" { when = function()` + fail + `end, run = function() end }`,
		"nest":  `ecs.system "f" { run = function() coroutine.wrap(function() pcall(function()` + fail + `end) end)() error("planned") end }`,
	} {
		r := loaded(t, "a.lua", `local s = ecs.state("s", { n = 1, list = { 1, 2 } }) `+text,
			"b.lua", `local s = ecs.state("s") ecs.system "zz" { phase = "debug", run = function() ecs.log(s.n, s.list[1], #s.list, s.more) end }`)
		r.world.Spawn(ecs.Register[Position](r.world).With(Position{}))
		r.step(2)
		if got := r.logged(); len(r.errors) == 0 || got != "1 1 2 nil 1 1 2 nil" {
			t.Errorf("%s: %d errors, state %s", kind, len(r.errors), got)
		}
	}
}

func TestStateRefusesWhatIsNotPlain(t *testing.T) {
	for value, want := range map[string]string{
		`print`: "plain data", `P`: "the component Position", `{ a = { print } }`: "plain data", `setmetatable({}, {})`: "metatable",
		`{ [print] = 1 }`: "plain data", `coroutine.create(function() end)`: "plain data",
	} {
		r := loaded(t, "a.lua", `local s = ecs.state("s", {}) `+once("f", "s.x = "+value)+once("g", `ecs.log(s.x)`))
		r.step(1)
		r.wantError("a.lua:2", want)
		r.wantLog("nil")
	}
	r := loaded(t, "a.lua", `local s = ecs.state("s", {}) `+once("f", `s[print] = 1`)+once("g", `local t = {} t.t = t s.t = t ecs.log(s.t.t.t == s.t, getmetatable(s))`))
	r.step(1)
	r.wantError("a.lua:2", "a key of a state table")
	r.wantLog("true false")
	r = loaded(t, "a.lua", `local s = ecs.state("s", {}) `+once("f", `setmetatable(s, {})`))
	r.step(1)
	r.wantError("a.lua:2", "protected metatable")
}

// A script cannot make notes of writes without end.
func TestStateWritesAreMetered(t *testing.T) {
	r := loaded(t, "a.lua", `local s = ecs.state("s", { n = 0 }) `+once("f", `while true do s.n = s.n + 1 end`)+once("g", "ecs.log(s.n)"))
	r.step(1)
	r.wantError("a.lua:2", "ran too long")
	r.wantLog("0")
}
