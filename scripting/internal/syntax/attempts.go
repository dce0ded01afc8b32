package syntax

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/internal/nearest"
)

// Which corrections of a fault are tried, the likeliest first: of two after which a parser
// comes equally far, the first one is taken.
//
// The rule is the same for all faults. A person forgets one token, writes one too many or
// one for another. Most often that is where the parser stops: it is tried first. Else it
// is a few tokens before, or where the indentation says that a block or bracket began or
// was to end.

// An attempt is what may mend a fault.
type attempt struct {
	corrections []correction

	// Where message is not empty, it says better what is wrong than the words of the
	// parser, and line and column are its place.
	message      string
	line, column int
	expects      string // what the message says was expected
	about        int
}

// tell has a fault say what an attempt has found out, once it is known to be right.
func (a attempt) tell(fault *Error) {
	if a.message != "" && fault.vague {
		fault.Message, fault.Line, fault.Column = a.message, a.line, a.column
		fault.expects, fault.about = a.expects, a.about
	}
}

// saying returns the attempt with words about a token.
func (a attempt) saying(at token, format string, args ...any) attempt {
	a.message, a.line, a.column = fmt.Sprintf(format, args...), at.line, at.column
	a.expects, a.about = "", at.at
	return a
}

// expecting notes what the words of an attempt say was expected.
func (a attempt) expecting(what string) attempt {
	a.expects = what
	return a
}

func put(at int, kinds ...string) attempt { return replace(at, at, kinds...) }

func replace(at, to int, kinds ...string) attempt {
	return attempt{corrections: []correction{{at, to, kinds}}}
}

// missable are the kinds of tokens that people forget.
// A missing token that is first in this list wins over a later one with the same
// reach.
var missable = [...]string{"end", ")", "}", ",", "then", "do", "=", "(", "function", "]", "nil", kindName, "..", "{", "or", "until"}

// missableBefore are those that are missed only some tokens later.
var missableBefore = [...]string{"function", "{", "(", ")", "}", ",", "=", "end", "then", "do", "if", "while", "for", "until", "]", ".."}

// foreign are operators of other languages, and what stands for them.
var foreign = [...]struct {
	text  string
	kinds []string
}{
	{"!=", []string{"~="}}, {"&&", []string{"and"}}, {"||", []string{"or"}}, {"!", []string{"not"}}, {"//", []string{"/"}},
	{"=", []string{"=="}}, {".", []string{".."}},
}

// foreignWords are keywords of other languages that stand for one of Lua.
var foreignWords = map[string]string{
	"elif": "elseif", "elsif": "elseif", "var": "local", "let": "local", "const": "local", "func": "function", "def": "function", "brake": "break",
}

// openers are the tokens that begin what another one closes, where that is missed late.
var openers = map[string]string{"end": "function", "until": "repeat", "}": "{", ")": "("}

// written returns the tokens of the text from the last start up to the fault, and that of
// the fault itself.
func (p *parser) written() (list []token) {
	fault := p.lx.fault
	lx := p.starts[p.before(fault.from)].lexer(p, p.lx.corrections)
	for {
		tok := lx.next()
		if tok.kind == kindEnd || tok.at >= fault.from {
			return append(list, fault.found)
		}
		if !tok.made {
			list = append(list, tok)
		}
	}
}

// near has the corrections of a fault that are worth a try before others.
func (p *parser) near(text []token) []attempt {
	return slices.Concat(p.commas(text), p.elseIfs(text), colons(text), p.words(text), p.blocks(text), p.pairs(text), p.here(text), p.around(text))
}

// commas has the list of the fault lack commas, or all lists around it in the block: who
// forgets one forgets the next one, too.
func (p *parser) commas(text []token) (list []attempt) {
	for _, opener := range [...]token{p.lx.fault.list, p.lx.fault.outer} {
		i := slices.IndexFunc(text, func(t token) bool { return t.at >= opener.to })
		if opener.kind == "" || i < 1 {
			continue
		}
		a := p.missing(text, len(text)-1, ",")
		a.corrections = put(text[i].at, goesOn).corrections
		list = append(list, a)
	}
	return list
}

// elseIfs has each else with an if after it on one line, unless an end stands below that if
// or on its line: such an if needs an end of its own.
func (p *parser) elseIfs(text []token) (list []attempt) {
	for i, t := range text[1:] {
		first := text[i]
		if first.kind != "else" || t.kind != "if" || t.line != first.line || p.lx.fault.wanted != "end" {
			continue
		}
		own := func(end token) bool { return end.kind == "end" && (end.column == t.column || end.line == t.line) }
		if !slices.ContainsFunc(text[i+1:], own) {
			list = append(list, replace(first.at, t.to, "elseif").saying(first, "\"else if\" opens a second if, which needs its own end: did you mean elseif?"))
		}
	}
	return list
}

// colons has a dot for the colon of a call that has no arguments: what follows it is a field.
func colons(text []token) []attempt {
	last := len(text) - 1
	if last < 2 || text[last-2].kind != ":" || text[last-1].kind != kindName {
		return nil
	}
	colon, name := text[last-2], text[last-1].text
	return []attempt{replace(colon.at, colon.to, ".").saying(colon, "\":%s\" calls a function: write \".%s\" for a field, or \":%s()\"", name, name, name)}
}

// words has keywords with a slip of the pen, and those of other languages.
func (p *parser) words(text []token) (list []attempt) {
	const most = 24
	for _, t := range slices.Backward(text[max(0, len(text)-most):]) {
		if t.kind != kindName {
			continue
		}
		if rest, glued := strings.CutPrefix(t.text, "function"); glued && rest != "" {
			list = append(list, replace(t.at, t.to-len(rest), "function", "(").saying(t, "expected \"(\" after \"function\", found %s", quote(rest)))
		}
		meant := foreignWords[t.text]
		if meant == "" {
			meant = nearest.Name(t.text, strings.Fields(keywords))
		}
		if meant != "" {
			list = append(list, replace(t.at, t.to, meant).saying(t, "unknown word %q: did you mean %s?", t.text, meant))
		}
	}
	return list
}

// here has what the words of the parser, or of the lexer, say of the fault.
func (p *parser) here(text []token) (list []attempt) {
	fault, found := p.lx.fault, text[len(text)-1]
	at, to := fault.from, found.to
	rest := p.lx.src[at:]
	for _, f := range foreign {
		if strings.HasPrefix(rest, f.text) {
			a := replace(at, at+len(f.text), f.kinds...)
			if a = a.saying(found, "unexpected %q: did you mean %s?", f.text, f.kinds[0]); f.text == "=" && fault.list.kind == "{" && len(text) > 1 && text[len(text)-2].kind == kindString {
				a = a.saying(found, "a field whose name stands in quotes is written [\"name\"] = value")
			}
			list = append(list, a)
		}
	}
	for _, operator := range strings.Fields("+ - * / % ^ ..") {
		if strings.HasPrefix(rest, operator+"=") {
			list = append(list, replace(at, at+len(operator)).saying(found, "\"%s=\" is not in Lua: write x = x %s y", operator, operator))
		}
	}
	if strings.HasPrefix(rest, "++") {
		list = append(list, replace(at, at+2, "=", kindNumber).saying(found, "\"++\" is not in Lua: write x = x + 1"))
	}
	switch c := (rest + " ")[0]; {
	case found.kind != "": // only the lexer's faults have no token
	case c == '"' || c == '\'' || c >= utf8.RuneSelf:
		list = append(list, p.strings(text)...)
	case isDigit(c):
		list = append(list, replace(at, to, kindNumber))
	}
	if found.kind == kindString {
		list = append(list, replace(at, at+1, "("))
	}
	list = append(list, put(at, goesOn))
	if fault.wanted != "" {
		w := fault.wanted
		list = append(list, put(at, w), replace(at, to, w))
		if w == "(" { // of parameters
			list = append(list, put(at, w, ")"), replace(at, to, w, kindName, ")"))
		}
		if w == "until" {
			list = append(list, put(at, w, "nil"))
		} else if w != "end" { // several brackets were opened there, and none was closed
			list = append(list, put(at, w, w), put(at, w, w, w))
		}
	}
	return list
}

// strings has ends of a string without its quote: that of the line, and before the last
// brackets and commas there. Or the quote is one too many, or stands for a bracket, or it
// ends a string that began before and has a quote inside, or whose first quote is missing.
func (p *parser) strings(text []token) []attempt {
	const most = 30
	at := p.lx.fault.from
	end := p.endOfLine(at)
	list := []attempt{replace(at, at+1), replace(at, at+1, "("), replace(at, at+1, ")"), replace(at, end, kindString)}
	for _, t := range text[max(0, len(text)-most):] {
		if t.line == p.lx.fault.found.line && (t.kind == kindString || t.kind == kindName) {
			list = append(list, replace(t.at, at+1, kindString))
		}
	}
	for to := end - 1; to > max(at, end-8*most) && len(list) < 2*most; to-- {
		if strings.IndexByte(",;:(){}[] ", p.lx.src[to]) >= 0 {
			list = append(list, replace(at, to, kindString))
		}
	}
	return list
}

// pairs has brackets of other languages: braces around a block, square brackets around a
// list, and parentheses where there are none.
func (p *parser) pairs(text []token) (list []attempt) {
	const most = 24
	found := text[len(text)-1]
	for _, t := range slices.Backward(append([]token{p.lx.fault.list}, text[max(0, len(text)-most):]...)) {
		if t.kind == "{" && found.kind != kindEnd && !p.beginsTable(t) {
			list = append(list, p.braces(t)...)
		}
	}
	if closers[found.kind] == "" {
		return list
	}
	switch end, _, _ := p.partner(found); end.kind {
	case "]":
		a := attempt{corrections: []correction{{found.at, found.to, []string{"{"}}, {end.at, end.to, []string{"}"}}}}
		list = append(list, a.saying(found, "unexpected \"[\": a list is written { … }"))
	case ")":
		list = append(list, attempt{corrections: []correction{{found.at, found.to, nil}, {end.at, end.to, nil}}})
	}
	return list
}

// beginsTable reports whether a brace stands where a value is expected, and so is no brace of
// a block: after "=", "(", "," and their kind.
func (p *parser) beginsTable(t token) bool {
	before := strings.TrimRight(p.lx.src[:t.at], " \t\r\n")
	if before == "" || strings.ContainsRune("=(,{[+-*/%^<>~;", rune(before[len(before)-1])) {
		return before != ""
	}
	return slices.ContainsFunc([]string{"return", "and", "or", "not", "in", ".."}, func(word string) bool {
		rest, ok := strings.CutSuffix(before, word)
		return ok && (rest == "" || !isLetter(rest[len(rest)-1]))
	})
}

// braces has a block for a brace.
func (p *parser) braces(t token) (list []attempt) {
	closes := p.ends(t)
	for _, word := range [...]string{"", "then", "do"} {
		a := replace(t.at, t.to, strings.Fields(word)...).saying(t, "unexpected \"{\": a block is closed by end and opened by nothing")
		if word != "" {
			a = a.saying(t, "expected %q, found \"{\": a block is closed by end", word)
		}
		a.corrections = append(a.corrections, closes...)
		list = append(list, a)
	}
	return list
}

// ends returns the corrections of the brace that ends a block of braces: it is an end, or
// nothing before an else, whose braces are corrected as well.
func (p *parser) ends(t token) (list []correction) {
	for {
		end, next, third := p.partner(t)
		switch {
		case end.kind != "}":
			return list
		case next.kind == "else" && third.kind == "if":
			return append(list, correction{end.at, third.to, []string{"elseif"}})
		case next.kind != "else" || third.kind != "{":
			return append(list, correction{end.at, end.to, []string{"end"}})
		}
		list = append(list, correction{end.at, third.to, []string{"else"}})
		t = third
	}
}

// partner returns the bracket that ends one, and the two tokens after it. They have no kind
// where it has no end near by.
func (p *parser) partner(t token) (end, next, third token) {
	const most = 4000 // tokens that are read
	lx := start{tok: t}.lexer(p, nil)
	depth := 0
	for range most {
		switch end = lx.next(); end.kind {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth == 0 {
			return end, lx.next(), lx.next()
		}
	}
	return token{}, next, third
}

// blocks has what the indentation says of blocks and brackets: a closer that was written
// for another block, and a line before what stands further to the right, whose block or
// bracket somebody has closed and nobody opened.
func (p *parser) blocks(text []token) (list []attempt) {
	fault := p.lx.fault
	if lacks := inside(p.hints.lacking, fault.wanted, fault.opener); lacks.closer.at > 0 {
		list = append(list, put(lacks.closer.at, fault.wanted))
	}
	list = append(list, p.opened(text)...)
	var closers []token
	last := len(text) - 1
	if twice := last > 0 && text[last-1].kind == fault.found.kind && text[last-1].line == fault.found.line; !twice {
		closers = append(closers, fault.found)
	}
	early := inside(p.hints.early, "end", token{})
	if early.closer.first {
		closers = append(closers, early.closer)
	}
	for _, closer := range closers {
		if opener := openers[closer.kind]; opener != "" {
			list = append(list, p.head(text, closer, opener)...)
		}
	}
	if early.closer.at > 0 {
		list = append(list, replace(early.closer.at, early.closer.at+len("end")))
	}
	return list
}

// opened has a bracket before what stands above one that closed another one too early, or in
// its line. Each end of a bracket around them came too early then; the innermost counts.
func (p *parser) opened(text []token) []attempt {
	var inner closing
	for _, c := range slices.Backward(p.hints.early) {
		if c.closer.kind != "end" && (inner.closer.at == 0 || c.opener.at > inner.opener.at) {
			inner = c
		}
	}
	closer, opener := inner.closer, openers[inner.closer.kind]
	if closer.at == 0 || closer.first {
		return p.head(text, closer, opener)
	}
	first := slices.IndexFunc(text, func(t token) bool { return t.line == closer.line })
	value := slices.IndexFunc(text, func(t token) bool { return t.line == closer.line && t.kind == "=" && t.at < closer.at }) + 1
	begin := text[max(first, value)]
	return []attempt{put(begin.at, opener).saying(begin, "expected %q before %s", opener, begin.found())}
}

// head has the places of an opener in the line that stands above a closer, in the column
// of its line, with lines further to the right between them. A bracket is the last of its
// line, a function may be anywhere in it.
func (p *parser) head(text []token, closer token, opener string) (list []attempt) {
	inner := -1
	for i, t := range slices.Backward(text) {
		switch {
		case t.line >= closer.line:
		case inner >= 0 && t.indent <= closer.indent:
			if list == nil && !isLetter(opener[0]) {
				list = append(list, p.missing(text, inner, opener))
			}
			list = append(list, p.missing(text, i, opener))
			if t.first {
				return append(list, p.missing(text, inner, opener))
			}
		case t.first && t.column <= closer.indent:
			return nil
		case t.first:
			inner = i
		}
	}
	return nil
}

// around has what is missing at the fault, and what is one too many there.
func (p *parser) around(text []token) (list []attempt) {
	fault, last := p.lx.fault, len(text)-1
	surplus := replace(fault.from, text[last].to)
	if fault.wanted == "end" && fault.found.kind != kindEnd {
		surplus = surplus.saying(fault.found, "expected a statement, found %s", fault.found.found()).expecting("a statement")
	}
	list = append(list, surplus)
	for _, kind := range missable {
		list = append(list, put(fault.from, kind))
	}
	return list
}

// earlier has what may be wrong before the fault: with the begin of the statement, and with
// the last tokens.
func (p *parser) earlier(text []token) (list []attempt) {
	const most = 12
	last := len(text) - 1
	for i, t := range text {
		begins := t.at == p.lx.fault.first.at || i >= last-most && i > 0 && t.first && !strings.Contains(",;{", text[i-1].kind)
		if begins {
			for _, kind := range [...]string{"{", "(", "function"} {
				list = append(list, p.missing(text, i, kind))
			}
		}
	}
	for i := last - 1; i >= max(0, last-most); i-- {
		for _, kind := range missableBefore {
			if openers[text[i].kind] != kind {
				list = append(list, p.missing(text, i, kind))
			}
		}
	}
	for _, kind := range missable {
		if !isLetter(kind[0]) || text[last].kind != "end" { // do end is legal anywhere
			list = append(list, replace(p.lx.fault.from, text[last].to, kind))
		}
	}
	for i := last - 1; i >= max(0, last-most); i-- {
		t := text[i]
		list = append(list, replace(t.at, t.to))
		if strings.Contains(keywords, t.kind) && t.kind != "then" && t.kind != "do" {
			continue
		}
		to := t.to
		if t.kind == kindString { // its quote
			to = t.at + 1
		}
		for _, kind := range missable {
			if kind != t.kind {
				list = append(list, replace(t.at, to, kind).saying(t, "expected %s, found %s", describe(kind), t.found()).expecting(describe(kind)))
			}
		}
	}
	return list
}

// line has the line of the fault left out: its tokens are not those of a program.
func (p *parser) line() []attempt {
	from, to := p.lx.fault.from, p.endOfLine(p.lx.fault.from)
	begin := strings.LastIndexAny(p.lx.src[:from], "\r\n") + 1
	begin += len(p.lx.src[begin:to]) - len(strings.TrimLeft(p.lx.src[begin:to], " \t"))
	return []attempt{replace(begin, to), replace(begin, to, ";"), replace(from, to, ";")}
}

// missing says that a token is missing before one of the text. Its place is that token;
// for what does not begin a line, it is the end of the line before.
func (p *parser) missing(text []token, i int, kind string) attempt {
	at := text[i]
	a := put(at.at, kind)
	if begins := isLetter(kind[0]) && kind != "then" && kind != "do"; i > 0 && text[i-1].line < at.line && !begins {
		end := text[i-1].to
		at.line -= strings.Count(p.lx.src[end:at.at], "\n")
		at.column = end - strings.LastIndexAny(p.lx.src[:end], "\r\n")
	}
	return a.saying(at, "expected %s before %s", describe(kind), text[i].found())
}
