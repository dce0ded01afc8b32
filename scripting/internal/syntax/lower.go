package syntax

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// Lowering: one walk over our tree that makes gopher-lua's. On the way it computes
// arithmetic on literals, and has breaks and gotos close the right variables.

// A lowering makes gopher-lua's tree of ours. The new tree belongs to one
// compilation, whose repairs change it; ours stays as it is.
//
// The line of a lowered node is not a line: it is the number of its place in the
// unit's table, see placeTable.
type lowering struct {
	places *placeTable
	adds   Additions
	absent map[*ast.TableExpr][]string // of the lowered tables
	jumps  jumps
	exits  map[Stmt]string // labels behind the loops of jumps.leaves
}

// at gives a node its place.
func at[N ast.PositionHolder](node N, place int) N {
	node.SetLine(place)
	return node
}

// span gives a node its first and last place.
func span[N ast.PositionHolder](node N, first, last int) N {
	node.SetLine(first)
	node.SetLastLine(last)
	return node
}

// block lowers the statements of a block; nil, the else that is not there, stays nil.
func (l *lowering) block(stmts []Stmt) []ast.Stmt {
	if stmts == nil {
		return nil
	}
	out := make([]ast.Stmt, len(stmts))
	for i, stmt := range stmts {
		out[i] = l.stmt(stmt)
	}
	return out
}

// stmt lowers a statement. Each gets a place of its own even if two stand at one: what
// finish makes of an instruction belongs to one node.
func (l *lowering) stmt(stmt Stmt) ast.Stmt {
	place := l.places.add(stmt.Position())
	switch s := stmt.(type) {
	case *Assign:
		return at(&ast.AssignStmt{Lhs: l.exprs(s.Lhs), Rhs: l.exprs(s.Rhs)}, place)
	case *Local:
		return at(&ast.LocalAssignStmt{Names: Texts(s.Names), Exprs: l.exprs(s.Exprs)}, place)
	case *LocalFunction: // it alone has a last line; by this the repairs tell them apart
		fn := l.expr(s.Func)
		return span(&ast.LocalAssignStmt{Names: []string{s.Name.Value}, Exprs: []ast.Expr{fn}}, place, fn.LastLine())
	case *FunctionStmt:
		return l.functionStmt(s, place)
	case *CallStmt:
		return at(&ast.FuncCallStmt{Expr: l.expr(s.Call)}, place)
	case *Return:
		return at(&ast.ReturnStmt{Exprs: l.exprs(s.Exprs)}, place)
	case *Break:
		return l.breakStmt(s, place)
	case *Goto:
		if l.jumps.keeps[s] {
			place = l.places.addKeeping(s.Pos)
		}
		return at(&ast.GotoStmt{Label: s.Label}, place)
	case *Label:
		return at(&ast.LabelStmt{Name: s.Name}, place)
	}
	lowered := l.blockStmt(stmt, place)
	// The label is asked for after the body was lowered, as the breaks in it make it.
	if label := l.exits[stmt]; label != "" {
		behind := at(&ast.LabelStmt{Name: label}, lowered.LastLine())
		return inBlock([]ast.Stmt{lowered, behind}, lowered)[0]
	}
	return lowered
}

// breakStmt lowers a break, see jumps.
// All breaks of a loop share one label behind it. Its name has blanks and a bracket,
// so no goto of a script can mean it.
func (l *lowering) breakStmt(s *Break, place int) ast.Stmt {
	loop := l.jumps.leaves[s]
	if loop == nil {
		return at(&ast.BreakStmt{}, place)
	}
	if l.exits[loop] == "" {
		l.exits[loop] = fmt.Sprintf("(exit %d)", len(l.exits))
	}
	return at(&ast.GotoStmt{Label: l.exits[loop]}, place)
}

// functionStmt lowers `function a.b:c()`. For a method gopher-lua's compiler adds self.
func (l *lowering) functionStmt(s *FunctionStmt, place int) ast.Stmt {
	name := &ast.FuncName{Method: s.Method}
	if s.Target != nil {
		name.Func = l.expr(s.Target)
	} else {
		name.Receiver = l.expr(s.Receiver)
	}
	fn := l.function(s.Func)
	return span(&ast.FuncDefStmt{Name: name, Func: fn}, place, fn.LastLine())
}

// blockStmt lowers a statement with blocks.
func (l *lowering) blockStmt(stmt Stmt, place int) ast.Stmt {
	switch s := stmt.(type) {
	case *Do:
		return span(&ast.DoBlockStmt{Stmts: l.block(s.Body)}, place, l.places.add(s.End))
	case *While:
		return span(&ast.WhileStmt{Condition: l.expr(s.Condition), Stmts: l.block(s.Body)}, place, l.places.add(s.End))
	case *Repeat:
		loop := &ast.RepeatStmt{Stmts: l.block(s.Body), Condition: l.expr(s.Condition)}
		return span(loop, place, l.places.add(s.End))
	case *If:
		branch := &ast.IfStmt{Condition: l.expr(s.Condition), Then: l.block(s.Then), Else: l.block(s.Else)}
		return span(branch, place, l.places.add(s.End))
	case *NumberFor:
		loop := &ast.NumberForStmt{Name: s.Name.Value, Init: l.expr(s.Init), Limit: l.expr(s.Limit)}
		if s.Step != nil {
			loop.Step = l.expr(s.Step)
		}
		loop.Stmts = l.block(s.Body)
		return span(loop, place, l.places.add(s.End))
	}
	s := stmt.(*GenericFor)
	loop := &ast.GenericForStmt{Names: Texts(s.Names), Exprs: l.exprs(s.Exprs), Stmts: l.block(s.Body)}
	return span(loop, place, l.places.add(s.End))
}

// exprs lowers a list; it is never nil.
func (l *lowering) exprs(list []Expr) []ast.Expr {
	out := make([]ast.Expr, len(list))
	for i, expr := range list {
		out[i] = l.expr(expr)
	}
	return out
}

// expr lowers an expression. A function takes no place here: addFunction gives it one
// that knows its number.
func (l *lowering) expr(expr Expr) ast.Expr {
	if fn, ok := expr.(*Function); ok {
		return l.function(fn)
	}
	place := l.places.add(expr.Position())
	switch e := expr.(type) {
	case *Nil:
		return at(&ast.NilExpr{}, place)
	case *True:
		return at(&ast.TrueExpr{}, place)
	case *False:
		return at(&ast.FalseExpr{}, place)
	case *Number:
		return at(&ast.NumberExpr{Value: e.Value}, place)
	case *String:
		return at(&ast.StringExpr{Value: e.Value}, place)
	case *Vararg:
		return at(&ast.Comma3Expr{AdjustRet: e.Single}, place)
	case *Name:
		return at(&ast.IdentExpr{Value: e.Value}, place)
	case *Index:
		return at(&ast.AttrGetExpr{Object: l.expr(e.Object), Key: l.expr(e.Key)}, place)
	case *Call:
		return l.call(e, place)
	case *Table:
		return l.table(e, place)
	}
	return l.operator(expr, place)
}

// call lowers a call of a function or of a method.
func (l *lowering) call(e *Call, place int) ast.Expr {
	call := &ast.FuncCallExpr{Method: e.Method, AdjustRet: e.Single}
	if e.Func != nil {
		call.Func = l.expr(e.Func)
	} else {
		call.Receiver = l.expr(e.Receiver)
	}
	call.Args = l.exprs(e.Args)
	return at(call, place)
}

// table lowers a constructor, and notes it for the repair noteAbsent if somebody wants to
// know of its keys: the repairs know the lowered tree only.
func (l *lowering) table(e *Table, place int) ast.Expr {
	table := &ast.TableExpr{Fields: make([]*ast.Field, len(e.Fields))}
	for i, field := range e.Fields {
		lowered := &ast.Field{Value: l.expr(field.Value)}
		if field.Key != nil {
			lowered.Key = l.expr(field.Key)
		}
		table.Fields[i] = lowered
	}
	if names := l.adds.Absent[e]; len(names) > 0 {
		l.absent[table] = names
	}
	return at(table, place)
}

// function lowers a function.
func (l *lowering) function(fn *Function) *ast.FunctionExpr {
	params := &ast.ParList{HasVargs: fn.Vararg, Names: Texts(fn.Params)}
	lowered := &ast.FunctionExpr{ParList: params, Stmts: l.block(fn.Body)}
	return span(lowered, l.places.addFunction(fn), l.places.add(fn.End))
}

// operator lowers an operator; arithmetic on literals becomes one number, see computed.
func (l *lowering) operator(expr Expr, place int) ast.Expr {
	switch e := expr.(type) {
	case *Logical:
		return at(&ast.LogicalOpExpr{Operator: e.Operator, Lhs: l.expr(e.Lhs), Rhs: l.expr(e.Rhs)}, place)
	case *Comparison:
		return at(&ast.RelationalOpExpr{Operator: e.Operator, Lhs: l.expr(e.Lhs), Rhs: l.expr(e.Rhs)}, place)
	case *Concat:
		return at(&ast.StringConcatOpExpr{Lhs: l.expr(e.Lhs), Rhs: l.expr(e.Rhs)}, place)
	case *Arithmetic:
		if number := computed(e); number != nil {
			return at(number, place)
		}
		return at(&ast.ArithmeticOpExpr{Operator: e.Operator, Lhs: l.expr(e.Lhs), Rhs: l.expr(e.Rhs)}, place)
	case *Minus:
		if number := computed(e); number != nil {
			return at(number, place)
		}
		return at(&ast.UnaryMinusOpExpr{Expr: l.expr(e.Expr)}, place)
	case *Not:
		return at(&ast.UnaryNotOpExpr{Expr: l.expr(e.Expr)}, place)
	}
	return at(&ast.UnaryLenOpExpr{Expr: l.expr(expr.(*Length).Expr)}, place)
}
