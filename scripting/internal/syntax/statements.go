package syntax

import "fmt"

// The statements of the grammar, one method each. A method begins at the
// first token of the statement, and leaves the token after it. It returns a node
// after a fault, too: all tokens are the end of the file then, and Parse drops the
// tree.

// close consumes the token that ends the block begun by opener.
// It is called for brackets as well. What it compares for the hints is kept even if
// the text turns out to be right, since a misplaced end is noticed only later.
func (p *parser) close(kind string, opener token) token {
	if !p.at(kind) {
		p.unclosed(kind, opener)
		return p.tok
	}
	if last := len(p.open) - 1; last >= 0 && p.open[last].closer == kind {
		p.open = p.open[:last]
	}
	p.hints.closed(opener, p.tok)
	return p.advance()
}

// name reads a name that is declared.
// where ends the message of a missing name, such as "after local".
func (p *parser) name(where string) *Name {
	tok := p.expect(kindName, where)
	return &Name{Pos: tok.pos(), Value: tok.text}
}

// doStmt reads do … end.
func (p *parser) doStmt() Stmt {
	opener := p.advance()
	body := p.block()
	return &Do{Pos: opener.pos(), Body: body, End: p.close("end", opener).pos()}
}

// body reads the block of a loop.
// loops counts the loops around a statement in its own function: a break in a
// function inside of a loop leaves nothing.
func (p *parser) body(opener token) (body []Stmt, end Pos) {
	p.expect("do", "after the head of the loop")
	p.fn.loops++
	body = p.block()
	p.fn.loops--
	return body, p.close("end", opener).pos()
}

// whileStmt reads while … do … end.
func (p *parser) whileStmt() Stmt {
	opener := p.advance()
	condition := p.condition("do")
	body, end := p.body(opener)
	return &While{Pos: opener.pos(), End: end, Condition: condition, Body: body}
}

// repeatStmt reads repeat … until. The condition is read after the loop was counted
// off, which is harmless: a function in it has a count of its own, and no statement
// stands in it.
func (p *parser) repeatStmt() Stmt {
	opener := p.advance()
	p.fn.loops++
	body := p.block()
	p.fn.loops--
	p.close("until", opener)
	condition := p.expr()
	return &Repeat{Pos: opener.pos(), End: condition.Position(), Condition: condition, Body: body}
}

// condition reads the expression in front of then or do.
func (p *parser) condition(before string) Expr {
	condition := p.expr()
	if p.at("=") {
		meant := "unexpected \"=\" in a condition: did you mean ==?"
		if p.ahead.at == p.tok.to && (p.ahead.kind == ">" || p.ahead.kind == "<") {
			meant = fmt.Sprintf("unexpected \"=%s\": did you mean %s=?", p.ahead.kind, p.ahead.kind)
		}
		p.fail(p.tok, "%s", meant)
	}
	if !p.at(before) {
		p.wanted = before
		p.unexpected(describe(before) + " after the condition")
	}
	return condition
}

// maxElseifs bounds the elseif parts of one if. Each is a block inside the one
// before, and every name is looked up through all of them.
const maxElseifs = 1000

// ifStmt reads if and its elseif parts, which nest in each other's else.
func (p *parser) ifStmt() Stmt {
	opener := p.advance()
	outer := &If{Pos: opener.pos(), Condition: p.condition("then")}
	p.accept("then")
	outer.Then = p.block()
	inner := outer
	for parts := 1; p.at("elseif"); parts++ {
		if parts > maxElseifs {
			p.fail(p.tok, "more than %d elseif parts: use a table", maxElseifs)
			p.lx.fault.fatal = true
		}
		keyword := p.advance()
		next := &If{Pos: keyword.pos(), Condition: p.condition("then")}
		p.accept("then")
		next.Then = p.block()
		inner.Else = []Stmt{next}
		inner = next
	}
	if p.accept("else") {
		inner.Else = p.block()
	}
	outer.End = p.close("end", opener).pos()
	return outer
}

// forStmt reads both kinds of for. The token after the first name decides which it is.
func (p *parser) forStmt() Stmt {
	opener := p.advance()
	names := []*Name{p.name("after for")}
	if p.accept("=") {
		return p.numberFor(opener, names[0])
	}
	for p.accept(",") {
		names = append(names, p.name("after the comma"))
	}
	if !p.accept("in") {
		p.unexpected("\"=\" or \"in\" after the names of the loop")
	}
	exprs := p.exprs()
	body, end := p.body(opener)
	return &GenericFor{Pos: opener.pos(), End: end, Names: names, Exprs: exprs, Body: body}
}

// numberFor reads a for that counts, from its first value on.
func (p *parser) numberFor(opener token, name *Name) Stmt {
	loop := &NumberFor{Pos: opener.pos(), Name: name, Init: p.expr()}
	p.expect(",", "and the last value of the loop")
	loop.Limit = p.expr()
	if p.accept(",") {
		loop.Step = p.expr()
	}
	loop.Body, loop.End = p.body(opener)
	return loop
}

// functionStmt reads function a.b.c(...) and function a.b:c(...).
func (p *parser) functionStmt() Stmt {
	opener := p.advance()
	stmt := &FunctionStmt{Pos: opener.pos()}
	var target Expr = p.name("after function")
	for p.at(".") {
		p.advance()
		target = field(target, p.expect(kindName, "after the dot"))
	}
	if p.accept(":") {
		stmt.Receiver, stmt.Method = target, p.expect(kindName, "after the colon").text
	} else {
		stmt.Target = target
	}
	stmt.Func = p.function(opener)
	stmt.Func.Self = stmt.Receiver != nil
	return stmt
}

// localStmt reads local names and local functions.
func (p *parser) localStmt() Stmt {
	opener := p.advance()
	if p.at("function") {
		keyword := p.advance()
		name := p.name("after local function")
		if p.at(".") || p.at(":") {
			p.fail(p.tok, "a local function has a plain name: leave out local, or the %q", p.tok.kind)
		}
		return &LocalFunction{Pos: opener.pos(), Name: name, Func: p.function(keyword)}
	}
	local := &Local{Pos: opener.pos(), Names: []*Name{p.name("after local")}}
	for p.accept(",") {
		local.Names = append(local.Names, p.name("after the comma"))
	}
	if p.accept("=") {
		local.Exprs = p.exprs()
	}
	return local
}

// returnStmt reads return. That it is the last statement of its block is held by block.
func (p *parser) returnStmt() Stmt {
	stmt := &Return{Pos: p.advance().pos()}
	if !p.blockEnds() && !p.at(";") {
		stmt.Exprs = p.exprs()
	}
	return stmt
}

// breakStmt reads break. Outside of a loop it is a fault here, so that all faults of
// syntax are found before the text is compiled.
func (p *parser) breakStmt() Stmt {
	if p.fn.loops == 0 {
		p.fail(p.tok, "break outside a loop")
	}
	return &Break{Pos: p.advance().pos()}
}

// labelStmt reads ::name::. Whether a goto finds it is known only to the resolver, see
// lead.
func (p *parser) labelStmt() Stmt {
	opener := p.advance()
	name := p.expect(kindName, "in a label").text
	p.expect("::", "after the label")
	return &Label{Pos: opener.pos(), Name: name}
}

// exprStmt reads a call or an assignment.
// A call in parentheses is no statement: (f()) is an expression with one value. A
// comma after a call may belong to a constructor around the block, whose end is missing
// then; blockEnds knows.
func (p *parser) exprStmt() Stmt {
	first, before := p.tok, p.prev
	target, settable := p.suffixed("a statement")
	call, ok := target.(*Call)
	ok = ok && !call.Single
	if !p.at("=") && !p.at(",") || ok && p.blockEnds() {
		if !ok {
			p.notStatement(first, before)
		}
		return &CallStmt{Pos: target.Position(), Call: target}
	}
	targets := []Expr{p.target(target, settable)}
	for p.accept(",") {
		targets = append(targets, p.target(p.suffixed("a name after the comma")))
	}
	p.expect("=", "after the names")
	return &Assign{Pos: first.pos(), Lhs: targets, Rhs: p.exprs()}
}

// target refuses what cannot be assigned to, such as a call.
func (p *parser) target(target Expr, settable bool) Expr {
	if p.at(",") && p.prev.kind == kindString {
		p.fail(p.tok, "several arguments need parentheses, such as f(\"a\", b)")
	} else if !settable {
		p.vaguely(p.tok, "cannot assign to this expression: only names and fields can be set")
	}
	return target
}
