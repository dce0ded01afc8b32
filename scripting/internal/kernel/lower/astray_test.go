package lower

import (
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// TestLiteralsThatHideAName: behind which left sides of an and or an or the VM reads a name
// at its place in the text. What is left of each must be one that the operand which was
// dropped would have decided otherwise.
func TestLiteralsThatHideAName(t *testing.T) {
	for text, want := range map[string]bool{
		"true or a":              true,
		"false and a":            true,
		"nil and a":              true,
		"true or true":           false,
		"true or 1":              false,
		"true or false":          true,
		"true or nil":            true,
		"false and false":        false,
		"false and nil":          false,
		"false and true":         true,
		"true and a":             false,
		"false or a":             false,
		"a or true":              false,
		"a and b":                false,
		"true and (false and a)": true,
		"a and (true or b)":      true,
		"a or (true or true)":    false,
		"a":                      false,
		"true":                   false,
	} {
		tree, err := syntax.Parse("a.lua", []byte("local a, b\nlocal x = "+text), syntax.Options{})
		if err != nil {
			t.Fatal(text, err)
		}
		e := tree.Body[1].(*syntax.Local).Exprs[0]
		if got := astray(e); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
