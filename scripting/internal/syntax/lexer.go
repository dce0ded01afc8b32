package syntax

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The lexer cuts the text into tokens, one each time the parser asks. It never goes
// back: what the parser has to look ahead it holds itself. Faults of single tokens are
// worded here; those of how tokens follow each other are the parser's, in
// hints.go. What the lexer reads is bytes: letters beyond ASCII occur in strings and
// comments only.

// maxName is how many letters a name may have: to look up a longer one takes longer than
// the instruction that does it counts.
const maxName = 255

// A token's kind is its own text for keywords and symbols, and one of these for
// the rest.
const (
	kindName   = "<name>"
	kindString = "<string>"
	kindNumber = "<number>"
	kindEnd    = "<end of file>"

	// goesOn is a token that only a correction has: after a return or break that is not
	// the last statement of its block, the block goes on.
	goesOn = "<more>"
)

// keywords are the reserved words of Lua 5.1; goto is not one of them.
const keywords = " and break do else elseif end false for function if in local nil not or repeat return then true until while "

// A token is a word, a symbol or a literal of the text. It keeps its offset for the
// corrections, its line and column for messages, and the indentation of its line for
// the hints about blocks.
type token struct {
	kind   string
	text   string // a name, a decoded string, a numeral as written
	at, to int    // offsets in the text
	line   int
	column int
	indent int  // column of the first token of its line
	first  bool // it is that token
	made   bool // it is not in the text: a correction has put it there
}

// pos returns the place where the token begins.
func (t token) pos() Pos { return At(t.line, t.column) }

// A lexer cuts a script into tokens. Its first fault sticks, and after it every
// token is the end of the file.
type lexer struct {
	name  string
	src   string
	pos   int
	line  int
	start int  // offset of the current line's first byte
	fresh bool // no token of the line was read so far
	begin int  // column of the line's first token
	fault *Error
	token int // offset of the token that is being read

	corrections corrections // after faults, see recover.go; nil at first
	corrected   int         // tokens of the correction at pos that were given out
}

// fail records a fault of the token that is being read, unless there is one. It moves
// to the end of the text, so that the loops of the lexer and the parser end soon.
func (lx *lexer) fail(line, column int, message string) {
	if lx.fault == nil {
		lx.fault = &Error{Script: lx.name, Line: line, Column: column, Message: message, from: lx.token,
			found: token{at: lx.token, to: max(lx.pos, lx.token+1), line: line, column: column}}
	}
	lx.pos = len(lx.src)
}

// peek returns the byte at a distance from the current one, 0 past the end.
// The text itself contains no zero byte.
func (lx *lexer) peek(distance int) byte {
	if lx.pos+distance < len(lx.src) {
		return lx.src[lx.pos+distance]
	}
	return 0
}

// newline steps over one line end: \n, \r, \r\n or \n\r.
func (lx *lexer) newline() {
	// PUC Lua counts \r\n and \n\r as one line end each, and so do the line numbers
	// here.
	first := lx.src[lx.pos]
	lx.pos++
	if second := lx.peek(0); second != first && (second == '\n' || second == '\r') {
		lx.pos++
	}
	lx.line++
	lx.start, lx.fresh = lx.pos, true
}

// next returns the next token.
func (lx *lexer) next() token {
	lx.space()
	if tok, ok := lx.correct(); ok {
		return tok
	}
	lx.token = lx.pos
	tok := token{at: lx.pos, line: lx.line, column: lx.pos - lx.start + 1}
	if tok.first = lx.fresh; tok.first {
		lx.begin = tok.column
	}
	tok.indent = lx.begin
	c := lx.peek(0)
	switch {
	case lx.pos >= len(lx.src):
		tok.kind = kindEnd
	case isLetter(c):
		lx.word(&tok)
	case isDigit(c) || c == '.' && isDigit(lx.peek(1)):
		lx.numeral(&tok)
	case c == '"' || c == '\'':
		lx.quoted(&tok)
	case c == '[' && lx.level() >= 0:
		tok.kind, tok.text = kindString, lx.long("string")
	default:
		lx.symbol(&tok)
	}
	if lx.fault != nil {
		tok.kind = kindEnd
	}
	tok.to, lx.fresh = lx.pos, false // whatever lines a long string has ended
	return tok
}

// space skips blanks and comments.
func (lx *lexer) space() {
	for lx.pos < len(lx.src) {
		switch c := lx.src[lx.pos]; {
		case c == '\n' || c == '\r':
			lx.newline()
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			lx.pos++
		case c == '-' && lx.peek(1) == '-':
			lx.comment()
		default:
			return
		}
	}
}

// comment skips a comment. The two dashes make it a long one only if a long bracket
// follows them directly.
func (lx *lexer) comment() {
	lx.pos += 2
	if lx.peek(0) == '[' && lx.level() >= 0 {
		lx.long("comment")
		return
	}
	for lx.pos < len(lx.src) && lx.src[lx.pos] != '\n' && lx.src[lx.pos] != '\r' {
		lx.pos++
	}
}

// word reads a name or a keyword. Keywords are bounded by spaces in their list, so a
// part of one is no keyword.
func (lx *lexer) word(tok *token) {
	from := lx.pos
	for isLetter(lx.peek(0)) || isDigit(lx.peek(0)) {
		lx.pos++
	}
	tok.text = lx.src[from:lx.pos]
	tok.kind = kindName
	if len(tok.text) > maxName {
		lx.fail(tok.line, tok.column, fmt.Sprintf("name is %d letters long, more than %d", len(tok.text), maxName))
	}
	if strings.Contains(keywords, " "+tok.text+" ") {
		tok.kind = tok.text
	}
}

// numeral takes everything that could belong to a number, as PUC Lua does, so
// that 3x is one malformed number and not two tokens.
func (lx *lexer) numeral(tok *token) {
	from := lx.pos
	for {
		c := lx.peek(0)
		exponent := lx.pos > from && (c == '+' || c == '-') && strings.IndexByte("eE", lx.src[lx.pos-1]) >= 0
		if !isLetter(c) && !isDigit(c) && c != '.' && !exponent {
			break
		}
		lx.pos++
	}
	text := lx.src[from:lx.pos]
	value, ok := parseNumeral(text)
	if !ok {
		lx.fail(tok.line, tok.column, "malformed number "+quote(text)+numeralAdvice(text))
	}
	tok.kind, tok.text = kindNumber, numeralOf(value)
}

// numeralAdvice says what a text that begins like a number may have been meant for.
func numeralAdvice(text string) string {
	switch {
	case strings.Contains(text, "..") && !strings.ContainsFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }):
		return ": a loop that counts is written for i = 1, 10 do, and .. joins texts, with a space before it"
	case strings.Contains(text, "_"):
		return ": digits are not grouped"
	case strings.HasPrefix(text, "0b"), strings.HasPrefix(text, "0B"):
		return ": there are no binary numbers, but 0x0F"
	case !strings.Contains(text, ".") && !strings.HasPrefix(text, "0x"):
		return ": a name does not begin with a digit"
	}
	return ""
}

// symbol reads punctuation, the longest first.
func (lx *lexer) symbol(tok *token) {
	rest := lx.src[lx.pos:]
	// "..." must come before "..", which would match its beginning.
	for _, symbol := range [...]string{"...", "..", "==", "~=", "<=", ">=", "::"} {
		if strings.HasPrefix(rest, symbol) {
			tok.kind = symbol
			lx.pos += len(symbol)
			return
		}
	}
	if strings.IndexByte("+-*/%^#(){}[]<>=;:,.", rest[0]) < 0 {
		lx.foreign(tok)
		return
	}
	if strings.HasPrefix(rest, "//") {
		lx.fail(tok.line, tok.column, "\"//\" is not an operator of Lua 5.1: a comment starts with --, and math.floor(a / b) divides without a remainder")
		return
	}
	tok.kind = rest[:1]
	lx.pos++
}

// foreign explains symbols of other languages.
func (lx *lexer) foreign(tok *token) {
	rest := lx.src[lx.pos:]
	message := "unexpected symbol " + symbolAt(rest)
	for _, known := range [...][2]string{
		{"!=", "unexpected \"!=\": did you mean ~= (not equal)?"},
		{"!", "unexpected \"!\": did you mean not?"},
		{"&&", "unexpected \"&&\": did you mean and?"},
		{"||", "unexpected \"||\": did you mean or?"},
		{"~", "unexpected \"~\": not equal is written ~=, and there are no bit operators in Lua 5.1"},
		{"&", "unexpected \"&\": there are no bit operators in Lua 5.1"},
		{"“", "unexpected “: a string begins and ends with a straight quote, \" or '"},
		{"”", "unexpected ”: a string begins and ends with a straight quote, \" or '"},
		{"‘", "unexpected ‘: a string begins and ends with a straight quote, \" or '"},
		{"’", "unexpected ’: a string begins and ends with a straight quote, \" or '"},
		{"|", "unexpected \"|\": there are no bit operators in Lua 5.1"},
		{"`", "unexpected symbol \"`\": a text stands in \" or '"},
		{"?", "unexpected symbol \"?\": write a and b or c, or an if"},
		{"@", "unexpected symbol \"@\": names begin with a letter or _"},
		{"$", "unexpected symbol \"$\": names begin with a letter or _"},
	} {
		if strings.HasPrefix(rest, known[0]) {
			message = known[1]
			break
		}
	}
	lx.fail(tok.line, tok.column, message)
}

// isLetter reports whether a name may begin with a byte. It is independent of the
// locale, unlike in PUC Lua: a script is the same script on every machine.
func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// quoted reads a string in quotes.
func (lx *lexer) quoted(tok *token) {
	mark := lx.src[lx.pos]
	lx.pos++
	var text strings.Builder
	for {
		c := lx.peek(0)
		switch {
		case lx.pos >= len(lx.src) || c == '\n' || c == '\r':
			if at := lx.apostrophe(tok.at); at >= 0 {
				lx.fail(tok.line, at-lx.start+1, "unfinished string: this ' ends it: write \\' for it, or \" around the string")
				return
			}
			lx.fail(tok.line, tok.column, fmt.Sprintf("unfinished string: the closing %c is missing on this line", mark))
			return
		case c == mark:
			lx.pos++
			tok.kind, tok.text = kindString, text.String()
			return
		case c == '\\':
			lx.escape(&text)
		default:
			text.WriteByte(c)
			lx.pos++
		}
	}
}

// apostrophe returns the offset of a ' between two letters, which ended the string to whose
// end the one at an offset belongs; -1 if there is none on the line.
func (lx *lexer) apostrophe(end int) int {
	if end < lx.start { // the string began lines before
		return -1
	}
	at := strings.LastIndexByte(lx.src[lx.start:end], '\'') + lx.start
	if lx.src[end] != '\'' || at <= lx.start || !isLetter(lx.src[at-1]) || !isLetter(lx.src[at+1]) || !isLetter(lx.src[end-1]) {
		return -1
	}
	return at
}

// escape reads one backslash sequence. As in PUC Lua an unknown letter stands
// for itself.
func (lx *lexer) escape(text *strings.Builder) {
	lx.pos++
	c := lx.peek(0)
	switch {
	case lx.pos >= len(lx.src):
		// the caller reports the unfinished string
	case c == '\n' || c == '\r':
		lx.newline()
		text.WriteByte('\n')
	case isDigit(c):
		lx.decimalEscape(text)
	default:
		if i := strings.IndexByte("abfnrtv", c); i >= 0 {
			c = "\a\b\f\n\r\t\v"[i]
		}
		text.WriteByte(c)
		lx.pos++
	}
}

// decimalEscape reads up to three digits after a backslash. The value is a byte, not a
// character.
func (lx *lexer) decimalEscape(text *strings.Builder) {
	from := lx.pos
	for lx.pos < from+3 && isDigit(lx.peek(0)) {
		lx.pos++
	}
	code, _ := strconv.Atoi(lx.src[from:lx.pos])
	if code > 255 {
		lx.fail(lx.line, from-lx.start, fmt.Sprintf("escape sequence \\%d is above \\255", code))
		return
	}
	text.WriteByte(byte(code))
}

// level returns the number of equals signs of the long bracket here, or -1 when
// there is none.
func (lx *lexer) level() int {
	n := 1
	for lx.peek(n) == '=' {
		n++
	}
	if lx.peek(n) == '[' {
		return n - 1
	}
	return -1
}

// long reads a string or comment in long brackets. A line end of any kind
// counts as \n, and the one right after the opening bracket is dropped.
func (lx *lexer) long(what string) string {
	line, column := lx.line, lx.pos-lx.start+1
	level := lx.level()
	closing := "]" + strings.Repeat("=", level) + "]"
	lx.pos += level + 2
	if c := lx.peek(0); c == '\n' || c == '\r' {
		lx.newline()
	}
	var text strings.Builder
	for lx.pos < len(lx.src) {
		switch c := lx.src[lx.pos]; {
		case c == '\n' || c == '\r':
			lx.newline()
			text.WriteByte('\n')
		case c == ']' && strings.HasPrefix(lx.src[lx.pos:], closing):
			lx.pos += len(closing)
			return text.String()
		default:
			text.WriteByte(c)
			lx.pos++
		}
	}
	lx.fail(line, column, fmt.Sprintf("unfinished long %s: %q is missing", what, closing))
	lx.fault.fatal = true
	return ""
}

// numeralOf writes a number so that gopher-lua's compiler, which takes "010" for eight,
// "1_0" for ten and "1e400" for not-a-number, reads its value, and -0 as negativeZero.
func numeralOf(value float64) string {
	switch {
	case value == 0 && math.Signbit(value):
		return negativeZero
	case value == float64(int64(value)) && value < 1<<53:
		return strconv.FormatInt(int64(value), 10)
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}

// parseNumeral reads an unsigned decimal numeral or a hexadecimal integer, which is rounded
// to the nearest float. One that is too large is infinite, one that is too small is zero. A
// lone 0x stays malformed.
func parseNumeral(text string) (float64, bool) {
	digits, allowed := text, "0123456789.eE+-"
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		digits, allowed, text = text[2:], "0123456789abcdefABCDEF", text+"p0"
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, strings.Trim(digits, allowed) == "" && (err == nil || errors.Is(err, strconv.ErrRange))
}

// quote shows a piece of a script in a message, cut to a readable length.
func quote(text string) string {
	const most = 40
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strconv.Quote(text)
}

// symbolAt shows the first character of text, or its byte when it is not UTF-8.
func symbolAt(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError {
		return fmt.Sprintf("\"\\x%02x\"", text[0])
	}
	return quote(text[:size])
}
