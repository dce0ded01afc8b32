package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wide are the characters beyond the scripts of wideScripts that a terminal shows in two
// columns: punctuation and forms of full width, and pictures.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3000, 0x303e, 1}, {0xff01, 0xff60, 1}, {0xffe0, 0xffe6, 1}},
	R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1f9ff, 1}},
}

var wideScripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Yi, unicode.Bopomofo, wide}

// columnsOf returns how many columns of a terminal a character takes: an accent that joins
// the character before it none, one of East Asia two.
//
// Why no library? The widths of all characters fill tables of some thousand lines, which
// differ from terminal to terminal. A caret is off by a column where this is wrong.
func columnsOf(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.In(r, wideScripts...) && (r < 0xff61 || r > 0xffdc): // there are Kana and Hangul of half a width
		return 2
	}
	return 1
}

// Columns returns how many columns of a terminal a line takes that OneLine has returned.
func Columns(line string) (n int) {
	for _, r := range line {
		n += columnsOf(r)
	}
	return n
}

// window returns the part of a line that fits into so many columns and has a column in it,
// and where that column is then. What is left out at either side is shown as "…".
func window(line string, column, width int) (part string, at int) {
	if max(Columns(line), column+1) <= width {
		return line, column
	}
	from := 0
	if column >= width-1 {
		from = column - 2*width/3
	}
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
	}
	c := 0
	for _, r := range line {
		n := columnsOf(r)
		if c+n > from+width-1 {
			b.WriteString("…")
			break
		}
		switch {
		case from == 0 || c > from:
			b.WriteRune(r)
		case c+n > from+1:
			b.WriteString(" ") // the second half of a wide character
		}
		c += n
	}
	return b.String(), column - from
}

// Wrap breaks the lines of a text that are wider than so many columns at words. What goes
// on is indented below the line that it belongs to. A word that does not fit stays whole.
func Wrap(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if Columns(line) > width {
			lines[i] = wrapped(line, width)
		}
	}
	return strings.Join(lines, "\n")
}

func wrapped(line string, width int) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var b strings.Builder
	b.WriteString(indent)
	used, first := len(indent), true
	for _, word := range strings.Split(line[len(indent):], " ") {
		n := Columns(word)
		switch {
		case first:
			first = false
		case used+1+n > width:
			b.WriteString("\n" + indent + "  ")
			used = len(indent) + 2
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}

// Shorten returns a line that takes at most so many columns: where it is longer, its
// beginning.
func Shorten(line string, width int) string {
	if utf8.RuneCountInString(line) <= width && Columns(line) <= width {
		return line
	}
	part, _ := window(line, 0, max(width, 1))
	return part
}

// Middle is Shorten for names, which keep both of their ends: "enemies.squads.…h.targets".
func Middle(name string, width int) string {
	if Columns(name) <= width {
		return name
	}
	letters := []rune(name)
	for n := len(letters) - 1; n > 1; n-- {
		short := string(letters[:n/2]) + "…" + string(letters[len(letters)-(n-n/2):])
		if Columns(short) <= width {
			return short
		}
	}
	return Shorten(name, width)
}
