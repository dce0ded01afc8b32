package scripting_test

import (
	"strings"
	"testing"
)

// TestWhatBeginsAnewIsNamed: tables of a file that have been filled since its load and are empty after the
// next one. What its text has written, what comes back, what is kept and what only caches is none of these.
func TestWhatBeginsAnewIsNamed(t *testing.T) {
	const fill = ` local M = { list = {}, kinds = { "a", "b" } } local grid, cache, few = {}, setmetatable({}, { __mode = "v" }), { 1, 2 }
local S, data = ecs.state("s", { list = {} }), { deep = { list = {} } }
seen = {}
local function put(i) M.list[i] = i grid["k" .. i] = { i } cache[i] = {} S.list[i] = i seen[i] = true data.deep.list[i] = i end
ecs.on_start(function() for i = 1, 500 do put(i) end return few end)
`
	const hint = " and begins anew (keep it in ecs.state, or hand it over in ecs.on_unload)"
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"filled in on_start": {fill + "return M", fill + " return M", []string{
			"a.lua: M.list held 500 items" + hint, "a.lua: grid held 500 items" + hint, "a.lua: seen held 500 items" + hint}},
		"the author takes constants away": {`local kinds = { 1, 2, 3 } ecs.on_start(function() ecs.log(#kinds) end)`, `local kinds = { 1 } ecs.on_start(function() ecs.log(#kinds) end)`, nil},
		"it hands over":                   {fill + "ecs.on_unload(function() end) return M", fill + "return M", nil},
		"the same again":                  {fill + "for i = 1, 500 do put(i) end return M", fill + " for i = 1, 500 do put(i) end return M", nil},
		"on_reload fills it":              {`local l = {} ecs.on_start(function() l[1] = 1 end)`, `local l = {} ecs.on_reload(function() l[1] = 1 end)`, nil},
		"saved empty":                     {`local l = {} ecs.on_start(function() l[1] = 1 end)`, ``, []string{"a.lua: l held 1 item and is gone (keep it in ecs.state, or hand it over in ecs.on_unload)"}},
		"many": {`local a, b, c, d, e = {}, {}, {}, {}, {} ecs.on_start(function() a[1] = 1 b[1] = 1 c[1] = 1 d[1] = 1 e[1] = 1 end)`,
			`local a, b, c, d, e = {}, {}, {}, {}, {} ecs.on_start(function() a[1] = 1 b[1] = 1 c[1] = 1 d[1] = 1 e[1] = 1 end) `,
			[]string{"a.lua: a held 1 item" + hint, "a.lua: b held 1 item" + hint, "a.lua: c held 1 item" + hint, "a.lua: so 2 other tables do"}},
	} {
		r := loaded(t, "a.lua", c.old)
		r.run(1)
		r.save("a.lua", c.new)
		r.accepted()
		if got := r.reloads[0].Notes; strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: the verdict says %q, want %q", name, got, c.want)
		}
		r.save("a.lua", c.new+" ") // on_start does not run again, so nothing is filled
		r.accepted()
		if got := r.reloads[1].Notes; len(got) != 0 {
			t.Errorf("%s: the next verdict says %q", name, got)
		}
	}
}

// TestWhatOthersHoldIsNotNamedTwice: the tables of a module are its own, whoever has them in a variable.
func TestWhatOthersHoldIsNotNamedTwice(t *testing.T) {
	r := loaded(t, "units.lua", `local M = { list = {} } return M`, "use.lua", `local units = require "units" local list = units.list
ecs.on_start(function() for i = 1, 5 do units.list[i] = list end end)`)
	r.run(1)
	r.save("use.lua", `local units = require "units" local list = units.list ecs.on_start(function() return list end)`)
	r.accepted()
	if got := r.reloads[0].Notes; len(got) != 0 {
		t.Errorf("the list has stayed: %q", got)
	}
	r.save("units.lua", `local M = { list = {} } function M.f() return M end return M`)
	r.accepted()
	if got := r.reloads[1].Notes; len(got) != 1 || !strings.HasPrefix(got[0], "units.lua: ") {
		t.Errorf("the verdict says %q", got)
	}
}
