package front

import "github.com/yuin/gopher-lua/ast"

// close consumes the token that ends the block begun by opener.
func (p *parser) close(kind string, opener token) token {
	if p.at(kind) {
		p.hints.closed(opener, p.tok)
		return p.advance()
	}
	p.unclosed(kind, opener)
	return p.tok
}

func (p *parser) doStmt() ast.Stmt {
	opener := p.advance()
	stmts := p.block()
	return span(&ast.DoBlockStmt{Stmts: stmts}, opener.line, p.close("end", opener).line)
}

// body reads the block of a loop.
func (p *parser) body(opener token) ([]ast.Stmt, int) {
	p.expect("do", "after the head of the loop")
	p.fn.loops++
	stmts := p.block()
	p.fn.loops--
	return stmts, p.close("end", opener).line
}

func (p *parser) whileStmt() ast.Stmt {
	opener := p.advance()
	condition := p.condition("do")
	stmts, last := p.body(opener)
	return span(&ast.WhileStmt{Condition: condition, Stmts: stmts}, opener.line, last)
}

func (p *parser) repeatStmt() ast.Stmt {
	opener := p.advance()
	p.fn.loops++
	stmts := p.block()
	p.fn.loops--
	p.close("until", opener)
	condition := p.expr()
	return span(&ast.RepeatStmt{Condition: condition, Stmts: stmts}, opener.line, condition.Line())
}

// condition reads the expression in front of then or do.
func (p *parser) condition(before string) ast.Expr {
	condition := p.expr()
	if p.at("=") {
		p.fail(p.tok, "unexpected \"=\" in a condition: did you mean ==?")
	}
	if !p.at(before) {
		p.unexpected(describe(before) + " after the condition")
	}
	return condition
}

// maxElseifs bounds the elseif parts of one if. Each is a block inside the one
// before, and every name is looked up through all of them.
const maxElseifs = 1000

// ifStmt reads if and its elseif parts, which nest in each other's else.
func (p *parser) ifStmt() ast.Stmt {
	opener := p.advance()
	outer := &ast.IfStmt{Condition: p.condition("then")}
	p.accept("then")
	outer.Then = p.block()
	inner := outer
	for parts := 1; p.at("elseif"); parts++ {
		if parts > maxElseifs {
			p.fail(p.tok, "more than %d elseif parts: use a table", maxElseifs)
		}
		line := p.advance().line
		next := at(&ast.IfStmt{Condition: p.condition("then")}, line)
		p.accept("then")
		next.Then = p.block()
		inner.Else = []ast.Stmt{next}
		inner = next
	}
	if p.accept("else") {
		p.hints.elseIf(p.prev, p.tok)
		inner.Else = p.block()
	}
	return span(outer, opener.line, p.close("end", opener).line)
}

func (p *parser) forStmt() ast.Stmt {
	opener := p.advance()
	names := []string{p.expect(kindName, "after for").text}
	if p.accept("=") {
		return p.numberFor(opener, names[0])
	}
	for p.accept(",") {
		names = append(names, p.expect(kindName, "after the comma").text)
	}
	if !p.accept("in") {
		p.unexpected("\"=\" or \"in\" after the names of the loop")
	}
	exprs := p.exprs()
	stmts, last := p.body(opener)
	return span(&ast.GenericForStmt{Names: names, Exprs: exprs, Stmts: stmts}, opener.line, last)
}

func (p *parser) numberFor(opener token, name string) ast.Stmt {
	loop := &ast.NumberForStmt{Name: name, Init: p.expr()}
	p.expect(",", "and the last value of the loop")
	loop.Limit = p.expr()
	if p.accept(",") {
		loop.Step = p.expr()
	}
	var last int
	loop.Stmts, last = p.body(opener)
	return span(loop, opener.line, last)
}

// functionStmt reads function a.b.c(...) and function a.b:c(...).
func (p *parser) functionStmt() ast.Stmt {
	opener := p.advance()
	first := p.expect(kindName, "after function")
	var target ast.Expr = at(&ast.IdentExpr{Value: first.text}, first.line)
	for p.at(".") {
		p.advance()
		target = field(target, p.expect(kindName, "after the dot"))
	}
	name := &ast.FuncName{Func: target}
	if p.accept(":") {
		name = &ast.FuncName{Receiver: target, Method: p.expect(kindName, "after the colon").text}
	}
	fn := p.function(opener)
	return span(&ast.FuncDefStmt{Name: name, Func: fn}, opener.line, fn.LastLine())
}

// localStmt reads local names and local functions. Only the latter get a last
// line; by this gopher-lua tells them apart.
func (p *parser) localStmt() ast.Stmt {
	opener := p.advance()
	if p.at("function") {
		keyword := p.advance()
		name := p.expect(kindName, "after local function")
		if p.at(".") || p.at(":") {
			p.fail(p.tok, "a local function has a plain name: leave out local, or the %q", p.tok.kind)
		}
		fn := p.function(keyword)
		return span(&ast.LocalAssignStmt{Names: []string{name.text}, Exprs: []ast.Expr{fn}}, opener.line, fn.LastLine())
	}
	local := at(&ast.LocalAssignStmt{Exprs: []ast.Expr{}}, opener.line)
	local.Names = append(local.Names, p.expect(kindName, "after local").text)
	for p.accept(",") {
		local.Names = append(local.Names, p.expect(kindName, "after the comma").text)
	}
	if p.accept("=") {
		local.Exprs = p.exprs()
	}
	return local
}

func (p *parser) returnStmt() ast.Stmt {
	opener := p.advance()
	stmt := at(&ast.ReturnStmt{}, opener.line)
	if !p.blockEnds() && !p.at(";") {
		stmt.Exprs = p.exprs()
	}
	return stmt
}

func (p *parser) breakStmt() ast.Stmt {
	if p.fn.loops == 0 {
		p.fail(p.tok, "break outside a loop")
	}
	return at(&ast.BreakStmt{}, p.advance().line)
}

func (p *parser) labelStmt() ast.Stmt {
	line := p.advance().line
	name := p.expect(kindName, "in a label").text
	p.expect("::", "after the label")
	return at(&ast.LabelStmt{Name: name}, line)
}

// exprStmt reads a call or an assignment.
func (p *parser) exprStmt() ast.Stmt {
	first := p.tok
	target, settable := p.suffixed("a statement")
	if !p.at("=") && !p.at(",") {
		call, ok := target.(*ast.FuncCallExpr)
		if !ok || call.AdjustRet {
			p.notStatement(first)
		}
		return at(&ast.FuncCallStmt{Expr: target}, target.Line())
	}
	targets := []ast.Expr{p.target(target, settable)}
	for p.accept(",") {
		targets = append(targets, p.target(p.suffixed("a name after the comma")))
	}
	p.expect("=", "after the names")
	return at(&ast.AssignStmt{Lhs: targets, Rhs: p.exprs()}, first.line)
}

func (p *parser) target(target ast.Expr, settable bool) ast.Expr {
	if !settable {
		p.fail(p.tok, "cannot assign to this expression: only names and fields can be set")
	}
	return target
}
