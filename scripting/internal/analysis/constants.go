package analysis

import (
	"strconv"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// constant is a local of the script that is a number for good, as in
//
//	local size = 1000
//
// To fetch a captured local costs the VM an instruction for every use and
// row, a constant nothing. So in a second form a name that stands for one number in all
// of the text becomes that number, where it is an operand.
type constant struct {
	value string
	line  int // of its declaration
}

// constantsOf finds the locals of the script's outermost block that are declared
// as a number, where no other local has the name and nothing is assigned to it.
func constantsOf(body []syntax.Stmt) map[string]constant {
	mentions := mentionsOf(body)
	found := map[string]constant{}
	for _, s := range body {
		local, ok := s.(*syntax.Local)
		if !ok || len(local.Names) != len(local.Exprs) {
			continue
		}
		for i, name := range local.Names {
			if number, ok := local.Exprs[i].(*syntax.Number); ok && mentions[name.Value] == 1 && !isZero(number.Value) {
				found[name.Value] = constant{number.Value, max(local.Line(), number.Line())}
			}
		}
	}
	return found
}

// mentionsOf counts how often names are declared or assigned.
func mentionsOf(body []syntax.Stmt) map[string]int {
	mentions := map[string]int{}
	count := func(names ...*syntax.Name) {
		for _, name := range names {
			mentions[name.Value]++
		}
	}
	assign := func(target syntax.Expr) {
		if name, ok := target.(*syntax.Name); ok {
			count(name)
		}
	}
	syntax.WalkBlock(body, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			for _, target := range n.Lhs {
				assign(target)
			}
		case *syntax.Local:
			count(n.Names...)
		case *syntax.LocalFunction:
			count(n.Name)
		case *syntax.NumberFor:
			count(n.Name)
		case *syntax.GenericFor:
			count(n.Names...)
		case *syntax.FunctionStmt:
			assign(n.Target)
		case *syntax.Function:
			count(n.Params...)
			if n.Self {
				mentions["self"]++
			}
		}
		return true
	})
	return mentions
}

// isZero reports whether a numeral is zero, or none. gopher-lua's compiler keeps one
// constant for 0 and -0: one more could change another.
func isZero(numeral string) bool {
	v, err := strconv.ParseFloat(numeral, 64)
	return err != nil || v == 0
}
