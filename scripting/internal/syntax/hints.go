package syntax

import (
	"fmt"
	"strings"
)

// The words of the faults of syntax. A message says what was expected and what was
// found, and if the indentation or a word of another language suggests a cause, it says
// that, too. The indentation decides about words only, and about which corrections are
// tried: no text is accepted or refused because of it.

// hints are what the parser noticed on the way and tells only when the script
// turns out to be wrong.
type hints struct {
	lacking []closing // blocks and brackets that took the end of another one, by the indentation
	early   []closing // blocks whose end was written for one inside of them
}

// A closing is a block or a bracket, and the end that it got.
// A zero closing means that there is none.
type closing struct{ opener, closer token }

// closed compares the columns of the two ends of a block or bracket. An end further left
// than the line that opened it was most likely written for an outer one; one that stands
// further to the right, or after something else, for an inner one.
func (h *hints) closed(opener, closer token) {
	switch {
	case opener.line == closer.line || closer.made:
	case closer.first && closer.column < opener.indent:
		h.lacking = append(h.lacking, closing{opener, closer})
	case closer.first && closer.column > opener.indent || !closer.first && (closer.kind == "end" || closer.indent > opener.indent):
		h.early = append(h.early, closing{opener, closer})
	}
}

// inside returns the first of those that are closed by a kind of token and that begin at
// an opener or after it.
func inside(list []closing, kind string, opener token) closing {
	for _, c := range list {
		if c.closer.kind == kind && c.opener.at >= opener.at {
			return c
		}
	}
	return closing{}
}

// unclosed reports a bracket or block without its end.
func (p *parser) unclosed(kind string, opener token) {
	wanted := describe(kind)
	if opener.line != p.tok.line {
		wanted += fmt.Sprintf(" to close %q of line %d", opener.kind, opener.line)
	} else if kind != "end" && kind != "until" {
		wanted += fmt.Sprintf(" to close %q", opener.kind)
	}
	p.wanted, p.opener = kind, opener
	wanted += p.why(kind, opener)
	p.unexpected(wanted)
}

// why says what may have become of the end of a block or bracket: a block inside took it.
func (p *parser) why(kind string, opener token) string {
	lacks, early := inside(p.hints.lacking, kind, opener), inside(p.hints.early, "end", opener)
	switch {
	case lacks.opener.kind != "":
		name := kind
		if kind != "end" {
			name = describe(kind)
		}
		return fmt.Sprintf(" (by the indentation, %q of line %d lacks its %s: it took the one of line %d)",
			lacks.opener.kind, lacks.opener.line, name, lacks.closer.line)
	case kind != "end" && early.opener.kind != "":
		return p.early(early)
	}
	return ""
}

// early says that a block has ended too soon.
func (p *parser) early(c closing) string {
	return fmt.Sprintf(" (by the indentation, the end of line %d is one too many: it closed %q of line %d)", c.closer.line, c.opener.kind, c.opener.line)
}

// unexpected reports the current token where something else was wanted.
func (p *parser) unexpected(wanted string) {
	found := p.tok.found()
	if wanted == "an expression" {
		p.wanted = "nil"
	}
	if p.at("end") && p.prev.kind == "local" {
		p.vaguely(p.tok, "expected a name after local, found \"end\": that is a word of the language")
		return
	}
	if p.at("end") && p.depth <= 1 {
		why := ""
		if early := inside(p.hints.early, "end", token{}); early.opener.kind != "" {
			why = p.early(early)
		}
		p.vaguely(p.tok, "unexpected \"end\": every block before it is closed already%s", why)
		return
	}
	if strings.Contains(")]}", p.tok.kind) && len(p.open) == 0 && wanted == "a statement" {
		why := ""
		if p.at("}") {
			why = ", and a block is closed by end"
		}
		p.vaguely(p.tok, "unexpected %q: every bracket before it is closed already%s", p.tok.kind, why)
		return
	}
	p.expects = wanted
	p.vaguely(p.tok, "expected %s, found %s", wanted, found)
}

// vaguely records a fault of which the parser knows only what it did not expect.
func (p *parser) vaguely(at token, format string, args ...any) {
	p.vague = true
	p.fail(at, format, args...)
	p.vague = false
}

// found names a token in a message.
func (t token) found() string {
	switch t.kind {
	case kindEnd:
		return "the end of the file"
	case kindName:
		return "the name " + quote(t.text)
	case kindString:
		return "the string " + quote(t.text)
	case kindNumber:
		return "the number " + t.text
	}
	return quote(t.kind)
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

// foreignStatements are keywords of other languages for which Lua has no word.
var foreignStatements = map[string]string{
	"continue": "continue is not in Lua: use goto continue and put ::continue:: at the end of the loop",
	"switch":   "switch is not in Lua: use if and elseif, or a table of functions",
}

// advise adds to a fault what to write instead, where the text around it is known from another
// language or another version of Lua.
func (p *parser) advise(f *Error) {
	if f.expects == "" {
		return
	}
	src, at := p.lx.src, min(f.about, len(p.lx.src))
	start := strings.LastIndexAny(src[:at], "\r\n") + 1
	before, rest := strings.TrimSpace(src[start:at]), src[at:]
	for _, a := range advices {
		if strings.HasPrefix(f.expects, a.expects) && (a.found == "" || f.found.kind == a.found) && (a.list == "" || f.list.kind == a.list) &&
			(!a.inner || f.Column > f.first.column) && strings.HasPrefix(rest, a.rest) && strings.HasSuffix(before, a.before) {
			f.Message += ": " + a.words
			return
		}
	}
	words := foreignBeginnings[f.first.text]
	switch {
	case strings.HasPrefix(f.expects, "a name") && strings.Contains(keywords, " "+f.found.kind+" "):
		f.Message += ": that is a word of the language"
	case words != "" && f.first.kind == kindName && f.first.line == f.Line && f.first.at <= at:
		f.Message += ": " + words
	}
}

// advices are what advise says where that was expected, and that was found, in such a bracket,
// after such a text on its line and before such a text.
var advices = []struct {
	expects, found, list, before, rest string

	inner bool // only further to the right than the statement
	words string
}{
	{expects: "\",\" or \")\" after the parameter", rest: ":", words: "parameters have no types"},
	{expects: "\",\" or \")\" after the parameter", rest: "=", words: "parameters have no defaults: write x = x or 3 in the function"},
	{expects: "\",\"", rest: ":", list: "(", words: "arguments have no names"},
	{expects: "\",\"", rest: ":", words: "a field is written name = value"},
	{list: "{", rest: ":", words: "a field is written name = value, or [\"a name\"] = value"},
	{rest: "=>", words: "a function is written function(x) return … end"},
	{expects: "an expression", before: "<", rest: ">", words: "not equal is written ~="},
	{expects: "an expression", before: "==", rest: "=", words: "equal is written =="},
	{expects: "an expression", before: "*", rest: "*", words: "a power is written x ^ y"},
	{expects: "an expression", before: "<", rest: "<", words: "there are no bit operators in Lua 5.1"},
	{expects: "an expression", before: ">", rest: ">", words: "there are no bit operators in Lua 5.1"},
	{expects: "an expression", before: "-", rest: ">", words: "a field is written a.b, and a method a:b()"},
	{expects: "an expression", rest: "++", words: "write x = x + 1"},
	{before: "+", rest: "+", words: "\"++\" is not in Lua: write x = x + 1"},
	{expects: "an expression", before: "=", rest: "+", words: "write x = x + 1"},
	{expects: "\"}\" to close", rest: "local function", inner: true, words: "in a table it is name = value, and f = function() … end"},
	{expects: "an expression", list: "{", rest: "local", words: "in a table it is name = value, and f = function() … end"},
	{expects: "a statement", rest: "/*", words: "a comment begins with --, and a long one stands in --[[ … ]]"},
	{expects: "a statement", rest: "#", words: "a comment begins with --"},
	{rest: "# ", words: "a comment begins with --"},
	{expects: "a statement", rest: "==", words: "a value is given by ="},
	{expects: "a statement", rest: "<", words: "Lua 5.1 has no attributes of variables"},
	{expects: "a statement", rest: ":=", words: "a value is given by ="},
	{expects: "a statement", rest: "=", words: "one value is given at a time, by name = value"},
	{expects: "a statement", rest: ":", words: "variables have no types"},
	{expects: "\"(\" and the parameters", list: "{", words: "in a table it is f = function() … end"},
	{expects: "\"(\" and the parameters", words: "a function in an expression has no name, as in f = function(a, b) … end"},
	{expects: "a name after the dot", rest: "\"", words: "write t[\"name\"]"},
	{expects: "a name after the dot", rest: "'", words: "write t[\"name\"]"},
	{expects: "a name after for", rest: "(", words: "what follows for has no parentheses around it"},
	{expects: "a name after local function", rest: "(", words: "a function without a name is written local f = function() … end"},
	{expects: "a name after function", rest: "(", words: "a function without a name is written f = function() … end"},
	{expects: "\",\" and the last value of the loop", words: "a loop that counts is written for i = 1, 10 do"},
	{expects: "\"=\" or a call after the name", rest: ":=", words: "a value is given by ="},
	{expects: "\"=\" or a call after the name", rest: "==", words: "== compares, and a value is given by ="},
	{expects: "\"=\" or a call after the name", rest: "--", words: "-- begins a comment: write x = x - 1"},
	{expects: "\"=\" or a call after the name", rest: ".", words: "an item is written t[1]"},
	{expects: "a name after the colon", before: ":", rest: "=", words: "a value is given by ="},
	{expects: "an expression", before: "/", rest: "*", words: "a comment begins with --, and a long one stands in --[[ … ]]"},
	{expects: "a statement", found: kindNumber, words: "an operator, a comma or the parentheses of a call are missing before it"},
	{expects: "a statement", found: kindString, words: "an operator, a comma or the parentheses of a call are missing before it"},
	{expects: "a statement", rest: "elseif", words: "no if is open here"},
	{expects: "a statement", rest: "else", words: "no if is open here"},
	{expects: "a statement", rest: "then", words: "no if is open here"},
}

// foreignBeginnings are what advise says of a statement by its first word.
var foreignBeginnings = map[string]string{
	"int": aVariable, "float": aVariable, "double": aVariable, "string": aVariable, "bool": aVariable, "boolean": aVariable, "number": aVariable, "auto": aVariable, "char": aVariable,
	"def": aFunction, "fn": aFunction, "fun": aFunction, "void": aFunction, "sub": aFunction, "proc": aFunction, "async": aFunction, "public": aFunction, "private": aFunction, "static": aFunction,
	"class": noClasses, "struct": noClasses, "interface": noClasses, "enum": noClasses,
	"foreach": "a loop over a table is written for k, v in pairs(t) do",
	"try":     "errors are caught by local ok, why = pcall(function() … end)",
	"catch":   "errors are caught by local ok, why = pcall(function() … end)",
	"throw":   "an error is raised by error(\"why\")", "raise": "an error is raised by error(\"why\")",
	"import": "another file is used by local name = require \"file\"", "include": "another file is used by local name = require \"file\"",
	"using": "another file is used by local name = require \"file\"", "export": "a file gives others what it returns at its end",
	"require": "the name of a file is a text: require \"file\"",
	"unless":  "write if not … then",
	"switch":  foreignStatements["switch"],
	"goto":    "a label is written ::name::",
	"print":   inParentheses, "puts": inParentheses, "echo": inParentheses,
}

const (
	aVariable     = "a variable is declared by local name = value, without a type"
	aFunction     = "a function is written function name() … end"
	noClasses     = "there are no classes: a table with functions, and setmetatable, do the same"
	inParentheses = "arguments stand in parentheses, such as print(\"a\", 1)"
)

// callOrAssignment is what is expected after a name that begins a statement.
const callOrAssignment = "\"=\" or a call after the name"

// notStatement reports an expression that stands alone. first is its first token, before
// the one before it: where that ends a value on the same line, something is missing
// between the two.
func (p *parser) notStatement(first, before token) {
	if advice := foreignStatements[first.text]; advice != "" && p.prev == first {
		p.fail(first, "%s", advice)
	}
	switch {
	case p.lx.fault != nil:
	case before.line == first.line && before.endsValue():
		p.fail(first, "expected an operator or a new line before %s", first.found())
	case p.tok.line == p.prev.line:
		p.expects = callOrAssignment
		p.vaguely(p.tok, "expected \"=\" or a call after the name, found %s", p.tok.found())
	default: // what is wrong is not the next line
		found, end := p.tok, p.prev
		end.column += end.to - end.at
		end.at = end.to
		p.expects = callOrAssignment
		p.vaguely(end, "expected \"=\" or a call after the name, found %s", found.found())
		p.lx.fault.found = end
	}
}

// beginsValue reports whether an expression begins with a token that does not go on with one.
func (t token) beginsValue() bool {
	return strings.Contains(" <name> <string> <number> nil true false not # ... { [ ( function ", " "+t.kind+" ")
}

// beginsStatement reports whether a statement begins with a token, and nothing else does.
func (t token) beginsStatement() bool {
	return strings.Contains(" local if while for repeat return break do ", " "+t.kind+" ")
}

// endsValue reports whether an expression ends with a token, and nothing else does.
func (t token) endsValue() bool {
	switch t.kind {
	case kindName, kindNumber, kindString, "nil", "true", "false", "]", "}":
		return true
	}
	return false
}
