package luatest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/internal/lua51"
)

// Runner runs programs and returns their results in the same order. A program whose
// result is cut is not compared.
type Runner func(sources []string) ([]lua51.Result, error)

// Comparison is what Compare does.
type Comparison struct {
	Judged, Witness Runner                   // without a witness, it is only seen what is reached
	Among           Lua                      // programs are compared that all of these understand,
	Not             Lua                      // and that this one does not
	Normal          func(text string) string // removes known differences; nil means there are none
	First           uint64                   // seed
	Programs        int
	Required        bool // every cell that both understand has to be reached
}

// enough is how many differences are reported.
const enough = 3

// batch is how many programs run in one process.
const batch = 250

// Compare runs random programs in two implementations. It fails with a small program for
// which they differ, or if cells of the matrix were not reached.
func Compare(t *testing.T, c Comparison) *Reach {
	t.Helper()
	if c.Normal == nil {
		c.Normal = func(text string) string { return text }
	}
	reach, cut, compared, differences := &Reach{}, 0, 0, 0
	var early []string // programs that were cut or ended by an error, which have not shown all that they have
	for seed, left := c.First, c.Programs; left > 0 && differences < enough; {
		var programs []Program
		for ; len(programs) < batch && left > 0; seed, left = seed+1, left-1 {
			if p := New(seed); p.Speaks&c.Among == c.Among && (c.Not == 0 || p.Speaks&c.Not == 0) {
				programs = append(programs, p)
			}
		}
		results, wants := c.both(t, sourcesOf(programs))
		for i, p := range programs {
			if results[i].Cut || wants[i].Cut {
				cut++
				early = append(early, fmt.Sprintf("seed %d: it was cut", p.Seed))
				continue
			}
			compared++
			reach.Note(results[i].Out)
			if wants[i].Err != "" {
				early = append(early, fmt.Sprintf("seed %d: %s", p.Seed, wants[i].Err))
			}
			if c.differ(&results[i], &wants[i]) && differences < enough {
				differences++
				c.report(t, p, &results[i], &wants[i])
			}
		}
	}
	if compared > 0 && cut > compared/50 {
		t.Errorf("%d programs were cut, %d compared: too many take too long", cut, compared)
	}
	if missing := reach.missing(c.Among, c.Not); c.Required && differences == 0 && len(missing) > 0 {
		t.Errorf("%d cells of the matrix were not reached:\n%s\n%d programs were cut or ended by an error, and their other cells were not reached:\n%s",
			len(missing), shortened(missing), len(early), shortened(early))
	}
	return reach
}

// shortened is the first lines of a report.
func shortened(lines []string) string { return strings.Join(lines[:min(len(lines), 20)], "\n") }

func sourcesOf(programs []Program) (sources []string) {
	for _, p := range programs {
		sources = append(sources, p.Source)
	}
	return sources
}

// both runs sources in both implementations.
func (c *Comparison) both(t *testing.T, sources []string) (results, wants []lua51.Result) {
	t.Helper()
	results, err := c.Judged(sources)
	if err != nil {
		t.Fatal(err)
	}
	if c.Witness == nil {
		return results, results
	}
	if wants, err = c.Witness(sources); err != nil {
		t.Fatal(err)
	}
	return results, wants
}

func (c *Comparison) differ(got, want *lua51.Result) bool {
	return c.Normal(got.String()) != c.Normal(want.String())
}

// report shows a difference, and a program that is as small as it gets and differs in the
// same cell.
func (c *Comparison) report(t *testing.T, p Program, got, want *lua51.Result) {
	t.Helper()
	of := c.cell(got, want)
	small := Shrink(p.Source[len(prelude):], func(candidates []string) int {
		sources := make([]string, len(candidates))
		for i, text := range candidates {
			sources[i] = prelude + text
		}
		results, wants := c.both(t, sources)
		for i := range candidates {
			got, want := &results[i], &wants[i]
			if !got.Cut && !want.Cut && !unread(got) && !unread(want) && c.differ(got, want) && c.cell(got, want) == of {
				return i
			}
		}
		return -1
	})
	results, wants := c.both(t, []string{prelude + small})
	t.Errorf("seed %d: %s: outputs differ%s\nsmaller, after the prelude, they differ%s\n%s",
		p.Seed, of, c.difference(got, want), c.difference(&results[0], &wants[0]), numbered(small, strings.Count(prelude, "\n")))
}

// unread reports whether a program was not even compiled.
func unread(r *lua51.Result) bool {
	return r.Err != "" && !strings.HasPrefix(r.Err, "error: ")
}

// difference shows the first line that differs.
func (c *Comparison) difference(got, want *lua51.Result) string {
	a, b := strings.Split(c.Normal(got.String()), "\n"), strings.Split(c.Normal(want.String()), "\n")
	for i := range max(len(a), len(b)) {
		if x, y := lineOf(a, i), lineOf(b, i); x != y {
			return fmt.Sprintf(" in line %d\n got %s\nwant %s", i+1, x, y)
		}
	}
	return " nowhere"
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return fmt.Sprintf("%q", lines[i])
	}
	return "(nothing)"
}

// cell names the cell that the first different line belongs to.
func (c *Comparison) cell(got, want *lua51.Result) string {
	a, b := strings.Split(c.Normal(got.String()), "\n"), strings.Split(c.Normal(want.String()), "\n")
	for i := range min(len(a), len(b)) {
		label := 0
		if a[i] == b[i] {
			continue
		}
		switch _, err := fmt.Sscanf(b[i], "@%d\t", &label); {
		case err == nil && label > 0 && label <= len(matrix):
			return Cell(label - 1)
		case strings.HasPrefix(a[i], "error: ") || strings.HasPrefix(b[i], "error: "):
			return "an error"
		}
		break
	}
	return "in no cell of the matrix"
}

// numbered has the numbers of lines, from the one after the first.
func numbered(source string, first int) string {
	var b strings.Builder
	for i, line := range strings.Split(source, "\n") {
		fmt.Fprintf(&b, "%3d %s\n", first+i+1, line)
	}
	return b.String()
}
