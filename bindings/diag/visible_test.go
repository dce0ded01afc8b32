package diag

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
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
