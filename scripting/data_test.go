package scripting_test

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting"
)

const (
	unitsJSON = `{
  "orc": { "hp": 30, "speed": 1.5, "drops": [1, 2, 3], "weapon": { "name": "axe", "reach": 2 } },
  "elf": { "hp": 20, "speed": 2.5, "drops": [4], "weapon": { "name": "bow", "reach": 9 }, "flies": true }
}`
	wavesCSV = "id,unit,count,delay\nfirst,orc,3,0.5\nsecond,elf,2,1\n"
)

// withData opens a host with data files and scripts.
func withData(t testing.TB, data map[string]string, files ...string) *game {
	t.Helper()
	r := newGame(t, scripting.Limits{Instructions: 300_000, LogLines: -1})
	for name, text := range data {
		r.folder[name] = newFile(text)
	}
	r.write(files...)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	return r
}

// saveData writes a data file and stages it, as a watcher does.
func (r *game) saveData(name, text string) {
	r.folder[name] = newFile(text)
	r.host.Stage([]string{name}, nil)
}

func TestDataIsRead(t *testing.T) {
	r := withData(t, map[string]string{"units.json": unitsJSON, "tables/waves.csv": wavesCSV}, "a.lua", `
local units, waves = ecs.data("units.json"), ecs.data("./tables/waves.csv")
local byID = ecs.data("tables/waves.csv", { key = "id" })
assert(units == ecs.data("units.json") and byID.first == waves[1] and byID == ecs.data("./tables/waves.csv", { key = "id" }))
`+once("a", `
if ctx.tick > 1 then return end
local names = {}
for name, u in pairs(units) do names[#names + 1] = name .. u.hp end
ecs.log(table.concat(names, ","), #units.orc.drops, units.orc.weapon.name, units.elf.flies, units.orc.flies, units.dwarf)
for i, w in ipairs(waves) do ecs.log(i, w.unit, w.count + w.delay) end
ecs.log(#waves, byID.second.unit, next(units), select("#", unpack(units.orc.drops)), table.concat(units.orc.drops, "+"), type(units), rawequal(units, units), rawget(units, "orc").hp, getmetatable(units))
`))
	r.run(1)
	r.wantLog(`orc30,elf20 3 axe true nil nil 1 orc 3.5 2 elf 3 2 elf orc 3 1+2+3 table true 30 false`)
}

// TestDataDoesNotChange: whatever a script tries, the data stays, and the error says what it is
// and where.
func TestDataDoesNotChange(t *testing.T) {
	for change, said := range map[string]string{
		`units.orc.hp = 5`:                    `"hp" cannot be assigned: this table is the data of "units.json"`,
		`units.orc.hp = nil`:                  `"hp" cannot be assigned`,
		`units.fresh = 1`:                     `"fresh" cannot be assigned`,
		`units.orc.weapon.name = "x"`:         `"name" cannot be assigned`,
		`units.orc.drops[1] = 5`:              `"1" cannot be assigned`,
		`units.orc.drops[4] = 5`:              `"4" cannot be assigned`,
		`waves[1] = nil`:                      `"1" cannot be assigned: this table is the data of "waves.csv"`,
		`waves[1].count = 9`:                  `"count" cannot be assigned`,
		`by.first = nil`:                      `"first" cannot be assigned`,
		`rawset(units.orc, "hp", 5)`:          `"hp" cannot be assigned`,
		`rawset(units, "fresh", 5)`:           `"fresh" cannot be assigned`,
		`table.insert(units.orc.drops, 5)`:    `cannot be assigned`,
		`table.insert(units.orc.drops, 1, 5)`: `cannot be assigned`,
		`table.remove(units.orc.drops)`:       `cannot be assigned`,
		`table.sort(units.orc.drops, function(a, b) return a > b end)`: `cannot be assigned`,
		`setmetatable(units, {})`:                                      `protected`,
		`state.kept = units.orc`:                                       `a state table does not keep a table of ecs.data("units.json"), which changes with its file`,
		`for k in pairs(units) do units[k] = 1 end`:                    `cannot be assigned`,
	} {
		r := withData(t, map[string]string{"units.json": unitsJSON, "waves.csv": wavesCSV}, "a.lua", `
local units, waves, by = ecs.data("units.json"), ecs.data("waves.csv"), ecs.data("waves.csv", { key = "id" })
local state = ecs.state("s", {})
local function warm(t) t.hp, t.fresh, t.name, t.count, t.first = 1, 2, 3, 4, 5 end
ecs.system "warm" { phase = "input", run = function() warm({}) warm({ hp = 1, speed = 1, drops = 1, weapon = 1 }) end }
ecs.system "look" { phase = "render", run = function(ctx)
  local n = 0
  for k, v in pairs(units) do n = n + v.hp + #v.drops + v.speed + v.weapon.reach end
  for _, w in ipairs(waves) do n = n + w.count + w.delay end
  ecs.log(n, by.first.count, units.fresh)
end }
ecs.system "change" { run = function()
  `+change+`
end }`)
		r.step(2)
		if len(r.errors) != 2 || r.errors[0].Line != 14 || r.errors[0].Column == 0 || !strings.Contains(r.errors[0].Message, said) {
			t.Errorf("%s: %v, want %q in line 14", change, r.errors, said)
		}
		r.wantLog("75.5 3 nil 75.5 3 nil")
		r.errors = nil
	}
}

func TestDataReloads(t *testing.T) {
	r := withData(t, map[string]string{"units.json": unitsJSON, "other.json": "{}"},
		"a_units.lua", `local units = ecs.data("units.json") return { hp = function(name) return units[name].hp end }`,
		"b.lua", `local units = require "a_units" local s = ecs.state("s", { n = 0 }) ecs.on_start(function() ecs.log("started") end)
`+once("b", `s.n = s.n + 1 ecs.log(s.n, units.hp("orc"))`),
		"c.lua", `ecs.on_unload(function() ecs.log("c ends") end)`)
	r.run(1)
	r.wantLog("started 1 30")
	r.saveData("units.json", strings.Replace(unitsJSON, "30", "35", 1))
	r.accepted()
	r.wantLog("2 35")
	if v := r.reloads[len(r.reloads)-1]; v.Files != 2 || fmt.Sprint(v.Changed) != "[units.json]" {
		t.Errorf("%d files, changed %v: %s", v.Files, v.Changed, v)
	}

	r.saveData("units.json", "{\n  \"orc\": { \"hp\": 50, }\n}")
	r.refused(`units.json:2:20: no comma may stand before the closing } in JSON (called in a_units.lua:2:19)`)
	r.wantLog("3 35")
	r.saveData("units.json", `{"orc":{"hp":7}}`)
	r.accepted()
	r.wantLog("4 7")
	r.remove("units.json")
	r.refused(`the data file "units.json" is removed by the same load`)
	r.logs = nil
	r.saveData("units.json", `{"orc":{"hp":8}}`)
	r.accepted()
	if got := r.logged(); !strings.HasSuffix(got, " 8") {
		t.Error(got)
	}

	before := len(r.reloads)
	r.saveData("other.json", "[")
	r.saveData("readme.json", "none of JSON")
	r.run(1)
	if len(r.reloads) != before {
		t.Errorf("files that no script asks for are reloaded: %v", r.reloads[before:])
	}
}

// TestDataAndScriptsReloadTogether: a set with a script and the data file that it needs is taken
// whole, in either order of the saves, and a file that was missing may come later.
func TestDataAndScriptsReloadTogether(t *testing.T) {
	r := withData(t, nil, "a.lua", once("a", `ecs.log("old")`))
	r.save("a.lua", `local d = ecs.data("new.json") `+once("a", `ecs.log(d.n)`))
	r.refused(`a.lua:2: ecs.data: the folder has no data file "new.json"`)
	r.saveData("new.json", `{"n":`)
	r.refused(`new.json:1:6: expected a value, got the end of the file`)
	r.saveData("new.json", `{"n":1}`)
	r.accepted()
	r.wantLog("old old 1")
	r.saveData("new.json", `{"n":2}`)
	r.save("b.lua", `local d = ecs.data("new.json") `+once("b", `ecs.log("b" .. d.n)`))
	r.accepted()
	r.wantLog("2 b2")
	r.host.Stage(nil, []string{"b.lua"})
	delete(r.folder, "b.lua")
	r.accepted()
	r.wantLog("2")
}

func TestDataFoldersGoAndCome(t *testing.T) {
	r := withData(t, map[string]string{"tables/units.json": unitsJSON}, "a.lua", `local d = ecs.data("tables/units.json") `+once("a", `ecs.log(d.orc.hp)`))
	delete(r.folder, "tables/units.json")
	r.host.Stage(nil, []string{"tables"})
	r.refused(`the data file "tables/units.json" is removed by the same load`)
	r.wantLog("30")
}

func TestDataFaults(t *testing.T) {
	for text, want := range map[string]string{
		`ecs.data("unit.json")`:                                          `a.lua:2:10: ecs.data: the folder has no data file "unit.json" (did you mean "units.json"?)`,
		`ecs.data("deep.json")`:                                          `a.lua:2:10: ecs.data: the folder has no data file "deep.json" (did you mean "tables/deep.json"?)`,
		`ecs.data("units.toml")`:                                         `a.lua:2:10: ecs.data: "units.toml" is no data file: its name ends in .json or .csv, or it is a table in Lua in the folder data, as in "data/units.lua"`,
		`ecs.data("a.lua")`:                                              `a.lua:2:10: ecs.data: "a.lua" is no data file: its name ends in .json or .csv, or it is a table in Lua in the folder data, as in "data/units.lua"`,
		`ecs.data("/etc/x.json")`:                                        `a.lua:2:10: ecs.data: "/etc/x.json" is no path in the folder of the scripts: write it with /, as in "tables/units.json", and with no name that begins with a dot`,
		`ecs.data("../x.json")`:                                          `a.lua:2:10: ecs.data: "../x.json" is no path in the folder of the scripts: write it with /, as in "tables/units.json", and with no name that begins with a dot`,
		`ecs.data("tables/../../x.json")`:                                `is no path in the folder`,
		`ecs.data(".hidden.json")`:                                       `is no path in the folder`,
		`ecs.data("broken.json")`:                                        `broken.json:1:3: no comma may stand before the closing ] in JSON (called in a.lua:2:5)`,
		`ecs.data("broken.csv")`:                                         `broken.csv:2:1: the row has 1 cell, and the first row names 2 columns: column "b" has none (called in a.lua:2:5)`,
		`ecs.data("large.json")`:                                         `large.json:1:1: the file cannot be read: 3,002 bytes, more than 2,000 (Limits.DataBytes) (called in a.lua:2:5)`,
		`ecs.data("many.json")`:                                          `many.json:1:200: the file has more than 100 values (Limits.DataValues) (called in a.lua:2:5)`,
		`ecs.data("waves.csv", { key = "unt" })`:                         `a.lua:2:10: ecs.data: "waves.csv" has no column "unt" (did you mean "unit"?)`,
		`ecs.data("units.json", { key = "hp" })`:                         `a.lua:2:10: ecs.data: the option key is for tables of rows, in .csv; the keys of "units.json" are those in the file`,
		`ecs.data("twice.csv", { key = "id" })`:                          `twice.csv:4:1: two rows have the key "x" in column "id": the other one stands in line 2 (called in a.lua:2:5)`,
		`ecs.data("gap.csv", { key = "id" })`:                            `gap.csv:3:1: the row has no value in the key column "id" (called in a.lua:2:5)`,
		`ecs.data("waves.csv", { ky = "unit" })`:                         `a.lua:2:25: ecs.data: unknown option "ky" (did you mean "key"?)`,
		`ecs.data("waves.csv", { key = 1 })`:                             `a.lua:2:31: ecs.data: key: expected the name of a column, got the number 1`,
		`ecs.data()`:                                                     `a.lua:2:5: ecs.data: argument 1: expected a string, got nil`,
		`ecs.data("units.json", {}, 1)`:                                  `a.lua:2:28: ecs.data: expected at most 2 arguments, got 3: write ecs.data("units.json")`,
		`ecs.system "s" { run = function() ecs.data("units.json") end }`: ``,
	} {
		r := newGame(t, scripting.Limits{DataBytes: 2000, DataValues: 100})
		for name, text := range map[string]string{
			"units.json": unitsJSON, "tables/deep.json": "{}", "waves.csv": wavesCSV, ".hidden.json": "{}",
			"broken.json": "[1,\n]", "broken.csv": "a,b\n1", "large.json": "[" + strings.Repeat(" ", 3000) + "]",
			"many.json": "[" + strings.Repeat("1,", 200) + "1]", "twice.csv": "id,n\nx,1\ny,2\nx,3\n", "gap.csv": "id,n\nx,1\n,2\n",
		} {
			r.folder[name] = newFile(text)
		}
		r.write("a.lua", text)
		err := r.host.Load(r.folder)
		if want == "" {
			r.step(1)
			r.wantError("a.lua:2", `ecs.data: can only be used at the top level of a script, not while systems run`)
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

// TestLuaTables: a table in Lua below data is read as JSON is, never runs as a script, and reloads.
func TestLuaTables(t *testing.T) {
	const units = `-- what there is
local hp = 20
return {
  orc = { hp = hp * 1.5, drops = { "coin", "axe" } },
  elf = { hp = hp },
}`
	r := withData(t, map[string]string{"data/units.lua": units, "data/unused.lua": `error("this is never run")`}, "a.lua", `
local units = ecs.data("data/units.lua")
`+once("a", `ecs.log(units.orc.hp, units.orc.drops[2], units.elf.hp, pcall(function() units.orc.hp = 1 end))`))
	if got := strings.Join(r.host.Modules(), " "); got != "a.lua" {
		t.Errorf("the scripts are %s", got)
	}
	r.run(1)
	if got := r.logged(); !strings.HasPrefix(got, "30 axe 20 false ") || !strings.Contains(got, `"hp" cannot be assigned: this table is the data of "data/units.lua"`) {
		t.Error(got)
	}
	r.logs = nil
	r.saveData("data/units.lua", strings.Replace(units, "20", "40", 1))
	r.accepted()
	if got := r.logged(); !strings.HasPrefix(got, "60 axe 40 ") {
		t.Error(got)
	}
	r.saveData("data/units.lua", strings.Replace(units, "hp * 1.5", "ecs.random()", 1))
	r.refused(`data/units.lua:4:16: a data file calls nothing: it has tables, numbers, texts, true and false, and arithmetic with them (called in a.lua:3:19)`)
	r.saveData("data/units.lua", "return {")
	r.refused(`data/units.lua:1:9: expected "}" to close "{", found the end of the file (called in a.lua:3:19)`)
	r.save("a.lua", `local units = require "data.units"`)
	r.refused(`module "data.units" not found: in the folder data lie tables and no scripts; read one with ecs.data("data/units.lua")`)
}

// TestLuaTablesAgree: a table in Lua that is read is the table that the VM makes of the same text.
func TestLuaTablesAgree(t *testing.T) {
	for _, text := range []string{
		"return { 1, 2, 3, { 4, 'x' }, true, false }",
		"local a, b = 0.1 + 0.2, -7 % 3 return { a = a, b = b, c = 2 ^ 0.5, d = 7 / 3 - 1, e = -2 ^ 2, f = 2 ^ 3 ^ 2, g = 0x1F, h = 1e-3 }",
		"local n = 'x' .. 1 .. 2.5 .. 1e15 .. -0.1 return { n, n .. n, [==[\n]]]==], '\\65\\n\\'' }",
		"local t = { 1, { k = 2 } } local u = t[2] return { t = t, u = u.k, v = t[1] + u['k'], [u.k .. 'x'] = u }",
		"return { a = nil, b = 1, }",
	} {
		r := withData(t, map[string]string{"data/t.lua": text}, "t.lua", text, "a.lua", `
local read, made = ecs.data("data/t.lua"), require "t"
local function same(a, b, path)
  if type(a) ~= "table" or type(b) ~= "table" then return assert(a == b and type(a) == type(b), path) end
  for k, v in pairs(a) do same(v, b[k], path .. "." .. k) end
  for k in pairs(b) do assert(a[k] ~= nil, path .. "." .. k) end
  assert(#a == #b)
end
same(read, made, "t")
`+once("a", `ecs.log("same")`))
		r.run(1)
		r.wantLog("same")
	}
}

// TestBrokenDataIsReportedOnce: a data file that several scripts read, some by way of others, has
// one fault and not one for each of them.
func TestBrokenDataIsReportedOnce(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.folder["x.json"] = newFile("[")
	r.write("a.lua", `return ecs.data("x.json")`, "b.lua", `local a = require "a"`, "c.lua", `local x = ecs.data("x.json")`)
	err := r.host.Load(r.folder)
	if err == nil || strings.Count(err.Error(), "x.json:1:2: expected ] to close the [ of line 1, got the end of the file") != 1 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// TestDataWithinTableLimit: a list or record of a data file may be as long as any table.
func TestDataWithinTableLimit(t *testing.T) {
	for n, refused := range map[int]bool{100: false, 101: true} {
		r := newGame(t, scripting.Limits{Table: 100})
		r.folder["x.json"] = newFile("[" + strings.Repeat("1,", n-1) + "1]")
		r.write("a.lua", `local x = ecs.data("x.json") assert(#x == `+fmt.Sprint(n)+`)`)
		if err := r.host.Load(r.folder); refused != (err != nil && strings.Contains(err.Error(), "Limits.Table")) {
			t.Errorf("%d items: %v", n, err)
		}
	}
}

// TestDataIsCharged: what the tables take is countedFolder before they are made, once for all scripts of
// a host, and asking for files that do not exist has its price.
func TestDataIsCharged(t *testing.T) {
	big := "[" + strings.Repeat("{\"a\":1},", 9999) + "{\"a\":1}]"
	for text, limited := range map[string]bool{
		`ecs.data("big.json")`: true,
		`for i = 1, 1000 do pcall(ecs.data, "x" .. i .. ".json") end`: true,
		`for i = 1, 1000 do ecs.data("small.json") end`:               false,
	} {
		r := newGame(t, scripting.Limits{Instructions: 150_000, Load: 150_000})
		r.folder["big.json"], r.folder["small.json"] = newFile(big), newFile("[1]")
		r.write("a.lua", text)
		err := r.host.Load(r.folder)
		if limited != (err != nil && strings.Contains(err.Error(), "(Limits.")) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestDataInKernels: row functions over captured data compile as those over captured tables do,
// leave the same, see the values of a reload, and say so when they write.
func TestDataInKernels(t *testing.T) {
	const units = `{ "list": [1.5, 2.5, 3.5, 4.5], "orc": { "speed": 2, "fast": true }, "rows": [{ "x": 1 }, { "x": 2 }, { "x": 3 }] }`
	const plain = `{ list = { 1.5, 2.5, 3.5, 4.5 }, orc = { speed = 2, fast = true }, rows = { { x = 1 }, { x = 2 }, { x = 3 } } }`
	from := `ecs.data("units.json")`
	run := func(text, kernel, data string) *game {
		r := withData(t, map[string]string{"units.json": data}, "a.lua", `
local units = `+from+`
local orc, list, rows = units.orc, units.list, units.rows
ecs.on_start(function() for i = 1, 10 do ecs.spawn(P { x = i }) end end)
ecs.system "s" { kernel = "`+kernel+`", query = { P }, each = function(e, p) `+text+` end }
ecs.system "look" { phase = "render", run = function() local n = 0 for e in ecs.entities { P } do local p = ecs.get(e, P) n = n * 1.25 + p.x + 100 * p.y end ecs.log(n) end }`)
		r.run(3)
		return r
	}
	for _, text := range []string{
		`p.x = p.x + units.orc.speed`,
		`p.x = p.x + orc.speed * list[2]`,
		`if orc.fast then p.y = list[(p.x % 4) + 1] end`,
		`for i, v in ipairs(list) do p.x = p.x + v end p.y = #list`,
		`for i, row in ipairs(rows) do p.x = p.x + row.x end`,
		`if orc.fast and not (orc.speed > 3) then p.y = p.y + 1 end`,
		`local r = rows[(p.x % 3) + 1] p.x = p.x + r.x`,
	} {
		on, off := run(text, "require", units), run(text, "off", units)
		from = plain
		captured := run(text, "require", units)
		from = `ecs.data("units.json")`
		if a, b, c := on.logged(), off.logged(), captured.logged(); a != b || a != c {
			t.Errorf("%s: a kernel leaves %s, the VM %s, a kernel with a table of the script %s", text, a, b, c)
		}
		for _, s := range on.host.Kernels() {
			if !s.Compiled || s.Reason != "" || s.Unready != "" || s.Ran.VM.Rows != 0 {
				t.Errorf("%s: %s, %+v", text, s, s.Ran)
			}
		}
	}

	r := run(`p.x = orc.speed`, "require", units)
	r.logs = nil
	r.saveData("units.json", strings.Replace(units, `"speed": 2`, `"speed": 7`, 1))
	r.accepted()
	was := run(`p.x = 7`, "off", units).logs[2]
	r.wantLog(was)

	w := run(`p.x = 1 if p.y > 1000 then orc.speed = 5 end`, "auto", units)
	for _, s := range w.host.Kernels() {
		if s.Reason == "" && s.Ran.VM.Rows == 0 && !s.Compiled {
			t.Errorf("what writes into data is said to be compiled: %s", s)
		}
	}
	x := withData(t, map[string]string{"units.json": units}, "a.lua", `
local orc = ecs.data("units.json").orc
ecs.on_start(function() ecs.spawn(P { x = 1 }) end)
ecs.system "s" { query = { P }, each = function(e, p) orc.speed = orc.speed + 1 end }
ecs.system "look" { phase = "render", run = function() ecs.log(orc.speed) end }`)
	x.step(2)
	if len(x.errors) == 0 || !strings.Contains(x.errors[0].Message, `"speed" cannot be assigned`) || x.errors[0].Line != 5 {
		t.Errorf("%v", x.errors)
	}
	x.wantLog("2 2")
	x.errors = nil
}

// countedFolder is a folder that counts how often its files are read.
type countedFolder struct {
	fstest.MapFS
	mu    sync.Mutex
	reads map[string]int
}

func (c *countedFolder) Open(name string) (fs.File, error) {
	c.note(name)
	return c.MapFS.Open(name)
}

func (c *countedFolder) ReadFile(name string) ([]byte, error) {
	c.note(name)
	return c.MapFS.ReadFile(name)
}

func (c *countedFolder) note(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reads == nil {
		c.reads = map[string]int{}
	}
	c.reads[name]++
}

// TestDataOfRooms: rooms of a program read a data file once together, each has the same values as
// a host without neighbours, on any goroutine, and a reload changes one of them.
func TestDataOfRooms(t *testing.T) {
	folder := &countedFolder{MapFS: fstest.MapFS{
		"units.json": newFile(unitsJSON), "waves.csv": newFile(wavesCSV),
		"a.lua": newFile(script(`local units, waves = ecs.data("units.json"), ecs.data("waves" .. ".csv", { key = "id" })
local s = ecs.state("s", { sum = 0 })
ecs.system "s" { run = function(ctx)
  for k, v in pairs(units) do s.sum = s.sum + v.hp end
  for k, v in pairs(waves) do s.sum = s.sum + v.count end
  ecs.spawn(P { x = s.sum })
end }`)),
	}}
	p, err := scripting.Compile(folder, scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if folder.reads["units.json"] == 0 {
		t.Error("a file that a script names is not read with the folder")
	}
	folder.reads = nil
	folder.MapFS["units.json"] = newFile(`{}`) // the program has the one from before
	alone := newGame(t, scripting.Limits{})
	if err := alone.host.Load(fstest.MapFS{"units.json": newFile(unitsJSON), "waves.csv": newFile(wavesCSV), "a.lua": folder.MapFS["a.lua"]}); err != nil {
		t.Fatal(err)
	}
	alone.run(3)
	games := make([]*game, 8)
	for i := range games {
		games[i] = newGame(t, scripting.Limits{})
	}
	var group sync.WaitGroup
	for _, g := range games {
		group.Go(func() {
			if err := g.host.Load(p); err != nil {
				t.Error(err)
			}
			for range 3 {
				g.failed(g.host.StepAll(1.0 / 64))
			}
		})
	}
	group.Wait()
	for i, g := range games {
		if g.world.Checksum() != alone.world.Checksum() || len(g.errors) > 0 {
			t.Errorf("room %d has another world than a host alone: %v", i, g.errors)
		}
	}
	if folder.reads["units.json"] != 0 || folder.reads["waves.csv"] > 2 { // opened, or stated and read
		t.Errorf("the rooms have read %v", folder.reads)
	}
	games[0].host.Stage([]string{"units.json"}, nil)
	for _, g := range games[:2] {
		g.run(1)
	}
	alone.run(1)
	if games[0].world.Checksum() == alone.world.Checksum() || games[1].world.Checksum() != alone.world.Checksum() {
		t.Error("a reload in one room changes none, or another one")
	}
}
