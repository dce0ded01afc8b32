package scripting_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// listUses are uses of a list of a component that a function gets from ecs.get, in a system
// that runs for three ticks: each logs what it sees. In each tick the list's first item is
// one more than in the last.
var listUses = []string{
	`log(ecs.get(e, C).items[2])`,
	`log(ecs.get(e, C, "items")[2])`,
	`log(#ecs.get(e, C).items, ecs.get(e, C).items[0], ecs.get(e, C).items[n + 1], ecs.get(e, C).items[1.5], ecs.get(e, C).items.x)`,
	`local items = ecs.get(e, C).items log(items[1], items[15], #items) items[3] = 9 log(items[3], #items) items[n + 1] = 7 log(#items)`,
	`local items = ecs.get(e, C).items items[n] = nil log(#items == n - 1) log(ecs.get(e, C).items[n])`,
	`local all = ecs.get(e, C) log(all.items == all.items, all.items == ecs.get(e, C).items) all.items = 5 log(all.items)`,
	`local all = ecs.get(e, C) all.items[1] = 1000 log(all.items[1], ecs.get(e, C).items[1])`,
	`local sum, items = 0, ecs.get(e, C).items for i = 1, 16 do sum = sum + items[i] end log(sum)`,
	`local sum, items = 0, ecs.get(e, C).items for k = 1, 9 do for i = 1, 16 do sum = sum + items[i] end end log(sum)`,
	`local sum = 0 for i, v in ipairs(ecs.get(e, C).items) do if i < 17 then sum = sum + v end end log(sum)`,
	`local n = 0 for k, v in pairs(ecs.get(e, C).items) do if k < 17 then n = n + v end end log(n)`,
	`local items = ecs.get(e, C).items log(table.concat(items, " ", 1, 15), select("#", unpack(items, 1, 15)), next(items))`,
	`log(kept and kept[1]) kept = ecs.get(e, C).items log(kept[1])`,
	`log(kept.items and kept.items[1]) kept = ecs.get(e, C) log(kept.items[1])`,
	`log(kept.x and kept.x[1]) kept.x = ecs.get(e, C, "items")`,
	`local items = ecs.get(e, C).items log(kept and kept()) kept = function() return items[1] end`,
	`local function items() return ecs.get(e, C).items end log(items()[1]) log(kept and kept[1]) kept = items()`,
	`local function first(items) kept = kept or items return items[1] end log(first(ecs.get(e, C).items), kept[1])`,
	`log(pcall(function() return ecs.get(e, C).items[1] + nil end)) log(select(2, pcall(ecs.get, e, C)).items[1])`,
	`kept = kept or coroutine.wrap(function() while true do local items = ecs.get(e, C).items coroutine.yield(items[1]) log(items[1]) end end) log(kept())`,
	`local items = ecs.get(e, C).items ecs.set(e, C { items = { 50 } }) log(items[1], ecs.get(e, C).items[1]) local after = ecs.get(e, C).items ecs.set(e, C { items = { 60 } }) log(after[1], items[1])`,
	`ecs.set(e, C { items = { 60 } }) local after = ecs.get(e, C).items ecs.update(e, C, function(c) c.items[1] = 71 end) ecs.update(e, C, function(c) c.items[1] = 72 end) log(after[1], ecs.get(e, C).items[1])`,
	`local new = ecs.spawn(C { items = { 61 } }) local after = ecs.get(new, C).items ecs.set(new, C { items = { 62 } }) ecs.update(new, C, function(c) c.items[1] = 72 end) ecs.despawn(new) ecs.spawn(C { items = { 63 } }) log(after[1])`,
	`local items = ecs.get(e, C).items ecs.update(e, C, function(c) c.items[1] = 70 end) log(items[1], ecs.get(e, C).items[1])`,
	`local items = ecs.get(e, C).items host.write(80) log(items[1], #items, ecs.get(e, C).items[1])`,
	`local all = ecs.get(e, C) host.write(81) log(all.items[1], #all.items)`,
	`local all, items = ecs.get(e, C) items = all.items local co = coroutine.wrap(function() host.write(82) end) co() log(all.items[1], items[1])`,
	`local items = ecs.get(e, C).items raise() log(items[1])`,
	`local t = setmetatable({}, { __index = function(t, k) return ecs.get(e, C).items end }) log(t.x[1]) kept = kept or t.x log(kept[1])`,
	`local t = setmetatable({}, { __index = ecs.get }) log(pcall(function() return t[C] end))`,
	`local list = {} for i = 1, 3 do list[i] = ecs.get(e, C).items end log(list[1] ~= list[2], list[3][1])`,
	`local a, b for i = 1, 3 do a, b = ecs.get(e, C).items, a end log(a[1], b[1], a == b)`,
	`ecs.set(e, C { items = ecs.get(e, C).items }) log(ecs.get(e, C).items[1])`,
	`ecs.set(other, C { items = ecs.get(e, C, "items") }) log(ecs.get(other, C).items[1])`,
	`local x = C(ecs.get(e, C)) ecs.set(other, x) log(ecs.get(other, C).items[1])`,
	`saved.items = ecs.get(e, C).items log(saved.items[1])`,
	`log(saved.of and saved.of.items[1]) saved.of = ecs.get(e, C)`,
	`k() local items = ecs.get(e, C).items k() log(items[1], ecs.get(e, C).items[1])`,
	`host.keep(ecs.get(e, C).items) log(host.kept()) log(host.same(ecs.get(e, C).items)[1])`,
	`local items = ecs.get(e, C).items log(tostring(items):sub(1, 5), type(items), rawget(items, 1))`,
	`local ok, why = pcall(error, ecs.get(e, C).items) log(ok, why[1])`,
	`kept = kept or {} kept[ecs.get(e, C).items] = true for k in pairs(kept) do log(k[1]) end`,
	`kept = kept or 0 local items = ecs.get(e, C).items items.x = 3 log(items.x, items[1])`,
}

// rowUses are uses of a list by an each function.
var rowUses = []string{
	`log(c.items[1], #c.items)`,
	`c.items[2] = c.items[1] + 1`,
	`local items = c.items for i = 1, 16 do items[i] = items[i] + i end`,
	`local sum = 0 for k = 1, 9 do for i = 1, 16 do sum = sum + c.items[i] end end log(sum)`,
	`c.items = { 5, 6 }`,
	`local items = c.items c.items = { 7 } items[1] = 99 log(items[1], c.items[1])`,
	`c.items[n + 1] = 3`,
	`c.items[0] = 3`,
	`log(c.items.x, c.items[n + 1])`,
	`c.items[3] = nil`,
	`c.items[3] = 1e99`,
	`c.items[3] = "x"`,
	`c.other = c.items[1] c.items = nil`,
	`log(kept and kept[1]) kept = c.items`,
	`local mine = ecs.get(e, C).items c.items[1] = 33 log(mine[1], ecs.get(e, C).items[1])`,
	`host.write(90) log(c.items[1])`,
	`local items = c.items host.write(91) log(items[1], c.items[1]) items[2] = 4`,
	`if c.items[1] > 2 then error("no") end c.items[1] = c.items[1]`,
	`for i, v in ipairs(c.items) do if i < 3 then log(v) end end`,
	`log(ecs.get(other, C).items[1]) ecs.set(other, C { items = { c.items[1] } })`,
	`log(pcall(function() return c.items[1] end))`,
}

// TestListsAreCopiesWhereverTheyAreFilled: a program that uses the first sixteen items does the
// same with a list that is filled at once, since it is short, and with one that is filled when
// it is needed.
func TestListsAreCopiesWhereverTheyAreFilled(t *testing.T) {
	t.Parallel()
	play := func(t *testing.T, n int, kind, body string) string {
		r := newGame(t, scripting.Limits{LogLines: -1})
		var kept []float64
		for name, f := range map[string]any{
			"write": func(x float64) {
				items, _ := r.world.Raw().ComponentNamed("C")
				for c := range r.world.Query().With(items).Chunks() {
					for _, e := range c.Entities() {
						*(*float32)(r.world.Raw().Pointer(e, items)) = float32(x)
					}
				}
			},
			"keep": func(list []float64) { kept = list },
			"kept": func() float64 { return kept[0] },
			"same": func(list []float64) []float64 { return list },
		} {
			if err := r.host.Expose(name, f); err != nil {
				t.Fatal(err)
			}
		}
		r.write("a.lua", fmt.Sprintf(`local host, n = require "host", %d
local C = ecs.component("C", { items = ecs.array(ecs.f32(0), n), other = ecs.f32(0) })
local saved, kept = ecs.state("saved", {}), %s
local e, other
local function log(...) local t = { ... } for i = 1, select("#", ...) do t[i] = tostring(t[i]) end ecs.log((table.concat(t, " "):gsub("%%f[%%d]%d%%f[%%D]", "n"):gsub("%%f[%%d]%d%%f[%%D]", "n+1"))) end
local function raise() pcall(error, "x") end
local k = ecs.kernel("k", { C }, function(e, c) c.items[1] = c.items[1] + 0.5 end)
ecs.on_start(function() e, other = ecs.spawn(C { items = { 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5 } }), ecs.spawn(C { items = { 40 } }) end)
ecs.system "next" { priority = 1, run = function() ecs.update(e, C, function(c) c.items[1] = c.items[1] + 1 end) end }
ecs.system "s" { priority = 2, %s }`, n, map[bool]string{true: "{}", false: "nil"}[strings.Contains(body, "kept.")], n, n+1, body))
		if err := r.host.Load(r.folder); err != nil {
			t.Fatal(err)
		}
		r.step(3)
		said := append([]string(nil), r.logs...)
		for _, e := range r.errors {
			said = append(said, strings.NewReplacer(fmt.Sprint(n), "n", fmt.Sprint(n+1), "n+1").Replace(e.Error()))
		}
		items, _ := r.world.Raw().ComponentNamed("C")
		for c := range r.world.Query().With(items).Chunks() {
			for _, e := range c.Entities() {
				said = append(said, fmt.Sprint(*(*[16]float32)(r.world.Raw().Pointer(e, items))))
			}
		}
		if slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "panic") }) {
			t.Fatalf("%s: %v", body, said)
		}
		return strings.Join(said, "\n")
	}
	judge := func(body string) {
		t.Run(body, func(t *testing.T) {
			short, long := play(t, 16, "", body), play(t, 100, "", body)
			if short != long {
				t.Errorf("with a short list:\n%s\nwith a long one:\n%s", short, long)
			}
			if len(short) < 40 {
				t.Errorf("nothing was seen: %s", short)
			}
		})
	}
	for _, use := range listUses {
		judge("run = function() " + use + " end")
	}
	for _, use := range rowUses {
		judge(`query = { C }, kernel = "off", each = function(e, c) ` + use + " end")
	}
}
