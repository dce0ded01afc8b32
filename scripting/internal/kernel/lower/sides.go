package lower

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// sides translates the operands of an operator. In a + f(), the Lua machine reads a local
// a where it stands, after the call, and all else before it.
func (l *lowerer) sides(lhs, rhs ast.Expr, translate func(ast.Expr) val) [2]val {
	list := func(e ast.Expr) []val { return []val{translate(e)} }
	if l.own(lhs) && calls(rhs) {
		out := l.sequence([]ast.Expr{rhs, lhs}, list)
		return [2]val{out[1], out[0]}
	}
	out := l.sequence([]ast.Expr{lhs, rhs}, list)
	return [2]val{out[0], out[1]}
}

// calls reports whether an expression calls anything.
func calls(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		return true
	case *ast.AttrGetExpr:
		return calls(e.Object) || calls(e.Key)
	}
	return slices.ContainsFunc(operands(e), calls)
}

// own reports whether an operand is the name of a local of the function that is being
// read, not of one around it.
func (l *lowerer) own(e ast.Expr) bool {
	if op, ok := e.(*ast.LogicalOpExpr); ok {
		return !astray(op.Lhs) && settled(op) == settled(op.Rhs) && l.own(op.Rhs)
	}
	id, ok := e.(*ast.IdentExpr)
	if !ok {
		return false
	}
	for s := l.scope; s != nil && s != l.around; s = s.outer {
		if b := s.names[id.Value]; b != nil {
			return b.kind == isLocal
		}
	}
	return false
}

// astray reports whether a literal is what is left of an and or an or over an operand
// that would have decided otherwise: behind it, a name is read at its place in the text,
// see package front.
func astray(e ast.Expr) bool {
	op, ok := e.(*ast.LogicalOpExpr)
	if !ok {
		return false
	}
	decided, known := truth(settled(op.Lhs))
	if !known || decided != (op.Operator == "or") {
		return astray(op.Rhs)
	}
	skipped, known := truth(settled(op.Rhs))
	return !known || skipped != decided
}
