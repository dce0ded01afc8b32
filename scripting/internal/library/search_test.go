package library_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/library"
)

// TestGsubCallsCount: a function that gsub calls counts as any call does, with few results or
// many, and with what it raises, whichever way gsub calls it.
func TestGsubCallsCount(t *testing.T) {
	for _, c := range []struct {
		text  string
		steps int64
	}{
		{`local function f(a) return a end ("a b c d"):gsub("%a", f)`, 31},
		{`local function f(...) return ... end ("a b c d"):gsub("%a", f)`, 35},
		{`local function f() return ` + strings.Repeat("1, ", 29) + `1 end ("a b c d"):gsub("%a", f)`, 163},
		{`local t = {} for i = 1, 60 do t[i] = i end local function f() return unpack(t) end ("a b c d"):gsub("%a", f)`, 461},
		{`pcall(string.gsub, "a b", "%a", function(a) return {} end)`, 766},
		{`pcall(string.gsub, "a b", "%a", function(a) error("x") end)`, 1267},
		{`pcall(string.gsub, "a b", "%a", function(a) return a:gsub("a", function(x) return x end) end)`, 33},
	} {
		m := newHost(library.Options{})
		out, steps := m.run(c.text, 1<<40, 0)
		if steps != c.steps || out != "" {
			t.Errorf("%s: counts %d steps, want %d%s", c.text, steps, c.steps, out)
		}
	}
}

// TestGsubBegun: a function that gsub calls may use gsub itself, with functions, too, and an
// error in the midst of one leaves the next one whole.
func TestGsubBegun(t *testing.T) {
	m := newHost(library.Options{})
	out, _ := m.run(`
		local function wrap(x) return "<" .. x:gsub(".", function(y) return y .. y end) .. ">" end
		print(("ab cd"):gsub("%a+", wrap))
		print(pcall(string.gsub, "abc", ".", function(x) if x == "b" then error("stop", 0) end return x .. x end))
		print(("abc"):gsub("(.)(.)()", function(x, y, at, none) return y .. x .. at .. tostring(none) end))
		print(("abc"):gsub(".", function() end), ("abc"):gsub("", function() return "-" end))
	`, 1<<30, 0)
	const want = "<aabb> <ccdd>\t2\nfalse\tstop\nba3nilc\t1\nabc\t-a-b-c-\t4\n"
	if out != want {
		t.Errorf("got %q, want %q", out, want)
	}
}
