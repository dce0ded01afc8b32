package notes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Spots are samples of which lines use the instructions of a call, for the error about too
// many. They are taken about every 4,000 instructions, at points that depend only on their
// number; the instructions since the last sample count for the line that runs at the sample.
// So the lines that an error names are the same in each run.
type Spots struct {
	of     map[scriptLine]int64 // steps by the line that has used them
	placed int64                // the sum of all, so that the shares add up to all that was sampled
}

// scriptLine is a line of a script.
type scriptLine struct {
	script string
	line   int
}

const (
	// ManySteps is the smallest limit whose error names lines. Under a smaller one there are
	// too few samples, and the line of the error says enough.
	ManySteps = 1 << 16
	// maxSpots is how many lines are named at most, and smallSpot the least share of one.
	maxSpots  = 3
	smallSpot = 10 // percent
)

// Reset forgets all samples.
func (s *Spots) Reset() {
	if s.placed > 0 {
		clear(s.of)
		s.placed = 0
	}
}

// Add takes a sample: the line that runs when so many steps are used in all.
func (s *Spots) Add(script string, line int, used int64) {
	if s.of == nil {
		s.of = map[scriptLine]int64{}
	}
	s.of[scriptLine{script, line}] += used - s.placed
	s.placed = used
}

// Where says which lines have used most of the instructions; "" if there are no samples,
// or no line stands out.
// Equal shares are sorted by place, as a map has no order.
func (s *Spots) Where() string {
	if s.placed == 0 {
		return ""
	}
	type share struct {
		scriptLine
		steps int64
	}
	var all []share
	for at, n := range s.of {
		all = append(all, share{at, n})
	}
	slices.SortFunc(all, func(x, y share) int {
		return cmp.Or(cmp.Compare(y.steps, x.steps), cmp.Compare(x.script, y.script), cmp.Compare(x.line, y.line))
	})
	var words []string
	for _, x := range all[:min(len(all), maxSpots)] {
		if percent := x.steps * 100 / s.placed; percent >= smallSpot {
			words = append(words, fmt.Sprintf("%d %% in %s:%d", percent, x.script, x.line))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; of these " + strings.Join(words, ", ")
}
