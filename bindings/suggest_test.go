package bindings

import (
	"strings"
	"testing"
)

func TestLacksKnowsTheKindsOfOtherLanguages(t *testing.T) {
	names := []string{"f32", "f64", "i32", "bool", "array", "enum", "system"}
	for name, want := range map[string]string{
		"string": "an enum takes one of a few words", "float": `"f32"`, "int": `"i32"`, "Boolean": `"bool"`, "double": `"f64"`,
		"sytem": `(did you mean "system"?)`, "quaternion": `ecs has no "quaternion"`,
	} {
		if got := Lacks(name, names).Message; !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
