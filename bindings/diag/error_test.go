package diag

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestErrorForms(t *testing.T) {
	cause := errors.New("cause")
	for want, e := range map[string]*Error{
		"script: why":                    {Message: "why"},
		"a.lua: why":                     {Script: "a.lua", Message: "why"},
		"a.lua:3: why":                   {Script: "a.lua", Line: 3, Message: "why"},
		"a.lua:3:7: why":                 {Script: "a.lua", Line: 3, Column: 7, Message: "why"},
		`a.lua:3: system "s": tick 4: w`: {Script: "a.lua", Line: 3, System: "s", Tick: 4, Message: "w"},
		"a.lua:3: why (parked: it is tried again after a while, or when its file is saved)":       {Script: "a.lua", Line: 3, Message: "why", Parked: true, Err: cause},
		"a.lua: w (parked: it is tried again after a while; with it those that require it: b, c)": {Script: "a.lua", Message: "w", Parked: true, Blocked: []string{"b", "c"}},
		"a.lua: w; one more system or observer did not run in this tick either":                   {Script: "a.lua", Message: "w", Others: 1},
		"a.lua: w; 2,500 more systems and observers did not run in this tick either (3 times)":    {Script: "a.lua", Message: "w", Others: 2500, Times: 3},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if e.Err != nil && !errors.Is(e, cause) {
			t.Error("the cause is lost")
		}
	}
}

func TestDetailPointsAtTheColumn(t *testing.T) {
	for _, c := range []struct {
		e    Error
		want string
	}{
		{Error{Line: 3, Column: 12, Source: "\tlocal x = Helth", Message: `unknown name "Helth"`}, "script:3:12: unknown name \"Helth\"\n  3 |  local x = Helth\n    |            ^"},
		{Error{Line: 3, Column: 12, Source: "a = 'zwölf'..b", Message: "why"}, "script:3:12: why\n  3 | a = 'zwölf'..b\n    |           ^"},
		{Error{Line: 12, Column: 5, Source: "a = \x01b", Message: "why"}, "script:12:5: why\n  12 | a = \\x01b\n     |     ^"},
		{Error{Line: 3, Column: 3, Source: "ab", Message: "at the end"}, "script:3:3: at the end\n  3 | ab\n    |   ^"},
		{Error{Line: 3, Column: 4, Source: "ab", Message: "beyond"}, "script:3:4: beyond\n  3 | ab"},
		{Error{Line: 3, Column: 3, Source: "x = = 3", Message: "found"}, "script:3:3: found\n  3 | x = = 3\n    |   ^"},
		{Error{Line: 3, Source: "  nothing", Message: "why"}, "script:3: why\n  3 |   nothing"},
		{Error{Line: 3, Message: "why"}, "script:3: why"},
	} {
		if got := c.e.Detail(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestLinesOfAText: each of Lua's ends of lines ends one, and a byte order mark is not shown.
func TestLinesOfAText(t *testing.T) {
	for text, want := range map[string][]string{
		"a\nb\n":               {"", "a", "b", "", ""},
		"a\r\n\r\nb":           {"", "a", "", "b", ""},
		"a\rb\r\rc":            {"", "a", "b", "", "c", ""},
		"a\n\rb":               {"", "a", "b", ""},
		"\xef\xbb\xbfa\nb\xef": {"", "a", "b\xef"},
		"":                     {"", "", ""},
	} {
		for n, line := range want {
			if got := NewText([]byte(text)).Line(n); got != line {
				t.Errorf("%q, line %d: %q, want %q", text, n, got, line)
			}
		}
	}
}

// TestLinesOfLongTexts: a text of more lines than are noted has the same lines in every order, and a line is made once.
func TestLinesOfLongTexts(t *testing.T) {
	var lines []string
	for n := range 5*mostMarks + 77 {
		lines = append(lines, strings.Repeat("x", n%7)+strconv.Itoa(n))
	}
	text := NewText([]byte(strings.Join(lines, "\r\n")))
	for k := range len(lines) {
		n := k * 7919 % len(lines)
		if got := text.Line(n + 1); got != lines[n] {
			t.Fatalf("line %d: %q, want %q", n+1, got, lines[n])
		}
	}
	if got := text.Line(len(lines) + 1); got != "" {
		t.Errorf("beyond the end: %q", got)
	}
	if n := testing.AllocsPerRun(10, func() { text.Line(9999) }); n != 0 {
		t.Errorf("%v allocations for a line that is known", n)
	}
}

// TestDetailFits: of a long line the part around the caret is shown, and the caret is below
// the same token, counted in columns of a terminal.
func TestDetailFits(t *testing.T) {
	long := strings.Repeat("local x=1 ", 200)
	for _, c := range []struct {
		source string
		width  int
		want   []string
	}{
		{"@ = 1 " + long, 40, []string{"  7 | @ = 1 local x=1 local x=1 local x…", "    | ^"}},
		{long + "@", 40, []string{"  7 | … local x=1 local x=1 @", "    |                       ^"}},
		{"local x=1 local x=1 @ " + long, 40, []string{"  7 | local x=1 local x=1 @ local x=1 l…", "    |                     ^"}},
		{long + "@" + long, 40, []string{"  7 | … local x=1 local x=1 @local x=1 …", "    |                       ^"}},
		{"a = '日本語' @", 80, []string{"  7 | a = '日本語' @", "    |              ^"}},
		{"a = 'e\u0301' @", 80, []string{"  7 | a = 'e\u0301' @", "    |         ^"}},
		{strings.Repeat("語", 200) + "@", 40, nil},
		{strings.Repeat("語", 200) + " @" + long, 41, nil},
		{strings.Repeat("\xff", 200) + "@", 40, nil},
	} {
		e := &Error{Line: 7, Column: strings.Index(c.source, "@") + 1, Source: c.source, Message: "why"}
		lines := strings.Split(e.DetailIn(c.width), "\n")[1:]
		if c.want != nil && !slices.Equal(lines, c.want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(c.want, "\n"))
		}
		at := strings.Index(lines[0], "@")
		if at < 0 || Columns(lines[0]) > c.width || Columns(lines[0][:at]) != strings.Index(lines[1], "^") {
			t.Errorf("in %d columns:\n%s", c.width, strings.Join(lines, "\n"))
		}
	}
}

// TestWrap: lines are broken between words and lose nothing.
func TestWrap(t *testing.T) {
	for text, want := range map[string]string{
		"one two three":      "one two\n  three",
		"  one two\nthree":   "  one two\nthree",
		"  one two three":    "  one two\n    three",
		"longerthanthat one": "longerthanthat\n  one",
		"日本 日本 a":            "日本 日本\n  a",
		"a  b          c":    "a  b     \n      c",
	} {
		got := Wrap(text, 9)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
