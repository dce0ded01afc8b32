package schema

import (
	"reflect"
	"strings"
	"testing"
)

// TestCheckTags has a mistake of each kind, also inside of a struct and of an array.
func TestCheckTags(t *testing.T) {
	type inner struct {
		A int `ecs:"a,emun=x"`
	}
	for want, v := range map[string]any{
		`the word "x" twice`: struct {
			A uint8 `ecs:"a,enum=x|y|x"`
		}{},
		"an enum is a uint8, and the field is a int": struct {
			A int `ecs:"a,enum=x|y"`
		}{},
		`the field A has the name "a", too`: struct {
			A, B int `ecs:"a"`
		}{},
		`the field HP has the name "hp", too`: struct{ HP, Hp int }{},
		`"not a name" is no name`: struct {
			A int `ecs:"not a name"`
		}{},
		`unknown option "emun=x"`: struct{ In [2]inner }{},
		"": struct {
			A uint8 `ecs:"mood,enum=x|y"`
			C int   `ecs:"-"`
		}{},
	} {
		err := CheckTags(reflect.TypeOf(v))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
