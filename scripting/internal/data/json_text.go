package data

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// quoted reads a text in double quotes.
func (r *decoder) quoted() (string, *diag.Error) {
	begin := r.at
	r.at++
	plain := r.at
	for r.at < len(r.text) && r.text[r.at] != '"' && r.text[r.at] != '\\' && r.text[r.at] >= ' ' {
		r.at++
	}
	if r.next() == '"' { // as nearly all are
		text := string(r.text[plain:r.at])
		r.at++
		r.file.Texts += len(text)
		return text, nil
	}
	var b strings.Builder
	b.Write(r.text[plain:r.at])
	for {
		switch c := r.next(); {
		case r.at >= len(r.text), c == '\n', c == '\r':
			return "", r.fail(begin, "the text that begins here has no closing quote in its line; a line break in a text is \\n")
		case c == '"':
			r.at++
			r.file.Texts += b.Len()
			return b.String(), nil
		case c == '\\':
			if err := r.escape(&b); err != nil {
				return "", err
			}
		case c < ' ':
			return "", r.fail(r.at, "the character 0x%02x cannot stand in a text as it is: write \\u%04x", c, c)
		default:
			b.WriteByte(c)
			r.at++
		}
	}
}

// escapes are the characters that stand after a backslash, with what they mean.
const escapes = "\"\"\\\\//b\bf\fn\nr\rt\t"

// escape reads what begins with a backslash.
func (r *decoder) escape(b *strings.Builder) *diag.Error {
	begin := r.at
	r.at++
	c := r.next()
	r.at++
	if c == 'u' {
		return r.unicode(b, begin)
	}
	for i := 0; i < len(escapes); i += 2 {
		if escapes[i] == c && c != 0 {
			b.WriteByte(escapes[i+1])
			return nil
		}
	}
	return r.fail(begin, "%s is no escape of JSON: a backslash is written \\\\", r.shownEscape(begin))
}

func (r *decoder) shownEscape(begin int) string {
	_, n := utf8.DecodeRune(r.text[min(begin+1, len(r.text)):])
	return diag.Format("%q", string(r.text[begin:min(begin+1+n, len(r.text))]))
}

// unicode reads the four digits of \u, and those of the second half of a pair.
func (r *decoder) unicode(b *strings.Builder, begin int) *diag.Error {
	first, ok := r.hex()
	if !ok {
		return r.fail(begin, "\\u has four hexadecimal digits after it, as in \\u00e9")
	}
	if !utf16.IsSurrogate(first) {
		b.WriteRune(first)
		return nil
	}
	if r.next() == '\\' && r.at+1 < len(r.text) && r.text[r.at+1] == 'u' {
		r.at += 2
		second, ok := r.hex()
		if c := utf16.DecodeRune(first, second); ok && c != utf8.RuneError {
			b.WriteRune(c)
			return nil
		}
	}
	return r.fail(begin, "this is half of a character: \\ud800 to \\udfff stand in pairs")
}

// hex reads four hexadecimal digits.
func (r *decoder) hex() (rune, bool) {
	if r.at+4 > len(r.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(r.text[r.at:r.at+4]), 16, 16)
	if err != nil || r.text[r.at] == '+' {
		return 0, false
	}
	r.at += 4
	return rune(n), true
}
