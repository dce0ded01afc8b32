package front

import "github.com/yuin/gopher-lua/ast"

// Priorities of the binary operators, from the manual: an operator is read when
// its left priority is above the limit, and its right operand with the right
// priority as limit.
const unaryPriority = 8

func priorities(kind string) (left, right int) {
	switch kind {
	case "or":
		return 1, 1
	case "and":
		return 2, 2
	case "<", ">", "<=", ">=", "~=", "==":
		return 3, 3
	case "..":
		return 5, 5 // right associative, see concat
	case "+", "-":
		return 6, 6
	case "*", "/", "%":
		return 7, 7
	case "^":
		return 10, 9 // right associative
	}
	return 0, 0
}

func (p *parser) expr() ast.Expr { return p.subexpr(0) }

func (p *parser) exprs() []ast.Expr {
	list := []ast.Expr{p.expr()}
	for p.accept(",") {
		list = append(list, p.expr())
	}
	return list
}

// subexpr reads an expression of operators above the limit.
func (p *parser) subexpr(limit int) ast.Expr {
	if !p.enter() {
		return &ast.NilExpr{}
	}
	defer p.leave()
	lhs := p.unary()
	for {
		left, right := priorities(p.tok.kind)
		if left <= limit {
			return lhs
		}
		if p.at("..") {
			lhs = p.concat(lhs, right)
			continue
		}
		operator := p.advance()
		lhs = binary(operator, lhs, p.subexpr(right))
	}
}

// concat reads a run of `..` without recursion, since texts are often built
// from many pieces.
func (p *parser) concat(first ast.Expr, right int) ast.Expr {
	operands := []ast.Expr{first}
	lines := []int{}
	for p.accept("..") {
		lines = append(lines, p.prev.line)
		operands = append(operands, p.subexpr(right))
	}
	last := len(operands) - 1
	result := operands[last]
	for i := last - 1; i >= 0; i-- {
		result = at(&ast.StringConcatOpExpr{Lhs: operands[i], Rhs: result}, lines[i])
	}
	return result
}

func binary(operator token, lhs, rhs ast.Expr) ast.Expr {
	switch operator.kind {
	case "and", "or":
		return at(&ast.LogicalOpExpr{Operator: operator.kind, Lhs: lhs, Rhs: rhs}, operator.line)
	case "<", ">", "<=", ">=", "~=", "==":
		return at(&ast.RelationalOpExpr{Operator: operator.kind, Lhs: lhs, Rhs: rhs}, operator.line)
	}
	return at(&ast.ArithmeticOpExpr{Operator: operator.kind, Lhs: lhs, Rhs: rhs}, operator.line)
}

func (p *parser) unary() ast.Expr {
	line := p.tok.line
	switch p.tok.kind {
	case "-":
		p.advance()
		return at(&ast.UnaryMinusOpExpr{Expr: p.subexpr(unaryPriority)}, line)
	case "not":
		p.advance()
		return at(&ast.UnaryNotOpExpr{Expr: p.subexpr(unaryPriority)}, line)
	case "#":
		p.advance()
		return at(&ast.UnaryLenOpExpr{Expr: p.subexpr(unaryPriority)}, line)
	}
	return p.simple()
}

func (p *parser) simple() ast.Expr {
	tok := p.tok
	switch tok.kind {
	case kindNumber:
		p.advance()
		return at(&ast.NumberExpr{Value: tok.text}, tok.line)
	case kindString:
		p.advance()
		return at(&ast.StringExpr{Value: tok.text}, tok.line)
	case "nil":
		p.advance()
		return at(&ast.NilExpr{}, tok.line)
	case "true":
		p.advance()
		return at(&ast.TrueExpr{}, tok.line)
	case "false":
		p.advance()
		return at(&ast.FalseExpr{}, tok.line)
	case "...":
		if !p.fn.vararg {
			p.fail(tok, "cannot use \"...\" outside a function that takes \"...\"")
		}
		p.advance()
		return at(&ast.Comma3Expr{}, tok.line)
	case "{":
		return p.table()
	case "function":
		p.advance()
		return p.function(tok)
	}
	value, _ := p.suffixed("an expression")
	return value
}

// primary reads a name or an expression in parentheses. settable tells whether
// it may stand to the left of an assignment.
func (p *parser) primary(wanted string) (value ast.Expr, settable bool) {
	tok := p.tok
	switch tok.kind {
	case kindName:
		p.advance()
		return at(&ast.IdentExpr{Value: tok.text}, tok.line), true
	case "(":
		p.advance()
		value = p.expr()
		p.close(")", tok)
		return oneValue(value), false
	}
	p.unexpected(wanted)
	return &ast.NilExpr{}, false
}

// oneValue marks an expression whose further values are dropped.
func oneValue(value ast.Expr) ast.Expr {
	switch value := value.(type) {
	case *ast.FuncCallExpr:
		value.AdjustRet = true
	case *ast.Comma3Expr:
		value.AdjustRet = true
	}
	return value
}

// suffixed reads a primary expression and the indexes and calls behind it.
func (p *parser) suffixed(wanted string) (value ast.Expr, settable bool) {
	value, settable = p.primary(wanted)
	for {
		tok := p.tok
		switch tok.kind {
		case ".":
			p.advance()
			value, settable = field(value, p.expect(kindName, "after the dot")), true
		case "[":
			p.advance()
			key := p.expr()
			p.close("]", tok)
			value, settable = at(&ast.AttrGetExpr{Object: value, Key: key}, tok.line), true
		case ":":
			p.advance()
			name := p.expect(kindName, "after the colon").text
			value, settable = p.method(value, name), false
		case "(", "{", kindString:
			call := at(&ast.FuncCallExpr{Func: value}, tok.line)
			call.Args = p.args()
			value, settable = call, false
		default:
			return value, settable
		}
	}
}

func field(object ast.Expr, name token) ast.Expr {
	key := at(&ast.StringExpr{Value: name.text}, name.line)
	return at(&ast.AttrGetExpr{Object: object, Key: key}, name.line)
}

func (p *parser) method(receiver ast.Expr, name string) ast.Expr {
	call := at(&ast.FuncCallExpr{Receiver: receiver, Method: name}, p.prev.line)
	call.Args = p.args()
	return call
}

func (p *parser) args() []ast.Expr {
	tok := p.tok
	switch tok.kind {
	case kindString:
		p.advance()
		return []ast.Expr{at(&ast.StringExpr{Value: tok.text}, tok.line)}
	case "{":
		return []ast.Expr{p.table()}
	case "(":
		if tok.line != p.prev.line {
			p.fail(tok, "unclear whether this starts a statement or calls what ends line %d: put a ; in front of it, or move it up", p.prev.line)
		}
		p.advance()
		args := []ast.Expr{}
		if !p.at(")") {
			args = p.exprs()
		}
		p.close(")", tok)
		return args
	}
	p.unexpected("the arguments of the method in parentheses")
	return nil
}

// function reads parameters and body; opener is the keyword function.
func (p *parser) function(opener token) *ast.FunctionExpr {
	p.fn = &function{outer: p.fn}
	fn := &ast.FunctionExpr{ParList: &ast.ParList{Names: []string{}}}
	paren := p.expect("(", "and the parameters of the function")
	for !p.at(")") && !p.at(kindEnd) && !fn.ParList.HasVargs {
		if p.accept("...") {
			fn.ParList.HasVargs = true
			break
		}
		fn.ParList.Names = append(fn.ParList.Names, p.expect(kindName, "as parameter").text)
		if !p.at(")") {
			p.expect(",", "or \")\" after the parameter")
			if p.at(")") {
				p.unexpected("a name as parameter")
			}
		}
	}
	p.close(")", paren)
	p.fn.vararg = fn.ParList.HasVargs
	fn.Stmts = p.block()
	p.fn = p.fn.outer
	return span(fn, opener.line, p.close("end", opener).line)
}

// table reads a constructor.
func (p *parser) table() ast.Expr {
	opener := p.advance()
	table := at(&ast.TableExpr{Fields: []*ast.Field{}}, opener.line)
	for !p.at("}") && !p.at(kindEnd) {
		table.Fields = append(table.Fields, p.field())
		if !p.accept(",") && !p.accept(";") {
			break
		}
	}
	p.close("}", opener)
	return table
}

func (p *parser) field() *ast.Field {
	tok := p.tok
	switch {
	case tok.kind == kindName && p.ahead.kind == "=":
		p.advance()
		p.advance()
		return &ast.Field{Key: at(&ast.StringExpr{Value: tok.text}, tok.line), Value: p.expr()}
	case tok.kind == "[":
		p.advance()
		key := p.expr()
		p.close("]", tok)
		p.expect("=", "after the key")
		return &ast.Field{Key: key, Value: p.expr()}
	}
	return &ast.Field{Value: p.expr()}
}
