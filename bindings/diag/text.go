package diag

import (
	"fmt"
	"math"
	"slices"
	"strconv"
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
func plain(text string, lines bool) bool { return leading(text, lines) == len(text) }

// leading returns how many bytes at the beginning of a text are ASCII that can stay.
func leading(text string, lines bool) int {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\t' && !(lines && c == '\n') {
			return i
		}
	}
	return len(text)
}

func escaped(text string, lines bool) string {
	out, _ := escapedUpTo(text, lines, math.MaxInt)
	return out
}

// escapedUpTo returns what escaped makes of the beginning of a text, about most bytes at the most, and how
// many bytes of the text that is.
func escapedUpTo(text string, lines bool, most int) (out string, read int) {
	b := make([]byte, 0, min(len(text)+len(text)/8, most))
	i := 0
	for i < len(text) && len(b) < most {
		if n := leading(text[i:min(len(text), i+most-len(b))], lines); n > 0 {
			b = append(b, text[i:i+n]...)
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = hex(append(b, `\x`...), rune(text[i]), 2)
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r < 0x80:
			b = hex(append(b, `\x`...), r, 2)
		case unicode.IsPrint(r), unicode.Is(unicode.Zs, r):
			b = append(b, text[i:i+n]...)
		case r < 0x10000:
			b = hex(append(b, `\u`...), r, 4)
		default:
			b = hex(append(b, `\U`...), r, 8)
		}
		i += n
	}
	return string(b), i
}

// hex adds so many digits of a number.
func hex(b []byte, r rune, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[r>>shift&15])
	}
	return b
}

// Grouped writes a number with a comma after each three digits, as the messages
// about limits do: 50,000,001 of 50,000,000 is told apart at a glance.
func Grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1 // the sign belongs to no group
	}
	for at := len(digits) - 3; at > first; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

const (
	// longestQuote is how many bytes a message shows of a text of a script's, and
	// LongestPart how many of a message that is part of it. To format a text takes
	// far longer than its length says, and nobody reads to its end.
	longestQuote = 80
	LongestPart  = 4 << 10
)

// Cut returns the beginning of a text, for a message that quotes it.
func Cut(text string) string { return CutAt(text, longestQuote) }

// CutAt returns the beginning of a text that is longer than so many bytes. It cuts between
// two letters.
func CutAt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// LongestShown is how many bytes of one message are shown: of a line of the log, and of what a
// script passes to error. The last cutNote of them are for what CutShown says.
const (
	LongestShown = 8 << 10
	cutNote      = 64
)

// CutShown returns a text that is no longer than LongestShown: of a longer one the beginning, cut
// between two letters, and how many bytes are missing. A text that was cut so stays as it is.
func CutShown(text string) string {
	if len(text) <= LongestShown {
		return text
	}
	shown := CutAt(text, LongestShown-cutNote)
	return fmt.Sprintf("%s (%s more bytes)", shown, Grouped(int64(len(text)-len(shown)+len("…"))))
}

// LongestLog is about how many bytes of a line for the log are put together. The same long
// text a thousand times would be more than there is memory.
const LongestLog = 64 << 10

// ShownLine is OneLine for a line that is no longer than LongestShown, however it is shown. text is the line, or
// what was put together of one that has so many bytes.
func ShownLine(text string, bytes int) string {
	shown, read := escapedUpTo(text, false, LongestShown)
	if read == bytes && len(shown) <= LongestShown {
		return shown
	}
	shown, read = escapedUpTo(text, false, LongestShown-cutNote)
	return fmt.Sprintf("%s… (%s more bytes)", shown, Grouped(int64(bytes-read)))
}

// quotable is a text in a message: cut before it is formatted.
type quotable string

// Format implements fmt.Formatter.
func (q quotable) Format(f fmt.State, verb rune) {
	if verb == 'q' {
		fmt.Fprintf(f, "%q", Cut(string(q)))
		return
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), CutAt(string(q), LongestPart))
}

// Format is fmt.Sprintf for messages about what a script wrote: texts are cut before
// they are formatted, those that are quoted (%q) to 80 bytes.
func Format(format string, v ...any) string {
	if text, ok := formatTexts(format, v); ok {
		return text
	}
	for i := range v {
		if text, ok := v[i].(string); ok {
			v[i] = quotable(text)
		}
	}
	return fmt.Sprintf(format, v...)
}

// formatTexts is Format for %s and %q of texts alone, which most errors that scripts catch are made of,
// without the work of fmt. ok is false for everything else.
func formatTexts(format string, v []any) (out string, ok bool) {
	var buffer [128]byte
	b := buffer[:0]
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			return string(append(b, format...)), len(v) == 0
		}
		if i+1 == len(format) || len(v) == 0 {
			return "", false
		}
		text, isText := v[0].(string)
		if !isText {
			return "", false
		}
		b = append(b, format[:i]...)
		switch format[i+1] {
		case 's':
			b = append(b, CutAt(text, LongestPart)...)
		case 'q':
			b = strconv.AppendQuote(b, Cut(text))
		default:
			return "", false
		}
		format, v = format[i+2:], v[1:]
	}
}

// Article puts the article before the name of a type; nil needs none.
func Article(kind string) string {
	if kind == "nil" {
		return kind
	}
	return "a " + kind
}

// Plural says how many there are of something: 1 entity, 10,000 entities.
func Plural(n int, what string) string {
	many := what + "s"
	if stem, ok := strings.CutSuffix(what, "y"); ok {
		many = stem + "ies"
	}
	return Count(n, what, many)
}

// Count says how many there are of something whose words for one and for many it gets: 1
// entity has, 10,000 entities have.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(int64(n)) + " " + many
}

// keywords of Lua are no names.
var keywords = strings.Fields("and break do else elseif end false for function goto if in local nil not or repeat return then true until while")

// IsName reports whether a text is a name of Lua: it may stand after a dot, and as a key without brackets.
func IsName(s string) bool {
	for i, c := range []byte(s) {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && !slices.Contains(keywords, s)
}
