//go:build !machine

package library_test

import (
	"fmt"
	"os"
	"regexp"
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

// The host of the real runtime sets this once, too.
func TestMain(m *testing.M) {
	lua.MaxArrayIndex = 1 << 17
	os.Exit(m.Run())
}

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

// differsOnBoth says why a call may print something else, "" if it may not.
func differsOnBoth(name, got, want string) string {
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

// TestArgumentsOfBoth calls all functions with values of all kinds in both libraries.
func TestArgumentsOfBoth(t *testing.T) {
	reached, known := 0, map[string]int{}
	for _, name := range functions {
		for n := 0; n <= *arguments; n++ {
			script := calls(name, n)
			want, _ := newGopher(stdlib.Options{}).run(script, 1<<40, 0)
			got, _ := newHost(library.Options{}).run(script, 1<<40, 0)
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
				if why := differsOnBoth(name, x[i], y[i]); why != "" {
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

// TestChargesOfBoth holds that heavy calls cost at least nearly as much as before, so that they
// are ended before they have worked long.
func TestChargesOfBoth(t *testing.T) {
	const around = `local L, B = {}, {} for i = 1, 10000 do L[i] = i * 7 % 10007 end for i = 1, 1000 do B[i] = 65 end `
	used := func(call string) (before, now int64) {
		if !strings.HasPrefix(call, "for") {
			call = "local _ = " + call
		}
		out, before := newGopher(stdlib.Options{}).run(around+call, enough, 0)
		got, now := newHost(library.Options{}).run(around+call, enough, 0)
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
		Judged: runner(newHost(library.Options{}).run), Witness: runner(newGopher(stdlib.Options{}).run), Among: luatest.VM | luatest.Machine,
		Normal: func(out string) string { return oneNil.ReplaceAllString(out, "$1$2") },
	})
}
