package pattern

// The matcher.

const (
	// stepsPerCharge is how many steps of the matcher take as long as an instruction.
	stepsPerCharge = 4

	// maxSteps ends a match for which nobody pays.
	maxSteps = 100_000_000
)

// A Payer is the call for which a pattern is matched. None of its methods returns when the
// call must end.
type Payer interface {
	// Charge counts steps, each about as much work as an instruction.
	Charge(steps int)
	// Text counts the bytes of a piece that is added to a text of so many bytes, before it
	// is added.
	Text(have, piece int)
	// Fail raises an error with a message for the script.
	Fail(message string)
}

// A Matcher matches one pattern against one text.
//
// Patterns backtrack: some take exponential time. Each step is counted, so a script pays for
// it and is stopped by its budget.
//
// Invariant: the recursion of match is as deep as the pattern has items that can match in
// several ways, whatever the text.
type Matcher struct {
	Pattern *Pattern
	Text    string
	Payer   Payer

	steps    int                // taken so far
	reported int                // how many of them the payer knows
	begins   [maxCaptures]int32 // of captures, as offsets of the text
	ends     [maxCaptures]int32 // atPosition for ()
}

// LongestText is how many bytes a text has at most.
const LongestText = 1 << 30

// atPosition, in ends, marks a capture of a position.
const atPosition = -1

// step counts steps, and reports them to the payer about every 1,024.
func (m *Matcher) step(n int) {
	if m.steps += n; m.steps-m.reported >= 1024 {
		m.Report()
	}
}

// Report charges the steps that the payer does not know yet. Whoever calls Match does it
// after the last match.
func (m *Matcher) Report() {
	m.Payer.Charge((m.steps - m.reported) / stepsPerCharge)
	m.reported = m.steps
	if m.steps > maxSteps {
		m.Payer.Fail("pattern too complex")
	}
}

// Match matches the pattern at an offset of the text. It returns the end of the match, or
// -1.
func (m *Matcher) Match(at int) int { return m.match(0, at) }

// First finds the first match at or after an offset. It returns -1, -1 if there is none.
// It takes O(text × match), and all of it is counted by the steps of match.
func (m *Matcher) First(from int) (start, end int) {
	p := m.Pattern
	for start = from; start <= len(m.Text); start++ {
		if p.ahead >= 0 && !p.anchored {
			start = m.candidate(start)
		}
		if end = m.match(0, start); end >= 0 {
			m.Report()
			return start, end
		}
		if p.anchored {
			break
		}
	}
	m.Report()
	return -1, -1
}

// candidate returns the next offset at which the first byte of a match may stand, or the
// length of the text.
func (m *Matcher) candidate(from int) int {
	p, at := m.Pattern, from
	first := &p.items[p.ahead].set
	for at < len(m.Text) && !first.has(m.Text[at]) {
		at++
	}
	m.step((at - from) * int(p.cost))
	return at
}

// match tries the items from the ith on, at an offset of the text. It returns the end of
// the match, or -1. A failed attempt leaves its captures set: whatever reads a capture has
// set it on the way there.
func (m *Matcher) match(i, at int) int {
	items := m.Pattern.items
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
				if end := m.rest(it, i, at+1); end >= 0 {
					return end
				}
			}
		case openCapture:
			m.begins[it.index] = int32(at)
		case closeCapture:
			m.ends[it.index] = int32(at)
		case position:
			m.begins[it.index], m.ends[it.index] = int32(at), atPosition
		default:
			if at = m.special(it, at); at < 0 {
				return -1
			}
		}
	}
	return at
}

// fits reports whether the byte at an offset is in the set of an item.
func (m *Matcher) fits(it *item, at int) bool {
	return at < len(m.Text) && it.set.has(m.Text[at])
}

// most takes as many bytes as it can, and gives them back one by one until the rest
// matches.
// The bytes are counted as steps before the rest is tried: a run that is taken again
// and again is paid for each time.
func (m *Matcher) most(it *item, i, at, least int) int {
	n := 0
	for rest := m.Text[min(at, len(m.Text)):]; n < len(rest) && it.set.has(rest[n]); {
		n++
	}
	m.step(n)
	for ; n >= least; n-- {
		if end := m.rest(it, i, at+n); end >= 0 {
			return end
		}
	}
	return -1
}

// fewest takes as few bytes as it can, and one more each time the rest does not match.
func (m *Matcher) fewest(it *item, i, at int) int {
	for {
		at = m.pass(it, at)
		if end := m.rest(it, i, at); end >= 0 {
			return end
		}
		if !m.fits(it, at) {
			return -1
		}
		at++
	}
}

// pass takes bytes after which the rest cannot match, as its next byte does not fit.
func (m *Matcher) pass(it *item, at int) int {
	if it.ahead < 0 {
		return at
	}
	next, from := &m.Pattern.items[it.ahead].set, at
	for at < len(m.Text) && it.set.has(m.Text[at]) && !next.has(m.Text[at]) {
		at++
	}
	m.step((at - from) * int(it.cost))
	return at
}

// rest tries the items after the ith. Most attempts fail at the next byte, which is found
// without a try.
func (m *Matcher) rest(it *item, i, at int) int {
	if it.ahead >= 0 && !m.fits(&m.Pattern.items[it.ahead], at) {
		m.step(int(it.cost))
		return -1
	}
	return m.match(i+1, at)
}

// special matches an item that can match in one way only. It returns the offset after it,
// or -1.
func (m *Matcher) special(it *item, at int) int {
	switch it.kind {
	case atEnd:
		if at != len(m.Text) {
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
func (m *Matcher) inSet(it *item, at int) bool {
	if at < 0 || at >= len(m.Text) {
		return it.set.has(0)
	}
	return it.set.has(m.Text[at])
}

// balanced matches from an opening byte to the closing byte that belongs to it.
// If both bytes are the same, the next one closes: close is asked first.
func (m *Matcher) balanced(it *item, at int) int {
	if at >= len(m.Text) || m.Text[at] != it.open {
		return -1
	}
	depth := 1
	for i := at + 1; i < len(m.Text); i++ {
		m.step(1)
		switch m.Text[i] {
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
func (m *Matcher) repeat(it *item, at int) int {
	if m.ends[it.index] == atPosition {
		return -1
	}
	earlier := m.Text[m.begins[it.index]:m.ends[it.index]]
	m.step(len(earlier))
	if len(m.Text)-at < len(earlier) || m.Text[at:at+len(earlier)] != earlier {
		return -1
	}
	return at + len(earlier)
}

// Values returns how many values a match gives: its captures, and for a pattern without
// captures the whole match, if that is wanted.
func (m *Matcher) Values(whole bool) int {
	if m.Pattern.captures == 0 && whole {
		return 1
	}
	return m.Pattern.captures
}

// Capture returns where the ith capture of a match from start to end lies in the text. In a
// pattern without captures, the first capture is the whole match. For a capture of a
// position, to is below 0, and from is the position as an offset.
func (m *Matcher) Capture(i, start, end int) (from, to int) {
	if m.Pattern.captures == 0 {
		return start, end
	}
	return int(m.begins[i]), int(m.ends[i])
}
