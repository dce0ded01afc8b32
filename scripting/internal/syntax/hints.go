package syntax

import (
	"fmt"
	"strings"
)

// hints are what the parser noticed on the way and tells only when the script
// turns out to be wrong.
type hints struct {
	unclosed token // a block whose end seems to be missing
	closer   token // the end that was taken for it
	split    token // an `else if` that opened a block of its own
}

// closed compares the columns of a block's two ends. An end further left than
// the line that opened the block was most likely written for an outer one.
func (h *hints) closed(opener, closer token) {
	if h.unclosed.kind == "" && opener.first && closer.first && closer.column < opener.column {
		h.unclosed, h.closer = opener, closer
	}
}

// elseIf remembers an else with an if behind it on one line.
func (h *hints) elseIf(first, second token) {
	if h.split.kind == "" && second.kind == "if" && second.line == first.line {
		h.split = first
	}
}

// unclosed reports a bracket or block without its end.
func (p *parser) unclosed(kind string, opener token) {
	wanted := describe(kind)
	if opener.line != p.tok.line {
		wanted += fmt.Sprintf(" to close %q of line %d", opener.kind, opener.line)
	} else if kind != "end" && kind != "until" {
		wanted += fmt.Sprintf(" to close %q", opener.kind)
	}
	if kind == "end" && p.at(kindEnd) {
		switch {
		case p.hints.unclosed.kind != "":
			wanted += fmt.Sprintf(" (by the indentation, %q of line %d lacks its end: it took the one of line %d)",
				p.hints.unclosed.kind, p.hints.unclosed.line, p.hints.closer.line)
		case p.hints.split.kind != "":
			wanted += fmt.Sprintf(" (\"else if\" in line %d opens a second if, which needs its own end: did you mean elseif?)", p.hints.split.line)
		}
	}
	if kind != "end" && kind != "until" && p.tok.line == opener.line {
		p.unexpected(wanted)
		return
	}
	p.structurally(func() { p.unexpected(wanted) })
}

// unexpected reports the current token where something else was wanted.
func (p *parser) unexpected(wanted string) {
	found := p.found()
	if hint := p.foreignOperator(p.tok, p.ahead); hint != "" {
		p.fail(p.tok, "%s", hint)
		return
	}
	if p.at("end") && p.depth <= 1 {
		p.fail(p.tok, "unexpected \"end\": every block before it is closed already")
		return
	}
	p.fail(p.tok, "expected %s, found %s", wanted, found)
}

func (p *parser) found() string {
	switch p.tok.kind {
	case kindEnd:
		return "the end of the file"
	case kindName:
		return "the name " + quote(p.tok.text)
	case kindString:
		return "the string " + quote(p.tok.text)
	case kindNumber:
		return "the number " + p.tok.text
	}
	return quote(p.tok.kind)
}

// describe names a kind of token in a message.
func describe(kind string) string {
	switch kind {
	case kindName:
		return "a name"
	case kindEnd:
		return "the end of the file"
	}
	return quote(kind)
}

// foreignOperator explains += and ++, which look like two tokens.
func (p *parser) foreignOperator(tok, ahead token) string {
	adjacent := ahead.line == tok.line && ahead.column == tok.column+len(tok.kind)
	if !adjacent || !strings.Contains("+ - * / % ^ ..", tok.kind) {
		return ""
	}
	switch {
	case ahead.kind == "=":
		return fmt.Sprintf("\"%s=\" is not in Lua: write x = x %s y", tok.kind, tok.kind)
	case ahead.kind == tok.kind && tok.kind == "+":
		return "\"++\" is not in Lua: write x = x + 1"
	}
	return ""
}

// notStatement reports an expression that stands alone. first is its first
// token.
func (p *parser) notStatement(first token) {
	if hint := p.foreignOperator(p.tok, p.ahead); hint != "" {
		p.fail(p.tok, "%s", hint)
		return
	}
	for _, known := range [...][2]string{
		{"continue", "continue is not in Lua: use goto continue and put ::continue:: at the end of the loop"},
		{"elif", "unknown word \"elif\": did you mean elseif?"},
		{"elsif", "unknown word \"elsif\": did you mean elseif?"},
		{"switch", "switch is not in Lua: use if and elseif, or a table of functions"},
		{"var", "unknown word \"var\": did you mean local?"},
		{"let", "unknown word \"let\": did you mean local?"},
		{"const", "unknown word \"const\": did you mean local?"},
		{"func", "unknown word \"func\": did you mean function?"},
		{"def", "unknown word \"def\": did you mean function?"},
	} {
		if first.kind == kindName && first.text == known[0] && p.prev == first {
			p.fail(first, "%s", known[1])
			return
		}
	}
	if p.lx.fault == nil {
		p.fail(p.tok, "expected \"=\" or a call after the name, found %s", p.found())
	}
}
