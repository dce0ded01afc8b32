package diag

import (
	"fmt"
	"strings"
)

// StepsToSuggest is about how many instructions as long DidYouMean takes.
func StepsToSuggest(name string, candidates []string) int {
	steps := len(candidates) * stepsPerName
	if !looks(name, candidates) {
		return steps
	}
	for _, c := range candidates {
		if alike(name, c, nearest(name)+1) {
			steps += stepsPerDistance + len(name)*len(c)/cellsPerStep
		}
	}
	return steps
}

const (
	stepsPerName     = 4 // in a list that is made and gone through
	stepsPerDistance = 30
	cellsPerStep     = 4
)

// longestName is the longest name that can be a slip of the pen. To compare two
// takes time for the product of their lengths.
const longestName = 64

// manyNames is how many candidates are too many to look through for each slip.
const manyNames = 2000

// DidYouMean returns " (did you mean "…"?)" with the candidate nearest to a
// name, or nothing when there is no near one, see Nearest.
func DidYouMean(name string, candidates []string) string {
	if best := Nearest(name, candidates); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	return ""
}

// Nearest returns the candidate nearest to a name, "" when there is no near one: one edit
// for short names, a third of the letters for long ones. A change of case is no edit. A
// name of one letter is near to no other letter. Among more than 2,000 it does not look.
func Nearest(name string, candidates []string) string {
	best, bestAt := "", nearest(name)
	if !looks(name, candidates) {
		return ""
	}
	for _, c := range candidates {
		if c == name || !alike(name, c, bestAt+1) {
			continue
		}
		d := distance(strings.ToLower(name), strings.ToLower(c))
		if d < bestAt || d == bestAt && best != "" && c < best { // candidates come in any order
			best, bestAt = c, d
		}
	}
	return best
}

// nearest is a number of edits that is too large, however near the candidates are.
func nearest(name string) int {
	if len(name) <= 1 {
		return 1
	}
	return max(len(name)/3, 1) + 1
}

// looks reports whether DidYouMean looks through candidates.
func looks(name string, candidates []string) bool {
	return len(name) <= longestName && len(candidates) <= manyNames
}

// alike reports whether two names may be less than so many edits away from each other.
func alike(a, b string, edits int) bool { return max(len(a)-len(b), len(b)-len(a)) < edits }

// OneOf is DidYouMean, and names all candidates, unless one is near and they are many or it
// is the only one.
func OneOf(name string, candidates []string) string {
	near := DidYouMean(name, candidates)
	switch {
	case near != "" && (len(candidates) > fewNames || len(candidates) == 1):
		return near
	case len(candidates) == 1:
		return ": the only one is " + candidates[0]
	}
	return near + ": there are " + strings.Join(candidates, ", ")
}

const fewNames = 6

// Choice names what may stand at a place, in words: "auto", "require" or "off". Of many it
// names the first ones.
func Choice(words []string) string {
	const most = 12
	quoted := make([]string, 0, most)
	for _, w := range words[:min(len(words), most)] {
		quoted = append(quoted, Format("%q", w))
	}
	last := len(quoted) - 1
	switch {
	case len(words) > most:
		return strings.Join(quoted, ", ") + Format(" or one of %d more", len(words)-most)
	case last < 1:
		return strings.Join(quoted, "")
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// distance is the number of single-letter edits, a swap of neighbours counting
// as one (optimal string alignment).
func distance(a, b string) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
