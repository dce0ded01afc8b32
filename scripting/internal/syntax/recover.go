package syntax

import "strings"

// maxFaults is how many faults of one text are reported.
const maxFaults = 20

// resume goes on after a fault in a statement that began with first, so that the rest
// of the text is looked at, too. It reports whether there is anything to go on with.
//
// How much of the text belongs to the broken statement is told by the indentation: all
// that stands further to the right than the line in which it began, and what closes a
// block or a bracket in the same column. Whatever the parser finds out of place after
// that may come from what was left out, so it reports no more than what is wrong by
// itself: see [Error.structural].
func (p *parser) resume(first token) bool {
	if p.stopped || !p.note() {
		p.stopped = true
		return false
	}
	indent := p.indent(first.line)
	for {
		for p.at(kindEnd) && p.lx.fault != nil {
			if !p.note() {
				p.stopped = true
				return false
			}
		}
		switch {
		case p.at(kindEnd):
			return true
		case !p.tok.first || p.tok.column > indent:
		case p.closes() && p.tok.column == indent, strings.Contains(")]}", p.tok.kind):
		default:
			return true
		}
		p.advance()
	}
}

// closes reports whether the token ends a block, or a part of one.
func (p *parser) closes() bool { return p.blockEnds() && !p.at(kindEnd) }

// note keeps the fault that the parser stands at, and goes to the line after it. It
// reports whether there is one that can be read.
func (p *parser) note() bool {
	fault := p.lx.fault
	if !fault.structural || len(p.faults) == 0 {
		p.faults = append(p.faults, fault)
	}
	rest := p.lx.lineFrom(fault)
	beginsLong := strings.Contains(rest, "[[") || strings.Contains(rest, "[=")
	if fault.fatal || beginsLong || len(p.faults) >= maxFaults || !p.lx.toLine(fault.Line+1) {
		return false
	}
	p.tok = p.lx.next()
	p.ahead = p.lx.next()
	p.prev = token{line: fault.Line}
	return true
}

// indent returns the column at which a line begins.
func (p *parser) indent(line int) int {
	text := p.lx.src[p.lx.lines[line-1]:]
	return len(text) - len(strings.TrimLeft(text, " \t")) + 1
}

// structurally records a fault in how blocks go together, or in what may stand in them.
func (p *parser) structurally(record func()) {
	p.structural = true
	record()
	p.structural = false
}

// lineFrom returns the text of the line of a fault, from its column on.
func (lx *lexer) lineFrom(fault *Error) string {
	text := lx.src[min(lx.lines[fault.Line-1]+max(fault.Column-1, 0), len(lx.src)):]
	if end := strings.IndexAny(text, "\r\n"); end >= 0 {
		text = text[:end]
	}
	return text
}

// toLine forgets the fault and goes to the begin of a line, if there is one.
func (lx *lexer) toLine(line int) bool {
	for len(lx.lines) < line {
		from := lx.lines[len(lx.lines)-1]
		end := strings.IndexAny(lx.src[from:], "\r\n")
		if end < 0 {
			return false
		}
		lx.pos, lx.line = from+end, len(lx.lines)
		lx.newline()
	}
	lx.lines = lx.lines[:line]
	lx.pos, lx.line, lx.start = lx.lines[line-1], line, lx.lines[line-1]
	lx.fault = nil
	return true
}
