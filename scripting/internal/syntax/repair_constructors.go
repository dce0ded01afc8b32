package syntax

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// Table constructors. The compiler stores their items in runs of fieldsPerFlush, and is
// wrong at the borders of these runs; maxFields, in finish.go, is how many items there
// may be.

// fieldsPerFlush is how many items of a constructor the compiler collects in
// registers before it stores them.
const fieldsPerFlush = 50

// repairConstructors avoids three faults in how the compiler stores the items
// of a table constructor. It takes the value of the last key for a call that
// fills up the list. It stores again whatever is in the registers when a key
// follows right after a full run of 50 items. And it stores the values of a
// last call over the run before it when that run was full.
func repairConstructors(_ *unit, stmts []ast.Stmt) []ast.Stmt {
	repair := rewriter{expr: func(expr ast.Expr) ast.Expr {
		if table, ok := expr.(*ast.TableExpr); ok && len(table.Fields) > 0 {
			table.Fields = joinLastCall(orderFields(table.Fields))
		}
		return expr
	}}
	return repair.rewriteBlock(stmts)
}

// orderFields moves keys that follow a full run in front of its last item.
// A key and an item are stored in another order then; the manual leaves the order
// open.
func orderFields(fields []*ast.Field) []*ast.Field {
	out := make([]*ast.Field, 0, len(fields))
	items, last := 0, 0 // items seen, place of the last one in out
	for i, field := range fields {
		full := items > 0 && items%fieldsPerFlush == 0
		switch {
		case field.Key != nil:
			oneValue(field.Value)
			out = append(out, field)
			if full {
				copy(out[last+1:], out[last:])
				out[last] = field
				last++
			}
		default:
			if i < len(fields)-1 || !manyValues(field.Value) {
				items++
			}
			last = len(out)
			out = append(out, field)
		}
	}
	return out
}

// joinLastCall hands the last item of a full run and the call behind it through
// one function, so that the run is one short.
func joinLastCall(fields []*ast.Field) []*ast.Field {
	last := len(fields) - 1
	if fields[last].Key != nil || !manyValues(fields[last].Value) {
		return fields
	}
	items := -1
	for _, field := range fields {
		if field.Key == nil {
			items++
		}
	}
	if items == 0 || items%fieldsPerFlush != 0 {
		return fields
	}
	line := fields[last].Value.Line()
	call := at(&ast.FuncCallExpr{Func: passOn(line), Args: []ast.Expr{fields[last-1].Value, fields[last].Value}}, line)
	return append(fields[:last-1], &ast.Field{Value: call})
}

// passOn is function(...) return ... end.
// It keeps all values of a call that is the last argument, which no list of locals
// could.
func passOn(line int) ast.Expr {
	values := at(&ast.Comma3Expr{}, line)
	body := []ast.Stmt{at(&ast.ReturnStmt{Exprs: []ast.Expr{values}}, line)}
	params := &ast.ParList{HasVargs: true, Names: []string{}}
	return span(&ast.FunctionExpr{ParList: params, Stmts: body}, line, line)
}

// manyValues tells whether an expression may have any number of values.
func manyValues(expr ast.Expr) bool {
	switch e := expr.(type) {
	case *ast.FuncCallExpr:
		return !e.AdjustRet
	case *ast.Comma3Expr:
		return !e.AdjustRet
	}
	return false
}

// maxNames is how many names of keys one call of Options.Absent takes. Arguments live in
// registers, of which a function has 200.
const maxNames = 50

// noteAbsent hands the tables of Additions.Absent through a function.
// The calls nest where there are many names: each gets the table that the one
// inside of it returns.
func noteAbsent(u *unit, stmts []ast.Stmt) []ast.Stmt {
	if u.opts.Absent == nil || len(u.absent) == 0 {
		return stmts
	}
	replace := rewriter{expr: func(expr ast.Expr) ast.Expr {
		table, ok := expr.(*ast.TableExpr)
		if !ok {
			return expr
		}
		for names := range slices.Chunk(u.absent[table], maxNames) {
			call := &ast.FuncCallExpr{Func: u.load(u.opts.Absent, table.Line()), Args: []ast.Expr{expr}, AdjustRet: true}
			for _, name := range names {
				call.Args = append(call.Args, at(&ast.StringExpr{Value: name}, table.Line()))
			}
			expr = at(call, table.Line())
		}
		return expr
	}}
	return replace.rewriteBlock(stmts)
}
