package library_test

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/internal/golden"
	"github.com/perigee-ecs/perigee/internal/lua51"
	"github.com/perigee-ecs/perigee/scripting/internal/library"
)

// Each function is called with values of all kinds.

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

// differs says why a call may do something else than in PUC Lua, "" if it may not.
func differs(name, call, got, want string) string {
	switch {
	case address.ReplaceAllString(got, "") == address.ReplaceAllString(want, ""):
		return "what has an identity is numbered, and has no address"
	case name == "getmetatable" && got == "true\tfalse":
		return "the metatable of texts stays out of reach"
	case strings.Contains(call, "1e15"):
		return "a number beyond 32 bits is no other number"
	case strings.HasPrefix(got, "true\tnan") && strings.HasPrefix(want, "true\t-nan"):
		return "no script can tell which not-a-number it has"
	case strings.Contains(call, "%1'") && got == "fails":
		return "a pattern is read before it is matched"
	}
	return ""
}

// address is how something with an identity is printed.
var address = regexp.MustCompile(`0x[0-9a-f]+`)

// outcome is what a call printed where PUC Lua must print the same: the values that it
// returned, or that it has failed.
func outcome(line string) string {
	if strings.HasPrefix(line, "false\t") {
		return "fails"
	}
	return line
}

// TestArguments calls all functions with values of all kinds: what they return is what they
// return in PUC Lua, and they fail where they fail there.
func TestArguments(t *testing.T) {
	puc := lua51.Find(t, "lua5.1")
	reached, known := 0, map[string]int{}
	for _, name := range functions {
		for n := 0; n <= *arguments; n++ {
			script := calls(name, n)
			out, _ := newHost(library.Options{}).run(script, 1<<40, 0)
			results, err := puc.Run([]string{script})
			if err != nil {
				t.Fatal(err)
			}
			made := strings.Split(strings.TrimSpace(script[strings.Index(script, "show(pcall("):]), "\n")
			got, want := strings.Split(out, "\n"), strings.Split(results[0].Out, "\n")
			reached += len(made)
			for i, call := range made {
				x, y := outcome(got[i]), outcome(want[i])
				if x == y {
					continue
				}
				if why := differs(name, call, x, y); why != "" {
					known[why]++
					continue
				}
				t.Errorf("%s\n got %q\nwant %q", call, got[i], want[i])
			}
		}
	}
	t.Logf("%d functions × %d kinds of arguments: %d calls", len(functions), len(values), reached)
	for why, n := range known {
		t.Logf("%d differ: %s", n, why)
	}
}

// TestWordsOfArguments calls all functions without an argument and with one of each kind:
// the errors are those of a file.
func TestWordsOfArguments(t *testing.T) {
	var b strings.Builder
	for _, name := range functions {
		for n := range 2 {
			script := calls(name, n)
			out, _ := newHost(library.Options{}).run(script, 1<<40, 0)
			lines := strings.Split(out, "\n")
			made := strings.Split(strings.TrimSpace(script[strings.Index(script, "show(pcall("):]), "\n")
			for i, call := range made {
				if words, failed := strings.CutPrefix(lines[i], "false\t"); failed {
					fmt.Fprintf(&b, "%s: %s\n", strings.TrimSuffix(strings.TrimPrefix(call, "show(pcall("), "))"), words)
				}
			}
		}
	}
	golden.Expect(t, "testdata/arguments.txt", b.String())
}
