//go:build !machine

package stdlib_test

import (
	"flag"
	"regexp"
	"testing"

	"github.com/perigee-ecs/perigee/internal/lua51"
	"github.com/perigee-ecs/perigee/internal/luatest"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
)

var (
	programs = flag.Int("programs", 400, "how many random programs to compare with lua5.1; 0 means as many as reach every rule of the language in every place")
	seed     = flag.Uint64("seed", 1, "seed of the first program")
)

// TestAgainstPUC compares the output of random programs with that of PUC Lua, and of those
// with goto with that of LuaJIT.
func TestAgainstPUC(t *testing.T) {
	t.Logf("seeds from %d on: replay one with -programs 1 -seed N", *seed)
	for _, w := range []struct {
		name    string
		by, not luatest.Lua
	}{{"lua5.1", luatest.PUC, 0}, {"luajit", luatest.JIT, luatest.PUC}} {
		c := luatest.Comparison{
			Judged: results, Witness: lua51.Find(t, w.name).Run, Among: w.by | luatest.VM, Not: w.not, Normal: normal,
			First: *seed, Programs: *programs, Required: *programs == 0,
		}
		if *programs == 0 {
			c.Programs = luatest.Rounds()
		}
		t.Logf("%s\n%s", w.name, luatest.Compare(t, c))
	}
}

// oneNil is a line with its count of values and a last nil.
var oneNil = regexp.MustCompile(`(?m)^(@\d+\t)\d+((?:\t[^\t\n]*)*?)(?:\tnil)?$`)

// normal also removes what is known of this library alone: a coroutine that returns a
// single nil returns nothing.
func normal(out string) string { return oneNil.ReplaceAllString(luatest.AsPUC(out), "$1$2") }

// results runs programs, each within a budget.
func results(sources []string) (list []lua51.Result, err error) {
	m := newMachine(stdlib.Options{})
	budget := &stdlib.Budget{}
	stdlib.Attach(m.L, budget)
	for _, source := range sources {
		budget.Reset(20_000_000, 0)
		list = append(list, m.result("p", source))
		list[len(list)-1].Cut = budget.Spent()
	}
	return list, nil
}
