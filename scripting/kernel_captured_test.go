package scripting_test

import (
	"strings"
	"testing"
)

// captured are each functions over what they capture, and what other systems make of
// that from tick to tick. What was so when the kernel was made is no promise.
var captured = []struct{ name, tables, change, each string }{
	// An item is read by a written index: the others may be anything.
	{"numbers and a text", `t = { 1, "two" }`, "t[2] = 5", "c.x = t[2]"},
	{"the number before a text", `t = { 1, "two" }`, "t[1] = t[1] + 1", "c.x = t[1]"},
	{"a text and a number", `t = { "one", 2 }`, "t[2] = 'x'", "c.x = t[2]"},
	{"a number and a truth", `t = { 1, true }`, "t[2] = false", "c.b = t[2]"},
	{"a hole", `t = { 1, nil, 3 }`, "t[2] = 2", "c.x = t[3] + (t[2] or 0)"},
	{"a table behind a number", `t = { 1, {} }`, "t[2] = nil", "if t[2] then c.x = t[1] end"},
	{"functions", `t = { math.floor, math.ceil }`, "t[2] = nil", "if t[2] then c.x = c.x + 1 end"},
	{"functions of the script", `t = { twice, twice }`, "t[2] = false", "if t[2] then c.x = c.x + 1 end"},
	{"components", `t = { Unit, Unit }`, "t[1] = nil", "if t[2] and t[1] then c.x = c.x + 1 end"},
	{"a text becomes another", `t = { "red", "blue" }`, `t[2] = "red"`, "c.m = t[2]"},
	{"a number becomes a text", `t = { 1, 2 }`, `t[2] = "5"`, "c.x = c.x + t[2]"},

	// How many items there are, and in lists of lists.
	{"a first list without items", `t = { {}, { 5, 6 } }`, "t[1][1] = 4", "if c.k < 3 then for i, n in ipairs(t[c.k]) do c.x = c.x + n end end"},
	{"lists that are filled later", `t = { {}, {} }`, "t[2][#t[2] + 1] = 5", "if c.k < 3 then for i, n in ipairs(t[c.k]) do c.x = c.x + n end end"},
	{"a loop that reads no item", `t = { { 1 }, { 2 } }`, "t[2][#t[2] + 1] = 5", "if c.k < 3 then for i in ipairs(t[c.k]) do c.x = c.x + i end end"},
	{"a loop in a loop that reads none", `t = { { 1 }, { 2 } }`, "t[2][#t[2] + 1] = 5", "for i, w in ipairs(t) do for j in ipairs(w) do c.x = c.x + j end end"},
	{"a table without items", `t = { { x = 1 }, 5 }`, "t[2] = { 7 }", "if c.k < 3 then for i, n in ipairs(t[c.k]) do c.x = c.x + n end end"},
	{"a hole in a loop that reads no item", `t = { 1, 2, 3 }`, "t[2] = nil", "for i in ipairs(t) do c.x = c.x + i end"},
	{"a hole among tables in a loop", `t = { { x = 1 }, { x = 2 }, { x = 3 } }`, "t[2] = nil", "for i, w in ipairs(t) do c.x = c.x + i end"},
	{"a name that a loop has, too", `t = { 1, 2 }`, "t[1] = 5", "local i, n = 7, 9 for i, n in ipairs(t) do c.x = c.x + n end c.x = c.x + i * n"},
	{"a length of its own", `t = { 1, 2, 3 }`, "setmetatable(t, { __len = function() return 9 end })", "c.x = #t"},

	// Whether something is there.
	{"an item of a list of tables", `t = { { x = 1 }, { x = 2 } }`, "table.remove(t)", "if c.k < 3 then if t[c.k] then c.x = c.x + 1 end end"},
	{"an item that is nil", `t = { { x = 1 }, { x = 2 } }`, "table.remove(t)", "if c.k < 3 then c.b = t[c.k] == nil end"},
	{"an item that becomes false", `t = { { x = 1 }, { x = 2 } }`, "t[2] = false", "if c.k < 3 then local w = t[c.k] c.x = w and 1 or 2 end"},
	{"a list that is replaced", `t = { { x = 1 }, { x = 2 } }`, "t = {}", "if c.k < 3 then if not t[c.k] then c.x = c.x + 1 end end"},
	{"a list that gets fields", `t = { { x = 1 }, { x = 2 } }`, "t = { red = 1 }", "if c.k < 3 then if t[c.k] then c.x = c.x + 1 end end"},
	{"a table in a table of a list", `t = { { x = { y = 1 } }, { x = { y = 2 } } }`, "t[2].x = nil", "if c.k < 3 then if t[c.k].x then c.x = c.x + 1 end end"},
	{"two tables in a table of a list", `t = { { x = { n = 1 }, y = { n = 1 } }, { x = { n = 2 }, y = { n = 2 } } }`, "t[2].y = nil", "if c.k < 3 then if t[c.k].x then if t[c.k].y then c.x = c.x + 1 end end end"},
	{"the other of them", `t = { { x = { n = 1 }, y = { n = 1 } }, { x = { n = 2 }, y = { n = 2 } } }`, "t[2].x = nil", "if c.k < 3 then if t[c.k].x then if t[c.k].y then c.x = c.x + 1 end end end"},
	{"tables in two lists", `t, u = { { x = 1 }, { x = 2 } }, { { x = 1 }, { x = 2 } }`, "table.remove(u)", "if c.k < 3 then if t[c.k] then if u[c.k] then c.x = c.x + 1 end end end"},
	{"one item of a list of tables", `t = { { x = 1 }, { x = 2 } }`, "table.remove(t)", "if t[2] then c.x = c.x + 1 end"},
	{"a table", `t = { x = 1 }`, "t = nil", "if t then c.x = c.x + 1 end"},
	{"a table that is asked for nil", `t = { x = 1 }`, "t = nil", "c.b = t == nil"},
	{"a table in a table", `t = { u = { x = 1 } }`, "t.u = nil", "if t.u then c.x = c.x + 1 end"},
	{"a table that is handed on", `t = { u = { x = 1 } }`, "t.u = false", "c.x = there(t.u)"},
	{"a function in a table", `t = { f = twice }`, "t.f = nil", "if t.f then c.x = c.x + 1 end"},
	{"a component", `t = Unit`, "t = nil", "if t then c.x = c.x + 1 end"},

	// Names that lead to one thing, and things of one name.
	{"two names of one table", `local s = { x = 1 } t = { u = s, v = s }`, "t.v = { x = 5 }", "c.x = t.u.x * 100 + t.v.x"},
	{"two locals of one table", `local s = { x = 1 } t, u = s, s`, "u = { x = 5 }", "c.x = t.x * 100 + u.x"},
	{"long lists of one name", `t = many(20, 7)`, "t[3] = 9", "c.x = t[c.k] + other(c.k) + lib.at(c.k)"},
	{"lists of tables of one name", `t = { { x = 1 }, { x = 2 }, { x = 3 }, { x = 4 } }`, "t[1].x = 9", "if c.k < 4 then c.x = t[c.k].x + remote(c.k) end"},
}

// TestCapturedTablesAreReadAnew runs them on both paths.
func TestCapturedTablesAreReadAnew(t *testing.T) {
	for _, c := range captured {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(tabledTop, "\nt = %s\nu = %s\nv = %s\nlib.t = %s\n", "\n"+c.tables+"\n", 1) + `
ecs.system "change" { phase = "input", run = function(ctx) if ctx.tick >= 3 then ` + c.change + ` end end }
ecs.system "s0" { query = { Unit }, kernel = "auto", each = function(e, c, ctx)
  ` + c.each + `
end }
ecs.system "show" { query = { Unit }, kernel = "off", each = function(e, c) ecs.log(e, c.x, tostring(c.b), c.m) end }
`
			kernel, status := playTabled(t, text)
			vm, _ := playTabled(t, strings.ReplaceAll(text, `"auto"`, `"off"`))
			if strings.HasPrefix(vm, "load") {
				t.Fatal(vm)
			}
			if vm = strings.ReplaceAll(vm, `"off"`, `"auto"`); vm != kernel {
				t.Errorf("%s\n%s", firstDifference(vm, kernel), status[0])
			}
			for _, s := range status {
				if s.Reason != "" && !strings.Contains(s.Reason, "is not available in kernels") {
					t.Error(s)
				}
			}
		})
	}
}

// TestKernelReasonsOfResources holds that a resource is said to be one, and by name.
func TestKernelReasonsOfResources(t *testing.T) {
	r := loaded(t, "a.lua", `local score = ecs.resource("Score")
ecs.system "s" { query = { P }, each = function(e, p) score.points = p.x + 1 end }`)
	want := `a.lua:3:61: system "s": not compiled: an assignment to "score.points", a field of a resource, is not available in kernels`
	if got := r.host.Kernels()[0].String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
