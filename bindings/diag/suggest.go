package diag

import (
	"strings"

	"github.com/perigee-ecs/perigee/internal/nearest"
)

// StepsToSuggest is about how many instructions as long DidYouMean takes.
func StepsToSuggest(name string, candidates []string) int {
	steps := len(candidates) * stepsPerName
	nearest.Compared(name, candidates, func(c string) {
		steps += stepsPerDistance + min(len(name)*len(c)/cellsPerStep, stepsPerLetter*len(c))
	})
	return steps
}

const (
	stepsPerName     = 4 // in a list that is made and gone through
	stepsPerDistance = 30
	cellsPerStep     = 4
	stepsPerLetter   = 2 // of a candidate, however long the name is
)

// DidYouMean returns " (did you mean "…"?)" with the candidate nearest to a name, or nothing when
// there is no near one.
func DidYouMean(name string, candidates []string) string { return nearest.DidYouMean(name, candidates) }

// Quota bounds what is spent on DidYouMean for mistakes that are reported together.
type Quota = nearest.Quota

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

// Fields is DidYouMean for a field, and where no name is near says which ones there are: ": it has
// hp, max and regen". Of many it names the first twelve.
func Fields(name string, candidates []string) string {
	const most = 12
	if near := DidYouMean(name, candidates); near != "" || len(candidates) == 0 {
		return near
	}
	if len(candidates) > most {
		return ": it has " + strings.Join(candidates[:most], ", ") + " and others"
	}
	rest, last := candidates[:len(candidates)-1], candidates[len(candidates)-1]
	if len(rest) == 0 {
		return ": it has " + last
	}
	return ": it has " + strings.Join(rest, ", ") + " and " + last
}

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
