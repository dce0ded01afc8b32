package fields

import (
	"fmt"
	"strings"
)

const (
	longestName = 64   // a longer one is no slip of the pen
	manyNames   = 1000 // more are too many to compare with
)

// didYouMean returns " (did you mean "…"?)" with the candidate nearest to a name: a third
// of its letters may differ, and one in short names. It is empty when there is none.
func didYouMean(name string, candidates []string) string {
	best, edits := "", max(len(name)/3, 1)+1
	if len(name) < 2 || len(name) > longestName || len(candidates) > manyNames {
		return ""
	}
	for _, c := range candidates {
		if len(c) > longestName {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < edits {
			best, edits = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// distance is the number of letters to insert, delete or replace, or of neighbours to swap.
func distance(a, b string) int {
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		now[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			now[j+1] = min(last[j+1]+1, now[j]+1, replaced)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
