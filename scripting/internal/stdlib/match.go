package stdlib

import (
	lua "github.com/yuin/gopher-lua"
)

const (
	// stepsPerCharge is how many steps of the matcher cost one instruction.
	stepsPerCharge = 4

	// maxSteps ends a match that nothing meters.
	maxSteps = 100_000_000
)

// A matcher matches one pattern against one text.
//
// Invariant: the recursion of match is as deep as the pattern has items that
// can match in several ways, whatever the text.
type matcher struct {
	L        *lua.LState
	pattern  *pattern
	text     string
	steps    int
	begins   [maxCaptures]int
	ends     [maxCaptures]int // atPosition for ()
	reported int
}

// atPosition in ends says that a capture is a position.
const atPosition = -1

// step counts work, and reports it now and then.
func (m *matcher) step(n int) {
	m.steps += n
	if m.steps-m.reported >= 1024 {
		m.report()
	}
	if m.steps > maxSteps {
		raise(m.L, "pattern too complex")
	}
}

func (m *matcher) report() {
	charge(m.L, (m.steps-m.reported)/stepsPerCharge)
	m.reported = m.steps
}

// match tries the items from the ith on at a place of the text. It returns the
// end of the match, or -1.
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

func (m *matcher) fits(it *item, at int) bool {
	return at < len(m.text) && it.set.has(m.text[at])
}

// most takes as many bytes as it can and gives back until the rest matches.
func (m *matcher) most(it *item, i, at, least int) int {
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

// fewest takes bytes one by one until the rest matches.
func (m *matcher) fewest(it *item, i, at int) int {
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

// special returns the place after a kind that matches in one way only, or -1.
func (m *matcher) special(it *item, at int) int {
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

// inSet takes what is outside the text for a zero byte.
func (m *matcher) inSet(it *item, at int) bool {
	if at < 0 || at >= len(m.text) {
		return it.set.has(0)
	}
	return it.set.has(m.text[at])
}

func (m *matcher) balanced(it *item, at int) int {
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

func (m *matcher) repeat(it *item, at int) int {
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

// capture returns the ith capture of a match from start to end. A pattern
// without captures has the whole match as its first one.
func (m *matcher) capture(i, start, end int) lua.LValue {
	if m.pattern.captures == 0 {
		return part(m.L, m.text, start, end)
	}
	if m.ends[i] == atPosition {
		return lua.LNumber(m.begins[i] + 1)
	}
	return part(m.L, m.text, m.begins[i], m.ends[i])
}

// pushCaptures pushes all captures and returns their number.
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
