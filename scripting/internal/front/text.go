package front

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoted reads a string in quotes.
func (lx *lexer) quoted(tok *token) {
	mark := lx.src[lx.pos]
	lx.pos++
	var text strings.Builder
	for {
		c := lx.peek(0)
		switch {
		case lx.pos >= len(lx.src) || c == '\n' || c == '\r':
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
	return ""
}

// canonicalNumeral rewrites a numeral so that gopher-lua's compiler, which takes
// "010" for eight, "1_0" for ten and "1e400" for not-a-number, reads its value.
func canonicalNumeral(text string) (string, bool) {
	value, ok := parseNumeral(text)
	if !ok {
		return "", false
	}
	if value == float64(int64(value)) && value < 1<<53 {
		return strconv.FormatInt(int64(value), 10), true
	}
	return strconv.FormatFloat(value, 'g', -1, 64), true
}

// parseNumeral reads an unsigned decimal numeral or a hexadecimal integer.
func parseNumeral(text string) (float64, bool) {
	if hex, ok := cutHexPrefix(text); ok {
		return parseHex(hex)
	}
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	if fault, ok := err.(*strconv.NumError); ok && fault.Err == strconv.ErrRange {
		err = nil // too large is infinite, too small is zero
	}
	return value, err == nil
}

func cutHexPrefix(text string) (string, bool) {
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		return text[2:], true
	}
	return "", false
}

func parseHex(digits string) (float64, bool) {
	if strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return 0, false
	}
	value, err := strconv.ParseFloat("0x"+digits+"p0", 64)
	return value, err == nil
}

// quote shows a piece of a script in a message, cut to a readable length.
func quote(text string) string {
	const most = 40
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strconv.Quote(text)
}

// symbolAt returns the first character of text, or its byte when it is not
// UTF-8.
func symbolAt(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError {
		return fmt.Sprintf("\\x%02x", text[0])
	}
	return text[:size]
}
