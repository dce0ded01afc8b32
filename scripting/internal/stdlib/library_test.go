//go:build !machine

package stdlib_test

import (
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/perigee-ecs/perigee/scripting/internal/library/librarytest"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
)

func TestFunctions(t *testing.T) {
	for _, test := range librarytest.Functions {
		m := newMachine(stdlib.Options{})
		got := strings.TrimSuffix(strings.ReplaceAll(m.run("p", test.Script), "\t", " "), "\n")
		if got = strings.ReplaceAll(got, "p:1: bad argument", "bad argument"); got != test.Prints {
			t.Errorf("%s\n got %q\nwant %q", test.Script, got, test.Prints)
		}
	}
}

// What one script does to its libraries no other script sees.
func TestScriptsAreApart(t *testing.T) {
	m := newMachine(stdlib.Options{})
	m.run("first", `string.upper = nil math.pi = 3 print = nil table.insert = error _G.pairs = nil coroutine = nil`)
	got := m.run("second", `print(("x"):upper(), math.pi > 3.1, #{}, pairs ~= nil, coroutine ~= nil) table.insert({}, 1)`)
	if want := "X\ttrue\t0\ttrue\ttrue\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The host's random numbers decide; a script may seed them only if they can be.
type seeded struct{ next uint64 }

func (s *seeded) Uint64() uint64   { s.next += 1 << 62; return s.next }
func (s *seeded) Seed(seed uint64) { s.next = 0 }

func TestHostRandomAndClock(t *testing.T) {
	m := newMachine(stdlib.Options{Random: &seeded{}, Clock: func() float64 { return 12.5 }})
	got := m.run("p", `print(math.random(), math.random(10)) math.randomseed(1) print(math.random(), os.clock(), os.time(), os.exit)`)
	if want := "0.25\t6\n0.25\t12.5\t12\tnil\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The metatable that all userdata of a host share stays out of reach.
func TestUserdataMetatable(t *testing.T) {
	m := newMachine(stdlib.Options{})
	fn, env := m.L.NewUserData(), m.lib.Env()
	fn.Metatable = m.L.NewTable()
	m.L.Push(env.RawGetString("getmetatable"))
	m.L.Push(fn)
	m.L.Call(1, 1)
	if got := m.L.Get(-1); got != lua.LFalse {
		t.Errorf("got %v, want false", got)
	}
}

// TestConcatenationIsOneValue: in a constructor it is one item, or the value of its key.
func TestConcatenationIsOneValue(t *testing.T) {
	items := strings.Repeat("0, ", 50)
	for src, want := range map[string]string{
		`local i = 7 local t = { "a", "b", name = "unit " .. i } return #t .. t.name`:  "2unit 7",
		`local i = 7 local t = { 1, 2, ["k" .. i] = i .. i } return #t .. t.k7`:        "277",
		`local i = 7 local t = { ` + items + `"x" .. i } return #t .. t[1] .. t[51]`:   "510x7",
		`local i = 7 local t = { ` + items + `k = "x" .. i } return #t .. t[1] .. t.k`: "500x7",
		`local i = 7 return select("#", (function() return "x" .. i end)())`:           "1",
	} {
		if got := strings.TrimSpace(newMachine(stdlib.Options{}).run("p", "print((function() "+src+" end)())")); got != want {
			t.Errorf("%.60s: %q, want %q", src, got, want)
		}
	}
}
