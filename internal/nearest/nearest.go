// Package nearest finds the name that somebody meant who has written another one.
package nearest

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
)

// longest is the longest name that can be a slip of the pen. So many letters are compared at once.
const longest = 64

// many is how many candidates are too many to look through for each slip.
const many = 2000

// mostLetters is how many letters they may have together: to compare them takes less than a millisecond of a slow
// machine.
const mostLetters = 40_000

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
// name of one letter is near to no other letter. Among more than 2,000, or more
// than 40,000 letters, it does not look.
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
	var wanted wanted
	if wanted.read(strings.ToLower(name)); wanted.long() {
		return nil
	}
	letters := 0
	defer func() { compared.Add(int64(letters)) }()
	for _, c := range candidates {
		if c == name || !alike(name, c, bestAt+1) {
			continue
		}
		letters += len(c)
		other := strings.ToLower(c)
		d := wanted.distance(other, bestAt)
		if d > bestAt {
			continue
		}
		e := ends(wanted.name, other)
		if d == bestAt && (near == nil || e < bestEnds) {
			continue
		}
		if d < bestAt || e > bestEnds {
			near, bestAt, bestEnds = nil, d, e
		}
		if same := slices.IndexFunc(near, func(n string) bool { return strings.EqualFold(n, c) }); same >= 0 {
			near[same] = min(near[same], c) // it is the same name in other letters
		} else if len(near) <= most { // of more it does not matter which
			near = append(near, c)
		}
	}
	if len(near) > most {
		return nil
	}
	slices.Sort(near) // candidates come in any order
	return near
}

// compared is how many letters of candidates were compared, by the whole program.
var compared atomic.Int64

// Letters returns how many letters of candidates the program has compared so far: for tests of what bounds it.
func Letters() int64 { return compared.Load() }

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
	if len(name) > longest || len(candidates) > many {
		return false
	}
	letters := 0
	for _, c := range candidates {
		letters += len(c)
	}
	return letters <= mostLetters
}

// alike reports whether two names may be less than so many edits away from each other.
func alike(a, b string, edits int) bool { return max(len(a)-len(b), len(b)-len(a)) < edits }

// wanted is a name of at most 64 letters that others are compared with, a step for each of their letters: a word has
// a bit for each letter of the name.
type wanted struct {
	name    string
	at      [256]uint64 // by letter: where the name has it
	letters uint64      // that it has, see signature
}

func (w *wanted) read(name string) {
	if w.name, w.letters = name, signature(name); w.long() {
		return
	}
	for i := range len(name) {
		w.at[name[i]] |= 1 << i
	}
}

// long reports whether the name has more letters than a word has bits: in small letters it may have.
func (w *wanted) long() bool { return len(w.name) > longest }

// signature has a bit for each letter that a name has, some of which mean several.
func signature(name string) (letters uint64) {
	for i := range len(name) {
		if c := name[i]; c >= 'a' {
			letters |= 1 << ((c - 'a') & 31)
		} else {
			letters |= 1 << (32 + c&31)
		}
	}
	return letters
}

// distance is the number of single-letter edits to another name, a swap of neighbours counting as one (optimal string
// alignment). Where it is more than most, it is some number above most.
//
// It is Hyyrö's algorithm ("A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003): the
// table of all distances between beginnings of the two, a column for each letter of the other. more and less are
// where a column grows and shrinks from one letter of the name to the next.
func (w *wanted) distance(other string, most int) int {
	theirs := signature(other)
	if max(bits.OnesCount64(w.letters&^theirs), bits.OnesCount64(theirs&^w.letters)) > most {
		return most + 1 // an edit brings one letter at most, and takes one
	}
	n := len(w.name)
	if n == 0 {
		return len(other)
	}
	more, less, same, before := ^uint64(0), uint64(0), uint64(0), uint64(0)
	d, last := n, uint64(1)<<(n-1)
	for j := range len(other) {
		here := w.at[other[j]]
		swapped := (^same & here) << 1 & before
		same = ((here & more) + more ^ more) | here | less | swapped
		up, down := less|^(same|more), same&more
		if up&last != 0 {
			d++
		} else if down&last != 0 {
			d--
		}
		if d-(len(other)-1-j) > most {
			return most + 1 // each letter that is left takes one off at most
		}
		up, down = up<<1|1, down<<1
		more, less, before = down|^(same|up), up&same, here
	}
	return d
}

// Quota bounds what is spent on names for mistakes that are reported together: when the candidates of the first ones
// have had 40,000 letters together, the others get no name. The zero value is one of which nothing is spent. A nil
// *Quota has no bound.
type Quota struct{ letters int }

// DidYouMean is the function of that name, and "" when the quota is spent. The candidates are asked for only
// where it is not.
func (q *Quota) DidYouMean(name string, candidates func() []string) string {
	if q == nil {
		return DidYouMean(name, candidates())
	}
	if q.letters > mostLetters {
		return ""
	}
	list := candidates()
	for _, c := range list {
		q.letters += len(c)
	}
	return DidYouMean(name, list)
}
