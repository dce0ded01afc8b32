package diag

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ text, lines, line string }{
		{"", "", ""},
		{"wave 3\tbegins", "wave 3\tbegins", "wave 3\tbegins"},
		{"zwölf Boxkämpfer, 十二, 🎮", "zwölf Boxkämpfer, 十二, 🎮", "zwölf Boxkämpfer, 十二, 🎮"},
		{"a\nb", "a\nb", `a\nb`},
		{"a\r\nb\rc", "a\nb" + `\rc`, `a\r\nb\rc`},
		{"\x1b[2J\x07\x00\x7f", `\x1b[2J\x07\x00\x7f`, `\x1b[2J\x07\x00\x7f`},
		{"\u0085\u009b31m", `\u0085\u009b31m`, `\u0085\u009b31m`},
		{"\u202a\u202b\u202c\u202d\u202e", `\u202a\u202b\u202c\u202d\u202e`, `\u202a\u202b\u202c\u202d\u202e`},
		{"\u2066\u2067\u2068\u2069\u200e\u200f\u061c", `\u2066\u2067\u2068\u2069\u200e\u200f\u061c`, `\u2066\u2067\u2068\u2069\u200e\u200f\u061c`},
		{"\u2028\u2029\u200b\u200d\ufeff\u00ad", `\u2028\u2029\u200b\u200d\ufeff\u00ad`, `\u2028\u2029\u200b\u200d\ufeff\u00ad`},
		{"\U000e0041\U0010ffff", `\U000e0041\U0010ffff`, `\U000e0041\U0010ffff`},
		{"\xff\xc3(\xed\xa0\x80\x9b", `\xff\xc3(\xed\xa0\x80\x9b`, `\xff\xc3(\xed\xa0\x80\x9b`},
		{"\ufffd non-breaking\u00a0space", "\ufffd non-breaking\u00a0space", "\ufffd non-breaking\u00a0space"},
	} {
		if got := Visible(c.text); got != c.lines {
			t.Errorf("Visible(%q) is %q, want %q", c.text, got, c.lines)
		}
		if got := OneLine(c.text); got != c.line {
			t.Errorf("OneLine(%q) is %q, want %q", c.text, got, c.line)
		}
	}
}

// TestNoRuneGetsThrough asks every character there is, and every byte.
func TestNoRuneGetsThrough(t *testing.T) {
	harmless := func(r rune) bool { return r == '\t' || unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) }
	for r := rune(0); r <= unicode.MaxRune; r++ {
		for _, shown := range OneLine(string(r)) {
			if !harmless(shown) || shown == unicode.ReplacementChar && r != shown && (r < 0xd800 || r > 0xdfff) {
				t.Fatalf("%U is shown as %q", r, OneLine(string(r)))
			}
		}
	}
	for b := range 256 {
		for _, shown := range OneLine("x" + string([]byte{byte(b)}) + "x") {
			if !harmless(shown) || shown == unicode.ReplacementChar {
				t.Fatalf("byte %#x is shown as %q", b, shown)
			}
		}
	}
}

// TestCutShown: a long text says how many bytes are missing, by the text that there was, and is not
// cut again.
func TestCutShown(t *testing.T) {
	for _, letter := range []string{"x", "é", "世"} {
		whole := strings.Repeat(letter, 900_000/len(letter))
		cut := CutShown(whole)
		shown, _, ok := strings.Cut(cut, "…")
		if !ok || len(cut) > LongestShown || !strings.HasPrefix(whole, shown) || !strings.HasSuffix(cut, fmt.Sprintf("… (%s more bytes)", Grouped(int64(900_000-len(shown))))) {
			t.Errorf("%d bytes, which end in %q", len(cut), cut[len(cut)-40:])
		}
		if again := CutShown(cut); again != cut {
			t.Errorf("cut twice: %q", again[len(again)-60:])
		}
	}
	if fits := strings.Repeat("x", LongestShown); CutShown(fits) != fits {
		t.Error("a text that fits is cut")
	}
}

// TestShownLine: a line is no longer than LongestShown as it is shown, whatever is in it, and says how many
// bytes of the text are missing.
func TestShownLine(t *testing.T) {
	for _, part := range []string{"x", "\x01", "\n", "é", "\u202a", "\U000e0041", "plain \x1b[2J words\n", "\xff"} {
		for _, bytes := range []int{1, LongestShown / 11, LongestShown / 4, LongestShown, LongestShown + 1, 900_000} {
			text := strings.Repeat(part, bytes/len(part)+1)
			whole, got := OneLine(text), ShownLine(text, len(text))
			if len(whole) <= LongestShown {
				if got != whole {
					t.Errorf("%d × %q: %q is changed", bytes, part, got)
				}
				continue
			}
			shown, missing, ok := strings.Cut(got, "…")
			if !ok || len(got) > LongestShown || len(got) < LongestShown-2*cutNote || !strings.HasPrefix(whole, shown) {
				t.Errorf("%d × %q: %d bytes, which end in %q", bytes, part, len(got), got[max(len(got)-40, 0):])
				continue
			}
			read := 0
			for i, at := 0, 0; i < len(shown); { // letter by letter
				_, n := utf8.DecodeRuneInString(text[at:])
				i += len(OneLine(text[at : at+n]))
				at += n
				read = at
			}
			if want := fmt.Sprintf(" (%s more bytes)", Grouped(int64(len(text)-read))); missing != want {
				t.Errorf("%d × %q ends in %q, want %q", bytes, part, missing, want)
			}
			if got != ShownLine(text[:len(text)*2/3], len(text)) && len(shown) < len(OneLine(text[:len(text)*2/3])) {
				t.Errorf("%d × %q, of which only a part was put together, is another line", bytes, part)
			}
		}
	}
}
