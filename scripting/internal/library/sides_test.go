//go:build !machine

package library_test

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/internal/luatest"
	"github.com/perigee-ecs/perigee/scripting/internal/library"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
	lua "github.com/yuin/gopher-lua"
)

// Both libraries side by side: each function is called with values of all kinds, and must
// print the same.

// onGopher is the library that it replaces.
type onGopher struct {
	L      *lua.LState
	lib    *stdlib.Library
	budget stdlib.Budget
	out    printer
}

func newGopher(opts stdlib.Options) *onGopher {
	m := &onGopher{L: lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: 200, RegistrySize: 1 << 10, RegistryMaxSize: 1 << 14, RegistryGrowStep: 1 << 12,
	})}
	opts.Print = func(_ *lua.LState, text string) { m.out.line(text) }
	m.lib = stdlib.New(m.L, opts)
	return m
}

func (m *onGopher) run(src string, steps, bytes int64) (string, int64) {
	m.out.Reset()
	proto, err := compile(src, m.lib.Concat(), m.lib.Pop())
	if err != nil {
		return fmt.Sprintf("error: %v\n", err), 0
	}
	fn := m.L.NewFunctionFromProto(proto)
	fn.Env = m.lib.Env()
	m.budget.Reset(steps, bytes)
	m.lib.Enter(m.L)
	stdlib.Attach(m.L, &m.budget)
	m.L.Push(fn)
	if err := m.L.PCall(0, 0, nil); err != nil {
		fmt.Fprintf(&m.out, "error: %v\n", fault.Value(err.(*lua.ApiError).Object))
	}
	m.lib.Leave()
	return m.out.String(), m.budget.Used()
}

// values are the arguments, by kind. Those of one kind that functions tell apart stand
// beside each other.
var values = []struct{ kind, text string }{
	{"nil", "nil"}, {"boolean", "true"}, {"negative", "-2"}, {"fraction", "2.5"}, {"number", "3"}, {"large", "1e15"},
	{"numeral", "'12'"}, {"text", "'a1b%1'"}, {"pattern", "'(%w)(%d?)'"}, {"list", "{3, 1, 2}"}, {"object", "O"}, {"function", "F"}, {"thread", "T"},
}

// functions are the names of all functions but those whose results differ by design: of
// coroutines, of random numbers and of protected calls.
var functions = strings.Fields(`
	assert error getmetatable ipairs next pairs rawequal rawget rawset select setmetatable tonumber tostring type unpack
	string.byte string.char string.find string.format string.gmatch string.gsub string.len string.lower string.match
	string.rep string.reverse string.sub string.upper
	table.concat table.insert table.maxn table.remove table.sort
	math.abs math.acos math.asin math.atan math.atan2 math.ceil math.cos math.cosh math.deg math.exp math.floor math.fmod
	math.frexp math.ldexp math.log math.log10 math.max math.min math.modf math.pow math.rad math.sin math.sinh math.sqrt
	math.tan math.tanh coroutine.create coroutine.status coroutine.resume`)

// calls writes a script that calls a function with each combination of so many arguments.
// show prints what a call returns, with the items of lists and what functions return.
func calls(name string, arguments int) string {
	var b strings.Builder
	b.WriteString(`
local O = setmetatable({}, {__index = function(t, k) return k end, __tostring = function() return "O" end, __len = function() return 3 end})
local T = coroutine.create(function(...) return ... end)
local function F(...) return ... end
local function word(v)
  if type(v) == "table" then
    local parts = {}
    for k, x in next, v do parts[#parts + 1] = type(k) .. tostring(k) .. "=" .. type(x) .. (type(x) ~= "table" and type(x) ~= "function" and tostring(x) or "") end
    table.sort(parts)
    return "{" .. table.concat(parts, " ") .. "}"
  elseif type(v) == "function" or type(v) == "thread" then return type(v) end
  return tostring(v)
end
local function show(...)
  local line = {}
  for i = 1, select("#", ...) do line[i] = word((select(i, ...))) end
  print(table.concat(line, "\t"))
end
`)
	combine(arguments, nil, func(list []string) {
		fmt.Fprintf(&b, "show(pcall(%s))\n", strings.Join(append([]string{name}, list...), ", "))
	})
	return b.String()
}

// combine visits all lists of so many values. A list of three has the same value twice at
// most in two ways, which keeps it short.
func combine(n int, list []string, visit func([]string)) {
	if n == 0 {
		visit(list)
		return
	}
	for i, v := range values {
		if len(list) == 2 && i%3 != len(list[0])%3 {
			continue
		}
		combine(n-1, append(slices.Clone(list), v.text), visit)
	}
}

var arguments = flag.Int("arguments", 2, "up to how many arguments TestArguments calls functions with")

// differs says why a call may print something else, "" if it may not.
func differs(name, got, want string) string {
	place := regexp.MustCompile(`p:[0-9]+: `)
	switch {
	case name == "error" && place.ReplaceAllString(got, "") == want:
		return "a level above 1 reaches across a protected call, as in PUC Lua"
	case name == "next" && got == "false\tinvalid key to \"next\"" && want == "true\tnil":
		return "a key that no table ever had is invalid, as in PUC Lua"
	case name == "string.gmatch" && strings.Contains(got, "bad argument #1"):
		return "the first argument is looked at first, as in PUC Lua"
	case name == "coroutine.resume" && got == want+"\tnil":
		return "a coroutine that returns nil returns nil, as in PUC Lua"
	}
	return ""
}

// TestArguments calls all functions with values of all kinds in both libraries.
func TestArguments(t *testing.T) {
	reached, known := 0, map[string]int{}
	for _, name := range functions {
		for n := 0; n <= *arguments; n++ {
			script := calls(name, n)
			want, _ := newGopher(stdlib.Options{}).run(script, 1<<40, 0)
			got, _ := newMachine(library.Options{}).run(script, 1<<40, 0)
			made := strings.Split(script[strings.Index(script, "show(pcall("):], "\n")
			x, y := strings.Split(got, "\n"), strings.Split(want, "\n")
			if len(x) != len(y) {
				t.Errorf("%s: %d lines, want %d", name, len(x), len(y))
			}
			reached += len(made) - 1
			for i := range min(len(x), len(y)) {
				if x[i] == y[i] {
					continue
				}
				if why := differs(name, x[i], y[i]); why != "" {
					known[why]++
					continue
				}
				t.Errorf("%s\n got %q\nwant %q", made[i], x[i], y[i])
				break
			}
		}
	}
	t.Logf("%d functions × %d kinds of arguments: %d calls", len(functions), len(values), reached)
	for why, n := range known {
		t.Logf("%d differ: %s", n, why)
	}
}

// heavy are calls whose work grows with what they get.
var heavy = []string{
	`("x"):rep(1e6)`, `("xyz"):rep(1e5):upper()`, `("xyz"):rep(1e5):reverse()`, `("xyz"):rep(1e5):byte(1, 5000)`,
	`("x"):rep(1e5):find("y", 1, true)`, `("x"):rep(1e5):find("x-y", 99000)`, `("x"):rep(2000):match("(.-)y")`, `("x y "):rep(1e4):gsub("%w", "<%0>")`,
	`("x y "):rep(1e4):gsub("%w", {x = "1"})`, `("x y "):rep(1e4):gsub("%w", function() end)`, `("%5.1f "):rep(100):format(unpack(L, 1, 100))`,
	`("%s"):format(("x"):rep(1e5))`, `("%q"):format(("x"):rep(1e5))`, `table.concat(L, ",")`, `table.sort(L)`, `table.sort(L, function(a, b) return a > b end)`,
	`table.insert(L, 1, 0)`, `table.remove(L, 1)`, `table.maxn(L)`, `unpack(L, 1, 5000)`, `tonumber(("1"):rep(1e5))`, `tonumber(("1"):rep(1e5), 7)`,
	`rawget(L, ("x"):rep(1e5))`, `rawequal(("x"):rep(1e5), ("x"):rep(1e5))`, `tostring(1/3)`, `string.char(unpack(B))`, `print(("x"):rep(1e5))`,
	`for a, b in ("k=v "):rep(1000):gmatch("(%w)=(%w)") do end`, `next(L, 5)`, `select(2, unpack(L, 1, 5000))`, `setmetatable({}, {})`,
}

// TestCharges holds that heavy calls cost at least nearly as much as before, so that they
// are ended before they have worked long.
func TestCharges(t *testing.T) {
	const around = `local L, B = {}, {} for i = 1, 10000 do L[i] = i * 7 % 10007 end for i = 1, 1000 do B[i] = 65 end `
	used := func(call string) (before, now int64) {
		if !strings.HasPrefix(call, "for") {
			call = "local _ = " + call
		}
		out, before := newGopher(stdlib.Options{}).run(around+call, enough, 0)
		got, now := newMachine(library.Options{}).run(around+call, enough, 0)
		if out != got {
			t.Errorf("%s: prints %.60q, want %.60q", call, got, out)
		}
		return before, now
	}
	idle, idleNow := used("1")
	for _, call := range heavy {
		before, now := used(call)
		if before, now = before-idle, now-idleNow; now < before*3/4-20 || now > before*2+20 {
			t.Errorf("%s: %d steps, %d before", call, now, before)
		} else {
			t.Logf("%s: %d steps, %d before", call, now, before)
		}
	}
}

// oneNil is a line with its count of values and a last nil.
var oneNil = regexp.MustCompile(`(?m)^(@\d+\t)\d+((?:\t[^\t\n]*)*?)(?:\tnil)?$`)

// TestAgainstVM compares random programs with gopher-lua's loop and package stdlib: each
// word of each error is the same. There, a coroutine that returns a single nil returns
// nothing.
func TestAgainstVM(t *testing.T) {
	compare(t, luatest.Comparison{
		Judged: runner(newMachine(library.Options{}), false), Witness: runner(newGopher(stdlib.Options{}), false), Among: luatest.VM | luatest.Machine,
		Normal: func(out string) string { return oneNil.ReplaceAllString(out, "$1$2") },
	})
}
