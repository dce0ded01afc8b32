package bindings

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns a text that can do nothing to the terminal, log or page that
// shows it. Line feeds and tabs stay. What is no visible character is written as
// an escape: \r, \x1b, \u202e. That goes for control characters, old and new, for
// marks that turn the direction of writing, for characters without width, for
// separators of lines other than the line feed, and for bytes that are not UTF-8.
//
// Whatever comes from a script goes through Visible or OneLine before it is
// shown: a message, a name, the name of a file, a line of source. A backslash of
// the text stays single, so an escape cannot be told from the same characters in
// the text.
func Visible(text string) string {
	if plain(text, true) {
		return text
	}
	return escaped(strings.ReplaceAll(text, "\r\n", "\n"), true)
}

// OneLine is Visible for what has to stay on its line: a line feed becomes \n. So
// a script that puts one into a name or a message cannot forge a line.
func OneLine(text string) string {
	if plain(text, false) {
		return text
	}
	return escaped(text, false)
}

// plain reports whether a text is nothing but ASCII that can stay. Most is.
func plain(text string, lines bool) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\t' && !(lines && c == '\n') {
			return false
		}
	}
	return true
}

func escaped(text string, lines bool) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\t', lines && r == '\n', unicode.IsPrint(r), unicode.Is(unicode.Zs, r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += n
	}
	return b.String()
}
