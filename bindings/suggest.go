package bindings

import (
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// Lacks says that the ecs table, which has names, lacks one. Whoever
// comes from another language looks for the kinds of fields by the names there.
func Lacks(name string, names []string) *Error {
	hint := diag.DidYouMean(name, names)
	switch strings.ToLower(name) {
	case "string", "str", "text":
		hint = ": fields hold numbers, truths, enums, entities and arrays of them; an enum takes one of a few words"
	case "number", "float", "float32", "single":
		hint = ` (did you mean "f32"?)`
	case "double", "float64":
		hint = ` (did you mean "f64"?)`
	case "int", "integer", "int32":
		hint = ` (did you mean "i32"?)`
	case "boolean":
		hint = ` (did you mean "bool"?)`
	case "table", "list":
		hint = ` (did you mean "array"?)`
	}
	return diag.New("ecs has no %q%s", name, hint)
}
