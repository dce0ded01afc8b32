package syntax

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// How more than one fault of a text is reported. After a fault, the text is read again
// with corrections; the next fault of the corrected text is the next one that is
// reported. Nothing of it runs for a text without faults. Which corrections are tried
// stands in attempts.go.
//
// The cost is bounded by maxFaults and maxReread: a reading is counted by how far it
// came.

const (
	// maxFaults is how many faults of one text are reported.
	maxFaults = 20

	// maxReread bounds how many bytes are read to find what comes after a fault, so that
	// a long text with many faults is refused about as fast as another one.
	maxReread = 4 << 20

	// convincing is how many bytes after a fault a text must be right with a correction
	// there, so that the tokens before it are not suspected.
	convincing = 1000
)

// A correction is a change of the text that lets a parser go on after a fault: tokens
// of these kinds stand in the place of what lies between two offsets. Where people forget
// a token, or write one too many, it is what they would do themselves.
//
// Why is the text corrected, and not the parser moved on? What a parser finds after it was
// moved comes as often from the place to which it was moved as from the text. A corrected
// text is read by the rules of the language, and of several corrections the best one is
// that after which the parser comes furthest.
type correction struct {
	at, to int
	kinds  []string
}

// corrections are known by the offset at which they begin.
// A parser holds one set and never changes it: with copies.
type corrections map[int]correction

// with returns the corrections and more.
func (c corrections) with(more []correction) corrections {
	all := maps.Clone(c)
	if all == nil {
		all = corrections{}
	}
	for _, one := range more {
		old := all[one.at]
		all[one.at] = correction{one.at, max(old.to, one.to), append(old.kinds[:len(old.kinds):len(old.kinds)], one.kinds...)}
	}
	return all
}

// correct returns the next token of a correction at this place, if there is one, and
// goes to its end.
func (lx *lexer) correct() (token, bool) {
	c, ok := lx.corrections[lx.pos]
	if !ok {
		lx.corrected = 0
		return token{}, false
	}
	if lx.corrected < len(c.kinds) {
		lx.corrected++
		made := token{kind: c.kinds[lx.corrected-1], text: "0", at: lx.pos, to: lx.pos, line: lx.line, column: lx.pos - lx.start + 1, indent: lx.begin, made: true}
		if lx.fresh {
			made.indent = made.column
		}
		return made, true
	}
	if c.to <= lx.pos {
		return token{}, false
	}
	lx.corrected = 0
	for lx.pos < c.to {
		if b := lx.src[lx.pos]; b == '\n' || b == '\r' {
			lx.newline()
		} else {
			lx.pos++
		}
	}
	lx.space()
	return lx.correct()
}

// A start is where a statement begins that no block or bracket is around, by the grammar
// and by the indentation, and the token before it. From there a text can be read again.
type start struct{ tok, prev token }

// lexer returns a lexer that reads the text of p from a start.
func (s start) lexer(p *parser, corrected corrections) lexer {
	return lexer{name: p.lx.name, src: p.lx.src, corrections: corrected, pos: s.tok.at, line: s.tok.line,
		start: s.tok.at - s.tok.column + 1, begin: s.tok.indent, fresh: s.tok.first}
}

// before returns the index of the last start of a parser that is not after an offset.
func (p *parser) before(at int) int {
	i, _ := slices.BinarySearchFunc(p.starts, at+1, func(s start, at int) int { return cmp.Compare(s.tok.at, at) })
	return i - 1
}

// faults returns the first fault of a text, with those that are found when it is
// corrected.
func (p *parser) faults() *Error {
	r := recovery{budget: maxReread}
	told := r.all(p)
	for _, f := range told {
		p.advise(f)
	}
	return inOrder(told)
}

// all returns the faults of a text that a parser has read, in the order in which they are
// found.
func (r *recovery) all(p *parser) (told []*Error) {
	for p != nil && p.lx.fault != nil && len(told) < maxFaults {
		told = append(told, p.lx.fault)
		if p = r.after(p); p == nil {
			break
		}
		for _, f := range p.missed {
			if !slices.ContainsFunc(told, func(known *Error) bool { return known.from == f.from }) {
				told = append(told, f)
			}
		}
	}
	return told[:min(len(told), maxFaults)]
}

// A recovery looks for what is wrong with a text after a fault.
type recovery struct {
	budget int // bytes that may still be read
}

// after returns the parser of the text in which the fault of p is corrected: the one that
// comes furthest. A line that no attempt mends for long is left out. It is nil if nothing
// gets past that line.
func (r *recovery) after(p *parser) *parser {
	fault := p.lx.fault
	if fault.fatal {
		return nil
	}
	passes := func(next *parser) bool {
		return next.stop() > p.endOfLine(fault.from) || next != p && fault.from == len(p.lx.src)
	}
	best := r.mend(p)
	if best.stop() <= fault.from+convincing {
		if rest := r.best(p, choice{parser: p}, p.line(), math.MinInt); !passes(best.parser) || rest.stop()-convincing > best.stop() {
			best = rest
		}
	}
	if !passes(best.parser) {
		return nil
	}
	best.tell(fault)
	return best.parser
}

// A choice is the parser that comes furthest with one attempt, and the attempt; p itself
// without one that gets further.
type choice struct {
	*parser
	attempt
}

// mend returns the best choice for the fault of p. Attempts that change what stands before
// the fault are made while no other is convincing, and while they take less than a fourth of
// the budget.
func (r *recovery) mend(p *parser) choice {
	least := r.budget - r.budget/4
	text := p.written()
	best := r.best(p, choice{parser: p}, p.near(text), math.MinInt)
	if best.lx.fault == nil || best.stop() > p.stop()+convincing || r.budget < 0 {
		return best
	}
	return r.best(p, best, p.earlier(text), least)
}

// best returns the best of a choice and more attempts, which are made while the budget is
// not less than a number.
func (r *recovery) best(p *parser, best choice, attempts []attempt, least int) choice {
	for _, a := range attempts {
		if r.budget < least {
			break
		}
		next := r.read(p, a.corrections)
		if next == nil {
			break
		}
		if next.further(best.parser, p) {
			best = choice{next, a}
		}
		if best.lx.fault == nil {
			break
		}
	}
	return best
}

// read reads the text of p with more corrections; nil if that takes too long.
// The last reading may exceed the budget by one text.
func (r *recovery) read(p *parser, more []correction) *parser {
	if r.budget < 0 {
		return nil
	}
	i := p.before(more[0].at)
	next := &parser{prev: p.starts[i].prev, lx: p.starts[i].lexer(p, p.lx.corrections.with(more)), starts: p.starts[: i+1 : i+1]}
	next.chunk()
	r.budget -= 64 + min(next.stop(), len(p.lx.src)) - p.starts[i].tok.at
	return next
}

// stop returns the offset of the fault of a parser, the largest int without one.
func (p *parser) stop() int {
	if p.lx.fault == nil {
		return math.MaxInt
	}
	return p.lx.fault.from
}

// further reports whether a parser came further than another one. Where both stop where
// the text before stopped, it is the one for which fewer blocks and brackets are open.
func (p *parser) further(other, before *parser) bool {
	if p.stop() == before.stop() && other.stop() == before.stop() {
		return p.lx.fault.open < other.lx.fault.open
	}
	return p.stop() > other.stop()
}

// endOfLine returns the offset of the end of the line in which an offset is.
func (p *parser) endOfLine(at int) int {
	if end := strings.IndexAny(p.lx.src[at:], "\r\n"); end >= 0 {
		return at + end
	}
	return len(p.lx.src)
}
