package value

import (
	"testing"
)

func TestSplitPlace(t *testing.T) {
	for _, c := range []struct {
		text, script, message string
		line                  int
	}{
		{"a.lua:3: why", "a.lua", "why", 3},
		{"ai/steer.lua:12: a.lua:3: why", "ai/steer.lua", "a.lua:3: why", 12},
		{"a.lua:3:", "a.lua", "", 3},
		{"no place", "", "no place", 0},
		{"a.lua: why", "", "a.lua: why", 0},
		{"a.lua:x: why", "", "a.lua:x: why", 0},
		{`the file "a.lua:3: x`, "", `the file "a.lua:3: x`, 0},
		{"", "", "", 0},
	} {
		script, line, message := SplitPlace(c.text)
		if script != c.script || line != c.line || message != c.message {
			t.Errorf("%q: %q %d %q", c.text, script, line, message)
		}
	}
}

func TestInnermost(t *testing.T) {
	if script, line, message := Innermost("a.lua:1: b.lua:2: c.lua:3: why"); script != "c.lua" || line != 3 || message != "why" {
		t.Error(script, line, message)
	}
	if script, line, message := Innermost("why"); script != "" || line != 0 || message != "why" {
		t.Error(script, line, message)
	}
}
