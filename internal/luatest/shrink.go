package luatest

import "strings"

// patience is how many times Shrink asks.
const patience = 300

// Shrink returns a program that is as small as it gets while it still does what it was
// found for. differs returns the first of some candidates that does, or -1.
func Shrink(source string, differs func(candidates []string) int) string {
	s := shrinker{source: source, differs: differs}
	for changed := true; changed && s.asked < patience; {
		changed = s.lines()
		changed = s.groups() || changed
	}
	return s.source
}

type shrinker struct {
	source  string
	differs func([]string) int
	asked   int
}

// first takes the first candidate that will do.
func (s *shrinker) first(candidates []string) bool {
	const together = 40
	for len(candidates) > 0 && s.asked < patience {
		some := candidates[:min(together, len(candidates))]
		candidates = candidates[len(some):]
		s.asked++
		if i := s.differs(some); i >= 0 {
			s.source = some[i]
			return true
		}
	}
	return false
}

// lines leaves out lines that are not needed, many together first.
func (s *shrinker) lines() (changed bool) {
	size := strings.Count(s.source, "\n")/2 + 1
	for size > 0 && s.asked < patience {
		all := strings.Split(s.source, "\n")
		var candidates []string
		for at := 0; at+size <= len(all); at++ {
			rest := append(append([]string{}, all[:at]...), all[at+size:]...)
			candidates = append(candidates, strings.Join(rest, "\n"))
		}
		if s.first(candidates) {
			changed = true
		} else if size > 16 {
			size /= 2
		} else {
			size--
		}
	}
	return changed
}

// groups puts something simple in the place of what stands in parentheses.
func (s *shrinker) groups() (changed bool) {
	for s.asked < patience {
		var candidates []string
		for at := range s.source {
			if s.source[at] != '(' {
				continue
			}
			end := closing(s.source[at:])
			if end < 0 {
				continue
			}
			for _, simple := range []string{"", "1", "nil", "''"} {
				if inside := s.source[at+1 : at+end]; len(inside) > len(simple) {
					candidates = append(candidates, s.source[:at+1]+simple+s.source[at+end:])
				}
			}
			if at == 0 || strings.IndexByte(" \n(,=", s.source[at-1]) >= 0 {
				candidates = append(candidates, s.source[:at]+s.source[at+1:at+end]+s.source[at+end+1:])
			}
		}
		if !s.first(candidates) {
			return changed
		}
		changed = true
	}
	return changed
}

// closing is where the parenthesis at the beginning of a text is closed, or -1.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
