package analysis

import (
	"strconv"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

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
	if !ok || isZero(number.Value) {
		return "", false
	}
	return number.Value, true
}

// isZero reports whether a numeral is zero, or none. gopher-lua's compiler keeps one
// constant for 0 and -0: one more could change another.
func isZero(numeral string) bool {
	v, err := strconv.ParseFloat(numeral, 64)
	return err != nil || v == 0
}
