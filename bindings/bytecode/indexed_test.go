package bytecode

import (
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// TestIndexed: the first parameter is indexed surely, and the key is known where it is a
// constant; not after a branch, and not when it may be another value by then.
func TestIndexed(t *testing.T) {
	for text, want := range map[string]string{
		"return e.x":                          "x",
		"local y = 1; e.hp = y":               "hp",
		"e:hit()":                             "hit",
		"local k = f(); return e[k]":          "?",
		"f(e); return other.x":                "-",
		"if f() then return e.x end":          "-",
		"e = f(); return e.x":                 "-",
		"g = function() e = 1 end return e.x": "-",
		"g = function() return function() e = 1 end end return e.x": "-",
		"g = function() return e end return e.x":                    "x",
		"for i = 1, 2 do f(e.x) end":                                "-",
	} {
		chunk, err := parse.Parse(strings.NewReader("return function(e, other) "+text+" end"), "t")
		if err != nil {
			t.Fatal(err)
		}
		outer, err := lua.Compile(chunk, "t")
		if err != nil {
			t.Fatal(err)
		}
		got := "-"
		if pc, key := Indexed(outer.FunctionPrototypes[0], 0); pc >= 0 {
			if got = "?"; key != nil {
				got = key.String()
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
