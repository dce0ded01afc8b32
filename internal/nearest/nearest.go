// Package nearest finds the name that somebody meant who has written another one.
package nearest

import (
	"fmt"
	"slices"
	"strings"
)

// longest is the longest name that can be a slip of the pen. To compare two takes time for the
// product of their lengths.
const longest = 64

// many is how many candidates are too many to look through for each slip.
const many = 2000

// DidYouMean returns " (did you mean "…"?)" with the candidate nearest to a name, or nothing when
// there is no near one, see [Name]. Where up to three are equally near, it names all of them: one
// of them alone would be a guess.
func DidYouMean(name string, candidates []string) string {
	switch near := nearest(name, candidates); len(near) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (did you mean %q?)", near[0])
	case 2:
		return fmt.Sprintf(" (did you mean %q or %q?)", near[0], near[1])
	default:
		return fmt.Sprintf(" (did you mean %q, %q or %q?)", near[0], near[1], near[2])
	}
}

// Name returns the candidate nearest to a name, "" when there is no near one: one edit for short
// names, a third of the letters for long ones. A change of case is no edit. Of those as many edits
// away, the one is nearer that shares more letters with the name at its beginning and its end. A
// name of one letter is near to no other letter. Among more than 2,000 it does not look.
func Name(name string, candidates []string) string {
	if near := nearest(name, candidates); len(near) > 0 {
		return near[0]
	}
	return ""
}

// most is how many candidates may be equally near. Of more, it is not known which is meant.
const most = 3

// nearest returns the candidates nearest to a name, at most three, in the order of the alphabet.
func nearest(name string, candidates []string) (near []string) {
	bestAt, bestEnds := tooFar(name), 0
	if !looks(name, candidates) {
		return nil
	}
	lower := strings.ToLower(name)
	for _, c := range candidates {
		if c == name || !alike(name, c, bestAt+1) {
			continue
		}
		other := strings.ToLower(c)
		d, e := distance(lower, other), ends(lower, other)
		if d > bestAt || d == bestAt && (near == nil || e < bestEnds) {
			continue
		}
		if d < bestAt || e > bestEnds {
			near, bestAt, bestEnds = nil, d, e
		}
		if same := slices.IndexFunc(near, func(n string) bool { return strings.EqualFold(n, c) }); same < 0 {
			near = append(near, c)
		} else {
			near[same] = min(near[same], c) // it is the same name in other letters
		}
	}
	if len(near) > most {
		return nil
	}
	slices.Sort(near) // candidates come in any order
	return near
}

// ends is how many letters two names share at their beginnings and at their ends.
func ends(a, b string) (n int) {
	shorter := min(len(a), len(b))
	for n < shorter && a[n] == b[n] {
		n++
	}
	for end := 1; n < shorter && a[len(a)-end] == b[len(b)-end]; end++ {
		n++
	}
	return n
}

// Compared calls a function for each candidate that Name compares with a name letter by letter.
func Compared(name string, candidates []string, f func(candidate string)) {
	if !looks(name, candidates) {
		return
	}
	for _, c := range candidates {
		if alike(name, c, tooFar(name)+1) {
			f(c)
		}
	}
}

// tooFar is a number of edits that is too large, however near the candidates are.
func tooFar(name string) int {
	if len(name) <= 1 {
		return 1
	}
	return max(len(name)/3, 1) + 1
}

// looks reports whether Name looks through candidates.
func looks(name string, candidates []string) bool {
	return len(name) <= longest && len(candidates) <= many
}

// alike reports whether two names may be less than so many edits away from each other.
func alike(a, b string, edits int) bool { return max(len(a)-len(b), len(b)-len(a)) < edits }

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
