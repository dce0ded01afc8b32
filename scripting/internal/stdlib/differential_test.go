package stdlib_test

import (
	"flag"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/internal/lua51"
	"github.com/perigee-ecs/perigee/scripting/internal/library/librarytest"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
)

var (
	programs = flag.Int("programs", 500, "how many random programs to compare with lua5.1")
	seed     = flag.Uint64("seed", 1, "seed of the first program; 0 means the clock")
)

// TestAgainstPUC compares the output of random programs with that of PUC Lua.
func TestAgainstPUC(t *testing.T) {
	puc := lua51.Find(t, "lua5.1")
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano())
	}
	t.Logf("seeds from %d on: replay one with -programs 1 -seed N", first)
	m := newMachine(stdlib.Options{})
	budget := &stdlib.Budget{}
	stdlib.Attach(m.L, budget)
	const batch = 250
	for done := 0; done < *programs; done += batch {
		sources := []string{}
		for i := done; i < min(done+batch, *programs); i++ {
			sources = append(sources, librarytest.Program(first+uint64(i)))
		}
		wants, err := puc.Run(sources)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range wants {
			budget.Reset(20_000_000, 0)
			got := m.run("p", sources[i])
			if want.Cut || budget.Spent() {
				continue
			}
			if got, want := librarytest.Normal(got), librarytest.Normal(want.String()); got != want {
				t.Fatalf("seed %d: outputs differ%s\n%s", first+uint64(done+i), librarytest.Diff(got, want), librarytest.Numbered(sources[i]))
			}
		}
	}
}
