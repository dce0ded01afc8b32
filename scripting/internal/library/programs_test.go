package library_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/internal/lua51"
	"github.com/perigee-ecs/perigee/internal/luatest"
	"github.com/perigee-ecs/perigee/scripting/internal/library"
)

var (
	programs = flag.Int("programs", 300, "how many random programs to compare; 0 means as many as reach every rule of the language in every place")
	seed     = flag.Uint64("seed", 1, "seed of the first program")
)

// stepsOfProgram is how many steps a random program may take. Most take some hundreds; one whose calls
// nest until they may not, in a loop over a list, takes millions.
const stepsOfProgram = 20_000_000

// runner runs programs by what executes a script.
func runner(run func(src string, steps, bytes int64) (string, int64)) luatest.Runner {
	return func(sources []string) (list []lua51.Result, err error) {
		for _, source := range sources {
			out, used := run(source, stepsOfProgram, 64<<20)
			r := lua51.Result{Out: out, Cut: used >= stepsOfProgram}
			if at := strings.LastIndex(out, "error: "); at >= 0 && (at == 0 || out[at-1] == '\n') {
				r.Out, r.Err = out[:at], strings.TrimSuffix(out[at:], "\n")
			}
			list = append(list, r)
		}
		return list, nil
	}
}

// compare compares random programs; all that are there if the flag says so.
func compare(t *testing.T, c luatest.Comparison) {
	t.Helper()
	c.First, c.Programs, c.Required = *seed, *programs, *programs == 0
	if c.Required {
		c.Programs = luatest.Rounds()
	}
	t.Logf("seeds from %d on: replay one with -programs 1 -seed N\n%s", c.First, luatest.Compare(t, c))
}

// TestAgainstPUC compares random programs with PUC Lua, and those that it does not
// understand with LuaJIT.
func TestAgainstPUC(t *testing.T) {
	judged := runner(newHost(library.Options{}).run)
	t.Run("lua5.1", func(t *testing.T) {
		compare(t, luatest.Comparison{Judged: judged, Witness: lua51.Find(t, "lua5.1").Run, Among: luatest.PUC | luatest.Machine, Normal: luatest.AsPUC})
	})
	t.Run("luajit", func(t *testing.T) {
		compare(t, luatest.Comparison{Judged: judged, Witness: lua51.Find(t, "luajit").Run, Among: luatest.JIT | luatest.Machine, Not: luatest.PUC, Normal: luatest.AsJIT})
	})
}
