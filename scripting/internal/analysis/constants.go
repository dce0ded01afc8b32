package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// constantOf returns the number that an expression is for good: that of a local that is
// declared with one and assigned nothing else, as in
//
//	local size = 1000
//
// To fetch a captured local costs the VM an instruction for every use and
// row, a constant nothing. So in a second form the name becomes the number, where it is an
// operand.
func constantOf(names *syntax.Names, e syntax.Expr) (numeral string, ok bool) {
	v := variable(names, e)
	if v == nil || len(v.Assigned) > 0 {
		return "", false
	}
	number, ok := v.Value.(*syntax.Number)
	if !ok {
		return "", false
	}
	return number.Value, true
}
