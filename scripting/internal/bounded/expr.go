package bounded

import (
	"slices"
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// columnMethods are the methods of columns: each works in Go over all rows.
func columnMethods() []string {
	return []string{
		"fill", "copy", "add", "sub", "mul", "div", "min", "max", "madd", "clamp", "sum", "lowest", "highest",
	}
}

func (p *prover) values(exprs []ast.Expr) {
	for _, e := range exprs {
		p.value(e)
	}
}

// value accepts an expression whose value is no table.
func (p *prover) value(e ast.Expr) {
	p.spend(e, nodeCost)
	switch e := e.(type) {
	case *ast.NilExpr, *ast.TrueExpr, *ast.FalseExpr, *ast.NumberExpr:
	case *ast.StringExpr:
		if len(e.Value) > maxString {
			p.refuse(e, "a string of more than %d bytes", maxString)
		}
	case *ast.IdentExpr:
		p.name(e)
	case *ast.AttrGetExpr:
		p.index(e)
	case *ast.FuncCallExpr:
		p.call(e)
	default:
		p.operator(e)
	}
}

func (p *prover) operator(e ast.Expr) {
	switch e := e.(type) {
	case *ast.LogicalOpExpr:
		if e.Operator == "and" { // its value is the left side only when that is false
			p.condition(e.Lhs)
		} else {
			p.value(e.Lhs)
		}
		p.value(e.Rhs)
	case *ast.RelationalOpExpr:
		p.value(e.Lhs)
		p.value(e.Rhs)
	case *ast.ArithmeticOpExpr:
		if e.Operator == "%" {
			p.refuse(e, "a remainder: the machine takes up to 20 microseconds for one")
		}
		if e.Operator == "^" && !changes(e.Rhs) {
			p.refuse(e, "a power that may leave a signalling not-a-number as it is")
		}
		p.value(e.Lhs)
		p.value(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		p.value(e.Expr)
	case *ast.UnaryNotOpExpr:
		p.condition(e.Expr)
	default:
		p.refuse(e, "a %s", nameOf(e))
	}
}

// changes reports whether no power with an exponent is the number itself.
func changes(exponent ast.Expr) bool {
	literal, ok := exponent.(*ast.NumberExpr)
	if !ok {
		return false
	}
	v, err := strconv.ParseFloat(literal.Value, 64)
	return err == nil && v != 1
}

// condition accepts what is only asked whether it is true: an array may be, too.
func (p *prover) condition(e ast.Expr) {
	switch t := e.(type) {
	case *ast.IdentExpr:
		if l, ok := p.lookup(t.Value); ok && l.array {
			p.spend(e, nodeCost)
			return
		}
	case *ast.LogicalOpExpr:
		p.spend(e, nodeCost)
		p.condition(t.Lhs)
		p.condition(t.Rhs)
		return
	}
	p.value(e)
}

// name accepts a name that stands for a plain value.
func (p *prover) name(e *ast.IdentExpr) {
	l, ok := p.lookup(e.Value)
	switch {
	case ok && l.array:
		p.refuse(e, "the array %q used without an index", e.Value)
	case ok:
	case p.special(e.Value):
		p.refuse(e, "%q used without a field", e.Value)
	default:
		p.bound.Values = note(p.bound.Values, e.Value)
	}
}

// special reports whether a name that is no local has rules of its own.
func (p *prover) special(name string) bool {
	return name == "math" || name == p.batch || name == p.ctx
}

func note(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// index accepts the reading of an element or field.
func (p *prover) index(e *ast.AttrGetExpr) {
	switch {
	case p.isMath(e):
		p.bound.Math = note(p.bound.Math, e.Key.(*ast.StringExpr).Value)
	case p.isField(e, p.batch, "n"):
	case p.isField(e, p.ctx, "dt"), p.isField(e, p.ctx, "time"), p.isField(e, p.ctx, "tick"):
	default:
		p.object(e.Object)
		p.value(e.Key)
	}
}

// object accepts what stands in front of an index: an array of the batch, or an
// outer table. A plain value there is an error of the script, which Go raises.
func (p *prover) object(e ast.Expr) {
	p.spend(e, nodeCost)
	id, ok := e.(*ast.IdentExpr)
	if !ok {
		p.refuse(e, "an index of a %s", nameOf(e))
		return
	}
	_, known := p.lookup(id.Value)
	switch {
	case known:
	case p.special(id.Value):
		p.refuse(e, "this use of %q", id.Value)
	default:
		p.bound.Tables = note(p.bound.Tables, id.Value)
	}
}

// isMath recognises math.name, where math is no local.
func (p *prover) isMath(e ast.Expr) bool {
	get, ok := e.(*ast.AttrGetExpr)
	if !ok {
		return false
	}
	id, isID := get.Object.(*ast.IdentExpr)
	_, isText := get.Key.(*ast.StringExpr)
	return isID && isText && id.Value == "math"
}

// isField recognises param.name for one of the first parameters of a batch
// function. They cannot be hidden: declare sees to that.
func (p *prover) isField(e ast.Expr, param, name string) bool {
	get, ok := e.(*ast.AttrGetExpr)
	if !ok || param == "" {
		return false
	}
	id, isID := get.Object.(*ast.IdentExpr)
	key, isText := get.Key.(*ast.StringExpr)
	return isID && isText && id.Value == param && key.Value == name
}

// call accepts calls of math functions and, as values, of methods that return
// no array.
func (p *prover) call(e *ast.FuncCallExpr) {
	switch {
	case e.Func != nil && p.isMath(e.Func):
		p.value(e.Func)
	case e.Func != nil:
		p.refuse(e, "a call of something other than a math function")
	case p.isBatch(e.Receiver):
		p.batchCall(e, "col", "has")
	case p.batch != "" && slices.Contains(columnMethods(), e.Method):
		p.overRows(e, "a column's method")
		p.value(e.Receiver)
	default:
		p.refuse(e, "a call of the method %q", e.Method)
	}
	p.values(e.Args)
}

func (p *prover) isBatch(e ast.Expr) bool {
	id, ok := e.(*ast.IdentExpr)
	return ok && p.batch != "" && id.Value == p.batch
}

func (p *prover) batchCall(e *ast.FuncCallExpr, methods ...string) {
	if !slices.Contains(methods, e.Method) {
		p.refuse(e, "a call of %s:%s here", p.batch, e.Method)
	}
	p.overRows(e, "a batch's method")
}

// isArray recognises what an array local may begin with: b.entities, b:read(…),
// b:write(…), or one of these after "and".
func (p *prover) isArray(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		return p.isField(e, p.batch, "entities")
	case *ast.FuncCallExpr:
		return e.Func == nil && p.isBatch(e.Receiver) && (e.Method == "read" || e.Method == "write")
	case *ast.LogicalOpExpr:
		return e.Operator == "and" && p.isArray(e.Rhs)
	}
	return false
}

// array accepts what isArray has recognised.
func (p *prover) array(e ast.Expr) {
	p.spend(e, 2*nodeCost)
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		p.overRows(e, "a list of entities")
	case *ast.FuncCallExpr:
		p.batchCall(e, "read", "write")
		p.values(e.Args)
	case *ast.LogicalOpExpr:
		p.condition(e.Lhs)
		p.array(e.Rhs)
	}
}
