package stdlib

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The lines that an error about too many instructions names.

// Which lines use the instructions of a call is sampled when Inspect is due, about every
// 4,000 instructions, at points that depend only on their number. The instructions since the
// last sample count for the line that runs at the sample. So the lines that an error names
// are the same in each run.

// scriptLine is a line of a script.
type scriptLine struct {
	script string
	line   int
}

const (
	// manySteps is the smallest limit whose error names lines. Under a smaller one there are
	// too few samples, and the line of the error says enough.
	manySteps = 1 << 16
	// maxSpots is how many lines are named at most, and smallSpot the least share of one.
	maxSpots  = 3
	smallSpot = 10 // percent
)

// spotted takes a sample: the line that a thread is at.
// The sum of all samples is placed, so that the shares add up to all that was
// sampled.
func (b *Budget) spotted(L *lua.LState) {
	f := stateOf(L).CurrentFrame
	if f == nil || f.Fn.IsG || f.Pc == 0 || f.Fn.Proto.SourceName == "" {
		return
	}
	if b.spots == nil {
		b.spots = map[scriptLine]int64{}
	}
	used := b.Used()
	b.spots[scriptLine{f.Fn.Proto.SourceName, f.Fn.Proto.DbgSourcePositions[f.Pc-1]}] += used - b.placed
	b.placed = used
}

// where says which lines have used most of the instructions; "" if there are no samples,
// or no line stands out.
// Equal shares are sorted by place, as a map has no order.
func (b *Budget) where() string {
	if b.limit < manySteps || b.placed == 0 {
		return ""
	}
	type share struct {
		scriptLine
		steps int64
	}
	var all []share
	for at, n := range b.spots {
		all = append(all, share{at, n})
	}
	slices.SortFunc(all, func(x, y share) int {
		return cmp.Or(cmp.Compare(y.steps, x.steps), cmp.Compare(x.script, y.script), cmp.Compare(x.line, y.line))
	})
	var words []string
	for _, x := range all[:min(len(all), maxSpots)] {
		if percent := x.steps * 100 / b.placed; percent >= smallSpot {
			words = append(words, fmt.Sprintf("%d %% in %s:%d", percent, x.script, x.line))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; of these " + strings.Join(words, ", ")
}
