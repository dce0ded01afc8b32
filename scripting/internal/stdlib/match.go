package stdlib

import (
	lua "github.com/yuin/gopher-lua"
)

// The matcher of patterns. pattern.go compiles a pattern to items, search.go asks for
// matches and makes results of them.

const (
	// stepsPerCharge is how many steps of the matcher take as long as an instruction.
	stepsPerCharge = 4

	// maxSteps ends a match on a thread without a meter.
	maxSteps = 100_000_000
)

// A matcher matches one pattern against one text.
//
// Patterns backtrack: some take exponential time. Each step is counted, so a script pays for
// it and is stopped by its budget.
//
// Invariant: the recursion of match is as deep as the pattern has items that can match in
// several ways, whatever the text.
type matcher struct {
	L        *lua.LState
	pattern  *pattern
	text     string
	steps    int              // taken so far
	reported int              // how many of them the meter knows
	begins   [maxCaptures]int // of captures, as offsets of the text
	ends     [maxCaptures]int // atPosition for ()
}

// atPosition, in ends, marks a capture of a position.
const atPosition = -1

// step counts steps, and reports them to the meter about every 1,024.
func (m *matcher) step(n int) {
	m.steps += n
	if m.steps-m.reported >= 1024 {
		m.report()
	}
	if m.steps > maxSteps {
		raise(m.L, "pattern too complex")
	}
}

// report charges the steps that the meter does not know yet.
func (m *matcher) report() {
	charge(m.L, (m.steps-m.reported)/stepsPerCharge)
	m.reported = m.steps
}

// match tries the items from the ith on, at an offset of the text. It returns the end of
// the match, or -1. A failed attempt leaves its captures set: whatever reads a capture has
// set it on the way there.
func (m *matcher) match(i, at int) int {
	items := m.pattern.items
	for ; i < len(items); i++ {
		it := &items[i]
		m.step(1)
		switch it.kind {
		case single:
			if !m.fits(it, at) {
				return -1
			}
			at++
		case zeroOrMore:
			return m.most(it, i, at, 0)
		case oneOrMore:
			return m.most(it, i, at, 1)
		case fewest:
			return m.fewest(it, i, at)
		case optional:
			if m.fits(it, at) {
				if end := m.match(i+1, at+1); end >= 0 {
					return end
				}
			}
		case openCapture:
			m.begins[it.index] = at
		case closeCapture:
			m.ends[it.index] = at
		case position:
			m.begins[it.index], m.ends[it.index] = at, atPosition
		default:
			if at = m.special(it, at); at < 0 {
				return -1
			}
		}
	}
	return at
}

// fits reports whether the byte at an offset is in the set of an item.
func (m *matcher) fits(it *patternItem, at int) bool {
	return at < len(m.text) && it.set.has(m.text[at])
}

// most takes as many bytes as it can, and gives them back one by one until the rest
// matches.
// The bytes are counted as steps before the rest is tried: a run that is taken again
// and again is paid for each time.
func (m *matcher) most(it *patternItem, i, at, least int) int {
	n := 0
	for m.fits(it, at+n) {
		n++
	}
	m.step(n)
	for ; n >= least; n-- {
		if end := m.match(i+1, at+n); end >= 0 {
			return end
		}
	}
	return -1
}

// fewest takes as few bytes as it can, and one more each time the rest does not match.
func (m *matcher) fewest(it *patternItem, i, at int) int {
	for {
		if end := m.match(i+1, at); end >= 0 {
			return end
		}
		if !m.fits(it, at) {
			return -1
		}
		at++
	}
}

// special matches an item that can match in one way only. It returns the offset after it,
// or -1.
func (m *matcher) special(it *patternItem, at int) int {
	switch it.kind {
	case atEnd:
		if at != len(m.text) {
			return -1
		}
	case balanced:
		return m.balanced(it, at)
	case frontier:
		if m.inSet(it, at-1) || !m.inSet(it, at) {
			return -1
		}
	case backReference:
		return m.repeat(it, at)
	}
	return at
}

// inSet is fits for a frontier: before and after the text there is a zero byte.
func (m *matcher) inSet(it *patternItem, at int) bool {
	if at < 0 || at >= len(m.text) {
		return it.set.has(0)
	}
	return it.set.has(m.text[at])
}

// balanced matches from an opening byte to the closing byte that belongs to it.
// If both bytes are the same, the next one closes: close is asked first.
func (m *matcher) balanced(it *patternItem, at int) int {
	if at >= len(m.text) || m.text[at] != it.open {
		return -1
	}
	depth := 1
	for i := at + 1; i < len(m.text); i++ {
		m.step(1)
		switch m.text[i] {
		case it.close:
			if depth--; depth == 0 {
				return i + 1
			}
		case it.open:
			depth++
		}
	}
	return -1
}

// repeat matches the text of an earlier capture again.
func (m *matcher) repeat(it *patternItem, at int) int {
	if m.ends[it.index] == atPosition {
		return -1
	}
	earlier := m.text[m.begins[it.index]:m.ends[it.index]]
	m.step(len(earlier))
	if len(m.text)-at < len(earlier) || m.text[at:at+len(earlier)] != earlier {
		return -1
	}
	return at + len(earlier)
}

// capture returns the ith capture of a match from start to end. In a pattern without
// captures, the first capture is the whole match.
func (m *matcher) capture(i, start, end int) lua.LValue {
	if m.pattern.captures == 0 {
		return part(m.L, m.text, start, end)
	}
	if m.ends[i] == atPosition {
		return lua.LNumber(m.begins[i] + 1)
	}
	return part(m.L, m.text, m.begins[i], m.ends[i])
}

// pushCaptures pushes all captures and returns how many they are. whole: without captures,
// it pushes the whole match.
// It pushes at most maxCaptures values.
func (m *matcher) pushCaptures(start, end int, whole bool) int {
	n := m.pattern.captures
	if n == 0 && whole {
		n = 1
	}
	for i := range n {
		m.L.Push(m.capture(i, start, end))
	}
	return n
}
