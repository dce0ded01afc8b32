package analysis

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// TestConstants holds which names become numbers in a second form.
func TestConstants(t *testing.T) {
	const head, tail = "\nreturn { query = {}, each = function(e, p)\n", "\nend }"
	for text, want := range map[string]int{
		"local size = 5" + head + "p.x = p.x + size p.y = size < p.x" + tail:                   2,
		"local a, size = 1, 5" + head + "if p.x < 0 or p.x > size then p.x = a end" + tail:     1,
		"local size = 5" + head + "p.x = size" + tail:                                          0, // no operand
		"local size = 5" + head + "p.x = size * 2" + tail:                                      1,
		"local size, half = 5, 2" + head + "p.x = size * -half" + tail:                         1, // a minus has no second operand
		"local size, half = 5, 2" + head + "p.x = p.x * size * half" + tail:                    2,
		"local size = 0" + head + "p.x = p.x + size" + tail:                                    1,
		"local size = -5" + head + "p.x = p.x + size" + tail:                                   0,
		"local size = 5 size = 6" + head + "p.x = p.x + size" + tail:                           0,
		"local size = 5" + head + "p.x = p.x + size size = p.x" + tail:                         0,
		"local size = 5 do local size = 6 end" + head + "p.x = p.x + size" + tail:              1,
		"local size = 5 local function f(size) end" + head + "p.x = p.x + size" + tail:         1,
		"local size = 5 do local size = 6" + head + "p.x = p.x + size" + tail + " end":         1,
		"local size = 5" + head + "local size = p.y p.x = p.x + size" + tail:                   0,
		"local function f(size)" + head + "p.x = p.x + size" + tail + " end":                   0,
		"local function f() local size = 7" + head + "p.x = p.x + size" + tail + " end":        1,
		"local size = 5 local function f() size = 6 end" + head + "p.x = p.x + size" + tail:    0,
		"local size = 5" + head + "for size = 1, 2 do p.x = p.x + size end" + tail:             0,
		"do local size = 5 end" + head + "p.x = p.x + size" + tail:                             0,
		"local size = 5 function size() end" + head + "p.x = p.x + size" + tail:                0,
		"local t = { query = {}, each = function(e, p) p.x = p.x + size end }\nlocal size = 5": 0, // a global there
	} {
		each := Of(parse(t, text)).Each[0]
		if each.Form == nil {
			t.Fatalf("%s: no second form", text)
		}
		if got := numbers(each.Form) - numbers(each.Function); got != want {
			t.Errorf("%s: %d names became numbers, want %d", strings.ReplaceAll(text, "\n", " "), got, want)
		}
	}
}

// numbers counts the numerals in a function.
func numbers(fn *syntax.Function) int {
	n := 0
	syntax.Walk(fn, func(node syntax.Node) bool {
		if _, ok := node.(*syntax.Number); ok {
			n++
		}
		return true
	})
	return n
}
