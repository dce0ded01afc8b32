package stdlib_test

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/internal/lua51"
	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
)

var (
	programs = flag.Int("programs", 500, "how many random programs to compare with lua5.1")
	seed     = flag.Uint64("seed", 1, "seed of the first program; 0 means the clock")
)

// normal removes the differences that the package documents and what no test
// can know: the sign of not-a-number, the sign of zero, which PUC Lua confuses
// in constants, addresses, which of the stacks overflows, and the words of Lua's own error messages.
func normal(out string) string {
	for _, known := range []struct{ expr, instead string }{
		{`-(nan|inf)`, "$1"},
		{`-0`, "0"},
		{`(C )?stack overflow[^\t\n]*`, "stack overflow"},
		{`(table|function|thread): (builtin: )?(0x)?[0-9a-f]+`, "$1"},
		{`p:[0-9]+: attempt to compare`, "attempt to compare"}, // from table.sort: see the package doc
		{`(attempt to|cannot|bad argument|invalid|for statement|'for'|wrong number|malformed|__[a-z]+ undefined|"__tostring|'tostring')[^\t\n]*`, "E"},
	} {
		out = regexp.MustCompile(known.expr).ReplaceAllString(out, known.instead)
	}
	return out
}

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
			sources = append(sources, program(first+uint64(i)))
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
			if got, want := normal(got), normal(want.String()); got != want {
				t.Fatalf("seed %d: outputs differ%s\n%s", first+uint64(done+i), diff(got, want), numbered(sources[i]))
			}
		}
	}
}

// diff shows the first line that differs.
func diff(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			show := func(lines []string) string {
				if i < len(lines) {
					return lines[i]
				}
				return "(nothing)"
			}
			return fmt.Sprintf(" in line %d\n got %q\nwant %q", i+1, show(a), show(b))
		}
	}
	return ""
}

func numbered(src string) string {
	var out strings.Builder
	for i, line := range strings.Split(src, "\n") {
		fmt.Fprintf(&out, "%3d %s\n", i+1, line)
	}
	return out.String()
}
