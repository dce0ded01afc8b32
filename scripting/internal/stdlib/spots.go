package stdlib

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Where the instructions of a call go is looked at when something is due anyway, about
// every 4,000 of them, at points that depend on their number alone. What was used since
// the last look counts for the line at hand.

// spot is a line of a script.
type spot struct {
	script string
	line   int
}

const (
	// manySteps is from when on a limit says where its instructions went; what ends
	// sooner has its line.
	manySteps = 1 << 16
	// maxSpots is how many lines are named, and smallSpot the share of the least.
	maxSpots  = 3
	smallSpot = 10 // percent
)

// spotted notes where a thread is.
func (b *Budget) spotted(L *lua.LState) {
	f := stateOf(L).CurrentFrame
	if f == nil || f.Fn.IsG || f.Pc == 0 {
		return
	}
	if b.spots == nil {
		b.spots = map[spot]int64{}
	}
	used := b.Used()
	b.spots[spot{f.Fn.Proto.SourceName, f.Fn.Proto.DbgSourcePositions[f.Pc-1]}] += used - b.placed
	b.placed = used
}

// where says where most of the instructions went.
func (b *Budget) where() string {
	if b.limit < manySteps || b.placed == 0 {
		return ""
	}
	type share struct {
		spot
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
			words = append(words, fmt.Sprintf("%d %% in line %d of %s", percent, x.line, x.script))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; of these " + strings.Join(words, ", ")
}
