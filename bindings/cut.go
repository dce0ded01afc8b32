package bindings

import (
	"fmt"
	"unicode/utf8"
)

const (
	// longestQuote is how many bytes a message shows of a text of a script's, and
	// longestPart how many of a message that is part of it. To format a text takes
	// far longer than its length says, and nobody reads to its end.
	longestQuote = 80
	longestPart  = 4 << 10

	// longestMessage is how many bytes of what a script raises are looked at.
	longestMessage = 16 << 10
)

// Cut returns the beginning of a text, for a message that quotes it.
func Cut(text string) string { return cutAt(text, longestQuote) }

// cutAt cuts between two letters.
func cutAt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// quotable is a text in a message: cut before it is formatted.
type quotable string

// Format implements fmt.Formatter.
func (q quotable) Format(f fmt.State, verb rune) {
	if verb == 'q' {
		fmt.Fprintf(f, "%q", Cut(string(q)))
		return
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), cutAt(string(q), longestPart))
}

// sayf is fmt.Sprintf for messages about what a script wrote: texts are cut before
// they are formatted, those that are quoted (%q) to 80 bytes.
func sayf(format string, v ...any) string {
	for i := range v {
		if text, ok := v[i].(string); ok {
			v[i] = quotable(text)
		}
	}
	return fmt.Sprintf(format, v...)
}
