package syntax

import (
	"maps"
	"math"
	"strings"
)

// How more than one fault of a text is reported. After a fault, the text is read again
// from the start with corrections; the next fault of the corrected text is the next one
// that is reported. Nothing of it runs for a text without faults.
//
// The cost is bounded by maxFaults and maxReread: a reading is counted by how far it
// came.

const (
	// maxFaults is how many faults of one text are reported.
	maxFaults = 20

	// maxReread bounds how many bytes are read to find what comes after a fault, so that
	// a long text with many faults is refused about as fast as another one.
	maxReread = 4 << 20
)

// A correction is a change of the text that lets a parser go on after a fault: tokens
// of these kinds stand in the place of what goes up to an offset. Where people forget a
// token, or write one too many, it is what they would do themselves.
//
// Why is the text corrected, and not the parser moved on? What a parser finds after it was
// moved comes as often from the place to which it was moved as from the text. A corrected
// text is read by the rules of the language, and of several corrections the best one is
// that after which the parser comes furthest.
type correction struct {
	to    int
	kinds []string
}

// corrections are known by the offset at which they begin.
// A parser holds one set and never changes it: with copies.
type corrections map[int]correction

// with returns the corrections and one more.
func (c corrections) with(at int, more correction) corrections {
	all := maps.Clone(c)
	if all == nil {
		all = corrections{}
	}
	old := all[at]
	all[at] = correction{max(old.to, more.to), append(old.kinds[:len(old.kinds):len(old.kinds)], more.kinds...)}
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
		return token{kind: c.kinds[lx.corrected-1], text: "0", at: lx.pos, line: lx.line, column: lx.pos - lx.start + 1}, true
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

// faults returns the first fault of a text, with those that are found when it is
// corrected.
func (p *parser) faults() *Error {
	first := p.lx.fault
	if first == nil {
		return nil
	}
	r := recovery{budget: maxReread}
	for found := 1; found < maxFaults && p != nil; {
		p = r.after(p)
		if p == nil || p.lx.fault == nil {
			break
		}
		if fault := p.lx.fault; !fault.structural || !r.skipped {
			first.More = append(first.More, fault)
			found++
		}
	}
	return first
}

// A recovery looks for what is wrong with a text after a fault.
// skipped lowers what later faults are worth: where a statement was left out, a fault
// about blocks may be about that one, so faults that are structural are not reported
// any more.
type recovery struct {
	budget  int  // bytes that may still be read
	skipped bool // a statement was left out as a whole
}

// after returns the parser of the text in which the fault of p is corrected: the one that
// comes furthest. It is nil if there is none that comes further than p.
func (r *recovery) after(p *parser) *parser {
	fault := p.lx.fault
	if fault.fatal {
		return nil
	}
	var best *parser
	for _, c := range p.proposals() {
		next := r.read(p, c)
		if next == nil {
			return nil
		}
		if best == nil || reach(next) > reach(best) {
			best = next
			if len(c.kinds) == 0 && c.at == fault.from && fault.surplus != "" {
				fault.Message = fault.surplus
			}
		}
		if reach(best) == math.MaxInt {
			return best
		}
	}
	skip := p.skip()
	next := r.read(p, skip)
	if next == nil || reach(next) <= fault.from && reach(best) <= fault.from {
		return nil
	}
	if line := p.endOfLine(fault.from); reach(best) > line && (reach(best) >= reach(next) || reach(best) < skip.to) {
		return best
	}
	r.skipped = true
	return next
}

// read reads the text of p with one more correction; nil if that takes too long.
// The last reading may exceed the budget by one text.
func (r *recovery) read(p *parser, c proposal) *parser {
	if r.budget < 0 {
		return nil
	}
	next := newParser(p.lx.name, p.lx.src, p.lx.corrections.with(c.at, c.correction))
	next.chunk()
	r.budget -= min(reach(next), len(p.lx.src))
	return next
}

// reach returns how far a parser came.
// It is the offset of the first fault: -1 without a parser, the largest int without a
// fault.
func reach(p *parser) int {
	switch {
	case p == nil:
		return -1
	case p.lx.fault == nil:
		return math.MaxInt
	}
	return p.lx.fault.from
}

// A proposal is a correction at an offset.
type proposal struct {
	at int
	correction
}

// missable are the kinds of tokens that people forget.
// A missing token that is first in this list wins over a later one with the same
// reach.
var missable = [...]string{"end", ")", "}", ",", "then", "do", "=", "(", "]", "nil", kindName, "{"}

// foreign are operators of other languages, and what stands for them.
var foreign = [...]struct {
	text  string
	kinds []string
}{
	{"!=", []string{"~="}}, {"&&", []string{"and"}}, {"||", []string{"or"}}, {"!", []string{"not"}}, {"//", []string{"/"}},
	{"++", []string{"=", kindNumber}}, {"=", []string{"=="}},
}

// proposals returns the corrections of a fault that are worth a try, the likeliest first.
func (p *parser) proposals() []proposal {
	fault := p.lx.fault
	var list []proposal
	add := func(at, to int, kinds ...string) { list = append(list, proposal{at, correction{to, kinds}}) }
	at, to := fault.from, max(fault.to, p.endOfToken(fault.from))
	rest := p.lx.src[at:]
	if fault.meant != "" {
		add(at, to, fault.meant)
	}
	for _, f := range foreign {
		if strings.HasPrefix(rest, f.text) {
			add(at, at+len(f.text), f.kinds...)
		}
	}
	switch c := (rest + " ")[0]; {
	case c == '"' || c == '\'':
		p.strings(at, add)
	case isDigit(c):
		add(at, to, kindNumber)
	}
	if fault.wanted != "" {
		add(at, at, fault.wanted)
	}
	if lacks := inside(p.hints.lacking, fault.wanted, token{}); lacks.closer.at > 0 {
		add(lacks.closer.at, lacks.closer.at, fault.wanted)
	}
	if early := inside(p.hints.early, "end", token{}); early.closer.at > 0 {
		add(early.closer.at, early.closer.at+len("end"))
	}
	add(at, to)
	for _, kind := range missable {
		add(at, at, kind)
	}
	if p.prev.kind != "" {
		add(p.prev.at, p.endOfToken(p.prev.at))
	}
	return list
}

// strings proposes ends for a string without its quote: that of the line, and before the
// last brackets and commas there.
// There are at most 30 tries, since each proposal is a reading of the text.
func (p *parser) strings(at int, add func(at, to int, kinds ...string)) {
	const most = 30
	end := p.endOfLine(at)
	add(at, end, kindString)
	for to, tries := end-1, 0; to > at && tries < most; to-- {
		if strings.IndexByte(",;:(){}[] ", p.lx.src[to]) >= 0 {
			add(at, to, kindString)
			tries++
		}
	}
}

// endOfToken returns the offset after a token of the text.
// It has a lexer of its own, whose fault is not one of the text.
func (p *parser) endOfToken(at int) int {
	lx := lexer{src: p.lx.src, pos: at, line: 1, lines: []int{0}}
	lx.next()
	if lx.fault != nil {
		return max(lx.fault.to, at+1)
	}
	return lx.pos
}

// endOfLine returns the offset of the end of the line in which an offset is.
func (p *parser) endOfLine(at int) int {
	if end := strings.IndexAny(p.lx.src[at:], "\r\n"); end >= 0 {
		return at + end
	}
	return len(p.lx.src)
}

// skip proposes to leave out the statement in which the fault is. How much of the text
// belongs to it is told by the indentation: all that stands further to the right than the
// line in which it began, and what closes a block or a bracket in the same column.
// A semicolon takes the place of the statement: an empty statement may stand between any two.
func (p *parser) skip() proposal {
	fault := p.lx.fault
	from := min(fault.first.at, fault.from)
	indent := p.indent(from)
	lx := lexer{src: p.lx.src, pos: p.endOfLine(fault.from), line: 1, lines: []int{0}}
	for {
		tok := lx.next()
		closes := strings.Contains(" end else elseif until ) ] } ", " "+tok.kind+" ")
		if lx.fault != nil || tok.kind == kindEnd {
			return proposal{from, correction{len(p.lx.src), []string{";"}}}
		}
		if tok.first && (tok.column < indent || tok.column == indent && !closes) {
			return proposal{from, correction{tok.at, []string{";"}}}
		}
	}
}

// indent returns the column at which the line of an offset begins.
func (p *parser) indent(at int) int {
	text := p.lx.src[strings.LastIndexAny(p.lx.src[:at], "\r\n")+1:]
	return len(text) - len(strings.TrimLeft(text, " \t")) + 1
}

// structurally records a fault in how blocks go together, or in what may stand in them.
func (p *parser) structurally(record func()) {
	p.structural = true
	record()
	p.structural = false
}
